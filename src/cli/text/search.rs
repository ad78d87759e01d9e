//! What a search found.

use super::{Cell, Page, Paint, Table};
use crate::ops::search::{FoundItem, FoundTurn, Hit, Outcome, RegistryOutcome, What};

/// Writes the results: a line each, on a terminal with the passage that fits below it.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["TYPE", "ID", "SPACE", "VERDICT", "SCORE", "TITLE"]);
    for hit in &outcome.results {
        table.row(row(hit));
        table.below(passage(&hit.snippet, &hit.highlights));
        for line in &hit.explanation {
            table.below(Cell::dim(line));
        }
    }
    page.table(&table);
}

/// Writes what registries have: a line each, on a terminal with its description and the passage that fits below it.
pub(in crate::cli) fn write_registries(page: &mut Page<'_>, outcome: &RegistryOutcome) {
    let mut table = Table::new(vec!["TYPE", "ID", "VERSION", "REGISTRY", "SCORE", "TITLE"]);
    for hit in &outcome.results {
        let title = match &hit.deprecated {
            Some(message) => format!("{} (deprecated: {})", hit.title, super::one_line(message)),
            None => hit.title.clone(),
        };
        table.row(vec![
            Cell::dim(hit.item_type),
            Cell::with(&hit.item_id, |paint, text| paint.bold(text)),
            Cell::new(hit.version),
            Cell::dim(&hit.registry),
            Cell::dim(format!("{:.2}", hit.score)),
            Cell::new(title),
        ]);
        table.below(passage(&hit.snippet, &hit.highlights));
        for line in &hit.explanation {
            table.below(Cell::dim(line));
        }
    }
    page.table(&table);
}

fn row(hit: &Hit) -> Vec<Cell> {
    let score = Cell::dim(format!("{:.2}", hit.score));
    let bold = |text: &dyn std::fmt::Display| Cell::with(text, |paint, text| paint.bold(text));
    match &hit.what {
        What::Item(item) => {
            let verdict = item.verdict;
            let id = if item.shadowed_by.is_some() { Cell::dim(&item.item_id) } else { bold(&item.item_id) };
            let verdict = Cell::with(verdict, move |paint, text| paint.verdict(verdict, text));
            vec![Cell::dim(item.item_type), id, Cell::dim(item.space), verdict, score, Cell::new(title(hit, item))]
        }
        What::Turn(FoundTurn { item_type, item_id, .. }) => {
            vec![Cell::dim(item_type), bold(item_id), Cell::dim("-"), Cell::dim("-"), score, Cell::new(&hit.title)]
        }
    }
}

/// Says of an item that is not the one in use who hides it, and of one that is what it hides.
fn title(hit: &Hit, item: &FoundItem) -> String {
    let title = &hit.title;
    match (item.shadowed_by, &item.shadows[..]) {
        (Some(space), _) => format!("(hidden by the {space} space) {title}"),
        (None, [first, rest @ ..]) => {
            let spaces = rest.iter().fold(first.to_string(), |spaces, space| format!("{spaces} and {space}"));
            format!("{title} (hides another in the {spaces} space)")
        }
        (None, []) => title.clone(),
    }
}

/// Returns the passage, what fits in bold.
fn passage(snippet: &str, highlights: &[(usize, usize)]) -> Cell {
    let highlights = highlights.to_vec();
    Cell::pieced(snippet.to_owned(), move |paint, part, at| painted(paint, part, at, &highlights))
}

/// Paints a part of a passage piece by piece, so that nothing in it can control the terminal.
fn painted(paint: Paint, part: &str, start: usize, highlights: &[(usize, usize)]) -> String {
    let mut text = String::new();
    let mut at = 0;
    let piece = |from: usize, to: usize| part.get(from..to).map(super::clean).unwrap_or_default();
    let within = |place: usize| place.saturating_sub(start).min(part.len());
    for (from, to) in highlights.iter().map(|(from, to)| (within(*from), within(*to))).filter(|(from, to)| from < to) {
        text.push_str(&paint.dim(piece(at, from)));
        text.push_str(&paint.bold(piece(from, to)));
        at = to;
    }
    text.push_str(&paint.dim(piece(at, part.len())));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_cannot_control_the_terminal() {
        let painted = painted(Paint::new(false), "a\u{1b}[2Jb c", 7, &[(0, 3), (8, 12), (20, 30)]);
        assert_eq!(painted, "a\u{FFFD}[2Jb c");
    }
}
