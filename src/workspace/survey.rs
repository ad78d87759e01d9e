//! Every item of every space with what the file system says of its file: what a search compares with what it knows.
//!
//! A survey looks at names and stats and at nothing else, so that ten thousand items cost a few milliseconds: folders are
//! walked level by level, on every core. Folders are entered through open handles without following symlinks. A look decides
//! only what has to be read again: reading goes through [`Reader`](super::Reader) and its checks. Files that are no
//! items are passed over in silence; `list` and `lint` name them.

use std::path::PathBuf;

use cap_std::fs::{Metadata, MetadataExt as _};
use rustix::fs::{Dir, FileType, Stat};

use super::builtin::BUILTIN;
use super::cores::{on_every_core, shares};
use super::error::{Doing, Error};
use super::folder::{Folder, kind};
use super::{Candidate, MAX_ITEM_BYTES, Workspace};
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::trust::Blake3Hash;

/// Fewer folders than this are not worth another worker.
const FOLDERS_PER_WORKER: usize = 8;

/// Fewer files than this are not worth another worker; more than this in one folder are.
const FILES_PER_WORKER: usize = 512;

/// What changes when a file may have changed. Times are nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// The length in bytes.
    pub size: u64,
    /// The file's number in its file system; for a compiled-in item, the beginning of its digest.
    pub inode: u64,
    /// When its content was changed, as anyone may claim.
    pub modified_ns: i64,
    /// When its content or its attributes were changed, as the file system says.
    pub changed_ns: i64,
}

/// An item's file, seen and not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Space, folder of the type, and path below it: `project/knowledge/deploy/staging.md`.
    pub name: String,
    /// What the file system says of it.
    pub stamp: FileStamp,
}

/// Everything there is.
#[derive(Debug, Default)]
pub struct Survey {
    /// The items, by space, nearest first, then by name.
    pub items: Vec<Sighting>,
    /// What could not be looked at, and items that several files claim to be.
    pub failures: Vec<Error>,
}

impl Workspace {
    /// Looks at every item of every space.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened; what cannot be looked at below it is told beside the rest.
    pub fn survey(&self) -> Result<Survey, Error> {
        let mut survey = walked(&self.spaces()?);
        survey.items.extend(compiled_in());
        self.drop_ambiguous(&mut survey);
        Ok(survey)
    }

    /// Opens the spaces that are folders.
    fn spaces(&self) -> Result<Vec<(Space, Folder)>, Error> {
        let mut spaces = Vec::new();
        for space in [Space::Project, Space::User] {
            spaces.extend(self.open_space(space)?.map(|root| (space, root)));
        }
        Ok(spaces)
    }

    /// Returns the item that a [`Sighting`]'s name names; `None` if no item has such a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Candidate> {
        let (space, path) = name.split_once('/')?;
        let (folder, below) = path.split_once('/')?;
        let (stem, extension) = below.rsplit_once('.')?;
        let space: Space = space.parse().ok()?;
        let item_type = ItemType::ALL.into_iter().find(|item_type| item_type.folder() == folder)?;
        let path = match self.root(space) {
            Some(root) => root.join(super::SPACE_FOLDER).join(path),
            None => PathBuf::from(format!("builtin:{path}")),
        };
        Some(Candidate { space, item_type, id: stem.parse().ok()?, extension: extension.parse().ok()?, path })
    }

    /// Takes out items that several files of one space claim to be: nobody can use them.
    fn drop_ambiguous(&self, survey: &mut Survey) {
        let is_same = |a: &Sighting, b: &Sighting| stem(&a.name) == stem(&b.name);
        if !survey.items.is_sorted_by(|a, b| !is_same(a, b)) {
            let groups: Vec<Vec<Sighting>> = survey.items.chunk_by(is_same).map(<[_]>::to_vec).collect();
            let (single, several): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.len() == 1);
            survey.items = single.into_iter().flatten().collect();
            survey.failures.extend(several.iter().filter_map(|group| self.ambiguous(group)));
        }
    }

    fn ambiguous(&self, group: &[Sighting]) -> Option<Error> {
        let candidates: Vec<Candidate> = group.iter().filter_map(|sighting| self.named(&sighting.name)).collect();
        let first = candidates.first()?;
        let (item_type, id) = (first.item_type, first.id.clone());
        Some(Error::Ambiguous { item_type, id, paths: candidates.into_iter().map(|one| one.path).collect() })
    }
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A folder to walk into.
struct Place<'r> {
    root: &'r Folder,
    item_type: ItemType,
    /// Space, folder of the type and path below it, ending in `/`: what all names below it begin with.
    prefix: String,
    /// Where ids begin in the prefix.
    id_at: usize,
}

/// What lies in some folders.
#[derive(Default)]
struct Level<'r> {
    items: Vec<Sighting>,
    /// Items of folders with so many that they are shared out: not looked at yet.
    names: Vec<(&'r Folder, String)>,
    below: Vec<Place<'r>>,
    failures: Vec<Error>,
}

/// Looks at the items of spaces, one level of folders after the other.
fn walked(spaces: &[(Space, Folder)]) -> Survey {
    let mut all = Level::default();
    for (space, root) in spaces {
        all.below.extend(ItemType::ALL.into_iter().map(|item_type| {
            let prefix = format!("{space}/{}/", item_type.folder());
            Place { root, item_type, id_at: prefix.len(), prefix }
        }));
    }
    while !all.below.is_empty() {
        let mut places = std::mem::take(&mut all.below);
        places.sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix));
        let levels = on_every_core(shares(&places, FOLDERS_PER_WORKER), |places| {
            let mut level = Level::default();
            places.iter().for_each(|place| level.enter(place));
            level
        });
        levels.into_iter().for_each(|level| all.take_in(level));
    }
    let looked = on_every_core(shares(&all.names, FILES_PER_WORKER), |names| {
        names.iter().filter_map(|(root, name)| distant(root, name)).collect::<Vec<_>>()
    });
    all.items.extend(looked.into_iter().flatten());
    // They are sorted by folder already: a stable sort sees that, and only joins.
    all.items.sort_by(|a, b| a.name.cmp(&b.name));
    Survey { items: all.items, failures: all.failures }
}

