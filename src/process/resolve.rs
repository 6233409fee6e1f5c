//! Which file a command names. Pure: rules of Windows can be tested anywhere.
//!
//! No shell is ever asked, so nothing in a command or an argument has a meaning to one.

use std::path::{Path, PathBuf};

/// Whose rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// `:` between folders, names as they are.
    Unix,
    /// `;` between folders, the endings of `PATHEXT` tried for a name without one of them.
    Windows,
}

impl Rules {
    /// The rules of the machine this runs on.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };
}

/// What Windows tries when `PATHEXT` is not set.
const DEFAULT_PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

/// Where a command is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Whose rules hold.
    pub rules: Rules,
    /// The working directory of the program to be: relative commands start there.
    pub cwd: &'a Path,
    /// The value of `PATH`, as the program is going to have it.
    pub path: &'a str,
    /// The value of `PATHEXT`; Windows only.
    pub path_ext: Option<&'a str>,
}

/// The candidates for `command`, first choice first.
#[must_use]
pub fn candidates(command: &str, search: Search<'_>) -> Vec<PathBuf> {
    let is_separator = |c| c == '/' || (search.rules == Rules::Windows && c == '\\');
    let is_path =
        command.contains(is_separator) || (search.rules == Rules::Windows && has_drive(command));
    let folders: Vec<PathBuf> = if is_path {
        vec![search.cwd.to_path_buf()]
    } else {
        let separator = if search.rules == Rules::Windows { ';' } else { ':' };
        // An empty entry is the current folder to a shell; to look there is a known way in.
        search
            .path
            .split(separator)
            .map(|folder| folder.trim_matches('"'))
            .filter(|folder| !folder.is_empty())
            .map(|folder| search.cwd.join(folder))
            .collect()
    };
    let names = names(command, search);
    folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
}

fn has_drive(command: &str) -> bool {
    matches!(command.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// `command` itself, or with the endings Windows knows: an ending that is there is kept, never
/// doubled (`npx.cmd.EXE`), and a bare name is never taken as it is, since it cannot be started.
fn names(command: &str, search: Search<'_>) -> Vec<String> {
    if search.rules == Rules::Unix {
        return vec![command.to_owned()];
    }
    let endings: Vec<&str> = search
        .path_ext
        .filter(|endings| !endings.is_empty())
        .unwrap_or(DEFAULT_PATHEXT)
        .split(';')
        .filter(|ending| !ending.is_empty())
        .collect();
    let lower = command.to_ascii_lowercase();
    if endings.iter().any(|ending| lower.ends_with(&ending.to_ascii_lowercase())) {
        return vec![command.to_owned()];
    }
    endings.iter().map(|ending| format!("{command}{}", ending.to_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: Rules, command: &str, path: &str, path_ext: Option<&str>, expected: &[&str]) {
        let search = Search { rules, cwd: Path::new("/project"), path, path_ext };
        let found: Vec<String> =
            candidates(command, search).iter().map(|path| path.display().to_string()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_is_looked_for_in_path() {
        check(Rules::Unix, "mm", "/a:/b", None, &["/a/mm", "/b/mm"]);
    }

    #[test]
    fn empty_entries_of_path_are_no_folder() {
        check(Rules::Unix, "mm", "::/a:", None, &["/a/mm"]);
        check(Rules::Unix, "mm", "", None, &[]);
    }

    #[test]
    fn a_path_is_taken_from_the_working_directory_of_the_program() {
        check(Rules::Unix, "./mm", "/a", None, &["/project/./mm"]);
        check(Rules::Unix, "bin/mm", "/a", None, &["/project/bin/mm"]);
        check(Rules::Unix, "/opt/mm", "/a", None, &["/opt/mm"]);
    }

    #[test]
    fn a_backslash_is_a_letter_on_unix() {
        check(Rules::Unix, "a\\b", "/x", None, &["/x/a\\b"]);
    }

    #[test]
    fn windows_tries_the_endings_of_pathext_in_order() {
        check(
            Rules::Windows,
            "npx",
            "/a;\"/b c\"",
            Some(".EXE;.CMD"),
            &["/a/npx.exe", "/a/npx.cmd", "/b c/npx.exe", "/b c/npx.cmd"],
        );
    }

    #[test]
    fn windows_never_doubles_an_ending() {
        check(Rules::Windows, "npx.CMD", "/a", Some(".EXE;.CMD"), &["/a/npx.CMD"]);
    }

    #[test]
    fn windows_has_endings_without_pathext() {
        let expected = ["/a/x.com", "/a/x.exe", "/a/x.bat", "/a/x.cmd"];
        check(Rules::Windows, "x", "/a", None, &expected);
        check(Rules::Windows, "x", "/a", Some(""), &expected);
    }

    #[test]
    fn windows_knows_paths_by_either_slash_and_by_drive() {
        for command in ["bin/x.exe", "bin\\x.exe", "c:x.exe"] {
            let search =
                Search { rules: Rules::Windows, cwd: Path::new("/w"), path: "/a", path_ext: None };
            let found = candidates(command, search);
            assert_eq!(found, [Path::new("/w").join(command)], "{command}");
        }
    }
}
