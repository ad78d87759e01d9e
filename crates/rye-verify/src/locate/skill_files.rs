//! The files of a skill: what git tracks and what it would add. What git ignores does not belong to a skill.
//!
//! Outside of a repository nothing is ignored, but for what a desktop writes into every folder. So it is with a skill whose `SKILL.md`
//! git ignores, and in a thread's tree, whose rules are the thread's to write.

use super::LocateError;
use crate::git::{IgnoreRules, Repository};
use crate::id::Space;
use crate::item::{SKILL_FILE, SkillContent, SkillFolder};
use crate::project::Project;
use crate::workspace::{FolderFiles, FolderRules, SkillPlace};

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
        let files = ruled(rules, &place.path, |rules| self.workspace().skill_files(space, place, rules))?;
        Ok(SkillFolder::read(&place.path, &files)?)
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
        Ok(self.by_skill_rules(space, &place.path, |rules| self.workspace().skill_files(space, place, rules))??)
    }

    /// Returns the repository whose rules say what git ignores of the skills of a space.
    pub(crate) fn repository_of_skills(&self, space: Space) -> Option<Repository> {
        let repository = self.repository().filter(|_| !self.is_in_tree())?;
        let (work_dir, root) = (repository.work_dir()?.canonicalize().ok()?, self.workspace().root(space)?);
        (root.canonicalize().ok()? == work_dir).then_some(repository)
    }

    /// Does something by the rules that say what belongs to the skill in a folder of a space.
    ///
    /// # Errors
    ///
    /// Fails when the index of the repository cannot be read.
    pub fn by_skill_rules<T>(
        &self,
        space: Space,
        folder: &str,
        work: impl FnOnce(&FolderRules<'_>) -> T,
    ) -> Result<T, LocateError> {
        let repository = self.repository_of_skills(space);
        let rules = repository.as_ref().map(Repository::ignore_rules).transpose()?;
        Ok(ruled(rules.as_ref(), folder, work))
    }
}

fn ruled<T>(rules: Option<&IgnoreRules<'_>>, folder: &str, work: impl FnOnce(&FolderRules<'_>) -> T) -> T {
    let path = |below: &str| format!("{folder}/{below}");
    match rules.filter(|rules| !rules.is_ignored(&path(SKILL_FILE), false)) {
        Some(rules) => work(&FolderRules {
            is_ignored: &|below, is_folder| rules.is_ignored(&path(below), is_folder),
            is_executable: &|below| rules.executable_by_index(&path(below)),
            is_told: true,
        }),
        None => work(&FolderRules { is_ignored: &is_of_desktop, is_executable: &|_| None, is_told: false }),
    }
}

fn is_of_desktop(path: &str, is_folder: bool) -> bool {
    !is_folder && OF_DESKTOPS.contains(&path.rsplit('/').next().unwrap_or(path))
}
