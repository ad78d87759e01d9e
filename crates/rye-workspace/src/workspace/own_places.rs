//! What lies in a project and belongs to the program itself, by whatever name: no tool reads or writes it.
//!
//! A home folder may be a project, and a project may hold what the program's own files are links to, as repositories of
//! dotfiles do. So each place counts where all links on the way to it lead, whether there is anything or not, and by device
//! and inode where there is something: another name of the same file or folder is the same place.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;

use super::error::Error;
use super::standpoint::end_of;
use crate::capability::{ProjectPath, folded};
use crate::context::OwnPlace;

/// The most files and folders of the program's own that are looked at.
const MOST: usize = 100_000;

/// What tools read at the top of a git folder.
const OPEN_IN_GIT: [&str; 8] = ["HEAD", "ORIG_HEAD", "commondir", "gitdir", "index", "packed-refs", "refs", "shallow"];

/// What holds files of the project, in a git folder and in those of its submodules.
const CONTENT_IN_GIT: [&str; 3] = ["annex", "lfs", "objects"];

/// Why a path is refused.
const REASON: &str = "tools cannot access the program's own keys, trust, settings and records";

/// The device and inode of a file or folder.
type Identity = (u64, u64);

/// Where the program's own files and folders are.
#[derive(Debug, Default)]
pub struct OwnPlaces {
    ends: BTreeSet<PathBuf>,
    /// Git's folders: a work tree may lie in one of them.
    git: BTreeSet<PathBuf>,
    found: BTreeSet<Identity>,
    /// Files with more than one name.
    several: BTreeSet<Identity>,
}

/// The same, as seen from the folder of a project.
#[derive(Debug, Clone, Default)]
pub(super) struct Own {
    /// The folded names that lead to each place below the project.
    names: Vec<Vec<String>>,
    found: Arc<BTreeSet<Identity>>,
    /// Whether the project lies in such a place.
    is_within: bool,
}

impl OwnPlaces {
    /// Looks for them.
    ///
    /// # Errors
    ///
    /// Fails when there are too many to tell.
    pub fn find(places: &[OwnPlace]) -> Result<Self, Error> {
        let mut found = Self::default();
        places.iter().try_for_each(|place| found.look(&place.path, place.levels))?;
        Ok(found)
    }

    /// Takes the folders of the project's repository, which need not be named `.git`.
    #[must_use]
    pub fn with_git<'p>(mut self, dirs: impl IntoIterator<Item = &'p Path>) -> Self {
        for dir in dirs {
            self.git.extend(end_of(dir));
            self.found.extend(fs::metadata(dir).ok().as_ref().map(identity));
        }
        self
    }

    /// Takes the files of git folders that may hold credentials and have another name somewhere: by that name they are no file of the project.
    ///
    /// # Errors
    ///
    /// Fails when there are too many files to tell.
    pub fn with_git_files<'p>(mut self, dirs: impl IntoIterator<Item = &'p Path>) -> Result<Self, Error> {
        let mut folders: Vec<(PathBuf, bool)> = dirs.into_iter().map(|dir| (dir.to_owned(), true)).collect();
        let mut seen = 0;
        while let Some((folder, is_top)) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                seen += 1;
                if seen > MOST {
                    return Err(Error::TooManyFiles { path: folder, limit: MOST });
                }
                let is_open = entry
                    .file_name()
                    .to_str()
                    .is_some_and(|name| CONTENT_IN_GIT.contains(&name) || is_top && OPEN_IN_GIT.contains(&name));
                let Some(there) = entry.metadata().ok().filter(|_| !is_open) else { continue };
                if there.is_dir() {
                    folders.push((entry.path(), false));
                } else if there.is_file() && there.nlink() > 1 {
                    self.found.insert(identity(&there));
                    self.several.insert(identity(&there));
                }
            }
        }
        Ok(self)
    }

    /// Returns where they really are, by paths without links.
    pub fn ends(&self) -> impl Iterator<Item = &PathBuf> {
        self.ends.iter()
    }

    /// Tells whether a file or folder without links on its way is such a place, by its path or by device and inode.
    pub(super) fn has(&self, end: &Path) -> bool {
        let is_found = || fs::symlink_metadata(end).is_ok_and(|there| self.found.contains(&identity(&there)));
        self.ends.contains(end) || self.git.contains(end) || is_found()
    }

    /// Returns those files, by device and inode, that have another name somewhere.
    #[must_use]
    pub fn of_several_names(self) -> BTreeSet<(u64, u64)> {
        self.several
    }

    /// Takes a place, and the links in as many levels below it.
    fn look(&mut self, path: &Path, levels: usize) -> Result<(), Error> {
        let Some(end) = end_of(path) else { return Ok(()) };
        let there = fs::metadata(&end).ok();
        let is_new = there.as_ref().is_none_or(|there| self.found.insert(identity(there)));
        self.ends.insert(end.clone());
        self.several.extend(there.iter().filter(|there| there.is_file() && there.nlink() > 1).map(identity));
        if self.found.len() + self.ends.len() > MOST {
            return Err(Error::TooManyFiles { path: path.to_path_buf(), limit: MOST });
        }
        if levels == 0 || !is_new || !there.is_some_and(|there| there.is_dir()) {
            return Ok(());
        }
        // A folder that cannot be listed is useless for the program, too.
        for entry in fs::read_dir(&end).into_iter().flatten().flatten() {
            self.look(&entry.path(), levels - 1)?;
        }
        Ok(())
    }

    /// Returns what of it concerns a project whose folder is `project`.
    pub(super) fn seen_from(self, project: &Path) -> Own {
        let project = project.canonicalize().unwrap_or_else(|_| project.to_path_buf());
        let below = |end: &PathBuf| {
            let below = end.strip_prefix(&project).ok()?;
            Some(below.iter().map(|name| folded(&name.to_string_lossy())).collect::<Vec<_>>())
        };
        let names = self.ends.iter().chain(&self.git).filter_map(below).filter(|names| !names.is_empty()).collect();
        let is_own = |folder: &Path| fs::metadata(folder).is_ok_and(|found| self.found.contains(&identity(&found)));
        let is_git = |folder: &Path| self.git.contains(folder);
        let is_within = project.ancestors().any(|above| self.ends.contains(above) || is_own(above) && !is_git(above));
        Own { names, found: Arc::new(self.found), is_within }
    }
}

impl Own {
    /// Refuses a path that is, or lies in, such a place by its names.
    pub(super) fn check(&self, path: &ProjectPath) -> Result<(), Error> {
        let is_own = || {
            let parts: Vec<String> = path.parts().map(folded).collect();
            self.names.iter().any(|names| parts.starts_with(names))
        };
        if self.is_within || is_own() { Err(refused(Path::new(path.as_str()))) } else { Ok(()) }
    }

    /// Refuses a file or folder that is such a place by another name.
    pub(super) fn check_found(&self, path: &Path, found: &Stat) -> Result<(), Error> {
        if self.has(found) { Err(refused(path)) } else { Ok(()) }
    }

    /// Tells whether a file or folder is such a place.
    pub(super) fn has(&self, found: &Stat) -> bool {
        self.found.contains(&(found.st_dev as _, found.st_ino as _))
    }
}

fn identity(found: &Metadata) -> Identity {
    (found.dev(), found.ino())
}

fn refused(path: &Path) -> Error {
    Error::Refused { path: path.to_path_buf(), reason: REASON }
}
