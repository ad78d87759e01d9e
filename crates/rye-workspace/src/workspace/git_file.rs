//! The `.git` file of a thread's tree, which its tools can replace.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write as _};

use cap_std::fs::OpenOptions;

use super::project_dir::ProjectDir;
use crate::context::remove_folder_in;

/// Its name.
const NAME: &str = ".git";

impl ProjectDir {
    /// Makes `.git` in this very folder a file with `text`, whatever took its place. Tells whether something had.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be removed or written.
    pub fn restore_git_file(&self, text: &str) -> std::io::Result<bool> {
        // One byte more than there must be shows a longer file.
        let limit = text.len() as u64 + 1;
        if self.root.read_file(NAME, limit).is_ok_and(|(bytes, _)| bytes == text.as_bytes()) {
            return Ok(false);
        }
        let dir = &self.root.dir;
        let removed = match dir.symlink_metadata(NAME) {
            Ok(found) if found.is_dir() => remove_folder_in(dir, OsStr::new(NAME)),
            Ok(_) => dir.remove_file(NAME),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        dir.open_with(NAME, OpenOptions::new().write(true).create_new(true))?.write_all(text.as_bytes())?;
        Ok(true)
    }
}
