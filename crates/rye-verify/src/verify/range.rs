//! The commits of a range: what each of them brings below `.ai/`, and the whole tree at the end.
//!
//! A fault that a later commit corrected is judged all the same: a person may check out the faulty commit.

use std::collections::BTreeMap;

use super::super::locate::LocateError;
use super::content::{Content, Source};
use super::error::Error;
use super::files::{self, File};
use super::history::{Difference, Follower, Past, differences};
use super::lookalike::{self, TRUST_FOLDER};
use super::trust_steps::Course;
use super::twin::{InCommit, Twins};
use crate::format::Severity;
use crate::git::{BlobId, CommitId, CommitRange, RangeCommit, Repository, Tags, TreeChange};
use crate::trust::{TrustFile, trust_file_path};

/// A range, read.
pub(super) struct Range {
    /// Its commits, each after its parents.
    pub(super) commits: Vec<RangeCommit>,
    /// The files: those of the end and those that only a commit on the way has.
    pub(super) files: Vec<File>,
    /// The former versions.
    pub(super) past: Past,
    /// What its commits do with trust files.
    pub(super) trust: Course,
    /// Its end.
    pub(super) last: CommitId,
    /// Where it begins: what that has is not of the range.
    pub(super) start: Option<CommitId>,
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
        let mut past = Follower::new(repository, range.after.as_ref());
        let mut on_the_way = OnTheWay::new(repository, range.after.as_ref());
        let mut trust = Course::default();
        for commit in &commits {
            let differences = differences(repository, commit)?;
            past.commit(commit, &differences)?;
            on_the_way.commit(commit, &differences)?;
            trust.commit(commit, changes_trust(&differences));
        }
        let files = on_the_way.finish(files::revision(repository, &range.last)?);
        Ok(Self { commits, files, past: past.finish(), trust, last: range.last.clone(), start: range.after.clone() })
    }
}

/// Tells whether each parent has other trust files, or only some; none if none has.
fn changes_trust(differences: &[Difference]) -> Option<bool> {
    let differs = |it: &&Difference| it.changes.iter().any(|change| is_trust_file(&change.path));
    let differing = differences.iter().filter(differs).count();
    (differing > 0).then_some(differing == differences.len())
}

/// Tells whether a path is that of a trust file or of the configuration, or of an entry in their place.
fn is_trust_file(path: &str) -> bool {
    let below = |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below(TRUST_FOLDER) || below(&trust_file_path(TrustFile::Config.as_str()))
}

/// The files that commits of a range bring, or take from one of their parents.
struct OnTheWay<'r> {
    repository: &'r Repository,
    start: Option<&'r CommitId>,
    brought: BTreeMap<(String, BlobId), File>,
    /// What a merge takes from one parent while another has something else.
    taken: BTreeMap<(String, BlobId), File>,
    strays: BTreeMap<String, File>,
}

impl<'r> OnTheWay<'r> {
    fn new(repository: &'r Repository, start: Option<&'r CommitId>) -> Self {
        let (brought, taken, strays) = Default::default();
        Self { repository, start, brought, taken, strays }
    }

    fn commit(&mut self, commit: &RangeCommit, differences: &[Difference]) -> Result<(), LocateError> {
        let commit_id = &commit.commit_id;
        let passed = |path, content, is_brought| {
            let commit_id = Some(commit_id.clone());
            File { path, content, commit_id, is_last: false, is_brought }
        };
        let parents = &commit.info.parents;
        let no_folders = files::brought_no_folders(self.repository, commit_id, parents, self.start)?;
        let lookalikes = lookalike::brought(self.repository, commit_id, parents, self.start)?.into_iter();
        let lookalikes = lookalikes.map(|(path, reason)| (path, Content::unusable(reason)));
        for (path, content) in no_folders.into_iter().chain(lookalikes) {
            self.strays.entry(path.clone()).or_insert_with(|| passed(path, content, true));
        }
        for (path, reason) in self.twins(commit_id, differences)? {
            self.strays.entry(path.clone()).or_insert_with(|| passed(path, Content::unusable(reason), true));
        }
        let mut changes: BTreeMap<&str, (&TreeChange, usize)> = BTreeMap::new();
        for change in differences.iter().flat_map(|difference| &difference.changes) {
            changes.entry(&change.path).or_insert((change, 0)).1 += 1;
        }
        for (change, differing) in changes.into_values() {
            let is_brought = differing == differences.len();
            match change.after.as_ref().and_then(files::content) {
                Some(Content::Item(subject, Source::Blob(blob_id))) => {
                    let content = Content::Item(subject, Source::Blob(blob_id.clone()));
                    let file = passed(change.path.clone(), content, is_brought);
                    let of = if is_brought { &mut self.brought } else { &mut self.taken };
                    of.entry((change.path.clone(), blob_id)).or_insert(file);
                }
                // A file that is only not an item needs no attention once it is gone.
                Some(content @ Content::Stray { severity: Severity::Error, .. }) => {
                    if is_brought || !files::has_same(self.repository, self.start, change)? {
                        let file = passed(change.path.clone(), content, true);
                        self.strays.entry(change.path.clone()).or_insert(file);
                    }
                }
                Some(Content::Item(_, Source::File(_)) | Content::Skill(_) | Content::Stray { .. }) | None => {}
            }
        }
        Ok(())
    }

    /// Returns the files that a commit brings and that some file system takes for others, unless the range began with both.
    fn twins(&self, commit_id: &CommitId, differences: &[Difference]) -> Result<BTreeMap<String, String>, LocateError> {
        let repository = self.repository;
        let mut here = Twins::new(InCommit { repository, commit_id });
        let mut before = self.start.map(|commit_id| Twins::new(InCommit { repository, commit_id }));
        let mut found = BTreeMap::new();
        for change in differences.iter().flat_map(|difference| &difference.changes) {
            let is_added = change.before.is_none() && change.after.as_ref().and_then(files::content).is_some();
            if !is_added || found.contains_key(&change.path) {
                continue;
            }
            let Some(reason) = here.fault(&change.path)? else { continue };
            let known = match &mut before {
                Some(before) if before.has(&change.path)? => before.fault(&change.path)?,
                Some(_) | None => None,
            };
            if known.is_none() {
                found.insert(change.path.clone(), reason);
            }
        }
        Ok(found)
    }

    /// Joins them with the files of the end, which are told of the first commit that has them.
    fn finish(self, mut files: Vec<File>) -> Vec<File> {
        let Self { mut brought, mut taken, mut strays, .. } = self;
        for file in &mut files {
            let first = match &file.content {
                Content::Item(_, Source::Blob(blob_id)) => {
                    let name = (file.path.clone(), blob_id.clone());
                    taken.remove(&name);
                    brought.remove(&name)
                }
                Content::Stray { .. } => strays.remove(&file.path),
                Content::Item(_, Source::File(_)) | Content::Skill(_) => None,
            };
            file.commit_id = first.map_or(file.commit_id.take(), |first| first.commit_id);
        }
        taken.retain(|name, _| !brought.contains_key(name));
        files.extend(brought.into_values().chain(taken.into_values()).chain(strays.into_values()));
        files
    }
}
