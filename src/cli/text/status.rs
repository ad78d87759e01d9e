//! What in a project waits for its person.

use super::{Cell, Page, Table, trust};
use crate::cli::status::{ItemStatus, StatusOutcome, ThreadStatus};
use crate::id::ItemType;
use crate::thread::Ending;
use crate::trust::Verdict;

/// Writes a line for each item and thread that waits.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &StatusOutcome) {
    let mut table = Table::new(vec!["STATE", "TYPE", "ID", "PATH"]).with_whole_last();
    for item in &outcome.items {
        let verdict = item.verdict;
        table.row(vec![
            Cell::with(word(item), move |paint, text| paint.verdict(verdict, text)),
            Cell::dim(item.item_type),
            Cell::with(&item.item_id, |paint, text| paint.bold(text)),
            Cell::new(page.path(&item.path)),
        ]);
    }
    for file in &outcome.agent_files {
        table.row(vec![
            Cell::with(file.change.as_str(), |paint, text| paint.yellow(text)),
            Cell::dim("agent file"),
            Cell::with(&file.path, |paint, text| paint.bold(text)),
            Cell::new(page.path(&file.path)),
        ]);
    }
    for thread in &outcome.threads {
        table.row(vec![
            Cell::with(thread_word(thread), |paint, text| paint.yellow(text)),
            Cell::dim("thread"),
            Cell::with(&thread.thread_id, |paint, text| paint.bold(text)),
            Cell::new(&thread.directive),
        ]);
    }
    page.table(&table);
}

/// How a thread stands, by what its person does next.
const fn thread_word(thread: &ThreadStatus) -> &'static str {
    match thread.ending {
        Ending::Completed => "unaccepted",
        Ending::Running
        | Ending::Interrupted
        | Ending::Error
        | Ending::Limit
        | Ending::Denied
        | Ending::Provider
        | Ending::Outputs
        | Ending::Cancelled => thread.ending.as_str(),
    }
}

/// What of an item waits: its signature, or else its commit.
fn word(item: &ItemStatus) -> String {
    if item.line_ends.is_some() {
        return "line ends".to_owned();
    }
    match (item.verdict, item.uncommitted) {
        (Verdict::Good | Verdict::Builtin, _) => "uncommitted".to_owned(),
        (Verdict::Tampered, _) => "changed".to_owned(),
        (verdict, _) => verdict.to_string(),
    }
}

/// Says which commands go on with it.
pub(in crate::cli) fn hints(outcome: &StatusOutcome) -> Vec<String> {
    let has = |wanted: fn(&ItemStatus) -> bool| outcome.items.iter().any(wanted);
    let mut hints = Vec::new();
    if let Some(ends) = outcome.items.iter().find_map(|item| item.line_ends.as_ref()) {
        hints.push(format!("{}; {}", ends.cause, ends.mend));
    }
    if has(|item| matches!(item.verdict, Verdict::Unsigned | Verdict::Tampered) && item.line_ends.is_none()) {
        let is_skill = |item: &ItemStatus| item.item_type == ItemType::Skill && item.verdict == Verdict::Unsigned;
        let is_other = |item: &ItemStatus| {
            let is_open = matches!(item.verdict, Verdict::Unsigned | Verdict::Tampered) && item.line_ends.is_none();
            is_open && !is_skill(item)
        };
        if outcome.items.iter().any(is_other) {
            hints.push(
                "review with `rye diff`, then run `rye sign --all`, or `rye commit` to sign and commit".to_owned(),
            );
        }
        if outcome.items.iter().any(is_skill) {
            hints.push("review the skills, then run `rye sign skill --all`".to_owned());
        }
    } else if has(|item| item.uncommitted) {
        hints.push("run `rye commit` to commit the signed items".to_owned());
    }
    if has(|item| item.verdict == Verdict::Untrusted) {
        hints.push("run `rye verify` to see which key is not trusted".to_owned());
    }
    if !outcome.agent_files.is_empty() {
        hints.push("review the agent files with `rye diff`, then run `rye sign --agent-files`".to_owned());
    }
    if let Some(state) = &outcome.proposal {
        hints.extend(trust::proposal(state, false));
    }
    hints.extend(thread_hints(outcome));
    hints
}

/// Says of the newest thread of each kind which command goes on with it.
fn thread_hints(outcome: &StatusOutcome) -> Vec<String> {
    let first = |wanted: fn(&ThreadStatus) -> bool| outcome.threads.iter().find(|thread| wanted(thread));
    let mut hints = Vec::new();
    if let Some(ThreadStatus { thread_id: id, .. }) = first(|thread| thread.ending == Ending::Completed) {
        hints.push(format!(
            "thread `{id}` has changes that are not accepted: run `rye thread diff {id}`, then `rye thread accept {id}`"
        ));
    }
    if let Some(ThreadStatus { thread_id: id, .. }) = first(|thread| thread.ending == Ending::Interrupted) {
        hints.push(format!("thread `{id}` was interrupted: run `rye thread resume {id}`"));
    }
    let has_stopped = |thread: &ThreadStatus| {
        thread.can_be_resumed && !matches!(thread.ending, Ending::Interrupted | Ending::Running | Ending::Completed)
    };
    if let Some(ThreadStatus { thread_id: id, ending, .. }) = first(has_stopped) {
        hints.push(format!("thread `{id}` stopped ({}): run `rye thread resume {id}`", ending.as_str()));
    }
    let has_failed = |thread: &ThreadStatus| {
        !thread.can_be_resumed && !matches!(thread.ending, Ending::Interrupted | Ending::Running | Ending::Completed)
    };
    if let Some(ThreadStatus { thread_id: id, ending, .. }) = first(has_failed) {
        hints.push(format!(
            "thread `{id}` failed ({}): run `rye thread show {id}`; `rye thread rm {id}` removes it",
            ending.as_str()
        ));
    }
    hints
}
