//! What lies in a project's folders, for tools that look for something; and the moves of single files.

use std::ffi::OsStr;

use rustix::fs::AtFlags;

use super::error::{Doing, Error};
use super::folder::Name;
use super::project_dir::{EntryKind, ProjectDir, split};
use super::{git_folder, protected_places};
use crate::capability::ProjectPath;
use crate::context::remove_folder_in;

impl ProjectDir {
    /// Returns what lies in a folder, sorted by name. Places that no tool may touch and names that no path can have are
    /// left out.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::list`] does, and in what git takes for a repository.
    pub fn entries(&self, folder: &ProjectPath) -> Result<Vec<(ProjectPath, EntryKind)>, Error> {
        self.check(folder)?;
        self.check_no_repository(folder)?;
        let found = self.descend(folder.parts())?.entries()?;
        let path_of = |name: &Name| match name {
            Name::Text(name) => format!("{}/{name}", folder.as_str()).trim_start_matches('/').parse().ok(),
            Name::Lossy(_) => None,
        };
        let paths = found.into_iter().filter_map(|(name, kind)| Some((path_of(&name)?, EntryKind::of(kind))));
        Ok(paths.filter(|(path, _)| protected_places::reason(path).is_none() && self.own.check(path).is_ok()).collect())
    }

    /// Moves a file to a free path; missing folders are made. The commit point is the rename.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::write`] does for either path, and when anything is at the new one.
    pub fn move_file(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), Error> {
        self.check(to)?;
        git_folder::check(&self.root, from)?;
        git_folder::check(&self.root, to)?;
        let (old, name) = self.parent(from)?;
        old.check_replaceable(name)?;
        let (above, new_name) = split(to)?;
        let new = self.descend_creating(above)?;
        self.check_name(&new, new_name)?;
        old.rename(name, &new, new_name)
    }

    /// Removes a folder with all below it; no link is followed, neither in the folder nor on the way to it.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::write`] does, and when nothing is there.
    pub fn remove_folder(&self, path: &ProjectPath) -> Result<(), Error> {
        let (folder, name) = self.parent(path)?;
        remove_folder_in(&folder.dir, OsStr::new(name))
            .map_err(|source| Error::of(Doing::Write, &folder.path.join(name), source))
    }

    /// Removes a file. The commit point is the removal of its name.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::write`] does, on a folder, and when nothing is there.
    pub fn remove_file(&self, path: &ProjectPath) -> Result<(), Error> {
        git_folder::check(&self.root, path)?;
        let (folder, name) = self.parent(path)?;
        folder.check_replaceable(name)?;
        rustix::fs::unlinkat(&folder.dir, name, AtFlags::empty())
            .map_err(|code| Error::of(Doing::Write, &folder.path.join(name), code))?;
        folder.sync()
    }
}
