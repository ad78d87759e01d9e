//! `rye run --save`: the directive that a task becomes, as a draft for review.

use crate::cli::error::{Error, TaskError};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::error::with_causes;
use crate::id::{ItemId, ThreadName};
use crate::ops::new;
use crate::session::Session;
use crate::task;
use crate::thread::{self, Ending, Outcome, Verb};

/// Reads the id of a directive to write.
pub(super) fn directive_id(text: &str) -> Result<ItemId, String> {
    let item_id: ItemId = text.parse().map_err(|error| format!("{error}"))?;
    match item_id.is_reserved() {
        true => {
            Err("ids below `rye/` are those of built-in items: name it after your team, such as `team/fix`".to_owned())
        }
        false => Ok(item_id),
    }
}

/// Refuses an id that cannot be written, before the task costs anything.
pub(super) fn check(session: &Session, item_id: &ItemId) -> Result<(), Error> {
    Ok(new::check_directive(session.project(), item_id)?)
}

/// Writes the task of a thread that ended well, whose outcome is told already: a failure is a warning and the exit code.
pub(super) fn save(session: &Session, output: &mut Output, outcome: &Outcome, item_id: &ItemId, exit: Exit) -> Exit {
    let thread_id = &outcome.thread_id;
    if outcome.ending != Ending::Completed {
        output.warn(&format!(
            "`{item_id}` is not written, because the task did not complete; to write it all the same: `rye run --save {item_id} --from {thread_id}`"
        ));
        return exit;
    }
    match written(session, thread_id.clone(), item_id) {
        Ok(_) => {
            output.note(&format!("wrote the draft `.ai/directives/{item_id}.md`: {}", next(item_id)));
            exit
        }
        Err(error) => {
            output.warn(&format!("`{item_id}` is not written: {}", with_causes(&error)));
            Exit::Failed
        }
    }
}

fn written(session: &Session, thread: impl Into<ThreadName>, item_id: &ItemId) -> Result<new::Outcome, Error> {
    let text = task::draft(session, thread, item_id).map_err(TaskError::Draft)?;
    Ok(new::write_directive(session.project(), item_id, &text)?)
}

/// Writes the task of a thread that ended before.
pub(super) fn save_from(ctx: &Context, output: &mut Output, thread: &str, item_id: &ItemId) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    check(&session, item_id)?;
    let name = thread::find_for(&session, thread, Verb::Rerun)?;
    let written = written(&session, name, item_id)?;
    output.outcome(&written, |page| page.line(format!("created {}", page.path(&written.path))))?;
    output.note(&next(item_id));
    Ok(Exit::Done)
}

fn next(item_id: &ItemId) -> String {
    format!("review it, see `rye permissions {item_id}`, then run `rye sign directive {item_id}`")
}
