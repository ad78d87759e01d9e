//! Changing a project's file only if it is still as it was read: how what a thread did comes into its person's own tree.
//!
//! As every write of a file: completely or not at all, following no symlink, and not in places that no tool may touch.

use rustix::fs::{AtFlags, RawMode};

use super::error::{Doing, Error};
use super::git_folder;
use super::item_file::Expected;
use super::project_dir::{ProjectDir, split};
use crate::capability::ProjectPath;

impl ProjectDir {
    /// Writes a file that must not be there; missing folders are made.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::write`] does, and when anything is there.
    pub fn create(&self, path: &ProjectPath, bytes: &[u8]) -> Result<(), Error> {
        self.create_within(path, bytes, 0o666)
    }

    /// As [`ProjectDir::create`]; the file gets no more of its mode than `most`, so that a private file stays private.
    ///
    /// # Errors
    ///
    /// As [`ProjectDir::create`].
    pub fn create_within(&self, path: &ProjectPath, bytes: &[u8], most: RawMode) -> Result<(), Error> {
        self.check(path)?;
        let (above, name) = split(path)?;
        git_folder::check(&self.root, path)?;
        self.root.descend_creating(above)?.replace_within(name, bytes, Expected::Absent, most).map(drop)
    }

    /// Removes a file that holds exactly `old`. The commit point is the removal of its name.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::read`] does, also when the file holds something else, or belongs to what git takes for a repository.
    pub fn remove(&self, path: &ProjectPath, old: &[u8]) -> Result<(), Error> {
        git_folder::check(&self.root, path)?;
        let (folder, name) = self.parent(path)?;
        folder.check_replaceable(name)?;
        folder.check_expected(name, Expected::Content(old))?;
        rustix::fs::unlinkat(&folder.dir, name, AtFlags::empty())
            .map_err(|code| Error::of(Doing::Write, &folder.path.join(name), code))?;
        folder.sync()
    }
}
