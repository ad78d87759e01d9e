//! Stretches of bytes of one kind, found without a look at each byte of the others.

use super::ignorable;

/// The shortest text in decoded bytes that is looked at, in bytes.
const SHORTEST_TEXT: usize = 12;

/// Finds the next stretch of at least so many bytes of a kind; at the end of a text that is open, also a shorter one.
pub(super) fn stretch(
    bytes: &[u8],
    from: usize,
    least: usize,
    is_open: bool,
    is: impl Fn(u8) -> bool,
) -> Option<(usize, usize)> {
    let mut start = from;
    while let Some(window) = bytes.get(start..start + least) {
        // No stretch of this length begins before its last byte of another kind.
        match window.iter().rposition(|byte| !is(*byte)) {
            Some(other) => start += other + 1,
            None => {
                let more = bytes[start + least..].iter().take_while(|byte| is(**byte)).count();
                return Some((start, start + least + more));
            }
        }
    }
    let rest = bytes.get(start..).filter(|_| is_open)?;
    let length = rest.iter().rev().take_while(|byte| is(**byte)).count();
    (length > 0).then(|| (bytes.len() - length, bytes.len()))
}

/// The shortest text between characters that are not seen that is looked at, in bytes.
const SHORTEST_HIDDEN: usize = 2 * SHORTEST_TEXT - 1;

const fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')
}

/// Tells whether decoded bytes are text anywhere with what is not seen between its characters: the zeros of UTF-16, escape sequences of
/// terminals, and ignorable characters.
pub(super) fn has_hidden_text(bytes: &[u8]) -> bool {
    let is_part =
        |byte| matches!(byte, 0 | 0x07 | 0x08 | 0x1b | 0x80..=0xbf) || ignorable::may_begin(byte) || is_text(byte);
    let is_hidden = |byte: &u8| matches!(byte, 0 | 0x08 | 0x1b) || ignorable::may_begin(*byte);
    bytes.len() >= SHORTEST_HIDDEN
        && bytes.iter().any(is_hidden)
        && stretch(bytes, 0, SHORTEST_HIDDEN, false, is_part).is_some()
}

/// Tells whether decoded bytes are text anywhere, and so may be a value or be decoded again.
pub(super) fn has_text(bytes: &[u8], is_open: bool) -> bool {
    is_open && bytes.is_empty() || stretch(bytes, 0, SHORTEST_TEXT, is_open, is_text).is_some()
}
