//! Removing a folder that a tool could write: however deep it is, and whatever the tool closed.
//!
//! The path of a deep folder may be longer than the system takes, and one open folder for each level more than a process may have. So
//! every step starts from an open folder, and what lies too deep is moved to the top before it is emptied. No link is followed.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fchmod, fstat, openat, renameat, statat, unlinkat};
use rustix::io::{Errno, Result};

/// The most folders in one another that are emptied where they are.
const MOST_LEVELS: usize = 64;
/// How often another name is tried where one is taken.
const MOST_NAMES: u64 = 1_000_000;

/// Removes a folder with all below it, or a file. Folders that their owner cannot change are opened first.
///
/// # Errors
///
/// As the operating system does; [`io::ErrorKind::NotFound`] where nothing is.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let name = folder.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let above = openat(CWD, above, FOLDER, Mode::empty())?;
    remove_folder_in(above, name)
}

/// Lets the owner of a folder list and change it. A link in its place is not followed.
///
/// # Errors
///
/// As the operating system does.
pub fn open_to_owner(folder: &Path) -> io::Result<()> {
    let name = folder.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let above = openat(CWD, folder.parent().unwrap_or(folder), FOLDER, Mode::empty())?;
    Ok(unlock(above, name)?)
}

/// Removes what a folder has under a name, as [`remove_folder`] does.
///
/// # Errors
///
/// As [`remove_folder`].
pub fn remove_folder_in(above: impl AsFd, name: &OsStr) -> io::Result<()> {
    let top = match opened(&above, name) {
        Ok(top) => top,
        Err(Errno::NOTDIR | Errno::LOOP) => return Ok(unlinkat(above, name, AtFlags::empty())?),
        Err(code) => return Err(code.into()),
    };
    let mut removal = Removal { top: &top, moved: 0 };
    loop {
        let before = removal.moved;
        removal.empty(&top, 0)?;
        if removal.moved == before {
            return Ok(unlinkat(above, name, AtFlags::REMOVEDIR)?);
        }
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

struct Removal<'t> {
    top: &'t OwnedFd,
    /// How many folders were moved to the top.
    moved: u64,
}

impl Removal<'_> {
    /// Removes all that lies in a folder. What is gone already is gone.
    fn empty(&mut self, folder: &OwnedFd, level: usize) -> Result<()> {
        for (name, is_folder) in entries(folder)? {
            let name = OsStr::from_bytes(name.as_bytes());
            let removed = match is_folder {
                false => unlinkat(folder, name, AtFlags::empty()),
                true => match opened(folder, name) {
                    Ok(_) if level == MOST_LEVELS => self.lift(folder, name),
                    Ok(below) => {
                        self.empty(&below, level + 1).and_then(|()| unlinkat(folder, name, AtFlags::REMOVEDIR))
                    }
                    Err(code) => Err(code),
                },
            };
            match removed {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(code) => return Err(code),
            }
        }
        Ok(())
    }

    /// Moves a folder to the top, where the next round finds it.
    fn lift(&mut self, folder: &OwnedFd, name: &OsStr) -> Result<()> {
        for _ in 0..MOST_NAMES {
            self.moved += 1;
            match renameat(folder, name, self.top, format!("rye-moved-{}", self.moved)) {
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                moved => return moved,
            }
        }
        Err(Errno::EXIST)
    }
}

/// Lists a folder, each name with whether it is that of a folder.
fn entries(folder: &OwnedFd) -> Result<Vec<(CString, bool)>> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => FileType::from_raw_mode(found.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        entries.push((name.to_owned(), kind == FileType::Directory));
    }
    Ok(entries)
}

/// Opens a folder, which its owner can change from then on.
fn opened(above: impl AsFd, name: &OsStr) -> Result<OwnedFd> {
    let all = Mode::RWXU;
    let found = match openat(&above, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::ACCESS) => {
            unlock(&above, name)?;
            openat(&above, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?
        }
        found => found?,
    };
    if !Mode::from_raw_mode(fstat(&found)?.st_mode).contains(all) {
        // Where that fails, the removal says why.
        let _ = fchmod(&found, all);
    }
    Ok(found)
}

/// Lets the owner of a folder list it. No link is followed.
#[cfg(target_os = "linux")]
fn unlock(above: impl AsFd, name: &OsStr) -> Result<()> {
    use std::os::fd::AsRawFd as _;

    let found =
        openat(above, name, OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    rustix::fs::chmod(format!("/proc/self/fd/{}", found.as_raw_fd()), Mode::RWXU)
}

#[cfg(not(target_os = "linux"))]
fn unlock(above: impl AsFd, name: &OsStr) -> Result<()> {
    rustix::fs::chmodat(above, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use rustix::fs::mkdirat;

    use super::*;

    /// Makes folders in one another, each from the one above it.
    fn nest(top: &Path, levels: usize) {
        fs::create_dir(top).unwrap();
        let mut folder = openat(CWD, top, FOLDER, Mode::empty()).unwrap();
        for level in 0..levels {
            for name in ["d", "e"] {
                mkdirat(&folder, name, Mode::RWXU).unwrap();
            }
            drop(openat(&folder, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap());
            let below = openat(&folder, "d", FOLDER, Mode::empty()).unwrap();
            if level % 50 == 7 {
                fchmod(&folder, Mode::empty()).unwrap();
            }
            folder = below;
        }
    }

    #[test]
    fn a_folder_is_removed_however_deep_it_is_and_whatever_is_closed() {
        let around = tempfile::tempdir().unwrap();
        let (outside, top) = (around.path().join("outside"), around.path().join("top"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "kept").unwrap();
        for levels in [0, 1, 63, 64, 65, 66, 200, 5_000] {
            nest(&top, levels);
            symlink(&outside, top.join("link")).unwrap();
            fs::write(top.join("rye-moved-1"), "taken").unwrap();
            fs::create_dir_all(top.join("rye-moved-2/x")).unwrap();
            fs::set_permissions(&top, fs::Permissions::from_mode(0o500)).unwrap();
            remove_folder(&top).unwrap();
            assert!(fs::symlink_metadata(&top).is_err(), "{levels}");
        }
        symlink(&outside, &top).unwrap();
        remove_folder(&top).unwrap();
        assert_eq!(remove_folder(&top).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(fs::read(outside.join("file")).unwrap(), b"kept");
    }
}
