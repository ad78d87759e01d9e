//! Whether a tree is the merge of two commits, told entry by entry from trees alone.
//!
//! Invariant: a yes is never wrong. Where both sides changed the same file, or git would follow a rename, the answer is no,
//! whatever git makes of it.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::walk::join;
use super::{CommitId, Error, Repository, TreeId};

/// How many entries of trees are compared.
const MAX_ENTRIES: usize = 400_000;

/// The same folder in the base, on both sides, and in the result; none where it is missing.
type Folders = [Option<ObjectId>; 4];

impl Repository {
    /// Tells whether `result` is the tree that merges `theirs` into `ours`. Several bases, or none, are no merge that can be
    /// told.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] beyond the bound; otherwise as [`commit_info`](Self::commit_info).
    pub fn is_merge_of(&self, result: &TreeId, ours: &CommitId, theirs: &CommitId) -> Result<bool, Error> {
        let found = self.inner.merge_bases_many(ours.to_gix(), &[self.native(theirs.to_gix())?]);
        let found = found.map_err(|error| super::read::corrupt(theirs.to_gix(), error))?;
        let [base] = found.as_slice() else { return Ok(false) };
        let base = CommitId::from_gix(*base);
        let root = |commit_id: &CommitId| self.tree_of(commit_id).map(|tree_id| Some(tree_id.to_gix()));
        let roots = [root(&base)?, root(ours)?, root(theirs)?, Some(result.to_gix())];
        self.is_merged(String::new(), roots)
    }

    fn is_merged(&self, top: String, roots: Folders) -> Result<bool, Error> {
        let (mut folders, mut left) = (vec![(top, roots)], MAX_ENTRIES);
        while let Some((folder, trees)) = folders.pop() {
            let mut read = Vec::with_capacity(trees.len());
            for tree in trees {
                read.push(tree.map(|id| self.entries(&folder, id)).transpose()?.unwrap_or_default());
            }
            let names: BTreeSet<String> = read.iter().flat_map(|entries| entries.keys().cloned()).collect();
            left = left
                .checked_sub(names.len())
                .ok_or_else(|| Error::TooManyEntries { path: folder.clone(), limit: MAX_ENTRIES })?;
            for name in names {
                let [base, ours, theirs, result] = [0, 1, 2, 3].map(|side: usize| read[side].get(&name).copied());
                let is_same = |expected| expected == result;
                if ours == theirs || base == theirs {
                    if !is_same(ours) {
                        return Ok(false);
                    }
                } else if base == ours {
                    if !is_same(theirs) {
                        return Ok(false);
                    }
                } else {
                    let sides = [base, ours, theirs, result];
                    let Some(below) = all_folders(sides) else { return Ok(false) };
                    folders.push((join(&folder, &name), below));
                }
            }
        }
        Ok(true)
    }
}

/// Returns the folders of that name, where both sides and the result have one and the base has one or nothing.
fn all_folders(sides: [Option<(EntryKind, ObjectId)>; 4]) -> Option<Folders> {
    let folder =
        |side: Option<(EntryKind, ObjectId)>| side.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id);
    let [base, ours, theirs, result] = sides.map(folder);
    let is_base_fit = base.is_some() == sides[0].is_some();
    let is_whole = is_base_fit && ours.is_some() && theirs.is_some() && result.is_some();
    is_whole.then_some([base, ours, theirs, result])
}
