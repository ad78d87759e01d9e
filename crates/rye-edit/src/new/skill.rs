//! A skill to begin with: a folder with a `SKILL.md`, where a client reads it.

use super::error::Error;
use crate::id::{ItemId, ItemType, Space};
use crate::item::is_skill_name;
use crate::project::Project;

/// The text to fill in.
pub(super) const TEMPLATE: &str = include_str!("skill.md");

/// Makes the folder of a skill in the first of `skills.paths`; returns the path of its `SKILL.md`. Commit point: the rename of the
/// finished file to its name.
pub(super) fn create(project: &Project, item_id: &ItemId, space: Space) -> Result<String, Error> {
    if !is_skill_name(item_id.as_str()) {
        return Err(Error::NotSkillName { item_id: item_id.clone() });
    }
    if let Some(place) = project.places_of_skill(space, item_id)?.into_iter().next() {
        return Err(Error::Exists { item_type: ItemType::Skill, item_id: item_id.clone(), path: place.path });
    }
    let first = project.context().config().skills.paths.iter().find(|path| !path.as_str().contains('*'));
    let first = first.map(ToString::to_string);
    let path = format!("{}/{item_id}", first.unwrap_or_else(|| ".claude/skills".to_owned()));
    let path = project.linked_skill(space, &path)?;
    let text = TEMPLATE.replace("{name}", item_id.as_str());
    let failed = |source| Error::Write { item_type: ItemType::Skill, item_id: item_id.clone(), source };
    let path = project.workspace().create_skill(space, &path, text.as_bytes()).map_err(failed)?;
    Ok(path.display().to_string())
}
