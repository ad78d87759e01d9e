//! Redaction of a text that arrives piece by piece, for a screen: a possible part of a secret waits for the rest of it.
//!
//! A line that is complete is shown redacted. Of the line that is not, what may belong to a secret waits: the last word, unless
//! it is a word of prose; everything from the first word that a secret may begin with; a private key until its end. So prose
//! appears as it comes, and a secret never does.
//!
//! Where values are known, the end of the text also waits that is the beginning of one in any spelling, across lines too.

use super::alphabet::may_begin;
use super::find::{self, first_beginning};
use super::{Redactor, mark};

/// The most text that waits, in bytes: as much as a private key can have.
const MOST: usize = 128 * 1024;

/// How much text may wait and be searched with each piece all the same, in bytes.
const SHORT: usize = 256;

/// The shortest part of a beginning inside of a word that is waited for, in bytes.
const SHORTEST_INSIDE: usize = 3;

/// A text on its way.
#[derive(Debug, Default)]
pub struct Arriving {
    held: String,
    /// How much of it was searched and waits.
    searched: usize,
    /// How many bytes were searched in all.
    #[cfg(test)]
    work: usize,
}

impl Arriving {
    /// Takes a piece; returns what can be shown by now.
    #[must_use]
    pub fn push(&mut self, redactor: &Redactor, piece: &str) -> String {
        self.held.push_str(piece);
        if !self.is_due() {
            return String::new();
        }
        #[cfg(test)]
        {
            self.work += self.held.len();
        }
        let end = if self.held.len() > MOST { self.released(redactor) } else { settled(&self.held, redactor) };
        let rest = self.held.split_off(end);
        self.searched = rest.len();
        redactor.text(&std::mem::replace(&mut self.held, rest)).into_owned()
    }

    /// Tells whether the text is searched now: not with each piece if much of it waits, so that the work is linear. A long
    /// word is searched as soon as it ends.
    fn is_due(&self) -> bool {
        let (searched, new) = self.held.split_at(self.searched);
        let is_word_ended = || new.contains(char::is_whitespace) && !searched.contains(char::is_whitespace);
        searched.len() <= SHORT || self.held.len() > MOST || new.len() >= searched.len() / 4 || is_word_ended()
    }

    /// Returns how much of a text is shown that has waited for too long: all but the beginning of a known value, which is hidden if it
    /// is as long as that.
    fn released(&mut self, redactor: &Redactor) -> usize {
        let end = redactor.begins_at_end(&self.held).unwrap_or(self.held.len());
        if self.held.len() - end <= MOST {
            return end;
        }
        self.held.truncate(end);
        self.held.push_str(&mark("text without an end"));
        self.held.len()
    }

    /// Ends the text; returns what waited.
    #[must_use]
    pub fn close(&mut self, redactor: &Redactor) -> String {
        self.searched = 0;
        redactor.text(&std::mem::take(&mut self.held)).into_owned()
    }
}

/// Returns how much of a text no further piece can change.
fn settled(text: &str, redactor: &Redactor) -> usize {
    settled_end(text, redactor, text.len())
}

/// As [`settled`]; of a long line, only so many bytes at its end are looked at for what may begin a secret of a known form.
pub(super) fn settled_end(text: &str, redactor: &Redactor, most: usize) -> usize {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let line = text.ceil_char_boundary(line.max(text.len().saturating_sub(most)));
    let mut end = text.len();
    if let Some(at) = first_beginning(&text[line..]) {
        end = end.min(word_at(text, line + at).max(line));
    }
    let last = word_at(text, text.len()).max(line);
    if may_go_on(&text[last..]) {
        end = end.min(last);
    }
    if let Some(at) = open_key(text) {
        end = end.min(at);
    }
    if let Some(at) = redactor.begins_at_end(text) {
        end = end.min(at);
    }
    // A replaced part is replaced whole.
    let across = redactor.spans(text).into_iter().find(|span| span.start < end && end < span.end);
    across.map_or(end, |span| span.start)
}

/// Returns where the word with a byte begins.
fn word_at(text: &str, at: usize) -> usize {
    text[..at].char_indices().rev().find(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8())
}

/// Tells whether a last word may be the beginning of a secret, or of a word that a secret follows. A word of prose is not.
fn may_go_on(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_ascii() || matches!(c, '(' | ')' | ',' | ';' | '!' | '?' | '*'));
    let mut letters = inner.strip_suffix(['.', ':']).unwrap_or(inner).chars();
    let is_prose = letters.next().is_none_or(char::is_alphabetic)
        && letters.all(|c| c.is_ascii_lowercase() || !c.is_ascii() || c == '\'');
    let is_begun = |at: usize| {
        let rest = &word[at..];
        let may_be = may_begin(word.as_bytes(), at)
            || rest.len() >= SHORTEST_INSIDE
            || rest.starts_with(|c: char| !c.is_ascii_alphanumeric());
        may_be && find::is_begun(rest)
    };
    !is_prose || word.char_indices().any(|(at, _)| is_begun(at))
}

/// Returns where a private key begins whose end is not there yet.
fn open_key(text: &str) -> Option<usize> {
    let armoured = text.rfind("-----BEGIN").filter(|at| {
        let end = text[*at..].find("-----END").map(|end| at + end + "-----END".len());
        let closed = end.and_then(|end| text[end..].split_once("-----"));
        closed.is_none_or(|(_, rest)| !rest.contains(char::is_whitespace))
    });
    let putty = text.find("Private-Lines:").or_else(|| text.find("---- BEGIN SSH2"));
    [armoured, putty].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_in_small_pieces_is_searched_a_few_times_only() {
        let secret = super::super::Secret::new("MY_KEY".to_owned(), "k9+Qa7/Xb2=Yc");
        for redactor in [Redactor::default(), Redactor::new([secret])] {
            let (mut arriving, mut shown, length) = (Arriving::default(), String::new(), 40_000);
            for _ in 0..length / 10 {
                shown.push_str(&arriving.push(&redactor, "abcdeF1234"));
            }
            assert!(arriving.work < 10 * length, "{}", arriving.work);
            shown.push_str(&arriving.push(&redactor, " then"));
            assert!(shown.len() >= length, "{}", shown.len());
            shown.push_str(&arriving.close(&redactor));
            assert_eq!(shown.len(), length + 5);
        }
    }
}
