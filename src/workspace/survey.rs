//! Every item of every space with what the file system says of its file: what a search compares with what it knows.
//!
//! A listing looks at names and stats and at nothing else, so that ten thousand items cost a few milliseconds: folders are
//! walked first, then files are looked at on every core. Folders are entered through open handles without following
//! symlinks. A look decides only what has to be read again: reading goes through [`Reader`](super::Reader) and its
//! checks. Files that are no items are passed over in silence; `list` and `lint` name them.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use cap_std::fs::{Metadata, MetadataExt as _};
use rustix::fs::{AtFlags, Dir, FileType, Stat};

use super::builtin::BUILTIN;
use super::error::{Doing, Error};
use super::folder::{Folder, kind};
use super::{Candidate, MAX_ITEM_BYTES, Workspace};
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::trust::Blake3Hash;

/// Fewer files than this are not worth another worker.
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

impl Survey {
    /// Returns the files that are the item `id`, nearest space first.
    pub fn of_id<'a>(&'a self, item_type: ItemType, id: &'a ItemId) -> impl Iterator<Item = (Space, &'a Sighting)> {
        Space::ALL.into_iter().filter_map(move |space| {
            let stem = format!("{space}/{}/{id}.", item_type.folder());
            let at = self.items.partition_point(|sighting| order(&sighting.name) < order(&stem));
            self.items.get(at).filter(|sighting| sighting.name.starts_with(&stem)).map(|sighting| (space, sighting))
        })
    }
}

impl Workspace {
    /// Looks at every item of every space.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened; what cannot be looked at below it is told beside the rest.
    pub fn survey(&self) -> Result<Survey, Error> {
        let mut survey = Survey::default();
        for space in [Space::Project, Space::User] {
            if let Some(root) = self.open_space(space)? {
                let names = Walk::below(&root, space, &mut survey.failures);
                survey.items.extend(looked_at(&root, names));
            }
        }
        survey.items.extend(compiled_in());
        survey.items.sort_unstable_by(|a, b| order(&a.name).cmp(&order(&b.name)));
        self.drop_ambiguous(&mut survey);
        Ok(survey)
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

/// Returns what names are sorted by: `project/…` before `user/…` before `system/…`.
fn order(name: &str) -> (u8, &str) {
    let space = match name.as_bytes().first() {
        Some(b'p') => 0,
        Some(b'u') => 1,
        _ => 2,
    };
    (space, name)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A walk below one space that gathers the names of what may be items.
struct Walk<'a> {
    names: Vec<String>,
    failures: &'a mut Vec<Error>,
}

impl<'a> Walk<'a> {
    fn below(root: &Folder, space: Space, failures: &'a mut Vec<Error>) -> Vec<String> {
        let mut walk = Walk { names: Vec::new(), failures };
        for item_type in ItemType::ALL {
            let prefix = format!("{space}/{}/", item_type.folder());
            walk.step(root, item_type, item_type.folder(), &prefix, prefix.len());
        }
        walk.names
    }

    /// Enters a folder; one that is gone, or no folder, holds nothing.
    fn step(&mut self, above: &Folder, item_type: ItemType, name: &str, prefix: &str, id_at: usize) {
        let walked = match above.step(name) {
            Ok(folder) => self.folder(&folder, item_type, prefix, id_at),
            Err(error) => Err(error),
        };
        match walked {
            Ok(()) | Err(Error::NotFound { .. } | Error::Symlink { .. } | Error::NotDirectory { .. }) => {}
            Err(error) => self.failures.push(error),
        }
    }

    /// Gathers what lies in `folder`. `prefix` is what all names below it begin with; an id begins at `id_at`.
    fn folder(&mut self, folder: &Folder, item_type: ItemType, prefix: &str, id_at: usize) -> Result<(), Error> {
        let failed = |code: rustix::io::Errno| Error::of(Doing::List, &folder.path, code);
        for entry in Dir::read_from(&folder.dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name.starts_with('.') {
                continue;
            }
            match kind_of(folder, name, entry.file_type()) {
                Some(FileType::Directory) => {
                    let prefix = format!("{prefix}{name}/");
                    if ItemId::is_one(&prefix[id_at..prefix.len() - 1]) {
                        self.step(folder, item_type, name, &prefix, id_at);
                    }
                }
                Some(FileType::RegularFile | FileType::Symlink) => {
                    let whole = format!("{prefix}{name}");
                    if is_item(&whole[id_at..], item_type) {
                        self.names.push(whole);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
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

/// Looks at files of a space, on every core where there are many.
fn looked_at(root: &Folder, names: Vec<String>) -> Vec<Sighting> {
    let workers = workers(names.len());
    if workers < 2 {
        return names.into_iter().filter_map(|name| sighting(root, name)).collect();
    }
    let share = names.len().div_ceil(workers);
    let mut names = names;
    let shares: Vec<Vec<String>> = (0..workers).map(|_| names.split_off(names.len().saturating_sub(share))).collect();
    thread::scope(|scope| {
        let look = |share: Vec<String>| share.into_iter().filter_map(|name| sighting(root, name)).collect::<Vec<_>>();
        let mut shares = shares.into_iter();
        let own = shares.next().unwrap_or_default();
        let others: Vec<_> = shares.map(|share| scope.spawn(move || look(share))).collect();
        let mut all = look(own);
        all.extend(others.into_iter().flat_map(|other| other.join().expect("because looking does not panic")));
        all
    })
}

/// Returns how many workers look at so many files. How many cores there are is asked only where it matters: the answer takes a
/// dozen calls of the system.
fn workers(files: usize) -> usize {
    let shares = files.div_ceil(FILES_PER_WORKER);
    if shares < 2 { shares } else { shares.min(thread::available_parallelism().map_or(1, NonZero::get)) }
}

/// Looks at one file; `None` if it is gone, no regular file, larger than an item may be, or leads out of its space.
fn sighting(root: &Folder, name: String) -> Option<Sighting> {
    let path = name.split_once('/')?.1;
    let stat = rustix::fs::statat(&root.dir, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let stamp = match kind(&stat) {
        FileType::RegularFile => FileStamp::from(&stat),
        FileType::Symlink => {
            root.dir.metadata(path).ok().filter(Metadata::is_file).map(|data| FileStamp::from(&data))?
        }
        _ => return None,
    };
    (stamp.size <= MAX_ITEM_BYTES).then_some(Sighting { name, stamp })
}

/// Returns the items that are compiled in. They change only with the program.
fn compiled_in() -> impl Iterator<Item = Sighting> {
    BUILTIN.iter().filter(|item| item.candidate().is_some()).map(|item| Sighting {
        name: format!("{}/{}/{}.{}", Space::System, item.item_type.folder(), item.id, item.extension),
        stamp: FileStamp::of_compiled_in(item.bytes),
    })
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
