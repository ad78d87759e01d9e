//! Characters that are not seen: what colours a terminal's text, zero-width characters, and the zeros of UTF-16.

use super::view::{Draft, View};

/// Where an escape sequence of a terminal begins.
const ESCAPE: u8 = 0x1b;

/// The first byte of zero-width characters and of marks of direction.
const GENERAL_PUNCTUATION: u8 = 0xe2;

/// The longest escape sequence, in bytes: a title or a link has text.
const LONGEST: usize = 4 * 1024;

/// What is found at a place.
enum Noise {
    /// So many bytes that are not seen.
    Of(usize),
    /// The beginning of them, whose rest is still to come.
    Open,
    None,
}

/// Views a text without the characters that are not seen; none if it has none.
pub(super) fn without<'p>(view: &'p View<'p>) -> Option<View<'p>> {
    let bytes = &*view.bytes;
    let next = |from: usize| memchr::memchr3(ESCAPE, 0, GENERAL_PUNCTUATION, bytes.get(from..)?).map(|at| from + at);
    let (mut draft, mut copied, mut undecided, mut is_changed) = (Draft::default(), 0, None, false);
    let mut found = next(0);
    found?;
    while let Some(at) = found {
        match noise(&bytes[at..]) {
            Noise::Of(length) => {
                draft.copy(bytes, copied, at);
                (copied, is_changed) = (at + length, true);
                found = next(copied);
            }
            Noise::Open if view.is_open => {
                undecided = Some(at);
                break;
            }
            Noise::Open | Noise::None => found = next(at + 1),
        }
    }
    draft.copy(bytes, copied, undecided.unwrap_or(bytes.len()));
    (is_changed || undecided.is_some()).then(|| draft.after(view, undecided))
}

fn noise(bytes: &[u8]) -> Noise {
    match bytes {
        [0, ..] => Noise::Of(1),
        [ESCAPE, rest @ ..] => sequence(rest),
        [GENERAL_PUNCTUATION, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..] | [GENERAL_PUNCTUATION, 0x81, 0xa0..=0xa4, ..] => {
            Noise::Of(3)
        }
        _ => Noise::None,
    }
}

/// Reads an escape sequence behind its first byte.
fn sequence(rest: &[u8]) -> Noise {
    let near = &rest[..rest.len().min(LONGEST)];
    let end = match near.first() {
        None => return Noise::Open,
        Some(b'[') => near[1..].iter().position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 2),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let end = |(at, byte): (usize, &u8)| match byte {
                0x07 => Some(at + 1),
                b'\\' if at > 0 && near[at - 1] == ESCAPE => Some(at + 1),
                _ => None,
            };
            near.iter().enumerate().find_map(end)
        }
        Some(_) => near.iter().position(|byte| (0x30..=0x7e).contains(byte)).map(|at| at + 1),
    };
    match end {
        Some(end) => Noise::Of(1 + end),
        None if near.len() < LONGEST => Noise::Open,
        None => Noise::None,
    }
}
