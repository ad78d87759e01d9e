//! The look at what would be accepted, before anybody is asked, and at the commit, before it is the person's.

use super::error::Error;
use super::plan::Acceptance;
use crate::git::{CommitId, Git, Repository, TreeId};
use crate::keys::KeysError;
use crate::redact::{Cleared, Passed};
use crate::session::Session;
use crate::workspace::Held;

/// Looks at the files that would change, and at the message.
///
/// # Errors
///
/// Fails on secrets that nothing lets through.
pub(super) fn clear(
    session: &Session,
    acceptance: &Acceptance,
    message: &[u8],
    allowed: &[String],
) -> Result<Cleared, Error> {
    let mut inspector = session.context().inspector(allowed).map_err(KeysError::from)?;
    inspector.look("the message", None, message);
    for step in &acceptance.steps {
        if let Some(after) = content(&step.to) {
            inspector.look(step.path.as_str(), content(&step.from), after);
        }
    }
    Ok(inspector.finish()?)
}

/// Looks at what the commit would have: a hook may have changed it.
///
/// # Errors
///
/// As [`clear`], and when a content cannot be read.
pub(super) fn clear_tree(
    session: &Session,
    (repository, git): (&Repository, &Git),
    passed: &Passed,
    head: Option<&CommitId>,
    tree_id: &TreeId,
) -> Result<Cleared, Error> {
    let mut inspector = session.context().inspector_after(passed).map_err(KeysError::from)?;
    let from: Vec<CommitId> = head.into_iter().cloned().collect();
    repository.inspect_tree(&mut inspector, git, &from, tree_id)?;
    Ok(inspector.finish()?)
}

fn content(held: &Held) -> Option<&[u8]> {
    match held {
        Held::Nothing => None,
        Held::File { bytes, .. } => Some(bytes),
        Held::Link { target } => Some(target),
    }
}
