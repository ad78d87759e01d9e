//! Reading and writing the files of `.ai/trust/`, which are no items.

use super::folder::Folder;
use super::{Error, Expected, Workspace};
use crate::id::{SPACE_FOLDER, Space};
use crate::trust::MAX_TRUST_FILE_BYTES;

impl Workspace {
    /// Reads a file of a space's `.ai/trust/`, following no symlink; none if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than [`MAX_TRUST_FILE_BYTES`], no regular file or unreadable.
    pub fn trust_file(&self, space: Space, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some(root) = self.open_space(space)? else { return Ok(None) };
        let limit = MAX_TRUST_FILE_BYTES as u64;
        let read = root.step("trust").and_then(|folder| folder.read_file(name, limit));
        match Error::absent_is_none(read)? {
            Some((_, true)) => {
                let path = root.path.join("trust").join(name);
                Err(Error::TooLarge { path, limit })
            }
            read => Ok(read.map(|(bytes, _)| bytes)),
        }
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
        folder.descend_creating(["trust"])?.replace(name, bytes, expected).map(drop)
    }
}
