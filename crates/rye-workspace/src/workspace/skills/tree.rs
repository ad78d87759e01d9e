//! The content of a skill's folder: every file with its digest, and every other entry.

use std::path::PathBuf;

use super::SkillPlace;
use super::files::FolderFiles;
use super::search::FolderRules;
use crate::id::Space;
use crate::item::{AttributesFile, MOST_ATTRIBUTE_BYTES, MOST_FILE_BYTES, SKILL_FILE};
use crate::workspace::error::Error;
use crate::workspace::folder::Folder;
use crate::workspace::{Expected, FileStamp, Workspace};

impl Workspace {
    /// Finds the files of a skill's folder that are not ignored.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be opened. An unreadable part of it is an entry that says so.
    pub fn skill_files(&self, space: Space, place: &SkillPlace, rules: &FolderRules<'_>) -> Result<FolderFiles, Error> {
        FolderFiles::find(self.open_skill(space, place)?, rules)
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
        Ok(self.skill_files(space, place, &FolderRules::WHOLE)?.stamps())
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
