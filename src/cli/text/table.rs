//! Rows of cells: aligned under a heading on a terminal, tab-separated without one elsewhere.
//!
//! A terminal's table fits its width: columns that may be left out go first, then the last column is cut, or the last ones
//! are moved below their row; where not even the first has room, a row's cells follow one another on as many lines as they need.

use std::ops::Range;

use super::{Paint, one_line};

/// How many characters the last column of a terminal's table shows.
const LAST: usize = 72;

/// How many characters of the last column are worth a column.
const LEAST: usize = 24;

/// What lines that belong to the one above begin with.
const INDENT: &str = "  ";

/// Paints a part of a cell's text that begins at this byte.
type Look = Box<dyn Fn(Paint, &str, usize) -> String>;

/// A table.
pub(in crate::cli) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Row>,
    /// Columns that may be left out of a narrow terminal, the first one first.
    optional: Vec<usize>,
    /// The last column is a name to copy: it is never cut.
    is_whole: bool,
}

/// One row: its columns, and the lines below them.
struct Row {
    columns: Vec<Cell>,
    below: Vec<Cell>,
}

/// One cell: a line of text and its look.
pub(in crate::cli) struct Cell {
    text: String,
    look: Look,
}

/// How a table fits a terminal.
enum Fit {
    /// A width for every column that is shown.
    Columns(Vec<Option<usize>>),
    /// The same without the last columns, which are below their row.
    Below(Vec<Option<usize>>),
    /// No columns: one cell after another.
    Flow,
}

impl Cell {
    /// Makes a cell without colour.
    pub(in crate::cli) fn new(text: impl ToString) -> Self {
        Self::with(text, |_, text| text.to_owned())
    }

    /// Makes a cell that `look` colours.
    pub(in crate::cli) fn with(text: impl ToString, look: impl Fn(Paint, &str) -> String + 'static) -> Self {
        Self::pieced(one_line(&text.to_string()), move |paint, text, _| look(paint, text))
    }

    /// Makes a cell of a text on one line, of which `look` colours any part: it is told at which byte the part begins, and keeps out
    /// of it what could control a terminal.
    pub(super) fn pieced(text: String, look: impl Fn(Paint, &str, usize) -> String + 'static) -> Self {
        Self { text, look: Box::new(look) }
    }

    /// Makes a cell of less importance.
    pub(in crate::cli) fn dim(text: impl ToString) -> Self {
        Self::with(text, |paint, text| paint.dim(text))
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }

    /// Paints a part.
    fn painted(&self, paint: Paint, part: Range<usize>) -> String {
        (self.look)(paint, &self.text[part.clone()], part.start)
    }

    /// Paints lines of at most `width` characters.
    fn lines(&self, paint: Paint, width: usize) -> Vec<String> {
        wrapped(&self.text, width).into_iter().map(|part| self.painted(paint, part)).collect()
    }
}

impl Table {
    pub(in crate::cli) const fn new(heading: Vec<&'static str>) -> Self {
        Self { heading, rows: Vec::new(), optional: Vec::new(), is_whole: false }
    }

    /// Lets columns be left out, in this order, where a terminal has no room for them.
    pub(in crate::cli) fn with_optional(mut self, columns: &[usize]) -> Self {
        self.optional = columns.to_vec();
        self
    }

    /// Keeps the last column whole: a path or another name to copy.
    pub(in crate::cli) const fn with_whole_last(mut self) -> Self {
        self.is_whole = true;
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
        let fields =
            |row: &Row| row.columns.iter().chain(&row.below).map(|cell| one_line(&cell.text)).collect::<Vec<_>>();
        self.rows.iter().map(|row| fields(row).join("\t") + "\n").collect()
    }

