//! The settings of a search in addition to its words.

use std::cmp::Ordering;

/// Tells which value the document at a position has in a field.
pub type ValueOf<'o> = &'o dyn Fn(&str, usize) -> String;

/// The parts of a search in addition to its words.
pub struct Options<'o> {
    /// Which documents may be seen, by their positions in the corpus; all without it. Asked for every entry. A document
    /// that is not accepted counts nowhere: not in results, numbers, weights of words or suggestions.
    pub accepts: Option<&'o dyn Fn(usize) -> bool>,
    /// The value that the document at a position has in a field of [`super::Kind::Asked`]. Asked only for what matches otherwise,
    /// where the query allows that.
    pub value: Option<ValueOf<'o>>,
    /// How many results to pass over.
    pub offset: usize,
    /// How many results to return at most.
    pub max: usize,
    /// The order of the results.
    pub sort: Sort<'o>,
    /// Whether every word may have typos. Words that are nowhere always may.
    pub fuzzy: bool,
    /// Whether scores are explained.
    pub explain: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { accepts: None, value: None, offset: 0, max: 10, sort: Sort::Score, fuzzy: false, explain: false }
    }
}

/// The order of results; where it leaves two equal, that of the corpus.
pub enum Sort<'o> {
    /// The best first.
    Score,
    /// By a comparison of positions in [`super::Corpus::entries`].
    By(&'o dyn Fn(usize, usize) -> Ordering),
}
