//! A path that a person names for output: never in a git folder, and never in a place of the program's own.
//!
//! The path is judged where all links on it lead, whether there is anything or not. Names are compared folded; git's
//! folders and the program's own are also known by device and inode, so another name of a folder is the same place. What
//! is written goes into the folder that was judged: links that change meanwhile lead nowhere else.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::closed_places::leads_to;
use super::error::{Doing, Error};
use super::folder::Folder;
use super::git_folder::is_repository_at;
use super::item_file::Expected;
use super::own_places::OwnPlaces;
use super::protected_places::{is_git, is_own_of_ai};
use super::standpoint::end_of;
use crate::capability::folded;
use crate::context::Context;

const REPLACED: &str = "its folder was replaced meanwhile";

/// A file or folder that may be written because a person named it. Only [`OutputPlaces::judge`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPath {
    /// The path without links on the way.
    entry: PathBuf,
    /// The folder that it lies in, by device and inode; none where that is missing.
    folder: Option<(u64, u64)>,
}

/// Why a path is refused for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misplaced {
    /// It is, or lies in, a git folder.
    Git,
    /// It is, or lies in, a place of the program's own: settings, keys, trust, records, threads, plugins, caches.
    Own,
    /// Its links lead in a circle.
    Circle,
}

/// What paths for output are judged by, looked up once for all paths of a command.
#[derive(Debug)]
pub struct OutputPlaces<'c> {
    current_dir: &'c Path,
    /// None where they cannot be told: every path is refused then.
    own: Option<OwnPlaces>,
    git: OwnPlaces,
}

impl<'c> OutputPlaces<'c> {
    /// Looks for the places of the program; `git_dirs` are the git folders of the project's repository.
    #[must_use]
    pub fn find<'p>(ctx: &'c Context, git_dirs: impl IntoIterator<Item = &'p Path>) -> Self {
        let own = OwnPlaces::find(&ctx.own_places()).ok();
        Self { current_dir: ctx.current_dir(), own, git: OwnPlaces::default().with_git(git_dirs) }
    }

    /// Judges a path, which may be relative to the folder of the context.
    ///
    /// # Errors
    ///
    /// Tells why the path is refused. A place that cannot be judged is refused as the program's own.
    pub fn judge(&self, named: &Path) -> Result<OutputPath, Misplaced> {
        self.judged(named, false)
    }

    /// Judges a folder that becomes a repository: it may be one already, but not lie in one's git folder.
    ///
    /// # Errors
    ///
    /// As [`Self::judge`].
    pub fn judge_repository(&self, named: &Path) -> Result<OutputPath, Misplaced> {
        self.judged(named, true)
    }

    fn judged(&self, named: &Path, is_repository: bool) -> Result<OutputPath, Misplaced> {
        let path = self.current_dir.join(named);
        let end = end_of(&path).ok_or(Misplaced::Circle)?;
        // The last name of the path may be a link, which is replaced and not followed: both of its ends count.
        let above = end_of(path.parent().unwrap_or(&path)).ok_or(Misplaced::Circle)?;
        let entry = path.file_name().map_or_else(|| end.clone(), |name| above.join(name));
        let own = self.own.as_ref().ok_or(Misplaced::Own)?;
        for end in [&end, &entry] {
            check_names(end)?;
            if end.ancestors().any(|above| own.has(above)) {
                return Err(Misplaced::Own);
            }
            let git_from = if is_repository { end.parent() } else { Some(end.as_path()) };
            if self.git.has(end) || git_from.is_some_and(|from| is_in_git_folder(from, &self.git)) {
                return Err(Misplaced::Git);
            }
        }
        let folder = std::fs::metadata(&above).ok().as_ref().map(identity);
        Ok(OutputPath { entry, folder })
    }
}

impl OutputPath {
    /// Returns the path, absolute and without links on the way.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.entry
    }

    /// Writes the file completely or not at all, into the folder that was judged; `force` replaces one that exists.
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing, or was replaced since it was judged; when the file exists without `force`; or the
    /// operating system refuses.
    pub fn write(&self, bytes: &[u8], force: bool) -> Result<(), Error> {
        let path = &self.entry;
        let missing = || Error::NotFound { path: path.clone() };
        let above = path.parent().ok_or_else(missing)?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(missing)?;
        let folder = Folder::open_root(above, above)?;
        let opened = rustix::fs::fstat(&folder.dir).map_err(|code| Error::of(Doing::Write, path, code))?;
        if self.folder != Some((opened.st_dev as _, opened.st_ino as _)) {
            return Err(Error::Refused { path: path.clone(), reason: REPLACED });
        }
        let expected = if force { Expected::Any } else { Expected::Absent };
        folder.replace(name, bytes, expected).map(drop)
    }
}

/// Refuses git's own names, and below any `.ai` those that decide, as some file system takes them.
fn check_names(path: &Path) -> Result<(), Misplaced> {
    let parts: Vec<String> = path.iter().map(|part| folded(&part.to_string_lossy())).collect();
    if parts.iter().any(|part| is_git(part)) {
        return Err(Misplaced::Git);
    }
    if parts.windows(2).any(is_own_of_ai) { Err(Misplaced::Own) } else { Ok(()) }
}

/// Tells whether a path is, or lies in, a git folder. A work tree that git linked to a repository may lie in the folder of that one.
fn is_in_git_folder(path: &Path, git: &OwnPlaces) -> bool {
    let mut linked: Vec<PathBuf> = Vec::new();
    for above in path.ancestors() {
        // A file of this name alone makes no work tree.
        let led = leads_to(&above.join(".git")).filter(|led| is_repository_at(led));
        let is_git = git.has(above) || led.is_none() && is_repository_at(above);
        if is_git && !linked.iter().any(|led| led.starts_with(above)) {
            return true;
        }
        linked.extend(led.filter(|led| led.join("commondir").is_file()));
    }
    false
}

fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}
