//! A thread's own tree: where its tools work, apart from the person's files, index and branch.
//!
//! It starts as the base commit with the items of the person's workspace as they stand, committed or not: a thread may
//! use the items that the person sees. It lies in the person's state folder, is known to stock git, and is removed when
//! the thread ends. The next run removes leftovers of a killed runner; the thread's record is complete without it.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::fault::Fault;
use crate::capability::ProjectPath;
use crate::git::{CommitId, Difference, LinkedTree, NewCommit, Repository, Signature};
use crate::id::{ItemType, SPACE_FOLDER, ThreadId};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;
use crate::trust::Blake3Hash;
use crate::workspace::{self, ProjectDir, Snapshot, SnapshotLimits};

/// How much of the items' folders is read.
const LIMITS: SnapshotLimits =
    SnapshotLimits { max_files: 200_000, max_file_bytes: 8 * 1024 * 1024, max_total_bytes: 1024 * 1024 * 1024 };

/// How often it is looked whether the run is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// The recorded form of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::thread) enum State {
    /// A file with this content.
    Written {
        /// The digest of its bytes.
        blake3: Blake3Hash,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// No file.
    Removed,
}

impl State {
    /// Returns the state of a file.
    pub(in crate::thread) fn of(bytes: &[u8], executable: bool) -> Self {
        Self::Written { blake3: Blake3Hash::of(bytes), executable }
    }
}

/// What of the person's uncommitted work a thread begins with.
#[derive(Debug, Default)]
pub(in crate::thread) struct Taken {
    /// What it has.
    pub(in crate::thread) paths: Vec<String>,
    /// What it cannot have, and why.
    pub(in crate::thread) left_out: Vec<(String, &'static str)>,
}

/// Is told how a path is.
pub(super) type Know<'a> = dyn FnMut(ProjectPath, Option<(Vec<u8>, bool)>) -> Result<(), Error> + 'a;

/// The tree of a running thread; removed when it is dropped.
pub(in crate::thread) struct OwnTree {
    linked: Option<LinkedTree>,
    project: ProjectDir,
    /// The folders that its person shares with it, which are never committed.
    shared: Vec<ProjectPath>,
    /// The digest of the set-up that made folders of it.
    set_up: Option<String>,
}

impl OwnTree {
    /// Makes the tree of a thread whose lock is held, unless it `is_over` before.
    ///
    /// # Errors
    ///
    /// Fails when the commit or the items cannot be read, or the tree cannot be written.
    pub(in crate::thread) fn make(
        session: &Session,
        repository: &Repository,
        thread_id: &ThreadId,
        base: Option<&CommitId>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Error> {
        let folder = session.context().state_dir()?.join("trees");
        let nothing;
        let base = match base {
            Some(base) => base,
            None => {
                nothing = empty_commit(repository)?;
                &nothing
            }
        };
        let reason = format!("thread {thread_id} works here");
        let others = ThreadId::branches(&session.context().config().threads.prefix);
        let linked = while_wanted(is_over, |stop| {
            repository.add_tree(&folder, thread_id.as_str(), base, &reason, &others, stop)
        })?;
        let project = session.project().open_files(linked.work_dir())?.passing();
        Ok(Self { linked: Some(linked), project, shared: Vec::new(), set_up: None })
    }

    /// Returns the tree as git sees it.
    pub(in crate::thread) fn linked(&self) -> &LinkedTree {
        self.linked.as_ref().expect("because it is taken only when this is dropped")
    }

    /// Checks that the tree is still the one that was made: a tool can put a link to any folder into its place, or a
    /// pipe into the place of one of its git files.
    pub(in crate::thread) fn fault(&self) -> Option<Fault> {
        if !self.project.is_at(self.linked().work_dir()) {
            return Some(Fault::of_replacement());
        }
        self.linked().check_files().err().map(|error| Fault::of_git_files(&error))
    }

    /// Puts the `.git` file back if a tool replaced it, and tells whether one did.
    pub(super) fn restore_link(&self) -> bool {
        // A file that cannot be restored is found again after the next call; the program itself never reads it.
        self.project.restore_git_file(&self.linked().link()).unwrap_or(true)
    }

    /// Returns the tree's files.
    pub(in crate::thread) const fn project(&self) -> &ProjectDir {
        &self.project
    }

    /// Takes the files of submodules and nested repositories that are checked out in the person's tree.
    pub(in crate::thread) fn take_repositories(
        &mut self,
        session: &Session,
        dirty: &BTreeSet<String>,
        cancel: &CancelFlag,
    ) -> Result<(), Error> {
        let root = session.project().root()?;
        let is_repository = |path: &&String| fs::symlink_metadata(root.join(path).join(".git")).is_ok();
        let nested: Vec<String> = dirty.iter().filter(is_repository).cloned().collect();
        let linked = self.linked.as_mut().expect("because it is taken only when this is dropped");
        while_wanted(&|| cancel.is_set(), |stop| linked.add_repositories(root, &nested, stop))?;
        Ok(())
    }

    /// Remembers the set-up that made folders of the tree.
    pub(in crate::thread) fn note_set_up(&mut self, digest: String) {
        self.set_up = Some(digest);
    }

    /// Returns the digest of the set-up that made folders of the tree.
    pub(in crate::thread) fn set_up(&self) -> Option<&str> {
        self.set_up.as_deref()
    }

    /// Remembers the folders that are never committed.
    pub(in crate::thread) fn set_shared(&mut self, shared: Vec<ProjectPath>) {
        self.shared = shared;
    }

    /// Tells whether a path lies in a folder that its person shares.
    pub(super) fn is_shared(&self, path: &ProjectPath) -> bool {
        self.shared
            .iter()
            .any(|folder| path.parts().zip(folder.parts()).filter(|(a, b)| a == b).count() == folder.parts().count())
    }

    /// Says in what other repository a path lies, if it does.
    pub(in crate::thread) fn foreign(&self, path: &str) -> Option<&'static str> {
        match self.linked().foreign_at(path)? {
            Difference::InSubmodule => Some("submodule"),
            Difference::NestedRepository => Some("nested_repository"),
            Difference::Written
            | Difference::Removed
            | Difference::NotRegular
            | Difference::GitName
            | Difference::TooDeep
            | Difference::Unnameable => None,
        }
    }

