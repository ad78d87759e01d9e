//! Places in a text, and findings there.
//!
//! Spans are byte offsets into the whole file; lines and columns count from 1, columns in characters. A collection of
//! findings is bounded, so that a hostile file cannot make reading it slow.

use std::fmt::Write as _;

use serde::Serialize;

use super::rules::{self, Rule, Severity};
use crate::capability::is_ignorable;

/// The most findings kept for one file.
const MOST: usize = 100;
/// How many characters of a long line an excerpt shows on each side of its mark.
const AROUND: usize = 60;
/// The longest message or hint, in characters: a file may hold names without end.
const MOST_WORDS: usize = 600;

/// A range of bytes in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// A place in a text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// One thing found in an item's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's stable id, such as `RYE-D001`.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Where, when it is somewhere.
    #[serde(skip)]
    pub span: Option<Span>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The fault, in one sentence.
    pub message: String,
    /// How to mend it.
    pub hint: Option<String>,
}

impl Span {
    /// Makes the span from `start` up to `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the part of `text` that this span covers; empty when it lies outside.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

impl Position {
    /// The first character of a text.
    pub(super) const START: Self = Self { line: 1, column: 1 };

    /// Returns the place of a byte offset. An offset beyond the text is its end.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        Self::START.after(&text.as_bytes()[..offset.min(text.len())])
    }

    /// Returns the place that is reached from here by passing over `bytes`.
    fn after(self, bytes: &[u8]) -> Self {
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            None => Self { line: self.line, column: self.column + characters(bytes) },
            Some(newline) => {
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
                Self { line: self.line + lines, column: 1 + characters(&bytes[newline + 1..]) }
            }
        }
    }
}

/// Counts characters without asking that the bytes end at a boundary.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

impl Finding {
    /// Makes a finding about a whole file.
    #[must_use]
    pub fn whole(rule: &Rule, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::placed(rule, None, Position::START, message.into(), hint.into())
    }

    /// Makes a finding about a part of a text.
    #[must_use]
    pub fn at(rule: &Rule, text: &str, span: Span, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::placed(rule, Some(span), Position::of(text, span.start), message.into(), hint.into())
    }

    pub(super) fn placed(rule: &Rule, span: Option<Span>, place: Position, message: String, hint: String) -> Self {
        let Position { line, column } = place;
        Self { rule: rule.id, severity: rule.severity, span, line, column, message, hint: Some(hint) }
    }
}

/// Tells whether any of these keeps the item from being used.
#[must_use]
pub fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Findings about one text, being collected.
#[derive(Debug)]
pub(super) struct Findings<'t> {
    text: &'t str,
    list: Vec<Finding>,
}

impl<'t> Findings<'t> {
    pub(super) const fn about(text: &'t str) -> Self {
        Self { text, list: Vec::new() }
    }

    /// Returns the text they are about.
    pub(super) const fn source(&self) -> &'t str {
        self.text
    }

    /// Files a finding at a place of the text.
    pub(super) fn at(&mut self, rule: &Rule, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        if !self.overflows() {
            let (message, hint) = (bounded(message.into()), bounded(hint.into()));
            self.list.push(Finding::placed(rule, Some(span), Position::START, message, hint));
        }
    }

    /// Files a finding about the whole text.
    pub(super) fn whole(&mut self, rule: &Rule, message: impl Into<String>, hint: impl Into<String>) {
        if !self.overflows() {
            self.list.push(Finding::whole(rule, bounded(message.into()), bounded(hint.into())));
        }
    }

    /// Tells whether further findings would not be listed: time to stop looking.
    pub(super) const fn is_full(&self) -> bool {
        self.list.len() > MOST
    }

    /// Tells whether an error was filed.
    pub(super) fn has_errors(&self) -> bool {
        has_errors(&self.list)
    }

    /// Says once that the rest is not listed: the text is in error whatever the first findings were.
    fn overflows(&mut self) -> bool {
        if self.list.len() == MOST {
            let message = format!("more than {MOST} findings; the rest is not listed");
            self.list.push(Finding::whole(&rules::TOO_MANY, message, "mend the first ones and look again"));
        }
        self.is_full()
    }

    /// Returns the findings in the order of the text.
    ///
    /// Only now are lines and columns counted, in one pass: a hundred findings at the end of a file cost what one does.
    pub(super) fn into_list(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|finding| finding.span.map_or(0, |span| span.start));
        let (mut place, mut counted) = (Position::START, 0);
        for (finding, span) in self.list.iter_mut().filter_map(|finding| finding.span.map(|span| (finding, span))) {
            let start = span.start.min(self.text.len());
            place = place.after(&self.text.as_bytes()[counted..start]);
            counted = start;
            (finding.line, finding.column) = (place.line, place.column);
        }
        self.list
    }
}

/// Cuts a sentence that repeats too much of a file.
fn bounded(mut sentence: String) -> String {
    if let Some((end, _)) = sentence.char_indices().nth(MOST_WORDS) {
        sentence.truncate(end);
        sentence.push('…');
    }
    sentence
}

/// Shows the line a span starts on, with carets below the span; long lines are cut around it.
///
/// Two lines, the first with its number: `12 | <stepp>` and `   |  ^^^^^`.
#[must_use]
pub fn excerpt(text: &str, span: Span) -> String {
    let start = floor(text, span.start);
    let end = floor(text, span.end);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |length| start + length);
    let before: Vec<char> = text[line_start..start].chars().rev().take(AROUND).map(printable).collect();
    let marked = text[start..end.clamp(start, line_end)].chars().take(AROUND).count().max(1);
    let after: String = text[start..line_end].chars().take(marked + AROUND).map(printable).collect();
    let number = Position::of(text, start).line.to_string();
    let mut shown = format!("{number} | {}{after}\n", before.iter().rev().collect::<String>());
    let (margin, lead) = (" ".repeat(number.len()), " ".repeat(before.len()));
    // Writing to a `String` cannot fail.
    let _ = write!(shown, "{margin} | {lead}{}", "^".repeat(marked));
    shown
}

/// Returns the offset, or the nearest character boundary before it.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|offset| text.is_char_boundary(*offset)).unwrap_or(0)
}

/// Keeps tabs from shifting the carets, and control characters and hidden ones from reaching a terminal.
fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        // Line breaks, to some.
        '\u{2028}' | '\u{2029}' => '\u{FFFD}',
        _ if character.is_control() || is_ignorable(character) => '\u{FFFD}',
        _ => character,
    }
}