    /// Writes columns under their headings; nothing without rows. Where the terminal's width is known, no line is
    /// longer.
    pub(super) fn aligned(&self, paint: Paint, terminal: Option<usize>) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let columns = self.heading.iter().map(|name| Cell::with(name, |paint, text| paint.bold(text))).collect();
        let heading = Row { columns, below: Vec::new() };
        let terminal = terminal.unwrap_or(usize::MAX);
        let fit = self.fit(terminal);
        let labels = self.labels(&fit, terminal);
        let heading =
            if labels.is_empty() { heading.fitted(&fit, paint, terminal, &[]) } else { heading.top(&fit, paint) };
        let rows = self.rows.iter().map(|row| row.fitted(&fit, paint, terminal, labels));
        std::iter::once(heading).chain(rows).collect()
    }

    /// Fits the columns into a terminal.
    fn fit(&self, terminal: usize) -> Fit {
        let count = self.heading.len();
        let mut widths: Vec<Option<usize>> = (0..count).map(|column| Some(self.width(column))).collect();
        if let Some(Some(last)) = widths.last_mut().filter(|_| !self.is_whole) {
            *last = (*last).min(LAST);
        }
        for &column in &self.optional {
            if excess(&widths, terminal) > 0 {
                widths[column] = None;
            }
        }
        let over = excess(&widths, terminal);
        if over == 0 {
            return Fit::Columns(widths);
        }
        if let Some(Some(last)) = widths.last_mut().filter(|_| !self.is_whole)
            && last.saturating_sub(over) >= LEAST
        {
            *last -= over;
            return Fit::Columns(widths);
        }
        while widths.pop().is_some() && !widths.is_empty() {
            if excess(&widths, terminal) == 0 {
                return Fit::Below(widths);
            }
        }
        Fit::Flow
    }

    /// Returns the names of the columns below a row, if there are several: a cell that is left out there would leave open
    /// which the others are.
    fn labels(&self, fit: &Fit, terminal: usize) -> &[&'static str] {
        match fit {
            Fit::Below(widths) if self.heading.len() > widths.len() + 1 && terminal > LEAST + INDENT.len() => {
                &self.heading[widths.len()..]
            }
            Fit::Below(_) | Fit::Columns(_) | Fit::Flow => &[],
        }
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.columns.get(column)).map(Cell::width);
        cells.chain([self.heading[column].len()]).max().unwrap_or_default()
    }
}

/// How many characters columns are wider than a terminal.
fn excess(widths: &[Option<usize>], terminal: usize) -> usize {
    let shown = widths.iter().flatten();
    let (columns, sum) = (shown.clone().count(), shown.sum::<usize>());
    (sum + 2 * columns.saturating_sub(1)).saturating_sub(terminal)
}

impl Row {
    /// Writes the columns that have room next to one another.
    fn top(&self, fit: &Fit, paint: Paint) -> String {
        match fit {
            Fit::Columns(widths) | Fit::Below(widths) => aligned_row(&self.columns, widths, paint),
            Fit::Flow => String::new(),
        }
    }

    fn fitted(&self, fit: &Fit, paint: Paint, terminal: usize, labels: &[&str]) -> String {
        let (mut text, rest) = match fit {
            Fit::Columns(widths) => (aligned_row(&self.columns, widths, paint), &self.columns[..0]),
            Fit::Below(widths) => {
                let (row, rest) = self.columns.split_at(widths.len().min(self.columns.len()));
                (aligned_row(row, widths, paint), rest)
            }
            Fit::Flow => (flowing(&self.columns, paint, terminal), &self.columns[..0]),
        };
        let width = terminal.saturating_sub(INDENT.len());
        let names =
            labels.iter().map(|name| format!("{}: ", name.to_lowercase())).chain(std::iter::repeat(String::new()));
        let rest = rest.iter().zip(names).filter(|(cell, _)| !matches!(cell.text.as_str(), "" | "-"));
        for (cell, name) in rest.chain(self.below.iter().map(|cell| (cell, String::new()))) {
            for (at, line) in cell.lines(paint, width.saturating_sub(name.len())).into_iter().enumerate() {
                let name = match at {
                    0 if !name.is_empty() => paint.dim(&name),
                    _ => " ".repeat(name.len()),
                };
                text.push_str(&format!("{INDENT}{name}{line}\n"));
            }
        }
        text
    }
}

