//! The folders and the manifests of the skills that are signed, found once for all of them.

use std::collections::BTreeMap;

use super::super::locate::LocateError;
use crate::id::{ItemId, ItemType, Space};
use crate::project::Project;
use crate::workspace::{Candidate, SkillPlace};

/// Where skills are.
#[derive(Default)]
pub(super) struct Places {
    /// Their folders, by space and name.
    folders: BTreeMap<(Space, String), Vec<SkillPlace>>,
    /// Their manifests, as far as they have one.
    manifests: BTreeMap<(Space, ItemId), Candidate>,
}

impl Places {
    /// Finds the folders and the manifests of the skills among items.
    pub(super) fn of<'c>(
        project: &Project,
        items: impl IntoIterator<Item = &'c Candidate>,
    ) -> Result<Self, LocateError> {
        let mut ids: BTreeMap<Space, Vec<&ItemId>> = BTreeMap::new();
        for item in items.into_iter().filter(|item| item.item_type == ItemType::Skill) {
            ids.entry(item.space).or_default().push(&item.id);
        }
        let mut found = Self::default();
        for (space, ids) in ids {
            let workspace = project.workspace();
            let (places, manifests) = match ids.as_slice() {
                [id] => {
                    let manifest = workspace.candidate_in(space, ItemType::Skill, id)?;
                    (project.places_of_skill(space, id)?, Vec::from_iter(manifest))
                }
                _ => (project.skill_places(space)?.places, workspace.list(Some(ItemType::Skill), Some(space))?.items),
            };
            for place in places {
                found.folders.entry((space, place.name.clone())).or_default().push(place);
            }
            found.manifests.extend(manifests.into_iter().map(|manifest| ((space, manifest.id.clone()), manifest)));
        }
        Ok(found)
    }

    /// Returns the folders of one skill.
    pub(super) fn of_skill(&self, space: Space, id: &ItemId) -> &[SkillPlace] {
        self.folders.get(&(space, id.name().to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns the manifest of one skill, if it has one.
    pub(super) fn manifest(&self, space: Space, id: &ItemId) -> Option<&Candidate> {
        self.manifests.get(&(space, id.clone()))
    }
}
