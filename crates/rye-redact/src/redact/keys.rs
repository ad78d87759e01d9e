//! Private keys: armoured blocks, PuTTY's files, and OpenSSH's Base64 without its armour.

use super::alphabet::{Alphabet, is_mixed, is_stand_in};

/// What the mark of a private key says.
pub(super) const KIND: &str = "private key";

/// The longest block that is looked at, in bytes.
const LONGEST: usize = 64 * 1024;

/// Behind its first line, a block has a line of Base64 within so many bytes; other text only speaks of keys.
const HEADERS: usize = 512;

/// The shortest run of Base64 that is part of a key, in bytes.
const SHORTEST_RUN: usize = 32;

/// How a private key is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum KeyForm {
    /// Between `-----BEGIN … PRIVATE KEY-----` and its end.
    Armoured,
    /// Behind `Private-Lines:`.
    Putty,
    /// Base64 of OpenSSH's form.
    OpenSsh,
}

/// How each form begins.
pub(super) const KEYS: &[(&str, KeyForm)] = &[
    ("-----BEGIN ", KeyForm::Armoured),
    ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", KeyForm::Putty),
    ("Private-Lines:", KeyForm::Putty),
    ("b3BlbnNzaC1rZXktdjE", KeyForm::OpenSsh),
];

/// Finds the key that begins with the word from `start` to `end`.
pub(super) fn find(form: KeyForm, text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = &text.as_bytes()[..text.len().min(start.saturating_add(LONGEST))];
    match form {
        KeyForm::Armoured => armoured(bytes, start, end),
        KeyForm::Putty => has_key(&bytes[end..]).then(|| (start, end + body(&bytes[end..]))),
        KeyForm::OpenSsh => {
            let length = body(&bytes[start..]);
            (length >= 64).then_some((start, start + length))
        }
    }
}

fn armoured(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let label =
        bytes[end..].iter().take(60).take_while(|byte| byte.is_ascii_uppercase() || b" 0123456789".contains(byte));
    let label_end = end + label.count();
    let is_private = find_bytes(&bytes[end..label_end], b"PRIVATE KEY").is_some();
    let first = label_end + 5;
    if !is_private || bytes.get(label_end..first)? != b"-----" || !has_key(&bytes[first..]) {
        return None;
    }
    let last = find_bytes(&bytes[first..], b"-----END").map(|at| first + at + b"-----END".len());
    let closed = last.and_then(|last| Some(last + find_bytes(&bytes[last..bytes.len().min(last + 64)], b"-----")? + 5));
    // One that was cut off goes on as long as it looks like one.
    Some((start, closed.unwrap_or_else(|| first + body(&bytes[first..]))))
}

/// Tells whether a key follows: a run of Base64 that is long enough, before any other armour.
fn has_key(bytes: &[u8]) -> bool {
    let near = &bytes[..bytes.len().min(HEADERS)];
    let near = &near[..find_bytes(near, b"-----").unwrap_or(near.len())];
    near.split(|byte| !Alphabet::Base64.holds(*byte)).any(|run| run.len() >= SHORTEST_RUN && !is_stand_in(run))
}

/// Returns where the lines of Base64 begin that are a key: with a long one.
fn first_line(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(HEADERS)];
    let mut at = 0;
    while at < near.len() {
        let run = Alphabet::Base64.run(&near[at..], HEADERS);
        if run >= SHORTEST_RUN {
            return Some(at);
        }
        at += run + 1;
    }
    None
}

/// Returns the length of a key that has no end of its own: up to the first line that is not Base64.
fn body(bytes: &[u8]) -> usize {
    let Some(mut at) = first_line(bytes) else { return 0 };
    let mut end = 0;
    loop {
        let run = Alphabet::Base64.run(&bytes[at..], LONGEST);
        if !goes_on(&bytes[at..at + run]) {
            return end;
        }
        end = at + run;
        at =
            end + bytes[end..].iter().take(16).take_while(|byte| byte.is_ascii_whitespace() || **byte == b'\\').count();
    }
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
