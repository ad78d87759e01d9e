//! In which folder a skill comes to lie.

use std::collections::BTreeSet;

use super::here;
use super::place_error::PlaceError;
use crate::capability::ProjectPath;
use crate::format::registry_files::Lock;
use crate::id::{ItemId, Space};
use crate::project::Project;
use crate::trust::ContentHash;

/// Finds the folder of a skill: that of the lock, that which was asked for, where it lies already, or the first of `skills.paths`. A
/// folder that is a link to another one of `skills.paths` is that one.
pub(in crate::ops::pull) fn place(
    project: &Project,
    space: Space,
    lock: &Lock,
    to: Option<&ProjectPath>,
    id: &ItemId,
) -> Result<String, PlaceError> {
    check_wanted(project, space, to)?;
    let known = project.skill_paths(space);
    let below = |path: &str| project.linked_skill(space, &format!("{path}/{}", id.name()));
    let wanted = to.map(|path| below(path.as_str())).transpose()?;
    if let Some(locked) = lock.skill(id) {
        if wanted.is_some_and(|wanted| wanted != locked.folder) {
            return Err(PlaceError::OtherFolder { id: id.clone(), folder: locked.folder.clone() });
        }
        if !is_skill_folder(project, space, &locked.folder) {
            return Err(not_skill_folder(locked.folder.clone(), &known));
        }
        return Ok(locked.folder.clone());
    }
    let folder = match (wanted, project.places_of_skill(space, id)?.into_iter().next()) {
        (Some(wanted), _) => wanted,
        (None, Some(there)) => there.path,
        (None, None) => {
            let first = project.context().config().skills.paths.first();
            below(first.map_or(".claude/skills", ProjectPath::as_str))?
        }
    };
    match lock.skills().iter().find(|other| other.folder == folder) {
        Some(other) => Err(PlaceError::FolderTaken { folder, other: other.id.clone() }),
        None => Ok(folder),
    }
}

/// Refuses a folder that was asked for and is not in `skills.paths`.
pub(super) fn check_wanted(project: &Project, space: Space, to: Option<&ProjectPath>) -> Result<(), PlaceError> {
    let known = project.skill_paths(space);
    match to.filter(|path| !known.contains(path)) {
        Some(path) => Err(not_skill_folder(path.to_string(), &known)),
        None => Ok(()),
    }
}

/// Tells whether a path is that of a skill's folder in one of `skills.paths`.
pub(super) fn is_skill_folder(project: &Project, space: Space, folder: &str) -> bool {
    let above = folder.rsplit_once('/').and_then(|(above, _)| above.parse::<ProjectPath>().ok());
    above.is_some_and(|above| project.skill_paths(space).contains(&above))
}

fn not_skill_folder(path: String, known: &BTreeSet<ProjectPath>) -> PlaceError {
    PlaceError::NotSkillFolder { path, known: known.iter().map(|path| format!("`{path}`")).collect() }
}

/// Refuses a skill that is new to the lock where another folder has the same name and other files: one signature cannot be about both.
pub(in crate::ops::pull) fn check_others(
    project: &Project,
    space: Space,
    lock: &Lock,
    (id, folder): (&ItemId, &str),
    after: ContentHash,
) -> Result<(), PlaceError> {
    if lock.skill(id).is_some() {
        return Ok(());
    }
    for other in project.places_of_skill(space, id)?.into_iter().filter(|other| other.path != folder) {
        if here::digest(project, space, &other.path)?.is_some_and(|digest| digest != after) {
            return Err(PlaceError::OtherCopy { id: id.clone(), folder: other.path });
        }
    }
    Ok(())
}
