//! Untrusted text as a part of a line of Markdown: it neither ends the line nor a code span of ours, and controls no
//! terminal.

use super::super::hidden::reveal;

/// Makes a text fit between two backticks: on one line, and nothing in it is a backtick.
pub(super) fn code(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in reveal(text).chars() {
        match character {
            '`' => shown.push('\''),
            control if control.is_control() => shown.extend(control.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// Shows the name of a part of a value: in a code span, unless it is a plain word.
pub(super) fn named(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.starts_with(char::is_alphanumeric) && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("`{}`", code(name))
    }
}

/// Removes characters that git refuses in a message (NUL), that control a terminal (escapes), and that are hidden.
#[must_use]
pub fn printable(text: &str) -> String {
    let harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    reveal(text).chars().map(|c| if harmless(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Makes a text a part of its line, whatever it holds.
#[must_use]
pub fn one_line(text: &str) -> String {
    reveal(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Makes a text a part of a line of Markdown: no code span of it goes on behind it.
#[must_use]
pub fn sentence(text: &str) -> String {
    let line = one_line(text);
    if is_closed(&line) { line } else { line.replace('`', "'") }
}

/// Tells whether every code span of a line ends in it.
pub(super) fn is_closed(line: &str) -> bool {
    !line.contains("``") && line.matches('`').count().is_multiple_of(2)
}
