//! A script's verified bytes in a private folder: exactly the verified bytes run, without neighbours to import.
//!
//! The folder is open to this user only and is removed with the value; the file is read-only. Other processes of the
//! same user can still reach it: they can do as much to this program itself.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::error::Error;
use crate::context::PrivateFolder;

/// A script in a folder of its own, both removed on drop.
#[derive(Debug)]
pub struct PrivateScript {
    folder: PrivateFolder,
    path: PathBuf,
}

impl PrivateScript {
    /// Writes `bytes` as `file_name` (mode 0500) into a new folder (mode 0700) below `temp_dir`.
    ///
    /// # Errors
    ///
    /// Fails when `file_name` is not a plain name or the operating system refuses.
    pub fn create(temp_dir: &Path, file_name: &str, bytes: &[u8]) -> Result<Self, Error> {
        Self::try_create(temp_dir, file_name, bytes).map_err(|source| Error::Script {
            file_name: file_name.to_owned(),
            folder: temp_dir.to_owned(),
            source,
        })
    }

    /// Writes a further file (mode 0400) next to the script, making the folders on its way.
    ///
    /// # Errors
    ///
    /// Fails when `path` leads elsewhere, something is there already, or the operating system refuses.
    pub fn add(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.add_with(path, bytes, 0o400)
    }

    /// As [`PrivateScript::add`], for a program (mode 0500) that the script starts.
    ///
    /// # Errors
    ///
    /// As [`PrivateScript::add`].
    pub fn add_program(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.add_with(path, bytes, 0o500)
    }

    fn add_with(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), Error> {
        self.try_add(path, bytes, mode).map_err(|source| Error::Script {
            file_name: path.to_owned(),
            folder: self.folder().to_owned(),
            source,
        })
    }

    fn try_add(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        if path.split('/').any(|part| matches!(part, "" | "." | "..") || part.contains('\0')) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain relative path"));
        }
        let path = self.folder().join(path);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?.write_all(bytes)
    }

    fn try_create(temp_dir: &Path, file_name: &str, bytes: &[u8]) -> io::Result<Self> {
        if file_name.contains(['/', '\0']) || matches!(file_name, "" | "." | "..") {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file name"));
        }
        let folder = PrivateFolder::create(temp_dir)?;
        let path = folder.path().join(file_name);
        OpenOptions::new().write(true).create_new(true).mode(0o500).open(&path)?.write_all(bytes)?;
        Ok(Self { folder, path })
    }

    /// Returns the script's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the private folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
