//! Finding items: the files an id names, and everything there is.
//!
//! Both enter folders without following symlinks, so an id is found exactly where it is listed.

use std::path::PathBuf;

use rustix::fs::FileType;

use super::candidate::Candidate;
use super::error::Error;
use super::folder::{Folder, Name, kind};
use super::item_file::category;
use super::walk::{Stray, StrayFault, Walk};
use super::{Workspace, builtin};
use crate::id::{Extension, ItemId, ItemType, SPACE_FOLDER, Space};

/// Everything found in the spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The items, by type, then id, then space, nearest first.
    pub items: Vec<Candidate>,
    /// The files that are not items, by path.
    pub strays: Vec<Stray>,
}

impl Workspace {
    /// Finds the files that `id` names, nearest space first, at most one per space.
    ///
    /// # Errors
    ///
    /// Fails when two files of one space differ only by extension, and when a folder cannot be read.
    pub fn candidates(&self, item_type: ItemType, id: &ItemId) -> Result<Vec<Candidate>, Error> {
        let mut found = Vec::new();
        for space in Space::ALL {
            found.extend(self.candidate_in(space, item_type, id)?);
        }
        Ok(found)
    }

    /// Finds the file that `id` names in one space.
    ///
    /// # Errors
    ///
    /// As [`Workspace::candidates`].
    pub fn candidate_in(&self, space: Space, item_type: ItemType, id: &ItemId) -> Result<Option<Candidate>, Error> {
        let mut here = self.in_space(space, item_type, id)?;
        if here.len() > 1 {
            let paths = here.into_iter().map(|candidate| candidate.path).collect();
            return Err(Error::Ambiguous { item_type, id: id.clone(), paths });
        }
        Ok(here.pop())
    }

    /// Lists the items of one type and space, or of all. An entry that cannot be checked is a stray with a fault.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened.
    pub fn list(&self, item_type: Option<ItemType>, space: Option<Space>) -> Result<Listing, Error> {
        let Walk { items, ambiguous, mut strays, failures } = self.walk(item_type, space)?;
        for error in failures {
            strays.push(unreadable(&error).ok_or(error)?);
        }
        let mut items: Vec<Candidate> = items.into_iter().map(|sighting| sighting.candidate).collect();
        if space.is_none_or(|space| space == Space::System) {
            let types = ItemType::ALL.into_iter().filter(|each| item_type.is_none_or(|wanted| wanted == *each));
            items.extend(types.flat_map(builtin::of_type));
        }
        items.sort_by(|a, b| (a.item_type, &a.id, a.space).cmp(&(b.item_type, &b.id, b.space)));
        strays.extend(ambiguous.into_iter().filter_map(several));
        strays.sort();
        Ok(Listing { items, strays })
    }

    /// Opens the `.ai` of a space; `None` if missing.
    ///
    /// A person may link their whole `~/.ai` from elsewhere: only they write their home folder. A project's `.ai` is
    /// never a symlink, and below either nothing is followed.
    pub(super) fn open_space(&self, space: Space) -> Result<Option<Folder>, Error> {
        let Some(root) = self.root(space) else { return Ok(None) };
        let path = root.join(SPACE_FOLDER);
        Error::absent_is_none(match space {
            Space::User => Folder::open_root(&path, &path),
            _ => Folder::open_root(root, root).and_then(|root| root.step(SPACE_FOLDER)),
        })
    }

    /// Returns the path of every file that is the item `id` in one space.
    pub(super) fn paths_of(&self, space: Space, item_type: ItemType, id: &ItemId) -> Result<Vec<PathBuf>, Error> {
        Ok(self.in_space(space, item_type, id)?.into_iter().map(|candidate| candidate.path).collect())
    }

    /// Finds every file that is the item `id` in one space, by extension.
    fn in_space(&self, space: Space, item_type: ItemType, id: &ItemId) -> Result<Vec<Candidate>, Error> {
        if space == Space::System {
            return Ok(builtin::of_type(item_type).filter(|item| item.id == *id).collect());
        }
        let Some(root) = self.open_space(space)? else { return Ok(Vec::new()) };
        let parts = std::iter::once(item_type.folder()).chain(category(id));
        match root.descend(parts) {
            Ok(folder) => files_of(&folder, space, item_type, id),
            // An entry that is not a folder of the space has no items; `list` reports it.
            Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

/// Finds every file in `folder` that is the item `id`, by extension. A folder of that name is not a file.
fn files_of(folder: &Folder, space: Space, item_type: ItemType, id: &ItemId) -> Result<Vec<Candidate>, Error> {
    let mut found = Vec::new();
    for name in folder.names()? {
        let Name::Text(name) = name else { continue };
        let Some(extension) = extension_of(&name, item_type, id.name()) else { continue };
        if folder.stat(&name).is_ok_and(|stat| kind(&stat) != FileType::Directory) {
            found.push(Candidate { space, item_type, id: id.clone(), extension, path: folder.path.join(name) });
        }
    }
    Ok(found)
}

fn extension_of(file_name: &str, item_type: ItemType, stem: &str) -> Option<Extension> {
    let extension: Extension = file_name.strip_prefix(stem)?.strip_prefix('.')?.parse().ok()?;
    extension.suits(item_type).then_some(extension)
}

/// Makes several files of an id one stray that names them all.
fn several(files: Vec<Candidate>) -> Option<Stray> {
    let mut files = files.into_iter();
    let first = files.next()?;
    let shown = |file: Candidate| format!("`{SPACE_FOLDER}/{}`", file.path_in_space().display());
    let others: Vec<String> = files.map(shown).collect();
    let reason = format!("it and {} differ only by extension", others.join(" and "));
    Some(Stray { path: first.path, reason, claimed: Some(first.id), fault: Some(StrayFault::Ambiguous) })
}

/// Makes a file or folder that cannot be looked at a stray.
fn unreadable(error: &Error) -> Option<Stray> {
    let (path, reason) = error.of_one_file()?;
    Some(Stray { path: path.to_owned(), reason, claimed: None, fault: Some(StrayFault::Unusable) })
}
