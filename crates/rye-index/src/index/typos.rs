//! How far two words are apart, in typos: a letter too many, too few, another one, or two that changed places.

use std::sync::LazyLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::Automaton;

/// The most typos that a word may have.
const MOST: u8 = 2;

/// Longer words are not compared.
const MAX_LETTERS: usize = 64;

/// The distance from one word to any other, walked letter by letter: words that cannot come near any more are left out.
pub(super) struct Typos(DFA);

/// How many typos a word may have: short words are too close to each other for any.
pub(super) fn suitable(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

impl Typos {
    /// Prepares the comparison with a word. None if no typo is allowed, or it is too long to be compared.
    pub(super) fn new(word: &str, most: usize) -> Option<Self> {
        static BUILDERS: [LazyLock<LevenshteinAutomatonBuilder>; MOST as usize] = [
            LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true)),
            LazyLock::new(|| LevenshteinAutomatonBuilder::new(MOST, true)),
        ];
        let builder = BUILDERS.get(most.checked_sub(1)?)?;
        let letters = word.chars().count();
        (1..=MAX_LETTERS).contains(&letters).then(|| Self(builder.build_dfa(word)))
    }

    /// Returns the distance to another word, if it is not zero and not more than allowed.
    pub(super) fn distance(&self, other: &str) -> Option<usize> {
        match self.0.eval(other) {
            Distance::Exact(distance) => Some(usize::from(distance)).filter(|distance| *distance > 0),
            Distance::AtLeast(_) => None,
        }
    }
}

impl Automaton for &Typos {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != SINK_STATE
    }

    fn accept(&self, state: &u32, letter: u8) -> u32 {
        self.0.transition(*state, letter)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    /// The distance by its definition, a table of all beginnings of both words.
    fn by_table(one: &[char], other: &[char]) -> usize {
        let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
        for i in 0..=one.len() {
            for j in 0..=other.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let same = usize::from(one[i - 1] != other[j - 1]);
                    let swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
                    let swap = if swapped { table[i - 2][j - 2] + 1 } else { usize::MAX };
                    (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(table[i - 1][j - 1] + same).min(swap)
                };
            }
        }
        table[one.len()][other.len()]
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_its_definition(one in "[abé]{1,12}", other in "[abé]{0,12}") {
            let letters: (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
            let distance = Some(by_table(&letters.0, &letters.1)).filter(|distance| (1..=2).contains(distance));
            let typos = Typos::new(&one, 2).unwrap();
            prop_assert_eq!(typos.distance(&other), distance);
            let walked = other.bytes().try_fold((&typos).start(), |step, letter| {
                (&typos).can_match(&step).then(|| (&typos).accept(&step, letter))
            });
            let arrived = walked.is_some_and(|step| (&typos).is_match(&step));
            prop_assert_eq!(arrived, distance.is_some() || one == other);
        }
    }

    #[test]
    fn short_words_long_words_and_no_typos_are_not_compared() {
        assert!(
            Typos::new("word", 0).is_none() && Typos::new("", 2).is_none() && Typos::new(&"a".repeat(65), 2).is_none()
        );
        assert_eq!(["abc", "form", "registry"].map(suitable), [0, 1, 2]);
        assert_eq!(Typos::new(&"a".repeat(64), 1).and_then(|typos| typos.distance(&"a".repeat(63))), Some(1));
    }
}
