//! Known values in any spelling: escapes, line breaks, what is not seen, Base64, numbers and dumps are undone, and the value is looked
//! for in what comes out, however many of them were put into each other, up to [`DEEPEST`].
//!
//! Each step makes a view of the text, whose bytes know their places in the text. Time is linear: the number of views of a
//! byte is bounded, and bytes that are not text are not decoded again.

mod base32;
mod base64;
mod columns;
mod dump;
mod escapes;
mod fragments;
mod hexadecimal;
mod ignorable;
mod known;
mod lines;
mod noise;
mod numbers;
mod printable;
mod sieve;
mod stretch;
mod view;
mod wrapped;

use super::find::{Certainty, Span};
pub(super) use known::Known;
use noise::Zeros;
pub(super) use sieve::Sieve;
use stretch::{has_hidden_text, has_text};
use view::View;

/// How many spellings are undone, one in the other: two, each of which may be Base64 in the string of a JSON text.
const DEEPEST: usize = 4;

/// How far from what is not seen secrets of a known form are looked for without it, in bytes.
const NEAR: usize = 8 * 1024;

/// Finds the places of known values.
pub(super) fn spans((known, sieve): (&[Known], &Sieve), text: &str) -> Vec<Span> {
    let mut spans = Search::of(known, sieve, text, false).found;
    for span in &mut spans {
        span.start = text.floor_char_boundary(span.start);
        span.end = text.ceil_char_boundary(span.end);
    }
    spans
}

/// Finds what a search finds in a text without what is not seen: the zeros of UTF-16, colours, ignorable characters.
pub(super) fn unseen_undone(text: &str, search: impl Fn(&str) -> Vec<Span>) -> Vec<Span> {
    let whole = View::of(text.as_bytes(), false);
    let Some(view) = noise::without(&whole, Zeros::OfWideText) else { return Vec::new() };
    let mut found = Vec::new();
    view.near_changes(NEAR).into_iter().for_each(|part| search_in(&view, part, text, &search, &mut found));
    found
}

/// Finds what a search finds in a text whose escapes are undone, up to [`DEEPEST`] times.
pub(super) fn escapes_undone(text: &str, search: impl Fn(&str) -> Vec<Span>) -> Vec<Span> {
    let mut found = Vec::new();
    if text.contains(super::keys::WORD) {
        undo_escapes(&View::of(text.as_bytes(), false), DEEPEST, text, &search, &mut found);
    }
    found
}

fn undo_escapes(view: &View<'_>, steps: usize, text: &str, search: &impl Fn(&str) -> Vec<Span>, found: &mut Vec<Span>) {
    let Some(undone) = escapes::undone(view).filter(|_| steps > 0) else { return };
    search_in(&undone, 0..undone.bytes.len(), text, search, found);
    undo_escapes(&undone, steps - 1, text, search, found);
}

/// Searches a part of a view, and gives what is found its place in the text.
fn search_in(
    view: &View<'_>,
    part: std::ops::Range<usize>,
    text: &str,
    search: &impl Fn(&str) -> Vec<Span>,
    found: &mut Vec<Span>,
) {
    let mut at = part.start;
    for chunk in view.bytes[part].utf8_chunks() {
        for span in search(chunk.valid()) {
            let (start, end) = view.origin(at + span.start, at + span.end);
            found.push(Span { start: text.floor_char_boundary(start), end: text.ceil_char_boundary(end), ..span });
        }
        at += chunk.valid().len() + chunk.invalid().len();
    }
}

/// Returns where a known value may begin at the end of a text, its rest being still to come.
pub(super) fn begins_at_end((known, sieve): (&[Known], &Sieve), text: &str) -> Option<usize> {
    Search::of(known, sieve, text, true).begins_at.map(|at| text.floor_char_boundary(at))
}

/// A search for known values.
struct Search<'k> {
    known: &'k [Known],
    sieve: &'k Sieve,
    /// Whether bytes without text hold no value.
    is_all_text: bool,
    found: Vec<Span>,
    /// Where something begins that more text may make a value.
    begins_at: Option<usize>,
}

