//! Hexadecimal of both cases: digits alone, or pairs with spaces, colons, commas, semicolons, hyphens or `0x` between them.

use super::stretch::stretch;
use super::view::{Draft, View};

/// A byte that may be between two digits.
const BETWEEN: u8 = 16;

/// The `x` of `0x`.
const X: u8 = 17;

/// Any other byte.
const OTHER: u8 = 18;

/// The value of each digit, and what other bytes are.
const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let (small, large) = (b"0123456789abcdef", b"0123456789ABCDEF");
    let mut kinds = [OTHER; 256];
    let mut value = 0;
    while value < 16 {
        kinds[small[value as usize] as usize] = value;
        kinds[large[value as usize] as usize] = value;
        value += 1;
    }
    kinds[b' ' as usize] = BETWEEN;
    kinds[b':' as usize] = BETWEEN;
    kinds[b',' as usize] = BETWEEN;
    kinds[b';' as usize] = BETWEEN;
    kinds[b'-' as usize] = BETWEEN;
    kinds[b'x' as usize] = X;
    kinds[b'X' as usize] = X;
    kinds
}

/// The fewest digits that are decoded.
const FEWEST: usize = 24;

/// The most characters between two digits.
const MOST_BETWEEN: usize = 2;

/// Decodes each run of digits from its first and its second one. Bytes that do not `count` are passed over.
pub(super) fn decode<'p>(view: &'p View<'p>, counts: impl Fn(&[u8], bool) -> bool, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let is_part = |byte| KINDS[usize::from(byte)] != OTHER;
    let (mut at, mut digits) = (0, Vec::new());
    while let Some((start, end)) = stretch(bytes, at, FEWEST, view.is_open, is_part) {
        at = end;
        let mut between = 0;
        for place in start..end {
            match KINDS[usize::from(bytes[place])] {
                BETWEEN if between < MOST_BETWEEN => between += 1,
                BETWEEN => {
                    run(view, &digits, false, &counts, &mut each);
                    digits.clear();
                }
                X if digits.last().is_some_and(|last| last + 1 == place && bytes[*last] == b'0') => {
                    digits.pop();
                }
                X => {
                    run(view, &digits, false, &counts, &mut each);
                    digits.clear();
                }
                _ => {
                    digits.push(place);
                    between = 0;
                }
            }
        }
        run(view, &digits, view.is_open && end == bytes.len(), &counts, &mut each);
        digits.clear();
    }
}

/// Decodes one run of digits.
fn run<'p>(
    view: &'p View<'p>,
    digits: &[usize],
    is_open: bool,
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    let ([first, ..], [.., last]) = (digits, digits) else { return };
    if !is_open && (digits.len() < FEWEST || view.is_copy(*first, last + 1)) {
        return;
    }
    for digits in [digits, &digits[1..]].into_iter().filter(|digits| !digits.is_empty()) {
        let value = |at: usize| KINDS[usize::from(view.bytes[at])];
        let pairs = digits.as_chunks::<2>().0;
        let bytes: Vec<u8> = pairs.iter().map(|[high, low]| value(*high) << 4 | value(*low)).collect();
        if is_open || counts(&bytes, is_open) {
            each(View::of_digits(view, bytes, digits.to_vec(), is_open));
        }
    }
    words(view, digits, counts, each);
}

/// Decodes digits in groups of four as words of two bytes, the last one first.
fn words<'p>(
    view: &'p View<'p>,
    digits: &[usize],
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    // What is before the first word may be a digit, too.
    let runs: Vec<&[usize]> = digits.chunk_by(|one, next| one + 1 == *next).collect();
    let groups: Vec<&[usize; 4]> = runs.iter().flat_map(|run| run[run.len() % 4..].as_chunks::<4>().0).collect();
    if groups.len() * 4 < FEWEST || runs.len() * 2 < groups.len() {
        return;
    }
    let value = |at: usize| KINDS[usize::from(view.bytes[at])];
    let word = |group: &&[usize; 4]| [value(group[2]) << 4 | value(group[3]), value(group[0]) << 4 | value(group[1])];
    if counts(&groups.iter().flat_map(word).collect::<Vec<u8>>(), false) {
        let mut draft = Draft::default();
        groups.iter().for_each(|group| draft.put(&word(group), group[0], 4));
        each(draft.decoded(view, false));
    }
}
