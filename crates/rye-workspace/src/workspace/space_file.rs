//! Reading and writing the files of a space that are not items: trust files and the project's configuration.
//!
//! One bounded reader for all of them: a regular file, reached from the space's folder, following no symlink.

use super::folder::Folder;
use super::{Error, Expected, Workspace};
use crate::id::{SPACE_FOLDER, Space};
use crate::trust::MAX_TRUST_FILE_BYTES;

/// The folder of the trust files.
const TRUST: &str = "trust";

/// The project's configuration.
const CONFIG: &str = "config.toml";

/// The greatest size of a project's configuration, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 64 * 1024;

impl Workspace {
    /// Reads the project's `.ai/config.toml`; none if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than [`MAX_CONFIG_BYTES`], no regular file or unreadable.
    pub fn config_file(&self) -> Result<Option<Vec<u8>>, Error> {
        self.space_file(Space::Project, &[], CONFIG, MAX_CONFIG_BYTES)
    }

    /// Reads a file of a space's `.ai/trust/`; none if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than [`MAX_TRUST_FILE_BYTES`], no regular file or unreadable.
    pub fn trust_file(&self, space: Space, name: &str) -> Result<Option<Vec<u8>>, Error> {
        self.space_file(space, &[TRUST], name, MAX_TRUST_FILE_BYTES as u64)
    }

    /// Reads a file of a project's proposal by its name: a trust file or the project's configuration.
    ///
    /// # Errors
    ///
    /// As [`Workspace::trust_file`] and [`Workspace::config_file`].
    pub fn proposal_file(&self, space: Space, name: &str) -> Result<Option<Vec<u8>>, Error> {
        if name == CONFIG { self.config_file() } else { self.trust_file(space, name) }
    }

    /// Reads a file directly in the project's `.ai/`; none if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than `limit`, no regular file or unreadable.
    pub fn project_file(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        self.space_file(Space::Project, &[], name, limit)
    }

    /// Replaces a file directly in the project's `.ai/`, making the folder if need be and following no symlink. The commit point is the
    /// rename of a synced temporary file.
    ///
    /// # Errors
    ///
    /// Fails, with the old file in place, when it is not as `expected` or cannot be written.
    pub fn write_project_file(&self, name: &str, bytes: &[u8], expected: Expected<'_>) -> Result<(), Error> {
        let root = self.root(Space::Project).ok_or(Error::NoSpace { space: Space::Project })?;
        let folder = match self.open_space(Space::Project)? {
            Some(folder) => folder,
            None => Folder::open_root(root, root)?.descend_creating([SPACE_FOLDER])?,
        };
        folder.replace(name, bytes, expected).map(drop)
    }

    fn space_file(&self, space: Space, above: &[&str], name: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some(root) = self.open_space(space)? else { return Ok(None) };
        let read = root.descend(above.iter().copied()).and_then(|folder| folder.read_whole(name, limit));
        Error::absent_is_none(read)
    }

    /// Replaces a file of a space's `.ai/trust/`, making the folder if need be and following no symlink. The commit
    /// point is the rename of a synced temporary file.
    ///
    /// # Errors
    ///
    /// Fails, with the old file in place, when it is not as `expected` or cannot be written.
    pub fn write_trust_file(
        &self,
        space: Space,
        name: &str,
        bytes: &[u8],
        expected: Expected<'_>,
    ) -> Result<(), Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let folder = match self.open_space(space)? {
            Some(folder) => folder,
            None => Folder::open_root(root, root)?.descend_creating([SPACE_FOLDER])?,
        };
        folder.descend_creating([TRUST])?.replace(name, bytes, expected).map(drop)
    }
}
