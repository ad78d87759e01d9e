//! What lies in a folder of the system and is not for everybody: files that others may not read, and git folders.
//!
//! Only names and modes are looked at. A folder with too much in it, or too deep, counts as not for everybody.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid, getgroups};
use serde::{Deserialize, Serialize};

use crate::capability::GitNames;

/// The most entries below one folder of a root: what has more is kept out as a whole.
const MOST_ENTRIES: usize = 1_000_000;
/// The most levels of folders.
const MOST_LEVELS: usize = 64;
/// The most private entries of one folder that are kept out one by one.
const MOST_BESIDE: usize = 256;
/// The most parts that are kept out of a sandbox one by one: each costs the start of a tool a little.
const MOST_KEPT: usize = 4096;

/// All users may read a file, or enter and list a folder.
const READ: u32 = 0o4;
const ENTER: u32 = 0o5;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Survey {
    parts: Vec<Part>,
}

/// A file or folder that is not for everybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    path: PathBuf,
    /// Whose it is, and the permission bits; none for what is kept from everybody.
    mode: Option<Mode>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Mode {
    user: u32,
    group: u32,
    bits: u32,
}

impl Survey {
    /// Looks through folders.
    #[must_use]
    pub(super) fn of(roots: &[PathBuf]) -> Self {
        let mut walk = Walk::default();
        for root in roots {
            match fs::metadata(root).ok().as_ref().and_then(private) {
                Some(mode) => walk.parts.push(Part { path: root.clone(), mode }),
                // What has too much is in it as a whole by now.
                None => drop(walk.folder(root, 0)),
            }
        }
        Self { parts: walk.parts }
    }

    /// Returns what is kept from the tools of this user: a file that the kernel keeps from the user needs nothing more. Where that is too
    /// much, whole folders are kept.
    pub(super) fn kept_from_this_user(&self) -> Vec<PathBuf> {
        let groups: BTreeSet<u32> =
            getgroups().unwrap_or_default().into_iter().chain([getegid()]).map(|group| group.as_raw()).collect();
        let user = geteuid().as_raw();
        let is_reached = |part: &&Part| {
            // The owner can change the mode.
            let by_mode = |mode: &Mode| mode.user == user || groups.contains(&mode.group) && mode.bits & 0o050 != 0;
            part.mode.as_ref().is_none_or(|mode| by_mode(mode) || has_list(&part.path))
        };
        folded(self.parts.iter().filter(is_reached).map(|part| part.path.clone()).collect())
    }
}

/// Tells whether a list says who else may read a file, which its mode does not show (acl(5)).
fn has_list(path: &Path) -> bool {
    rustix::fs::lgetxattr(path, "system.posix_acl_access", &mut [0_u8; 0][..]).is_ok_and(|length| length > 0)
}

/// Replaces the deepest paths by the folders that they lie in, until there are few enough.
fn folded(mut paths: BTreeSet<PathBuf>) -> Vec<PathBuf> {
    while paths.len() > MOST_KEPT {
        let depth = |path: &PathBuf| path.components().count();
        let deepest = paths.iter().map(depth).max().unwrap_or_default();
        let folder = |path: PathBuf| path.parent().map(Path::to_path_buf).unwrap_or(path);
        paths = paths.into_iter().map(|path| if depth(&path) == deepest { folder(path) } else { path }).collect();
    }
    paths.into_iter().collect()
}

/// There is too much in a folder.
struct TooMuch;

#[derive(Default)]
struct Walk {
    parts: Vec<Part>,
    /// How many entries were seen below the present folder of a root.
    entries: usize,
}

impl Walk {
    /// Looks through a folder that all users may enter and list.
    fn folder(&mut self, folder: &Path, level: usize) -> Result<(), TooMuch> {
        let begun = self.parts.len();
        let Some(entries) = fs::read_dir(folder).ok().filter(|_| level <= MOST_LEVELS) else {
            self.keep_whole(folder, begun);
            return Ok(());
        };
        let (mut beside, mut names) = (0, GitNames::default());
        for entry in entries.flatten() {
            names = names.with(GitNames::of(&entry.file_name().to_string_lossy()));
            let before = self.parts.len();
            beside += usize::from(self.entry(&entry, level, before)?);
        }
        if names.are_a_repository() || beside > MOST_BESIDE {
            self.keep_whole(folder, begun);
        }
        Ok(())
    }

    /// Looks at an entry of a folder, and below. Tells whether it is private itself.
    fn entry(&mut self, entry: &DirEntry, level: usize, begun: usize) -> Result<bool, TooMuch> {
        self.entries = if level == 0 { 0 } else { self.entries + 1 };
        let path = entry.path();
        if entry.file_name().eq_ignore_ascii_case(".git") {
            self.parts.push(Part { path, mode: None });
            return Ok(false);
        }
        // A link adds nothing to what it leads to, and a removed file is not read.
        let Some(found) = entry.metadata().ok().filter(|found| !found.is_symlink()) else { return Ok(false) };
        if let Some(mode) = private(&found) {
            self.parts.push(Part { path, mode });
            return Ok(true);
        }
        let is_within = self.entries <= MOST_ENTRIES && (!found.is_dir() || self.folder(&path, level + 1).is_ok());
        match (is_within, level) {
            (true, _) => {}
            (false, 0) => self.keep_whole(&path, begun),
            (false, _) => return Err(TooMuch),
        }
        Ok(false)
    }

    /// Keeps a folder out, with all that was found in it.
    fn keep_whole(&mut self, folder: &Path, begun: usize) {
        self.parts.truncate(begun);
        self.parts.push(Part { path: folder.to_owned(), mode: None });
    }
}

/// Whose a file or folder is that not all users may read. A folder that all may enter and not list is everybody's: who knows a name in it gets
/// there, and nothing tells what that is.
fn private(found: &Metadata) -> Option<Option<Mode>> {
    let (bits, for_all) = (found.mode() & 0o7777, if found.is_dir() { ENTER } else { READ });
    let is_entered = found.is_dir() && bits & 0o1 != 0;
    let mode = Mode { user: found.uid(), group: found.gid(), bits };
    (bits & for_all != for_all).then(|| (!is_entered).then_some(mode))
}
