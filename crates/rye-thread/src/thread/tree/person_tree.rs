//! A thread in its person's own tree: its tools work in the thread's tree, which is kept like the person's, and what they changed there
//! is brought over file by file.
//!
//! One thread at a time works so in a work tree; a lock next to its index names it. A file is brought over if it has no
//! uncommitted changes but the thread's own, and its content is unchanged: commit point of each is its rename. The
//! person's index, `HEAD` and branches are never touched.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use super::change::{Change, Fresh, MAX_FILE_BYTES};
use super::changes::Changes;
use super::difference::changed;
use super::own_tree::{OwnTree, State};
use crate::capability::ProjectPath;
use crate::git::{CommitId, Mode, Repository};
use crate::id::{SPACE_FOLDER, ThreadId};
use crate::session::Session;
use crate::thread::error::Error;
use crate::workspace::{self, ProjectDir};

/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

/// Why a file is not written that has uncommitted changes.
pub(in crate::thread) const UNCOMMITTED: &str = "uncommitted_changes";

/// A person's tree that a thread works in.
pub(in crate::thread) struct InPlace {
    persons: ProjectDir,
    repository: Repository,
    head: Option<CommitId>,
    /// How the person's files were that differ from the commit that the thread's tree was made of.
    seen: BTreeMap<ProjectPath, State>,
    /// How the thread left the person's files.
    own: BTreeMap<ProjectPath, State>,
    // Held until the runner ends, however it ends.
    _lock: File,
}

/// A file of the person's: how git stores it, and its bytes if there is one.
struct Found {
    state: State,
    bytes: Option<Vec<u8>>,
}

impl InPlace {
    /// Takes the person's tree for a thread.
    ///
    /// # Errors
    ///
    /// Fails when another thread works in it, and when it cannot be read.
    pub(in crate::thread) fn take(session: &Session, thread_id: &ThreadId) -> Result<Self, Error> {
        let project = session.project();
        let repository = project.require_repository()?;
        let lock = lock(&repository, thread_id)?;
        let persons = project.open_files(project.root()?)?;
        let head = repository.head()?.commit_id().cloned();
        Ok(Self { persons, repository, head, seen: BTreeMap::new(), own: BTreeMap::new(), _lock: lock })
    }

    /// Goes on where an earlier runner stopped: the person's tree was then at `base`, and the files that differ in `tip` are the
    /// thread's own as far as they are as it left them.
    pub(in crate::thread) fn take_up(
        &mut self,
        repository: &Repository,
        base: Option<&CommitId>,
        tip: &CommitId,
    ) -> Result<(), Error> {
        let from: Vec<CommitId> = base.into_iter().cloned().collect();
        let own = format!("{SPACE_FOLDER}/threads/");
        for change in repository.changes_below(&from, tip, "", MOST_ENTRIES)? {
            let named = change.path.parse::<ProjectPath>().ok().filter(|_| !change.path.starts_with(&own));
            let Some(path) = named else { continue };
            let state = match change.after.map(|entry| (entry.mode, entry.blob_id)) {
                Some((mode @ (Mode::File | Mode::Executable), blob_id)) => {
                    State::of(&repository.blob(&blob_id)?, mode == Mode::Executable)
                }
                Some((Mode::Symlink | Mode::Submodule | Mode::Tree, _)) => continue,
                None => State::Removed,
            };
            self.left(path, state);
        }
        self.head = base.cloned();
        Ok(())
    }

    /// Remembers how the thread left a file of the person's.
    pub(in crate::thread) fn left(&mut self, path: ProjectPath, state: State) {
        self.own.insert(path, state);
    }

