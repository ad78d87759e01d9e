//! How every command about skills begins: with the lock, and with what a killed run left mended.

use super::super::lock;
use super::error::Error;
use super::mend;
use crate::format::registry_files::Lock;
use crate::id::Space;
use crate::ops::locate::Session;

/// Reads the lock, after what a killed run left is mended.
pub(super) fn begin(session: &Session, space: Space) -> Result<Lock, Error> {
    let lock = lock::read(session, space)?;
    let _held = session.workspace().hold(space)?;
    mend::mend(session, space, &lock)?;
    Ok(lock)
}
