//! What is to be started, and why it could not be.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::asar::{self, Packed};
use super::resolve::{Rules, Search, candidates};

/// A program with all it is started with. The environment is whole: nothing is inherited, since
/// `process.env` of a worker or of an Electron app differs from the process's own.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Program {
    /// A name to look for in `PATH`, or a path; never run through a shell.
    pub command: String,
    /// Arguments as the program is to get them.
    pub args: Vec<String>,
    /// Absolute.
    pub cwd: PathBuf,
    /// All variables.
    pub env: Vec<(String, String)>,
}

/// Why a program could not be started; becomes `MM_ERR_SPAWN`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpawnFailure {
    /// The command as it was given.
    pub command: String,
    /// The `PATH` that was searched; `None` when the command is a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Name of the operating system's error: `ENOENT`, `EACCES`...
    pub errno: Box<str>,
    /// What was expected, what came.
    #[serde(skip)]
    pub message: String,
    /// Whether no file of that name was found.
    #[serde(skip)]
    pub is_missing: bool,
}

impl fmt::Display for SpawnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl SpawnFailure {
    /// What the program that uses this package can do about it, where the agent is what was missing.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        let in_path = if cfg!(windows) {
            "set `command` (or MM_BIN) to its path, or `env.PATH` to a PATH that has it"
        } else {
            "set `command` (or MM_BIN) to its path, or `env.PATH` to a PATH that has it; an app \
             started from a dock has a short PATH: see loginShellEnv()"
        };
        let by_path = "set `command` (or MM_BIN) to a program that is there";
        self.is_missing.then_some(if self.path.is_some() { in_path } else { by_path })
    }
}

impl Program {
    /// A variable of the program's environment. Windows does not tell case apart in names.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        let is_same = |other: &str| {
            if cfg!(windows) { other.eq_ignore_ascii_case(name) } else { other == name }
        };
        self.env.iter().rev().find(|(other, _)| is_same(other)).map(|(_, value)| value.as_str())
    }

    /// The file to start; out of an archive, what is unpacked beside it.
    ///
    /// # Errors
    /// [`SpawnFailure`] when the working directory or the file is not there, or is not to be run.
    pub fn file(&self) -> Result<PathBuf, SpawnFailure> {
        self.check_cwd()?;
        let path = self.variable("PATH").unwrap_or_default();
        let cwd = self.folder();
        let search =
            Search { rules: Rules::HERE, cwd: &cwd, path, path_ext: self.variable("PATHEXT") };
        let mut failure = None;
        for candidate in candidates(&self.command, search) {
            match fitness(&candidate) {
                Fitness::Runnable(file) => return Ok(file),
                Fitness::Missing => {}
                Fitness::Unfit(what) => {
                    failure.get_or_insert_with(|| self.unfit(&candidate, what));
                }
                Fitness::Packed(packed) => {
                    failure.get_or_insert_with(|| self.packed("a program to run", &packed));
                }
            }
        }
        Err(failure.unwrap_or_else(|| self.not_found(path)))
    }

    /// Where it is to run: `cwd`, or what is unpacked of it beside an archive.
    pub(super) fn folder(&self) -> Cow<'_, Path> {
        asar::reach(&self.cwd).unwrap_or(Cow::Borrowed(&self.cwd))
    }

    fn check_cwd(&self) -> Result<(), SpawnFailure> {
        let folder = asar::reach(&self.cwd)
            .map_err(|packed| self.packed("`cwd` to be a folder", &packed))?;
        let cwd = folder.display();
        // What is in a folder can be looked at by whoever may enter it: its own dot, too.
        let entered = std::fs::metadata(&folder).and_then(|metadata| {
            Ok(metadata.is_dir() && std::fs::metadata(folder.join("."))?.is_dir())
        });
        match entered {
            Ok(true) => Ok(()),
            Ok(false) => Err(self
                .failure("ENOTDIR", format!("expected `cwd` to be a folder, but {cwd} is a file"))),
            Err(error) => Err(self.failure(
                &errno(&error),
                format!("expected `cwd` to be a folder, but {cwd} cannot be entered: {error}"),
            )),
        }
    }

    fn not_found(&self, path: &str) -> SpawnFailure {
        let command = &self.command;
        let is_path = command.contains(['/', '\\']);
        let place = if is_path {
            format!("(looked for from {})", self.cwd.display())
        } else {
            format!("in PATH ({path})")
        };
        let hint = if command.starts_with('~') {
            "; a shell knows `~`, nobody else: give the whole path"
        } else if command.contains(' ') {
            "; arguments belong into `args`"
        } else {
            ""
        };
        let message = format!("expected a program, but there is no {command} {place}{hint}");
        SpawnFailure {
            path: (!is_path).then(|| path.to_owned()),
            is_missing: true,
            ..self.failure("ENOENT", message)
        }
    }

    fn unfit(&self, file: &Path, what: &str) -> SpawnFailure {
        let message = format!("expected a program to run, but {} is {what}", file.display());
        self.failure("EACCES", message)
    }

    fn packed(&self, expected: &str, Packed { archive, unpacked }: &Packed) -> SpawnFailure {
        let message = format!(
            "expected {expected}, but its path leads into the archive {}, and there is no {}: have the \
             packager unpack it (`asarUnpack`)",
            archive.display(),
            unpacked.display()
        );
        self.failure("ENOTDIR", message)
    }

    /// Why the system refused to start `file`.
    #[must_use]
    pub fn refused(&self, file: &Path, error: &io::Error) -> SpawnFailure {
        let message = format!("expected {} to start, got: {error}", file.display());
        self.failure(&errno(error), message)
    }

    fn failure(&self, errno: &str, message: String) -> SpawnFailure {
        SpawnFailure {
            command: self.command.clone(),
            path: None,
            cwd: self.cwd.clone(),
            errno: errno.into(),
            message,
            is_missing: false,
        }
    }
}

