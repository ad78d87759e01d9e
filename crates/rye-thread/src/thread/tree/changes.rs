//! What a thread changed in its tree, for its commits: what git stores of it, and what had to be left out and why.
//!
//! Index and file times find the paths; each is compared by the digest of what git stores with what the record has
//! already. Everything in the tree is the thread's: nothing of the person's can get into its history.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::change::{Before, Change, Fresh, MAX_FILE_BYTES, Rules};
use super::fault::Fault;
use super::nested_repositories::{self, Repositories};
use super::own_tree::{OwnTree, State};
use crate::capability::{Access, ProjectPath, check_path_from, raw_name};
use crate::event::SkippedPath;
use crate::git::{BlobId, Cleaner, CommitId, Difference, ForeignFiles, Mode, Stored, os_path};
use crate::thread::error::Error;
use crate::workspace;

/// The most paths in which a thread's tree may differ from the commit it began with.
const MOST_CHANGED: usize = 50_000;

/// The changes of a turn, by path.
#[derive(Debug)]
pub(in crate::thread) struct Changes {
    cleaner: Cleaner,
    /// Where the record differs from the base.
    recorded: BTreeMap<ProjectPath, State>,
    /// What the next commit is to take.
    files: BTreeMap<ProjectPath, Change>,
    /// Paths that the person changed, not a tool.
    persons: BTreeSet<String>,
    /// Paths that git ignores and its person had staged when the thread began with their changes.
    staged: BTreeSet<ProjectPath>,
    /// Paths that a built-in tool wrote since the last look: git says nothing of those that it ignores.
    written: BTreeSet<ProjectPath>,
    /// The result of the last look, with the earlier record.
    fresh: BTreeMap<ProjectPath, Option<Before>>,
    /// The files of submodules and nested repositories at the last look.
    foreign: Option<ForeignFiles>,
    repositories: Repositories,
    skipped: BTreeMap<String, &'static str>,
    told: BTreeSet<(String, &'static str)>,
    /// Why the last look ends the thread, if it does.
    fault: Option<Fault>,
}

impl Changes {
    /// Begins with nothing. The committed content is the output of `cleaner`.
    pub(in crate::thread) fn new(cleaner: Cleaner) -> Self {
        Self {
            cleaner,
            recorded: BTreeMap::new(),
            files: BTreeMap::new(),
            persons: BTreeSet::new(),
            staged: BTreeSet::new(),
            written: BTreeSet::new(),
            fresh: BTreeMap::new(),
            foreign: None,
            repositories: Repositories::default(),
            skipped: BTreeMap::new(),
            told: BTreeSet::new(),
            fault: None,
        }
    }

    /// Takes up how a path is that is not to be committed: its bytes and whether it is executable, if it is there.
    pub(in crate::thread) fn know(&mut self, path: ProjectPath, found: Option<(Vec<u8>, bool)>) -> Result<(), Error> {
        let state = match found {
            // A file that cannot be converted is not committed in any case.
            Some((bytes, executable)) => self.written(&path, bytes, executable)?.map(|written| written.state()),
            None => Some(State::Removed),
        };
        self.persons.insert(path.as_str().to_owned());
        put(&mut self.recorded, &path, state);
        Ok(())
    }

    /// Returns a file with what git stores of it; none if that cannot be said.
    pub(in crate::thread) fn written(
        &mut self,
        path: &ProjectPath,
        bytes: Vec<u8>,
        executable: bool,
    ) -> Result<Option<Change>, Error> {
        let stored = match self.cleaner.clean(path.as_str(), &bytes)? {
            Stored::AsIs => None,
            Stored::As(stored) => Some(stored),
            Stored::NotConvertible => return Ok(None),
        };
        Ok(Some(Change::Written { bytes, stored, executable }))
    }

    /// Tells whether a path is in the next commit.
    pub(in crate::thread) fn is_taken(&self, path: &str) -> bool {
        path.parse().is_ok_and(|path| self.files.contains_key::<ProjectPath>(&path))
    }

    /// Remembers that a built-in tool wrote a path.
    pub(in crate::thread) fn wrote(&mut self, path: ProjectPath) {
        self.written.insert(path);
    }

