//! A query as a tree.

use super::super::schema::FieldId;

/// A part of a query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::index) enum Node {
    /// Every document.
    Everything,
    /// Any of these.
    Or(Vec<Self>),
    /// A list of clauses.
    Group(Group),
    /// One word, phrase or value.
    Leaf(Leaf),
}

/// A list of clauses.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::index) struct Group {
    /// These match, and count.
    pub must: Vec<Node>,
    /// Of these one matches, unless `optional`; more count more.
    pub should: Vec<Node>,
    /// None of these matches.
    pub not: Vec<Node>,
    /// A word is required by an operator, so that others need not match.
    pub optional: bool,
}

/// One thing to look for, and where.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::index) struct Leaf {
    pub fields: Vec<FieldId>,
    /// Whether no field was asked for: the fields are all that have text.
    pub is_anywhere: bool,
    pub what: What,
    /// Its place in the query, in bytes.
    pub range: std::ops::Range<usize>,
}

/// What to look for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::index) enum What {
    /// A word in any of its forms.
    Word(String),
    /// A word with so many typos at most, or as many as suit its length.
    Fuzzy(String, Option<u8>),
    /// Words that begin so.
    Prefix(String),
    /// Words as they are, one after the other; or in any order with at most so many others between them.
    Phrase(Vec<String>, Option<u32>),
    /// A value that a field has as a whole.
    Value(String),
    /// A value of a field that only the caller knows.
    Asked(FieldId, String),
}

impl Node {
    /// Tells whether the caller must be asked to judge it.
    pub(in crate::index) fn asks(&self) -> bool {
        match self {
            Self::Everything => false,
            Self::Or(nodes) => nodes.iter().any(Self::asks),
            Self::Group(Group { must, should, not, .. }) => must.iter().chain(should).chain(not).any(Self::asks),
            Self::Leaf(leaf) => matches!(leaf.what, What::Asked(..)),
        }
    }
}
