//! The mark of a run that deletes a ref: it tells a `packed-refs.lock` that a killed run of this program left from one of another
//! program.
//!
//! The mark is a file that its run keeps locked. It is there and not locked only if that run died. A lock of git's that nobody
//! touches for two seconds is then taken for the dead run's, and removed.

use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
    time::Duration,
};

use super::Repository;

/// How long nobody may touch a lock before it is removed: git holds it for a moment.
const QUIET: Duration = Duration::from_secs(2);

/// A deletion that is under way.
pub(super) struct Deleting {
    /// Held until the end.
    _file: File,
    path: PathBuf,
}

/// Removed while it is locked: a deletion that ended leaves no mark.
impl Drop for Deleting {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

impl Repository {
    /// Marks that this run deletes a ref. None where another run does so now, or no mark can be made: a lock that is left then is named
    /// by whoever meets it.
    pub(super) fn mark_deleting(&self) -> Option<Deleting> {
        let path = self.deleting_path();
        fs::create_dir_all(path.parent()?).ok()?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).ok()?;
        file.try_lock().ok()?;
        Some(Deleting { _file: file, path })
    }

    /// Removes the `packed-refs.lock` that a dead run of this program left.
    pub(super) fn release_packed_refs(&self) {
        let (lock, mark) = (self.common_dir().join("packed-refs.lock"), self.deleting_path());
        let state = || fs::symlink_metadata(&lock).and_then(|lock| Ok((lock.ino(), lock.len(), lock.modified()?))).ok();
        let Some(before) = state() else { return };
        let Ok(file) = OpenOptions::new().write(true).open(&mark) else { return };
        // The run is alive, or another one looks after this.
        if file.try_lock().is_err() {
            return;
        }
        std::thread::sleep(QUIET);
        if state() == Some(before) {
            drop(fs::remove_file(&lock));
            drop(fs::remove_file(&mark));
        }
    }

    fn deleting_path(&self) -> PathBuf {
        self.common_dir().join("rye").join("deleting")
    }
}
