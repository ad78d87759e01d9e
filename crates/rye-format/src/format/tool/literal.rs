//! Literals of Python and JavaScript, read and never evaluated.
//!
//! Both: strings, numbers, booleans, nothing, lists and maps of them. Python also has tuples (a value in brackets is
//! that value), raw, triple and adjoining strings; JavaScript has names as keys, templates without `${` and comments of
//! its own. Anything else is an error that names the expected form.

use serde_json::{Map, Number, Value};

const MOST_NESTING: usize = 64;

/// Whose literals are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    Script,
}

/// A source text, being read.
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) syntax: Syntax,
}

/// A value, or the expected form at the place where reading stopped.
pub(super) type Literal<T> = Result<T, &'static str>;

impl<'t> Source<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Takes a comment, if one starts here; one of a single line up to its end.
    pub(super) fn eat_comment(&mut self) -> bool {
        let rest = self.rest();
        // Looked for only behind a comment's mark: at every character it would cost the square of a long line.
        let line = || rest.find('\n').unwrap_or(rest.len());
        let length = match self.syntax {
            Syntax::Python if rest.starts_with('#') => line(),
            Syntax::Script if rest.starts_with("//") => line(),
            Syntax::Script if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        self.at += length;
        length > 0
    }

    /// Skips blanks; inside brackets also line ends and comments.
    pub(super) fn skip_blanks(&mut self, inside: bool) {
        while let Some(found) = self.peek() {
            match found {
                ' ' | '\t' => self.at += 1,
                '\r' | '\n' if inside => self.at += 1,
                '#' | '/' if inside && self.eat_comment() => {}
                '\\' if self.syntax == Syntax::Python && self.rest().starts_with("\\\n") => self.at += 2,
                _ => return,
            }
        }
    }

    /// Takes a literal; `depth` is the number of brackets around it.
    pub(super) fn literal(&mut self, depth: usize) -> Literal<Value> {
        if depth > MOST_NESTING {
            return Err("at most 64 levels of nesting");
        }
        self.skip_blanks(depth > 0);
        match self.peek() {
            Some('[') => self.list(']', depth).map(|(list, _)| Value::Array(list)),
            Some('(') if self.syntax == Syntax::Python => self.bracketed(depth),
            Some('{') => self.map(depth),
            Some(_) if self.at_string() => self.strings(depth).map(Value::String),
            Some(found) if found.is_ascii_digit() || found == '-' => self.number(),
            _ => self.word(),
        }
    }

    /// Tells whether a string starts here.
    fn at_string(&self) -> bool {
        let rest = self.rest();
        match self.syntax {
            Syntax::Python => rest.strip_prefix(['r', 'R']).unwrap_or(rest).starts_with(['"', '\'']),
            Syntax::Script => rest.starts_with(['"', '\'', '`']),
        }
    }

    /// Takes a string and, in Python, those that adjoin it.
    fn strings(&mut self, depth: usize) -> Literal<String> {
        let mut text = self.string()?;
        while self.syntax == Syntax::Python {
            let after = self.at;
            self.skip_blanks(depth > 0);
            if !self.at_string() {
                self.at = after;
                break;
            }
            text.push_str(&self.string()?);
        }
        Ok(text)
    }

    fn string(&mut self) -> Literal<String> {
        let raw = self.syntax == Syntax::Python && (self.eat("r") || self.eat("R"));
        self.quoted(raw)
    }

    fn word(&mut self) -> Literal<Value> {
        let words = match self.syntax {
            Syntax::Python => ["True", "False", "None"],
            Syntax::Script => ["true", "false", "null"],
        };
        for (word, value) in words.into_iter().zip([Value::Bool(true), Value::Bool(false), Value::Null]) {
            let next = self.rest().get(word.len()..).and_then(|rest| rest.chars().next());
            if !next.is_some_and(is_part_of_name) && self.eat(word) {
                return Ok(value);
            }
        }
        Err(match self.syntax {
            Syntax::Python => "a string, number, `True`, `False`, `None`, list or dict",
            Syntax::Script => "a string, number, `true`, `false`, `null`, array or object",
        })
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

    /// Takes a list up to `close`, and tells whether it has a comma.
    fn list(&mut self, close: char, depth: usize) -> Literal<(Vec<Value>, bool)> {
        self.at += 1;
        let (mut list, mut comma) = (Vec::new(), false);
        loop {
            self.skip_blanks(true);
            if self.eat(close.encode_utf8(&mut [0; 4])) {
                return Ok((list, comma));
            }
            list.push(self.literal(depth + 1)?);
            comma |= self.separator(close)?;
        }
    }

    /// Takes a tuple, or a single value in brackets.
    fn bracketed(&mut self, depth: usize) -> Literal<Value> {
        let (mut list, comma) = self.list(')', depth)?;
        match list.pop() {
            Some(only) if list.is_empty() && !comma => Ok(only),
            last => {
                list.extend(last);
                Ok(Value::Array(list))
            }
        }
    }

    fn map(&mut self, depth: usize) -> Literal<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip_blanks(true);
            if self.eat("}") {
                return Ok(Value::Object(map));
            }
            let key = self.key(depth)?;
            self.skip_blanks(true);
            if !self.eat(":") {
                return Err("`:` after the key");
            }
            let value = self.literal(depth + 1)?;
            if map.insert(key, value).is_some() {
                return Err("each key only once");
            }
            self.separator('}')?;
        }
    }

    fn key(&mut self, depth: usize) -> Literal<String> {
        let rest = self.rest();
        let starts_name = rest.starts_with(|first: char| is_part_of_name(first) && !first.is_ascii_digit());
        if self.syntax == Syntax::Script && starts_name {
            let end = rest.find(|found| !is_part_of_name(found)).unwrap_or(rest.len());
            self.at += end;
            return Ok(rest[..end].to_owned());
        }
        match self.literal(depth + 1)? {
            Value::String(key) => Ok(key),
            _ => Err("a string as the key"),
        }
    }

    /// Takes the comma between values, if there is one before `close`.
    fn separator(&mut self, close: char) -> Literal<bool> {
        self.skip_blanks(true);
        let comma = self.eat(",");
        if comma || self.peek() == Some(close) { Ok(comma) } else { Err("`,` between values") }
    }

    /// Takes a string from its quote on; `raw` keeps backslashes.
    pub(super) fn quoted(&mut self, raw: bool) -> Literal<String> {
        let quote = self.rest().get(..1).unwrap_or("");
        let triple = quote.repeat(3);
        let is_triple = self.syntax == Syntax::Python && self.rest().starts_with(&triple);
        let end = if is_triple { triple.as_str() } else { quote };
        let one_line = !is_triple && quote != "`";
        self.at += end.len();
        let mut value = String::new();
        while let Some(found) = self.peek() {
            if self.eat(end) {
                return Ok(value);
            }
            if quote == "`" && self.rest().starts_with("${") {
                return Err("a template without `${`");
            }
            self.at += found.len_utf8();
            match found {
                '\n' if one_line => return Err("the closing quote on the same line"),
                '\\' => self.escape(raw, &mut value)?,
                _ => value.push(found),
            }
        }
        Err("the closing quote")
    }

    fn escape(&mut self, raw: bool, value: &mut String) -> Literal<()> {
        let Some(found) = self.peek() else { return Err("a character after the backslash") };
        self.at += found.len_utf8();
        let script = self.syntax == Syntax::Script;
        match found {
            _ if raw => value.extend(['\\', found]),
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            '\\' | '\'' | '"' => value.push(found),
            '\n' => {}
            'x' => return self.code_point(2, value),
            'u' if script && self.eat("{") => return self.code_point_in_braces(value),
            'u' => return self.code_point(4, value),
            'U' if !script => return self.code_point(8, value),
            'b' if script => value.push('\u{8}'),
            'f' if script => value.push('\u{c}'),
            'v' if script => value.push('\u{b}'),
            '0' if script => value.push('\0'),
            other if script => value.push(other),
            other => value.extend(['\\', other]),
        }
        Ok(())
    }

    fn code_point(&mut self, digits: usize, value: &mut String) -> Literal<()> {
        let hex = self.rest().get(..digits).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        value.push(character(hex)?);
        self.at += digits;
        Ok(())
    }

    fn code_point_in_braces(&mut self, value: &mut String) -> Literal<()> {
        let hex = self.rest().split('}').next().filter(|hex| (1..=8).contains(&hex.len()));
        value.push(character(hex)?);
        self.at += hex.map_or(0, str::len);
        if self.eat("}") { Ok(()) } else { Err("`}` after the digits of a character") }
    }
}

fn character(hex: Option<&str>) -> Literal<char> {
    let code = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
    code.and_then(char::from_u32).ok_or("the hexadecimal digits of a character")
}

pub(super) fn is_part_of_name(found: char) -> bool {
    found.is_alphanumeric() || matches!(found, '_' | '$')
}
