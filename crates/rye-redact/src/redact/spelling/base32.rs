//! Base32 of RFC 4648, at every place that a value can have among other bytes.

use super::stretch::stretch;
use super::view::{Draft, View};

/// The shortest Base32 that is decoded, in characters.
const SHORTEST: usize = 20;

/// How many digits make a group.
const GROUP: usize = 8;

const fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'2'..=b'7' => Some(digit - b'2' + 26),
        _ => None,
    }
}

/// Decodes each run of digits from its first eight places. Bytes that do not `count` are passed over.
pub(super) fn decode<'p>(view: &'p View<'p>, counts: impl Fn(&[u8], bool) -> bool, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let mut at = 0;
    while let Some((start, end)) = stretch(bytes, at, SHORTEST, false, |byte| value(byte).is_some()) {
        at = end;
        if view.is_copy(start, end) {
            continue;
        }
        for first in start..start + GROUP {
            let decoded = decoded(&bytes[first..end]);
            if counts(&decoded, false) {
                let mut draft = Draft::default();
                for (number, byte) in decoded.iter().enumerate() {
                    let (from, to) = (number * 8 / 5, (number * 8 + 7) / 5);
                    draft.put(&[*byte], first + from, to - from + 1);
                }
                each(draft.decoded(view, false));
            }
        }
    }
}

fn decoded(digits: &[u8]) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(digits.len() * 5 / 8), 0_u32, 0);
    for value in digits.iter().filter_map(|digit| value(*digit)) {
        bits = bits << 5 | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(bits >> count));
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
