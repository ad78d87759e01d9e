//! The changed items below `.ai/` that a commit would take, and their former versions.
//!
//! An item that is staged counts as it is staged, as in `git commit`; an unstaged one counts as it is in the work tree.
//! A content that some base of the commit has already (`HEAD`, a merged or picked commit) is not a change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::locate::{LocateError, project_path, subject_at};
use super::change::{Change, Changes, Place, Reach, lies_in};
use super::error::Error;
use super::one::Raw;
use super::staged_skills;
use crate::git::{BlobId, InWorkTree, Mode, Repository, StagedEntry, TreeEntry};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space};
use crate::project::Project;
use crate::trust::{Signed, Subject};
use crate::workspace::{self, Candidate, MAX_ITEM_BYTES, Reader};

/// The largest staged file that is read, to say that it is not an item.
const MOST_STAGED: u64 = 64 * 1024 * 1024;

/// The most files that `.ai/` may hold in a commit.
pub(super) const MAX_ENTRIES: usize = 200_000;

/// Finds what a commit would take.
///
/// # Errors
///
/// Fails while a merge has conflicts in items, and when index, objects or files cannot be read.
pub fn changes(project: &Project, reach: Reach<'_>) -> Result<Changes, Error> {
    let root = project.root()?;
    let repository = project.require_repository()?;
    let space = if project.workspace().root(Space::Project).is_some() { Space::Project } else { Space::User };
    let reader = project.workspace().reader(space).map_err(LocateError::from)?;
    let bases = bases(&repository)?;
    let index_file = if let Reach::Staged(index_file) = reach { index_file } else { None };
    let staged = repository.staged_below(SPACE_FOLDER, index_file)?;
    let scan = Scan { repository, root, space, reader, bases };
    let mut changes = scan.run(project, reach, &staged)?;
    let skills = staged_skills::faults(project, reach, &staged, &changes)?;
    changes.ambiguous.extend(skills);
    Ok(changes)
}

/// Reads what the bases of the next commit have below `.ai/`.
pub(super) fn bases(repository: &Repository) -> Result<Vec<BTreeMap<String, TreeEntry>>, Error> {
    let mut bases = Vec::new();
    for base in repository.bases()? {
        let entries = repository.entries_below(&base, SPACE_FOLDER, MAX_ENTRIES)?;
        bases.push(entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect());
    }
    Ok(bases)
}

/// One look at index, work tree and bases.
struct Scan<'a> {
    repository: Repository,
    root: &'a Path,
    space: Space,
    reader: Reader,
    bases: Vec<BTreeMap<String, TreeEntry>>,
}

