//! One skill written: its folder, then its signature, then the lock.

use super::error::Error;
use super::lock;
use super::place::PresentSkill;
use crate::format::registry_files::Lock;
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::item::{EntryKind, SkillContent};
use crate::project::Project;
use crate::sign::keep_skill_bytes;
use crate::workspace::{Expected, PlacedFile, Placing, Staged};

/// What becomes of one skill here.
pub(super) struct Change<'a> {
    pub(super) id: &'a ItemId,
    /// What is there of it.
    pub(super) present: &'a PresentSkill,
    /// The files that it gets; none where it is removed.
    pub(super) files: Option<&'a SkillContent>,
    /// The signature that it gets.
    pub(super) signature: Option<&'a [u8]>,
}

impl<'a> Change<'a> {
    /// Removes a skill.
    pub(super) const fn removal(id: &'a ItemId, present: &'a PresentSkill) -> Self {
        Self { id, present, files: None, signature: None }
    }
}

/// Writes what becomes of a skill: the folder, its signature, and last the lock.
pub(super) fn write(
    project: &Project,
    space: Space,
    (before, after): (&Lock, &Lock),
    change: &Change<'_>,
) -> Result<(), Error> {
    let staged = put_in_place(project, space, change)?;
    if let Err(error) = lock::write(project, space, before, after) {
        // The first failure is the error to report.
        drop(write_signature(project, space, change.id, change.signature, change.present.signed()));
        return Err(error);
    }
    staged.map_or(Ok(()), |staged| Ok(staged.finish()?))
}

/// Puts a skill's folder and its signature into their places. The returned guard is kept until the lock is written.
pub(super) fn put_in_place(project: &Project, space: Space, change: &Change<'_>) -> Result<Option<Staged>, Error> {
    let mut staged = staged(project, space, change)?;
    if let Some(staged) = &mut staged {
        project.by_skill_rules(space, &change.present.folder, |rules| staged.swap(rules))??;
    }
    if change.files.is_some() {
        keep_skill_bytes(project, space, change.id)?;
    }
    write_signature(project, space, change.id, change.present.signed(), change.signature)?;
    Ok(staged)
}

/// Prepares a folder that differs from the existing one.
fn staged(project: &Project, space: Space, change: &Change<'_>) -> Result<Option<Staged>, Error> {
    let (before, after) = (change.present.digest, change.files.map(|files| files.folder.digest()));
    if after == before {
        return Ok(None);
    }
    let placing = Placing { id: change.id.clone(), folder: change.present.folder.clone(), before, after };
    let files = change.files.map(placed);
    Ok(Some(project.workspace().stage_skill(space, placing, files, change.present.signed())?))
}

fn placed(read: &SkillContent) -> Vec<PlacedFile<'_>> {
    let files = read.folder.entries.iter().filter_map(|entry| {
        let EntryKind::File { executable, .. } = entry.kind else { return None };
        Some(PlacedFile { path: &entry.path, executable, bytes: read.bytes.get(&entry.path)? })
    });
    files.collect()
}

/// Makes the file with a skill's signature what it is to be, if it still is as it was.
pub(super) fn write_signature(
    project: &Project,
    space: Space,
    id: &ItemId,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<(), Error> {
    if before == after {
        return Ok(());
    }
    let workspace = project.workspace();
    match after {
        Some(bytes) => {
            let expected = before.map_or(Expected::Absent, Expected::Content);
            workspace.write_item(space, ItemType::Skill, id, &Extension::MANIFEST, bytes, expected)?;
        }
        None => {
            if let (Some(before), Some(candidate)) = (before, workspace.candidate_in(space, ItemType::Skill, id)?) {
                workspace.remove_item(&candidate, before)?;
            }
        }
    }
    Ok(())
}
