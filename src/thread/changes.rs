//! What a turn changed in the project, for its commit: exact bytes, and what had to be left out and why.
//!
//! A path is committed only if it was as the branch's tip has it before the turn touched it: what a person had not
//! committed yet is never swept into a thread's history.

use std::collections::{BTreeMap, BTreeSet};

use super::error::Error;
use crate::capability::{Access, PathRules, ProjectPath, check_path};
use crate::event::SkippedPath;
use crate::git::{CommitId, Repository};
use crate::trust::Blake3Hash;
use crate::workspace::{self, ProjectDir, Snapshot, SnapshotLimits};

/// The size above which a file is not committed, in bytes.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

const LIMITS: SnapshotLimits =
    SnapshotLimits { max_files: 20_000, max_file_bytes: MAX_FILE_BYTES, max_total_bytes: 512 * 1024 * 1024 };

/// The changes of a turn, by path.
#[derive(Debug, Default)]
pub(super) struct Changes {
    files: BTreeMap<ProjectPath, Change>,
    skipped: BTreeMap<String, &'static str>,
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
    /// It was removed.
    Removed,
}

/// The watched part of the project before a call.
pub(super) struct Before {
    watched: Watched,
    snapshot: Snapshot,
}

/// What a call may change.
pub(super) enum Watched {
    /// These paths, known exactly.
    Exact(Vec<ProjectPath>),
    /// Whatever all of these rules let a tool write.
    Declared(Vec<PathRules>),
}

impl Watched {
    /// Looks at it before the call.
    pub(super) fn before(self, project: &ProjectDir) -> Result<Before, workspace::Error> {
        let snapshot = project.snapshot(&self.prefixes(), &LIMITS)?;
        Ok(Before { watched: self, snapshot })
    }

    fn prefixes(&self) -> Vec<ProjectPath> {
        match self {
            Self::Exact(paths) => paths.clone(),
            // The narrowest in general: those of the leaf, or else of the nearest that has any.
            Self::Declared(rules) => rules
                .iter()
                .rev()
                .find(|rules| !rules.write.is_empty())
                .map(PathRules::write_prefixes)
                .unwrap_or_default(),
        }
    }

    /// Tells whether a changed path is meant: a rule such as `src/*.rs` is watched by its folder.
    fn covers(&self, path: &ProjectPath) -> bool {
        match self {
            Self::Exact(_) => true,
            Self::Declared(rules) => check_path(rules, Access::Write, path).is_ok(),
        }
    }
}

impl Changes {
    /// Adds what a call changed since `before`. `tip` is the branch's last commit.
    pub(super) fn add(
        &mut self,
        project: &ProjectDir,
        repository: &Repository,
        tip: Option<&CommitId>,
        before: &Before,
    ) -> Result<(), Error> {
        let prefixes = before.watched.prefixes();
        let after = match project.snapshot(&prefixes, &LIMITS) {
            Err(workspace::Error::TooManyFiles { .. }) => {
                prefixes.iter().for_each(|path| self.skip(path, "too_many_files"));
                return Ok(());
            }
            after => after?,
        };
        let mut changes = Snapshot::changes(&before.snapshot, &after);
        for paths in [&mut changes.written, &mut changes.removed, &mut changes.oversized] {
            paths.retain(|path| before.watched.covers(path));
        }
        for path in changes.oversized {
            self.skip(&path, "oversized");
        }
        for (path, _) in changes.left_out {
            self.skipped.insert(path, "not_a_file");
        }
        let outside = self.outside(repository, tip, changes.written.iter().chain(&changes.removed))?;
        for path in changes.written {
            self.add_one(project, repository, tip, before, &outside, path, &after)?;
        }
        for path in changes.removed {
            if self.is_committable(repository, tip, before, &outside, &path)? {
                self.files.insert(path, Change::Removed);
            }
        }
        Ok(())
    }

    /// Takes the files for the commit.
    pub(super) fn take(&mut self) -> BTreeMap<ProjectPath, Change> {
        std::mem::take(&mut self.files)
    }

    /// Takes the paths that were left out.
    pub(super) fn take_skipped(&mut self) -> Vec<SkippedPath> {
        let skipped = std::mem::take(&mut self.skipped);
        skipped.into_iter().map(|(path, reason)| SkippedPath { path, reason: reason.to_owned() }).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "one file in its whole context")]
    fn add_one(
        &mut self,
        project: &ProjectDir,
        repository: &Repository,
        tip: Option<&CommitId>,
        before: &Before,
        outside: &BTreeMap<String, &'static str>,
        path: ProjectPath,
        after: &Snapshot,
    ) -> Result<(), Error> {
        if !self.is_committable(repository, tip, before, outside, &path)? {
            return Ok(());
        }
        let content = match project.read(&path, MAX_FILE_BYTES) {
            Ok(content) => content,
            // Gone again between the look and the read: somebody else is at work there.
            Err(workspace::Error::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let executable = after.files.get(&path).is_some_and(|state| state.executable);
        if content.truncated {
            self.skip(&path, "oversized");
        } else {
            self.files.insert(path, Change::Written { bytes: content.bytes, executable });
        }
        Ok(())
    }

    /// Decides whether a changed path belongs into the commit, and notes why not.
    fn is_committable(
        &mut self,
        repository: &Repository,
        tip: Option<&CommitId>,
        before: &Before,
        outside: &BTreeMap<String, &'static str>,
        path: &ProjectPath,
    ) -> Result<bool, Error> {
        if let Some(reason) = outside.get(path.as_str()) {
            self.skip(path, reason);
            return Ok(false);
        }
        // What this very turn wrote before is its own, whatever the tip says.
        if self.files.contains_key(path) {
            return Ok(true);
        }
        let was = before.snapshot.files.get(path).map(|state| state.blake3);
        let committed = match tip {
            Some(tip) => repository.file_at(tip, path.as_str())?.map(|bytes| Blake3Hash::of(&bytes)),
            None => None,
        };
        if was == committed && !before.snapshot.oversized.contains_key(path) {
            return Ok(true);
        }
        self.skip(path, "dirty_before");
        Ok(false)
    }

    /// Finds the paths that git would not track: ignored ones that are not tracked already, and submodules.
    fn outside<'a>(
        &self,
        repository: &Repository,
        tip: Option<&CommitId>,
        paths: impl Iterator<Item = &'a ProjectPath>,
    ) -> Result<BTreeMap<String, &'static str>, Error> {
        let paths: BTreeSet<&str> = paths.map(ProjectPath::as_str).collect();
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let submodules = repository.submodule_paths()?;
        let ignored = repository.ignored(paths.iter().copied())?;
        let mut outside = BTreeMap::new();
        for path in paths {
            let tracked = match tip {
                Some(tip) => repository.entry_at(tip, path)?.is_some(),
                None => false,
            };
            let in_submodule = submodules.iter().any(|module| path.starts_with(&format!("{module}/")));
            if in_submodule {
                outside.insert(path.to_owned(), "submodule");
            } else if ignored.contains(path) && !tracked {
                outside.insert(path.to_owned(), "ignored");
            }
        }
        Ok(outside)
    }

    fn skip(&mut self, path: &ProjectPath, reason: &'static str) {
        self.skipped.insert(path.as_str().to_owned(), reason);
    }
}
