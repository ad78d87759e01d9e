//! One accept at a time in a repository: a lock that names its holder, and goes with it and with the git that it started: so what
//! a killed accept left running cannot meet the next one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::error::Error;
use crate::id::ThreadId;
use crate::process;

/// The lock, held.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

/// Returns the folder in which accepts keep what they need.
pub(super) fn folder(git_dir: &Path) -> PathBuf {
    git_dir.join("rye").join("accept")
}

/// Reads the process from what a holder says of itself.
fn process_of(holder: &str) -> Option<u32> {
    holder.strip_prefix("process ")?.split(',').next()?.parse().ok()
}

impl Lock {
    /// Takes the lock of a repository, given by the folder that all its work trees share.
    pub(super) fn take(common_dir: &Path, thread_id: &ThreadId) -> Result<Self, Error> {
        let path = folder(common_dir).join("lock");
        let failed = |source| Error::Journal { path: path.clone(), source };
        fs::create_dir_all(folder(common_dir)).map_err(failed)?;
        let mut file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(&path).ok().map(|text| text.trim().to_owned());
                let holder = holder.filter(|text| !text.is_empty());
                // Its child processes hold the lock, too.
                let is_gone = holder.as_deref().and_then(process_of).is_some_and(process::is_gone);
                return Err(if is_gone { Error::LeftRunning { holder } } else { Error::Busy { holder } });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let holder = format!("process {}, thread {thread_id}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(holder.as_bytes())).map_err(failed)?;
        Ok(Self { file })
    }

    /// Returns another handle: the lock is held as long as one is open. Both share a position, which is the end, so whoever reads
    /// it reads nothing.
    pub(super) fn share(&self) -> Result<File, Error> {
        self.file.try_clone().map_err(|source| Error::Journal { path: "lock".into(), source })
    }
}
