//! The signed items.

use super::{Cell, Page, Table, count, findings, one_line};
use crate::cli::error;
use crate::error::with_causes;
use crate::format::Severity;
use crate::ops::locate::{AgentFileChange, LocateError};
use crate::ops::sign::{self, AgentFilesOutcome, Item, Outcome, Status, Unreadable};

/// The most unchanged items that a terminal shows.
const MOST_UNCHANGED: usize = 10;

/// Writes one row per item. A terminal shows the number of many unchanged ones instead.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome, check: bool) {
    let mut table = Table::new(vec!["STATUS", "TYPE", "ID", "PATH"]).with_whole_last();
    let unchanged = outcome.items.iter().filter(|item| item.status == Status::Unchanged).count();
    let is_counted = page.is_on_terminal() && unchanged > MOST_UNCHANGED;
    let shown = outcome.items.iter().filter(|item| !is_counted || item.status != Status::Unchanged);
    shown.for_each(|item| table.row(row(page, item, check)));
    if unchanged < outcome.items.len() || !is_counted {
        page.table(&table);
    }
    if is_counted {
        page.line(format!("{unchanged} items unchanged"));
    }
}

fn row(page: &Page<'_>, item: &Item, check: bool) -> Vec<Cell> {
    let status = match item.status {
        Status::Signed if check => Cell::with("to sign", |paint, text| paint.yellow(text)),
        Status::Signed => Cell::with("signed", |paint, text| paint.green(text)),
        Status::Unchanged => Cell::dim("unchanged"),
        Status::Failed => Cell::with("failed", |paint, text| paint.red(text)),
    };
    let id = Cell::with(&item.item_id, |paint, text| paint.bold(text));
    vec![status, Cell::dim(item.item_type), id, Cell::dim(page.path(&item.path))]
}

/// Writes what kept items from being signed.
pub(in crate::cli) fn write_failed(page: &mut Page<'_>, outcome: &Outcome) {
    for failure in &outcome.failures {
        match failure {
            sign::Error::Locate(failure) => write_failure(page, failure),
            other => write_error(page, &with_causes(other), &error::hints_of_sign(other)),
        }
    }
    for Unreadable { path, reason } in &outcome.unreadable {
        write_error(page, &format!("`{}` cannot be read: {reason}", page.path(path)), &[]);
    }
}

/// Writes what kept items from being signed on the way to a commit.
pub(in crate::cli) fn write_failures(page: &mut Page<'_>, failures: &[LocateError]) {
    failures.iter().for_each(|failure| write_failure(page, failure));
}

fn write_failure(page: &mut Page<'_>, failure: &LocateError) {
    match failure {
        LocateError::Invalid { path, findings, text, .. } => findings::write(page, path, text, findings),
        other => write_error(page, &other.to_string(), &error::hints_of(other)),
    }
}

fn write_error(page: &mut Page<'_>, sentence: &str, hints: &[String]) {
    page.line(format!("{} {}", page.paint().severity(Severity::Error), one_line(sentence)));
    hints.iter().for_each(|hint| findings::hint(page, &one_line(hint)));
}

/// The most changed files that are shown before a list is signed.
const MOST_CHANGES: usize = 100;

/// Writes what changed in the files that instruct agents since the list of them was signed.
pub(in crate::cli) fn write_agent_changes(page: &mut Page<'_>, outcome: &AgentFilesOutcome) {
    for delta in outcome.changes.iter().take(MOST_CHANGES) {
        let word = match delta.change {
            AgentFileChange::Unlisted => "new",
            AgentFileChange::Changed => "changed",
            AgentFileChange::Missing => "removed",
        };
        page.line(format!("  {word:<8} {}", one_line(&delta.path)));
    }
    if let Some(more) = outcome.changes.len().checked_sub(MOST_CHANGES).filter(|more| *more > 0) {
        page.line(format!("  ... and {more} more; `rye sign --agent-files --check --json` lists all"));
    }
}

/// Writes what became of the list of the files that instruct agents. What would be signed is shown with it.
pub(in crate::cli) fn write_agent_files(page: &mut Page<'_>, outcome: &AgentFilesOutcome, check: bool) {
    if check {
        write_agent_changes(page, outcome);
    }
    let mut table = Table::new(vec!["STATUS", "TYPE", "ID", "PATH"]).with_whole_last();
    let status = match outcome.status {
        Status::Signed if check => Cell::with("to sign", |paint, text| paint.yellow(text)),
        Status::Signed => Cell::with("signed", |paint, text| paint.green(text)),
        Status::Unchanged | Status::Failed => Cell::dim("unchanged"),
    };
    let files = Cell::with(count(outcome.files, "file"), |paint, text| paint.bold(text));
    table.row(vec![status, Cell::dim("agent files"), files, Cell::dim(outcome.path)]);
    page.table(&table);
}

/// The most files that one sentence names.
const MOST_NAMED: usize = 10;

/// Says which files are not in the list, and what comes next.
pub(in crate::cli) fn agent_files_notes(outcome: &AgentFilesOutcome) -> Vec<String> {
    let named = |paths: &[String]| {
        let mut named: Vec<String> =
            paths.iter().take(MOST_NAMED).map(|path| format!("`{}`", one_line(path))).collect();
        named.extend((paths.len() > MOST_NAMED).then(|| format!("{} more", paths.len() - MOST_NAMED)));
        named.join(", ")
    };
    let mut notes = Vec::new();
    if !outcome.ignored.is_empty() {
        notes.push(format!("not listed, because git ignores it: {}", named(&outcome.ignored)));
    }
    if !outcome.untracked.is_empty() {
        let paths = named(&outcome.untracked);
        notes.push(format!("not listed, because git does not track it: {paths}; run `git add`, then sign again"));
    }
    if !outcome.repositories.is_empty() {
        let paths = named(&outcome.repositories);
        notes.push(format!("not looked into, because it is a repository that git does not track: {paths}"));
    }
    if outcome.status == Status::Signed {
        notes.push(format!("commit it together with the files: `git add {}`", outcome.path));
    }
    if outcome.files == 0 {
        notes.push("no tracked file instructs an agent".to_owned());
    }
    notes
}
