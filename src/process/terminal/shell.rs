//! What a command of a terminal is: a program with arguments, or a line for the shell. Pure.
//!
//! The protocol has a program in `command` and its arguments in `args`; that is tried first. Several
//! agents send a whole line in `command` and no `args`, since the first editor to speak ACP ran
//! everything by a shell. Such a line names no program, and is given to the shell then.
//! Source: `docs/protocol.md`, "The terminal".

use std::path::PathBuf;

use crate::process::command::{Program, SpawnFailure};
use crate::process::resolve::Rules;

/// What makes a command that is no program a line: white space, or a character with a meaning to `sh`
/// or `cmd.exe`.
const SHELL_CHARACTERS: &str = "|&;<>()$`\"'*?[]{}~=#!%^";

/// How arguments are passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Arguments {
    /// One by one, each as the program is to get it.
    Each(Vec<String>),
    /// As one text that is passed untouched: `cmd.exe` has rules of its own for quotes. Windows only.
    Verbatim(String),
}

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) file: PathBuf,
    pub(super) arguments: Arguments,
}

/// Finds the program of `program.command`, or the shell that runs it as a line.
pub(super) fn launch(program: &Program) -> Result<Launch, SpawnFailure> {
    match program.file() {
        Ok(file) => Ok(Launch { file, arguments: Arguments::Each(program.args.clone()) }),
        Err(failure) if failure.is_missing && is_line(program) => {
            let (command, arguments) =
                shell(Rules::HERE, &program.command, program.variable("ComSpec"));
            let file = Program { command, ..program.clone() }.file()?;
            Ok(Launch { file, arguments })
        }
        Err(failure) => Err(failure),
    }
}

fn is_line(program: &Program) -> bool {
    let has_meaning = |c: char| c.is_whitespace() || SHELL_CHARACTERS.contains(c);
    program.args.is_empty() && program.command.contains(has_meaning)
}

fn shell(rules: Rules, line: &str, com_spec: Option<&str>) -> (String, Arguments) {
    match rules {
        Rules::Unix => {
            ("/bin/sh".to_owned(), Arguments::Each(vec!["-c".to_owned(), line.to_owned()]))
        }
        // As Node.js does it: /s makes cmd.exe take off the outer quotes and nothing else.
        Rules::Windows => (
            com_spec.unwrap_or("cmd.exe").to_owned(),
            Arguments::Verbatim(format!("/d /s /c \"{line}\"")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(command: &str, args: &[&str]) -> Program {
        Program {
            command: command.into(),
            args: args.iter().map(|&arg| arg.into()).collect(),
            cwd: std::env::temp_dir(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        }
    }

    #[test]
    fn a_line_is_a_command_with_white_space_or_a_meaning_to_the_shell_and_no_arguments() {
        for line in ["ls -la", "ls\n", "a|b", "x=1", "$HOME/x", "~/x", "\"a\"", "./a;b", "a&"] {
            assert!(is_line(&program(line, &[])), "{line}");
            assert!(!is_line(&program(line, &["-c"])), "{line} with arguments");
        }
        for name in ["ls", "./a-b_c.sh", "/opt/x/y+z@1", "clang++", "a,b:c"] {
            assert!(!is_line(&program(name, &[])), "{name}");
        }
    }

    #[test]
    fn the_shell_of_windows_gets_the_line_between_quotes_of_its_own() {
        let (command, arguments) = shell(Rules::Windows, "echo \"a b\" & dir", None);
        assert_eq!(command, "cmd.exe");
        assert_eq!(arguments, Arguments::Verbatim("/d /s /c \"echo \"a b\" & dir\"".into()));
        let (command, _) = shell(Rules::Windows, "dir", Some("C:\\Windows\\system32\\cmd.exe"));
        assert_eq!(command, "C:\\Windows\\system32\\cmd.exe");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_started_as_it_is() {
        let launch = launch(&program("sh", &["-c", "a b"])).unwrap();
        assert!(launch.file.ends_with("sh"));
        assert_eq!(launch.arguments, Arguments::Each(vec!["-c".into(), "a b".into()]));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_whose_name_has_a_space_is_no_line() {
        use crate::process::scratch::Folder;
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new("shell");
        let file = folder.join("mini me");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let launch = launch(&program(file.to_str().unwrap(), &[])).unwrap();
        assert_eq!(launch, Launch { file, arguments: Arguments::Each(vec![]) });
    }

    #[cfg(unix)]
    #[test]
    fn a_line_is_given_to_the_shell() {
        let launch = launch(&program("echo a | cat", &[])).unwrap();
        assert_eq!(launch.file, PathBuf::from("/bin/sh"));
        assert_eq!(launch.arguments, Arguments::Each(vec!["-c".into(), "echo a | cat".into()]));
    }

    #[test]
    fn a_word_that_is_no_program_and_a_folder_that_is_missing_are_failures() {
        let failure = launch(&program("no-such-program", &[])).unwrap_err();
        assert_eq!(&*failure.errno, "ENOENT");
        assert!(failure.message.contains("no-such-program"), "{failure}");
        let nowhere = Program { cwd: "/no/such/folder".into(), ..program("echo a", &[]) };
        let failure = launch(&nowhere).unwrap_err();
        assert!(failure.message.contains("`cwd`"), "{failure}");
        assert_eq!(failure.command, "echo a");
    }
}
