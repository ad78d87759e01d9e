//! Bytes as lists of numbers: `[115, 101]`, `0x73, 0x65`, `115u8, 101u8`, `{"0":115,"1":101}`, and words of several bytes as `od` writes
//! them without offsets. Digits without a prefix are read in each base that has them.

use super::stretch::stretch;
use super::view::{Draft, View};

/// The fewest bytes that are decoded.
const FEWEST: usize = 12;

/// The shortest list of so many bytes, in characters.
const SHORTEST: usize = 30;

/// The most characters between two numbers, and how many with blanks.
const MOST_BETWEEN: usize = 6;
const MOST_BLANKS: usize = 24;

/// The longest number, in digits.
const LONGEST: usize = 20;

/// The longest suffix, such as that of `1usize`.
const LONGEST_SUFFIX: usize = 5;

/// How many bytes a number may stand for.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// The bases in which digits without a prefix are read, and how many digits a number of each has at least.
const BASES: [(u32, usize); 4] = [(10, 1), (8, 2), (2, 7), (16, 4)];

/// A number, and where it is.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: i128,
    start: usize,
    end: usize,
}

/// A number that is not read yet.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// The base that its prefix names.
    radix: Option<u32>,
    is_negative: bool,
    /// Where its digits are.
    digits: (usize, usize),
    /// Where it begins, and where it ends with its suffix.
    start: usize,
    end: usize,
}

impl Item {
    /// Reads it in a base; none if it is not one of that base, or of a prefix, which counts as decimal.
    fn read(self, bytes: &[u8], radix: u32, least: usize) -> Option<Number> {
        let digits = &bytes[self.digits.0..self.digits.1];
        let is_plain = self.radix.is_none() && !self.is_negative && self.end == self.digits.1;
        let is_word = matches!(digits.len(), 4 | 8 | 16);
        let fits = radix == 10 || is_plain && digits.len() >= least && (radix != 16 || is_word);
        let text = std::str::from_utf8(digits).ok().filter(|_| fits)?;
        let value = i128::from_str_radix(text, self.radix.unwrap_or(radix)).ok()?;
        Some(Number { value: if self.is_negative { -value } else { value }, start: self.start, end: self.end })
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn is_between(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | b';' | b':' | b'"' | b'\'' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'-')
}

/// Tells whether a byte may belong to a list: also to a base, a suffix or a hexadecimal digit.
const fn is_part(byte: u8) -> bool {
    is_between(byte)
        || byte.is_ascii_hexdigit()
        || matches!(byte, b'x' | b'X' | b'o' | b'u' | b'U' | b'i' | b'n' | b'L')
}

/// Decodes each list of numbers. Bytes that do not `count` are passed over.
pub(super) fn decode<'p>(view: &'p View<'p>, counts: impl Fn(&[u8], bool) -> bool, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let mut at = 0;
    while let Some((start, end)) = stretch(bytes, at, SHORTEST, false, is_part) {
        at = end;
        let (mut list, mut place, mut last) = (Vec::new(), start, start);
        while place < end {
            place += bytes[place..end].iter().take_while(|byte| is_between(**byte)).count();
            if !list.is_empty() && !is_separator(&bytes[last..place]) {
                give(view, &mut list, &counts, &mut each);
            }
            let Some(item) = item(bytes, start, place, end) else {
                give(view, &mut list, &counts, &mut each);
                place += bytes[place..end].iter().take_while(|byte| !is_between(**byte)).count();
                continue;
            };
            (place, last) = (item.end, item.end);
            if !is_key(&bytes[place..end]) {
                list.push(item);
            }
        }
        give(view, &mut list, &counts, &mut each);
    }
}

fn is_separator(between: &[u8]) -> bool {
    let others = between.iter().filter(|byte| !is_blank(**byte)).count();
    (1..=MOST_BLANKS).contains(&between.len()) && others <= MOST_BETWEEN
}

/// Tells whether the number before is the name of a member or an index.
const fn is_key(behind: &[u8]) -> bool {
    matches!(behind, [b'"' | b'\'', b':', ..])
}

