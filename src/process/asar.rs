//! Archives of Electron apps. Electron shows `app.asar` as a folder to its own JavaScript; to the system
//! it is a file, in which nothing can be started or entered. What is needed outside lies beside it, in
//! `app.asar.unpacked`, at the same path.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A path that leads into an archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// The archive: a file.
    pub(super) archive: PathBuf,
    /// Where the same thing lies when it is unpacked.
    pub(super) unpacked: PathBuf,
}

/// What `path` leads to outside of archives: itself, or what is unpacked beside the archive.
///
/// # Errors
/// [`Packed`] where it leads into an archive and is not unpacked.
pub(super) fn reach(path: &Path) -> Result<Cow<'_, Path>, Packed> {
    let Some(packed) = packed(path, &Path::is_file) else { return Ok(Cow::Borrowed(path)) };
    if packed.unpacked.exists() { Ok(Cow::Owned(packed.unpacked)) } else { Err(packed) }
}

/// `is_file` tells an archive from a folder that is only called like one.
fn packed(path: &Path, is_file: &dyn Fn(&Path) -> bool) -> Option<Packed> {
    let mut archive = PathBuf::new();
    let mut components = path.components();
    while let Some(component) = components.next() {
        archive.push(component);
        let Component::Normal(name) = component else { continue };
        if !has_ending(name) || !is_file(&archive) {
            continue;
        }
        let mut folder = archive.clone().into_os_string();
        folder.push(".unpacked");
        // Not `join`: with nothing left it would add a slash.
        let mut unpacked = PathBuf::from(folder);
        unpacked.extend(components);
        return Some(Packed { archive, unpacked });
    }
    None
}

/// Electron does not tell case apart there.
fn has_ending(name: &OsStr) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("asar"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, archives: &[&str], expected: Option<(&str, &str)>) {
        let is_file = |path: &Path| archives.iter().any(|archive| path == Path::new(archive));
        let expected = expected.map(|(archive, unpacked)| Packed {
            archive: archive.into(),
            unpacked: unpacked.into(),
        });
        assert_eq!(packed(Path::new(path), &is_file), expected);
    }

    #[test]
    fn what_is_unpacked_lies_at_the_same_path_beside_the_archive() {
        let archives = ["/r/app.asar"];
        let unpacked = "/r/app.asar.unpacked/bin/mm";
        check("/r/app.asar/bin/mm", &archives, Some(("/r/app.asar", unpacked)));
        check(
            "/r/app.asar/bin/../bin/mm",
            &archives,
            Some(("/r/app.asar", "/r/app.asar.unpacked/bin/../bin/mm")),
        );
    }

    #[test]
    fn the_archive_itself_becomes_the_folder_beside_it() {
        check("/r/app.asar", &["/r/app.asar"], Some(("/r/app.asar", "/r/app.asar.unpacked")));
        check("/r/app.asar/", &["/r/app.asar"], Some(("/r/app.asar", "/r/app.asar.unpacked")));
    }

    #[test]
    fn a_folder_with_the_ending_is_a_folder() {
        check("/r/app.asar/bin/mm", &[], None);
        let archives = ["/my.asar/r/app.asar"];
        let unpacked = "/my.asar/r/app.asar.unpacked/mm";
        check("/my.asar/r/app.asar/mm", &archives, Some(("/my.asar/r/app.asar", unpacked)));
    }

    #[test]
    fn what_is_unpacked_or_ends_otherwise_is_left_alone() {
        check("/r/app.asar.unpacked/bin/mm", &["/r/app.asar"], None);
        check("/r/asar/mm", &["/r/asar"], None);
        check("mm", &[], None);
    }

    #[test]
    fn case_does_not_matter() {
        check("/r/APP.ASAR/mm", &["/r/APP.ASAR"], Some(("/r/APP.ASAR", "/r/APP.ASAR.unpacked/mm")));
    }

    #[test]
    #[cfg(windows)]
    fn windows_has_drives_and_backslashes() {
        let unpacked = r"C:\r\app.asar.unpacked\bin\mm.exe";
        check(r"C:\r\app.asar\bin\mm.exe", &[r"C:\r\app.asar"], Some((r"C:\r\app.asar", unpacked)));
    }
}
