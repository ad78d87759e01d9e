//! Dumps: lines of an offset and bytes, as `xxd`, `hexdump` and `od` write them, in any of their forms.
//!
//! A byte's place is its whole line: that may have the bytes as text, too.

use super::numbers::word;
use super::view::{Draft, View};

/// The fewest bytes that are looked at.
const FEWEST: usize = 12;

/// The most bytes of a line.
const MOST: usize = 64;

/// How many digits an offset has.
const OFFSET: std::ops::RangeInclusive<usize> = 4..=16;

/// The most characters before an offset: what quotes a line.
const MOST_BEFORE: usize = 8;

/// How wide a character of `od -c` is.
const CELL: usize = 4;

/// How the bytes of a line are written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// Digits of this base, as many as a number of bytes has, in either order.
    Digits { radix: u32, is_swapped: bool },
    /// Decimal numbers of so many bytes each, in either order, with or without a sign.
    Decimal { width: usize, is_swapped: bool },
    /// Characters and escapes, in cells.
    Characters,
}

const FORMS: [Form; 13] = [
    Form::Digits { radix: 16, is_swapped: false },
    Form::Digits { radix: 16, is_swapped: true },
    Form::Digits { radix: 8, is_swapped: false },
    Form::Digits { radix: 8, is_swapped: true },
    Form::Digits { radix: 2, is_swapped: false },
    Form::Decimal { width: 1, is_swapped: true },
    Form::Decimal { width: 2, is_swapped: true },
    Form::Decimal { width: 2, is_swapped: false },
    Form::Decimal { width: 4, is_swapped: true },
    Form::Decimal { width: 4, is_swapped: false },
    Form::Decimal { width: 8, is_swapped: true },
    Form::Decimal { width: 8, is_swapped: false },
    Form::Characters,
];

/// The most spaces between two words, where no text is behind them.
const MOST_SPACES: usize = 24;

/// The fewest spaces before a line that shows the bytes of the row before it in another form.
const FEWEST_BEFORE: usize = 6;

/// The names of characters in `od -a`.
const NAMES: [(&[u8], u8); 4] = [(b"sp", b' '), (b"nl", b'\n'), (b"ht", b'\t'), (b"cr", b'\r')];

/// A line with an offset.
#[derive(Debug, Clone, Copy)]
struct Row<'t> {
    start: usize,
    end: usize,
    /// What is behind the offset.
    rest: &'t [u8],
    /// Whether a colon ends the offset, as in those dumps that have text behind two spaces.
    has_colon: bool,
}

/// Decodes each block of lines in each form. Bytes that do not `count` are passed over.
pub(super) fn decode<'p>(view: &'p View<'p>, counts: impl Fn(&[u8], bool) -> bool, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let (mut block, mut start): (Vec<Row<'_>>, usize) = (Vec::new(), 0);
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |end| start + end);
        match row(bytes, start, end) {
            Some(row) => block.push(row),
            None if block.is_empty() => {}
            // The same bytes in another form, as `od -t x1c` writes them.
            None if bytes[start..end].iter().take_while(|byte| **byte == b' ').count() >= FEWEST_BEFORE => {
                block.last_mut().into_iter().for_each(|row| row.end = end);
            }
            None => give(view, std::mem::take(&mut block), &counts, &mut each),
        }
        start = end + 1;
    }
    give(view, block, &counts, &mut each);
}

/// Reads the offset of a line.
fn row(bytes: &[u8], start: usize, end: usize) -> Option<Row<'_>> {
    let line = bytes[start..end].trim_ascii_end();
    let mut at = line.iter().take(MOST_BEFORE).position(u8::is_ascii_alphanumeric)?;
    let number = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    // A number of the line, as `grep -n` writes it.
    let is_numbered = number > 0
        && matches!(line.get(at + number), Some(b':' | b'-' | b'\t' | b'|'))
        && line.get(at + number + 1).is_some_and(u8::is_ascii_hexdigit);
    at += if is_numbered { number + 1 } else { 0 };
    let digits = line[at..].iter().take(OFFSET.end() + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let has_colon = line.get(at + digits) == Some(&b':');
    let rest = line.get(at + digits + usize::from(has_colon)..)?;
    let is_row = OFFSET.contains(&digits) && matches!(rest.first(), Some(b' ' | b'\t'));
    is_row.then_some(Row { start: start + at, end: start + line.len(), rest, has_colon })
}

