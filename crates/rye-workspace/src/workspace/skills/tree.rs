//! The content of a skill's folder: every file with its digest, and every other entry.

use std::path::PathBuf;

use rustix::fs::{FileType, Mode};

use super::SkillPlace;
use crate::id::Space;
use crate::item::{
    AttributesFile, EntryKind, MOST_ATTRIBUTE_BYTES, MOST_BYTES, MOST_DEPTH, MOST_FILE_BYTES, MOST_FILES, SKILL_FILE,
    SkillEntry, SkillFolder, is_git_folder,
};
use crate::workspace::error::Error;
use crate::workspace::folder::{Folder, Name};
use crate::workspace::{Expected, FileStamp, Workspace};

impl Workspace {
    /// Reads a skill's folder.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be opened. An unreadable part of it is an entry that says so.
    pub fn skill_folder(&self, space: Space, place: &SkillPlace) -> Result<SkillFolder, Error> {
        read_folder(&self.open_skill(space, place)?, &place.path)
    }

    /// Reads the `SKILL.md` of a skill.
    ///
    /// # Errors
    ///
    /// Fails when it is missing, no regular file, unreadable or larger than a skill's file may be.
    pub fn skill_text(&self, space: Space, place: &SkillPlace) -> Result<Vec<u8>, Error> {
        self.skill_file(space, place, SKILL_FILE)
    }

    /// Makes the folder of a skill with its `SKILL.md`, following no symlink; returns the file's path. The commit point is the
    /// rename of a synced temporary file.
    ///
    /// # Errors
    ///
    /// Fails when there is such a file, a symlink is on the way, or the operating system refuses.
    pub fn create_skill(&self, space: Space, path: &str, text: &[u8]) -> Result<PathBuf, Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let folder = Folder::open_root(root, root)?.descend_creating(path.split('/'))?;
        folder.replace(SKILL_FILE, text, Expected::Absent)?;
        Ok(folder.path.join(SKILL_FILE))
    }

    /// Reads a file of git's attributes by its path. A folder that cannot be opened hides its files: no skill in it is
    /// used either.
    #[must_use]
    pub fn attributes(&self, space: Space, path: &str) -> AttributesFile {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.root(space).and_then(|root| Folder::open_root(root, root).ok());
        let parts = above.split('/').filter(|part| !part.is_empty());
        let Some(folder) = folder.and_then(|folder| folder.descend(parts).ok()) else { return AttributesFile::Missing };
        match folder.read_whole(name, MOST_ATTRIBUTE_BYTES) {
            Ok(bytes) => AttributesFile::of(&bytes),
            Err(Error::NotFound { .. }) => AttributesFile::Missing,
            Err(_) => AttributesFile::Unclear,
        }
    }

    /// Returns what the file system says of a skill's `SKILL.md`.
    ///
    /// # Errors
    ///
    /// As [`Workspace::skill_text`].
    pub fn skill_stamp(&self, space: Space, place: &SkillPlace) -> Result<FileStamp, Error> {
        Ok(FileStamp::from(&self.open_skill(space, place)?.stat_regular(SKILL_FILE)?))
    }

    /// Returns what the file system says of each file of a skill, by path; it reads none. Only regular files have a
    /// stamp.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be opened or listed.
    pub fn skill_stamps(&self, space: Space, place: &SkillPlace) -> Result<Vec<(String, Option<FileStamp>)>, Error> {
        let mut stamps = Vec::new();
        stamp_files(&self.open_skill(space, place)?, "", 1, &mut stamps)?;
        stamps.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(stamps)
    }

    /// Reads a file of a skill by its path from the skill's folder, following no symlink.
    ///
    /// # Errors
    ///
    /// As [`Workspace::skill_text`].
    pub fn skill_file(&self, space: Space, place: &SkillPlace, path: &str) -> Result<Vec<u8>, Error> {
        let folder = self.open_skill(space, place)?;
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(Error::NotFound { path: path.into() });
        }
        folder.descend(above.split('/').filter(|part| !part.is_empty()))?.read_whole(name, MOST_FILE_BYTES)
    }

    fn open_skill(&self, space: Space, place: &SkillPlace) -> Result<Folder, Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        Folder::open_root(root, root)?.descend(place.path.split('/'))
    }
}

