//! Private keys: armoured blocks, PuTTY's files, and the Base64 of OpenSSH and of DER without its armour, in lines that may have something
//! before them.

use super::alphabet::{Alphabet, is_mixed, is_stand_in};
use super::der;

/// A word that every armour of a private key has.
pub(super) const WORD: &str = "PRIVATE";

/// What the mark of a private key says.
pub(super) const KIND: &str = "private key";

/// The longest block that is looked at, in bytes.
const LONGEST: usize = 64 * 1024;

/// Behind its first line, a block has a line of Base64 within so many bytes; other text only speaks of keys.
const HEADERS: usize = 512;

/// The same, for a block in short lines.
const FOLDED: usize = 8 * 1024;

/// The shortest run of Base64 that is part of a key, in bytes.
const SHORTEST_RUN: usize = 32;

/// The most characters between two lines of a key.
const MOST_BETWEEN: usize = 16;

/// The longest number before a line, with its blanks.
const LONGEST_MARK: usize = 16;

/// How a private key is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum KeyForm {
    /// Between `-----BEGIN … PRIVATE KEY-----` and its end.
    Armoured,
    /// Behind `Private-Lines:`.
    Putty,
    /// Base64 of OpenSSH's form.
    OpenSsh,
    /// Base64 of DER.
    Der,
}

/// How each form begins.
pub(super) const KEYS: &[(&str, KeyForm)] = &[
    ("-----BEGIN ", KeyForm::Armoured),
    // As forms send it.
    ("-----BEGIN+", KeyForm::Armoured),
    ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", KeyForm::Putty),
    ("Private-Lines:", KeyForm::Putty),
    ("b3BlbnNzaC1rZXktdjE", KeyForm::OpenSsh),
    // The version and the tag behind it, wherever the length before them ends.
    ("IBAAJ", KeyForm::Der),
    ("IBAAKB", KeyForm::Der),
    ("IBAAKC", KeyForm::Der),
    ("IBADA", KeyForm::Der),
    ("AgEAMB", KeyForm::Der),
    ("CAQAwBQ", KeyForm::Der),
    ("CAQEwBQ", KeyForm::Der),
    ("CAQEEI", KeyForm::Der),
    ("AgEBBDA", KeyForm::Der),
    ("AgEBBEI", KeyForm::Der),
    // A cipher, for a key with a passphrase.
    ("BgkqhkiG9w0BBQ0", KeyForm::Der),
    ("CSqGSIb3DQEFDT", KeyForm::Der),
];

/// The most digits of a key in DER before what tells it.
const MOST_BEFORE: usize = 12;

/// The fewest digits of a key without its armour.
const FEWEST_DIGITS: usize = 64;

/// Finds the key that begins with the word from `start` to `end`.
pub(super) fn find(form: KeyForm, text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = &text.as_bytes()[..text.len().min(start.saturating_add(LONGEST))];
    match form {
        KeyForm::Armoured => armoured(bytes, start, end),
        KeyForm::Putty => has_key(&bytes[end..]).then(|| (start, body(bytes, end).unwrap_or(end))),
        KeyForm::OpenSsh => bare(bytes, start),
        KeyForm::Der => {
            let starts = (start.saturating_sub(MOST_BEFORE)..start).filter(|at| bytes[*at] == b'M');
            starts.into_iter().find(|at| der::begins(&bytes[*at..])).and_then(|at| bare(bytes, at))
        }
    }
}

/// Finds the end of a key without its armour.
fn bare(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let end = body(bytes, start)?;
    (end - start >= FEWEST_DIGITS).then_some((start, end))
}

fn armoured(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let label =
        bytes[end..].iter().take(60).take_while(|byte| byte.is_ascii_uppercase() || b" +0123456789".contains(byte));
    let label_end = end + label.count();
    let label = &bytes[end..label_end];
    let is_private = [&b"PRIVATE KEY"[..], b"PRIVATE+KEY"].iter().any(|word| find_bytes(label, word).is_some());
    let first = label_end + 5;
    if !is_private || bytes.get(label_end..first)? != b"-----" || !has_key(&bytes[first..]) {
        return None;
    }
    let last = find_bytes(&bytes[first..], b"-----END").map(|at| first + at + b"-----END".len());
    let closed = last.and_then(|last| Some(last + find_bytes(&bytes[last..bytes.len().min(last + 64)], b"-----")? + 5));
    // One that was cut off goes on as long as it looks like one.
    let open = || body(bytes, first).into_iter().chain(folded(&bytes[first..]).map(|end| first + end)).max();
    Some((start, closed.or_else(open).unwrap_or(first)))
}

/// Tells whether a key follows: a run of Base64 that is long enough, on one line or on several, before any other armour.
fn has_key(bytes: &[u8]) -> bool {
    folded(bytes).is_some() || has_line(bytes)
}