    /// Looks for what changed in the tree since the last look. Without `rules` the files are the person's own; `base`
    /// is the commit that was checked out. A tree that cannot be compared is a fault, and nothing of this look is taken.
    pub(in crate::thread) fn look(
        &mut self,
        tree: &OwnTree,
        base: Option<&CommitId>,
        rules: Option<Rules<'_>>,
    ) -> Result<(), Error> {
        self.fresh.clear();
        self.fault = None;
        let Err(error) = self.compare(tree, base, rules) else { return Ok(()) };
        if rules.is_none() {
            return Err(error);
        }
        self.fault = Some(Fault::of_comparison(error)?);
        for (path, before) in std::mem::take(&mut self.fresh) {
            self.give_back(&path, before, "unreadable");
        }
        Ok(())
    }

    fn compare(&mut self, tree: &OwnTree, base: Option<&CommitId>, rules: Option<Rules<'_>>) -> Result<(), Error> {
        let mut differing = BTreeSet::new();
        let cleaner = &mut self.cleaner;
        let found = tree.linked().differences(&mut |path, blob_id| is_same(cleaner, tree, path, blob_id))?;
        if rules.is_none() {
            self.persons.extend(found.keys().cloned());
        }
        let by_tools = found.keys().filter(|path| self.is_by_tools(tree, path)).count();
        if by_tools > MOST_CHANGED {
            self.fault = Some(Fault::of_too_many(by_tools, MOST_CHANGED));
            return Ok(());
        }
        for (path, difference) in found {
            let named = path.parse::<ProjectPath>().ok().filter(|_| difference != Difference::Unnameable);
            let Some(path) = named else {
                self.skip(&path, "unnameable");
                continue;
            };
            // Even if a tool changed what git ignores.
            if !tree.is_shared(&path) {
                self.take(tree, rules, &path, difference)?;
            }
            differing.insert(path);
        }
        for path in self.staged.clone() {
            let is_there = fs::symlink_metadata(tree.linked().work_dir().join(path.as_str())).is_ok();
            self.take(tree, rules, &path, if is_there { Difference::Written } else { Difference::Removed })?;
            differing.insert(path);
        }
        self.foreign_changes(tree);
        let reverted: Vec<_> = self.recorded.keys().filter(|path| !differing.contains(*path)).cloned().collect();
        for path in reverted {
            self.revert(tree, base, path)?;
        }
        self.leave_out_repositories(tree);
        let written = std::mem::take(&mut self.written);
        for path in tree.linked().repository().ignored(written.iter().map(ProjectPath::as_str))? {
            self.skip(path, "ignored");
        }
        Ok(())
    }

    /// Tells whether a path that differs counts as changed by the tools: it is not the person's, nor in a folder that they share.
    fn is_by_tools(&self, tree: &OwnTree, path: &str) -> bool {
        !self.persons.contains(path) && path.parse().map_or(true, |path| !tree.is_shared(&path))
    }

    /// Takes why the last look ends the thread, if it does.
    pub(in crate::thread) const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Takes those of its person's changes, and from here on, that git ignores: they are staged, so git would commit them.
    pub(in crate::thread) fn take_staged(&mut self, tree: &OwnTree, paths: &[String]) -> Result<(), Error> {
        let ignored = tree.linked().repository().ignored(paths.iter().map(String::as_str))?;
        for path in ignored.into_iter().filter_map(|path| path.parse::<ProjectPath>().ok()) {
            if tree.project().exists(&path) {
                self.take(tree, None, &path, Difference::Written)?;
                self.staged.insert(path);
            }
        }
        self.leave_out_repositories(tree);
        Ok(())
    }

    /// Gives back what was taken of a repository.
    fn leave_out_repositories(&mut self, tree: &OwnTree) {
        let is_written = |state: Option<&State>| state.is_some_and(|state| *state != State::Removed);
        let is_new = |path: &ProjectPath| {
            let before = self.fresh.get(path).map(|before| before.as_ref().and_then(|before| before.recorded.as_ref()));
            is_written(self.recorded.get(path)) && before.is_some_and(|before| !is_written(before))
        };
        let written = self.recorded.iter().filter(|(_, state)| is_written(Some(state))).map(|(path, _)| path);
        for path in self.repositories.closed(tree, written, self.fresh.keys(), is_new) {
            let before = self.fresh.remove(&path).flatten();
            self.give_back(&path, before, nested_repositories::REASON);
        }
    }

