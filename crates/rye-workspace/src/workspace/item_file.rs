//! Reading and writing the file of one item.
//!
//! No symlink is followed. A write never makes an item ambiguous, and never replaces what the caller has not seen.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::candidate::Candidate;
use super::error::{Doing, Error};
use super::folder::{Folder, read_bounded};
use super::stamp::FileStamp;
use super::{Workspace, builtin};
use crate::id::{Extension, ItemId, ItemType, SPACE_FOLDER, Space};

/// The greatest size of an item's file, in bytes.
pub const MAX_ITEM_BYTES: u64 = 1024 * 1024;

/// What a writer believes about the file it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected<'a> {
    /// The file is missing.
    Absent,
    /// It holds exactly these bytes.
    Content(&'a [u8]),
    /// Any existing file may be replaced.
    Any,
}

/// Reads many items of one space, each from its own folder, which stays open for the next one.
#[derive(Debug)]
pub struct Reader {
    space: Option<Folder>,
    category: RefCell<Option<Category>>,
}

/// The folder that items of one type and category lie in.
#[derive(Debug)]
struct Category {
    item_type: ItemType,
    category: String,
    folder: Folder,
}

impl Reader {
    /// Reads the exact bytes of an item's file.
    ///
    /// # Errors
    ///
    /// As [`Workspace::read`].
    pub fn read(&self, candidate: &Candidate) -> Result<Vec<u8>, Error> {
        self.read_stamped(candidate).map(|(bytes, _)| bytes)
    }

    /// Reads the exact bytes of an item's file, and what the file system said of it before they were read.
    ///
    /// # Errors
    ///
    /// As [`Workspace::read`].
    pub fn read_stamped(&self, candidate: &Candidate) -> Result<(Vec<u8>, FileStamp), Error> {
        let missing = || Error::NotFound { path: candidate.path.clone() };
        if candidate.space == Space::System {
            let bytes = builtin::bytes_of(candidate).ok_or_else(missing)?;
            return Ok((bytes.to_vec(), FileStamp::of_compiled_in(bytes)));
        }
        let space = self.space.as_ref().ok_or_else(missing)?;
        self.read_in_category(space, candidate).map_or_else(|| read_in_space(space, candidate), Ok)
    }

    /// Reads a regular file from its folder: one step where the way from the space's folder has several. Any other
    /// entry, a symlink or an error, is left to [`read_in_space`].
    fn read_in_category(&self, space: &Folder, candidate: &Candidate) -> Option<(Vec<u8>, FileStamp)> {
        let Candidate { item_type, id, extension, .. } = candidate;
        let mut open = self.category.borrow_mut();
        if !open.as_ref().is_some_and(|open| open.item_type == *item_type && open.category == id.category()) {
            let folder = space.descend(std::iter::once(item_type.folder()).chain(category(id))).ok()?;
            *open = Some(Category { item_type: *item_type, category: id.category().to_owned(), folder });
        }
        match open.as_ref()?.folder.read_seen(&file_name(id, extension), MAX_ITEM_BYTES)? {
            (bytes, false, stat) => Some((bytes, FileStamp::from(&stat))),
            (_, true, _) => None,
        }
    }
}

impl Workspace {
    /// Opens a space to read many of its items.
    pub fn reader(&self, space: Space) -> Result<Reader, Error> {
        Ok(Reader { space: self.open_space(space)?, category: RefCell::default() })
    }

    /// Reads the exact bytes of an item's file.
    ///
    /// # Errors
    ///
    /// Fails when the file is gone, larger than [`MAX_ITEM_BYTES`], no regular file or unreadable.
    pub fn read(&self, candidate: &Candidate) -> Result<Vec<u8>, Error> {
        self.reader(candidate.space)?.read(candidate)
    }

