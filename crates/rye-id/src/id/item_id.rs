//! An item's id: its path below its type's folder, without extension.
//!
//! A segment is `[A-Za-z0-9][A-Za-z0-9_-]*`; segments are joined by `/`. So an id holds no dot, no `..`, no
//! backslash and no empty segment, is never absolute, and maps to and from its dotted form without loss.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The longest id accepted, in bytes: it must fit paths, refs and commit subjects everywhere.
const MAX_BYTES: usize = 200;

/// The id of an item, such as `rye/file-system/read`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(String);

/// A text that is not an item id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not an item id: {reason}")]
pub struct ItemIdError {
    /// The text as given.
    pub text: String,
    /// The fault, for people.
    pub reason: &'static str,
}

impl ItemId {
    /// Returns the id as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether a text is an item's id.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        fault(text).is_none()
    }

    /// Returns the first segment of several: the namespace it is published in; none for an id of one segment.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.0.split_once('/').map(|(namespace, _)| namespace)
    }

    /// Returns the last segment.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns everything before the last segment; empty for an id of one segment.
    #[must_use]
    pub fn category(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(category, _)| category)
    }

    /// Returns the id with `/` as `.`, the form capabilities use.
    #[must_use]
    pub fn dotted(&self) -> String {
        self.0.replace('/', ".")
    }

    /// Returns the id that a text was likely meant to be: one with an extension, or with dots in the place of slashes.
    #[must_use]
    pub fn meant_by(text: &str) -> Option<Self> {
        let stem = match text.rsplit_once('.') {
            Some((stem, extension)) if extension.parse::<super::Extension>().is_ok() => stem,
            _ => text,
        };
        stem.replace('.', "/").parse().ok()
    }

    /// Tells whether the id lies in the reserved namespace `rye/`.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.0.starts_with("rye/")
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ItemId {
    type Err = ItemIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(ItemIdError { text: text.to_owned(), reason }),
        }
    }
}

super::serde_as_text!(ItemId);

/// Names what keeps `text` from being an id.
fn fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > MAX_BYTES {
        return Some("it is longer than 200 bytes");
    }
    if text.starts_with('/') {
        return Some("it is an absolute path");
    }
    text.split('/').find_map(segment_fault)
}

fn segment_fault(segment: &str) -> Option<&'static str> {
    let mut bytes = segment.bytes();
    match bytes.next() {
        None => return Some("it has an empty segment"),
        Some(b'.') if segment == ".." || segment == "." => return Some("it leaves its folder"),
        Some(first) if !first.is_ascii_alphanumeric() => return Some("a segment must start with a letter or digit"),
        Some(_) => {}
    }
    bytes.find_map(|byte| match byte {
        b'.' => Some("it contains a dot (an id has no extension)"),
        b'\\' => Some("it contains a backslash (segments are joined by `/`)"),
        b'_' | b'-' => None,
        _ if byte.is_ascii_alphanumeric() => None,
        _ => Some("only letters, digits, `_` and `-` may follow"),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_id_is_recognised_in_what_was_meant_to_be_one() {
        let meant = |text: &str| ItemId::meant_by(text).map(|id| id.to_string());
        assert_eq!(meant("demo.echo").as_deref(), Some("demo/echo"));
        assert_eq!(meant("demo/echo.sh").as_deref(), Some("demo/echo"));
        assert_eq!(meant("demo.echo.py").as_deref(), Some("demo/echo"));
        assert_eq!((meant("../echo"), meant("/demo/echo"), meant("a b")), (None, None, None));
    }

    #[test]
    fn parts_of_an_id() {
        let id: ItemId = "rye/file-system/read".parse().unwrap();
        assert_eq!(
            (id.name(), id.category(), id.dotted().as_str()),
            ("read", "rye/file-system", "rye.file-system.read")
        );
    }

    /// Hole 11 of the threat model: ids that leave their folder.
    #[test]
    fn ids_that_could_leave_their_folder_are_refused() {
        for text in
            ["", "/a", "a//b", "../a", "a/..", "a/./b", "a\\b", "a.md", "-a", "a/_b", "a b", "é", "a/", "a\0b", "a\n"]
        {
            assert!(text.parse::<ItemId>().is_err(), "{text:?} was accepted");
        }
        assert!("a".repeat(201).parse::<ItemId>().is_err());
    }
}
