//! Skills that are in two folders: with different files, or in a folder where no client reads them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{KnownSkill, LocateError};
use crate::id::{ItemType, SPACE_FOLDER, Space};
use crate::item::{SKILL_FILE, SkillFault};
use crate::project::Project;
use crate::workspace::Stray;

impl Project {
    /// Returns the first two folders of a skill whose files differ.
    ///
    /// # Errors
    ///
    /// Fails when a folder cannot be read.
    pub fn skill_rival(&self, skill: &KnownSkill) -> Result<Option<SkillFault>, LocateError> {
        let space = skill.candidate.space;
        let [first, others @ ..] = skill.places.as_slice() else { return Ok(None) };
        if others.is_empty() {
            return Ok(None);
        }
        let first = self.skill_folder(space, first)?;
        for other in others {
            if let Some(rival) = self.skill_folder(space, other)?.rival(&first) {
                return Ok(Some(rival));
            }
        }
        Ok(None)
    }

    /// Takes the files of skills out of those that are not items: `skills.paths` may name `.ai/skills`, which has their signatures too.
    ///
    /// # Errors
    ///
    /// As [`Project::skill_places`].
    pub fn leave_files_of_skills(&self, strays: &mut Vec<Stray>) -> Result<(), LocateError> {
        for space in [Space::Project, Space::User] {
            let Some(signatures) = self.signatures(space) else { continue };
            let is_there = |stray: &Stray| stray.fault.is_none() && stray.path.starts_with(&signatures);
            if !strays.iter().any(is_there) {
                continue;
            }
            let root = self.workspace().root(space).map(PathBuf::from).unwrap_or_default();
            let places = self.skill_places(space)?.places;
            let is_of_skill = |stray: &Stray| places.iter().any(|place| stray.path.starts_with(root.join(&place.path)));
            strays.retain(|stray| !is_there(stray) || !is_of_skill(stray));
        }
        Ok(())
    }

    /// Finds the folders of skills among the signatures, by files that are not items; each with the folders of skills of its name.
    ///
    /// # Errors
    ///
    /// As [`Project::known_skills`].
    pub fn unplaced_skills(&self, strays: &[Stray]) -> Result<BTreeMap<PathBuf, Vec<String>>, LocateError> {
        let mut folders = BTreeMap::new();
        for space in [Space::Project, Space::User] {
            let Some(signatures) = self.signatures(space) else { continue };
            let folder_of = |stray: &Stray| {
                let name = stray.path.file_name().is_some_and(|name| name == SKILL_FILE);
                stray.path.parent().filter(|folder| name && folder.parent() == Some(&signatures)).map(PathBuf::from)
            };
            let here: Vec<PathBuf> = strays.iter().filter_map(folder_of).collect();
            if here.is_empty() {
                continue;
            }
            let known = self.known_skills(space)?;
            for folder in here {
                let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let of_name = known.iter().filter(|skill| skill.candidate.id.name() == name);
                folders
                    .insert(folder, of_name.flat_map(|skill| &skill.places).map(|place| place.path.clone()).collect());
            }
        }
        Ok(folders)
    }

    fn signatures(&self, space: Space) -> Option<PathBuf> {
        self.workspace().root(space).map(|root| root.join(SPACE_FOLDER).join(ItemType::Skill.folder()))
    }
}
