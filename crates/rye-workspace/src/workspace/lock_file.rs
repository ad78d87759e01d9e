//! The pulled items of a space: `rye.lock` at the top of the project, `.ai/rye.lock` of the user space; and the
//! companions that come with a tool.

use std::fs::File;
use std::path::PathBuf;

use rustix::fs::AtFlags;

use super::candidate::Candidate;
use super::error::Doing;
use super::folder::Folder;
use super::item_file::category;
use super::{Error, Expected, Workspace};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space};

/// The name of the file.
pub const LOCK_FILE: &str = "rye.lock";

/// The largest lock, in bytes.
pub const MAX_LOCK_BYTES: u64 = 4 * 1024 * 1024;

impl Workspace {
    /// Reads a space's `rye.lock`; none if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than 4 MiB, no regular file or unreadable.
    pub fn lock_file(&self, space: Space) -> Result<Option<Vec<u8>>, Error> {
        let folder = self.lock_folder(space).map(|folder| folder.read_whole(LOCK_FILE, MAX_LOCK_BYTES));
        Error::absent_is_none(folder.and_then(|read| read))
    }

    /// Keeps other programs from changing the pulled items of a space until the file is dropped; waits for the one that
    /// does.
    pub fn hold(&self, space: Space) -> Result<File, Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let failed = |source: std::io::Error| Error::Io { doing: Doing::Write, path: root.to_path_buf(), source };
        let folder = File::open(root).map_err(failed)?;
        folder.lock().map_err(failed)?;
        Ok(folder)
    }

    /// Replaces a space's `rye.lock`. The commit point is the rename of a synced temporary file.
    ///
    /// # Errors
    ///
    /// Fails, with the old file in place, when it is not as `expected` or cannot be written.
    pub fn write_lock_file(&self, space: Space, bytes: &[u8], expected: Expected<'_>) -> Result<PathBuf, Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let folder = match space {
            Space::User => Folder::open_root(root, root)?.descend_creating([SPACE_FOLDER])?,
            Space::Project | Space::System => Folder::open_root(root, root)?,
        };
        folder.replace(LOCK_FILE, bytes, expected)?;
        Ok(folder.path.join(LOCK_FILE))
    }

    /// Writes a file that lies at or below the folder of an item, following no symlink and making folders on the way. The
    /// commit point is the rename of a synced temporary file.
    ///
    /// # Errors
    ///
    /// Fails, with the old file in place, when it is not as `expected` or cannot be written, or `path` holds anything but
    /// plain names.
    pub fn write_beside(
        &self,
        space: Space,
        item_type: ItemType,
        id: &ItemId,
        path: &str,
        bytes: &[u8],
        expected: Expected<'_>,
    ) -> Result<(), Error> {
        let (parts, name) = plain_parts(path)?;
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let above = [SPACE_FOLDER, item_type.folder()].into_iter().chain(category(id)).chain(parts);
        Folder::open_root(root, root)?.descend_creating(above)?.replace(name, bytes, expected).map(drop)
    }

    /// Removes an item's file that holds exactly `content`. The commit point is the removal of its name.
    ///
    /// # Errors
    ///
    /// Fails when the file holds something else or cannot be removed.
    pub fn remove_item(&self, candidate: &Candidate, content: &[u8]) -> Result<(), Error> {
        let Candidate { space, item_type, id, extension, .. } = candidate;
        let root = self.root(*space).ok_or(Error::NoSpace { space: *space })?;
        let above = [SPACE_FOLDER, item_type.folder()].into_iter().chain(category(id));
        let folder = Folder::open_root(root, root)?.descend(above)?;
        remove(&folder, &format!("{}.{}", id.name(), extension.as_str()), content)
    }

    /// Removes a file that lies at or below the folder of an item and holds exactly `content`. The commit point is the removal of
    /// its name.
    ///
    /// # Errors
    ///
    /// As [`Workspace::remove_item`], and when `path` holds anything but plain names.
    pub fn remove_beside(
        &self,
        space: Space,
        item_type: ItemType,
        id: &ItemId,
        path: &str,
        content: &[u8],
    ) -> Result<(), Error> {
        let (parts, name) = plain_parts(path)?;
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let above = [SPACE_FOLDER, item_type.folder()].into_iter().chain(category(id)).chain(parts);
        remove(&Folder::open_root(root, root)?.descend(above)?, name, content)
    }

    fn lock_folder(&self, space: Space) -> Result<Folder, Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        match space {
            Space::User => Folder::open_root(root, root)?.step(SPACE_FOLDER),
            Space::Project | Space::System => Folder::open_root(root, root),
        }
    }
}

/// Takes a path apart that holds nothing but plain names.
fn plain_parts(path: &str) -> Result<(Vec<&str>, &str), Error> {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    if parts.iter().chain([&name]).any(|part| matches!(*part, "" | "." | "..")) {
        return Err(Error::NotFound { path: PathBuf::from(path) });
    }
    Ok((parts, name))
}

fn remove(folder: &Folder, name: &str, content: &[u8]) -> Result<(), Error> {
    folder.check_replaceable(name)?;
    folder.check_expected(name, Expected::Content(content))?;
    rustix::fs::unlinkat(&folder.dir, name, AtFlags::empty())
        .map_err(|code| Error::of(Doing::Write, &folder.path.join(name), code))?;
    folder.sync()
}
