//! The commits of a range: what each of them brings below `.ai/`, and the whole tree at the end.
//!
//! What a commit brought and a later one mended is judged all the same: somebody may check that commit out.

use std::collections::BTreeMap;

use super::super::locate::LocateError;
use super::error::Error;
use super::files::{self, Content, File, MAX_ENTRIES, Source};
use crate::git::{BlobId, CommitId, CommitRange, RangeCommit, Repository, Tags, TreeEntry};
use crate::id::{ItemId, ItemType, SPACE_FOLDER};
use crate::trust::Subject;

/// A range, read.
pub(super) struct Range {
    /// Its commits, each after its parents.
    pub(super) commits: Vec<RangeCommit>,
    /// The files: those of the end and those that only a commit on the way has.
    pub(super) files: Vec<File>,
    /// What was there before.
    pub(super) past: Past,
    /// Its end.
    pub(super) last: CommitId,
}

/// What the commits of a range found and left, by item, in their order.
#[derive(Default)]
pub(super) struct Past {
    items: BTreeMap<(ItemType, ItemId), Vec<Passed>>,
}

/// An item as a commit of the range found it, or left it.
pub(super) struct Passed {
    pub(super) subject: Subject,
    pub(super) blob_id: BlobId,
    is_left: bool,
}

impl Range {
    /// Reads a range from its objects. `tags`: by which names it may begin at a tag.
    pub(super) fn read(repository: &Repository, range: &str, tags: Tags) -> Result<Self, Error> {
        let range =
            repository.resolve_range_with(range, tags).map_err(|error| files::of_revision(repository, error))?;
        Ok(Self::of(repository, &range)?)
    }

    fn of(repository: &Repository, range: &CommitRange) -> Result<Self, LocateError> {
        let commits = repository.commits_in(range)?;
        let mut brought = BTreeMap::new();
        let mut past = Past::default();
        for RangeCommit { commit_id, info } in &commits {
            for change in repository.changes_below(&info.parents, commit_id, SPACE_FOLDER, MAX_ENTRIES)? {
                past.record(change.before.as_ref(), false);
                past.record(change.after.as_ref(), true);
                let Some((subject, blob_id)) = change.after.as_ref().and_then(files::item) else { continue };
                let content = Content::Item(subject, Source::Blob(blob_id.clone()));
                let file =
                    File { path: change.path.clone(), content, commit_id: Some(commit_id.clone()), is_last: false };
                brought.entry((change.path, blob_id)).or_insert(file);
            }
        }
        let mut files = files::revision(repository, &range.last)?;
        for file in &mut files {
            let Content::Item(_, Source::Blob(blob_id)) = &file.content else { continue };
            if let Some(first) = brought.remove(&(file.path.clone(), blob_id.clone())) {
                file.commit_id = first.commit_id;
            }
        }
        files.extend(brought.into_values());
        Ok(Self { commits, files, past, last: range.last.clone() })
    }
}

impl Past {
    fn record(&mut self, entry: Option<&TreeEntry>, is_left: bool) {
        let Some((subject, blob_id)) = entry.and_then(files::item) else { return };
        let name = (subject.item_type, subject.item_id.clone());
        self.items.entry(name).or_default().push(Passed { subject, blob_id, is_left });
    }

    /// Returns what the range found in an item's place, and left there, before it last left this blob; nothing if it
    /// never did.
    pub(super) fn before(&self, subject: &Subject, blob_id: &BlobId) -> &[Passed] {
        let known = self.items.get(&(subject.item_type, subject.item_id.clone())).map_or(&[][..], Vec::as_slice);
        let at = known.iter().rposition(|passed| passed.is_left && passed.blob_id == *blob_id);
        &known[..at.unwrap_or_default()]
    }
}
