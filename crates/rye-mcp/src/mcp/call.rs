//! Performing a client's call: checked, performed, and its outcome as the client gets it.
//!
//! Runs on an OS thread of its own; nothing here knows of the protocol's messages.

use std::path::Path;

use serde_json::Value;

use super::access::{self, Connection};
use super::error::Failure;
use super::follow::{Next, next};
use super::text;
use super::window::{Kept, Window};
use super::work::Running;
use crate::action::{self, Action, Bounds, Done, Permitted};
use crate::capability::Grant;
use crate::execute;
use crate::session::Session;

/// Where a directive's outcome says what the connection may do while it is followed.
const MEANWHILE: &str = "while_followed";

/// A call, understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// What to do.
    pub(super) action: Action,
    /// Whether to do all but the effect.
    pub(super) dry_run: bool,
    /// Which part of a long result to return.
    pub(super) window: Window,
}

/// What a client is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// The operation's outcome.
    pub(super) outcome: Value,
    /// The same in words.
    pub(super) text: String,
    /// Whether a tool said that it failed.
    pub(super) failed: bool,
    /// What the connection follows from now on.
    pub(super) next: Next,
}

/// Checks and performs a call.
///
/// # Errors
///
/// Returns the denial, or whatever the operation fails with. A tool that ran and failed is answered.
pub(super) fn answer(
    session: &Session,
    connection: &Connection<'_>,
    asked: Asked,
    kept: &Kept,
    running: &Running,
) -> Result<Answer, Failure> {
    let grant = access::grant(session, connection)?;
    let permitted = access::permit_or_ask(asked.action, &grant, running)?;
    let action = permitted.action().clone();
    let place = || session.project().work_dir().map(Path::to_path_buf);
    if let (Action::Tool { .. }, 1..) = (&action, asked.window.offset) {
        let (outcome, text, failed) =
            kept.next(session.project().work_dir(), &action, asked.window).ok_or(Failure::ResultGone)?;
        return Ok(Answer { outcome, text, failed, next: Next::Same });
    }
    let mut done = perform(session, permitted, &grant, asked.dry_run, running)?;
    let part = asked.window.cut(&mut done);
    let mut value = done.to_value().map_err(|error| Failure::Internal { panic: error.to_string() })?;
    // A dry run is not followed.
    let next = if asked.dry_run { Next::Same } else { next(session, &done) };
    if let Next::Given(Some((_, following))) = &next {
        value[MEANWHILE] = following.sentence().into();
    }
    let (mut text, failed) = (text::done(&done, asked.dry_run), done.failed());
    if let Some(part) = part {
        part.mark(&mut value);
        text += &part.sentence();
        if let Action::Tool { .. } = action {
            kept.keep(place(), action, &value, part, failed);
        }
    }
    if let Done::Signed(mut outcome) = done
        && let Some(failure) = outcome.failures.pop()
    {
        // An item that is not valid is the failure of the one call there was.
        return Err(failure.into());
    }
    Ok(Answer { outcome: value, text, failed, next })
}

/// Performs the permitted action.
///
/// # Errors
///
/// As [`action::perform`].
pub(super) fn perform(
    session: &Session,
    permitted: Permitted,
    grant: &Grant,
    dry_run: bool,
    running: &Running,
) -> Result<Done, Failure> {
    let (run, progress) = (execute::Bounds::usual(&running.cancel), Some(&running.progress));
    Ok(action::perform(session, permitted, &Bounds { run, authority: grant, progress, dry_run })?)
}
