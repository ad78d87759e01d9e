//! The words of a query that matched, to be found again in a text.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::{Stems, split};

/// Words that matched.
#[derive(Clone, Debug, Default)]
pub struct Matched {
    pub(super) words: BTreeSet<String>,
    pub(super) stems: BTreeSet<String>,
    pub(super) prefixes: BTreeSet<String>,
}

impl Matched {
    /// Returns where the text has words that matched: byte ranges in order, none touching another word.
    #[must_use]
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut stems = Stems::default();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for word in split(text) {
            if !self.has(&word.text, &mut stems) {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if word.range.start < last.end => last.end = last.end.max(word.range.end),
                _ => ranges.push(word.range),
            }
        }
        ranges
    }

    fn has(&self, word: &str, stems: &mut Stems) -> bool {
        self.words.contains(word)
            || self.prefixes.iter().any(|prefix| word.starts_with(prefix.as_str()))
            || (self.may_stem_to(word) && self.stems.contains(stems.of(word)))
    }

    /// Tells whether a word may have one of the stems: in English none begins with another letter than its word, unless that
    /// loses its accent. Stemming takes its time.
    fn may_stem_to(&self, word: &str) -> bool {
        !word.starts_with(|first: char| first.is_ascii())
            || self.stems.iter().any(|stem| stem.as_bytes().first() == word.as_bytes().first())
    }
}
