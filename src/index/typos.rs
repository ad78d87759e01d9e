//! How far two words are apart, in typos: a letter too many, too few, another one, or two that changed places.
//!
//! The bit-parallel form of the distance (H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit
//! distances", 2003): a few operations for each letter, so that a whole vocabulary can be compared within a query.

use tantivy_fst::Automaton;

/// Longer words, and those with other letters than ASCII ones, are compared with every word instead of walking to the near ones.
const MAX_WALK: usize = 32;

/// A distance that is too far for every purpose.
const FAR: u8 = 100;

/// A word to compare others with.
pub(super) struct Typos {
    letters: Vec<char>,
    /// For each ASCII letter the places where the word has it.
    ascii: [u64; 128],
    most: usize,
}

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
        let letters: Vec<char> = word.chars().collect();
        if most == 0 || letters.is_empty() || letters.len() > 64 {
            return None;
        }
        let mut ascii = [0; 128];
        for (place, letter) in letters.iter().enumerate() {
            if letter.is_ascii() {
                ascii[*letter as usize] |= 1 << place;
            }
        }
        Some(Self { letters, ascii, most })
    }

    /// Returns the distance to another word, if it is not zero and not more than allowed.
    pub(super) fn distance(&self, other: &str) -> Option<usize> {
        let length = if other.is_ascii() { other.len() } else { other.chars().count() };
        if length.abs_diff(self.letters.len()) > self.most {
            return None;
        }
        let distance = self.whole_distance(other);
        (1..=self.most).contains(&distance).then_some(distance)
    }

    /// Tells whether near words can be walked to.
    fn walks(&self) -> bool {
        self.letters.len() <= MAX_WALK && self.letters.iter().all(char::is_ascii)
    }

    fn whole_distance(&self, other: &str) -> usize {
        let last = 1_u64 << (self.letters.len() - 1);
        let (mut up, mut down, mut diagonal, mut before) = (u64::MAX, 0_u64, 0_u64, 0_u64);
        let mut distance = self.letters.len();
        for letter in other.chars() {
            let here = self.places(letter);
            let swapped = ((!diagonal & here) << 1) & before;
            diagonal = ((here & up).wrapping_add(up) ^ up) | here | down | swapped;
            let mut right = down | !(diagonal | up);
            let mut left = diagonal & up;
            distance = distance + usize::from(right & last != 0) - usize::from(left & last != 0);
            right = (right << 1) | 1;
            left <<= 1;
            up = left | !(diagonal | right);
            down = right & diagonal;
            before = here;
        }
        distance
    }

    fn places(&self, letter: char) -> u64 {
        if letter.is_ascii() {
            return self.ascii[letter as usize];
        }
        let places = self.letters.iter().enumerate().filter(|(_, own)| **own == letter);
        places.fold(0, |places, (place, _)| places | 1 << place)
    }
}

/// For each beginning of the word, how far it is from what was read of another.
type Row = [u8; MAX_WALK + 1];

/// A place on the walk through a dictionary.
#[derive(Clone)]
pub(super) struct Step {
    row: Row,
    /// The row before the last letter.
    before: Row,
    /// The last letter.
    letter: u8,
}

/// Walks through a dictionary byte by byte and leaves out what cannot come near any more. Of letters that are not ASCII only
/// the first byte counts: each is a letter that the word does not have.
impl Automaton for &Typos {
    type State = Step;

    fn start(&self) -> Step {
        let mut row = [FAR; MAX_WALK + 1];
        row.iter_mut().zip(0..).for_each(|(distance, place)| *distance = place);
        Step { row, before: [FAR; MAX_WALK + 1], letter: 0 }
    }

    fn is_match(&self, step: &Step) -> bool {
        !self.walks() || usize::from(step.row[self.letters.len()]) <= self.most
    }

    fn can_match(&self, step: &Step) -> bool {
        let within = |row: &Row, most: usize| row[..=self.letters.len()].iter().any(|far| usize::from(*far) <= most);
        !self.walks() || within(&step.row, self.most) || within(&step.before, self.most - 1)
    }

    fn accept(&self, step: &Step, letter: u8) -> Step {
        if !self.walks() || letter & 0xc0 == 0x80 {
            return step.clone();
        }
        let mut row = [FAR; MAX_WALK + 1];
        row[0] = step.row[0] + 1;
        let mut own_before = 0;
        for (place, own) in (1..).zip(&self.letters) {
            let own = *own as u8;
            let mut far = step.row[place - 1] + u8::from(own != letter);
            far = far.min(step.row[place] + 1).min(row[place - 1] + 1);
            if place > 1 && own == step.letter && own_before == letter {
                far = far.min(step.before[place - 2] + 1);
            }
            row[place] = far.min(FAR);
            own_before = own;
        }
        row[0] = row[0].min(FAR);
        Step { row, before: step.row, letter }
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
            prop_assert!(arrived == (distance.is_some() || one == other) || !typos.walks());
            prop_assert!(arrived || distance.is_none());
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
