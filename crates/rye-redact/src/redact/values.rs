//! The secrets of this installation: their names and values, and its own private keys.

use std::fmt;

use zeroize::Zeroizing;

use super::keys;

/// A secret of this installation: its name, which is not secret, and its value.
pub struct Secret {
    kind: String,
    value: Zeroizing<Vec<u8>>,
    is_key: bool,
}

impl Secret {
    /// Takes a copy of a value, which is overwritten when it is dropped.
    #[must_use]
    pub fn new(name: String, value: &str) -> Self {
        let kind = format!("value of {name}");
        Self { kind, value: Zeroizing::new(value.as_bytes().to_vec()), is_key: false }
    }

    /// Takes the file of a private key: its lines, its whole text, and what only its owner knows of the bytes that these encode. A file
    /// that is not text is such bytes itself.
    #[must_use]
    pub const fn of_key(file: Zeroizing<Vec<u8>>) -> Self {
        Self { kind: String::new(), value: file, is_key: true }
    }

    /// Returns what its mark says.
    pub(super) fn kind(&self) -> &str {
        if self.is_key { keys::KIND } else { &self.kind }
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.value
    }

    /// Returns the secret bytes of a private key; none of any other value.
    pub(super) fn key_bytes(&self) -> Option<Zeroizing<Vec<u8>>> {
        self.is_key.then(|| super::key_bytes::of(&self.value))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("kind", &self.kind()).finish_non_exhaustive()
    }
}
