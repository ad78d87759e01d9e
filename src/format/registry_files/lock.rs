//! `rye.lock`: what was pulled into a project, from which registry, signed by whom.

use serde::{Deserialize, Serialize};

use super::read;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::trust::ContentHash;

/// The version of the format. In format 1 `registry` was the name that the puller had given it, and there was no
/// `registry_key`.
const LOCK_FORMAT: u32 = 2;

/// The most entries of a lock.
const MOST: usize = 10_000;

/// What was pulled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    entries: Vec<LockEntry>,
}

/// One item that was pulled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockEntry {
    /// The id.
    pub id: ItemId,
    /// The type.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// The version.
    pub version: Version,
    /// The SHA-256 of the item's file.
    pub sha256: ContentHash,
    /// The registry it came from, as it calls itself; without `registry_key`, as its puller calls it.
    pub registry: Segment,
    /// The fingerprint of the registry's first key: names of registries are not unique. None in an entry of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_key: Option<String>,
    /// The fingerprint of the key that signed it.
    pub signer: String,
    /// Whether it was asked for, or came because another item needs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    #[serde(default)]
    item: Vec<LockEntry>,
}

impl Lock {
    /// Lists the entries, sorted by id and type.
    #[must_use]
    pub fn entries(&self) -> &[LockEntry] {
        &self.entries
    }

    /// Returns the entry of an item.
    #[must_use]
    pub fn find(&self, item_type: ItemType, id: &ItemId) -> Option<&LockEntry> {
        self.entries.iter().find(|entry| entry.item_type == item_type && entry.id == *id)
    }

    /// Puts an entry in, in the place of one of the same item.
    pub fn put(&mut self, entry: LockEntry) {
        self.remove(entry.item_type, &entry.id);
        self.entries.push(entry);
        self.entries.sort();
    }

    /// Takes out the entry of an item.
    pub fn remove(&mut self, item_type: ItemType, id: &ItemId) {
        self.entries.retain(|known| known.item_type != item_type || known.id != *id);
    }
}

/// Reads a `rye.lock`.
///
/// # Errors
///
/// Says what is not understood.
pub fn lock(bytes: &[u8]) -> Result<Lock, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let File { item, .. } = read(text, LOCK_FORMAT)?;
    if item.len() > MOST {
        return Err(format!("it has more than {MOST} entries"));
    }
    let mut lock = Lock::default();
    for entry in item {
        if lock.find(entry.item_type, &entry.id).is_some() {
            return Err(format!("{} `{}` is there twice", entry.item_type, entry.id));
        }
        lock.put(entry);
    }
    Ok(lock)
}

/// Writes a `rye.lock`.
#[must_use]
pub fn lock_text(lock: &Lock) -> String {
    let text = toml::to_string(&File { format: LOCK_FORMAT, item: lock.entries.clone() });
    let text = text.expect("because numbers and texts can always be written");
    format!("# Written by `rye pull`. Commit it: it says what was pulled, from where, and signed by whom.\n{text}")
}