    /// Brings what its person changed since the last look into the thread's tree. None of it counts as the thread's.
    pub(in crate::thread) fn refresh(&mut self, tree: &OwnTree, changes: &mut Changes) -> Result<(), Error> {
        let mut paths: BTreeSet<ProjectPath> = self.seen.keys().chain(self.own.keys()).cloned().collect();
        paths.extend(self.repository.dirty_paths()?.iter().filter_map(|path| path.parse().ok()));
        let head = self.repository.head()?.commit_id().cloned();
        if head != self.head {
            paths.extend(self.switched(head.as_ref())?);
            self.head = head;
        }
        for path in paths {
            // A thread has no use for files that it cannot write.
            let Ok(found) = self.find(&path, changes) else { continue };
            let known = self.own.get(&path).or_else(|| self.seen.get(&path));
            if known != Some(&found.state) {
                self.give(tree, changes, &path, &found)?;
                self.own.remove(&path);
                self.seen.insert(path, found.state);
            }
        }
        Ok(())
    }

    /// Says why a file may not be written, if so.
    pub(in crate::thread) fn refusal(
        &self,
        path: &ProjectPath,
        changes: &mut Changes,
    ) -> Result<Option<&'static str>, Error> {
        let dirty = self.repository.dirty_paths()?;
        match self.find(path, changes) {
            Ok(found) => self.uncommitted(path, &found, &dirty),
            Err(reason) => Ok(Some(reason)),
        }
    }

    /// Brings what the thread changed into the person's tree: all that its next commit takes, and `written`, which git may ignore. Returns
    /// the others, with reasons; these are again as the person has them.
    pub(in crate::thread) fn bring(
        &mut self,
        tree: &OwnTree,
        changes: &mut Changes,
        written: &[ProjectPath],
    ) -> Result<Vec<(ProjectPath, &'static str)>, Error> {
        let mut wanted = changes.take_fresh();
        for path in written {
            if changes.is_taken(path.as_str()) {
                continue;
            }
            let Ok(content) = tree.project().read(path, MAX_FILE_BYTES) else { continue };
            let written = changes.written(path, content.bytes, tree.project().is_executable(path))?;
            if let Some(change) = written {
                wanted.insert(path.clone(), Fresh { change, before: None });
            }
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let dirty = self.repository.dirty_paths()?;
        let mut refused = Vec::new();
        for (path, Fresh { change, before }) in wanted {
            let target = match &change {
                Change::Written { .. } | Change::Removed => change.state(),
                // As the base has it, and so has the person.
                Change::Link { .. } => continue,
            };
            let reason = match self.find(&path, changes) {
                Err(reason) => Some(reason),
                Ok(found) if found.state == target => continue,
                Ok(found) => match self.uncommitted(&path, &found, &dirty)? {
                    None => self.put(&path, &found, &change).err().map(|error| reason(&error)),
                    reason => reason,
                },
            };
            match reason {
                None => {
                    self.own.insert(path, target);
                }
                Some(reason) => {
                    changes.give_back(&path, before, reason);
                    if let Ok(found) = self.find(&path, changes) {
                        self.give(tree, changes, &path, &found)?;
                        self.seen.insert(path.clone(), found.state);
                    }
                    refused.push((path, reason));
                }
            }
        }
        Ok(refused)
    }

    /// Lists what another commit has in another way than the one before.
    fn switched(&self, head: Option<&CommitId>) -> Result<Vec<ProjectPath>, Error> {
        let (Some(before), Some(after)) = (&self.head, head) else { return Ok(Vec::new()) };
        let changes = changed(&self.repository, before, after)?;
        Ok(changes.into_iter().filter_map(|change| change.path.parse().ok()).collect())
    }

    /// Looks at a file of the person's, or says why it cannot be a thread's.
    fn find(&self, path: &ProjectPath, changes: &mut Changes) -> Result<Found, &'static str> {
        match self.persons.read(path, MAX_FILE_BYTES) {
            Ok(content) if content.truncated => Err("oversized"),
            Ok(content) => {
                let bytes = content.bytes.clone();
                let written = changes.written(path, content.bytes, self.persons.is_executable(path));
                let state = written.ok().flatten().ok_or("not_convertible")?.state();
                Ok(Found { state, bytes: Some(bytes) })
            }
            Err(workspace::Error::NotFound { .. }) => Ok(Found { state: State::Removed, bytes: None }),
            Err(error) => Err(reason(&error)),
        }
    }

    fn uncommitted(
        &self,
        path: &ProjectPath,
        found: &Found,
        dirty: &BTreeSet<String>,
    ) -> Result<Option<&'static str>, Error> {
        if self.own.get(path) == Some(&found.state) {
            return Ok(None);
        }
        let is_dirty = path.as_str().match_indices('/').map(|(end, _)| &path.as_str()[..end]).chain([path.as_str()]);
        if is_dirty.into_iter().any(|path| dirty.contains(path)) {
            return Ok(Some(UNCOMMITTED));
        }
        // No commit has what git ignores.
        let is_ignored = found.bytes.is_some() && !self.repository.ignored([path.as_str()])?.is_empty();
        Ok(is_ignored.then_some(UNCOMMITTED))
    }

    /// Changes a file of the person's that is as it was found.
    fn put(&self, path: &ProjectPath, found: &Found, change: &Change) -> Result<(), workspace::Error> {
        match (change, &found.bytes) {
            (Change::Written { bytes, executable, .. }, before) => {
                match before {
                    Some(before) => self.persons.replace(path, before, bytes)?,
                    None => self.persons.create(path, bytes)?,
                }
                if self.persons.is_executable(path) != *executable {
                    self.persons.set_executable(path, *executable)?;
                }
                Ok(())
            }
            (Change::Removed, Some(before)) => self.persons.remove(path, before),
            (Change::Removed, None) | (Change::Link { .. }, _) => Ok(()),
        }
    }

    /// Makes a file of the thread's tree what the person's is.
    fn give(&self, tree: &OwnTree, changes: &mut Changes, path: &ProjectPath, found: &Found) -> Result<(), Error> {
        let given = match (&found.bytes, found.state) {
            (Some(bytes), State::Written { executable, .. }) => {
                tree.project().write(path, bytes, true).and_then(|_| tree.project().set_executable(path, executable))
            }
            _ => match tree.project().read(path, MAX_FILE_BYTES) {
                Ok(content) => tree.project().remove(path, &content.bytes),
                Err(_) => Ok(()),
            },
        };
        // Something of another kind is in its place: the next look tells of it.
        if given.is_ok() {
            let executable = matches!(found.state, State::Written { executable: true, .. });
            changes.know(path.clone(), found.bytes.clone().map(|bytes| (bytes, executable)))?;
        }
        Ok(())
    }
}

