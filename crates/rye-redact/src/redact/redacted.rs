//! A text without its secrets: what is shown in part is cut from here, and never from the text as it was.
//!
//! A bound that falls into a secret leaves a beginning or an end of it that is known no more. So a text is redacted first, with all
//! that is known of it around the part; a text whose own end was cut off loses what may be the beginning of a secret there.

use std::borrow::Cow;

use super::find::Span;
use super::stream::settled_end;
use super::{Redactor, mark};

/// How much text around a part is redacted with it, in bytes: a private key has at most so many, and a token fewer.
const AROUND: usize = 64 * 1024;

/// How much longer than its value a spelling is at most, of those with several encodings one in the other.
const LONGEST_SPELLING: usize = 32;

/// A text without its secrets, which has the lines that it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t>(Cow<'t, str>);

impl Redactor {
    /// Redacts a text, of which a part is to be shown. A mark is followed by the line breaks of its secret, so that lines keep their
    /// numbers.
    #[must_use]
    pub fn redacted<'t>(&self, text: impl Into<Cow<'t, str>>) -> Redacted<'t> {
        let text = text.into();
        let spans = self.spans(&text);
        if spans.is_empty() {
            return Redacted(text);
        }
        let (mut kept, mut done) = (String::with_capacity(text.len()), 0);
        for Span { start, end, kind, .. } in spans {
            kept.push_str(&text[done..start]);
            kept.push_str(&mark(&kind));
            kept.extend(text[start..end].matches('\n'));
            done = end;
        }
        kept.push_str(&text[done..]);
        Redacted(Cow::Owned(kept))
    }

    /// Redacts bytes as [`redacted`](Self::redacted) does; if their end was cut off, without what may begin a secret there.
    #[must_use]
    pub fn redacted_bytes<'t>(&self, bytes: &'t [u8], is_cut: bool) -> Redacted<'t> {
        let bytes = if is_cut { without_half_character(bytes) } else { bytes };
        self.redacted_text(String::from_utf8_lossy(bytes), is_cut)
    }

    /// As [`redacted_bytes`](Self::redacted_bytes), of a text.
    #[must_use]
    pub fn redacted_text<'t>(&self, text: impl Into<Cow<'t, str>>, is_cut: bool) -> Redacted<'t> {
        let mut text = text.into();
        if is_cut && self.looks() {
            let end = settled_end(&text, self, AROUND);
            text = match text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
                Cow::Owned(mut text) => {
                    text.truncate(end);
                    Cow::Owned(text)
                }
            };
        }
        self.redacted(text)
    }

    /// Returns how much text before and behind a part can decide what is a secret in it, in bytes.
    #[must_use]
    pub fn reach(&self) -> usize {
        let longest = self.known.iter().map(super::Known::length).max().unwrap_or_default();
        AROUND.max(longest.saturating_mul(LONGEST_SPELLING))
    }
}

impl Redacted<'_> {
    /// Returns the whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the whole text.
    #[must_use]
    pub fn into_owned(self) -> String {
        self.0.into_owned()
    }

    /// Returns the beginning that fits into so many bytes.
    #[must_use]
    pub fn beginning(&self, most: usize) -> &str {
        &self.0[..self.0.floor_char_boundary(most)]
    }

    /// Returns the end that fits into so many bytes.
    #[must_use]
    pub fn end(&self, most: usize) -> &str {
        &self.0[self.0.ceil_char_boundary(self.0.len().saturating_sub(most))..]
    }

    /// Returns so many lines from a number on, counted from 0, each with its line break.
    #[must_use]
    pub fn lines(&self, first: usize, count: usize) -> Redacted<'_> {
        let ends = || self.0.match_indices('\n').map(|(at, _)| at + 1);
        let start_of = |number: usize| match number.checked_sub(1) {
            None => 0,
            Some(before) => ends().nth(before).unwrap_or(self.0.len()),
        };
        Redacted(Cow::Borrowed(&self.0[start_of(first)..start_of(first.saturating_add(count))]))
    }
}

/// Leaves out a character at the end of which bytes are missing.
fn without_half_character(bytes: &[u8]) -> &[u8] {
    let near = bytes.len().saturating_sub(3);
    let starts = |byte: u8| byte & 0xc0 != 0x80;
    let last = bytes[near..].iter().rposition(|byte| starts(*byte)).map(|at| near + at);
    match last {
        Some(last) if bytes[last] >= 0x80 && std::str::from_utf8(&bytes[last..]).is_err() => &bytes[..last],
        Some(_) | None => bytes,
    }
}
