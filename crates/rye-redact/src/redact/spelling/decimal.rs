//! Bytes as decimal numbers: lists such as `[115, 101, 99]` that JSON, and programs that print arrays, write.

use super::stretch::stretch;
use super::view::{Draft, View};

/// The fewest numbers that are decoded.
const FEWEST: usize = 12;

/// The shortest list of so many numbers, in characters.
const SHORTEST: usize = FEWEST * 3 - 1;

/// The most characters between two numbers.
const MOST_BETWEEN: usize = 3;

/// Decodes each list of numbers below 256. Bytes that do not `count` are passed over.
pub(super) fn decode<'p>(view: &'p View<'p>, counts: impl Fn(&[u8], bool) -> bool, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let is_between = |byte: u8| matches!(byte, b',' | b' ' | b';');
    let is_part = |byte: u8| byte.is_ascii_digit() || is_between(byte);
    let mut at = 0;
    while let Some((start, end)) = stretch(bytes, at, SHORTEST, false, is_part) {
        at = end;
        let (mut list, mut place) = (Vec::new(), start);
        while place < end {
            let between = bytes[place..end].iter().take_while(|byte| is_between(**byte)).count();
            let from = place + between;
            let length = bytes[from..end].iter().take_while(|byte| byte.is_ascii_digit()).count();
            place = from + length;
            if between > MOST_BETWEEN || between == 0 && !list.is_empty() {
                give(view, &mut list, &counts, &mut each);
            }
            match number(&bytes[from..place]) {
                Some(byte) => list.push((byte, from, length)),
                None => give(view, &mut list, &counts, &mut each),
            }
        }
        give(view, &mut list, &counts, &mut each);
    }
}

/// Reads a number of at most three digits that is a byte.
fn number(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok().filter(|text| (1..=3).contains(&text.len()))?;
    text.parse().ok()
}

/// Hands on a list that is long enough, and begins another one.
fn give<'p>(
    view: &'p View<'p>,
    list: &mut Vec<(u8, usize, usize)>,
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    let list = std::mem::take(list);
    let bytes: Vec<u8> = list.iter().map(|(byte, ..)| *byte).collect();
    if list.len() < FEWEST || !counts(&bytes, false) {
        return;
    }
    let mut draft = Draft::default();
    for (byte, from, length) in list {
        draft.put(&[byte], from, length);
    }
    each(draft.decoded(view, false));
}
