//! What the program needs, and what helps.

use super::{Cell, Page, Table};
use crate::cli::doctor::{DoctorOutcome, State};

/// Writes a line for each part, and below it what helps.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &DoctorOutcome) {
    let mut table = Table::new(vec!["STATE", "PART", "FOUND", "FIX"]).with_whole_last();
    for check in &outcome.checks {
        let state = check.state;
        let coloured = move |paint: super::Paint, text: &str| match state {
            State::Ok => paint.green(text),
            State::Note => paint.yellow(text),
            State::Problem => paint.red(text),
        };
        let word = match state {
            State::Ok => "ok",
            State::Note => "note",
            State::Problem => "problem",
        };
        table.row(vec![
            Cell::with(word, coloured),
            Cell::with(check.part, |paint, text| paint.bold(text)),
            Cell::new(&check.message),
            Cell::new(check.fix.as_deref().unwrap_or("-")),
        ]);
    }
    page.table(&table);
}

/// Writes what helps, whole, as a table on a terminal has no room for it.
pub(in crate::cli) fn write_fixes(page: &mut Page<'_>, outcome: &DoctorOutcome) {
    for check in &outcome.checks {
        if let Some(fix) = &check.fix {
            page.line(format!("hint: {}: {fix}", check.part));
        }
    }
}
