//! What is not seen between letters: what colours a terminal's text, also as `cat -v` writes it, letters that are struck over, ignorable
//! characters, and the zeros of UTF-16.

use super::ignorable;
use super::view::{Draft, View};

/// Where an escape sequence of a terminal begins.
const ESCAPE: u8 = 0x1b;

/// Goes back over a letter, which the next one strikes over.
const BACKSPACE: u8 = 0x08;

/// One character for `ESC [`, in UTF-8.
const SEQUENCE: [u8; 2] = [0xc2, 0x9b];

/// How `cat -v` and many terminals write `ESC [`.
const CARETS: &[u8] = b"^[[";

/// The longest escape sequence, in bytes: a title or a link has text.
const LONGEST: usize = 4 * 1024;

/// How many bytes are looked at together.
const CHUNK: usize = 64;

/// Which zeros are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zeros {
    /// Each of them.
    All,
    /// Those with another one two bytes further: a zero alone ends a name.
    OfWideText,
}

/// What is found at a place.
enum Noise {
    /// So many bytes that are not seen.
    Of(usize),
    /// The beginning of them, whose rest is still to come.
    Open,
    None,
}

/// Views a text without the characters that are not seen; none if it has none.
pub(super) fn without<'p>(view: &'p View<'p>, zeros: Zeros) -> Option<View<'p>> {
    let bytes = &*view.bytes;
    let is_plain = bytes.is_ascii() && memchr::memmem::find(bytes, CARETS).is_none() && !ends_open(view);
    let next = |from: usize| {
        let rest = bytes.get(from..)?;
        let found = if is_plain { memchr::memchr3(ESCAPE, 0, BACKSPACE, rest) } else { position(rest) };
        found.map(|at| from + at)
    };
    let (mut draft, mut copied, mut undecided, mut is_changed) = (Draft::default(), 0, None, false);
    let mut found = next(0);
    found?;
    while let Some(at) = found {
        match noise(bytes, at, zeros) {
            Noise::Of(length) => {
                let end = if bytes[at] == BACKSPACE { before(bytes, copied, at) } else { at };
                draft.copy(bytes, copied, end);
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

/// Finds the first byte that something unseen may begin with, at most places several bytes at a time.
fn position(bytes: &[u8]) -> Option<usize> {
    let may = |byte: &u8| MAY_BEGIN[usize::from(*byte)];
    let has_any =
        |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | !matches!(byte, 9..=26 | 28..=93 | 95..=127));
    let mut at = 0;
    for chunk in bytes.chunks(CHUNK) {
        if has_any(chunk)
            && let Some(place) = chunk.iter().position(may)
        {
            return Some(at + place);
        }
        at += chunk.len();
    }
    None
}

/// The bytes that something unseen may begin with.
const MAY_BEGIN: [bool; 256] = may_begin();

const fn may_begin() -> [bool; 256] {
    let mut begins = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        begins[byte] = ignorable::may_begin(byte as u8);
        byte += 1;
    }
    begins[ESCAPE as usize] = true;
    begins[0] = true;
    begins[BACKSPACE as usize] = true;
    begins[CARETS[0] as usize] = true;
    begins
}

/// Tells whether more text may make carets of the end of a view.
fn ends_open(view: &View<'_>) -> bool {
    view.is_open && (view.bytes.ends_with(b"^") || view.bytes.ends_with(b"^["))
}

/// Returns where the character before a place begins, but not before `least`.
fn before(bytes: &[u8], least: usize, at: usize) -> usize {
    let start = bytes[least..at].iter().rposition(|byte| byte & 0xc0 != 0x80);
    start.map_or(at, |start| least + start)
}

fn noise(bytes: &[u8], at: usize, zeros: Zeros) -> Noise {
    match &bytes[at..] {
        [0, ..] if zeros == Zeros::All || is_of_wide_text(bytes, at) => Noise::Of(1),
        [BACKSPACE, ..] => Noise::Of(1),
        [ESCAPE, rest @ ..] => sequence(rest, 1),
        [b'^', b'[', rest @ ..] if rest.first().is_none_or(|byte| *byte == b'[') => sequence(rest, 2),
        [b'^'] => Noise::Open,
        [one, two, rest @ ..] if [*one, *two] == SEQUENCE => control(rest, 2),
        rest => ignorable::length(rest).map_or(Noise::None, Noise::Of),
    }
}

/// Tells whether a zero is one of several with a byte between each two.
fn is_of_wide_text(bytes: &[u8], at: usize) -> bool {
    let is_zero = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| *byte == 0);
    let is_pair = |other: Option<usize>, between: Option<usize>| is_zero(other) && !is_zero(between);
    is_pair(at.checked_sub(2), at.checked_sub(1)) || is_pair(Some(at + 2), Some(at + 1))
}

/// Reads an escape sequence behind its first bytes, which are so many.
fn sequence(rest: &[u8], length: usize) -> Noise {
    let near = &rest[..rest.len().min(LONGEST)];
    let end = match near.first() {
        None => return Noise::Open,
        Some(b'[') => return control(&rest[1..], length + 1),
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
    ended(end, near, length)
}

/// Reads a control sequence behind its `ESC [`, up to its last byte.
fn control(rest: &[u8], length: usize) -> Noise {
    let near = &rest[..rest.len().min(LONGEST)];
    ended(near.iter().position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 1), near, length)
}

fn ended(end: Option<usize>, near: &[u8], length: usize) -> Noise {
    match end {
        Some(end) => Noise::Of(length + end),
        None if near.len() < LONGEST => Noise::Open,
        None => Noise::None,
    }
}
