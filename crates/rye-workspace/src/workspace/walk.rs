//! The walk through the spaces of project and person: every file below the folders of the types.
//!
//! `list`, `survey` and `verify` see what it sees. Folders are entered without following symlinks, level by level on every core,
//! so a walk ends; depth is bounded by the length of an id. Hidden names (`.gitkeep`) are passed over in silence; every other
//! file that is not an item is a stray with its reason. Nothing is read.

use std::path::PathBuf;

use rustix::fs::FileType;

use super::Workspace;
use super::candidate::Candidate;
use super::cores::{on_every_core, shares};
use super::error::{Error, NOT_REGULAR, SYMLINK};
use super::folder::{Folder, Name, kind};
use super::stamp::FileStamp;
use crate::id::{ItemId, ItemPath, ItemType, Space};

/// Fewer folders than this are not worth another core.
const FOLDERS_AT_ONCE: usize = 8;

/// Fewer files of one folder than this are not worth another core.
const FILES_AT_ONCE: usize = 512;

/// Why a file in a folder's place holds no items.
const NO_FOLDER: &str = "it is not a folder";

/// An item's file, seen and not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The file.
    pub candidate: Candidate,
    /// What the file system says of it.
    pub stamp: FileStamp,
}

impl Sighting {
    /// Returns what only one file may be; sorts nearest space first, then by type and id.
    #[must_use]
    pub const fn key(&self) -> (Space, ItemType, &ItemId) {
        let Candidate { space, item_type, id, .. } = &self.candidate;
        (*space, *item_type, id)
    }
}

/// A file or folder below a type's folder that is not an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stray {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is not an item.
    pub reason: String,
    /// The item that is unusable because of it.
    pub claimed: Option<ItemId>,
    /// Why it must not be passed over: an item may be hidden behind it. None for a file that is not taken for an item.
    pub fault: Option<StrayFault>,
}

/// Why a file that is not an item must not be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StrayFault {
    /// Several files claim to be one item.
    Ambiguous,
    /// It is a symlink or no regular file, or it cannot be looked at.
    Unusable,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Each the only file of its id in its space; nearest space first, then by type and id.
    pub(super) items: Vec<Sighting>,
    /// The files of one space that claim to be the same item, by path.
    pub(super) ambiguous: Vec<Vec<Candidate>>,
    pub(super) strays: Vec<Stray>,
    /// What could not be looked at.
    pub(super) failures: Vec<Error>,
}

/// A folder to enter.
struct Place<'r> {
    root: &'r Folder,
    space: Space,
    item_type: ItemType,
    /// What the ids of its items begin with: empty, or ending in `/`.
    prefix: String,
}

/// What lies in some folders.
#[derive(Default)]
struct Found<'r> {
    items: Vec<Sighting>,
    strays: Vec<Stray>,
    failures: Vec<Error>,
    below: Vec<Place<'r>>,
}

impl Workspace {
    /// Walks through the items of one type and space, or of all but those that are compiled in.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened; unreadable entries below it are reported with the rest.
    pub(super) fn walk(&self, item_type: Option<ItemType>, space: Option<Space>) -> Result<Walk, Error> {
        let mut roots = Vec::new();
        for space in Space::ALL.into_iter().filter(|each| space.is_none_or(|wanted| wanted == *each)) {
            roots.extend(self.open_space(space)?.map(|root| (space, root)));
        }
        let types = || ItemType::ALL.into_iter().filter(|each| item_type.is_none_or(|wanted| wanted == *each));
        let of_root =
            |(space, root)| types().map(move |item_type| Place { root, space, item_type, prefix: String::new() });
        let mut all = Found {
            below: roots.iter().flat_map(|(space, root)| of_root((*space, root))).collect(),
            ..Found::default()
        };
        while !all.below.is_empty() {
            let places = std::mem::take(&mut all.below);
            let found = on_every_core(shares(&places, FOLDERS_AT_ONCE), |places| {
                let mut found = Found::default();
                places.iter().for_each(|place| found.enter(place));
                found
            });
            found.into_iter().for_each(|found| all.take_in(found));
        }
        Ok(all.into_walk())
    }
}

impl<'r> Found<'r> {
    fn take_in(&mut self, other: Self) {
        self.items.extend(other.items);
        self.strays.extend(other.strays);
        self.failures.extend(other.failures);
        self.below.extend(other.below);
    }

