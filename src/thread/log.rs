//! The log of record of a running thread: `$GIT_COMMON_DIR/rye/threads/<id>/events.jsonl`.
//!
//! In the git folder, because a file in the work tree can be overwritten by a switch of branches (hole 29 of the
//! threat model). Commit point of an event: the flush of its line; events between which nothing was done are flushed
//! together. The lock beside it is held while the runner lives,
//! so that a dead runner is told from a working one. Only its owner may read a log: it holds all that a model read and wrote.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::error::Error;
use crate::event::{Event, EventData, FORMAT};
use crate::id::{ItemId, ThreadId, Timestamp};

/// The open log of a running thread.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    // Held until the runner ends, however it ends.
    _lock: File,
    thread_id: ThreadId,
    next: u64,
    is_flushed: bool,
}

/// Returns the folder of a thread's log.
pub(super) fn folder(common_dir: &Path, thread_id: &ThreadId) -> PathBuf {
    common_dir.join("rye").join("threads").join(thread_id.as_str())
}

impl Log {
    /// Creates the log of a new thread and takes its lock.
    pub(super) fn create(common_dir: &Path, thread_id: &ThreadId) -> Result<Self, Error> {
        let folder = folder(common_dir, thread_id);
        let path = folder.join("events.jsonl");
        let failed = |source| Error::Log { path: path.clone(), source };
        make_private(&folder).map_err(failed)?;
        let private = |options: &mut OpenOptions| options.append(true).mode(0o600).clone();
        let lock = private(OpenOptions::new().create(true)).open(folder.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| failed(error.into()))?;
        let file = private(OpenOptions::new().create_new(true)).open(&path).map_err(failed)?;
        sync_folders(&folder, common_dir).map_err(failed)?;
        Ok(Self { file, _lock: lock, thread_id: thread_id.clone(), next: 0, is_flushed: true, path })
    }

    /// Returns the folder it lies in.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Writes an event down and returns it. It is durable after the next [`Log::flush`].
    pub(super) fn record(
        &mut self,
        what: EventData,
        turn: u32,
        directive: ItemId,
        time: Timestamp,
    ) -> Result<Event, Error> {
        let event = Event { v: FORMAT, seq: self.next, time, thread_id: self.thread_id.clone(), turn, directive, what };
        let mut line = serde_json::to_vec(&event).map_err(|error| self.failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|error| self.failed(error))?;
        self.is_flushed = false;
        self.next += 1;
        Ok(event)
    }

    /// Makes durable what was written down.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        if !self.is_flushed {
            self.file.sync_data().map_err(|error| self.failed(error))?;
            self.is_flushed = true;
        }
        Ok(())
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Log { path: self.path.clone(), source }
    }
}

/// Removes the log of a thread, if there is one.
pub(super) fn remove(common_dir: &Path, thread_id: &ThreadId) -> Result<(), Error> {
    let path = folder(common_dir, thread_id);
    match fs::remove_dir_all(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::Log { path, source }),
        _ => Ok(()),
    }
}

/// Returns the threads that have a log.
pub(super) fn ids(common_dir: &Path) -> Result<Vec<ThreadId>, Error> {
    let path = common_dir.join("rye").join("threads");
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| Error::Log { path, source })?,
    };
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Tells whether a thread's runner is alive: whether somebody holds its lock.
pub(super) fn is_running(common_dir: &Path, thread_id: &ThreadId) -> bool {
    match File::open(folder(common_dir, thread_id).join("lock")) {
        Ok(lock) => matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        // Whatever cannot be looked at may be at work: what is left of it is not removed.
        Err(_) => true,
    }
}

/// Makes a folder that only its owner can enter, whatever the umask says; those above it are made as usual.
fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder.parent().unwrap_or(folder))?;
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
        }
        made => made,
    }
}

/// Makes the new folders' names durable, up to the git folder.
fn sync_folders(folder: &Path, common_dir: &Path) -> std::io::Result<()> {
    folder
        .ancestors()
        .take_while(|dir| dir.starts_with(common_dir))
        .try_for_each(|dir| File::open(dir).and_then(|dir| dir.sync_all()))
}
