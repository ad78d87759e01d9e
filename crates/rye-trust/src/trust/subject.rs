//! What a signature binds besides the bytes: type, id and extension of the item.

use std::fmt;

use crate::id::{Extension, ItemId, ItemPath, ItemType, Timestamp};

use super::ContentHash;

/// The name under which an item's bytes are signed. A file moved, renamed or given another extension is another
/// subject, and its signature no longer fits (holes 2 and 24 of the threat model).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// The item's type.
    pub item_type: ItemType,
    /// The item's id.
    pub item_id: ItemId,
    /// The file's extension, which decides how it is run.
    pub extension: Extension,
}

impl Subject {
    /// Builds the message of signature version 2 (docs/formats.md, section 4).
    #[must_use]
    pub fn message(&self, timestamp: Timestamp, hash: &ContentHash) -> Vec<u8> {
        format!(
            "rye-signature-v2\n{}\n{}\n{}\n{}\n{hash}\n",
            self.item_type,
            self.item_id,
            self.extension,
            timestamp.to_seconds_text(),
        )
        .into_bytes()
    }
}

impl From<ItemPath> for Subject {
    fn from(ItemPath { item_type, item_id, extension }: ItemPath) -> Self {
        Self { item_type, item_id, extension }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.item_type, self.item_id)
    }
}
