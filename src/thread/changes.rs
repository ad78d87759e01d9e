//! What a thread changed in its tree, for its commits: exact bytes, and what had to be left out and why.
//!
//! Git's own comparison finds the paths (index and file times); each is compared by its digest with what the record has
//! already. Everything in the tree is the thread's: nothing of the person's can get into its history.

use std::collections::{BTreeMap, BTreeSet};

use super::error::Error;
use super::tree::{OwnTree, State};
use crate::capability::{Access, PathRules, ProjectPath, Standpoint, check_path_from};
use crate::event::SkippedPath;
use crate::git::{BlobId, CommitId, Difference, ForeignFiles, Mode, Repository};
use crate::workspace;

/// The size above which a file is not committed, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The changes of a turn, by path.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Where the record differs from the base.
    recorded: BTreeMap<ProjectPath, State>,
    /// What the next commit is to take.
    files: BTreeMap<ProjectPath, Change>,
    /// Paths that a built-in tool wrote since the last look: git says nothing of those that it ignores.
    written: BTreeSet<ProjectPath>,
    /// What the last look took, with what was on record before.
    fresh: BTreeMap<ProjectPath, Option<Before>>,
    /// The files of submodules and nested repositories at the last look.
    foreign: Option<ForeignFiles>,
    skipped: BTreeMap<String, &'static str>,
    told: BTreeSet<(String, &'static str)>,
}

/// What decides whether a tool's change is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) standpoint: &'a Standpoint,
    /// The path rules of every token.
    pub(super) paths: &'a [PathRules],
}

/// What was on record of a path, and in the next commit, before a look took it.
#[derive(Debug)]
pub(super) struct Before {
    recorded: Option<State>,
    file: Option<Change>,
}

/// What a look took of a path.
#[derive(Debug)]
pub(super) struct Fresh {
    pub(super) change: Change,
    pub(super) before: Option<Before>,
}

/// A file as a turn left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// It was written.
    Written {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// It is again the symbolic link that the base has.
    Link {
        /// Its target, as an object.
        blob_id: BlobId,
    },
    /// It was removed.
    Removed,
}

impl Changes {
    /// Begins with what differed from the base before the thread did anything.
    pub(super) fn from_first(recorded: BTreeMap<ProjectPath, State>) -> Self {
        Self { recorded, ..Self::default() }
    }

    /// Takes up how paths are that are not to be committed.
    pub(super) fn know(&mut self, first: BTreeMap<ProjectPath, State>) {
        self.recorded.extend(first);
    }

    /// Tells whether a path is in the next commit.
    pub(super) fn is_taken(&self, path: &str) -> bool {
        self.files.keys().any(|taken| taken.as_str() == path)
    }

    /// Remembers that a built-in tool wrote a path.
    pub(super) fn wrote(&mut self, path: ProjectPath) {
        self.written.insert(path);
    }

    /// Looks for what changed in the tree since the last look. There are no `rules` for what is its
    /// person's own; `base` is the commit that was checked out.
    pub(super) fn look(
        &mut self,
        tree: &OwnTree,
        base: Option<&CommitId>,
        rules: Option<Rules<'_>>,
    ) -> Result<(), Error> {
        self.fresh.clear();
        let repository = tree.linked().repository();
        let mut differing = BTreeSet::new();
        for (path, difference) in tree.linked().differences()? {
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
        self.foreign_changes(tree);
        let reverted: Vec<_> = self.recorded.keys().filter(|path| !differing.contains(*path)).cloned().collect();
        for path in reverted {
            self.revert(repository, base, path)?;
        }
        let written = std::mem::take(&mut self.written);
        for path in repository.ignored(written.iter().map(ProjectPath::as_str))? {
            self.skip(path, "ignored");
        }
        Ok(())
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

    /// Looks for what was written in submodules and nested repositories since the last such look, notes that it is left out, and returns
    /// the paths with the reasons.
    pub(super) fn foreign_changes(&mut self, tree: &OwnTree) -> Vec<(String, &'static str)> {
        let now = tree.linked().foreign_files();
        let changed = self.foreign.as_ref().map(|before| now.changed_since(before)).unwrap_or_default();
        self.foreign = Some(now);
        let changed: Vec<_> =
            changed.into_iter().filter_map(|path| tree.foreign(&path).map(|reason| (path, reason))).collect();
        changed.iter().for_each(|(path, reason)| self.skip(path, reason));
        changed
    }

    /// Returns the files that the next commit takes as far as they are known.
    pub(super) fn files(&self) -> impl Iterator<Item = (&ProjectPath, &Change)> {
        self.files.iter()
    }

    /// Takes the files for the commit.
    pub(super) fn take_files(&mut self) -> BTreeMap<ProjectPath, Change> {
        std::mem::take(&mut self.files)
    }

    /// Takes the paths that were left out, each once for a reason.
    pub(super) fn take_skipped(&mut self) -> Vec<SkippedPath> {
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
            Difference::Unnameable => Some("unnameable"),
            Difference::Written | Difference::Removed => None,
        };
        if let Some(reason) = reason {
            self.skip(path.as_str(), reason);
            return Ok(());
        }
        let (state, change) = match difference {
            Difference::Written => match self.read(tree, path)? {
                Some(read) => read,
                None => return Ok(()),
            },
            _ => (State::Removed, Change::Removed),
        };
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

    /// Reads a file that differs; none if it is too large, in a place no tool may touch, or gone again.
    fn read(&mut self, tree: &OwnTree, path: &ProjectPath) -> Result<Option<(State, Change)>, Error> {
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
        let executable = tree.project().is_executable(path);
        let state = State::of(&content.bytes, executable);
        Ok(Some((state, Change::Written { bytes: content.bytes, executable })))
    }

    /// Takes up that a path is again as the base has it.
    fn revert(&mut self, repository: &Repository, base: Option<&CommitId>, path: ProjectPath) -> Result<(), Error> {
        let entry = match base {
            Some(base) => repository.entry_at(base, path.as_str())?,
            None => None,
        };
        let change = match entry.map(|entry| (entry.mode, entry.blob_id)) {
            Some((mode @ (Mode::File | Mode::Executable), blob_id)) => {
                Change::Written { bytes: repository.blob(&blob_id)?, executable: mode == Mode::Executable }
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
    pub(super) fn skip(&mut self, path: &str, reason: &'static str) {
        if self.told.insert((path.to_owned(), reason)) {
            self.skipped.insert(path.to_owned(), reason);
        }
    }
}

/// Sets what is known of a path, or forgets it. Returns what was known.
fn put<T>(map: &mut BTreeMap<ProjectPath, T>, path: &ProjectPath, value: Option<T>) -> Option<T> {
    match value {
        Some(value) => map.insert(path.clone(), value),
        None => map.remove(path),
    }
}
