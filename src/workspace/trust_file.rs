//! Reading the files of `.ai/trust/`, which are no items.

use super::{Error, Workspace};
use crate::id::Space;
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
}
