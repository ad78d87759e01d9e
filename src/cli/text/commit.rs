//! What a commit signed, and what waits for a yes.

use super::{Cell, Page, Table};
use crate::ops::commit::Outcome;
use crate::ops::sign::{Item, Pending, Status};

/// Writes one row per item of a commit.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    write_items(page, &outcome.items);
}

/// Writes one row per item that was signed now.
pub(in crate::cli) fn write_signed(page: &mut Page<'_>, items: &[Item]) {
    write_items(page, items.iter().filter(|item| item.status == Status::Signed));
}

fn write_items<'a>(page: &mut Page<'_>, items: impl IntoIterator<Item = &'a Item>) {
    let mut table = Table::new(vec!["STATUS", "TYPE", "ID", "PATH"]).with_whole_last();
    for item in items {
        let status = match item.status {
            Status::Signed => Cell::with("signed", |paint, text| paint.green(text)),
            Status::Unchanged | Status::Failed => Cell::dim("unchanged"),
        };
        let id = Cell::with(&item.item_id, |paint, text| paint.bold(text));
        table.row(vec![status, Cell::dim(item.item_type), id, Cell::dim(page.path(&item.path))]);
    }
    page.table(&table);
}

/// Writes what would be signed: whose it was, and what changed.
pub(in crate::cli) fn write_pending(page: &mut Page<'_>, pending: &[Pending]) {
    let is_judged = pending.iter().any(|item| item.verdict.is_some());
    let columns = ["TYPE", "ID", "WHOSE", "VERDICT", "CHANGE", "PATH"];
    let mut table =
        Table::new(columns.into_iter().filter(|name| is_judged || *name != "VERDICT").collect()).with_whole_last();
    for item in pending {
        let id = Cell::with(&item.item_id, |paint, text| paint.bold(text));
        let hides = if item.hides { ", hidden characters" } else { "" };
        let (whose, change) = (Cell::new(&item.origin), Cell::new(format!("{}{hides}", item.delta)));
        let verdict = is_judged.then(|| Cell::new(item.verdict.map(|verdict| verdict.to_string()).unwrap_or_default()));
        let cells = [Some(Cell::dim(item.item_type)), Some(id), Some(whose), verdict, Some(change)];
        table.row(cells.into_iter().flatten().chain([Cell::dim(&item.path)]).collect());
    }
    page.table(&table);
}
