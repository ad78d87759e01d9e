//! A path that a person names for output: never in a git folder, and never in a place of the program's own.
//!
//! The path is judged where all links on it lead, whether there is anything or not. Names are compared folded; git's
//! folders and the program's own are also known by device and inode, so another name of a folder is the same place.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::item_file::{create_file, replace_file};
use super::own_places::OwnPlaces;
use super::protected_places::{is_git, is_own_of_ai};
use super::standpoint::end_of;
use crate::capability::folded;
use crate::context::Context;

/// A file or folder that may be written because a person named it. Only [`OutputPlaces::judge`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPath(PathBuf);

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
            if up_to_work_tree(end).any(|above| self.git.has(above) || is_git_folder(above)) {
                return Err(Misplaced::Git);
            }
        }
        Ok(OutputPath(path))
    }
}

impl OutputPath {
    /// Returns the path, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the file completely or not at all; `force` replaces one that exists.
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing, the file exists without `force`, or the operating system refuses.
    pub fn write(&self, bytes: &[u8], force: bool) -> Result<(), Error> {
        if force { replace_file(&self.0, bytes) } else { create_file(&self.0, bytes) }
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

/// Lists a path and the folders above it, up to the work tree that it lies in: work trees of a bare repository may lie
/// in its folder.
fn up_to_work_tree(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().take_while(|above| !above.join(".git").exists())
}

/// Tells whether git would take a folder for a repository, or for a part of one.
fn is_git_folder(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}