/// Hands on the bytes of a block in each form that its lines have.
fn give<'p>(
    view: &'p View<'p>,
    block: Vec<Row<'_>>,
    counts: &impl Fn(&[u8], bool) -> bool,
    each: &mut impl FnMut(View<'p>),
) {
    let is_at_end = block.last().is_some_and(|last| last.end == view.bytes.len());
    for form in FORMS {
        let (mut draft, mut bytes) = (Draft::default(), Vec::new());
        for row in &block {
            let Some(decoded) = form.decoded(*row) else { continue };
            draft.put(&decoded, row.start, row.end - row.start);
            bytes.extend(decoded);
        }
        if bytes.len() >= FEWEST && counts(&bytes, false) {
            each(draft.decoded(view, is_at_end));
        }
    }
}

impl Form {
    /// Decodes the bytes of a line; none if it does not have this form.
    fn decoded(self, row: Row<'_>) -> Option<Vec<u8>> {
        let bytes = match self {
            Self::Digits { radix, is_swapped } => numbers(row, radix, is_swapped),
            Self::Decimal { width, is_swapped } => decimals(row, width, is_swapped),
            Self::Characters => characters(row.rest),
        };
        bytes.filter(|bytes| (1..=MOST).contains(&bytes.len()))
    }
}

/// Splits a line into words, up to those that are its bytes as text.
fn words(row: Row<'_>) -> impl Iterator<Item = &[u8]> {
    let mut rest = row.rest;
    let mut first = None;
    std::iter::from_fn(move || {
        let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let behind = &rest[spaces..];
        let length = behind.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        // `xxd -e` puts the last word, which is shorter, where a whole one would end.
        let is_at_end = first.is_some_and(|first| length < first && spaces == 1 + first - length);
        let most = if row.has_colon { 1 } else { MOST_SPACES };
        if spaces == 0 || spaces > most && first.is_some() && !is_at_end {
            return None;
        }
        first = first.or(Some(length));
        rest = &behind[length..];
        (length > 0).then_some(&behind[..length])
    })
}

/// Returns how many bytes have so many digits.
const fn size(radix: u32, digits: usize) -> Option<usize> {
    match (radix, digits) {
        (16, 2 | 4 | 6 | 8 | 10 | 12 | 14 | 16) => Some(digits / 2),
        (2, 8 | 16 | 24 | 32 | 40 | 48 | 56 | 64) => Some(digits / 8),
        (8, 3) => Some(1),
        (8, 6) => Some(2),
        (8, 11) => Some(4),
        (8, 22) => Some(8),
        _ => None,
    }
}

/// Reads words of as many digits as the first one has; only the last one is shorter.
fn numbers(row: Row<'_>, radix: u32, is_swapped: bool) -> Option<Vec<u8>> {
    let (mut bytes, mut wanted) = (Vec::new(), None);
    for digits in words(row) {
        let wanted = *wanted.get_or_insert(digits.len());
        let is_word = digits.iter().all(|byte| char::from(*byte).is_digit(radix));
        let Some(size) = size(radix, digits.len()).filter(|_| is_word && digits.len() <= wanted) else { break };
        let value = u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
        if size < 8 && value >> (size * 8) != 0 {
            return None;
        }
        bytes.extend(word(value.into(), size, is_swapped));
        if digits.len() < wanted {
            break;
        }
    }
    Some(bytes)
}

/// Reads decimal numbers of so many bytes, up to the bytes as text.
fn decimals(row: Row<'_>, width: usize, is_swapped: bool) -> Option<Vec<u8>> {
    let bits = width as u32 * 8;
    let number = |digits: &[u8]| {
        let value: i128 = std::str::from_utf8(digits).ok().filter(|digits| digits.len() <= 20)?.parse().ok()?;
        (-(1 << (bits - 1)) <= value && value < 1 << bits).then(|| word(value, width, is_swapped))
    };
    Some(words(row).map_while(number).flatten().collect())
}

/// Reads cells of a character or of its escape.
fn characters(rest: &[u8]) -> Option<Vec<u8>> {
    rest.chunks(CELL).map(cell).collect()
}

fn cell(cell: &[u8]) -> Option<u8> {
    if cell.len() < CELL {
        return None;
    }
    match cell.trim_ascii_start() {
        [] => Some(b' '),
        [byte] => Some(*byte),
        [b'\\', b'n'] => Some(b'\n'),
        [b'\\', b'r'] => Some(b'\r'),
        [b'\\', b't'] => Some(b'\t'),
        [b'\\', b'0'] => Some(0),
        [one, two] => NAMES.iter().find(|(name, _)| **name == [*one, *two]).map(|(_, byte)| *byte),
        digits => u8::from_str_radix(std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 3)?, 8).ok(),
    }
}
