//! The places of a project that no script may read: git folders under any name, and `.ai/trust` and its neighbours at any depth.
//!
//! Git takes a folder for a repository by what lies in it, so its content decides and not its name. One walk looks at names, level by
//! level on every core, and opens no file but a `.git` that leads to another folder. A folder that cannot be listed counts as such a
//! place. A walk that would be too long or is stopped fails, and its caller grants nothing.
//!
//! Nothing is remembered from one walk to the next: a script that writes may make a git folder between two of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, open, statat};
use rustix::io::Errno;

use super::cores::{on_every_core, shares};
use super::error::Error;
use super::folder::{Folder, kind};
use super::protected_places;
use crate::capability::{GitNames, ProjectPath, folded};

/// The most entries that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// The most places: each is taken out of a sandbox by itself.
const MOST_PLACES: usize = 4_096;
/// Fewer folders than this are not worth another core.
const FOLDERS_AT_ONCE: usize = 16;
/// After so many folders the caller is asked whether to go on.
const FOLDERS_UNASKED: usize = 1_024;
/// How many bytes of names are listed at once.
#[cfg(target_os = "linux")]
const AT_ONCE: usize = 32 * 1024;
/// The longest `.git` file: git knows no longer paths.
const MOST_LINK: u64 = 8 * 1024;

/// What a walk found.
#[derive(Default)]
pub(super) struct Walk {
    /// The places.
    pub(super) closed: BTreeSet<PathBuf>,
    /// Folders that have a `.git`.
    pub(super) tops: BTreeSet<PathBuf>,
    /// Links, which are not followed.
    pub(super) links: Vec<PathBuf>,
}

/// Finds the places in some folders, which are given by paths without links. It ends early once it `is_over`.
///
/// # Errors
///
/// [`Error::TooManyFiles`] where there is too much to tell, [`Error::Stopped`] where it is over first.
pub fn closed_places(folders: Vec<PathBuf>, is_over: &dyn Fn() -> bool) -> Result<BTreeSet<PathBuf>, Error> {
    Ok(walked(folders, MOST_PLACES, is_over)?.closed)
}

/// Walks through folders that have at most so many places, with the errors of [`closed_places`].
pub(super) fn walked(folders: Vec<PathBuf>, most_places: usize, is_over: &dyn Fn() -> bool) -> Result<Walk, Error> {
    let Some(first) = folders.first().cloned() else { return Ok(Walk::default()) };
    let (mut level, mut walk, mut entries) = (folders, Walk::default(), 0);
    while !level.is_empty() {
        let mut below = Vec::new();
        for folders in level.chunks(FOLDERS_UNASKED) {
            if is_over() {
                return Err(Error::Stopped { path: first });
            }
            for found in on_every_core(shares(folders, FOLDERS_AT_ONCE), Found::in_folders) {
                entries += found.entries;
                walk.closed.extend(found.closed);
                walk.tops.extend(found.tops);
                walk.links.extend(found.links);
                below.extend(found.below);
            }
            for (found, limit) in [(entries, MOST_ENTRIES), (walk.closed.len(), most_places)] {
                if found > limit {
                    return Err(Error::TooManyFiles { path: first, limit });
                }
            }
        }
        level = below;
    }
    Ok(walk)
}

/// Tells whether a path of a project at `top` is, or lies in, such a place. Both are without links.
#[must_use]
pub fn is_closed(top: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(top).ok().and_then(Path::to_str).and_then(|path| path.parse::<ProjectPath>().ok());
    if below.is_none_or(|below| protected_places::reason(&below).is_some()) {
        return true;
    }
    path.ancestors().take_while(|above| above.starts_with(top)).any(is_git_folder)
}

/// Tells whether git takes a folder for a repository; one that cannot be listed may be one.
fn is_git_folder(folder: &Path) -> bool {
    let mut found = Found::default();
    found.enter(folder);
    found.closed.iter().any(|closed| closed == folder)
}

/// What lies in some folders.
#[derive(Default)]
struct Found {
    closed: Vec<PathBuf>,
    tops: Vec<PathBuf>,
    links: Vec<PathBuf>,
    below: Vec<PathBuf>,
    entries: usize,
    /// For the names of one folder after the other.
    buffer: Vec<u8>,
}

impl Found {
    fn in_folders(folders: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for folder in folders {
            found.enter(folder);
            if found.entries > MOST_ENTRIES {
                break;
            }
        }
        found
    }

    /// Looks at the names in a folder; a file has none.
    fn enter(&mut self, folder: &Path) {
        let begun = (self.closed.len(), self.below.len());
        let is_git = match self.look(folder) {
            Ok(names) => names.are_a_repository(),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return,
            Err(_) => true,
        };
        if is_git {
            self.closed.truncate(begun.0);
            self.below.truncate(begun.1);
            self.closed.push(folder.to_owned());
        }
    }