enum Fitness {
    Runnable(PathBuf),
    Missing,
    Unfit(&'static str),
    Packed(Packed),
}

fn fitness(candidate: &Path) -> Fitness {
    let file = match asar::reach(candidate) {
        Ok(file) => file,
        Err(packed) => return Fitness::Packed(packed),
    };
    let Ok(metadata) = std::fs::metadata(&file) else { return Fitness::Missing };
    if metadata.is_dir() {
        return Fitness::Unfit("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o111 == 0 {
            return Fitness::Unfit("not executable");
        }
    }
    Fitness::Runnable(file.into_owned())
}

/// The name of an error, as Node.js has it in `error.code`.
fn errno(error: &io::Error) -> String {
    let name = match error.kind() {
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        io::ErrorKind::ArgumentListTooLong => "E2BIG",
        io::ErrorKind::ExecutableFileBusy => "ETXTBSY",
        io::ErrorKind::InvalidInput => "EINVAL",
        io::ErrorKind::WouldBlock => "EAGAIN",
        io::ErrorKind::OutOfMemory => "ENOMEM",
        _ => return error.raw_os_error().map_or("UNKNOWN".to_owned(), |code| format!("E{code}")),
    };
    name.to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::process::scratch::Folder;
    use std::os::unix::fs::PermissionsExt;

    fn program(command: &str, cwd: &Path, path: &str) -> Program {
        Program {
            command: command.into(),
            args: vec![],
            cwd: cwd.into(),
            env: vec![("PATH".into(), "/nowhere".into()), ("PATH".into(), path.into())],
        }
    }

    fn file(path: &Path, mode: u32) {
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[track_caller]
    fn check_failure(program: &Program, errno: &str, words: &[&str]) {
        let failure = program.file().unwrap_err();
        assert_eq!(&*failure.errno, errno, "{failure}");
        for word in words {
            assert!(failure.message.contains(word), "expected {word:?} in: {failure}");
        }
    }

    #[test]
    fn what_is_not_executable_is_passed_over_when_a_later_folder_has_a_program() {
        let (first, second) = (Folder::new("first"), Folder::new("second"));
        file(&first.join("mm"), 0o644);
        file(&second.join("mm"), 0o755);
        let path = format!("{}:{}", first.display(), second.display());
        assert_eq!(program("mm", &first, &path).file(), Ok(second.join("mm")));
    }

    #[test]
    fn a_missing_program_is_named_with_the_path_that_was_searched() {
        let cwd = Folder::new("missing");
        let program = program("no-such-mm", &cwd, "/x:/y");
        check_failure(&program, "ENOENT", &["no-such-mm", "/x:/y"]);
        let failure = program.file().unwrap_err();
        assert_eq!(failure.path.as_deref(), Some("/x:/y"));
        for words in ["MM_BIN", "env.PATH", "loginShellEnv()"] {
            assert!(failure.remedy().unwrap().contains(words));
        }
    }

    #[test]
    fn only_what_is_missing_has_a_remedy() {
        let cwd = Folder::new("remedy");
        let remedy = |command, cwd: &Path| program(command, cwd, "").file().unwrap_err().remedy();
        assert!(remedy("./none", &cwd).unwrap().contains("MM_BIN"));
        assert_eq!(remedy("/", &cwd), None);
        assert_eq!(remedy("/bin/sh", &cwd.join("none")), None);
    }

    #[test]
    fn a_folder_and_a_plain_file_are_no_programs() {
        let cwd = Folder::new("unfit");
        file(&cwd.join("plain"), 0o644);
        check_failure(&program("./plain", &cwd, ""), "EACCES", &["plain", "not executable"]);
        check_failure(&program("/", &cwd, ""), "EACCES", &["a folder"]);
    }

    #[test]
    fn a_bad_working_directory_is_blamed_itself() {
        let cwd = Folder::new("cwd");
        file(&cwd.join("file"), 0o755);
        check_failure(&program("/bin/sh", &cwd.join("none"), ""), "ENOENT", &["cwd", "none"]);
        check_failure(&program("/bin/sh", &cwd.join("file"), ""), "ENOTDIR", &["cwd", "file"]);
    }

    /// A folder with an archive, `app.asar`, beside which `bin/mm` lies unpacked.
    fn packed_app(name: &str) -> Folder {
        let app = Folder::new(name);
        std::fs::write(app.join("app.asar"), "an archive").unwrap();
        std::fs::create_dir_all(app.join("app.asar.unpacked/bin")).unwrap();
        file(&app.join("app.asar.unpacked/bin/mm"), 0o755);
        app
    }

    #[test]
    fn a_program_inside_an_archive_is_the_one_unpacked_beside_it() {
        let app = packed_app("asar-command");
        let unpacked = app.join("app.asar.unpacked/bin/mm");
        let command = app.join("app.asar/bin/mm");
        assert_eq!(program(command.to_str().unwrap(), &app, "").file(), Ok(unpacked.clone()));
        assert_eq!(program("./app.asar/bin/mm", &app, "").file(), Ok(unpacked));
    }

    #[test]
    fn a_working_directory_inside_an_archive_is_the_folder_unpacked_beside_it() {
        let app = packed_app("asar-cwd");
        let inside = program("./mm", &app.join("app.asar/bin"), "");
        assert_eq!(inside.folder(), app.join("app.asar.unpacked/bin"));
        assert_eq!(inside.file(), Ok(app.join("app.asar.unpacked/bin/./mm")));
    }

    #[test]
    fn what_is_not_unpacked_is_told_with_the_remedy() {
        let app = packed_app("asar-packed");
        let command = app.join("app.asar/bin/other");
        let words = ["into the archive", "app.asar.unpacked/bin/other", "asarUnpack"];
        check_failure(&program(command.to_str().unwrap(), &app, ""), "ENOTDIR", &words);
        let cwd = app.join("app.asar/none");
        check_failure(&program("/bin/sh", &cwd, ""), "ENOTDIR", &["`cwd`", "asarUnpack"]);
    }
}
