//! The message of an accepted thread's commit: what the person says, or the directive's name, and the trailers that lead from
//! `git blame` to the thread.

use super::error::Error;
use super::plan::{Acceptance, Step};
use crate::git::Git;
use crate::thread::record::Outcome;

/// The most characters of a subject.
const SUBJECT: usize = 72;

/// Writes the message, with the trailers where git puts them.
///
/// # Errors
///
/// Fails when git does, and when the person's message is empty.
pub(super) fn message(git: &Git, acceptance: &Acceptance) -> Result<Vec<u8>, Error> {
    let Outcome { thread_id, directive, model, .. } = &acceptance.thread;
    let text = match acceptance.message.as_slice() {
        [] => subject(&directive.to_string(), &acceptance.steps),
        given => given.join("\n\n"),
    };
    let text = git.clean_message(text.as_bytes())?;
    if text.is_empty() {
        return Err(Error::EmptyMessage);
    }
    let model = model.split_whitespace().collect::<Vec<_>>().join(" ");
    let trailers =
        [format!("Rye-Thread: {thread_id}"), format!("Rye-Directive: {directive}"), format!("Rye-Model: {model}")];
    Ok(git.add_trailers(&text, &trailers)?)
}

fn subject(directive: &str, steps: &[Step]) -> String {
    let mut committed = steps.iter().filter(|step| step.committed);
    let what = match (committed.next(), committed.count()) {
        (Some(only), 0) => only.path.to_string(),
        (_, others) => format!("{} files", others + 1),
    };
    let subject = format!("accept: {directive}: {}", what.replace(char::is_control, " "));
    match subject.char_indices().nth(SUBJECT) {
        Some(_) => subject.chars().take(SUBJECT - 1).chain(['…']).collect(),
        None => subject,
    }
}
