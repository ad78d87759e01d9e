//! A query as lexemes.

use std::ops::Range;

use super::super::error::QueryError;
use super::super::schema::{FieldId, Schema};
use crate::id::nearest;

/// One piece of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    Plus,
    Minus,
    /// `name:` with a value directly behind it.
    Field(FieldId),
    Word(String),
    Prefix(String),
    /// A word with the number of typos it may have.
    Fuzzy(String, Option<u8>),
    /// The text between quotes, and the number behind `~`.
    Phrase(String, Option<u32>),
    /// `*` alone.
    Star,
}

/// A token and its place, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    pub token: Token,
    pub range: Range<usize>,
}

/// A word that looks like syntax and is taken as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Odd {
    pub range: Range<usize>,
    /// The message about it.
    pub note: String,
    /// The probable meaning.
    pub meant: Option<String>,
}

/// The furthest proximity: with more words between them, words are near each other by chance.
const MAX_DISTANCE: u32 = 100;

/// Takes a query apart.
///
/// # Errors
///
/// Fails on an open quote, a field without a value, and a number behind `~` that is out of range.
pub(super) fn lexemes(schema: &Schema, text: &str) -> Result<(Vec<Lexeme>, Vec<Odd>), QueryError> {
    let mut lexer = Lexer { schema, text, at: 0, depth: 0, found: Vec::new(), odd: Vec::new() };
    while let Some(letter) = lexer.rest().chars().next() {
        lexer.lexeme(letter)?;
    }
    Ok((lexer.found, lexer.odd))
}

struct Lexer<'t> {
    schema: &'t Schema,
    text: &'t str,
    at: usize,
    depth: usize,
    found: Vec<Lexeme>,
    odd: Vec<Odd>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, token: Token, bytes: usize) {
        self.found.push(Lexeme { token, range: self.at..self.at + bytes });
        self.at += bytes;
    }

    fn lexeme(&mut self, letter: char) -> Result<(), QueryError> {
        match letter {
            letter if letter.is_whitespace() => self.at += letter.len_utf8(),
            '(' => {
                self.depth += 1;
                self.push(Token::Open, 1);
            }
            ')' => {
                self.depth = self.depth.saturating_sub(1);
                self.push(Token::Close, 1);
            }
            '"' => self.phrase()?,
            '+' | '-' if self.applies() => self.push(if letter == '+' { Token::Plus } else { Token::Minus }, 1),
            _ => self.word()?,
        }
        Ok(())
    }

    /// Tells whether the sign here comes directly before a word: `-v`, but neither `- v` nor `--v`.
    fn applies(&self) -> bool {
        self.rest()[1..].starts_with(|next: char| next.is_alphanumeric() || matches!(next, '"' | '(' | '_'))
    }

    fn phrase(&mut self) -> Result<(), QueryError> {
        let Some(length) = self.rest()[1..].find('"') else {
            return Err(error(self.at, "a quote is opened and not closed", "close it with `\"`, or leave it out"));
        };
        let inside = self.rest()[1..=length].to_owned();
        let behind = &self.rest()[length + 2..];
        let digits = behind.strip_prefix('~').map(|rest| rest.len() - rest.trim_start_matches(char::is_numeric).len());
        let distance = digits.map(|digits| self.number(&behind[1..=digits], MAX_DISTANCE)).transpose()?;
        self.push(Token::Phrase(inside, distance), length + 2 + digits.map_or(0, |digits| digits + 1));
        Ok(())
    }

    fn number(&self, digits: &str, most: u32) -> Result<u32, QueryError> {
        let number = digits.parse().ok().filter(|number| *number <= most);
        let hint = format!("write a number from 0 to {most} behind `~`");
        number.ok_or_else(|| error(self.at, "`~` is not followed by a number that it can take", &hint))
    }

    fn word(&mut self) -> Result<(), QueryError> {
        let word = &self.rest()[..self.word_length()];
        if let Some(field) = self.field(word)? {
            self.push(Token::Field(field.1), field.0);
            return Ok(());
        }
        let token = match word {
            "AND" => Token::And,
            "OR" => Token::Or,
            "NOT" => Token::Not,
            "*" => Token::Star,
            _ => return self.text_word(word),
        };
        self.push(token, word.len());
        Ok(())
    }

    /// A word ends at a space or quote, and at a parenthesis that it has not opened itself: `main()` is a word.
    fn word_length(&self) -> usize {
        let mut open = 0;
        let ends = |(_, letter): &(usize, char)| match letter {
            ')' if open == 0 && self.depth > 0 => true,
            '"' => true,
            letter if letter.is_whitespace() => true,
            letter => {
                open = if *letter == '(' { open + 1 } else { open - usize::from(*letter == ')' && open > 0) };
                false
            }
        };
        self.rest().char_indices().find(ends).map_or(self.rest().len(), |(at, _)| at)
    }

    /// Finds `field:` at the start of a word: its length and its name.
    fn field(&mut self, word: &str) -> Result<Option<(usize, FieldId)>, QueryError> {
        let Some((name, value)) = word.split_once(':') else { return Ok(None) };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphabetic()) || value.starts_with([':', '/']) {
            return Ok(None);
        }
        let Some(field) = self.schema.find(name) else {
            let names = self.schema.names();
            let note = format!("unknown field `{name}:` is searched as text; fields: {}", names.join(", "));
            let meant = nearest(name, names.iter().copied()).map(|near| format!("{near}:{value}"));
            self.note(word, note, meant);
            return Ok(None);
        };
        if !value.is_empty() || self.rest()[word.len()..].starts_with('"') {
            return Ok(Some((name.len() + 1, field)));
        }
        let hint =
            format!("write its value directly behind it, like `{name}:word`, or `\"{name}\"` for the word itself");
        Err(error(self.at, &format!("`{name}:` has no value"), &hint))
    }

    fn text_word(&mut self, word: &str) -> Result<(), QueryError> {
        let length = word.len();
        if let Some(begin) = word.strip_suffix('*')
            && begin.ends_with(char::is_alphanumeric)
        {
            self.note_stars(word, begin);
            self.push(Token::Prefix(begin.to_owned()), length);
            return Ok(());
        }
        if let Some((begin, digits)) = word.rsplit_once('~')
            && begin.ends_with(char::is_alphanumeric)
            && digits.bytes().all(|b| b.is_ascii_digit())
        {
            let typos = if digits.is_empty() { None } else { Some(self.number(digits, 2)?) };
            self.push(Token::Fuzzy(begin.to_owned(), typos.and_then(|typos| u8::try_from(typos).ok())), length);
            return Ok(());
        }
        if word.contains(char::is_alphanumeric) {
            self.note_stars(word, word);
            self.push(Token::Word(word.to_owned()), length);
        } else {
            self.note(word, format!("`{word}` has no letter or digit and is passed over"), None);
            self.at += length;
        }
        Ok(())
    }

    /// Notes stars in a word, without one that ends it.
    fn note_stars(&mut self, word: &str, begin: &str) {
        if begin.contains('*') {
            let note = format!("`*` works only at the end of a word, so `{word}` is searched as text");
            let longest = begin.split('*').max_by_key(|part| part.len()).unwrap_or_default();
            self.note(word, note, longest.contains(char::is_alphanumeric).then(|| longest.to_owned()));
        }
    }

    fn note(&mut self, word: &str, note: String, meant: Option<String>) {
        self.odd.push(Odd { range: self.at..self.at + word.len(), note, meant });
    }
}

pub(super) fn error(at: usize, message: &str, hint: &str) -> QueryError {
    QueryError { message: message.to_owned(), at, hint: hint.to_owned() }
}
