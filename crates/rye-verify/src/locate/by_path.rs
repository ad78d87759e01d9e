//! The item whose file or folder lies at a path.

use std::path::{Component, Path, PathBuf};

use super::{LocateError, subject_at};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{SKILL_FILE, SkillFault};
use crate::project::Project;
use crate::workspace::SkillPlace;

/// Returns the item of the project or the user whose file lies at a path, from the current folder: of a skill its folder,
/// its `SKILL.md` or its signed manifest. The file need not be there.
pub fn item_at(project: &Project, path: &str) -> Result<Option<(ItemType, ItemId)>, LocateError> {
    let given = plain(&project.context().current_dir().join(path));
    for space in [Space::Project, Space::User] {
        let Some(root) = project.workspace().root(space) else { continue };
        let Some(below) = below(root, &given) else { continue };
        if let Some(subject) = subject_at(&below) {
            return Ok(Some((subject.item_type, subject.item_id)));
        }
        let folder = below.strip_suffix(SKILL_FILE).map_or(below.as_str(), |folder| folder.trim_end_matches('/'));
        let folder = project.linked_skill(space, folder)?;
        for skill in project.known_skills(space)? {
            if skill.places.iter().any(|place| place.path == folder) {
                return Ok(Some((ItemType::Skill, skill.candidate.id)));
            }
        }
    }
    Ok(None)
}

/// Says why a folder with a `SKILL.md` that a name or a path means is not a skill: its name is invalid, or it is not directly in a folder of
/// `skills.paths`.
pub fn no_skill(project: &Project, name: &str) -> Result<Option<LocateError>, LocateError> {
    let Some(root) = project.workspace().root(Space::Project) else { return Ok(None) };
    let given = below(root, &plain(&project.context().current_dir().join(name)));
    let folder = given.map(|path| path.strip_suffix(SKILL_FILE).unwrap_or(&path).trim_end_matches('/').to_owned());
    for (path, fault) in project.skill_places(Space::Project)?.faults {
        let last = path.rsplit('/').next().unwrap_or(&path);
        if matches!(fault, SkillFault::FolderName { .. }) && (last == name || folder.as_ref() == Some(&path)) {
            return Ok(Some(LocateError::SkillName { name: last.to_owned(), path: path.into() }));
        }
    }
    let Some(folder) = folder else { return Ok(None) };
    let Some((above, _)) = folder.rsplit_once('/') else { return Ok(None) };
    let place = SkillPlace::of(&folder);
    if project.workspace().skill_text(Space::Project, &place).is_err() {
        return Ok(None);
    }
    Ok(Some(LocateError::SkillOutside { above: above.to_owned(), path: folder.into() }))
}

/// Returns a path from a folder, also where one of them is named through a symlink.
fn below(root: &Path, given: &Path) -> Option<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let real_given = match (given.parent(), given.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => real(given),
    };
    let below = given.strip_prefix(root).ok().or_else(|| real_given.strip_prefix(real(root)).ok())?;
    below.to_str().map(str::to_owned)
}

/// Takes `.` and `..` out of a path.
pub fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, component| {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
        plain
    })
}
