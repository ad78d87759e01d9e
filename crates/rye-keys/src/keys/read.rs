//! Reading the file of a key, wherever it lies.
//!
//! Never more than 64 KiB, and a private half only if no other user can read it.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use zeroize::Zeroizing;

use super::KeysError;
use crate::context::bounded;
use crate::trust::{KeyError, KeyText, PublicKey};

/// No key of a kind that can be used comes near this size.
const LARGEST: u64 = 64 * 1024;

/// Reads a key, if there is a file.
///
/// # Errors
///
/// Fails when the file cannot be read, is too large or no key, or holds a private half that others can read.
pub(super) fn find_key(path: &Path) -> Result<Option<KeyText>, KeysError> {
    match bounded::open(path) {
        Err(error) if error.is_missing() && fs::symlink_metadata(path).is_err() => Ok(None),
        file => {
            read(file.map_err(|source| KeysError::KeyUnreadable { path: path.to_path_buf(), source })?, path).map(Some)
        }
    }
}

fn read(file: File, path: &Path) -> Result<KeyText, KeysError> {
    let io = |source| KeysError::Io { action: "read", path: path.to_path_buf(), source };
    let key = |source| KeysError::Key { path: path.to_path_buf(), source };
    let metadata = file.metadata().map_err(io)?;
    // The space is taken at once: growing would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LARGEST as usize + 1));
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > LARGEST {
        return Err(KeysError::TooLarge { path: path.to_path_buf() });
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| key(KeyError::NoKey))?;
    let parsed = KeyText::parse(text);
    // A file without a private key is not a secret: its mode is not the problem.
    if !KeyText::is_public(text) && !matches!(parsed, Ok(KeyText::Public(_)) | Err(KeyError::NoKey)) {
        check_bits("private key", path, metadata.mode())?;
    }
    parsed.map_err(key)
}

/// Returns the comment of a key in its file, if that can be read.
pub(super) fn comment_in(path: &Path, key: &PublicKey) -> Option<String> {
    let bytes = Zeroizing::new(bounded::read(path, LARGEST).ok()?);
    KeyText::comment(std::str::from_utf8(&bytes).ok()?, key)
}

/// Makes sure that no other user can read a folder of private keys.
pub(super) fn check_mode(path: &Path) -> Result<(), KeysError> {
    let metadata =
        fs::metadata(path).map_err(|source| KeysError::Io { action: "read", path: path.to_path_buf(), source })?;
    check_bits("folder of private keys", path, metadata.mode())
}

pub(super) fn check_bits(what: &'static str, path: &Path, mode: u32) -> Result<(), KeysError> {
    let (path, mode) = (path.to_path_buf(), mode & 0o7777);
    if mode & 0o077 == 0 { Ok(()) } else { Err(KeysError::LooseMode { what, path, mode }) }
}