/// Finds a number of any base, with its sign and its suffix.
fn item(bytes: &[u8], start: usize, at: usize, end: usize) -> Option<Item> {
    let run = bytes[at..end].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let text = std::str::from_utf8(&bytes[at..at + run]).ok()?;
    let is_word = matches!(run, 4 | 8 | 16) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (radix, digits) = match text.get(..2) {
        Some("0x" | "0X") => (Some(16), &text[2..]),
        // `0b1f2e3d` is a word of hexadecimal digits.
        Some("0b") if !is_word || text[2..].bytes().all(|byte| matches!(byte, b'0' | b'1')) => (Some(2), &text[2..]),
        Some("0o") => (Some(8), &text[2..]),
        Some(_) | None => (None, text),
    };
    // A word of hexadecimal digits has no suffix.
    let base = radix.unwrap_or(if is_word { 16 } else { 10 });
    let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(base)).count();
    let suffix = &digits[length..];
    let is_suffix = suffix.len() <= LONGEST_SUFFIX && suffix.trim_end_matches(|c: char| c.is_ascii_digit()).len() <= 1;
    if !(1..=LONGEST.max(64)).contains(&length) || !is_suffix {
        return None;
    }
    // A hyphen behind another number is between the two.
    let is_negative =
        at > start && bytes[at - 1] == b'-' && bytes[start..at - 1].last().is_none_or(|byte| is_between(*byte));
    // The prefix of the base does not belong to it, as in hexadecimal.
    let from = at + text.len() - digits.len();
    let start = if is_negative { at - 1 } else { from };
    Some(Item { radix, is_negative, digits: (from, from + length), start, end: at + run })
}

/// Hands on a list in each base that it may have, and begins another one.
fn give<'p>(
    view: &'p View<'p>,
    list: &mut Vec<Item>,
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    let list = std::mem::take(list);
    for (radix, least) in BASES {
        let numbers: Vec<Option<Number>> = list.iter().map(|item| item.read(&view.bytes, radix, least)).collect();
        for part in numbers.split(Option::is_none) {
            give_numbers(view, part.iter().copied().flatten().collect(), counts, each);
        }
    }
}

/// Hands on a list in each width that it may have.
fn give_numbers<'p>(
    view: &'p View<'p>,
    list: Vec<Number>,
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    let is_byte = |number: &Number| fits(number.value, 1);
    for bytes in list.chunk_by(|one, next| is_byte(one) == is_byte(next)).filter(|part| is_byte(&part[0])) {
        give_words(view, bytes, 1, false, counts, each);
    }
    let Some(width) = WIDTHS.into_iter().find(|width| list.iter().all(|number| fits(number.value, *width))) else {
        return;
    };
    if width > 1 {
        give_words(view, &list, width, false, counts, each);
        give_words(view, &list, width, true, counts, each);
    }
}

/// Tells whether a number is one of so many bytes, with or without a sign.
const fn fits(value: i128, width: usize) -> bool {
    let bits = width as u32 * 8;
    -(1 << (bits - 1)) <= value && value < 1 << bits
}

fn give_words<'p>(
    view: &'p View<'p>,
    list: &[Number],
    width: usize,
    is_swapped: bool,
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    if list.len() * width < FEWEST {
        return;
    }
    let bytes: Vec<u8> = list.iter().flat_map(|number| word(number.value, width, is_swapped)).collect();
    if counts(&bytes, false) {
        let mut draft = Draft::default();
        for (number, word) in list.iter().zip(bytes.chunks(width)) {
            draft.put(word, number.start, number.end - number.start);
        }
        each(draft.decoded(view, false));
    }
}

/// Returns the bytes of a number, the last one first if it is swapped.
pub(super) fn word(value: i128, width: usize, is_swapped: bool) -> Vec<u8> {
    let whole = value.to_be_bytes();
    let mut word = whole[whole.len() - width..].to_vec();
    if is_swapped {
        word.reverse();
    }
    word
}
