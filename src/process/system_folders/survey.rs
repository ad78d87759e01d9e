//! What lies in a folder of the system and is not for everybody: files that others may not read, and git folders.
//!
//! Only names and modes are looked at. A folder with too much in it, or too deep, counts as not for everybody.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid, getgroups};
use serde::{Deserialize, Serialize};

use super::super::error::Error;

/// The most entries below one folder of a root: what has more is kept out as a whole.
const MOST_ENTRIES: usize = 1_000_000;
/// The most levels of folders.
const MOST_LEVELS: usize = 64;
/// The most private entries of one folder that are kept out one by one.
const MOST_BESIDE: usize = 256;
/// The most parts that are kept out of a sandbox: each costs the start of a tool a little.
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
                Some(mode) => walk.parts.push(Part { path: root.clone(), mode: Some(mode) }),
                // What has too much is in it as a whole by now.
                None => drop(walk.folder(root, 0)),
            }
        }
        Self { parts: walk.parts }
    }

    /// Returns what is kept from the tools of this user: a file that the kernel keeps from the user needs nothing more.
    ///
    /// # Errors
    ///
    /// [`Error::Confine`] when it is too much.
    pub(super) fn kept_from_this_user(&self) -> Result<Vec<PathBuf>, Error> {
        let groups: BTreeSet<u32> =
            getgroups().unwrap_or_default().into_iter().chain([getegid()]).map(|group| group.as_raw()).collect();
        let user = geteuid().as_raw();
        // The mode's first bits are the owner's, whatever the others say; the owner can change them, too.
        let is_reached = |mode: &Mode| mode.user == user || groups.contains(&mode.group) && mode.bits & 0o050 != 0;
        let kept = self.parts.iter().filter(|part| part.mode.as_ref().is_none_or(is_reached));
        let kept: Vec<PathBuf> = kept.map(|part| part.path.clone()).collect();
        match kept.len() {
            ..=MOST_KEPT => Ok(kept),
            _ => {
                let source = std::io::Error::other(format!("more than {MOST_KEPT} files there are not for all users"));
                Err(Error::Confine { what: "what is read of the system's folders", source })
            }
        }
    }
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
        let (mut beside, mut names) = (0, Names::default());
        for entry in entries.flatten() {
            names.see(&entry.file_name().to_string_lossy());
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
            self.parts.push(Part { path, mode: Some(mode) });
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

/// Whose a file or folder is that not all users may read.
fn private(found: &Metadata) -> Option<Mode> {
    let (bits, for_all) = (found.mode() & 0o7777, if found.is_dir() { ENTER } else { READ });
    (bits & for_all != for_all).then(|| Mode { user: found.uid(), group: found.gid(), bits })
}

/// The names in a folder by which git takes it for a repository.
#[derive(Default)]
struct Names {
    head: bool,
    objects: bool,
    refs: bool,
}

impl Names {
    fn see(&mut self, name: &str) {
        match name {
            "HEAD" => self.head = true,
            "objects" => self.objects = true,
            "refs" => self.refs = true,
            _ => {}
        }
    }

    const fn are_a_repository(&self) -> bool {
        self.head && self.objects && self.refs
    }
}
