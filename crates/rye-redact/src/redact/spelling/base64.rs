//! Base64 in both alphabets, at every place that a value can have among other bytes.

use super::stretch::stretch;
use super::view::View;

/// The shortest Base64 that is decoded, in characters.
const SHORTEST: usize = 16;

/// Marks a byte that is not a digit.
const NONE: u8 = u8::MAX;

/// The value of each digit.
const VALUES: [u8; 256] = values();

const fn values() -> [u8; 256] {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        values[digits[value as usize] as usize] = value;
        value += 1;
    }
    values[b'-' as usize] = 62;
    values[b'_' as usize] = 63;
    values
}

/// Decodes each run of digits from its first four places: one of these is where a group of four begins. Bytes that do not
/// `count` are passed over.
pub(super) fn decode<'p>(view: &'p View<'p>, counts: impl Fn(&[u8], bool) -> bool, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let is_digit = |byte| VALUES[usize::from(byte)] != NONE;
    let (mut at, mut room) = (0, Vec::new());
    while let Some((start, end)) = stretch(bytes, at, SHORTEST, view.is_open, is_digit) {
        at = end;
        let is_open = view.is_open && end == bytes.len();
        if !is_open && view.is_copy(start, end) {
            continue;
        }
        for first in start..end.min(start + 4) {
            decoded(&bytes[first..end], &mut room);
            if is_open || counts(&room, is_open) {
                each(View::of_base64(view, room.clone(), first, end));
            }
        }
    }
}

fn decoded(digits: &[u8], bytes: &mut Vec<u8>) {
    let value = |digit: &u8| u32::from(VALUES[usize::from(*digit)]);
    bytes.clear();
    let (groups, rest) = digits.as_chunks::<4>();
    for [one, two, three, four] in groups {
        let bits = value(one) << 18 | value(two) << 12 | value(three) << 6 | value(four);
        let [_, whole @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&whole);
    }
    let bits = rest.iter().fold(0, |bits, digit| bits << 6 | value(digit)) << (6 * (4 - rest.len()));
    bytes.extend_from_slice(&bits.to_be_bytes()[1..1 + rest.len() * 6 / 8]);
}
