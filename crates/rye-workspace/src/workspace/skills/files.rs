//! The files of a skill's folder in the work tree: what lies where, found in one walk that follows no link.

use std::collections::BTreeMap;

use rustix::fs::{FileType, Mode};

use crate::item::{FileEntry, ItemFiles, MOST_DEPTH, MOST_FILES, is_git_folder};
use crate::workspace::FileStamp;
use crate::workspace::error::Error;
use crate::workspace::folder::{Folder, Name};

/// Tells of a path from the folder, and whether it is a folder's, whether it is ignored.
pub type IsLeftOut<'f> = dyn Fn(&str, bool) -> bool + 'f;

/// The most ignored paths that are remembered.
const MOST_IGNORED: usize = 1_000;

/// The files of a folder of the work tree.
#[derive(Debug)]
pub struct FolderFiles {
    folder: Folder,
    found: BTreeMap<String, Found>,
    ignored: Vec<String>,
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
    /// Looks through a folder: at one entry more than a skill may have, and no deeper than one name more. What is ignored is no file of
    /// it, but for compiled code whose source is not there.
    pub(super) fn find(folder: Folder, is_ignored: &IsLeftOut<'_>) -> Result<Self, Error> {
        let mut search = Search { is_ignored, found: BTreeMap::new(), ignored: Vec::new(), compiled: Vec::new() };
        search.enter(&folder, "")?;
        let (found, ignored) = search.settled();
        Ok(Self { folder, found, ignored })
    }

    /// Forgets what was ignored: nothing tells of it.
    #[must_use]
    pub fn untold(self) -> Self {
        Self { ignored: Vec::new(), ..self }
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

    fn ignored(&self) -> Vec<String> {
        self.ignored.clone()
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

/// A look through the folder of a skill.
struct Search<'f> {
    is_ignored: &'f IsLeftOut<'f>,
    found: BTreeMap<String, Found>,
    ignored: Vec<String>,
    /// Ignored files of compiled Python, each with the source that it is compiled from.
    compiled: Vec<(String, String)>,
}

impl Search<'_> {
    /// Looks through a folder, in the order of paths, so that a folder that is too large ends at the same entry everywhere.
    fn enter(&mut self, folder: &Folder, above: &str) -> Result<(), Error> {
        let depth = if above.is_empty() { 1 } else { above.split('/').count() + 1 };
        let mut entries = folder.entries()?;
        entries.sort_by_cached_key(|(name, kind)| {
            let (Name::Text(name) | Name::Lossy(name)) = name;
            if *kind == FileType::Directory { format!("{name}/") } else { name.clone() }
        });
        for (name, kind) in entries {
            if self.found.len() > MOST_FILES {
                return Ok(());
            }
            let (path, kind) = match name {
                Name::Lossy(name) => (join(above, &name), Found::Unnamed),
                Name::Text(name) if self.leaves_out(folder, above, &name, kind) => continue,
                Name::Text(name) if kind == FileType::Directory && !is_git_folder(&name) => {
                    let path = join(above, &name);
                    match folder.step(&name).and_then(|inside| self.closed(&inside, &path, depth)) {
                        Ok(None) | Err(Error::NotFound { .. }) => continue,
                        Ok(Some(kind)) => (path, kind),
                        Err(error) => (path, Found::Unreadable(unreadable(error)?)),
                    }
                }
                Name::Text(name) => (join(above, &name), Found::Kind(kind)),
            };
            // A name that is no text stands for all that look like it, in whatever order they come.
            if !matches!(self.found.get(&path), Some(Found::Unnamed)) {
                self.found.insert(path, kind);
            }
        }
        Ok(())
    }

    /// Looks through a folder inside; one that lies too deep is an entry itself, unless it is empty.
    fn closed(&mut self, inside: &Folder, path: &str, depth: usize) -> Result<Option<Found>, Error> {
        if depth <= MOST_DEPTH {
            return self.enter(inside, path).map(|()| None);
        }
        Ok((!inside.names()?.is_empty()).then_some(Found::Kind(FileType::Directory)))
    }

    /// Leaves out what is ignored, and remembers it. A repository is never left out.
    fn leaves_out(&mut self, folder: &Folder, above: &str, name: &str, kind: FileType) -> bool {
        let (path, is_folder) = (join(above, name), kind == FileType::Directory);
        if is_git_folder(name) || !(self.is_ignored)(&path, is_folder) {
            return false;
        }
        if is_folder && name == CACHE {
            let names = folder.step(name).and_then(|inside| inside.names()).unwrap_or_default();
            for inside in names {
                let (Name::Text(inside) | Name::Lossy(inside)) = inside;
                let source = source_of(above, &inside);
                self.compiled.extend(source.map(|source| (join(&path, &inside), source)));
            }
        }
        if let Some(source) = source_of(above, name).filter(|_| !is_folder) {
            self.compiled.push((path, source));
        } else if self.ignored.len() < MOST_IGNORED {
            self.ignored.push(if is_folder { format!("{path}/") } else { path });
        }
        true
    }

    /// Returns the files, and what is ignored. Compiled code that Python takes without its source counts as a file.
    fn settled(mut self) -> (BTreeMap<String, Found>, Vec<String>) {
        for (path, source) in self.compiled {
            if !matches!(self.found.get(&source), Some(Found::Kind(FileType::RegularFile))) {
                self.found.insert(path, Found::Kind(FileType::RegularFile));
            } else if !path.contains(&format!("{CACHE}/")) {
                self.ignored.push(path);
            }
        }
        (self.found, self.ignored)
    }
}

/// The folder into which Python puts compiled code.
const CACHE: &str = "__pycache__";

/// Returns the source of a file of compiled Python, given the folder that the source is in; none for another file.
fn source_of(folder: &str, name: &str) -> Option<String> {
    let stem = name.strip_suffix(".pyc").or_else(|| name.strip_suffix(".pyo"))?;
    Some(join(folder, &format!("{}.py", stem.split('.').next().unwrap_or(stem))))
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
