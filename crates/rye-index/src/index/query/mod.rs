//! The query language: what people write, as a tree.
//!
//! ```text
//! query   = any { "OR" any }
//! any     = clause { [ "AND" ] clause }          what stands beside an AND must match
//! clause  = { "NOT" | "-" | "+" } ( "(" query ")" | [ field ":" ] value )
//! value   = word | word "*" | word "~" [ "1" | "2" ] | '"' words '"' [ "~" number ] | "(" query ")"
//! ```
//!
//! Of words in a plain list one must match, and documents that match more of them come first. A field with a value must
//! match. What only looks like syntax (`std::env`, `http://…`, `=>`) is taken as text and told in [`Query::notes`]; a
//! query without a meaning is an error with its place.

mod lexer;
mod node;
mod parser;

pub(super) use node::{Group, Leaf, Node, What};

use std::ops::Range;

use self::lexer::Odd;
use super::error::QueryError;
use super::schema::Schema;
use super::words::normal;

/// Longer queries are refused.
pub(super) const MAX_BYTES: usize = 4096;

/// Queries of more words and signs are refused: each costs a walk through the index, and so many take too long.
const MAX_LEXEMES: usize = 128;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) schema: &'static Schema,
    pub(super) root: Node,
    /// The query as a name, if it has no syntax.
    pub(super) name: Option<String>,
    pub(super) text: String,
    odd: Vec<Odd>,
}

impl Query {
    /// Reads a query for documents of a schema.
    ///
    /// # Errors
    ///
    /// Fails on a query without a meaning: an open quote or parenthesis, an operator or a field with nothing to work
    /// on, an unknown value of a field that has only some, no word at all; and on an implausibly long one.
    pub fn parse(schema: &'static Schema, text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_BYTES {
            return Err(QueryError {
                message: format!("the query is longer than {MAX_BYTES} bytes"),
                at: text.floor_char_boundary(MAX_BYTES),
                hint: "search for a few of its words".to_owned(),
            });
        }
        let (lexemes, odd) = lexer::lexemes(schema, text)?;
        if let Some(first) = lexemes.get(MAX_LEXEMES) {
            let message = format!("the query has more than {MAX_LEXEMES} words and signs");
            return Err(lexer::error(first.range.start, &message, "search for a few of its words"));
        }
        let root = parser::tree(schema, text, &lexemes)?;
        let plain = |lexeme: &lexer::Lexeme| matches!(lexeme.token, lexer::Token::Word(_) | lexer::Token::Phrase(..));
        let name = lexemes.iter().all(plain).then(|| normal(text));
        Ok(Self { schema, root, name, text: text.to_owned(), odd })
    }

    /// Returns the parts that look like syntax and were taken as text, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.odd.iter().map(|odd| odd.note.clone()).collect()
    }

    /// Returns the places of such words, and their probable meaning.
    pub(super) fn odd(&self) -> impl Iterator<Item = (&Range<usize>, Option<&str>)> {
        self.odd.iter().map(|odd| (&odd.range, odd.meant.as_deref()))
    }
}