    /// Takes what the last look took.
    pub(super) fn take_fresh(&mut self) -> BTreeMap<ProjectPath, Fresh> {
        let fresh = std::mem::take(&mut self.fresh).into_iter();
        let known = fresh.filter_map(|(path, before)| {
            let change = self.files.get(&path)?.clone();
            Some((path, Fresh { change, before }))
        });
        known.collect()
    }

    /// Puts a path that was taken back to what it was, and notes that it is left out.
    pub(super) fn give_back(&mut self, path: &ProjectPath, before: Option<Before>, reason: &'static str) {
        if let Some(Before { recorded, file }) = before {
            put(&mut self.recorded, path, recorded);
            put(&mut self.files, path, file);
        }
        self.skip(path.as_str(), reason);
    }

    /// Looks for writes in submodules and nested repositories since the last such look, notes that it is left out, and
    /// returns the paths with the reasons.
    pub(in crate::thread) fn foreign_changes(&mut self, tree: &OwnTree) -> Vec<(String, &'static str)> {
        let now = tree.linked().foreign_files();
        let changed = self.foreign.as_ref().map(|before| now.changed_since(before)).unwrap_or_default();
        self.foreign = Some(now);
        let mut changed: Vec<_> =
            changed.into_iter().filter_map(|path| tree.foreign(&path).map(|reason| (path, reason))).collect();
        if tree.restore_link() {
            changed.push((".git".to_owned(), "refused"));
        }
        changed.iter().for_each(|(path, reason)| self.skip(path, reason));
        changed
    }

    /// Returns the files that the next commit takes as far as they are known.
    pub(in crate::thread) fn files(&self) -> impl Iterator<Item = (&ProjectPath, &Change)> {
        self.files.iter()
    }

    /// Takes the files for the commit.
    pub(in crate::thread) fn take_files(&mut self) -> BTreeMap<ProjectPath, Change> {
        std::mem::take(&mut self.files)
    }

    /// Takes the paths that were left out, each once for a reason.
    pub(in crate::thread) fn take_skipped(&mut self) -> Vec<SkippedPath> {
        let skipped = std::mem::take(&mut self.skipped);
        skipped.into_iter().map(|(path, reason)| SkippedPath { path, reason: reason.to_owned() }).collect()
    }

    fn take(
        &mut self,
        tree: &OwnTree,
        rules: Option<Rules<'_>>,
        path: &ProjectPath,
        difference: Difference,
    ) -> Result<(), Error> {
        let reason = match difference {
            Difference::NotRegular => Some("not_a_file"),
            Difference::NestedRepository => Some("nested_repository"),
            Difference::InSubmodule => Some("submodule"),
            Difference::GitName => Some("refused"),
            Difference::TooDeep => Some("too_deep"),
            Difference::Unnameable => Some("unnameable"),
            Difference::Written | Difference::Removed => None,
        };
        if let Some(reason) = reason {
            self.skip(path.as_str(), reason);
            return Ok(());
        }
        let change = match difference {
            Difference::Written => match self.read(tree, path)? {
                Some(read) => read,
                None => return Ok(()),
            },
            _ => Change::Removed,
        };
        let state = change.state();
        if self.recorded.get(path) == Some(&state) {
            return Ok(());
        }
        let is_denied = |rules: Rules<'_>| check_path_from(rules.standpoint, rules.paths, Access::Write, path).is_err();
        if rules.is_some_and(is_denied) {
            self.skip(path.as_str(), "not_permitted");
            return Ok(());
        }
        self.set(path, Some(state), change);
        Ok(())
    }

