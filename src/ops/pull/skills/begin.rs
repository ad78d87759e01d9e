//! How every command about skills begins: with the lock, and with what a killed run left mended.

use super::super::lock;
use super::error::Error;
use super::mend;
use crate::format::registry_files::Lock;
use crate::id::Space;
use crate::project::Project;

/// Reads the lock, after what a killed run left is mended.
pub(super) fn begin(project: &Project, space: Space) -> Result<Lock, Error> {
    let lock = lock::read(project, space)?;
    let _held = project.workspace().hold(space)?;
    mend::mend(project, space, &lock)?;
    Ok(lock)
}
