//! Folders of this user alone among the temporary files. They go with their value; leftovers of a killed program go
//! with the next new one.
//!
//! The user of such a folder holds a lock on it, which ends with the process. A folder that can be locked has no owner
//! any more.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::process::geteuid;
use tempfile::TempDir;

use super::removal::remove_folder;

/// How their names begin: so that no folder of a person's own is taken for one.
const PREFIX: &str = "rye-private-";
/// How many characters follow.
const RANDOM: usize = 10;
/// How often a folder is made again that another process took for a leftover.
const ATTEMPTS: usize = 16;
/// How many entries are looked at: a folder for temporary files may hold any number.
const MOST_ENTRIES: usize = 10_000;

/// A folder with mode 0700, whatever the umask is, removed on drop.
#[derive(Debug)]
pub struct PrivateFolder {
    folder: TempDir,
    _lock: File,
}

impl PrivateFolder {
    /// Makes one in the folder for temporary files, and removes those that killed programs left there.
    ///
    /// # Errors
    ///
    /// Fails when the operating system refuses.
    pub fn create(temp_dir: &Path) -> io::Result<Self> {
        remove_left(temp_dir);
        for _ in 0..ATTEMPTS {
            let private = Permissions::from_mode(0o700);
            let mut named = tempfile::Builder::new();
            let folder = named.prefix(PREFIX).rand_bytes(RANDOM).permissions(private).tempdir_in(temp_dir)?;
            // Before it is locked it looks like one that was left.
            if let Some(lock) = locked(folder.path()) {
                return Ok(Self { folder, _lock: lock });
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Returns where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        remove(self.folder.path());
    }
}

/// Removes a folder, whatever whoever was in there made of it. A file that cannot be removed stays.
fn remove(folder: &Path) {
    let _ = remove_folder(folder);
}

/// Takes the lock of a folder: `None` if another process has it, or the folder is gone.
fn locked(folder: &Path) -> Option<File> {
    let lock = File::open(folder).ok()?;
    lock.try_lock().ok()?;
    let (opened, found) = (lock.metadata().ok()?, fs::symlink_metadata(folder).ok()?);
    ((opened.dev(), opened.ino()) == (found.dev(), found.ino())).then_some(lock)
}

/// Removes unlocked folders. A file that cannot be removed stays.
fn remove_left(temp_dir: &Path) {
    for entry in fs::read_dir(temp_dir).into_iter().flatten().flatten().take(MOST_ENTRIES) {
        let is_named = entry.file_name().to_str().is_some_and(is_ours);
        let is_private = || {
            let found = fs::symlink_metadata(entry.path()).ok()?;
            Some(found.is_dir() && found.mode() & 0o7777 == 0o700 && found.uid() == geteuid().as_raw())
        };
        if is_named
            && is_private() == Some(true)
            && let Some(_lock) = locked(&entry.path())
        {
            remove(&entry.path());
        }
    }
}

fn is_ours(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX);
    rest.is_some_and(|rest| rest.len() == RANDOM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_was_left_is_removed_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let kept = PrivateFolder::create(temp.path()).unwrap();
        let make = |name: &str, mode: u32| {
            let path = temp.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("file"), "x").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        };
        let left = make("rye-private-0123456789", 0o700);
        let others = [
            make("rye-private-0123456788", 0o755),
            make("rye-private-notes", 0o700),
            make("rye-0123456789", 0o700),
            make("my-rye-private-0123456789", 0o700),
        ];
        let link = temp.path().join("rye-private-0123456787");
        std::os::unix::fs::symlink(&others[0], &link).unwrap();
        drop(PrivateFolder::create(temp.path()).unwrap());
        assert!(!left.exists() && kept.path().exists() && link.exists());
        assert!(others.iter().all(|folder| folder.join("file").exists()));
    }
}
