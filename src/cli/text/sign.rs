//! The signed items.

use super::{Cell, Page, Table, findings, one_line};
use crate::cli::error;
use crate::error::with_causes;
use crate::format::Severity;
use crate::ops::locate::LocateError;
use crate::ops::sign::{self, Item, Outcome, Status, Unreadable};

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
