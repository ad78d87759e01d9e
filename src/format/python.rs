//! Module constants of a Python file, read as literals: nothing is ever evaluated.
//!
//! Only assignments at the start of a line, outside of strings and brackets, count. Literals: strings (plain, raw,
//! triple), numbers, `True`, `False`, `None`, lists, tuples and dicts of them. Anything else is a finding.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::span::Findings;
use super::{Span, rules};

/// The constants that are read, and the header key each stands for.
pub(super) const KEYS: [(&str, &str); 6] = [
    ("__version__", "version"),
    ("__tool_type__", "tool_type"),
    ("__executor_id__", "executor_id"),
    ("__category__", "category"),
    ("__tool_description__", "description"),
    ("CONFIG_SCHEMA", "parameters"),
];
const MOST_NESTING: usize = 64;

/// Reads the header constants of a Python file.
pub(super) fn read(text: &str, findings: &mut Findings<'_>) -> (Map<String, Value>, BTreeMap<String, Span>) {
    let mut keys = Map::new();
    let mut places = BTreeMap::new();
    let mut source = Source { text, at: 0 };
    while source.at < text.len() {
        let start = source.at;
        let Some((constant, key)) = source.assignment() else {
            source.skip_line();
            continue;
        };
        let value = source.literal(0).and_then(|value| source.end_of_statement().map(|()| value));
        let span = Span::new(start, start + text[start..].find('\n').unwrap_or(text.len() - start));
        match value {
            Ok(value) => {
                if keys.insert(key.to_owned(), value).is_some() {
                    let message = format!("`{constant}` is assigned twice");
                    findings.at(&rules::TOOL_REPEATED, span, message, "keep one of them");
                }
                places.insert(key.to_owned(), span);
            }
            Err(expected) => {
                let at = source.at.min(text.len());
                let message = format!("`{constant}` is no literal: expected {expected}");
                let hint = "header constants are read without running the file: write the value out";
                findings.at(&rules::TOOL_VALUE, Span::new(at, at + 1), message, hint);
            }
        }
        source.skip_line();
    }
    (keys, places)
}

struct Source<'t> {
    text: &'t str,
    at: usize,
}

type Literal<T> = Result<T, &'static str>;

