//! A skill of the lock removed: its folder, its signature, and its entry.

use serde::Serialize;

use super::super::lock;
use super::begin::begin;
use super::error::Error;
use super::here;
use super::write::{Change, write};
use crate::format::registry_files::SkillOrigin;
use crate::id::{ItemId, ItemType, Space};
use crate::project::Project;
use crate::trust::ContentHash;

/// The removed skills.
#[derive(Debug, Clone, Serialize)]
pub struct RemovedSkill {
    /// The id.
    pub item_id: ItemId,
    /// The folder that it was in.
    pub folder: String,
    /// The space it was in.
    pub space: Space,
    /// The lock.
    pub lock: String,
    /// Whether its files stay, because it was made here: only the lock forgets it.
    pub kept: bool,
}

/// Removes a skill that the lock has; none where it has no such skill. One that was made here stays, without `force`, and only the lock
/// forgets it.
///
/// # Errors
///
/// Fails when its folder was changed here (but with `force`), and when something cannot be removed.
pub fn remove_skill(project: &Project, id: &ItemId, space: Space, force: bool) -> Result<Option<RemovedSkill>, Error> {
    if lock::read(project, space)?.skill(id).is_none() {
        return Ok(None);
    }
    let before = begin(project, space)?;
    let _held = project.workspace().hold(space)?;
    let Some(locked) = before.skill(id) else { return Ok(None) };
    if locked.origin == SkillOrigin::Local && !force {
        let mut after = before.clone();
        after.remove_skill(id);
        lock::write(project, space, &before, &after)?;
        let (item_id, folder, lock) = (id.clone(), locked.folder.clone(), lock::shown(space));
        return Ok(Some(RemovedSkill { item_id, folder, space, lock, kept: true }));
    }
    let digest = here::digest(project, space, &locked.folder)?;
    if digest.is_some_and(|digest| digest != locked.digest) && !force {
        return Err(Error::LocalChange { id: id.clone(), folder: locked.folder.clone() });
    }
    let signature = here::signature(project, space, id)?;
    let is_locked = |bytes: &[u8]| locked.signed.as_ref().is_some_and(|signed| signed.sha256 == ContentHash::of(bytes));
    if signature.as_ref().is_some_and(|here| !is_locked(&here.bytes)) && !force {
        return Err(Error::LocalSignature { id: id.clone() });
    }
    let mut after = before.clone();
    after.remove_skill(id);
    after.remove(ItemType::Skill, id);
    let signature = signature.as_ref().map(|here| here.bytes.as_slice());
    let folder = locked.folder.as_str();
    let change = Change { id, folder, before: digest, files: None, signature_before: signature, signature_after: None };
    write(project, space, (&before, &after), &change)?;
    Ok(Some(RemovedSkill {
        item_id: id.clone(),
        folder: folder.to_owned(),
        space,
        lock: lock::shown(space),
        kept: false,
    }))
}
