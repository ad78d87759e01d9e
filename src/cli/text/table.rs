//! Rows of cells: aligned under a heading on a terminal, tab-separated without one elsewhere.

use super::{Paint, one_line};

/// How many characters the last column of a terminal's table shows.
const LAST: usize = 72;

type Look = Box<dyn Fn(Paint, &str) -> String>;

/// A table.
pub(in crate::cli) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Row>,
}

/// One row: its columns, and what stands below them.
struct Row {
    columns: Vec<Cell>,
    below: Vec<Cell>,
}

/// One cell: a line of text and its look.
pub(in crate::cli) struct Cell {
    text: String,
    look: Look,
}

impl Cell {
    /// Makes a cell without colour.
    pub(in crate::cli) fn new(text: impl ToString) -> Self {
        Self::with(text, |_, text| text.to_owned())
    }

    /// Makes a cell that `look` colours.
    pub(in crate::cli) fn with(text: impl ToString, look: impl Fn(Paint, &str) -> String + 'static) -> Self {
        Self { text: one_line(&text.to_string()), look: Box::new(look) }
    }

    /// Makes a cell of less importance.
    pub(in crate::cli) fn dim(text: impl ToString) -> Self {
        Self::with(text, |paint, text| paint.dim(text))
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

impl Table {
    pub(in crate::cli) const fn new(heading: Vec<&'static str>) -> Self {
        Self { heading, rows: Vec::new() }
    }

    pub(in crate::cli) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row { columns: cells, below: Vec::new() });
    }

    /// Adds a line below the last row: on a terminal indented, elsewhere one more field. An empty one is left out there.
    pub(in crate::cli) fn below(&mut self, cell: Cell) {
        if let Some(row) = self.rows.last_mut() {
            row.below.push(cell);
        }
    }

    /// Writes one line per row, cells separated by tabs.
    pub(super) fn separated(&self) -> String {
        let fields = |row: &Row| row.columns.iter().chain(&row.below).map(|cell| cell.text.clone()).collect::<Vec<_>>();
        self.rows.iter().map(|row| fields(row).join("\t") + "\n").collect()
    }

    /// Writes columns under their headings; nothing when there is no row.
    pub(super) fn aligned(&self, paint: Paint) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let heading: Vec<Cell> =
            self.heading.iter().map(|name| Cell::with(name, |paint, text| paint.bold(text))).collect();
        let widths: Vec<usize> = (0..self.heading.len()).map(|column| self.width(column)).collect();
        let mut text = aligned_row(&heading, &widths, paint);
        for row in &self.rows {
            text.push_str(&aligned_row(&row.columns, &widths, paint));
            for cell in row.below.iter().filter(|cell| !cell.text.is_empty()) {
                text.push_str(&format!("  {}\n", (cell.look)(paint, &cell.text)));
            }
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.columns.get(column)).map(Cell::width);
        cells.chain([self.heading[column].len()]).max().unwrap_or_default()
    }
}

fn aligned_row(row: &[Cell], widths: &[usize], paint: Paint) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        if column + 1 == widths.len() {
            line.push_str(&(cell.look)(paint, &cut(&cell.text)));
        } else {
            line.push_str(&(cell.look)(paint, &cell.text));
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
    }
    line.trim_end().to_owned() + "\n"
}

/// Cuts the last column, so that a row stays a line on most terminals.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LAST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_on_a_terminal_and_tabs_separate_elsewhere() {
        let mut table = Table::new(vec!["ID", "WHAT"]);
        table.row(vec![Cell::new("demo/greet"), Cell::new("Greets\nyou")]);
        table.row(vec![Cell::new("é"), Cell::dim("")]);
        assert_eq!(table.aligned(Paint::new(false)), "ID          WHAT\ndemo/greet  Greets you\né\n");
        assert_eq!(table.separated(), "demo/greet\tGreets you\né\t\n");
    }
}
