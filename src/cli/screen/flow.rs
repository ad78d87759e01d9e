//! Text that arrives piece by piece, as rows that fit a terminal.
//!
//! A row that is full goes out and never changes; the last one is open and drawn over until it is full. Nothing in the text
//! controls the terminal.

use crate::cli::text::clean;

/// The prefix of each row.
const INDENT: &str = "  ";

/// What a tab is shown as.
const TAB: &str = "    ";

/// The longest line that is kept to see its characters together, in bytes.
const LONGEST: usize = 2048;

/// A text on its way.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The line that has no end yet, as it came.
    line: String,
    /// How many characters of the line, as it is shown, are in rows that went out.
    gone: usize,
    /// Whether an empty line waits for text behind it.
    gap: bool,
    has_said: bool,
}

impl Flow {
    /// Tells whether there was any text.
    pub(super) const fn has_said(&self) -> bool {
        self.has_said
    }

    /// Adds a piece; returns the rows that are full, each with its line feed.
    pub(super) fn push(&mut self, piece: &str, width: usize) -> String {
        let mut rows = String::new();
        for character in piece.chars() {
            match character {
                '\n' => {
                    self.wrap(width, &mut rows);
                    self.end_line(&mut rows);
                }
                '\r' => {}
                character => self.line.push(character),
            }
            if self.line.len() > LONGEST {
                self.wrap(width, &mut rows);
                (self.line, self.gone) = (self.open(), 0);
            }
        }
        self.wrap(width, &mut rows);
        rows
    }

    /// Ends the text, until more comes; returns its last row.
    pub(super) fn close(&mut self) -> String {
        let mut rows = String::new();
        self.end_line(&mut rows);
        self.gap = false;
        rows
    }

    /// Returns the row that is open; `None` if it is empty.
    pub(super) fn open_row(&self) -> Option<String> {
        let open = self.open();
        (!open.trim().is_empty()).then(|| format!("{INDENT}{}", open.trim_end()))
    }

    fn open(&self) -> String {
        clean(&self.line).replace('\t', TAB).chars().skip(self.gone).collect()
    }

    fn wrap(&mut self, width: usize, rows: &mut String) {
        let room = width.saturating_sub(INDENT.len() + 1).max(8);
        let mut open = self.open();
        while columns(&open) > room {
            let end = fitting(&open, room);
            // At a blank, if there is one behind a word.
            let blank = open[..end].rfind(' ').filter(|blank| !open[..*blank].trim().is_empty());
            let (row, rest) = match blank {
                Some(blank) => (open[..blank].to_owned(), open[blank + 1..].to_owned()),
                None => (open[..end].to_owned(), open[end..].to_owned()),
            };
            self.gone += open.chars().count() - rest.chars().count();
            self.row(&row, rows);
            open = rest;
        }
    }

    fn end_line(&mut self, rows: &mut String) {
        let open = self.open();
        (self.line, self.gone) = (String::new(), 0);
        if open.trim().is_empty() {
            self.gap = self.has_said;
        } else {
            self.row(&open, rows);
        }
    }

    fn row(&mut self, row: &str, rows: &mut String) {
        if std::mem::take(&mut self.gap) {
            rows.push('\n');
        }
        self.has_said = true;
        rows.push_str(INDENT);
        rows.push_str(row.trim_end());
        rows.push('\n');
    }
}

/// Counts the columns of a text on one line: never fewer than a terminal takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Cuts a text to so many columns, with a mark.
pub(super) fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..fitting(text, most.saturating_sub(1))])
}

/// Returns how many bytes of a text fit into so many columns: one character at least.
fn fitting(text: &str, most: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += width_of(character);
        if used > most && at > 0 {
            return at;
        }
    }
    text.len()
}

/// Characters of unknown width count as wide: a short row is harmless, a long one is drawn twice.
const fn width_of(character: char) -> usize {
    match character {
        '…' | '·' => 1,
        '\u{0}'..='\u{10FF}' | '\u{2010}'..='\u{2027}' => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flowed(pieces: &[&str], width: usize) -> String {
        let mut flow = Flow::default();
        let mut rows: String = pieces.iter().map(|piece| flow.push(piece, width)).collect();
        rows.push_str(&flow.close());
        rows
    }

    #[test]
    fn rows_break_at_words_and_are_the_same_however_the_text_arrives() {
        let text = "One two three four five.\n\n\nA verylongwordthatdoesnotfitanywhere\tend\r\n";
        let rows = "  One two three four\n  five.\n\n  A\n  verylongwordthatdoe\n  snotfitanywhere\n  end\n";
        assert_eq!(flowed(&[text], 22), rows);
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(flowed(&pieces.iter().map(String::as_str).collect::<Vec<_>>(), 22), rows);
    }

    #[test]
    fn nothing_in_a_text_controls_the_terminal_wherever_it_is_cut() {
        let text = "a\u{1b}[2J\u{7}b\u{202e}c\u{9b}1m";
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        for shown in [flowed(&[text], 80), flowed(&pieces.iter().map(String::as_str).collect::<Vec<_>>(), 80)] {
            assert_eq!(shown, "  a\u{FFFD}[2J\u{FFFD}b\\u{202e}c\u{FFFD}1m\n");
        }
        // Lines that belong together are seen together.
        assert_eq!(flowed(&["\u{1F468}\u{200D}", "\u{1F469} ok"], 80), "  \u{1F468}\u{200D}\u{1F469} ok\n");
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let mut flow = Flow::default();
        for _ in 0..10_000 {
            flow.push("word ", 40);
        }
        assert!(flow.line.len() <= LONGEST + 5);
        assert_eq!(flowed(&[&"word ".repeat(20_000)], 40).matches("word").count(), 20_000);
        assert_eq!(columns("日本"), 4);
        assert_eq!((cut("abcdef", 4), cut("日本語", 5)), ("abc…".to_owned(), "日本…".to_owned()));
    }
}
