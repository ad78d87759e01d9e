//! Where something comes to lie, and what is there: the file of an item; the folder of a skill and its signature.

use std::collections::BTreeSet;

use super::error::Error;
use super::signature::SkillSignature;
use crate::capability::ProjectPath;
use crate::format::registry_files::{Lock, LockedSkill};
use crate::format::{SkillChange, SkillFiles};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{SkillContent, SkillFolder};
use crate::locate::LocateError;
use crate::project::Project;
use crate::trust::ContentHash;
use crate::workspace::{self, Candidate, SkillPlace};

/// What is there of a skill: its folder, and the file with its signature.
#[derive(Debug, Clone)]
pub(super) struct PresentSkill {
    /// The path of the folder, from that of its space.
    pub(super) folder: String,
    /// The digest of the folder; `None` if missing.
    pub(super) digest: Option<ContentHash>,
    /// The signature; `None` if missing.
    pub(super) signature: Option<SkillSignature>,
}

/// The place of a skill that is pulled.
#[derive(Debug, Clone)]
pub struct SkillTarget {
    pub(super) present: PresentSkill,
    /// What it changes of what lies there.
    pub change: SkillChange,
}

impl PresentSkill {
    /// Reads what is there of a skill whose folder is at a path.
    pub(super) fn read(project: &Project, space: Space, id: &ItemId, path: &str) -> Result<Self, Error> {
        let folder = folder(project, space, path)?;
        Self::of(project, space, id, (path, folder.as_ref()))
    }

    /// Adds the signature to the folder of a skill.
    pub(super) fn of(
        project: &Project,
        space: Space,
        id: &ItemId,
        (path, folder): (&str, Option<&SkillFolder>),
    ) -> Result<Self, Error> {
        let signature = signature(project, space, id)?;
        Ok(Self { folder: path.to_owned(), digest: folder.map(SkillFolder::digest), signature })
    }

    /// Returns the bytes of the signature.
    pub(super) fn signed(&self) -> Option<&[u8]> {
        self.signature.as_ref().map(|signature| signature.bytes.as_slice())
    }

    /// Tells whether the folder is missing, as the lock says, or as it is to be.
    pub(super) fn is_known(&self, locked: Option<&LockedSkill>, after: ContentHash) -> bool {
        let is_locked = |digest| locked.is_some_and(|locked| locked.folder == self.folder && locked.digest == digest);
        self.digest.is_none_or(|digest| digest == after || is_locked(digest))
    }
}

impl SkillTarget {
    /// Looks at the place of a skill whose folder is to be at a path.
    pub(super) fn look(
        project: &Project,
        space: Space,
        id: &ItemId,
        path: &str,
        after: &SkillContent,
    ) -> Result<Self, Error> {
        let before = found(project.skill_content(space, &SkillPlace::of(path)))?;
        let before = before.filter(|before| !before.folder.entries.is_empty());
        // Of a skill that is new, everything it can do is gained.
        let old = before.as_ref().map(SkillFiles::of).unwrap_or_default();
        let change = SkillChange::between(id.name(), &old, &SkillFiles::of(after));
        let folder = before.as_ref().map(|before| &before.folder);
        Ok(Self { present: PresentSkill::of(project, space, id, (path, folder))?, change })
    }

    /// Returns its folder, from the folder of its space.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.present.folder
    }
}

/// Returns the file of an item and its bytes; `None` if missing.
pub(super) fn item_file(
    project: &Project,
    space: Space,
    item_type: ItemType,
    id: &ItemId,
) -> Result<Option<(Candidate, Vec<u8>)>, Error> {
    let Some(candidate) = project.workspace().candidate_in(space, item_type, id)? else { return Ok(None) };
    let bytes = project.workspace().read(&candidate)?;
    Ok(Some((candidate, bytes)))
}

/// Reads the folder at a path; `None` if it is missing, or has nothing that belongs to a skill.
pub(super) fn folder(project: &Project, space: Space, path: &str) -> Result<Option<SkillFolder>, Error> {
    let folder = found(project.skill_folder(space, &SkillPlace::of(path)))?;
    Ok(folder.filter(|folder| !folder.entries.is_empty()))
}

