//! Secrets: read when they are needed, from the environment or from a file of the person's own, and shown nowhere.

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use zeroize::Zeroizing;

use super::{ConfigError, ContextError, OwnFolder, bounded};

/// The greatest size of a secret's file, in bytes.
const MAX_BYTES: u64 = 16 * 1024;

/// A secret's value. It is overwritten when it is dropped, and has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a value.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(Zeroizing::new(value))
    }

    /// Returns the value, for the one place it goes to.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Reads a secret's file; `None` if it is missing. Blanks around the value are not part of it.
///
/// # Errors
///
/// Fails when another user can read or write it, and when it is not text, too large, or empty.
pub(super) fn read(path: &Path, own: &OwnFolder) -> Result<Option<Secret>, ContextError> {
    let failed = |source| ContextError::from(ConfigError::Read { path: path.to_path_buf(), source });
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed)?,
    };
    if found.is_dir() {
        return Err(failed(ErrorKind::IsADirectory.into()));
    }
    own.check(path).map_err(ConfigError::from)?;
    let mode = found.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(ContextError::OpenSecret { path: path.to_path_buf(), mode });
    }
    // The space is taken at once: growing would leave copies behind.
    let mut text = Zeroizing::new(String::with_capacity(MAX_BYTES as usize + 1));
    bounded::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(failed(std::io::Error::new(ErrorKind::FileTooLarge, "larger than 16 KiB")));
    }
    match text.trim() {
        // The person who made it means to use it.
        "" => Err(failed(std::io::Error::new(ErrorKind::InvalidData, "it is empty"))),
        value => Ok(Some(Secret::new(value.to_owned()))),
    }
}
