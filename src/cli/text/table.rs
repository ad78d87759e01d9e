//! Rows of cells: aligned under a heading on a terminal, tab-separated without one elsewhere.

use super::{Paint, one_line};

/// How many characters the last column of a terminal's table shows.
const LAST: usize = 72;

/// How many characters of a column are shown in the narrowest terminal.
const LEAST: usize = 8;

type Look = Box<dyn Fn(Paint, &str) -> String>;

/// A table.
pub(in crate::cli) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Row>,
    /// Columns that may be left out of a narrow terminal, the first one first.
    optional: Vec<usize>,
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
        Self { heading, rows: Vec::new(), optional: Vec::new() }
    }

    /// Lets columns be left out, in this order, where a terminal has no room for them.
    pub(in crate::cli) fn with_optional(mut self, columns: &[usize]) -> Self {
        self.optional = columns.to_vec();
        self
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

    /// Writes columns under their headings; nothing when there is no row. Where the terminal's width is known, a row is a line.
    pub(super) fn aligned(&self, paint: Paint, terminal: Option<usize>) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let heading: Vec<Cell> =
            self.heading.iter().map(|name| Cell::with(name, |paint, text| paint.bold(text))).collect();
        let widths = self.widths(terminal.unwrap_or(usize::MAX));
        let mut text = aligned_row(&heading, &widths, paint);
        for row in &self.rows {
            text.push_str(&aligned_row(&row.columns, &widths, paint));
            for cell in row.below.iter().filter(|cell| !cell.text.is_empty()) {
                text.push_str(&format!("  {}\n", (cell.look)(paint, &cell.text)));
            }
        }
        text
    }

    /// Fits the columns into a terminal: those that may be left out go, then they are cut, from the last. Returns the
    /// width of each that is shown.
    fn widths(&self, terminal: usize) -> Vec<Option<usize>> {
        let mut widths: Vec<Option<usize>> = (0..self.heading.len()).map(|column| Some(self.width(column))).collect();
        if let Some(Some(last)) = widths.last_mut() {
            *last = (*last).min(LAST);
        }
        let excess = |widths: &[Option<usize>]| {
            let shown = widths.iter().flatten();
            let (columns, sum) = (shown.clone().count(), shown.sum::<usize>());
            (sum + 2 * columns.saturating_sub(1)).saturating_sub(terminal)
        };
        for &column in &self.optional {
            if excess(&widths) > 0 {
                widths[column] = None;
            }
        }
        for _ in 0..widths.len() {
            let over = excess(&widths);
            let last = widths.iter_mut().rev().find_map(|width| width.as_mut().filter(|width| **width > LEAST));
            if let (1.., Some(width)) = (over, last) {
                *width = width.saturating_sub(over).max(LEAST);
            }
        }
        widths
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.columns.get(column)).map(Cell::width);
        cells.chain([self.heading[column].len()]).max().unwrap_or_default()
    }
}

fn aligned_row(row: &[Cell], widths: &[Option<usize>], paint: Paint) -> String {
    let shown = row.iter().zip(widths).filter_map(|(cell, width)| Some((cell, (*width)?)));
    let mut line = String::new();
    for (cell, width) in shown {
        let text = cut(&cell.text, width);
        line.push_str(&(cell.look)(paint, &text));
        line.push_str(&" ".repeat(width.saturating_sub(text.chars().count()) + 2));
    }
    line.trim_end().to_owned() + "\n"
}

/// Cuts a text to a column's width.
fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn columns_align_on_a_terminal_and_tabs_separate_elsewhere() {
        let mut table = Table::new(vec!["ID", "WHAT"]);
        table.row(vec![Cell::new("demo/greet"), Cell::new("Greets\nyou")]);
        table.row(vec![Cell::new("é"), Cell::dim("")]);
        assert_eq!(table.aligned(Paint::new(false), None), "ID          WHAT\ndemo/greet  Greets you\né\n");
        assert_eq!(table.separated(), "demo/greet\tGreets you\né\t\n");
    }

    #[test]
    fn a_row_is_a_line_on_a_narrow_terminal() {
        let mut table = Table::new(vec!["ID", "WHEN", "WHAT"]).with_optional(&[1]);
        table.row(vec![Cell::new("demo/greeting"), Cell::new("today"), Cell::new("Greets somebody by name")]);
        let shown = |width: usize| table.aligned(Paint::new(false), Some(width)).lines().last().unwrap().to_owned();
        assert_eq!(shown(45), "demo/greeting  today  Greets somebody by name");
        assert_eq!(shown(44), "demo/greeting  Greets somebody by name");
        assert_eq!(shown(30), "demo/greeting  Greets somebod…");
        assert_eq!(shown(20), "demo/gree…  Greets …");
        assert_eq!(shown(3), "demo/gr…  Greets …");
    }
}
