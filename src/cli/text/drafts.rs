//! Drafted directives.

use super::{Cell, Page, Table, one_line};
use crate::ops::drafts::{Outcome, State};

/// Writes a row for each command: what became of it, the directive, and its file.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["STATE", "ID", "COMMAND"]).with_whole_last();
    for drafted in &outcome.commands {
        let state = match drafted.state {
            State::New if outcome.is_written => Cell::with("drafted", |paint, text| paint.green(text)),
            State::New => Cell::with("to draft", |paint, text| paint.yellow(text)),
            State::Exists => Cell::dim("exists"),
            State::Refused => Cell::with("left out", |paint, text| paint.red(text)),
        };
        let id = drafted.item_id.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        table.row(vec![state, Cell::with(id, |paint, text| paint.bold(text)), Cell::dim(one_line(&drafted.command))]);
    }
    page.table(&table);
}
