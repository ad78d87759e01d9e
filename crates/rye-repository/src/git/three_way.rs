//! Whether a tree is the merge of two commits, told entry by entry from objects alone.
//!
//! Invariant: a yes is never wrong. Each file comes from the side that changed it, or is the clean text merge of both. Where
//! git would follow a rename or ask a person, it answers no; also where the base or the other side cannot be read, or is
//! too large: anybody may push such a branch, and it must not stop the search for the one that was merged.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::text_merge::is_clean_merge;
use super::walk::join;
use super::{BlobId, CommitId, Error, Repository, TreeId};

/// How many entries of trees are compared.
const MAX_ENTRIES: usize = 400_000;

/// The largest file whose text is merged, and how many bytes are read for that in all.
const MAX_TEXT: u64 = 4 * 1024 * 1024;
const MAX_TEXTS: u64 = 64 * 1024 * 1024;

/// What is at one path, if anything.
type Entry = Option<(EntryKind, ObjectId)>;

/// The same folder in the base, on both sides, and in the result; none where it is missing.
type Folders = [Option<ObjectId>; 4];

impl Repository {
    /// Tells whether `result` is the tree that merges `theirs` into `ours`. Several bases, or none, are no merge that can be
    /// told.
    ///
    /// # Errors
    /// As [`commit_info`](Self::commit_info), for objects of `ours` and `result`.
    pub fn is_merge_of(&self, result: &TreeId, ours: &CommitId, theirs: &CommitId) -> Result<bool, Error> {
        let Ok(theirs_id) = self.native(theirs.to_gix()) else { return Ok(false) };
        let Ok(found) = self.inner.merge_bases_many(ours.to_gix(), &[theirs_id]) else { return Ok(false) };
        let [base] = found.as_slice() else { return Ok(false) };
        self.is_three_way(result, &CommitId::from_gix(*base), ours, theirs)
    }

    /// Tells whether `result` is the tree that picking the change of `picked` onto `onto` gives, as a rebase does. A commit
    /// without exactly one parent has no such change.
    ///
    /// # Errors
    /// As [`is_merge_of`](Self::is_merge_of).
    pub fn is_pick_of(&self, result: &TreeId, onto: &CommitId, picked: &CommitId) -> Result<bool, Error> {
        let Ok(info) = self.commit_info(picked) else { return Ok(false) };
        match info.parents.as_slice() {
            [parent] => self.is_three_way(result, parent, onto, picked),
            _ => Ok(false),
        }
    }

    fn is_three_way(
        &self,
        result: &TreeId,
        base: &CommitId,
        ours: &CommitId,
        theirs: &CommitId,
    ) -> Result<bool, Error> {
        let ours = self.tree_of(ours)?;
        let (Ok(base), Ok(theirs)) = (self.tree_of(base), self.tree_of(theirs)) else { return Ok(false) };
        let roots = [&base, &ours, &theirs, result].map(|tree_id| Some(tree_id.to_gix()));
        self.is_merged(String::new(), roots)
    }

    fn is_merged(&self, top: String, roots: Folders) -> Result<bool, Error> {
        let (mut folders, mut left, mut texts) = (vec![(top, roots)], MAX_ENTRIES, MAX_TEXTS);
        while let Some((folder, trees)) = folders.pop() {
            let read =
                |tree: Option<ObjectId>| tree.map_or_else(|| Ok(BTreeMap::new()), |id| self.entries(&folder, id));
            let [base, ours, theirs, result] = trees;
            let (ours, result) = (read(ours)?, read(result)?);
            let (Ok(base), Ok(theirs)) = (read(base), read(theirs)) else { return Ok(false) };
            let read = [base, ours, theirs, result];
            let names: BTreeSet<String> = read.iter().flat_map(|entries| entries.keys().cloned()).collect();
            let Some(rest) = left.checked_sub(names.len()) else { return Ok(false) };
            left = rest;
            for name in names {
                let sides @ [base, ours, theirs, result] =
                    [0, 1, 2, 3].map(|side: usize| read[side].get(&name).copied());
                if let Some(expected) = three_way(base, ours, theirs) {
                    if expected != result {
                        return Ok(false);
                    }
                } else if let Some(below) = all_folders(sides) {
                    folders.push((join(&folder, &name), below));
                } else if !self.is_merged_file(sides, &mut texts)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Tells whether a file that both sides changed is merged: its mode and its text, each by itself. `texts` is how many bytes
    /// may still be read.
    fn is_merged_file(&self, sides: [Entry; 4], texts: &mut u64) -> Result<bool, Error> {
        let [Some(base), Some(ours), Some(theirs), Some(result)] = sides.map(file) else { return Ok(false) };
        if three_way(base.0, ours.0, theirs.0) != Some(result.0) {
            return Ok(false);
        }
        if let Some(expected) = three_way(base.1, ours.1, theirs.1) {
            return Ok(expected == result.1);
        }
        let mut read = Vec::new();
        for ((_, id), is_own) in [(base, false), (ours, true), (theirs, false), (result, true)] {
            let text = match self.blob_within(&BlobId::from_gix(id), MAX_TEXT.min(*texts)) {
                Err(error) if is_own => return Err(error),
                Ok(None) | Err(_) => return Ok(false),
                Ok(Some(text)) => text,
            };
            *texts = texts.saturating_sub(text.len() as u64);
            read.push(text);
        }
        Ok(is_clean_merge(&read[0], &read[1], &read[2], &read[3]))
    }
}

/// Takes what one side changed, or both alike; none where the sides differ from the base and from each other.
fn three_way<T: PartialEq>(base: T, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || base == theirs {
        Some(ours)
    } else if base == ours {
        Some(theirs)
    } else {
        None
    }
}

/// Returns what is a file with text of its own.
fn file(entry: Entry) -> Entry {
    entry.filter(|(kind, _)| matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable))
}

/// Returns the folders of that name, where both sides and the result have one and the base has one or nothing.
fn all_folders(sides: [Entry; 4]) -> Option<Folders> {
    let folder = |side: Entry| side.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id);
    let [base, ours, theirs, result] = sides.map(folder);
    let is_base_fit = base.is_some() == sides[0].is_some();
    let is_whole = is_base_fit && ours.is_some() && theirs.is_some() && result.is_some();
    is_whole.then_some([base, ours, theirs, result])
}