    /// Reads a file that lies at or below the folder of an item, following no symlink.
    ///
    /// # Errors
    ///
    /// Fails when it is missing, larger than [`MAX_ITEM_BYTES`], not a regular file or unreadable, or `path` holds
    /// anything but plain names.
    pub fn read_beside(&self, space: Space, item_type: ItemType, id: &ItemId, path: &str) -> Result<Vec<u8>, Error> {
        let missing = || Error::NotFound { path: PathBuf::from(path) };
        let mut parts: Vec<&str> = path.split('/').collect();
        if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
            return Err(missing());
        }
        let name = parts.pop().ok_or_else(missing)?;
        let above = std::iter::once(item_type.folder()).chain(category(id)).chain(parts);
        let folder = self.open_space(space)?.ok_or_else(missing)?.descend(above)?;
        folder.read_whole(name, MAX_ITEM_BYTES)
    }

    /// Writes an item's file completely or not at all, creating missing category folders; returns its path.
    ///
    /// The commit point is the rename of a synced temporary file over the target; an existing file keeps its mode.
    ///
    /// # Errors
    ///
    /// Fails, with the old content in place, when the space cannot be written, the extension does not suit the type,
    /// another file is the same item already, the file is not as `expected`, the bytes are more than
    /// [`MAX_ITEM_BYTES`], or the operating system refuses.
    pub fn write_item(
        &self,
        space: Space,
        item_type: ItemType,
        id: &ItemId,
        extension: &Extension,
        bytes: &[u8],
        expected: Expected<'_>,
    ) -> Result<PathBuf, Error> {
        if !extension.suits(item_type) {
            return Err(Error::UnsuitableExtension { item_type, extension: extension.clone() });
        }
        let name = file_name(id, extension);
        if bytes.len() as u64 > MAX_ITEM_BYTES {
            return Err(Error::TooLarge { path: PathBuf::from(name), limit: MAX_ITEM_BYTES });
        }
        let folder = self.category_folder(space, item_type, id)?;
        let path = folder.path.join(&name);
        self.refuse_ambiguity(space, item_type, id, &path)?;
        folder.replace(&name, bytes, expected)?;
        Ok(path)
    }

    /// Fails as [`Workspace::write_item`] would for the file of an item, as far as can be told before: it is a symlink
    /// or no regular file, it is write-protected, or its folder cannot be written.
    ///
    /// # Errors
    ///
    /// Returns the obstacle.
    pub fn check_replaceable(&self, candidate: &Candidate) -> Result<(), Error> {
        let folder = self.category_folder(candidate.space, candidate.item_type, &candidate.id)?;
        folder.check_replaceable(&file_name(&candidate.id, &candidate.extension))
    }

    /// Gives an item's file, which holds exactly `content`, the name of another id; returns its new path.
    ///
    /// The commit point is the rename: the file is at one of the two paths, and never at both.
    ///
    /// # Errors
    ///
    /// Fails, with the file where it was, when there is an item of the new id, the file does not hold `content`, or the
    /// operating system refuses.
    pub fn rename_item(&self, candidate: &Candidate, to: &ItemId, content: &[u8]) -> Result<PathBuf, Error> {
        let Candidate { space, item_type, id, extension, .. } = candidate;
        let (name, new_name) = (file_name(id, extension), file_name(to, extension));
        let from = self.category_folder(*space, *item_type, id)?;
        let folder = self.category_folder(*space, *item_type, to)?;
        let path = folder.path.join(&new_name);
        self.refuse_ambiguity(*space, *item_type, to, &path)?;
        from.check_expected(&name, Expected::Content(content))?;
        from.rename(&name, &folder, &new_name)?;
        Ok(path)
    }

    /// Opens the folder an item lies in, creating missing folders.
    pub(super) fn category_folder(&self, space: Space, item_type: ItemType, id: &ItemId) -> Result<Folder, Error> {
        if space == Space::System {
            return Err(Error::SystemSpace);
        }
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let space_folder = match self.open_space(space)? {
            Some(folder) => folder,
            None => Folder::open_root(root, root)?.descend_creating([SPACE_FOLDER])?,
        };
        space_folder.descend_creating(std::iter::once(item_type.folder()).chain(category(id)))
    }

    /// Fails if another file than the one at `path` is the item, too.
    pub(super) fn refuse_ambiguity(
        &self,
        space: Space,
        item_type: ItemType,
        id: &ItemId,
        path: &PathBuf,
    ) -> Result<(), Error> {
        let mut paths = self.paths_of(space, item_type, id)?;
        if paths.iter().all(|other| other == path) {
            return Ok(());
        }
        paths.push(path.clone());
        paths.sort();
        paths.dedup();
        Err(Error::Ambiguous { item_type, id: id.clone(), paths })
    }
}

/// Writes any file of a workspace completely or not at all, such as its `.gitattributes`.
///
/// The commit point is the rename of a synced temporary file over the target; an existing file keeps its mode.
///
/// # Errors
///
/// Fails, with the old content in place, when the folder is missing or the operating system refuses.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(Error::NotFound { path: path.to_path_buf() });
    };
    Folder::open_root(folder, folder)?.replace(name, bytes, Expected::Any).map(drop)
}

pub(super) fn file_name(id: &ItemId, extension: &Extension) -> String {
    [id.name(), ".", extension.as_str()].concat()
}

/// Returns the folders an item lies in, below its type's.
pub(super) fn category(id: &ItemId) -> impl Iterator<Item = &str> {
    id.category().split('/').filter(|part| !part.is_empty())
}

/// Reads an item's file from the open folder of its space. The candidate was a regular file; its present entry is
/// opened without waiting, and only a regular file is read.
fn read_in_space(space: &Folder, candidate: &Candidate) -> Result<(Vec<u8>, FileStamp), Error> {
    let Candidate { item_type, id, extension, path, .. } = candidate;
    let folder = space.descend(std::iter::once(item_type.folder()).chain(category(id)))?;
    let (file, stat) = folder.open_file(&file_name(id, extension))?;
    let read = read_bounded(file, stat.st_size.cast_unsigned(), MAX_ITEM_BYTES);
    match read.map_err(|source| Error::of(Doing::Read, path, source))? {
        (bytes, false) => Ok((bytes, FileStamp::from(&stat))),
        (_, true) => Err(Error::TooLarge { path: path.clone(), limit: MAX_ITEM_BYTES }),
    }
}
