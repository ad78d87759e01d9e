//! A secret that is looked for: the bytes of its value, without line breaks.

use std::fmt;

use zeroize::Zeroizing;

use super::super::values::Secret;
use super::fragments::fragments;
use super::lines::{is_break, spaces};

/// The shortest value that is looked for, in bytes.
const SHORTEST: usize = 8;

/// The shortest value whose Base64 or hexadecimal is looked for, in bytes: the rest of a shorter one may be a part of other words.
const SHORTEST_ENCODED: usize = 12;

/// The most spaces of a value in whose place a line may end.
const MOST_SPACES: usize = 16;

/// How the first line of a key in OpenSSH's form begins.
const FIRST_LINE: &[u8] = b"b3BlbnNzaC1rZXktdjE";

/// A secret that is looked for.
#[derive(Clone)]
pub(in crate::redact) struct Known {
    pub(super) kind: String,
    /// Its value; with spaces in it, also as forms send it, and with a line break in the place of one; with line breaks in
    /// it, also as a shell writes it without quotes, and the parts of it that are secret by themselves.
    needles: Vec<Zeroizing<Vec<u8>>>,
    /// Whether it consists of ASCII's characters, but for the bytes of a key.
    is_text: bool,
    /// Whether it has the bytes of a key.
    has_bytes: bool,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Known {
    /// Takes a secret; none whose value is too short.
    pub(in crate::redact) fn new(secret: &Secret) -> Option<Self> {
        let value = joined(secret.value());
        if value.len() < SHORTEST {
            return None;
        }
        let mut needles = Vec::new();
        let spaces = value.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
        for at in spaces.clone().take(MOST_SPACES) {
            let mut needle = value.clone();
            needle.remove(at);
            needles.push(needle);
        }
        if spaces.clone().next().is_some() {
            needles.push(sent(&value));
        }
        let unquoted = unquoted(secret.value());
        if *unquoted != *value {
            needles.push(sent(&unquoted));
            needles.push(unquoted);
        }
        needles.push(value);
        needles.extend(fragments(secret.value()));
        let is_text = needles.iter().all(|needle| needle.iter().all(|byte| matches!(byte, b' '..=b'~')));
        let bytes = secret.key_bytes();
        let has_bytes = bytes.is_some();
        if let Some(bytes) = bytes {
            // Every key without a passphrase begins so.
            needles.retain(|needle| !is_beginning(needle));
            needles.push(joined(&bytes));
            needles.push(bytes);
        }
        needles.retain(|needle| needle.len() >= SHORTEST);
        Some(Self { kind: secret.kind().to_owned(), needles, is_text, has_bytes })
    }

    /// Tells whether it consists of ASCII's characters; the bytes of a key are looked for wherever something is decoded.
    pub(super) const fn is_text(&self) -> bool {
        self.is_text
    }

    /// Tells whether bytes that are not text are a part of it.
    pub(super) const fn has_bytes(&self) -> bool {
        self.has_bytes
    }

    /// Returns the length of its value, in bytes.
    pub(in crate::redact) fn length(&self) -> usize {
        self.needles.iter().map(|needle| needle.len()).max().unwrap_or_default()
    }

    /// Returns everything that is looked for.
    pub(super) fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.needles.iter().map(|needle| needle.as_slice())
    }

    /// Returns one of these, if it is looked for in such bytes.
    pub(super) fn needle(&self, number: usize, is_encoded: bool) -> Option<&[u8]> {
        let least = if is_encoded { SHORTEST_ENCODED } else { SHORTEST };
        self.needles.get(number).map(|needle| needle.as_slice()).filter(|needle| needle.len() >= least)
    }

    /// Returns what is looked for in a text; in bytes that were decoded, only what is long enough.
    pub(super) fn needles(&self, is_encoded: bool) -> impl Iterator<Item = &[u8]> {
        let least = if is_encoded { SHORTEST_ENCODED } else { SHORTEST };
        self.needles.iter().map(|needle| needle.as_slice()).filter(move |needle| needle.len() >= least)
    }
}

/// Tells whether it is the first line of a key in OpenSSH's form, and not the whole text.
fn is_beginning(needle: &[u8]) -> bool {
    needle.starts_with(FIRST_LINE)
}

/// Returns a value without its line breaks and indentation: they are dropped of the text, too.
fn joined(value: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut joined = Zeroizing::new(Vec::with_capacity(value.len()));
    let mut at = spaces(value);
    while let Some(byte) = value.get(at) {
        if is_break(*byte) {
            at += spaces(&value[at..]);
        } else {
            joined.push(*byte);
            at += 1;
        }
    }
    joined
}

/// Returns a value as forms send it.
fn sent(value: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(value.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte }).collect())
}

/// Returns a value as a shell writes a variable without quotes: its words, with a space between them.
fn unquoted(value: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut unquoted = Zeroizing::new(Vec::with_capacity(value.len()));
    for word in value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        if !unquoted.is_empty() {
            unquoted.push(b' ');
        }
        unquoted.extend_from_slice(word);
    }
    unquoted
}
