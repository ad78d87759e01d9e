//! Finding items: the files an id names, and everything there is.
//!
//! Folders are entered without following symlinks, so a listing ends and an id is found exactly where it is listed.
//! Depth is bounded by the length of an id. Hidden names (`.gitkeep`) are nobody's items and are passed over in
//! silence; every other file that is no item is a stray with its reason.

use std::path::PathBuf;

use rustix::fs::FileType;

use super::cores::{on_every_core, shares};
use super::error::Error;
use super::folder::{Folder, Name, kind};
use super::item_file::category;
use super::{SPACE_FOLDER, Workspace, builtin};
use crate::id::{Extension, ItemId, ItemType, Space};

/// Fewer folders than this are not worth another worker.
const FOLDERS_PER_WORKER: usize = 8;

/// A file that is an item of some space; what it holds is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The space it was found in.
    pub space: Space,
    /// Its type, from its folder.
    pub item_type: ItemType,
    /// Its id.
    pub id: ItemId,
    /// Its extension.
    pub extension: Extension,
    /// The path to show: below the space's root, or `builtin:directives/rye/x.md`.
    pub path: PathBuf,
}

impl Candidate {
    /// Returns the path below `.ai/`, such as `directives/deploy/staging.md`.
    #[must_use]
    pub fn path_in_space(&self) -> PathBuf {
        PathBuf::from([self.item_type.folder(), "/", self.id.as_str(), ".", self.extension.as_str()].concat())
    }
}

/// A file or folder below a type's folder that is no item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stray {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is no item.
    pub reason: String,
    /// The item nobody can use because of it: several files claim to be that one.
    pub claimed: Option<ItemId>,
}

