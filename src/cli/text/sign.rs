//! What was signed.

use super::{Cell, Page, Table, findings, one_line};
use crate::cli::error;
use crate::format::Severity;
use crate::ops::locate::LocateError;
use crate::ops::sign::{Item, Outcome, Status};

/// Writes one row per item.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome, check: bool) {
    let mut table = Table::new(vec!["STATUS", "TYPE", "ID", "PATH"]);
    for item in &outcome.items {
        table.row(row(page, item, check));
    }
    page.table(&table);
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
pub(in crate::cli) fn write_failures(page: &mut Page<'_>, failures: &[LocateError]) {
    for failure in failures {
        match failure {
            LocateError::Invalid { path, findings, text, .. } => findings::write(page, path, text, findings),
            other => {
                page.line(format!("{} {}", page.paint().severity(Severity::Error), one_line(&other.to_string())));
                error::hints_of(other).iter().for_each(|hint| findings::hint(page, &one_line(hint)));
            }
        }
    }
}
