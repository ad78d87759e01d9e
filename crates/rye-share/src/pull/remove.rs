//! `remove`: removes pulled items, and their needs that no other item has; and pulled skills, each with its signature.

use serde::Serialize;

use super::error::Error;
use super::lock;
use super::place::{PresentSkill, item_file};
use super::recovery::begin;
use super::write::{Change, write};
use crate::format;
use crate::format::registry_files::{Lock, LockEntry, SkillOrigin};
use crate::id::{ItemId, ItemType, Space, Version};
use crate::item::Named;
use crate::project::Project;
use crate::trust::ContentHash;
use crate::workspace::Candidate;

/// The removed items.
#[derive(Debug, Clone, Serialize)]
pub struct Removed {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The version.
    pub version: Version,
    /// The space it was in.
    pub space: Space,
    /// What had come with it and nothing needs any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unneeded: Vec<Unneeded>,
    /// The lock.
    pub lock: String,
}

/// An item that nothing needs any more.
#[derive(Debug, Clone, Serialize)]
pub struct Unneeded {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The version.
    pub version: Version,
    /// Whether its file stays, because it was changed here.
    pub is_changed: bool,
}

/// The removed skill.
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

/// An item of the lock with its file.
struct Pulled<'l> {
    entry: &'l LockEntry,
    file: Option<(Candidate, Vec<u8>)>,
    /// What it needs; none where its file cannot say.
    needs: Option<Vec<Named>>,
}

/// Removes an item that was pulled: its file, and its entry in the lock; and so what came with it and nothing needs any more.
/// Companions stay, as other tools may use them.
///
/// # Errors
///
/// Fails when it is not in the lock; when its file was changed here or another item needs it (but with `force`); and when a file
/// cannot be removed.
pub fn remove(
    project: &Project,
    item_type: Option<ItemType>,
    item_id: &ItemId,
    space: Space,
    force: bool,
) -> Result<Removed, Error> {
    let _held = project.workspace().hold(space)?;
    let before = lock::read(project, space)?;
    let entry = find(&before, item_type, item_id)?;
    let others = before.entries().iter().filter(|other| *other != entry);
    let others = others.map(|other| pulled(project, space, other)).collect::<Result<Vec<_>, _>>()?;
    let by: Vec<String> = others.iter().filter(|other| other.needs(entry)).map(Pulled::shown).collect();
    if !by.is_empty() && !force {
        return Err(Error::Needed { item_type: entry.item_type, item_id: item_id.clone(), by });
    }
    let main = pulled(project, space, entry)?;
    if main.is_changed() && !force {
        return Err(Error::LocalChange { item_type: entry.item_type, item_id: item_id.clone(), space });
    }
    main.remove_file(project)?;
    let mut after = before.clone();
    after.remove(entry.item_type, item_id);
    let mut unneeded = Vec::new();
    for orphan in orphans(&others) {
        let LockEntry { item_type, id, version, .. } = orphan.entry.clone();
        if !orphan.is_changed() {
            orphan.remove_file(project)?;
        }
        after.remove(item_type, &id);
        unneeded.push(Unneeded { item_type, item_id: id, version, is_changed: orphan.is_changed() });
    }
    let lock = lock::write(project, space, &before, &after)?;
    let (item_type, version) = (entry.item_type, entry.version);
    Ok(Removed { item_type, item_id: item_id.clone(), version, space, unneeded, lock })
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
    let mut after = before.clone();
    after.remove_skill(id);
    let kept = locked.origin == SkillOrigin::Local && !force;
    if kept {
        lock::write(project, space, &before, &after)?;
    } else {
        let present = PresentSkill::read(project, space, id, &locked.folder)?;
        if present.digest.is_some_and(|digest| digest != locked.digest) && !force {
            return Err(Error::LocalFolder { id: id.clone(), folder: present.folder });
        }
        let known = locked.signed.as_ref().map(|signed| signed.sha256);
        if present.signature.as_ref().is_some_and(|here| Some(here.sha256()) != known) && !force {
            return Err(Error::LocalSignature { id: id.clone() });
        }
        after.remove(ItemType::Skill, id);
        write(project, space, (&before, &after), &Change::removal(id, &present))?;
    }
    let (item_id, folder, lock) = (id.clone(), locked.folder.clone(), lock::shown(space));
    Ok(Some(RemovedSkill { item_id, folder, space, lock, kept }))
}

fn find<'l>(lock: &'l Lock, item_type: Option<ItemType>, item_id: &ItemId) -> Result<&'l LockEntry, Error> {
    let is_it = |entry: &&LockEntry| entry.id == *item_id && item_type.is_none_or(|wanted| wanted == entry.item_type);
    let entries: Vec<&LockEntry> = lock.entries().iter().filter(is_it).collect();
    match entries.as_slice() {
        [entry] => Ok(entry),
        [] => Err(Error::NotPulled { item_id: item_id.clone() }),
        several => {
            let types = several.iter().map(|entry| entry.item_type.as_str()).collect();
            Err(Error::SeveralTypes { item_id: item_id.clone(), types })
        }
    }
}

/// Lists packages that were not requested and that no requested one needs. Where one item cannot say what it needs,
/// everything may be needed.
fn orphans<'p, 'l>(all: &'p [Pulled<'l>]) -> Vec<&'p Pulled<'l>> {
    if all.iter().any(|one| one.needs.is_none()) {
        return Vec::new();
    }
    let (mut orphans, mut open): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.entry.needed);
    while let Some(by) = open.pop() {
        let (needed, rest): (Vec<_>, Vec<_>) = orphans.into_iter().partition(|one| by.needs(one.entry));
        open.extend(needed);
        orphans = rest;
    }
    orphans
}

fn pulled<'l>(project: &Project, space: Space, entry: &'l LockEntry) -> Result<Pulled<'l>, Error> {
    let file = item_file(project, space, entry.item_type, &entry.id)?;
    let item = file
        .as_ref()
        .and_then(|(candidate, bytes)| format::parse_bytes(candidate.item_type, &candidate.extension, bytes).item);
    Ok(Pulled { entry, needs: item.map(|item| item.needs()), file })
}

impl Pulled<'_> {
    fn needs(&self, other: &LockEntry) -> bool {
        self.needs.iter().flatten().any(|named| named.can_mean(other.item_type, &other.id))
    }

    fn is_changed(&self) -> bool {
        self.file.as_ref().is_some_and(|(_, bytes)| ContentHash::of(bytes) != self.entry.sha256)
    }

    fn remove_file(&self, project: &Project) -> Result<(), Error> {
        match &self.file {
            Some((candidate, bytes)) => Ok(project.workspace().remove_item(candidate, bytes)?),
            None => Ok(()),
        }
    }

    fn shown(&self) -> String {
        format!("{} `{}`", self.entry.item_type, self.entry.id)
    }
}
