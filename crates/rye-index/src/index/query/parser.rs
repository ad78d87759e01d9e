//! Lexemes as a tree: `NOT` binds closest, then plain lists, then `OR`.

use std::ops::Range;

use super::super::error::QueryError;
use super::super::schema::{FieldId, Kind, Schema};
use super::super::words::{normal, split};
use super::lexer::{Lexeme, Token, error};
use super::node::{Group, Leaf, Node, What};

/// Deeper parentheses are refused.
const MAX_DEPTH: usize = 32;

/// Longer phrases are refused: near each other, each word is compared with every other.
const MAX_PHRASE: usize = 64;

/// Builds the tree of a whole query.
///
/// # Errors
///
/// Fails as [`super::Query::parse`] says.
pub(super) fn tree(schema: &Schema, text: &str, lexemes: &[Lexeme]) -> Result<Node, QueryError> {
    let mut parser = Parser { schema, text, lexemes, at: 0, depth: 0, field: None };
    let node = parser.alternatives()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(error(parser.place(), "a parenthesis is closed that is not open", "leave it out, or quote it")),
    }
}

struct Parser<'q> {
    schema: &'q Schema,
    text: &'q str,
    lexemes: &'q [Lexeme],
    at: usize,
    depth: usize,
    /// The field that a parenthesis is in: `title:(a b)`.
    field: Option<FieldId>,
}

/// How a clause counts in its group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Must,
    Not,
}

