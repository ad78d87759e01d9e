//! The places of a project that no script may read: git folders under any name, and `.ai/trust` and its neighbours at any depth.
//!
//! Git takes a folder for a repository by what lies in it, so its content decides and not its name. One walk looks at names, level by
//! level on every core, and opens no file but a `.git` that leads to another folder. A folder that cannot be listed counts as such a
//! place. A walk that would be too long fails, and its caller grants nothing.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::cores::{on_every_core, shares};
use super::error::Error;
use super::folder::Folder;
use super::protected_places;
use crate::capability::{GitNames, ProjectPath, folded};

/// The most entries that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// The most places: each is taken out of a sandbox by itself.
const MOST_PLACES: usize = 4_096;
/// Fewer folders than this are not worth another core.
const FOLDERS_AT_ONCE: usize = 16;
/// The longest `.git` file: git knows no longer paths.
const MOST_LINK: u64 = 8 * 1024;

/// Finds the places in some folders, which are given by paths without links.
///
/// # Errors
///
/// [`Error::TooManyFiles`] where there is too much to tell.
pub fn closed_places(folders: Vec<PathBuf>) -> Result<BTreeSet<PathBuf>, Error> {
    let Some(first) = folders.first().cloned() else { return Ok(BTreeSet::new()) };
    let (mut level, mut closed, mut entries) = (folders, BTreeSet::new(), 0);
    while !level.is_empty() {
        let found = on_every_core(shares(&level, FOLDERS_AT_ONCE), Found::in_folders);
        level = Vec::new();
        for found in found {
            entries += found.entries;
            closed.extend(found.closed);
            level.extend(found.below);
        }
        for (found, limit) in [(entries, MOST_ENTRIES), (closed.len(), MOST_PLACES)] {
            if found > limit {
                return Err(Error::TooManyFiles { path: first, limit });
            }
        }
    }
    Ok(closed)
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
    below: Vec<PathBuf>,
    entries: usize,
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
        let is_ai = folder.file_name().is_some_and(|name| protected_places::is_ai(&folded(&name.to_string_lossy())));
        let entries =
            fs::read_dir(folder).and_then(|listed| listed.take(MOST_ENTRIES + 1).collect::<Result<Vec<DirEntry>, _>>());
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return,
            Err(_) => return self.closed.push(folder.to_owned()),
        };
        self.entries += entries.len();
        let (mut names, begun) = (GitNames::default(), (self.closed.len(), self.below.len()));
        for entry in entries {
            self.entry(&entry, is_ai, &mut names);
        }
        if names.are_a_repository() {
            self.closed.truncate(begun.0);
            self.below.truncate(begun.1);
            self.closed.push(folder.to_owned());
        }
    }

    fn entry(&mut self, entry: &DirEntry, is_in_ai: bool, names: &mut GitNames) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(_) => return self.closed.push(entry.path()),
        };
        *names = names.with(GitNames::of_entry(&name, kind.is_dir(), kind.is_file()));
        let is_protected = is_in_ai && protected_places::is_below_ai(&folded(&name));
        let is_git = may_be_git(&name) && protected_places::is_git(&folded(&name));
        if is_protected || is_git && kind.is_dir() {
            self.closed.push(entry.path());
        } else if is_git {
            // The file itself holds a path, and git needs it.
            self.closed.extend(led_to(&entry.path()));
        } else if kind.is_dir() {
            self.below.push(entry.path());
        }
    }
}

/// Most names cannot be one of git's, and folding each takes its time.
fn may_be_git(name: &str) -> bool {
    !name.is_ascii() || name.starts_with(['.', 'g', 'G'])
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