impl Scan<'_> {
    fn run(&self, project: &Project, reach: Reach<'_>, staged: &[StagedEntry]) -> Result<Changes, Error> {
        let is_meant = |path: &str| !matches!(reach, Reach::Paths(paths) if !lies_in(path, paths));
        let mut changes = Changes::default();
        let mut standing: Vec<(String, Subject)> = Vec::new();
        for entry in staged {
            let Some(subject) = subject_at(&entry.path) else { continue };
            if entry.stage != 0 {
                return Err(Error::Unmerged { path: entry.path.clone() });
            }
            if !matches!(entry.mode, Mode::File | Mode::Executable) {
                continue;
            }
            let is_gone = is_meant(&entry.path) && self.look_at(entry, &subject, reach, &mut changes)?;
            if !is_gone {
                standing.push((entry.path.clone(), subject));
            }
        }
        if !matches!(reach, Reach::Staged(_)) {
            let known: BTreeSet<&str> = staged.iter().map(|entry| entry.path.as_str()).collect();
            for candidate in self.untracked(project, &known, &mut changes.ambiguous)? {
                let path = project_path(&candidate);
                standing.push((path.clone(), super::super::locate::subject(&candidate)));
                if is_meant(&path) {
                    self.add_file(candidate, reach, &mut changes)?;
                }
            }
        }
        changes.changed.sort_by(|a, b| a.path.cmp(&b.path));
        changes.ambiguous.extend(ambiguous(self.root, &changes.changed, standing));
        Ok(changes)
    }

    /// Looks at one item of the index, and tells whether it is gone.
    fn look_at(
        &self,
        entry: &StagedEntry,
        subject: &Subject,
        reach: Reach<'_>,
        changes: &mut Changes,
    ) -> Result<bool, Error> {
        let candidate = self.candidate(&entry.path, subject);
        let is_staged = !self.is_in_a_base(&entry.path, &entry.blob_id);
        let counts_as_staged = is_staged && !matches!(reach, Reach::Paths(_));
        if counts_as_staged {
            let raw = self.raw(subject, self.repository.blob_up_to(&entry.blob_id, MOST_STAGED)?);
            let file = self.same_body(&candidate, &raw, entry.in_work_tree);
            self.keep(candidate, raw, Place::Index { mode: entry.mode, file }, changes)?;
            return Ok(false);
        }
        match (reach, entry.in_work_tree) {
            (Reach::Staged(_), _) => Ok(false),
            (_, InWorkTree::Absent) => {
                changes.removed.push(entry.path.clone());
                Ok(true)
            }
            (_, InWorkTree::LeftOut) => Ok(false),
            (_, InWorkTree::Same) if !is_staged => Ok(false),
            _ => self.add_file(candidate, reach, changes).map(|()| false),
        }
    }

    /// Adds a file of the work tree, if some base does not have it already.
    /// One that cannot be read is left out, unless it was named.
    fn add_file(&self, candidate: Candidate, reach: Reach<'_>, changes: &mut Changes) -> Result<(), Error> {
        let bytes = match (self.reader.read(&candidate), reach) {
            (Ok(bytes), _) => bytes,
            (Err(error), Reach::Staged(_) | Reach::All) if error.of_one_file().is_some() => {
                changes.unreadable.push(error.to_string());
                return Ok(());
            }
            (Err(error), _) => return Err(LocateError::from(error).into()),
        };
        if self.is_in_a_base(&project_path(&candidate), &self.repository.blob_id_of(&bytes)) {
            return Ok(());
        }
        let raw = self.raw(&super::super::locate::subject(&candidate), bytes);
        self.keep(candidate, raw, Place::File, changes)
    }

    fn keep(&self, candidate: Candidate, raw: Raw, place: Place, changes: &mut Changes) -> Result<(), Error> {
        let path = project_path(&candidate);
        let mut before = Vec::new();
        for entry in self.bases.iter().filter_map(|base| base.get(&path)) {
            if matches!(entry.mode, Mode::File | Mode::Executable) {
                // A file larger than an item was not a signed one.
                let bytes = self.repository.blob_within(&entry.blob_id, MAX_ITEM_BYTES)?.unwrap_or_default();
                before.push(self.raw(raw.subject(), bytes));
            }
        }
        let blob_id = self.repository.blob_id_of(raw.content());
        let moved_from = self.elsewhere(&blob_id);
        changes.changed.push(Change { path, place, candidate, raw, before, moved_from });
        Ok(())
    }

    /// Names the items that have this very content in a base.
    fn elsewhere(&self, blob_id: &BlobId) -> Vec<Subject> {
        let same = self.bases.iter().flat_map(BTreeMap::values).filter(|entry| entry.blob_id == *blob_id);
        same.filter_map(|entry| subject_at(&entry.path)).collect()
    }

    /// Returns the bytes of an item's file, if they differ from the staged ones only in the signature line.
    fn same_body(&self, candidate: &Candidate, staged: &Raw, found: InWorkTree) -> Option<Vec<u8>> {
        match found {
            InWorkTree::Same => return Some(staged.content().clone()),
            InWorkTree::Absent | InWorkTree::LeftOut => return None,
            InWorkTree::Different => {}
        }
        // Other entries, and unreadable ones, stay as they are.
        let bytes = is_file(candidate).then(|| self.reader.read(candidate).ok()).flatten()?;
        let file = self.raw(staged.subject(), bytes);
        (file.split().body() == staged.split().body()).then(|| file.content().clone())
    }

    /// Lists the items that git does not know yet and does not ignore. Two of one id are named.
    fn untracked(
        &self,
        project: &Project,
        known: &BTreeSet<&str>,
        ambiguous: &mut Vec<LocateError>,
    ) -> Result<Vec<Candidate>, Error> {
        let mut items = Vec::new();
        for item_type in ItemType::ALL {
            let listing = project.workspace().list(Some(item_type), Some(self.space)).map_err(LocateError::from)?;
            items.extend(listing.items);
            for id in listing.strays.into_iter().filter_map(|stray| stray.claimed) {
                if let Err(error @ workspace::Error::Ambiguous { .. }) =
                    project.workspace().candidate_in(self.space, item_type, &id)
                {
                    ambiguous.extend(is_news(&error, self.root, known).then(|| error.into()));
                }
            }
        }
        items.retain(|candidate| !known.contains(project_path(candidate).as_str()) && is_file(candidate));
        let paths: Vec<String> = items.iter().map(project_path).collect();
        let ignored = self.repository.ignored(paths.iter().map(String::as_str))?;
        items.retain(|candidate| !ignored.contains(project_path(candidate).as_str()));
        Ok(items)
    }

    fn is_in_a_base(&self, path: &str, blob_id: &BlobId) -> bool {
        self.bases.iter().filter_map(|base| base.get(path)).any(|entry| entry.blob_id == *blob_id)
    }

    fn raw(&self, subject: &Subject, bytes: Vec<u8>) -> Raw {
        Signed::new(subject.clone(), bytes).in_space(self.space)
    }

    fn candidate(&self, path: &str, subject: &Subject) -> Candidate {
        Candidate {
            space: self.space,
            item_type: subject.item_type,
            id: subject.item_id.clone(),
            extension: subject.extension.clone(),
            path: self.root.join(path),
        }
    }
}

/// Tells whether an item is a file of its own: a symlink in a commit is not.
fn is_file(candidate: &Candidate) -> bool {
    candidate.path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Tells whether one of the files that claim an id is not tracked yet.
fn is_news(ambiguous: &workspace::Error, root: &Path, known: &BTreeSet<&str>) -> bool {
    let workspace::Error::Ambiguous { paths, .. } = ambiguous else { return false };
    let is_known =
        |path: &Path| path.strip_prefix(root).ok().and_then(Path::to_str).is_some_and(|it| known.contains(it));
    !paths.iter().all(|path| is_known(path))
}

/// Names the changed items that would share their id with another file.
fn ambiguous(root: &Path, changed: &[Change], standing: Vec<(String, Subject)>) -> Vec<LocateError> {
    let mut claims: BTreeMap<(ItemType, ItemId), Vec<String>> = BTreeMap::new();
    for (path, subject) in standing {
        claims.entry((subject.item_type, subject.item_id)).or_default().push(path);
    }
    let is_changed = |paths: &[String]| changed.iter().any(|change| paths.contains(&change.path));
    let claims = claims.into_iter().filter(|(_, paths)| paths.len() > 1 && is_changed(paths));
    claims
        .map(|((item_type, id), paths)| {
            let paths = paths.into_iter().map(|path| root.join(path)).collect();
            workspace::Error::Ambiguous { item_type, id, paths }.into()
        })
        .collect()
}
