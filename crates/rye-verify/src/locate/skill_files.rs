//! The files of a skill: what git tracks and what it would add. What git ignores does not belong to a skill.
//!
//! Outside of a repository nothing is ignored, but for what a desktop writes into every folder. So it is with a skill whose `SKILL.md`
//! git ignores, and in a thread's tree, whose rules are the thread's to write.

use super::LocateError;
use crate::git::{IgnoreRules, Repository};
use crate::id::Space;
use crate::item::{SKILL_FILE, SkillContent, SkillFolder};
use crate::project::Project;
use crate::workspace::{FolderFiles, SkillPlace};

/// What desktops write into every folder that is opened: nothing that a program runs or reads as instructions.
const OF_DESKTOPS: [&str; 3] = [".DS_Store", "Thumbs.db", "desktop.ini"];

impl Project {
    /// Reads a skill's folder.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be opened. An unreadable part of it is an entry that says so.
    pub fn skill_folder(&self, space: Space, place: &SkillPlace) -> Result<SkillFolder, LocateError> {
        let repository = self.repository_of_skills(space);
        let rules = repository.as_ref().map(Repository::ignore_rules).transpose()?;
        self.skill_folder_by(rules.as_ref(), space, place)
    }

    /// The same, given the rules of the repository that the skills of the space lie in.
    pub(crate) fn skill_folder_by(
        &self,
        rules: Option<&IgnoreRules<'_>>,
        space: Space,
        place: &SkillPlace,
    ) -> Result<SkillFolder, LocateError> {
        Ok(SkillFolder::read(&place.path, &self.files_by(rules, space, place)?)?)
    }

    /// Reads a skill's folder with the bytes of its files.
    ///
    /// # Errors
    ///
    /// As [`Project::skill_folder`].
    pub fn skill_content(&self, space: Space, place: &SkillPlace) -> Result<SkillContent, LocateError> {
        Ok(SkillContent::read(&place.path, &self.skill_files(space, place)?)?)
    }

    /// Finds the files of a skill's folder.
    ///
    /// # Errors
    ///
    /// As [`Project::skill_folder`].
    pub fn skill_files(&self, space: Space, place: &SkillPlace) -> Result<FolderFiles, LocateError> {
        let repository = self.repository_of_skills(space);
        let rules = repository.as_ref().map(Repository::ignore_rules).transpose()?;
        self.files_by(rules.as_ref(), space, place)
    }

    /// Returns the repository whose rules say what git ignores of the skills of a space.
    pub(crate) fn repository_of_skills(&self, space: Space) -> Option<Repository> {
        let repository = self.repository().filter(|_| !self.is_in_tree())?;
        let (work_dir, root) = (repository.work_dir()?.canonicalize().ok()?, self.workspace().root(space)?);
        (root.canonicalize().ok()? == work_dir).then_some(repository)
    }

    fn files_by(
        &self,
        rules: Option<&IgnoreRules<'_>>,
        space: Space,
        place: &SkillPlace,
    ) -> Result<FolderFiles, LocateError> {
        let path = |below: &str| format!("{}/{below}", place.path);
        let found = match rules.filter(|rules| !rules.is_ignored(&path(SKILL_FILE), false)) {
            Some(rules) => {
                let is_ignored = |below: &str, is_folder| rules.is_ignored(&path(below), is_folder);
                let files = self.workspace().skill_files(space, place, &is_ignored);
                files.map(|files| files.with_executables(|below| rules.executable_by_index(&path(below))))
            }
            None => self.workspace().skill_files(space, place, &is_of_desktop).map(FolderFiles::untold),
        };
        Ok(found?)
    }
}

fn is_of_desktop(path: &str, is_folder: bool) -> bool {
    !is_folder && OF_DESKTOPS.contains(&path.rsplit('/').next().unwrap_or(path))
}
