//! Object ids as text: 40 (sha1) or 64 (sha256) lowercase hexadecimal digits, one type per kind of object.
//!
//! Deliberately says nothing about whether such an object exists or is of that kind: reading it does.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A text that is not an object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an object id (40 or 64 lowercase hexadecimal digits)")]
pub struct InvalidId {
    /// As it was given.
    pub text: String,
}

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses 40 or 64 lowercase hexadecimal digits.
            ///
            /// # Errors
            /// [`InvalidId`] for any other text.
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                if is_object_id(text) { Ok(Self(text.to_owned())) } else { Err(InvalidId { text: text.to_owned() }) }
            }

            /// Returns the hexadecimal digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}

object_id! {
    /// The id of a commit.
    CommitId
}
object_id! {
    /// The id of a tree: the state of a folder and all below it.
    TreeId
}
object_id! {
    /// The id of a blob: the bytes of one file.
    BlobId
}
object_id! {
    /// The id of an object of any kind that a note can annotate.
    ObjectId
}

impl From<CommitId> for ObjectId {
    fn from(id: CommitId) -> Self {
        Self(id.0)
    }
}

impl From<BlobId> for ObjectId {
    fn from(id: BlobId) -> Self {
        Self(id.0)
    }
}

/// Ids that go into gix and come out of it; the id of an annotated object is only a name.
macro_rules! known_to_gix {
    ($($name:ident)*) => {$(
        impl $name {
            pub(super) fn from_gix(id: impl Into<gix::ObjectId>) -> Self {
                Self(id.into().to_string())
            }

            pub(super) fn to_gix(&self) -> gix::ObjectId {
                gix::ObjectId::from_hex(self.0.as_bytes()).expect("because only checked digits are ever held")
            }
        }
    )*};
}

known_to_gix! { CommitId TreeId BlobId }

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn parses_both_lengths_and_prints_them_back() {
        for text in ["0123456789abcdef0123456789abcdef01234567".to_owned(), "a".repeat(64)] {
            assert_eq!(CommitId::parse(&text).unwrap().to_string(), text);
            assert_eq!(BlobId::parse(&text).unwrap().to_gix().to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_not_an_id() {
        for text in ["", "abc", &"A".repeat(40), &"g".repeat(40), &"a".repeat(41), &"é".repeat(20)] {
            assert!(matches!(TreeId::parse(text), Err(InvalidId { text: given }) if given == text));
        }
    }
}
