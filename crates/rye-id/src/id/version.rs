//! Semantic versions of items: exactly `X.Y.Z`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// An item's version, compared number by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Changes that break users.
    pub major: u32,
    /// Additions.
    pub minor: u32,
    /// Corrections.
    pub patch: u32,
}

/// A text that is not a version.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a version (expected three numbers like `1.0.0`)")]
pub struct VersionError {
    /// The text as given.
    pub text: String,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || VersionError { text: text.to_owned() };
        let numbers = text.split('.').map(number).collect::<Option<Vec<u32>>>().ok_or_else(error)?;
        match numbers[..] {
            [major, minor, patch] => Ok(Self { major, minor, patch }),
            _ => Err(error()),
        }
    }
}

super::serde_as_text!(Version);

/// Reads a number without sign or leading zero.
fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}
