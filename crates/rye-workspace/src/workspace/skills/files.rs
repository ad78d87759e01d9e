//! The files of a skill's folder in the work tree: what lies where, found in one walk that follows no link.

use std::collections::BTreeMap;

use rustix::fs::{FileType, Mode};

use super::search::{FolderRules, Found, Search, unreadable};
use crate::item::{FileEntry, ItemFiles};
use crate::workspace::FileStamp;
use crate::workspace::error::Error;
use crate::workspace::folder::Folder;

/// The files of a folder of the work tree.
#[derive(Debug)]
pub struct FolderFiles {
    folder: Folder,
    found: BTreeMap<String, Found>,
    ignored: Vec<String>,
    /// Which files count as executable, or do not, whatever the file system says.
    executables: BTreeMap<String, bool>,
}

impl FolderFiles {
    /// Looks through a folder: at one entry more than a skill may have, and no deeper than one name more. What is ignored is no file of
    /// it, but for code that an interpreter would load.
    pub(super) fn find(folder: Folder, rules: &FolderRules<'_>) -> Result<Self, Error> {
        let mut search = Search::new(rules.is_ignored);
        search.enter(&folder, "")?;
        let (found, ignored) = search.settled();
        let executables = found.keys().filter_map(|path| Some((path.clone(), (rules.is_executable)(path)?))).collect();
        let ignored = if rules.is_told { ignored } else { Vec::new() };
        Ok(Self { folder, found, ignored, executables })
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
            Found::IgnoredCode => Ok(FileEntry::IgnoredCode),
            Found::Unnamed => Ok(FileEntry::Unnamed),
            Found::Unreadable(reason) => Ok(FileEntry::Unreadable { reason: reason.clone() }),
            Found::Kind(FileType::Symlink) => Ok(FileEntry::Link),
            Found::Kind(FileType::RegularFile) => self.at(name, |folder, name| file(folder, name, most)),
            Found::Kind(_) => Ok(FileEntry::Special),
        };
        match read {
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => unreadable(error).map(|reason| Some(FileEntry::Unreadable { reason })),
            Ok(FileEntry::File { executable, bytes }) => {
                let executable = self.executables.get(name).copied().unwrap_or(executable);
                Ok(Some(FileEntry::File { executable, bytes }))
            }
            Ok(entry) => Ok(Some(entry)),
        }
    }
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
