//! The files of a skill's folder in the work tree: what lies where, found in one walk that follows no link.

use std::collections::BTreeMap;

use rustix::fs::{FileType, Mode};

use crate::item::{FileEntry, ItemFiles, MOST_DEPTH, MOST_FILES, is_git_folder};
use crate::workspace::FileStamp;
use crate::workspace::error::Error;
use crate::workspace::folder::{Folder, Name};

/// The files of a folder of the work tree.
#[derive(Debug)]
pub struct FolderFiles {
    folder: Folder,
    found: BTreeMap<String, Found>,
}

/// What was found in a folder.
#[derive(Debug)]
enum Found {
    /// Something of a kind.
    Kind(FileType),
    /// Its name is not UTF-8.
    Unnamed,
    /// A folder that cannot be read.
    Unreadable(String),
}

impl FolderFiles {
    /// Looks through a folder: at one entry more than a skill may have, and no deeper than one name more.
    pub(super) fn find(folder: Folder) -> Result<Self, Error> {
        let mut found = BTreeMap::new();
        enter(&folder, "", &mut found)?;
        Ok(Self { folder, found })
    }

    /// Returns what the file system says of each file; it reads none. Only regular files have a stamp.
    pub(super) fn stamps(&self) -> Vec<(String, Option<FileStamp>)> {
        let stamp = |path: &str| self.at(path, |folder, name| Ok(FileStamp::from(&folder.stat_regular(name)?))).ok();
        self.found.keys().map(|path| (path.clone(), stamp(path))).collect()
    }

    /// Works in the folder that a path lies in.
    fn at<T>(&self, path: &str, work: impl FnOnce(&Folder, &str) -> Result<T, Error>) -> Result<T, Error> {
        match path.rsplit_once('/') {
            Some((above, name)) => work(&self.folder.descend(above.split('/'))?, name),
            None => work(&self.folder, path),
        }
    }
}

impl ItemFiles for FolderFiles {
    type Error = Error;

    fn names(&self) -> Vec<String> {
        self.found.keys().cloned().collect()
    }

    fn entry(&self, name: &str, most: u64) -> Result<Option<FileEntry>, Error> {
        let Some(found) = self.found.get(name) else { return Ok(None) };
        let read = match found {
            Found::Unnamed => Ok(FileEntry::Unnamed),
            Found::Unreadable(reason) => Ok(FileEntry::Unreadable { reason: reason.clone() }),
            Found::Kind(FileType::Symlink) => Ok(FileEntry::Link),
            Found::Kind(FileType::RegularFile) => self.at(name, |folder, name| file(folder, name, most)),
            Found::Kind(_) => Ok(FileEntry::Special),
        };
        match read {
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => unreadable(error).map(|reason| Some(FileEntry::Unreadable { reason })),
            Ok(entry) => Ok(Some(entry)),
        }
    }
}

/// Looks through a folder, in the order of paths, so that a folder that is too large ends at the same entry everywhere.
fn enter(folder: &Folder, above: &str, found: &mut BTreeMap<String, Found>) -> Result<(), Error> {
    let depth = if above.is_empty() { 1 } else { above.split('/').count() + 1 };
    let mut entries = folder.entries()?;
    entries.sort_by_cached_key(|(name, kind)| {
        let (Name::Text(name) | Name::Lossy(name)) = name;
        if *kind == FileType::Directory { format!("{name}/") } else { name.clone() }
    });
    for (name, kind) in entries {
        if found.len() > MOST_FILES {
            return Ok(());
        }
        let (path, kind) = match name {
            Name::Lossy(name) => (join(above, &name), Found::Unnamed),
            Name::Text(name) if kind == FileType::Directory && !is_git_folder(&name) => {
                let path = join(above, &name);
                match folder.step(&name).and_then(|inside| closed(&inside, &path, depth, found)) {
                    Ok(None) | Err(Error::NotFound { .. }) => continue,
                    Ok(Some(kind)) => (path, kind),
                    Err(error) => (path, Found::Unreadable(unreadable(error)?)),
                }
            }
            Name::Text(name) => (join(above, &name), Found::Kind(kind)),
        };
        // A name that is no text stands for all that look like it, in whatever order they come.
        if !matches!(found.get(&path), Some(Found::Unnamed)) {
            found.insert(path, kind);
        }
    }
    Ok(())
}

/// Looks through a folder inside; one that lies too deep is an entry itself, unless it is empty.
fn closed(
    inside: &Folder,
    path: &str,
    depth: usize,
    found: &mut BTreeMap<String, Found>,
) -> Result<Option<Found>, Error> {
    if depth <= MOST_DEPTH {
        return enter(inside, path, found).map(|()| None);
    }
    Ok((!inside.names()?.is_empty()).then_some(Found::Kind(FileType::Directory)))
}

/// Reads a file. Bytes and mode are those of one open file, whatever takes its name meanwhile.
fn file(folder: &Folder, name: &str, most: u64) -> Result<FileEntry, Error> {
    let size = folder.stat_regular(name)?.st_size.cast_unsigned();
    if size > most {
        return Ok(FileEntry::Large { size });
    }
    Ok(match folder.read_seen(name, most) {
        Some((bytes, false, opened)) => {
            FileEntry::File { executable: Mode::from_raw_mode(opened.st_mode).contains(Mode::XUSR), bytes }
        }
        Some((_, true, _)) => FileEntry::Large { size },
        None => FileEntry::Unreadable { reason: "it changed while it was read".to_owned() },
    })
}

/// Says why something cannot be read, unless the rest cannot either.
fn unreadable(error: Error) -> Result<String, Error> {
    match error.of_one_file() {
        Some((_, reason)) => Ok(reason),
        None => Err(error),
    }
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
}
