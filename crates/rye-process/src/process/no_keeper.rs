//! Systems that do not give orphans to a keeper: the process becomes the target at once, and what that left in its group is killed at its
//! end. A process that went to another group stays, and so do all where this program is killed.

use super::error::Error;
use super::keeper_flags::Kept;
use super::sandbox::{NameSpace, Sandbox};

/// Has this process become the target.
///
/// # Errors
///
/// Never; it does where the system has keepers.
#[expect(clippy::unnecessary_wraps, reason = "the interface of the keeper of Linux")]
pub(super) const fn keep(_parent: i32, _sandbox: Option<&Sandbox>, _most: Option<usize>) -> Result<Kept, Error> {
    Ok(Kept::Target(NameSpace::Shared))
}