fn found<T>(read: Result<T, LocateError>) -> Result<Option<T>, Error> {
    match read {
        Err(LocateError::Workspace(workspace::Error::NotFound { .. })) => Ok(None),
        read => Ok(Some(read?)),
    }
}

/// Returns the digest of the folder at a path; `None` if missing.
pub(super) fn digest(project: &Project, space: Space, path: &str) -> Result<Option<ContentHash>, Error> {
    Ok(folder(project, space, path)?.map(|folder| folder.digest()))
}

/// Reads the file with a skill's signature; `None` if missing.
pub(super) fn signature(project: &Project, space: Space, id: &ItemId) -> Result<Option<SkillSignature>, Error> {
    let file = item_file(project, space, ItemType::Skill, id)?;
    Ok(file.map(|(_, bytes)| SkillSignature { bytes }))
}

/// Finds the folder of a skill: that of the lock, that which was asked for, where it lies already, or the first of `skills.paths`. A
/// folder that is a link to another one of `skills.paths` is that one.
pub(super) fn place(
    project: &Project,
    space: Space,
    lock: &Lock,
    to: Option<&ProjectPath>,
    id: &ItemId,
) -> Result<String, Error> {
    check_wanted(project, space, to)?;
    let below = |path: &str| project.linked_skill(space, &format!("{path}/{}", id.name()));
    let wanted = to.map(|path| below(path.as_str())).transpose()?;
    if let Some(locked) = lock.skill(id) {
        if wanted.is_some_and(|wanted| wanted != locked.folder) {
            return Err(Error::OtherFolder { id: id.clone(), folder: locked.folder.clone() });
        }
        if !is_skill_folder(project, space, &locked.folder) {
            return Err(not_skill_folder(locked.folder.clone(), &project.named_skill_paths(space)));
        }
        return Ok(locked.folder.clone());
    }
    let folder = match (wanted, project.places_of_skill(space, id)?.into_iter().next()) {
        (Some(wanted), _) => wanted,
        (None, Some(there)) => there.path,
        (None, None) => {
            let first = project.context().config().skills.paths.iter().find(|path| !path.as_str().contains('*'));
            below(first.map_or(".claude/skills", ProjectPath::as_str))?
        }
    };
    match lock.skills().iter().find(|other| other.folder == folder) {
        Some(other) => Err(Error::FolderTaken { folder, other: other.id.clone() }),
        None => Ok(folder),
    }
}

/// Refuses a folder that was asked for and is not in `skills.paths`.
pub(super) fn check_wanted(project: &Project, space: Space, to: Option<&ProjectPath>) -> Result<(), Error> {
    match to.filter(|path| !project.is_skill_path(space, path)) {
        Some(path) => Err(not_skill_folder(path.to_string(), &project.named_skill_paths(space))),
        None => Ok(()),
    }
}

/// Tells whether a path is that of a skill's folder in one of `skills.paths`.
pub(super) fn is_skill_folder(project: &Project, space: Space, folder: &str) -> bool {
    let above = folder.rsplit_once('/').and_then(|(above, _)| above.parse::<ProjectPath>().ok());
    above.is_some_and(|above| project.is_skill_path(space, &above))
}

fn not_skill_folder(path: String, known: &BTreeSet<ProjectPath>) -> Error {
    Error::NotSkillFolder { path, known: known.iter().map(|path| format!("`{path}`")).collect() }
}

/// Refuses a skill that is new to the lock where another folder has the same name and other files: one signature cannot be about both.
pub(super) fn check_others(
    project: &Project,
    space: Space,
    lock: &Lock,
    (id, folder): (&ItemId, &str),
    after: ContentHash,
) -> Result<(), Error> {
    if lock.skill(id).is_some() {
        return Ok(());
    }
    for other in project.places_of_skill(space, id)?.into_iter().filter(|other| other.path != folder) {
        if digest(project, space, &other.path)?.is_some_and(|digest| digest != after) {
            return Err(Error::OtherCopy { id: id.clone(), folder: other.path });
        }
    }
    Ok(())
}