    /// Makes the tree what the person's is at the paths that `git status` names. Returns those it took.
    pub(in crate::thread) fn take_changes(&self, session: &Session, dirty: &BTreeSet<String>) -> Result<Taken, Error> {
        let project = session.project();
        let (persons, mut taken) = (project.open_files(project.root()?)?, Taken::default());
        for path in dirty.iter().filter(|path| self.foreign(path).is_none()).cloned() {
            let Ok(named) = path.parse::<ProjectPath>() else {
                taken.left_out.push((path, "unnameable"));
                continue;
            };
            match persons.read(&named, LIMITS.max_file_bytes) {
                Ok(content) if content.truncated => {
                    taken.left_out.push((path, "oversized"));
                    continue;
                }
                Ok(content) => {
                    self.project.write(&named, &content.bytes, true)?;
                    self.project.set_executable(&named, persons.is_executable(&named))?;
                }
                Err(workspace::Error::NotFound { .. } | workspace::Error::NotDirectory { .. }) => {
                    self.remove(&named)?;
                }
                Err(error) => {
                    taken.left_out.push((path, reason(&error)));
                    continue;
                }
            }
            taken.paths.push(path);
        }
        Ok(taken)
    }

    fn remove(&self, path: &ProjectPath) -> Result<(), Error> {
        let file = self.linked().work_dir().join(path.as_str());
        match fs::remove_file(&file) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Tree { path: file, source }),
            _ => Ok(()),
        }
    }

    /// Makes the folders of items what they are in the person's tree, and tells `know` of each file that it changes: its
    /// bytes and whether it is executable, if it is there.
    ///
    /// # Errors
    ///
    /// As [`OwnTree::take_changes`].
    pub(in crate::thread) fn take_items(&self, session: &Session, know: &mut Know<'_>) -> Result<(), Error> {
        self.take_items_but(session, &BTreeSet::new(), know)
    }

    /// As [`OwnTree::take_items`], but leaves paths as they are that the thread changed itself.
    ///
    /// # Errors
    ///
    /// As [`OwnTree::take_changes`].
    pub(in crate::thread) fn take_items_but(
        &self,
        session: &Session,
        own: &BTreeSet<ProjectPath>,
        know: &mut Know<'_>,
    ) -> Result<(), Error> {
        let folders: Vec<ProjectPath> = ItemType::ALL
            .into_iter()
            .filter_map(|item_type| format!("{SPACE_FOLDER}/{}", item_type.folder()).parse().ok())
            .collect();
        let persons = session.project().open_files(session.project().root()?)?;
        let (there, here) = (persons.snapshot(&folders, &LIMITS)?, self.project.snapshot(&folders, &LIMITS)?);
        let changes = Snapshot::changes(&here, &there);
        for path in changes.written.into_iter().filter(|path| !own.contains(path)) {
            let content = persons.read(&path, LIMITS.max_file_bytes)?;
            self.project.write(&path, &content.bytes, true)?;
            let executable = persons.is_executable(&path);
            self.project.set_executable(&path, executable)?;
            know(path, Some((content.bytes, executable)))?;
        }
        for path in changes.removed.into_iter().filter(|path| !own.contains(path)) {
            self.remove(&path)?;
            know(path, None)?;
        }
        Ok(())
    }
}

