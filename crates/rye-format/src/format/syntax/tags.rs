//! The tags of the process zone, which is pseudo-XML: only known element names are tags, all else is text.
//!
//! Text in backticks, on one line or in a fenced block, is text too: that is how instructions talk *about* elements. So
//! is a comment: commented-out text is not done. Attribute values may hold the five entities; an ampersand that starts
//! none of them is an ampersand.

use super::xml;
use crate::format::Span;

/// The element names of the process zone.
const KNOWN: [&str; 10] =
    ["process", "step", "description", "execute", "search", "load", "sign", "param", "success_criteria", "criterion"];
/// The names that are told apart from text in any case: a step in a `<Process>` would pass for text.
const ANY_CASE: [&str; 4] = ["process", "step", "success_criteria", "criterion"];
const MOST_TAG_BYTES: usize = 64 * 1024;
const MOST_ATTRIBUTES: usize = 32;
/// The longest code between backticks on one line.
const MOST_CODE_BYTES: usize = 2048;

/// The form of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Kind {
    Open,
    Close,
    Empty,
}

/// A tag with a known name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) struct Token<'t> {
    pub(in crate::format) name: &'t str,
    pub(in crate::format) kind: Kind,
    pub(in crate::format) attributes: Vec<(&'t str, String)>,
    pub(in crate::format) span: Span,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(in crate::format) struct Scan<'t> {
    pub(in crate::format) tokens: Vec<Token<'t>>,
    /// Starts of known tags that are not well-formed, with what was expected; none if only the case is wrong.
    pub(in crate::format) malformed: Vec<(Span, Option<&'static str>)>,
    /// Code between backticks that spells out a call of a primary action.
    pub(in crate::format) calls: Vec<Span>,
}

/// Finds the tags in `zone` of `text`.
pub(in crate::format) fn scan(text: &str, zone: Span) -> Scan<'_> {
    let source = zone.of(text);
    let mut scan = Scan::default();
    let (mut at, mut line_is_blank) = (0, true);
    // Where no comment ends any more: each is looked for once, or many that are never closed would cost a look each.
    let comments_end = source.rfind("-->").unwrap_or(0);
    while let Some(byte) = source.as_bytes().get(at) {
        at = match byte {
            b'`' | b'~' => skip_code(source, at, line_is_blank, zone.start, &mut scan),
            b'<' if at < comments_end && source[at..].starts_with("<!--") => after_comment(source, at),
            b'<' => scan.take(source, at, zone.start),
            _ => at + 1,
        };
        line_is_blank = match byte {
            b'\n' => true,
            b' ' | b'\t' => line_is_blank,
            _ => source.as_bytes().get(at.saturating_sub(1)) == Some(&b'\n'),
        };
    }
    scan
}

impl<'t> Scan<'t> {
    /// Reads the tag that may start at `at`; returns where to go on.
    fn take(&mut self, source: &'t str, at: usize, base: usize) -> usize {
        let Some((name, kind, after)) = name_at(source, at) else { return at + 1 };
        if !source[..after].ends_with(name) {
            self.malformed.push((Span::new(base + at, base + after), None));
        }
        let mut cursor = Cursor { source, at: after, end: source.len().min(at + MOST_TAG_BYTES) };
        match cursor.rest_of_tag(kind) {
            Ok((kind, attributes)) => {
                let span = Span::new(base + at, base + cursor.at);
                self.tokens.push(Token { name, kind, attributes, span });
                cursor.at
            }
            Err(expected) => {
                self.malformed.push((Span::new(base + at, base + after), Some(expected)));
                after
            }
        }
    }
}

/// Recognises `<name` or `</name` of a known element.
fn name_at(source: &str, at: usize) -> Option<(&'static str, Kind, usize)> {
    let rest = &source.as_bytes()[at + 1..];
    let closing = rest.first() == Some(&b'/');
    let start = at + 1 + usize::from(closing);
    let name = KNOWN.into_iter().find(|name| {
        let after = start + name.len();
        let found = source.as_bytes().get(start..after);
        found.is_some_and(|found| {
            found == name.as_bytes() || ANY_CASE.contains(name) && found.eq_ignore_ascii_case(name.as_bytes())
        }) && matches!(source.as_bytes().get(after), Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n') | None)
    })?;
    let after = start + name.len();
    let kind = if closing { Kind::Close } else { Kind::Open };
    Some((name, kind, after))
}

struct Cursor<'t> {
    source: &'t str,
    at: usize,
    end: usize,
}

type Attributes<'t> = Vec<(&'t str, String)>;

