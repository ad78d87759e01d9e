//! The commits of a range: what each of them brings below `.ai/`, and the whole tree at the end.
//!
//! What a commit brought and a later one mended is judged all the same: somebody may check that commit out.

use std::collections::BTreeMap;

use super::super::locate::LocateError;
use super::error::Error;
use super::files::{self, Content, File, MAX_ENTRIES, Source, TRUST_FOLDER};
use crate::format::Severity;
use crate::git::{BlobId, CommitId, CommitRange, RangeCommit, Repository, Tags, TreeChange, TreeEntry};
use crate::id::{ItemId, ItemType, SPACE_FOLDER};
use crate::trust::{Subject, TrustFile, trust_file_path};

/// A range, read.
pub(super) struct Range {
    /// Its commits, each after its parents.
    pub(super) commits: Vec<RangeCommit>,
    /// The files: those of the end and those that only a commit on the way has.
    pub(super) files: Vec<File>,
    /// What was there before.
    pub(super) past: Past,
    /// The commits that change trust files and leave others than the end has.
    pub(super) trust: Vec<CommitId>,
    /// Its end.
    pub(super) last: CommitId,
}

/// What the commits of a range found and left, by item, in their order.
#[derive(Default)]
pub(super) struct Past {
    items: BTreeMap<(ItemType, ItemId), Vec<Passed>>,
    steps: BTreeMap<(ItemType, ItemId), Vec<Step>>,
}

/// What one commit of the range did with an item.
struct Step {
    /// What it found; none if it added the item.
    before: Option<BlobId>,
    after: BlobId,
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
        let (mut brought, mut strays, mut trust) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut past = Past::default();
        for RangeCommit { commit_id, info } in &commits {
            let passed = |path, content| File { path, content, commit_id: Some(commit_id.clone()), is_last: false };
            for (path, content) in files::brought_no_folders(repository, commit_id, &info.parents)? {
                strays.entry(path.clone()).or_insert_with(|| passed(path, content));
            }
            for change in repository.changes_below(&info.parents, commit_id, SPACE_FOLDER, MAX_ENTRIES)? {
                past.record(change.before.as_ref(), false);
                past.record(change.after.as_ref(), true);
                past.step(&change);
                if is_trust_file(&change.path) && trust.last() != Some(commit_id) {
                    trust.push(commit_id.clone());
                }
                match change.after.as_ref().and_then(files::content) {
                    Some(Content::Item(subject, Source::Blob(blob_id))) => {
                        let content = Content::Item(subject, Source::Blob(blob_id.clone()));
                        let file = passed(change.path.clone(), content);
                        brought.entry((change.path, blob_id)).or_insert(file);
                    }
                    // What is only no item needs no attention once it is gone.
                    Some(content @ Content::Stray { severity: Severity::Error, .. }) => {
                        let file = passed(change.path.clone(), content);
                        strays.entry(change.path).or_insert(file);
                    }
                    Some(Content::Item(_, Source::File(_)) | Content::Stray { .. }) | None => {}
                }
            }
        }
        let mut files = files::revision(repository, &range.last)?;
        for file in &mut files {
            let first = match &file.content {
                Content::Item(_, Source::Blob(blob_id)) => brought.remove(&(file.path.clone(), blob_id.clone())),
                Content::Stray { .. } => strays.remove(&file.path),
                Content::Item(_, Source::File(_)) => None,
            };
            file.commit_id = first.map_or(file.commit_id.take(), |first| first.commit_id);
        }
        files.extend(brought.into_values().chain(strays.into_values()));
        let trust = different_at_end(repository, trust, &range.last)?;
        Ok(Self { commits, files, past, trust, last: range.last.clone() })
    }
}

/// Tells whether a path is that of a trust file or of the configuration, or of what is in their place.
fn is_trust_file(path: &str) -> bool {
    let below = |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below(TRUST_FOLDER) || below(&trust_file_path(TrustFile::Config.as_str()))
}

/// Keeps the commits whose trust files are not those of the end, which is judged by itself.
fn different_at_end(
    repository: &Repository,
    commits: Vec<CommitId>,
    last: &CommitId,
) -> Result<Vec<CommitId>, LocateError> {
    if commits.is_empty() {
        return Ok(commits);
    }
    let config = trust_file_path(TrustFile::Config.as_str());
    let trust_files = |commit_id: &CommitId| -> Result<_, LocateError> {
        let trust_files = repository.entries_below(commit_id, TRUST_FOLDER, MAX_ENTRIES)?;
        Ok((trust_files, repository.entry_at(commit_id, &config)?, repository.has_at(commit_id, &config)?))
    };
    let end = trust_files(last)?;
    let mut different = Vec::new();
    for commit_id in commits {
        if trust_files(&commit_id)? != end {
            different.push(commit_id);
        }
    }
    Ok(different)
}

impl Past {
    fn record(&mut self, entry: Option<&TreeEntry>, is_left: bool) {
        let Some((subject, blob_id)) = entry.and_then(files::item) else { return };
        let name = (subject.item_type, subject.item_id.clone());
        self.items.entry(name).or_default().push(Passed { subject, blob_id, is_left });
    }

    fn step(&mut self, change: &TreeChange) {
        let Some((subject, after)) = change.after.as_ref().and_then(files::item) else { return };
        let before = change.before.as_ref().and_then(files::item).map(|(_, blob_id)| blob_id);
        self.steps.entry((subject.item_type, subject.item_id)).or_default().push(Step { before, after });
    }

    /// Returns what each commit that brought this blob found in its place; none where it added the item.
    pub(super) fn found_by(&self, subject: &Subject, blob_id: &BlobId) -> impl Iterator<Item = Option<&BlobId>> {
        let steps = self.steps.get(&(subject.item_type, subject.item_id.clone())).into_iter().flatten();
        steps.filter(move |step| step.after == *blob_id).map(|step| step.before.as_ref())
    }

    /// Returns what the range found in an item's place, and left there, before it last left this blob; nothing if it
    /// never did.
    pub(super) fn before(&self, subject: &Subject, blob_id: &BlobId) -> &[Passed] {
        let known = self.items.get(&(subject.item_type, subject.item_id.clone())).map_or(&[][..], Vec::as_slice);
        let at = known.iter().rposition(|passed| passed.is_left && passed.blob_id == *blob_id);
        &known[..at.unwrap_or_default()]
    }
}