/// Returns where the Base64 of a key ends that is in lines of any width, each of which may have a mark before it and behind it. The marks of
/// all lines are alike, but for their numbers, and the lines equally long, but for the last.
fn folded(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(FOLDED)];
    let near = &near[..find_bytes(near, b"-----").unwrap_or(near.len())];
    let (mut digits, mut end): (Vec<u8>, Option<usize>) = (Vec::new(), None);
    let (mut start, mut kind, mut widths) = (0, Vec::new(), (0, 0));
    for line in near.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let at = start;
        start += line.len() + 1;
        let is_digit = |byte: &u8| Alphabet::Base64.holds(*byte);
        let Some(last) = line.iter().rposition(is_digit) else { continue };
        let first = line[..last].iter().rposition(|byte| !is_digit(byte)).map_or(0, |before| before + 1);
        // Base64 is padded at its end alone.
        let padded = line[first..=last].iter().position(|byte| *byte == b'=').map_or(last + 1, |at| first + at);
        let is_line = first <= LONGEST_MARK
            && line.len() - 1 - last <= MOST_BETWEEN
            && line[padded..=last].iter().all(|byte| *byte == b'=');
        let (mark, width): (Vec<u8>, _) = (without_number(&line[..first]).collect(), last + 1 - first);
        // Only the last line is shorter.
        let goes_on = is_line && mark == kind && widths.0 == widths.1 && width <= widths.0;
        if !goes_on {
            if end.is_some() {
                break;
            }
            digits.clear();
            (kind, widths) = (mark, (width, width));
        }
        if is_line {
            digits.extend(&line[first..=last]);
            widths.1 = width;
        }
        // One line is for whoever looks at lines.
        if goes_on && digits.len() >= SHORTEST_RUN && is_mixed(&digits) && !is_stand_in(&digits) {
            end = Some(at + last + 1);
        }
    }
    end
}

/// Returns what a mark before a line has besides blanks and its number.
fn without_number(mark: &[u8]) -> impl Iterator<Item = u8> {
    mark.iter().copied().filter(|byte| !byte.is_ascii_digit() && !byte.is_ascii_whitespace())
}

/// Tells whether a run of Base64 follows that is long enough.
fn has_line(bytes: &[u8]) -> bool {
    let near = &bytes[..bytes.len().min(HEADERS)];
    let near = &near[..find_bytes(near, b"-----").unwrap_or(near.len())];
    near.split(|byte| !Alphabet::Base64.holds(*byte)).any(|run| run.len() >= SHORTEST_RUN && !is_stand_in(run))
}

/// Returns where the lines of Base64 begin that are a key: with a long one.
fn first_line(bytes: &[u8], from: usize) -> Option<usize> {
    let near = &bytes[..bytes.len().min(from + HEADERS)];
    let mut at = from;
    while at < near.len() {
        let run = Alphabet::Base64.run(&near[at..], HEADERS);
        if run >= SHORTEST_RUN {
            return Some(at);
        }
        at += run + 1;
    }
    None
}

/// Returns the end of a key that has no end of its own: before the first line that is not Base64. All lines may have the same before
/// them, but for numbers.
fn body(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = first_line(bytes, from)?;
    let line = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
    let before = &bytes[line..at];
    let mut end = from;
    loop {
        let run = Alphabet::Base64.run(&bytes[at..], LONGEST);
        if !goes_on(&bytes[at..at + run]) {
            return (end > from).then_some(end);
        }
        end = at + run;
        let behind = bytes[end..].iter().take(MOST_BETWEEN);
        let spaces = behind.take_while(|byte| byte.is_ascii_whitespace() || **byte == b'\\').count();
        let next = memchr::memchr(b'\n', &bytes[end..end + spaces]).map(|at| end + at + 1);
        let marked = next.and_then(|next| Some(next + same_mark(before, &bytes[next..])?));
        at = marked.unwrap_or(end + spaces);
    }
}

/// Returns the length of what a line has before it, if it is what another line has: numbers and blanks may differ.
fn same_mark(before: &[u8], line: &[u8]) -> Option<usize> {
    let parts = before.chunk_by(|one, next| flexible(*one) && flexible(*next));
    let mut at = 0;
    for part in parts {
        let length = if flexible(part[0]) {
            line[at..].iter().take(LONGEST_MARK).take_while(|byte| flexible(**byte)).count()
        } else {
            usize::from(line.get(at) == part.first())
        };
        if length == 0 {
            return None;
        }
        at += length;
    }
    // A number at the beginning of a key's line is not of its mark.
    (!before.is_empty()).then_some(at)
}

const fn flexible(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b' ' | b'\t')
}

/// Tells whether a line is one more of a key. The last one may be short.
fn goes_on(line: &[u8]) -> bool {
    let text = line.iter().take_while(|byte| **byte != b'=').count();
    let is_padded = text < line.len() && line[text..].iter().all(|byte| *byte == b'=');
    line.len() >= 16 || line.len() >= 4 && is_padded || line.len() >= 8 && is_mixed(line)
}

fn find_bytes(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
