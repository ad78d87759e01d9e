//! What the program needs, and what helps.

use super::{Cell, Page, Table};
use crate::cli::doctor::{DoctorOutcome, State};

/// Writes a line for each part. On a terminal [`write_fixes`] writes what helps below the table, where it can be pasted whole.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &DoctorOutcome) {
    let has_fix = !page.is_on_terminal();
    let columns = ["STATE", "PART", "FOUND", "FIX"].into_iter().filter(|name| has_fix || *name != "FIX");
    let mut table = Table::new(columns.collect()).with_whole_last();
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
        let part = Cell::with(check.part, |paint, text| paint.bold(text));
        let fix = has_fix.then(|| Cell::new(check.fix.as_deref().unwrap_or("-")));
        table.row([Cell::with(word, coloured), part, Cell::new(&check.message)].into_iter().chain(fix).collect());
    }
    page.table(&table);
}

/// Writes what helps.
pub(in crate::cli) fn write_fixes(page: &mut Page<'_>, outcome: &DoctorOutcome) {
    for check in &outcome.checks {
        if let Some(fix) = &check.fix {
            page.line(format!("hint: {}: {fix}", check.part));
        }
    }
}
