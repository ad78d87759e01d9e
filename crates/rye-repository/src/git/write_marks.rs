//! The marks of runs that write a ref: they tell a `packed-refs.lock` that a killed run of this program left from one of another
//! program.
//!
//! A mark is a file that its run keeps locked and removes at the end. It is there and not locked only if that run died. A lock of
//! git's from the time of a dead run's write that is unchanged for two seconds is then attributed to that run, and
//! removed.

use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime},
};

use super::Repository;

/// How long a lock must be unchanged before it is removed: git holds it for a moment.
const QUIET: Duration = Duration::from_secs(2);

/// How long after its beginning a write can have taken a lock: it gives up before.
const WRITE: Duration = Duration::from_secs(15);

/// The most marks that are looked at.
const MOST: usize = 1_000;

/// Tells the writes of one process apart.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A write that is under way.
pub(super) struct Writing {
    /// Held until the end.
    _file: File,
    path: PathBuf,
}

/// Removed while it is locked: a write that ended leaves no mark.
impl Drop for Writing {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

impl Repository {
    /// Marks that this run writes a ref. None where no mark can be made: a lock that is left then is named by whoever meets it.
    pub(super) fn mark_writing(&self) -> Option<Writing> {
        let folder = self.marks();
        fs::create_dir_all(&folder).ok()?;
        let path = folder.join(format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).ok()?;
        file.try_lock().ok()?;
        Some(Writing { _file: file, path })
    }

    /// Removes the `packed-refs.lock` that a dead run of this program left, and the marks of dead runs with it.
    pub(super) fn release_packed_refs(&self) {
        let lock = self.common_dir().join("packed-refs.lock");
        let state = || fs::symlink_metadata(&lock).and_then(|lock| Ok((lock.ino(), lock.len(), lock.modified()?))).ok();
        let Some(before @ (.., taken)) = state() else { return };
        // Kept locked: another run that comes here now leaves it to this one.
        let dead = dead_marks(&self.marks());
        if !dead.iter().any(|(_, began, _)| *began <= taken && taken <= *began + WRITE) {
            return;
        }
        std::thread::sleep(QUIET);
        if state() == Some(before) {
            drop(fs::remove_file(&lock));
            dead.iter().for_each(|(path, ..)| drop(fs::remove_file(path)));
        }
    }

    fn marks(&self) -> PathBuf {
        self.common_dir().join("rye").join("writing")
    }
}

/// Lists the marks whose runs died, with when they were made, and locks them.
fn dead_marks(folder: &Path) -> Vec<(PathBuf, SystemTime, File)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let dead = entries.take(MOST).filter_map(|entry| {
        let path = entry.ok()?.path();
        let file = OpenOptions::new().write(true).open(&path).ok()?;
        file.try_lock().ok()?;
        let began = file.metadata().ok()?.modified().ok()?;
        Some((path, began, file))
    });
    dead.collect()
}
