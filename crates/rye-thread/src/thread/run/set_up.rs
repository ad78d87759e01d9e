//! The set-up of a thread's tree: agreed to by the person, and made from their commit.

use super::observer::Observer;
use crate::execute::{NewTree, SetUpBase, TreeSetUp};
use crate::git::Repository;
use crate::process::CancelFlag;
use crate::project::Furnished;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::tree::OwnTree;

/// Tells whether a set-up is in force whose result for a base is not kept.
pub(in crate::thread) fn is_to_be_made(
    session: &Session,
    repository: &Repository,
    base: SetUpBase<'_>,
) -> Result<bool, Error> {
    let Some(set_up) = TreeSetUp::of(session.project())? else { return Ok(false) };
    let is_kept = set_up.is_kept(session.project(), repository, base);
    is_kept.map(|is_kept| !is_kept).map_err(|reason| failed(&set_up, reason))
}

/// Makes the folders of an accepted set-up in a new tree, and returns them.
///
/// # Errors
///
/// Fails when the person does not agree, and when the command does not make the folders. No thread begins then.
pub(in crate::thread) fn make(
    tree: &mut OwnTree,
    session: &Session,
    base: SetUpBase<'_>,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Vec<Furnished>, Error> {
    let (ctx, Some(set_up)) = (session.context(), TreeSetUp::of(session.project())?) else { return Ok(Vec::new()) };
    let failed = |reason| failed(&set_up, reason);
    if !set_up.is_agreed(ctx).map_err(failed)? {
        // No person can be asked in a tool.
        if ctx.is_in_tool() || !observer.agrees_to_set_up(&set_up) {
            return Err(Error::SetUpNotAgreed { what: set_up.to_string() });
        }
        set_up.agree(ctx).map_err(failed)?;
    }
    let (guard, new) = (Guard::new(session)?, NewTree { linked: tree.linked(), files: tree.project() });
    let mut begins = || observer.setting_up(&set_up.command());
    let made = set_up.make(session, new, base, guard.redactor(), cancel, &mut begins).map_err(failed)?;
    tree.note_set_up(set_up.digest().to_owned());
    Ok(made)
}

fn failed(set_up: &TreeSetUp, reason: String) -> Error {
    Error::SetUpFailed { command: set_up.command(), reason }
}
