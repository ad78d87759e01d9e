//! Stretches of bytes of one kind, found without a look at each byte of the others.

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

/// Tells whether decoded bytes are text anywhere, and so may be a value or be decoded again.
pub(super) fn has_text(bytes: &[u8], is_open: bool) -> bool {
    let is_text = |byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    is_open && bytes.is_empty() || stretch(bytes, 0, SHORTEST_TEXT, is_open, is_text).is_some()
}
