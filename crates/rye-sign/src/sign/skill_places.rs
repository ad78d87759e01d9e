//! The folders of the skills that are signed, found once for all of them.

use std::collections::BTreeMap;

use super::super::locate::LocateError;
use crate::id::{ItemId, ItemType, Space};
use crate::project::Project;
use crate::workspace::{Candidate, SkillPlace};

/// The folders of skills, by space and name.
#[derive(Default)]
pub(super) struct Places(BTreeMap<(Space, String), Vec<SkillPlace>>);

impl Places {
    /// Finds the folders of the skills among items.
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
            let places = match ids.as_slice() {
                [id] => project.places_of_skill(space, id)?,
                _ => project.skill_places(space)?.places,
            };
            for place in places {
                found.0.entry((space, place.name.clone())).or_default().push(place);
            }
        }
        Ok(found)
    }

    /// Returns the folders of one skill.
    pub(super) fn of_skill(&self, space: Space, id: &ItemId) -> &[SkillPlace] {
        self.0.get(&(space, id.name().to_owned())).map_or(&[], Vec::as_slice)
    }
}