/// Takes the lock of a work tree, and writes down who has it.
fn lock(repository: &Repository, thread_id: &ThreadId) -> Result<File, Error> {
    let folder = repository.git_dir().join("rye");
    let path: PathBuf = folder.join("in_place");
    let failed = |source| Error::Log { path: path.clone(), source };
    fs::create_dir_all(&folder).map_err(failed)?;
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let mut lock = options.map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // A process that just took it has not written yet.
            drop(lock.read_to_string(&mut holder));
            let mut words = holder.split_whitespace().map(str::to_owned);
            return Err(Error::InPlace {
                thread: words.next().unwrap_or_else(|| "another thread".to_owned()),
                pid: words.next().and_then(|pid| pid.parse().ok()),
            });
        }
        Err(fs::TryLockError::Error(source)) => return Err(failed(source)),
    }
    lock.set_len(0).and_then(|()| writeln!(lock, "{thread_id} {}", std::process::id())).map_err(failed)?;
    Ok(lock)
}

/// Says why a file of the person's cannot be read or written.
const fn reason(error: &workspace::Error) -> &'static str {
    match error {
        workspace::Error::ChangedMeanwhile { .. } | workspace::Error::AlreadyExists { .. } => UNCOMMITTED,
        workspace::Error::Refused { .. } => "refused",
        workspace::Error::PermissionDenied { .. } | workspace::Error::WriteProtected { .. } => "unreadable",
        _ => "not_a_file",
    }
}