impl<'t> Cursor<'t> {
    fn rest_of_tag(&mut self, kind: Kind) -> Result<(Kind, Attributes<'t>), &'static str> {
        let mut attributes: Attributes<'t> = Vec::new();
        loop {
            let had_blank = self.skip_blanks();
            match self.peek() {
                Some(b'>') => {
                    self.at += 1;
                    return Ok((kind, attributes));
                }
                Some(b'/') if kind == Kind::Open && self.source.as_bytes().get(self.at + 1) == Some(&b'>') => {
                    self.at += 2;
                    return Ok((Kind::Empty, attributes));
                }
                Some(byte) if is_name(byte) && had_blank && kind == Kind::Open => {
                    let attribute = self.attribute()?;
                    if attributes.iter().any(|(name, _)| *name == attribute.0) {
                        return Err("each attribute only once");
                    }
                    if attributes.len() == MOST_ATTRIBUTES {
                        return Err("at most 32 attributes");
                    }
                    attributes.push(attribute);
                }
                _ => return Err("`>` or an attribute like `name=\"value\"`"),
            }
        }
    }

    fn attribute(&mut self) -> Result<(&'t str, String), &'static str> {
        let start = self.at;
        while self.peek().is_some_and(is_name) {
            self.at += 1;
        }
        let name = &self.source[start..self.at];
        self.skip_blanks();
        if self.peek() != Some(b'=') {
            return Err("`=` and a quoted value after an attribute's name");
        }
        self.at += 1;
        self.skip_blanks();
        let quote = match self.peek() {
            Some(b'"') => '"',
            Some(b'\'') => '\'',
            _ => return Err("a value in quotes after `=`"),
        };
        let value = self.source.get(self.at + 1..).unwrap_or("");
        let length = value.find(quote).filter(|length| self.at + length < self.end);
        let length = length.ok_or("a closing quote (a tag has at most 64 KiB)")?;
        self.at += length + 2;
        Ok((name, decoded(&value[..length])))
    }

    fn peek(&self) -> Option<u8> {
        (self.at < self.end).then(|| self.source.as_bytes()[self.at])
    }

    fn skip_blanks(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.at > start
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Replaces the five entities and leaves every other ampersand alone.
fn decoded(raw: &str) -> String {
    let mut parts = raw.split('&');
    let mut value = parts.next().unwrap_or("").to_owned();
    for part in parts {
        match part.split_once(';').and_then(|(name, rest)| Some((xml::entity(name)?, rest))) {
            Some((character, rest)) => {
                value.push(character);
                value.push_str(rest);
            }
            None => {
                value.push('&');
                value.push_str(part);
            }
        }
    }
    value
}

/// Skips code that starts at `at`; returns where to go on, after the code or after a mark that starts none.
fn skip_code(source: &str, at: usize, line_is_blank: bool, base: usize, scan: &mut Scan<'_>) -> usize {
    let mark = char::from(source.as_bytes()[at]);
    let run = source[at..].len() - source[at..].trim_start_matches(mark).len();
    let after = at + run;
    if line_is_blank && run >= 3 {
        let line_end = source[after..].find('\n').map_or(source.len(), |length| after + length);
        if !source[after..line_end].contains('`') {
            return after_block(source, line_end, mark, run);
        }
    }
    if mark == '~' {
        return after;
    }
    match code_end(source, after, run) {
        Some(end) => {
            if is_call(&source[after..end]) {
                scan.calls.push(Span::new(base + after, base + end));
            }
            end + run
        }
        None => after,
    }
}

/// Returns the end of a comment that starts at `at`; one without an end is not a comment.
fn after_comment(source: &str, at: usize) -> usize {
    let inside = at + "<!--".len();
    source[inside..].find("-->").map_or(inside, |length| inside + length + "-->".len())
}

/// Returns the end of a fenced block: after its closing line, or the end of the text as CommonMark has it.
fn after_block(source: &str, opened: usize, mark: char, run: usize) -> usize {
    let mut at = opened;
    for line in source[opened..].split_inclusive('\n') {
        at += line.len();
        let line = line.trim();
        if line.len() >= run && line.chars().all(|found| found == mark) {
            return at;
        }
    }
    source.len()
}

/// Finds the run of exactly `run` backticks that ends code started before `after`, on the same line.
fn code_end(source: &str, after: usize, run: usize) -> Option<usize> {
    let bytes = &source.as_bytes()[..source.len().min(after + MOST_CODE_BYTES)];
    let mut at = after;
    while at < bytes.len() && bytes[at] != b'\n' {
        let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if length == run {
            return Some(at);
        }
        at += length.max(1);
    }
    None
}

/// Tells whether code spells out a call, rather than naming one as in `rye_execute(...)`.
fn is_call(code: &str) -> bool {
    let code = code.trim_start();
    let named = ["rye_execute(", "rye_search(", "rye_load(", "rye_sign("].iter().any(|call| code.starts_with(call));
    named && code.contains('=')
}