impl<'r> Level<'r> {
    fn take_in(&mut self, other: Self) {
        self.items.extend(other.items);
        self.names.extend(other.names);
        self.below.extend(other.below);
        self.failures.extend(other.failures);
    }

    /// Enters a folder; one that is gone, or no folder, holds nothing.
    fn enter(&mut self, place: &Place<'r>) {
        let walked = place.root.reach(below(&place.prefix)).and_then(|folder| self.folder(&folder, place));
        match walked {
            Ok(()) | Err(Error::NotFound { .. } | Error::Symlink { .. } | Error::NotDirectory { .. }) => {}
            Err(error) => self.failures.push(error),
        }
    }

    /// Looks at what lies in a folder. Its files are named from the folder itself: a short way for each.
    fn folder(&mut self, folder: &Folder, place: &Place<'r>) -> Result<(), Error> {
        let names = self.names_in(folder, place)?;
        if names.len() > FILES_PER_WORKER {
            self.names.extend(names.into_iter().map(|name| (place.root, name)));
            return Ok(());
        }
        for name in names {
            let stat = folder.look(&name[place.prefix.len()..]);
            let sighting = stat.and_then(|stat| sighting(place.root, name, &stat));
            self.items.extend(sighting);
        }
        Ok(())
    }

    /// Returns the names of what may be items in a folder, sorted, and gathers the folders in it.
    fn names_in(&mut self, folder: &Folder, place: &Place<'r>) -> Result<Vec<String>, Error> {
        let Place { root, item_type, prefix, id_at } = place;
        let failed = |code: rustix::io::Errno| Error::of(Doing::List, &folder.path, code);
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder.dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let whole = [prefix, name].concat();
            match kind_of(folder, name, entry.file_type()) {
                Some(FileType::Directory) if ItemId::is_one(&whole[*id_at..]) => {
                    self.below.push(Place { root, item_type: *item_type, prefix: whole + "/", id_at: *id_at });
                }
                Some(FileType::RegularFile | FileType::Symlink) if is_item(&whole[*id_at..], *item_type) => {
                    names.push(whole);
                }
                _ => {}
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// Returns the path below a space's `.ai` to what a name names.
fn below(name: &str) -> &str {
    name.split_once('/').map_or("", |(_, path)| path)
}

/// Some file systems do not say with a name what it is the name of.
fn kind_of(folder: &Folder, name: &str, said: FileType) -> Option<FileType> {
    if said == FileType::Unknown { folder.stat(name).ok().map(|stat| kind(&stat)) } else { Some(said) }
}

fn is_item(path: &str, item_type: ItemType) -> bool {
    path.rsplit_once('.').is_some_and(|(stem, extension)| {
        ItemId::is_one(stem) && extension.parse::<Extension>().is_ok_and(|extension| extension.suits(item_type))
    })
}

/// Looks at one file from the folder of the space.
fn distant(root: &Folder, name: &str) -> Option<Sighting> {
    sighting(root, name.to_owned(), &root.look(name.split_once('/')?.1)?)
}

/// Takes a file for an item; `None` if it is no regular file, larger than an item may be, or leads out of its space.
fn sighting(root: &Folder, name: String, stat: &Stat) -> Option<Sighting> {
    let stamp = match kind(stat) {
        FileType::RegularFile => FileStamp::from(stat),
        FileType::Symlink => {
            let target = root.dir.metadata(name.split_once('/')?.1).ok();
            target.filter(Metadata::is_file).map(|data| FileStamp::from(&data))?
        }
        _ => return None,
    };
    (stamp.size <= MAX_ITEM_BYTES).then_some(Sighting { name, stamp })
}

/// Returns the items that are compiled in, by name. They change only with the program.
fn compiled_in() -> Vec<Sighting> {
    let items = BUILTIN.iter().filter(|item| item.candidate().is_some());
    let sighted = items.map(|item| Sighting {
        name: format!("{}/{}/{}.{}", Space::System, item.item_type.folder(), item.id, item.extension),
        stamp: FileStamp::of_compiled_in(item.bytes),
    });
    let mut sighted: Vec<Sighting> = sighted.collect();
    sighted.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    sighted
}

impl FileStamp {
    pub(super) fn of_compiled_in(bytes: &[u8]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = *Blake3Hash::of(bytes).as_bytes();
        Self {
            size: bytes.len() as u64,
            inode: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            modified_ns: 0,
            changed_ns: 0,
        }
    }
}

impl From<&Stat> for FileStamp {
    fn from(stat: &Stat) -> Self {
        Self {
            size: stat.st_size.try_into().unwrap_or(u64::MAX),
            inode: stat.st_ino,
            modified_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed_ns: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

impl From<&Metadata> for FileStamp {
    fn from(data: &Metadata) -> Self {
        Self {
            size: data.len(),
            inode: data.ino(),
            modified_ns: nanoseconds(data.mtime(), data.mtime_nsec()),
            changed_ns: nanoseconds(data.ctime(), data.ctime_nsec()),
        }
    }
}

/// A part that does not fit its type is none that a file system has; the other parts still tell a change.
fn nanoseconds(seconds: impl TryInto<i64>, rest: impl TryInto<i64>) -> i64 {
    let (seconds, rest) = (seconds.try_into().unwrap_or_default(), rest.try_into().unwrap_or_default());
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