    /// Reads a file that differs; `None` if it is too large, in a place no tool may touch, gone again, or not storable
    /// in git.
    fn read(&mut self, tree: &OwnTree, path: &ProjectPath) -> Result<Option<Change>, Error> {
        let content = match tree.project().read(path, MAX_FILE_BYTES) {
            Ok(content) => content,
            Err(workspace::Error::NotFound { .. }) => return Ok(None),
            Err(workspace::Error::Refused { .. }) => {
                self.skip(path.as_str(), "refused");
                return Ok(None);
            }
            Err(workspace::Error::PermissionDenied { .. }) => {
                self.skip(path.as_str(), "unreadable");
                return Ok(None);
            }
            // A link, or whatever else took its place since git looked.
            Err(
                workspace::Error::Symlink { .. }
                | workspace::Error::NotDirectory { .. }
                | workspace::Error::NotRegular { .. }
                | workspace::Error::IsDirectory { .. },
            ) => {
                self.skip(path.as_str(), "not_a_file");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        if content.truncated {
            self.skip(path.as_str(), "oversized");
            return Ok(None);
        }
        let written = self.written(path, content.bytes, tree.project().is_executable(path))?;
        if written.is_none() {
            self.skip(path.as_str(), "not_convertible");
        }
        Ok(written)
    }

    /// Takes up that a path is again as the base has it.
    fn revert(&mut self, tree: &OwnTree, base: Option<&CommitId>, path: ProjectPath) -> Result<(), Error> {
        let repository = tree.linked().repository();
        let entry = match base {
            Some(base) => repository.entry_at(base, path.as_str())?,
            None => None,
        };
        let change = match entry.map(|entry| (entry.mode, entry.blob_id)) {
            Some((mode @ (Mode::File | Mode::Executable), blob_id)) => {
                let stored = repository.blob(&blob_id)?;
                let found = tree.project().read(&path, MAX_FILE_BYTES).ok().filter(|content| !content.truncated);
                let executable = mode == Mode::Executable;
                match found.map(|content| content.bytes) {
                    Some(bytes) if bytes != stored => Change::Written { bytes, stored: Some(stored), executable },
                    Some(_) | None => Change::Written { bytes: stored, stored: None, executable },
                }
            }
            Some((Mode::Symlink, blob_id)) => Change::Link { blob_id },
            Some((Mode::Submodule | Mode::Tree, _)) | None => Change::Removed,
        };
        self.set(&path, None, change);
        Ok(())
    }

    fn set(&mut self, path: &ProjectPath, state: Option<State>, change: Change) {
        let before =
            Before { recorded: put(&mut self.recorded, path, state), file: put(&mut self.files, path, Some(change)) };
        self.fresh.insert(path.clone(), Some(before));
    }

    /// Notes that a path is left out.
    pub(in crate::thread) fn skip(&mut self, path: &str, reason: &'static str) {
        let path = raw_name::shown(path).into_owned();
        if self.told.insert((path.clone(), reason)) {
            self.skipped.insert(path, reason);
        }
    }
}

/// Tells whether git would store a file as a blob.
fn is_same(cleaner: &mut Cleaner, tree: &OwnTree, path: &str, blob_id: &BlobId) -> bool {
    let linked = tree.linked();
    let has_bytes = || linked.repository().has_bytes_of(&linked.work_dir().join(os_path(path)), blob_id);
    let named = path.parse().ok();
    let content = named.and_then(|named| tree.project().read(&named, MAX_FILE_BYTES).ok());
    let Some(content) = content.filter(|content| !content.truncated) else { return has_bytes() };
    match cleaner.clean(path, &content.bytes) {
        Ok(Stored::AsIs) => linked.repository().blob_id_of(&content.bytes) == *blob_id,
        Ok(Stored::As(stored)) => linked.repository().blob_id_of(&stored) == *blob_id,
        Ok(Stored::NotConvertible) => has_bytes(),
        // Looked at once more, it says why.
        Err(_) => false,
    }
}

/// Sets the known state of a path, or forgets it. Returns the known state.
fn put<T>(map: &mut BTreeMap<ProjectPath, T>, path: &ProjectPath, value: Option<T>) -> Option<T> {
    match value {
        Some(value) => map.insert(path.clone(), value),
        None => map.remove(path),
    }
}
