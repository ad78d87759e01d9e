//! The lock of a space: read in full or not at all, written last.

use std::fs::File;

use super::error::Error;
use crate::format::registry_files::{self, Lock, LockedSkill, lock_text};
use crate::id::Space;
use crate::project::Project;
use crate::workspace::{Expected, LOCK_FILE};

/// Reads the lock of a space; an empty one if missing.
pub(super) fn read(project: &Project, space: Space) -> Result<Lock, Error> {
    if space == Space::Project {
        project.root()?;
    }
    let Some(bytes) = project.workspace().lock_file(space)? else { return Ok(Lock::default()) };
    parsed(project, space, &bytes)
}

/// Parses a lock. Where the folder of a skill is a link to another folder of `skills.paths`, it is that one.
fn parsed(project: &Project, space: Space, bytes: &[u8]) -> Result<Lock, Error> {
    let mut lock = registry_files::lock(bytes).map_err(|reason| Error::Lock { path: shown(space), reason })?;
    for skill in lock.skills().to_vec() {
        let folder = project.linked_skill(space, &skill.folder)?;
        // Two skills never have one folder.
        if lock.skills().iter().all(|other| other.folder != folder) {
            lock.put_skill(LockedSkill { folder, ..skill });
        }
    }
    Ok(lock)
}

/// Keeps other programs from changing the pulled items of a space until the file is dropped, if the lock is as it was read.
pub(super) fn hold(project: &Project, space: Space, lock: &Lock) -> Result<File, Error> {
    let held = project.workspace().hold(space)?;
    if read(project, space)? != *lock {
        return Err(Error::LockMoved { path: shown(space) });
    }
    Ok(held)
}

/// Replaces the lock of a space, if it is still as it was read; returns the path to show.
pub(super) fn write(project: &Project, space: Space, before: &Lock, after: &Lock) -> Result<String, Error> {
    let workspace = project.workspace();
    let there = workspace.lock_file(space)?;
    let read = there.as_deref().map(|bytes| parsed(project, space, bytes)).transpose()?.unwrap_or_default();
    if read != *before {
        return Err(Error::LockMoved { path: shown(space) });
    }
    if before != after || there.is_none() {
        let expected = there.as_deref().map_or(Expected::Absent, Expected::Content);
        workspace.write_lock_file(space, lock_text(after).as_bytes(), expected)?;
    }
    Ok(shown(space))
}

/// Returns the path of the lock, from the folder of its space.
pub(super) fn shown(space: Space) -> String {
    match space {
        Space::Project | Space::System => LOCK_FILE.to_owned(),
        Space::User => format!(".ai/{LOCK_FILE}"),
    }
}
