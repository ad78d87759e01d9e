//! What a pulled item changes of the one in its place: what it may do first, then its text.

use super::super::place::SkillTarget;
use super::super::plan::Status;
use super::outcome::{Plan, PlannedItem};
use super::powers;
use crate::format::{self, FileChange, SkillChange};
use crate::id::{ItemId, ItemType, Version};
use crate::item::Item;
use crate::registry::Release;

/// How an item changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The version that is there, as the lock says; none for an item that is new.
    pub before: Option<Version>,
    /// The version that comes.
    pub after: Version,
    /// What it can do or cost and could not before.
    pub gained: Vec<String>,
    /// What it can no longer do.
    pub lost: Vec<String>,
    /// The change of its text; empty for an item that is new, and for a skill.
    pub diff: String,
    /// The files of a skill that change.
    pub files: Vec<FileChange>,
}

impl Plan {
    /// Returns how each item changes that does.
    #[must_use]
    pub fn changes(&self) -> Vec<ItemChange> {
        let changed = self.items.iter().filter(|item| item.target.status != Status::Unchanged);
        changed.map(|item| self.change(item)).collect()
    }

    fn change(&self, item: &PlannedItem) -> ItemChange {
        let Release { item_type, id, version, .. } = item.version.release.clone();
        let before = item.target.before.as_deref();
        if let Some(SkillTarget { change, .. }) = &item.target.skill {
            let SkillChange { gained, lost, files } = change.clone();
            return ItemChange {
                before: self.lock.find(item_type, &id).map(|entry| entry.version).filter(|_| before.is_some()),
                item_type,
                item_id: id,
                after: version,
                gained,
                lost,
                diff: String::new(),
                files,
            };
        }
        let (old, new) = (before.and_then(|bytes| parsed(item, bytes)), parsed(item, item.package.item()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        ItemChange {
            item_type,
            before: self.lock.find(item_type, &id).map(|entry| entry.version).filter(|_| before.is_some()),
            after: version,
            gained: powers::gained(old.as_ref(), new.as_ref()),
            lost: powers::lost(old.as_ref(), new.as_ref()),
            diff: before
                .map(|before| format::bounded_diff(&text(before), &text(item.package.item())))
                .unwrap_or_default(),
            files: Vec::new(),
            item_id: id,
        }
    }
}

/// Returns what an item can do or cost and the one in its place cannot; none for an item that is new, but all of a skill that is new.
pub(super) fn more_powers(item: &PlannedItem) -> Vec<String> {
    if let Some(skill) = &item.target.skill {
        return skill.change.gained.clone();
    }
    let Some(before) = &item.target.before else { return Vec::new() };
    powers::gained(parsed(item, before).as_ref(), parsed(item, item.package.item()).as_ref())
}

fn parsed(item: &PlannedItem, bytes: &[u8]) -> Option<Item> {
    let release = &item.version.release;
    format::parse_bytes(release.item_type, &release.extension, bytes).item
}
