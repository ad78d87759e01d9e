//! The lock of a space: read in full or not at all, written last.

use super::error::Error;
use crate::format::registry_files::{self, Lock, lock_text};
use crate::id::Space;
use crate::ops::locate::Session;
use crate::workspace::{Expected, LOCK_FILE};

/// Reads the lock of a space; an empty one if there is none.
pub(super) fn read(session: &Session, space: Space) -> Result<Lock, Error> {
    if space == Space::Project {
        session.project_root()?;
    }
    let Some(bytes) = session.workspace().lock_file(space)? else { return Ok(Lock::default()) };
    registry_files::lock(&bytes).map_err(|reason| Error::Lock { path: shown(space), reason })
}

/// Replaces the lock of a space, if it is still as it was read; returns the path to show.
pub(super) fn write(session: &Session, space: Space, before: &Lock, after: &Lock) -> Result<String, Error> {
    let workspace = session.workspace();
    let there = workspace.lock_file(space)?;
    let read = there.as_deref().map(registry_files::lock).transpose();
    let read = read.map_err(|reason| Error::Lock { path: shown(space), reason })?.unwrap_or_default();
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