fn stamp_files(
    folder: &Folder,
    above: &str,
    depth: usize,
    stamps: &mut Vec<(String, Option<FileStamp>)>,
) -> Result<(), Error> {
    for (name, file_type) in folder.entries()? {
        if stamps.len() > MOST_FILES || depth > MOST_DEPTH {
            return Ok(());
        }
        let (Name::Text(name) | Name::Lossy(name)) = name;
        let path = join(above, &name);
        match file_type {
            FileType::Directory if !is_git_folder(&name) => {
                if let Ok(inside) = folder.step(&name) {
                    stamp_files(&inside, &path, depth + 1, stamps)?;
                }
            }
            _ => stamps.push((path, folder.stat_regular(&name).ok().map(|stat| FileStamp::from(&stat)))),
        }
    }
    Ok(())
}

/// Reads an open folder of a skill; `path` is its shown name.
pub(super) fn read_folder(folder: &Folder, path: &str) -> Result<SkillFolder, Error> {
    let mut read = Reading::default();
    read.enter(folder, "", 1)?;
    let Reading { mut entries, is_cut, .. } = read;
    entries.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    Ok(SkillFolder { path: path.to_owned(), entries, is_cut })
}

/// A folder that is being read.
#[derive(Default)]
struct Reading {
    entries: Vec<SkillEntry>,
    bytes: u64,
    is_cut: bool,
}

impl Reading {
    fn enter(&mut self, folder: &Folder, above: &str, depth: usize) -> Result<(), Error> {
        for (name, file_type) in folder.entries()? {
            if self.entries.len() >= MOST_FILES || self.bytes > MOST_BYTES || depth > MOST_DEPTH {
                self.is_cut = true;
                return Ok(());
            }
            let (name, path) = match name {
                Name::Text(name) => (name.clone(), join(above, &name)),
                Name::Lossy(name) => {
                    self.put(join(above, &name), EntryKind::Unnamed);
                    continue;
                }
            };
            let kind = match file_type {
                _ if is_git_folder(&name) => EntryKind::Repository,
                FileType::Directory => {
                    match folder.step(&name).and_then(|inside| self.enter(&inside, &path, depth + 1)) {
                        Ok(()) | Err(Error::NotFound { .. }) => continue,
                        Err(error) => unreadable(error)?,
                    }
                }
                FileType::Symlink => EntryKind::Link,
                FileType::RegularFile => match self.file(folder, &name) {
                    Ok(kind) => kind,
                    Err(Error::NotFound { .. }) => continue,
                    Err(error) => unreadable(error)?,
                },
                _ => EntryKind::Special,
            };
            self.put(path, kind);
        }
        Ok(())
    }

    fn file(&mut self, folder: &Folder, name: &str) -> Result<EntryKind, Error> {
        let stat = folder.stat_regular(name)?;
        let size = stat.st_size.cast_unsigned();
        if size > MOST_FILE_BYTES {
            return Ok(EntryKind::Large { size });
        }
        // Bytes and mode are those of one open file, whatever takes its name meanwhile.
        let Some((bytes, more, opened)) = folder.read_seen(name, MOST_FILE_BYTES) else {
            return Ok(EntryKind::Unreadable { reason: "it changed while it was read".to_owned() });
        };
        if more {
            return Ok(EntryKind::Large { size });
        }
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        let executable = Mode::from_raw_mode(opened.st_mode).contains(Mode::XUSR);
        Ok(EntryKind::file_at(name, executable, &bytes))
    }

    fn put(&mut self, path: String, kind: EntryKind) {
        self.entries.push(SkillEntry { path, kind });
    }
}

/// Makes what cannot be read an entry that says so.
fn unreadable(error: Error) -> Result<EntryKind, Error> {
    match error.of_one_file() {
        Some((_, reason)) => Ok(EntryKind::Unreadable { reason }),
        None => Err(error),
    }
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
}
