//! A text under way to stdout or stderr.

use std::path::Path;

use super::{Paint, Table};

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

    /// Writes a line.
    pub(in crate::cli) fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Writes a text that ends with one line feed, whatever it ended with.
    pub(in crate::cli) fn block(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.line(text.trim_end());
        }
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

/// Shows a path relative to `base` where it lies below.
fn shown(path: &Path, base: &Path) -> String {
    match path.strip_prefix(base) {
        Ok(below) if !base.as_os_str().is_empty() && !below.as_os_str().is_empty() => below.display().to_string(),
        _ => path.display().to_string(),
    }
}
