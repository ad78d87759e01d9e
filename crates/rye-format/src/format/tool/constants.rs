//! Header constants of Python, JavaScript and TypeScript files, read as literals: nothing is ever evaluated.
//!
//! Only assignments at the start of a line, outside of strings, comments and brackets, count: `NAME = …` and
//! `NAME: type = …` in Python, `export const NAME = …` (or `let`, `var`, without `export`, with a type) elsewhere.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::literal::{Literal, Source, Syntax, is_part_of_name};
use crate::format::span::Findings;
use crate::format::{Span, rules};

/// The constants that are read, and the header key of each.
const KEYS: [(&str, &str); 7] = [
    ("__version__", "version"),
    ("__tool_type__", "tool_type"),
    ("__executor_id__", "executor_id"),
    ("__category__", "category"),
    ("__tool_description__", "description"),
    ("__companions__", "companions"),
    ("CONFIG_SCHEMA", "parameters"),
];
/// How deep templates may hold code that holds templates; beyond, the rest of the file is not read as the header.
const MOST_TEMPLATES: usize = 32;

/// Reads the header constants of a file.
pub(super) fn read(
    text: &str,
    syntax: Syntax,
    findings: &mut Findings<'_>,
) -> (Map<String, Value>, BTreeMap<String, Span>) {
    let mut keys = Map::new();
    let mut places = BTreeMap::new();
    let mut source = Source { text, at: 0, syntax };
    while source.at < text.len() {
        let start = source.at;
        let Some((constant, key)) = source.assignment() else {
            source.skip_statement();
            continue;
        };
        let value = source.literal(0).and_then(|value| source.end_of_statement().map(|()| value));
        let span = Span::new(start, start + text[start..].find('\n').unwrap_or(text.len() - start));
        places.insert(key.to_owned(), span);
        match value {
            Ok(value) => {
                if keys.insert(key.to_owned(), value).is_some() {
                    let message = format!("`{constant}` is assigned twice");
                    findings.at(&rules::TOOL_REPEATED, span, message, "keep one of them");
                }
            }
            Err(expected) => {
                // It is there, and has no value: its reader reports nothing more.
                places.entry(key.to_owned()).or_insert(span);
                let at = source.at.min(text.len());
                let message = format!("`{constant}` is not a literal: expected {expected}");
                let hint = "header constants are read without running the file: write the value out";
                findings.at(&rules::TOOL_VALUE, Span::new(at, at + 1), message, hint);
            }
        }
        source.skip_statement();
    }
    (keys, places)
}

impl Source<'_> {
    /// Takes the beginning of a header constant, up to its value, at the start of a line.
    fn assignment(&mut self) -> Option<(&'static str, &'static str)> {
        let line = self.rest().lines().next().unwrap_or("");
        let declared = match self.syntax {
            Syntax::Python => line,
            Syntax::Script => declaration(line)?,
        };
        let ends = |name: &&str| !declared[name.len()..].starts_with(is_part_of_name);
        let found = KEYS.into_iter().find(|(name, _)| declared.starts_with(name) && ends(name))?;
        let after = &declared[found.0.len()..];
        let assigns = |(at, _): &(usize, &str)| !after[at + 1..].starts_with(['=', '>']);
        let (equals, _) = after.match_indices('=').find(assigns)?;
        let between = after[..equals].trim();
        if !between.is_empty() && !between.starts_with(':') {
            return None;
        }
        self.at += line.len() - after.len() + equals + 1;
        Some(found)
    }

    /// Takes the end of a statement whose value was read.
    fn end_of_statement(&mut self) -> Literal<()> {
        self.skip_blanks(false);
        if self.syntax == Syntax::Script {
            self.eat_type();
            self.eat(";");
            self.skip_blanks(false);
        }
        match self.peek() {
            None | Some('\n' | '\r') => Ok(()),
            Some(_) if self.eat_comment() => Ok(()),
            Some(_) => Err("the end of the line after the value"),
        }
    }

    /// Takes what TypeScript may say about a value's type.
    fn eat_type(&mut self) {
        if self.eat("as const") {
            self.skip_blanks(false);
        }
        if self.eat("satisfies ") {
            let rest = self.rest();
            self.at += rest.find([';', '\n']).unwrap_or(rest.len());
        }
    }

    /// Skips to the start of the next line that is outside of strings, comments and brackets.
    fn skip_statement(&mut self) {
        let mut depth = 0_usize;
        let mut last = '\n';
        while let Some(found) = self.peek() {
            if self.eat_comment() {
                continue;
            }
            match found {
                '"' | '\'' => {
                    // A string that is not closed ends with its line.
                    if self.quoted(true).is_err() && depth == 0 {
                        return;
                    }
                }
                '`' if self.syntax == Syntax::Script => self.skip_template(0),
                '/' if self.syntax == Syntax::Script && starts_expression(last) => self.skip_pattern(),
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
            last = if found.is_whitespace() && found != '\n' { last } else { found };
        }
    }

    /// Skips a template with the code in it.
    fn skip_template(&mut self, depth: usize) {
        self.at += 1;
        while let Some(found) = self.peek() {
            if self.eat("${") {
                self.skip_code(depth);
                continue;
            }
            self.at += found.len_utf8();
            match found {
                '`' => return,
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                _ => {}
            }
        }
    }

    /// Skips the code in a template, with its closing brace.
    fn skip_code(&mut self, depth: usize) {
        if depth == MOST_TEMPLATES {
            self.at = self.text.len();
        }
        let mut open = 1_usize;
        while let Some(found) = self.peek() {
            if self.eat_comment() {
                continue;
            }
            match found {
                '"' | '\'' => drop(self.quoted(true)),
                '`' => self.skip_template(depth + 1),
                _ => {
                    self.at += found.len_utf8();
                    open += usize::from(found == '{');
                    open -= usize::from(found == '}');
                    if open == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// Skips a regular expression, which ends on its line.
    fn skip_pattern(&mut self) {
        self.at += 1;
        let mut in_class = false;
        while let Some(found) = self.peek().filter(|found| *found != '\n') {
            self.at += found.len_utf8();
            match found {
                '/' if !in_class => return,
                '[' => in_class = true,
                ']' => in_class = false,
                '\\' => self.at += self.peek().filter(|found| *found != '\n').map_or(0, char::len_utf8),
                _ => {}
            }
        }
    }
}

/// Returns the declaration on a line of JavaScript or TypeScript.
fn declaration(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    ["const ", "let ", "var "].into_iter().find_map(|word| line.strip_prefix(word)).map(str::trim_start)
}

/// Tells whether a `/` after this character starts a regular expression and is not a division.
fn starts_expression(last: char) -> bool {
    !(last.is_alphanumeric() || matches!(last, '_' | '$' | ')' | ']' | '}' | '"' | '\'' | '`'))
}