impl<'q> Parser<'q> {
    fn peek(&self) -> Option<&'q Token> {
        self.lexemes.get(self.at).map(|lexeme| &lexeme.token)
    }

    fn take(&mut self, token: &Token) -> bool {
        let taken = self.peek() == Some(token);
        self.at += usize::from(taken);
        taken
    }

    /// The parser's place in the query, in bytes.
    fn place(&self) -> usize {
        self.lexemes.get(self.at).map_or(self.text.len(), |lexeme| lexeme.range.start)
    }

    fn alternatives(&mut self) -> Result<Node, QueryError> {
        let mut nodes = vec![self.group()?];
        while self.take(&Token::Or) {
            nodes.push(self.group()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Or(nodes) })
    }

    fn group(&mut self) -> Result<Node, QueryError> {
        let mut group = Group::default();
        let mut beside_and = false;
        loop {
            let (sign, node) = self.clause()?;
            let before_and = self.take(&Token::And);
            let required = beside_and || before_and || sign == Sign::Must;
            group.optional |= required && sign != Sign::Not;
            match sign {
                Sign::Not => group.not.push(node),
                _ if required || is_filter(&node) => group.must.push(node),
                _ => group.should.push(node),
            }
            beside_and = before_and;
            if !before_and && matches!(self.peek(), None | Some(Token::Or | Token::Close)) {
                return Ok(simplest(group));
            }
        }
    }

    fn clause(&mut self) -> Result<(Sign, Node), QueryError> {
        let mut sign = Sign::None;
        loop {
            sign = match self.peek() {
                Some(Token::Not | Token::Minus) if sign == Sign::Not => Sign::None,
                Some(Token::Not | Token::Minus) => Sign::Not,
                Some(Token::Plus) if sign != Sign::Not => Sign::Must,
                Some(Token::Plus) => Sign::Not,
                _ => return Ok((sign, self.value()?)),
            };
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Node, QueryError> {
        let Some(lexeme) = self.lexemes.get(self.at) else { return Err(self.nothing()) };
        let range = lexeme.range.clone();
        match &lexeme.token {
            Token::Open => self.parenthesis(),
            Token::Field(field) => {
                self.at += 1;
                let outer = self.field.replace(*field);
                let node = self.value();
                self.field = outer;
                node
            }
            Token::And | Token::Or | Token::Close => Err(self.nothing()),
            token => {
                self.at += 1;
                self.leaf(token, range)
            }
        }
    }

    fn parenthesis(&mut self) -> Result<Node, QueryError> {
        let place = self.place();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(error(place, "parentheses are nested too deeply", "search for one part at a time"));
        }
        self.at += 1;
        let node = self.alternatives()?;
        self.depth -= 1;
        if self.take(&Token::Close) {
            return Ok(node);
        }
        Err(error(place, "a parenthesis is opened and not closed", "close it with `)`, or put the text into quotes"))
    }

    fn leaf(&mut self, token: &Token, range: Range<usize>) -> Result<Node, QueryError> {
        if let Some(field) = self.field
            && let Some(what) = self.whole_value(field, token, &range)?
        {
            return Ok(Node::Leaf(Leaf { fields: vec![field], is_anywhere: false, what, range }));
        }
        let what = match token {
            Token::Star if self.field.is_none() => return Ok(Node::Everything),
            Token::Word(word) => What::Word(word.clone()),
            Token::Fuzzy(word, typos) => What::Fuzzy(word.clone(), *typos),
            Token::Prefix(word) => What::Prefix(word.clone()),
            Token::Phrase(text, distance) => self.phrase(text, *distance, &range)?,
            _ => return Err(self.nothing()),
        };
        let fields = self.field.map_or_else(|| self.schema.texts(), |field| vec![field]);
        Ok(Node::Leaf(Leaf { fields, is_anywhere: self.field.is_none(), what, range }))
    }

    fn phrase(&self, text: &str, distance: Option<u32>, range: &Range<usize>) -> Result<What, QueryError> {
        let parts: Vec<String> = split(text).into_iter().filter(|word| !word.whole).map(|word| word.text).collect();
        if parts.is_empty() {
            return Err(error(range.start, "expected a word between the quotes", "put a word between them"));
        }
        if parts.len() > MAX_PHRASE {
            let message = format!("there are more than {MAX_PHRASE} words between the quotes");
            return Err(error(range.start, &message, "a few of them will do"));
        }
        Ok(What::Phrase(parts, distance))
    }

    /// Reads the value of a field that is compared as a whole; none of a field of text.
    fn whole_value(&self, field: FieldId, token: &Token, range: &Range<usize>) -> Result<Option<What>, QueryError> {
        let name = self.schema.name(field);
        let (known, is_asked) = match self.schema.kind(field) {
            Some(Kind::Value(known)) => (known, false),
            Some(Kind::Asked(known)) => (known, true),
            Some(Kind::Text(_)) | None => return Ok(None),
        };
        let (Token::Word(text) | Token::Phrase(text, None)) = token else {
            let hint = format!("write one value, like `{name}:{}`", known.first().unwrap_or(&"VALUE"));
            return Err(error(range.start, &format!("`{name}:` is compared as a whole"), &hint));
        };
        let mut value = text.to_lowercase();
        if !known.is_empty() {
            value = value.replace('-', "_");
            if !known.contains(&value.as_str()) {
                let hint = format!("use one of {}", known.join(", "));
                return Err(error(range.start, &format!("`{text}` is not a value of `{name}:`"), &hint));
            }
        }
        Ok(Some(if is_asked { What::Asked(field, value) } else { What::Value(value) }))
    }

    fn nothing(&self) -> QueryError {
        let place = self.place();
        if normal(self.text).is_empty() && self.lexemes.is_empty() {
            return error(place, "the query has no word to look for", "write a word, or `*` for everything");
        }
        let before = self.at.checked_sub(1).map(|before| &self.text[self.lexemes[before].range.clone()]);
        match (before, self.lexemes.get(self.at)) {
            (Some(before), None) => error(
                place,
                &format!("nothing follows `{before}`"),
                "write a word behind it, or put it into quotes to search for it",
            ),
            (_, Some(lexeme)) => {
                let word = &self.text[lexeme.range.clone()];
                let hint = "write a word before it, or put it into quotes to search for it";
                error(place, &format!("`{word}` has nothing before it"), hint)
            }
            (None, None) => error(place, "the query is empty", "write a word, or `*` for everything"),
        }
    }
}

/// Tells whether a clause narrows by a field instead of being a word among others.
fn is_filter(node: &Node) -> bool {
    match node {
        Node::Everything => true,
        Node::Leaf(leaf) => !leaf.is_anywhere,
        Node::Or(nodes) => nodes.iter().all(is_filter),
        Node::Group(group) => group.must.iter().chain(&group.should).all(is_filter),
    }
}

fn simplest(mut group: Group) -> Node {
    if group.not.is_empty() && group.must.len() + group.should.len() == 1 {
        return group.must.pop().or(group.should.pop()).unwrap_or(Node::Everything);
    }
    Node::Group(group)
}
