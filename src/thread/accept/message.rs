//! The message of an accepted thread's commit: what the person says, or the directive's name, and the trailers that lead from
//! `git blame` to the thread.

use super::plan::{Acceptance, Step};
use crate::thread::record::Outcome;

/// The most characters of a subject.
const SUBJECT: usize = 72;

/// Writes the message.
pub(super) fn message(acceptance: &Acceptance) -> String {
    let Outcome { thread_id, directive, model, .. } = &acceptance.thread;
    let paragraphs = match acceptance.message.as_slice() {
        [] => vec![subject(&directive.to_string(), &acceptance.steps)],
        given => given.to_vec(),
    };
    let model = model.split_whitespace().collect::<Vec<_>>().join(" ");
    let trailers = format!("Rye-Thread: {thread_id}\nRye-Directive: {directive}\nRye-Model: {model}\n");
    paragraphs.into_iter().chain([trailers]).collect::<Vec<_>>().join("\n\n")
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