impl Drop for OwnTree {
    fn drop(&mut self) {
        if let Some(linked) = self.linked.take() {
            // A tree that cannot be removed now is a leftover, which the next run tries to remove.
            let is_there = self.project.is_at(linked.work_dir());
            let _ = if is_there { linked.remove() } else { linked.abandon() };
        }
    }
}

/// Works until it is done or the run is to stop.
fn while_wanted<T>(is_over: &(dyn Fn() -> bool + Sync), work: impl FnOnce(&AtomicBool) -> T) -> T {
    let (stop, (done, is_done)) = (AtomicBool::new(false), channel::<()>());
    let stop = &stop;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(LOOK) {
                stop.fetch_or(is_over(), Ordering::Relaxed);
            }
        });
        let worked = work(stop);
        drop(done);
        worked
    })
}

/// Tells whether a thread could begin with what its person has at a path.
pub(in crate::thread) fn may_take(root: &Path, path: &str) -> bool {
    path.parse::<ProjectPath>().is_ok()
        && match fs::symlink_metadata(root.join(path)) {
            Ok(found) => found.is_file() && found.len() <= LIMITS.max_file_bytes,
            // It was removed.
            Err(_) => true,
        }
}

/// Says why a file is not taken.
const fn reason(error: &workspace::Error) -> &'static str {
    match error {
        workspace::Error::Refused { .. } => "refused",
        workspace::Error::PermissionDenied { .. } => "unreadable",
        _ => "not_a_file",
    }
}

/// Removes the trees of threads whose runner is gone. One that cannot be removed now does no harm.
pub(in crate::thread) fn sweep(repository: &Repository, is_running: impl Fn(&ThreadId) -> bool) -> Result<(), Error> {
    for (name, left) in repository.linked_trees()? {
        let Ok(thread_id) = name.parse::<ThreadId>() else { continue };
        if !is_running(&thread_id) {
            drop(left.remove());
        }
    }
    Ok(())
}

/// Removes what an earlier runner left of the tree of a thread whose lock is held.
pub(in crate::thread) fn clear(repository: &Repository, thread_id: &ThreadId) -> Result<(), Error> {
    for (name, left) in repository.linked_trees()? {
        if name == thread_id.as_str() {
            left.remove()?;
        }
    }
    Ok(())
}

/// Makes the commit that a thread without a base has its tree from.
fn empty_commit(repository: &Repository) -> Result<CommitId, Error> {
    let mut writer = repository.writer();
    let tree_id = writer.tree(None, &[])?;
    let nobody = Signature::new("rye", "rye@localhost", 0);
    let message = "nothing\n".to_owned();
    let new = NewCommit { tree_id, parents: Vec::new(), author: nobody.clone(), committer: nobody, message };
    Ok(writer.commit(&new, None)?)
}