    /// Takes apart items with one file and those that several files claim to be.
    fn into_walk(mut self) -> Walk {
        // Each folder is sorted already: a stable sort sees that, and only joins.
        self.items.sort_by(|a, b| a.key().cmp(&b.key()));
        let mut walk = Walk { strays: self.strays, failures: self.failures, ..Walk::default() };
        let mut items = self.items.into_iter().peekable();
        while let Some(first) = items.next() {
            let others = std::iter::from_fn(|| items.next_if(|next| next.key() == first.key()));
            let others: Vec<Candidate> = others.map(|sighting| sighting.candidate).collect();
            if others.is_empty() {
                walk.items.push(first);
            } else {
                walk.ambiguous.push(std::iter::once(first.candidate).chain(others).collect());
            }
        }
        walk
    }

    /// Enters a folder; one that is gone holds nothing.
    fn enter(&mut self, place: &Place<'r>) {
        match place.open().and_then(|folder| self.folder(&folder, place)) {
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(Error::Symlink { path }) => self.unusable(path, SYMLINK, None),
            Err(Error::NotDirectory { path }) => self.stray(path, NO_FOLDER),
            Err(error) => self.failures.push(error),
        }
    }

    fn folder(&mut self, folder: &Folder, place: &Place<'r>) -> Result<(), Error> {
        let mut files = Vec::new();
        for (name, file_type) in folder.entries()? {
            match name {
                Name::Lossy(name) => self.unusable(folder.path.join(name), "its name is not UTF-8", None),
                Name::Text(name) if name.starts_with('.') => {}
                Name::Text(name) if file_type == FileType::Symlink => {
                    let claimed = place.candidate(folder, &name).ok().map(|candidate| candidate.id);
                    self.unusable(folder.path.join(name), SYMLINK, claimed);
                }
                Name::Text(name) if file_type == FileType::Directory => self.subfolder(folder, place, &name),
                Name::Text(name) => files.push(name),
            }
        }
        let found = on_every_core(shares(&files, FILES_AT_ONCE), |names| {
            let mut found = Found::default();
            names.iter().for_each(|name| found.file(folder, place, name));
            found
        });
        found.into_iter().for_each(|found| self.take_in(found));
        Ok(())
    }

    fn subfolder(&mut self, folder: &Folder, place: &Place<'r>, name: &str) {
        let prefix = [&place.prefix, name].concat();
        match prefix.parse::<ItemId>() {
            Ok(_) => self.below.push(Place { prefix: prefix + "/", ..*place }),
            Err(error) => self.stray(folder.path.join(name), error.to_string()),
        }
    }

    /// Looks at a file; a missing one is not an item.
    fn file(&mut self, folder: &Folder, place: &Place<'r>, name: &str) {
        let seen = match place.candidate(folder, name) {
            Ok(candidate) => folder.stat(name).map(|stat| (candidate, stat)),
            Err(reason) => return self.stray(folder.path.join(name), reason),
        };
        match seen {
            Ok((candidate, stat)) => match kind(&stat) {
                FileType::RegularFile => self.items.push(Sighting { candidate, stamp: FileStamp::from(&stat) }),
                FileType::Symlink => self.unusable(candidate.path, SYMLINK, Some(candidate.id)),
                _ => self.unusable(candidate.path, NOT_REGULAR, Some(candidate.id)),
            },
            Err(Error::NotFound { .. }) => {}
            Err(error) => self.failures.push(error),
        }
    }

    fn stray(&mut self, path: PathBuf, reason: impl Into<String>) {
        self.strays.push(Stray { path, reason: reason.into(), claimed: None, fault: None });
    }

    fn unusable(&mut self, path: PathBuf, reason: &str, claimed: Option<ItemId>) {
        let fault = Some(StrayFault::Unusable);
        self.strays.push(Stray { path, reason: reason.to_owned(), claimed, fault });
    }
}

impl Place<'_> {
    fn open(&self) -> Result<Folder, Error> {
        let category = self.prefix.split('/').filter(|part| !part.is_empty());
        self.root.descend(std::iter::once(self.item_type.folder()).chain(category))
    }

    /// Reads a file's name as an item, or says why it is not one.
    fn candidate(&self, folder: &Folder, name: &str) -> Result<Candidate, String> {
        let read = ItemPath::in_folder(self.item_type, &[&self.prefix, name].concat());
        let ItemPath { item_type, item_id: id, extension } = read.map_err(|error| error.to_string())?;
        Ok(Candidate { space: self.space, item_type, id, extension, path: folder.path.join(name) })
    }
}
