//! Items as the commits before the trusted revision had them: what to hold a change against where the revision itself has no
//! good item.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::LocateError;
use super::files;
use crate::git::{BlobId, CommitId, Repository, TreeChange, TreeEntry};
use crate::id::{ItemId, ItemPath, ItemType, SPACE_FOLDER, Timestamp};
use crate::trust::Subject;

/// The most commits before the trusted revision that are looked at.
const MOST_COMMITS: usize = 5_000;

/// An item by type and id, whatever its extension.
pub(super) type Name = (ItemType, ItemId);

/// Everything that is known of items before the trusted revision.
#[derive(Default)]
pub(super) struct History {
    items: BTreeMap<Name, Former>,
}

/// An item as it was before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Former {
    /// Every file that was the item once.
    pub(super) versions: BTreeSet<(Subject, BlobId)>,
    /// When its last file was removed, in seconds.
    removed: Option<i64>,
    /// When another entry last took its place, in seconds.
    replaced: Option<i64>,
}

impl Former {
    /// Returns when the item was removed. `is_in_place`: whether what took its place is still there. Then it was not
    /// removed by that.
    pub(super) fn removal(&self, is_in_place: bool) -> Option<Timestamp> {
        let replaced = self.replaced.filter(|_| !is_in_place);
        self.removed.max(replaced).map(|seconds| Timestamp::from_milliseconds(seconds.saturating_mul(1000)))
    }
}

impl History {
    /// Reads what a commit and those before it did with items.
    pub(super) fn read(repository: &Repository, start: &CommitId) -> Result<Self, LocateError> {
        let mut history = Self::default();
        for entry in repository.entries_below(start, SPACE_FOLDER, files::MAX_ENTRIES)? {
            history.add(&entry);
        }
        let tell = |changes: &[TreeChange], seconds| history.tell(changes, seconds);
        repository.changes_in_history(start, SPACE_FOLDER, MOST_COMMITS, tell)?;
        Ok(history)
    }

    /// Returns an item as it was.
    pub(super) fn of(&self, name: &Name) -> Former {
        self.items.get(name).cloned().unwrap_or_default()
    }

    fn add(&mut self, entry: &TreeEntry) {
        if let Some((subject, blob_id)) = files::item(entry) {
            let name = (subject.item_type, subject.item_id.clone());
            self.items.entry(name).or_default().versions.insert((subject, blob_id));
        }
    }

    /// Takes in what one commit changed. A link or a submodule is not an item's file, whatever its name.
    fn tell(&mut self, changes: &[TreeChange], seconds: i64) {
        let left: BTreeSet<Name> = changes.iter().filter_map(|change| item_name(change.after.as_ref()?)).collect();
        for change in changes {
            let Some(before) = &change.before else { continue };
            self.add(before);
            let Some(name) = item_name(before).filter(|name| !left.contains(name)) else { continue };
            let former = self.items.entry(name).or_default();
            let of = if change.after.is_some() { &mut former.replaced } else { &mut former.removed };
            *of = (*of).max(Some(seconds));
        }
    }
}

fn item_name(entry: &TreeEntry) -> Option<Name> {
    files::item(entry).map(|(subject, _)| (subject.item_type, subject.item_id))
}

/// Returns the item whose file belongs at a path, whatever is there.
pub(super) fn name_at(path: &str) -> Option<Name> {
    let ItemPath { item_type, item_id, .. } = ItemPath::in_project(path)?.ok()?;
    Some((item_type, item_id))
}