    /// Takes in what lies in a folder, and returns its names that tell git what it is.
    fn look(&mut self, folder: &Path) -> Result<GitNames, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = open(folder, flags, Mode::empty())?;
        let is_ai = folder.file_name().is_some_and(|name| protected_places::is_ai(&folded(&name.to_string_lossy())));
        let mut names = GitNames::default();
        let mut buffer = std::mem::take(&mut self.buffer);
        let listed = each_entry(opened, &mut buffer, &mut |name, kind| {
            self.entries += 1;
            // Most entries are files whose names say nothing.
            if kind != FileType::RegularFile || is_ai || may_matter(name) {
                self.entry(folder, (name, kind), is_ai, &mut names);
            }
            self.entries <= MOST_ENTRIES
        });
        self.buffer = buffer;
        listed.map(|()| names)
    }

    fn entry(&mut self, folder: &Path, (bytes, kind): (&[u8], FileType), is_in_ai: bool, names: &mut GitNames) {
        if matches!(bytes, b"." | b"..") {
            return;
        }
        let path = || folder.join(OsStr::from_bytes(bytes));
        let kind = match kind {
            FileType::Unknown => match kind_at(&path()) {
                Ok(kind) => kind,
                Err(Errno::NOENT) => return,
                Err(_) => return self.closed.push(path()),
            },
            kind => kind,
        };
        let is_folder = kind == FileType::Directory;
        let (is_git, is_protected) = if is_in_ai || may_matter(bytes) {
            let name = String::from_utf8_lossy(bytes);
            *names = names.with(GitNames::of_entry(&name, is_folder, kind == FileType::RegularFile));
            let folded = folded(&name);
            (protected_places::is_git(&folded), is_in_ai && protected_places::is_below_ai(&folded))
        } else {
            (false, false)
        };
        if is_git {
            self.tops.push(folder.to_owned());
        }
        if is_protected || is_git && is_folder {
            self.closed.push(path());
        } else if kind == FileType::Symlink && !is_git {
            self.links.push(path());
        } else if is_git {
            // The file itself holds a path, and git needs it.
            self.closed.extend(led_to(&path()));
        } else if is_folder {
            self.below.push(path());
        }
    }
}

/// Lists an open folder, `.` and `..` included, until `goes_on` says no. The kernel is asked for as much as fits in the buffer.
#[cfg(target_os = "linux")]
fn each_entry(
    folder: OwnedFd,
    buffer: &mut Vec<u8>,
    goes_on: &mut dyn FnMut(&[u8], FileType) -> bool,
) -> Result<(), Errno> {
    buffer.reserve(AT_ONCE);
    let mut listed = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = listed.next() {
        let entry = entry?;
        if !goes_on(entry.file_name().to_bytes(), entry.file_type()) {
            break;
        }
    }
    Ok(())
}

/// The same where the system has no such call.
#[cfg(not(target_os = "linux"))]
fn each_entry(folder: OwnedFd, _: &mut Vec<u8>, goes_on: &mut dyn FnMut(&[u8], FileType) -> bool) -> Result<(), Errno> {
    for entry in rustix::fs::Dir::new(folder)? {
        let entry = entry?;
        if !goes_on(entry.file_name().to_bytes(), entry.file_type()) {
            break;
        }
    }
    Ok(())
}

/// Looks at what a file system does not tell with the name.
fn kind_at(path: &Path) -> Result<FileType, Errno> {
    Ok(kind(&statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// Tells whether a name may be one of git's, or one that tells git what a folder is. Most names cannot, and folding each takes its
/// time.
fn may_matter(name: &[u8]) -> bool {
    !name.is_ascii()
        || name.first().is_some_and(|first| matches!(first, b'.' | b'g' | b'G') || GitNames::begin_with(*first))
}

/// Returns the folder that a `.git` leads to which is a file or a link; none if that is one around it.
fn led_to(path: &Path) -> Option<PathBuf> {
    leads_to(path).filter(|led| !path.starts_with(led))
}

/// Returns the folder that a `.git` is, or leads to.
pub(super) fn leads_to(path: &Path) -> Option<PathBuf> {
    let whole = path.canonicalize().ok()?;
    if whole.is_dir() { Some(whole) } else { named_by(&whole) }
}

/// Returns the folder that a `.git` file names.
fn named_by(file: &Path) -> Option<PathBuf> {
    let above = file.parent()?;
    let name = file.file_name().and_then(OsStr::to_str)?;
    let (bytes, is_longer) = Folder::open_root(above, above).ok()?.read_file(name, MOST_LINK).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|_| !is_longer)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    above.join(named).canonicalize().ok().filter(|named| named.is_dir())
}