impl<'k> Search<'k> {
    fn of(known: &'k [Known], sieve: &'k Sieve, text: &str, is_open: bool) -> Self {
        let is_all_text = known.iter().all(Known::is_text);
        let mut search = Self { known, sieve, is_all_text, found: Vec::new(), begins_at: None };
        if !known.is_empty() && !text.is_empty() {
            search.look(&View::of(text.as_bytes(), is_open), DEEPEST);
        }
        search
    }

    /// Looks at a view, and at what is made of it in so many more steps.
    fn look(&mut self, view: &View<'_>, steps: usize) {
        match lines::joined(view) {
            Some(joined) => self.look_at_line(&joined, steps),
            None => self.look_at_line(view, steps),
        }
        if let Some(continued) = lines::continued(view) {
            self.look_at_line(&continued, steps);
        }
        if steps > 0 && self.has_more(view) {
            self.look_at_lines(view, steps);
        }
    }

    /// Looks at what is written by the line.
    fn look_at_lines(&mut self, view: &View<'_>, steps: usize) {
        let counts = self.counting();
        let mut decode = |decoded: View<'_>| self.look(&decoded, steps - 1);
        columns::joined(view, &mut decode);
        wrapped::joined(view, &mut decode);
        printable::undone(view, &mut decode);
        numbers::decode(view, counts, &mut decode);
        dump::decode(view, counts, &mut decode);
    }

    /// Tells whether something may be undone in a view: what was decoded and is not text is not decoded again.
    fn has_more(&self, view: &View<'_>) -> bool {
        !view.is_encoded || has_text(&view.bytes, view.is_open)
    }

    fn look_at_line(&mut self, view: &View<'_>, steps: usize) {
        self.seek(view);
        if steps == 0 {
            return;
        }
        if let Some(seen) = noise::without(view, Zeros::All) {
            self.wait_for_rest(view, &seen);
            self.look(&seen, steps - 1);
        }
        if !self.has_more(view) {
            return;
        }
        let counts = self.counting();
        let mut decode = |decoded: View<'_>| {
            self.wait_for_rest(view, &decoded);
            self.look(&decoded, steps - 1);
        };
        base64::decode(view, counts, &mut decode);
        base32::decode(view, counts, &mut decode);
        hexadecimal::decode(view, counts, &mut decode);
        if let Some(undone) = escapes::undone(view) {
            decode(undone);
        }
    }

    /// Seeks the values in a view, and their beginnings at its end.
    fn seek(&mut self, view: &View<'_>) {
        let Self { known, sieve, found, .. } = self;
        sieve.seek(known, &view.bytes, view.is_encoded, |value, start, end| {
            let (start, end) = view.origin(start, end);
            let kind = known[value].kind.clone().into();
            found.push(Span { start, end, kind, certainty: Certainty::Known });
        });
        if view.is_open {
            let end = view.bytes.len();
            let needles = self.known.iter().flat_map(|known| known.needles(view.is_encoded));
            let begun = needles.filter_map(|needle| begun(view, needle)).max();
            begun.into_iter().for_each(|length| self.wait_from(view.origin(end - length, end).0));
        }
    }

    /// Waits from the part of a view on that more text may change.
    fn wait_for_rest(&mut self, parent: &View<'_>, view: &View<'_>) {
        if let Some(at) = view.undecided {
            self.wait_from(parent.origin(at, at + 1).0);
        }
    }

    /// Returns what tells whether decoded bytes may have a value; where all values are text, other bytes have none but the bytes of a key.
    fn counting(&self) -> impl Fn(&[u8], bool) -> bool + Copy + use<'k> {
        let (known, sieve, is_all_text) = (self.known, self.sieve, self.is_all_text);
        let has_bytes = known.iter().any(Known::has_bytes);
        move |bytes, is_open| {
            let is_text = !is_all_text || has_text(bytes, is_open) || has_hidden_text(bytes);
            is_text || has_bytes && sieve.finds_in(known, bytes)
        }
    }

    fn wait_from(&mut self, at: usize) {
        self.begins_at = Some(self.begins_at.map_or(at, |other| other.min(at)));
    }
}

/// Returns how many bytes at the end of a view are the beginning of a value.
fn begun(view: &View<'_>, needle: &[u8]) -> Option<usize> {
    let longest = view.bytes.len().min(needle.len() - 1);
    (1..=longest).rev().find(|length| view.bytes.ends_with(&needle[..*length]))
}
