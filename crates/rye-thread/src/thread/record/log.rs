//! The log of record of a running thread: `$GIT_COMMON_DIR/rye/threads/<id>/events.jsonl`.
//!
//! In the git folder, because a file in the work tree can be overwritten by a switch of branches (hole 29 of the
//! threat model). Commit point of an event: the flush of its line; events between which nothing was done are flushed
//! together. The lock next to it is held while the runner lives, so that a dead runner is told from a working one. Only
//! its owner may read a log: it holds all that a model read and wrote.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::event::{Event, EventData, FORMAT};
use crate::id::{ItemId, ThreadId, Timestamp};
use crate::thread::error::Error;

/// How often it is looked whether a lock is free, and how long is waited between.
const LOOKS: u32 = 25;
const LOOK: Duration = Duration::from_millis(20);

/// How much of a log is read to look at it, in bytes.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The open log of a running thread.
pub(in crate::thread) struct Log {
    path: PathBuf,
    file: File,
    // Held until the runner ends, however it ends.
    _lock: File,
    thread_id: ThreadId,
    next: u64,
    is_flushed: bool,
}

/// Returns the folder of a thread's log.
pub(in crate::thread) fn folder(common_dir: &Path, thread_id: &ThreadId) -> PathBuf {
    common_dir.join("rye").join("threads").join(thread_id.as_str())
}

/// The folder of a thread whose runner is gone, held against any other.
pub(in crate::thread) struct Held {
    path: PathBuf,
    lock: File,
    thread_id: ThreadId,
}

impl Log {
    /// Creates the log of a new thread and takes its lock.
    pub(in crate::thread) fn create(common_dir: &Path, thread_id: &ThreadId) -> Result<Self, Error> {
        let folder = folder(common_dir, thread_id);
        let path = folder.join("events.jsonl");
        let failed = |source| Error::Log { path: path.clone(), source };
        make_private(&folder).map_err(failed)?;
        let private = |options: &mut OpenOptions| options.append(true).mode(0o600).clone();
        let mut lock = private(OpenOptions::new().create(true)).open(folder.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| failed(error.into()))?;
        name_holder(&mut lock).map_err(failed)?;
        let file = private(OpenOptions::new().create_new(true)).open(&path).map_err(failed)?;
        sync_folders(&folder, common_dir).map_err(failed)?;
        Ok(Self { file, _lock: lock, thread_id: thread_id.clone(), next: 0, is_flushed: true, path })
    }

    /// Returns the folder it lies in.
    pub(in crate::thread) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Takes the lock of a thread whose runner is gone.
    ///
    /// # Errors
    ///
    /// Fails when another process runs the thread.
    pub(in crate::thread) fn hold(common_dir: &Path, thread_id: &ThreadId) -> Result<Held, Error> {
        let folder = folder(common_dir, thread_id);
        let path = folder.join("events.jsonl");
        let failed = |source| Error::Log { path: path.clone(), source };
        make_private(&folder).map_err(failed)?;
        let lock_path = folder.join("lock");
        let mut lock = OpenOptions::new().create(true).append(true).mode(0o600).open(&lock_path).map_err(failed)?;
        for look in 0.. {
            match lock.try_lock() {
                Ok(()) => break,
                // A process that only checks the lock holds it for a moment.
                Err(TryLockError::WouldBlock) if look < LOOKS => std::thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    let pid = fs::read_to_string(&lock_path).ok().and_then(|text| text.trim().parse().ok());
                    return Err(Error::Held { thread_id: thread_id.clone(), pid });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
        name_holder(&mut lock).map_err(failed)?;
        Ok(Held { path, lock, thread_id: thread_id.clone() })
    }

    /// Writes an event down and returns it. It is durable after the next [`Log::flush`].
    pub(in crate::thread) fn record(
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

    /// Makes the log durable.
    pub(in crate::thread) fn flush(&mut self) -> Result<(), Error> {
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

impl Held {
    /// Reads the events from number `from` on that are in the log: none of them is committed. An incomplete line is not
    /// an event.
    pub(in crate::thread) fn tail(&self, from: usize) -> Result<Vec<Event>, Error> {
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|source| Error::LogUnreadable { path: self.path.clone(), source })?,
        };
        Ok(events_in(&bytes, &self.thread_id, from))
    }

    /// Opens the log behind the events that are committed: later events are reported again.
    pub(in crate::thread) fn reopen(self, committed: &[Event]) -> Result<Log, Error> {
        let Self { path, lock, thread_id } = self;
        let failed = |source| Error::Log { path: path.clone(), source };
        let mut whole = Vec::new();
        for event in committed {
            serde_json::to_writer(&mut whole, event).map_err(|error| failed(error.into()))?;
            whole.push(b'\n');
        }
        if !fs::read(&path).is_ok_and(|bytes| bytes.starts_with(&whole)) {
            let draft = path.with_extension("draft");
            let mut file =
                OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&draft).map_err(failed)?;
            file.write_all(&whole).and_then(|()| file.sync_all()).map_err(failed)?;
            fs::rename(&draft, &path).map_err(failed)?;
        }
        let file = OpenOptions::new().append(true).open(&path).map_err(failed)?;
        file.set_len(whole.len() as u64).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(Log { path, file, _lock: lock, thread_id, next: committed.len() as u64, is_flushed: true })
    }
}

/// Reads the events from number `from` on that are in a thread's log, while its lock may be another's.
pub(in crate::thread) fn uncommitted(
    common_dir: &Path,
    thread_id: &ThreadId,
    from: usize,
) -> Result<Vec<Event>, Error> {
    let path = folder(common_dir, thread_id).join("events.jsonl");
    let failed = |source| Error::LogUnreadable { path: path.clone(), source };
    let mut bytes = Vec::new();
    match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        file => file.map_err(failed)?.take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?,
    };
    Ok(events_in(&bytes, thread_id, from))
}

/// Reads the events from number `from` on. An incomplete line is not an event.
fn events_in(bytes: &[u8], thread_id: &ThreadId, from: usize) -> Vec<Event> {
    let text = String::from_utf8_lossy(bytes);
    let events = text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok());
    events.filter(|event| event.thread_id == *thread_id && event.seq >= from as u64).collect()
}

/// Writes down who holds a lock.
fn name_holder(lock: &mut File) -> std::io::Result<()> {
    lock.set_len(0)?;
    writeln!(lock, "{}", std::process::id())
}

/// Removes the log of a thread, if there is one.
pub(in crate::thread) fn remove(common_dir: &Path, thread_id: &ThreadId) -> Result<(), Error> {
    let path = folder(common_dir, thread_id);
    match fs::remove_dir_all(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::Log { path, source }),
        _ => Ok(()),
    }
}

/// Returns the threads that have a log.
pub(in crate::thread) fn ids(common_dir: &Path) -> Result<Vec<ThreadId>, Error> {
    let path = common_dir.join("rye").join("threads");
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| Error::Log { path, source })?,
    };
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Tells whether a thread's runner is alive: whether its lock is held.
pub(in crate::thread) fn is_running(common_dir: &Path, thread_id: &ThreadId) -> bool {
    match File::open(folder(common_dir, thread_id).join("lock")) {
        Ok(lock) => matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        // A thread that cannot be checked may be running: its leftovers stay.
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
