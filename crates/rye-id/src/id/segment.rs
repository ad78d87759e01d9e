//! One segment of an id: the name of a registry, or of a namespace in one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::ItemId;

/// The longest name, in bytes: it must leave room for the rest of an id.
const MAX_BYTES: usize = 64;

/// The name of a registry or of a namespace: `[A-Za-z0-9][A-Za-z0-9_-]*`, at most 64 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(String);

/// A text that is not a name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a name: expected letters, digits, `_` and `-`, at most 64 bytes")]
pub struct SegmentError {
    /// The text as given.
    pub text: String,
}

impl Segment {
    /// Returns the name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Segment {
    type Err = SegmentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if ItemId::is_one(text) && !text.contains('/') && text.len() <= MAX_BYTES {
            return Ok(Self(text.to_owned()));
        }
        Err(SegmentError { text: text.chars().take(80).collect() })
    }
}

super::serde_as_text!(Segment);
