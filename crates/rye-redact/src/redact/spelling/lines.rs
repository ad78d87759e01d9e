//! Line breaks within a value: those of Base64 in lines of 76, and of any text that is wrapped.

use super::view::{Draft, View};

/// Tells whether a byte ends a line.
pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Tells whether a byte is part of a line break and of the indentation behind it.
const fn is_space(byte: u8) -> bool {
    is_break(byte) || matches!(byte, b' ' | b'\t')
}

/// Returns how many bytes at the beginning are line breaks and indentation.
pub(super) fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_space(**byte)).count()
}

/// Views a text without its line breaks and the indentation behind them; none if it is one line.
pub(super) fn joined<'p>(view: &'p View<'p>) -> Option<View<'p>> {
    without(view, |bytes, at| (at, at + spaces(&bytes[at..])))
}

/// Views a text without its line breaks, of which some have a backslash before them, and without these; none if none has one.
pub(super) fn continued<'p>(view: &'p View<'p>) -> Option<View<'p>> {
    view.bytes.windows(2).position(|pair| pair[0] == b'\\' && is_break(pair[1]))?;
    without(view, |bytes, at| {
        let is_continued = at > 0 && bytes[at - 1] == b'\\';
        (if is_continued { at - 1 } else { at }, at + escaped_spaces(&bytes[at..]))
    })
}

/// Returns how many bytes at the beginning are line breaks and indentation, with or without a backslash before each.
fn escaped_spaces(bytes: &[u8]) -> usize {
    let mut length = 0;
    loop {
        match bytes[length..] {
            [byte, ..] if is_space(byte) => length += 1,
            [b'\\', byte, ..] if is_space(byte) => length += 2,
            _ => return length,
        }
    }
}

/// Leaves out what `part` says of each line break.
fn without<'p>(view: &'p View<'p>, part: impl Fn(&[u8], usize) -> (usize, usize)) -> Option<View<'p>> {
    let bytes = &*view.bytes;
    let mut next = memchr::memchr2(b'\n', b'\r', bytes)?;
    let (mut draft, mut copied) = (Draft::default(), 0);
    loop {
        let (end, rest) = part(bytes, next);
        draft.copy(bytes, copied, end);
        copied = rest;
        match memchr::memchr2(b'\n', b'\r', &bytes[copied..]) {
            Some(more) => next = copied + more,
            None => break,
        }
    }
    draft.copy(bytes, copied, bytes.len());
    Some(draft.instead_of(view))
}
