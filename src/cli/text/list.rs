//! What there is.

use super::{Cell, Page, Table, one_line};
use crate::format::Severity;
use crate::ops::list::{Listed, Outcome};

/// Writes the items.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["TYPE", "ID", "VERSION", "SPACE", "VERDICT", "DESCRIPTION"]);
    for item in &outcome.items {
        table.row(row(item));
    }
    for document in &outcome.documents {
        let count = super::count(document.capabilities, "pattern");
        let state = match document.is_valid {
            true => Cell::dim("-"),
            false => Cell::with("invalid", |paint, text| paint.red(text)),
        };
        let name = page.path(&document.path);
        let cells = [Cell::dim("capabilities"), Cell::with(name, |paint, text| paint.bold(text)), Cell::new("-")];
        table.row(cells.into_iter().chain([Cell::dim("project"), state, Cell::new(count)]).collect());
    }
    page.table(&table);
}

fn row(item: &Listed) -> Vec<Cell> {
    let hidden = item.shadowed_by.is_some();
    let verdict = item.verdict;
    let id = if hidden { Cell::dim(&item.item_id) } else { Cell::with(&item.item_id, |paint, text| paint.bold(text)) };
    let description = match item.shadowed_by {
        Some(space) => Cell::dim(format!("(hidden by the {space} space) {}", item.description)),
        None => Cell::new(&item.description),
    };
    vec![
        Cell::dim(item.item_type),
        id,
        Cell::new(item.version.map_or_else(|| "-".to_owned(), |version| version.to_string())),
        Cell::dim(item.space),
        Cell::with(verdict, move |paint, text| paint.verdict(verdict, text)),
        description,
    ]
}

/// Warns of files that are not items.
pub(in crate::cli) fn write_strays(page: &mut Page<'_>, outcome: &Outcome) {
    for stray in &outcome.strays {
        let (severity, what) = match stray.is_fault {
            true => (Severity::Error, "cannot be used as"),
            false => (Severity::Warning, "is not"),
        };
        let (label, path) = (page.paint().severity(severity), page.path(&stray.path));
        page.line(format!("{label} `{}` {what} an item: {}", one_line(&path), one_line(&stray.reason)));
    }
    for rival in &outcome.rivals {
        let label = page.paint().severity(Severity::Warning);
        let (path, reason) = (one_line(&rival.path), one_line(&rival.reason));
        page.line(format!("{label} skill `{}`: `{path}`: {reason}", rival.item_id));
        page.line(format!("hint: {}", one_line(&rival.hint)));
    }
}
