//! What differs between commits below a folder. Trees of the same id are not opened: equal trees cost nothing.

use std::collections::{BTreeMap, BTreeSet};

use gix::objs::tree::EntryKind;
use serde::Serialize;

use super::{
    CommitId, Error, Repository, TreeEntry, TreeId,
    walk::{join, leaf},
};

/// A leaf of a tree that was added, changed (content or mode) or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeChange {
    /// From the root of the tree.
    pub path: String,
    /// The former content; `None`: it was added.
    pub before: Option<TreeEntry>,
    /// The content; `None`: it was deleted.
    pub after: Option<TreeEntry>,
}

impl Repository {
    /// Lists what a commit has below the folder `prefix` (`""`: the root) that differs from every one of `from`, sorted
    /// by path: with one, the difference of two commits; with a commit's own parents, what the commit brings itself; with
    /// none, all that is there. `before` is what the first of `from` has. A file that became a folder was deleted, and
    /// the files in the folder were added. Nothing is taken for a rename.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] if more than `limit` entries must be looked at; otherwise as
    /// [`entries_below`](Self::entries_below).
    pub fn changes_below(
        &self,
        from: &[CommitId],
        to: &CommitId,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<TreeChange>, Error> {
        self.differences(from, self.folder_at(to, prefix)?, prefix, limit)
    }

    /// Lists what a tree has that differs from every one of `from`, as [`changes_below`](Self::changes_below) does for a commit.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below).
    pub fn changes_to_tree(&self, from: &[CommitId], tree_id: &TreeId, limit: usize) -> Result<Vec<TreeChange>, Error> {
        self.differences(from, Some(self.native(tree_id.to_gix())?), "", limit)
    }

    fn differences(
        &self,
        from: &[CommitId],
        after: Option<gix::ObjectId>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<TreeChange>, Error> {
        let compare = |before| Comparison { repository: self, prefix, limit, seen: 0 }.run(before, after);
        let Some((first, others)) = from.split_first() else { return compare(None) };
        let mut changes = compare(self.folder_at(first, prefix)?)?;
        for other in others {
            if changes.is_empty() {
                break;
            }
            let differing = compare(self.folder_at(other, prefix)?)?;
            let paths: BTreeSet<&str> = differing.iter().map(|change| change.path.as_str()).collect();
            changes.retain(|change| paths.contains(change.path.as_str()));
        }
        Ok(changes)
    }
}

/// One comparison of two folders.
struct Comparison<'a> {
    repository: &'a Repository,
    prefix: &'a str,
    limit: usize,
    seen: usize,
}

/// What two trees have by one name.
type Pair = (Option<(EntryKind, gix::ObjectId)>, Option<(EntryKind, gix::ObjectId)>);

impl Comparison<'_> {
    fn run(mut self, before: Option<gix::ObjectId>, after: Option<gix::ObjectId>) -> Result<Vec<TreeChange>, Error> {
        let mut changes = Vec::new();
        let mut folders = vec![(self.prefix.to_owned(), before, after)];
        while let Some((folder, before, after)) = folders.pop() {
            if before == after {
                continue;
            }
            for (name, (before, after)) in self.pairs(&folder, before, after)? {
                let path = join(&folder, &name);
                folders.push((path.clone(), subfolder(before), subfolder(after)));
                let (before, after) = (leaf_of(&path, before), leaf_of(&path, after));
                if before != after {
                    changes.push(TreeChange { path, before, after });
                }
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    fn pairs(
        &mut self,
        folder: &str,
        before: Option<gix::ObjectId>,
        after: Option<gix::ObjectId>,
    ) -> Result<BTreeMap<String, Pair>, Error> {
        let mut entries = |tree: Option<gix::ObjectId>| {
            let entries = tree.map(|id| self.repository.entries(folder, id)).transpose()?.unwrap_or_default();
            self.seen += entries.len();
            if self.seen > self.limit {
                return Err(Error::TooManyEntries { path: self.prefix.to_owned(), limit: self.limit });
            }
            Ok(entries)
        };
        let mut pairs: BTreeMap<String, Pair> = BTreeMap::new();
        for (name, entry) in entries(before)? {
            pairs.entry(name).or_default().0 = Some(entry);
        }
        for (name, entry) in entries(after)? {
            pairs.entry(name).or_default().1 = Some(entry);
        }
        pairs.retain(|_, (before, after)| before != after);
        Ok(pairs)
    }
}

fn subfolder(entry: Option<(EntryKind, gix::ObjectId)>) -> Option<gix::ObjectId> {
    entry.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id)
}

fn leaf_of(path: &str, entry: Option<(EntryKind, gix::ObjectId)>) -> Option<TreeEntry> {
    entry.filter(|(kind, _)| *kind != EntryKind::Tree).map(|(kind, id)| leaf(path, kind, id))
}
