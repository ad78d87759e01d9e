//! The files of an item, wherever they lie: in a work tree, a commit, git's index or a package.

/// The files of an item that is a folder.
///
/// Each place only says what is there. What may be there is decided once, for all of them, by whoever reads it.
pub trait ItemFiles {
    /// Why something cannot be read.
    type Error;

    /// Lists what lies in the folder at any depth, with `/` between names; folders themselves are left out, except those that are not
    /// looked into.
    fn names(&self) -> Vec<String>;

    /// Lists what lies in the folder and does not belong to the item, such as files that git ignores; a folder ends with `/`.
    fn ignored(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what has one of the names; `None` if it is gone by now. A file of more than `most` bytes is not read.
    fn entry(&self, name: &str, most: u64) -> Result<Option<FileEntry>, Self::Error>;

    /// Returns the bytes of a file; `None` if it is no file, or a larger one.
    ///
    /// # Errors
    ///
    /// As [`ItemFiles::entry`].
    fn bytes(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Self::Error> {
        match self.entry(name, most)? {
            Some(FileEntry::File { bytes, .. }) => Ok(Some(bytes)),
            _ => Ok(None),
        }
    }
}

/// What one of an item's files is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileEntry {
    /// A file.
    File {
        /// Whether its owner may execute it.
        executable: bool,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A file that is larger than asked for.
    Large {
        /// How many bytes it has.
        size: u64,
    },
    /// A symbolic link.
    Link,
    /// A repository of its own, or a submodule.
    Repository,
    /// Code that git ignores, and that an interpreter would load.
    IgnoredCode,
    /// A pipe, a socket or a device.
    Special,
    /// A file or folder whose name is not UTF-8.
    Unnamed,
    /// A file or folder that cannot be read.
    Unreadable {
        /// Why not.
        reason: String,
    },
}
