//! The words of a query that matched, to be found again in a text.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::{Stems, split_runs};

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
        let begins = self.begins();
        // Most words of a text are plain, and begin otherwise than all that matched: they need no further look.
        let is_other =
            |run: &str| run.bytes().all(|byte| byte.is_ascii_lowercase()) && !begins.contains(&run.as_bytes()[0]);
        for word in split_runs(text, |run| !is_other(run)) {
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

    /// Returns the bytes that what matched begins with.
    fn begins(&self) -> BTreeSet<u8> {
        let matched = self.words.iter().chain(&self.stems).chain(&self.prefixes);
        matched.filter_map(|text| text.bytes().next()).collect()
    }

    fn has(&self, word: &str, stems: &mut Stems) -> bool {
        self.words.contains(word)
            || self.prefixes.iter().any(|prefix| word.starts_with(prefix.as_str()))
            || (self.stems.iter().any(|stem| may_stem_to(word, stem)) && self.stems.contains(stems.of(word)))
    }
}

/// Tells whether a word may have a stem: stemming takes its time. A stem differs from the beginning of its word in two letters
/// at most, at its end (`dying`, `die`; `ability`, `able`), unless the word has accents to lose.
fn may_stem_to(word: &str, stem: &str) -> bool {
    !word.is_ascii() || word.as_bytes().starts_with(&stem.as_bytes()[..stem.len().saturating_sub(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: [&str; 8] = ["a", "b", "e", "i", "l", "t", "y", "s"];

    /// What the English stemmer takes off, replaces, or looks at.
    const ENDINGS: &str = "s es ed ing ingly edly ly li ies ied eed eedly y e l er or ation ational tional enci anci abli \
        entli izer ization ator alism aliti alli al fulness ousli ousness iveness iviti biliti bility bli ogi logi logist \
        fulli lessli alize icate iciti ical ful ness ative ance ence ic able ible ant ement ment ent ism ate iti ous ive \
        ize sion tion ion ll ss us 's s' 's'";

    /// Words with rules of their own.
    const EXCEPTIONS: &str = "skis skies sky dying lying tying idly gently ugly early only singly news howe atlas cosmos \
        bias andes inning outing canning herring earring evening proceed exceed succeed generous communal arsenal past";

    #[test]
    fn no_word_of_a_stem_is_passed_over() {
        let mut stems = Stems::default();
        let mut roots = vec![String::new()];
        for start in 0..3 {
            let longest: Vec<String> = roots.iter().filter(|root| root.len() == start).cloned().collect();
            roots.extend(longest.iter().flat_map(|root| LETTERS.map(|letter| format!("{root}{letter}"))));
        }
        let endings: Vec<&str> = ENDINGS.split_whitespace().chain([""]).collect();
        let made = roots.iter().flat_map(|root| endings.iter().map(move |ending| format!("{root}{ending}")));
        let mut changed = 0;
        for word in made.chain(EXCEPTIONS.split_whitespace().map(str::to_owned)).filter(|word| !word.is_empty()) {
            let stem = stems.of(&word);
            changed += usize::from(!word.starts_with(stem));
            assert!(may_stem_to(&word, stem), "`{word}` has the stem `{stem}`");
        }
        assert!(changed > 1000, "{changed}");
        assert!(may_stem_to("déployer", "deploy") && !may_stem_to("design", "deploy"));
    }
}