impl<'t> Source<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Takes `NAME =` or `NAME: type =` of a header constant at the start of a line.
    fn assignment(&mut self) -> Option<(&'static str, &'static str)> {
        let line = self.rest().lines().next().unwrap_or("");
        let found = KEYS.into_iter().find(|(name, _)| line.starts_with(name))?;
        let after = &line[found.0.len()..];
        let equals = after.find('=')?;
        let between = after[..equals].trim();
        let assigns = between.is_empty() || between.starts_with(':');
        if !assigns || after[equals + 1..].starts_with('=') {
            return None;
        }
        self.at += found.0.len() + equals + 1;
        Some(found)
    }

    /// Skips to the start of the next line that is outside of strings and brackets.
    fn skip_line(&mut self) {
        let mut depth = 0_usize;
        while let Some(found) = self.peek() {
            match found {
                '#' => self.skip_comment(),
                '"' | '\'' => drop(self.quoted(true)),
                '\\' => {
                    self.at += 1;
                    self.at += self.peek().map_or(0, char::len_utf8);
                }
                _ => {
                    self.at += found.len_utf8();
                    match found {
                        '(' | '[' | '{' => depth += 1,
                        ')' | ']' | '}' => depth = depth.saturating_sub(1),
                        '\n' if depth == 0 => return,
                        _ => {}
                    }
                }
            }
        }
    }

    fn skip_comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Skips blanks; inside brackets also line ends and comments.
    fn skip_blanks(&mut self, inside: bool) {
        while let Some(found) = self.peek() {
            match found {
                ' ' | '\t' => self.at += 1,
                '\r' | '\n' if inside => self.at += 1,
                '#' if inside => self.skip_comment(),
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                _ => return,
            }
        }
    }

    fn end_of_statement(&mut self) -> Literal<()> {
        self.skip_blanks(false);
        match self.peek() {
            None | Some('\n' | '\r' | '#') => Ok(()),
            Some(_) => Err("the end of the line after the value"),
        }
    }

    fn literal(&mut self, depth: usize) -> Literal<Value> {
        if depth > MOST_NESTING {
            return Err("at most 64 levels of nesting");
        }
        self.skip_blanks(depth > 0);
        match self.peek() {
            Some('[') => self.list('[', ']', depth),
            Some('(') => self.list('(', ')', depth),
            Some('{') => self.dict(depth),
            Some('"' | '\'') => self.quoted(false).map(Value::String),
            Some('r' | 'R') if self.rest()[1..].starts_with(['"', '\'']) => {
                self.at += 1;
                self.quoted(true).map(Value::String)
            }
            Some(found) if found.is_ascii_digit() || found == '-' => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Literal<Value> {
        for (word, value) in [("True", Value::Bool(true)), ("False", Value::Bool(false)), ("None", Value::Null)] {
            let next = self.rest().get(word.len()..).and_then(|rest| rest.chars().next());
            if !next.is_some_and(|next| next.is_alphanumeric() || next == '_') && self.eat(word) {
                return Ok(value);
            }
        }
        Err("a string, number, `True`, `False`, `None`, list or dict")
    }

    fn number(&mut self) -> Literal<Value> {
        let rest = self.rest();
        let part = |found: char| found.is_ascii_alphanumeric() || matches!(found, '.' | '_' | '-' | '+');
        let end = rest.find(|found| !part(found)).unwrap_or(rest.len());
        let text = rest[..end].replace('_', "");
        let number: Number = text.parse().map_err(|_| "a decimal number")?;
        self.at += end;
        Ok(Value::Number(number))
    }

    fn list(&mut self, open: char, close: char, depth: usize) -> Literal<Value> {
        self.at += open.len_utf8();
        let mut list = Vec::new();
        loop {
            self.skip_blanks(true);
            if self.eat(close.encode_utf8(&mut [0; 4])) {
                return Ok(Value::Array(list));
            }
            list.push(self.literal(depth + 1)?);
            self.separator(close)?;
        }
    }

    fn dict(&mut self, depth: usize) -> Literal<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip_blanks(true);
            if self.eat("}") {
                return Ok(Value::Object(map));
            }
            let Value::String(key) = self.literal(depth + 1)? else { return Err("a string as the key of a dict") };
            self.skip_blanks(true);
            if !self.eat(":") {
                return Err("`:` after the key of a dict");
            }
            let value = self.literal(depth + 1)?;
            if map.insert(key, value).is_some() {
                return Err("each key of a dict only once");
            }
            self.separator('}')?;
        }
    }

    fn separator(&mut self, close: char) -> Literal<()> {
        self.skip_blanks(true);
        if self.eat(",") || self.peek() == Some(close) { Ok(()) } else { Err("`,` between values") }
    }

    /// Takes a string from its quote on; `raw` keeps backslashes.
    fn quoted(&mut self, raw: bool) -> Literal<String> {
        let quote = if self.rest().starts_with('"') { "\"" } else { "'" };
        let triple = quote.repeat(3);
        let end = if self.rest().starts_with(&triple) { triple.as_str() } else { quote };
        self.at += end.len();
        let mut value = String::new();
        while let Some(found) = self.peek() {
            if self.eat(end) {
                return Ok(value);
            }
            self.at += found.len_utf8();
            match found {
                '\n' if end.len() == 1 => return Err("the closing quote on the same line"),
                '\\' => self.escape(raw, &mut value)?,
                _ => value.push(found),
            }
        }
        Err("the closing quote")
    }

    fn escape(&mut self, raw: bool, value: &mut String) -> Literal<()> {
        let Some(found) = self.peek() else { return Err("a character after the backslash") };
        self.at += found.len_utf8();
        let plain = match found {
            _ if raw => None,
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '\\' | '\'' | '"' => Some(found),
            '\n' => return Ok(()),
            'x' => return self.code_point(2, value),
            'u' => return self.code_point(4, value),
            'U' => return self.code_point(8, value),
            _ => None,
        };
        match plain {
            Some(character) => value.push(character),
            None => value.extend(['\\', found]),
        }
        Ok(())
    }

    fn code_point(&mut self, digits: usize, value: &mut String) -> Literal<()> {
        let hex = self.rest().get(..digits).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        value.push(code.and_then(char::from_u32).ok_or("the hexadecimal digits of a character")?);
        self.at += digits;
        Ok(())
    }
}