fn aligned_row(row: &[Cell], widths: &[Option<usize>], paint: Paint) -> String {
    let shown = row.iter().zip(widths).filter_map(|(cell, width)| Some((cell, (*width)?)));
    let mut line = String::new();
    for (cell, width) in shown {
        let text = cut(&cell.text, width);
        line.push_str(&(cell.look)(paint, &text, 0));
        line.push_str(&" ".repeat(width.saturating_sub(text.chars().count()) + 2));
    }
    line.trim_end().to_owned() + "\n"
}

/// Puts one cell after another: on the line it still fits on, or on lines of its own.
fn flowing(row: &[Cell], paint: Paint, terminal: usize) -> String {
    let (mut text, mut used) = (String::new(), 0);
    for cell in row {
        for part in wrapped(&cell.text, terminal.saturating_sub(INDENT.len())) {
            let width = cell.text[part.clone()].chars().count();
            if used > 0 && used + INDENT.len() + width > terminal {
                text.push('\n');
                used = 0;
            }
            // The indent of a new line, or the gap to the cell before.
            let gap = if text.is_empty() { "" } else { INDENT };
            text.push_str(gap);
            text.push_str(&cell.painted(paint, part));
            used += gap.len() + width;
        }
    }
    text + "\n"
}

/// Breaks a text into parts of at most `width` characters: at its blanks, or within a word that is longer.
fn wrapped(text: &str, width: usize) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let rest = &text[start..];
        let full = rest.char_indices().nth(width.max(1)).map_or(rest.len(), |(end, _)| end);
        // The blank itself may be what has no room.
        let blank = if rest[full..].starts_with(' ') { Some(full) } else { rest[..full].rfind(' ') };
        let (end, next) = match blank.filter(|blank| *blank > 0 && full < rest.len()) {
            Some(blank) => (blank, blank + 1),
            None => (full, full),
        };
        parts.push(start..start + end);
        start += next;
    }
    parts
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

    fn shown(table: &Table, width: usize) -> String {
        table.aligned(Paint::new(false), Some(width))
    }

    #[test]
    fn a_narrow_terminal_gets_fewer_columns_then_lines_below_then_no_columns() {
        let mut table = Table::new(vec!["ID", "WHEN", "WHAT"]).with_optional(&[1]);
        table.row(vec![Cell::new("demo/greeting"), Cell::new("today"), Cell::new("Greets somebody by their name")]);
        let rows = |width: usize| shown(&table, width).lines().skip(1).collect::<Vec<_>>().join("\n");
        assert_eq!(rows(51), "demo/greeting  today  Greets somebody by their name");
        assert_eq!(rows(50), "demo/greeting  Greets somebody by their name");
        assert_eq!(rows(40), "demo/greeting  Greets somebody by their…");
        assert_eq!(rows(38), "  WHAT\ndemo/greeting\n  Greets somebody by their name");
        assert_eq!(rows(20), "  WHAT\ndemo/greeting\n  Greets somebody by\n  their name");
        assert_eq!(rows(10), "  WHAT\ndemo/gre\n  eting\n  today\n  Greets\n  somebody\n  by their\n  name");
    }

    #[test]
    fn a_name_to_copy_is_never_cut() {
        let path = format!("/home/ada/{}", "x".repeat(80));
        let mut table = Table::new(vec!["STATE", "TYPE", "WHERE"]).with_whole_last();
        table.row(vec![Cell::new("changed"), Cell::new("tool"), Cell::new(&path)]);
        assert_eq!(shown(&table, 200).lines().last().unwrap(), format!("changed  tool  {path}"));
        assert_eq!(
            shown(&table, 80),
            format!("STATE    TYPE\n  WHERE\nchanged  tool\n  {}\n  {}\n", &path[..78], &path[78..])
        );
        assert_eq!(shown(&table, 12).lines().nth(3), Some("changed"), "{}", shown(&table, 12));
    }

    #[test]
    fn no_line_is_longer_than_the_terminal() {
        let mut table = Table::new(vec!["ID", "WHEN", "WHAT"]);
        table.row(vec![
            Cell::new("demo/greeting"),
            Cell::new("today"),
            Cell::new("Greets somebody, or everybody, by name"),
        ]);
        table.below(Cell::new("…a passage of several words that fits the query…"));
        for width in 3..120 {
            let text = shown(&table, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
        }
    }
}
