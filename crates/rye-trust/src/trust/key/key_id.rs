//! The short name of a key.

use std::fmt;
use std::str::FromStr;

use super::error::KeyError;
use crate::trust::ContentHash;

/// The first 16 hexadecimal digits of the SHA-256 of an Ed25519 key's SPKI PEM text (the last field of a signature line), or
/// of another SSH key's bytes; the last 16 digits of an OpenPGP key's fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(String);

impl KeyId {
    /// Takes the first digits of a digest.
    pub(super) fn of_digest(digest: ContentHash) -> Self {
        Self(digest.to_string()[..16].to_owned())
    }

    /// Takes 16 digits.
    pub(super) fn of_digits(digits: &str) -> Self {
        Self(digits.to_ascii_lowercase())
    }

    /// Returns the 16 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for KeyId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 16 && text.bytes().all(digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(KeyError::KeyId { text: text.to_owned() })
        }
    }
}

crate::id::serde_as_text!(KeyId);
