//! Folders for tests, gone when the test is.

use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A folder of its own for each name.
#[derive(Debug)]
pub(in crate::process) struct Folder(PathBuf);

impl Folder {
    pub(in crate::process) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("mini-me-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