/// Everything found in the spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The items, by type, then id, then space, nearest first.
    pub items: Vec<Candidate>,
    /// The files that are no items, by path.
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

    /// Lists the items of one type and space, or of all.
    ///
    /// # Errors
    ///
    /// Fails when a folder cannot be read.
    pub fn list(&self, item_type: Option<ItemType>, space: Option<Space>) -> Result<Listing, Error> {
        let mut listing = Listing::default();
        for space in Space::ALL.into_iter().filter(|each| space.is_none_or(|wanted| wanted == *each)) {
            for item_type in ItemType::ALL.into_iter().filter(|each| item_type.is_none_or(|wanted| wanted == *each)) {
                self.list_one(space, item_type, &mut listing)?;
            }
        }
        listing.items.sort_by(|a, b| (a.item_type, &a.id, a.space).cmp(&(b.item_type, &b.id, b.space)));
        listing.strays.sort();
        Ok(listing)
    }

    /// Opens the `.ai` of a space; `None` when there is none.
    ///
    /// A person may link theirs from elsewhere; a project's must not lead out of the project.
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
            // What is not a folder of the space holds no items; `list` reports it.
            Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn list_one(&self, space: Space, item_type: ItemType, listing: &mut Listing) -> Result<(), Error> {
        if space == Space::System {
            listing.items.extend(builtin::of_type(item_type));
            return Ok(());
        }
        let Some(root) = self.open_space(space)? else { return Ok(()) };
        match root.step(item_type.folder()) {
            Ok(folder) => Scan { root: &root, space, item_type, listing }.folder(&folder, ""),
            Err(Error::NotFound { .. }) => Ok(()),
            Err(Error::Symlink { path } | Error::NotDirectory { path }) => {
                listing.strays.push(Stray {
                    path,
                    reason: "it is no folder (symlinks are not followed)".to_owned(),
                    claimed: None,
                });
                Ok(())
            }
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

/// A walk below one type's folder of one space.
struct Scan<'a> {
    root: &'a Folder,
    space: Space,
    item_type: ItemType,
    listing: &'a mut Listing,
}

impl Scan<'_> {
    /// Lists `folder`; `prefix` is the beginning of its items' ids, ending in `/` or empty.
    fn folder(&mut self, folder: &Folder, prefix: &str) -> Result<(), Error> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for (name, file_type) in folder.entries()? {
            let name = match name {
                Name::Lossy(name) => {
                    self.stray(folder.path.join(name), "its name is not UTF-8");
                    continue;
                }
                Name::Text(name) if name.starts_with('.') => continue,
                Name::Text(name) => name,
            };
            match file_type {
                FileType::Directory => folders.push(name),
                file_type => match self.item(folder, prefix, &name, file_type) {
                    Ok(candidate) => files.push(candidate),
                    Err(reason) => self.stray(folder.path.join(&name), reason),
                },
            }
        }
        files.sort_by(|a, b| a.id.cmp(&b.id));
        self.keep_all(files);
        self.subfolders(folder, prefix, &folders)
    }

    /// Lists the folders in `folder`, on every core where there are many.
    fn subfolders(&mut self, folder: &Folder, prefix: &str, names: &[String]) -> Result<(), Error> {
        let Self { root, space, item_type, .. } = *self;
        let listings = on_every_core(shares(names, FOLDERS_PER_WORKER), |names| {
            let mut listing = Listing::default();
            let mut scan = Scan { root, space, item_type, listing: &mut listing };
            names.iter().try_for_each(|name| scan.subfolder(folder, prefix, name)).map(|()| listing)
        });
        for listing in listings {
            let Listing { items, strays } = listing?;
            self.listing.items.extend(items);
            self.listing.strays.extend(strays);
        }
        Ok(())
    }

    fn subfolder(&mut self, folder: &Folder, prefix: &str, name: &str) -> Result<(), Error> {
        match format!("{prefix}{name}").parse::<ItemId>() {
            // One that was removed meanwhile holds nothing.
            Ok(id) => match Error::absent_is_none(folder.step(name))? {
                Some(folder) => self.folder(&folder, &format!("{id}/")),
                None => Ok(()),
            },
            Err(error) => {
                self.stray(folder.path.join(name), error.to_string());
                Ok(())
            }
        }
    }

    /// Reads a file's name as an item, or says why it is none.
    fn item(&self, folder: &Folder, prefix: &str, name: &str, file_type: FileType) -> Result<Candidate, String> {
        let (stem, extension) = name.rsplit_once('.').ok_or("it has no extension")?;
        let id: ItemId = format!("{prefix}{stem}").parse().map_err(|error| format!("{error}"))?;
        let extension: Extension = extension.parse().map_err(|error| format!("{error}"))?;
        if !extension.suits(self.item_type) {
            return Err(format!("a {} cannot be a `.{extension}` file", self.item_type));
        }
        let path = folder.path.join(name);
        let candidate = Candidate { space: self.space, item_type: self.item_type, id, extension, path };
        self.check_kind(&candidate, file_type)?;
        Ok(candidate)
    }

    fn check_kind(&self, candidate: &Candidate, file_type: FileType) -> Result<(), String> {
        match file_type {
            FileType::RegularFile => Ok(()),
            FileType::Symlink => match self.root.dir.metadata(candidate.path_in_space()) {
                Ok(target) if target.is_file() => Ok(()),
                Ok(_) => Err("it is a symlink to something that is no file".to_owned()),
                Err(_) => Err("it is a symlink that leads nowhere or out of its space".to_owned()),
            },
            _ => Err("it is no regular file".to_owned()),
        }
    }

    /// Keeps the files, which are sorted by id.
    fn keep_all(&mut self, files: Vec<Candidate>) {
        let mut files = files.into_iter().peekable();
        while let Some(first) = files.next() {
            let others: Vec<Candidate> = std::iter::from_fn(|| files.next_if(|next| next.id == first.id)).collect();
            self.keep(first, others);
        }
    }

    /// Keeps the only file of an id; several are one stray that names them all.
    fn keep(&mut self, first: Candidate, others: Vec<Candidate>) {
        if others.is_empty() {
            self.listing.items.push(first);
            return;
        }
        let shown = |file: Candidate| format!("`{SPACE_FOLDER}/{}`", file.path_in_space().display());
        let others: Vec<String> = others.into_iter().map(shown).collect();
        let reason = format!("it and {} differ only by extension", others.join(" and "));
        self.listing.strays.push(Stray { path: first.path, reason, claimed: Some(first.id) });
    }

    fn stray(&mut self, path: PathBuf, reason: impl Into<String>) {
        self.listing.strays.push(Stray { path, reason: reason.into(), claimed: None });
    }
}
