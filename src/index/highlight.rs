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
            || (!self.stems.is_empty() && self.stems.contains(stems.of(word)))
    }
}
