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
    for thread in &outcome.threads {
        table.row(vec![
            Cell::with(thread.ending.as_str(), |paint, text| paint.yellow(text)),
            Cell::dim("thread"),
            Cell::with(&thread.thread_id, |paint, text| paint.bold(text)),
            Cell::new(&thread.directive),
        ]);
    }
    page.table(&table);
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
    if let Some(state) = &outcome.proposal {
        hints.extend(trust::proposal(state, false));
    }
    let is_cut = |thread: &&ThreadStatus| thread.ending == Ending::Interrupted;
    if let Some(thread) = outcome.threads.iter().find(is_cut) {
        let id = &thread.thread_id;
        hints.push(format!("thread `{id}` was interrupted: run `rye thread resume {id}`"));
    }
    hints
}
