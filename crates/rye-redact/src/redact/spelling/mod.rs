//! Known values in any spelling: escapes, line breaks, Base64 and hexadecimal are undone, and the value is looked for in what
//! comes out, however many of them were put into each other, up to [`DEEPEST`].
//!
//! Each step makes a view of the text, whose bytes know their places in the text. Time is linear: the number of views of a
//! byte is bounded, and bytes that are not text are not decoded again.

mod base64;
mod escapes;
mod hexadecimal;
mod known;
mod lines;
mod stretch;
mod view;

use super::find::{Certainty, Span};
pub(super) use known::Known;
use stretch::has_text;
use view::View;

/// How many spellings are undone, one in the other: two, each of which may be Base64 in the string of a JSON text.
const DEEPEST: usize = 4;

/// Finds the places of known values.
pub(super) fn spans(known: &[Known], text: &str) -> Vec<Span> {
    let mut spans = Search::of(known, text, false).found;
    for span in &mut spans {
        span.start = text.floor_char_boundary(span.start);
        span.end = text.ceil_char_boundary(span.end);
    }
    spans
}

/// Returns where a known value may begin at the end of a text, its rest being still to come.
pub(super) fn begins_at_end(known: &[Known], text: &str) -> Option<usize> {
    Search::of(known, text, true).begins_at.map(|at| text.floor_char_boundary(at))
}

/// A search for known values.
struct Search<'k> {
    known: &'k [Known],
    /// Whether bytes without text hold no value.
    is_all_text: bool,
    found: Vec<Span>,
    /// Where something begins that more text may make a value.
    begins_at: Option<usize>,
}

impl<'k> Search<'k> {
    fn of(known: &'k [Known], text: &str, is_open: bool) -> Self {
        let is_all_text = known.iter().all(Known::is_text);
        let mut search = Self { known, is_all_text, found: Vec::new(), begins_at: None };
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
    }

    fn look_at_line(&mut self, view: &View<'_>, steps: usize) {
        self.seek(view);
        if steps == 0 || view.is_encoded && !has_text(&view.bytes, view.is_open) {
            return;
        }
        let is_all_text = self.is_all_text;
        let counts = |bytes: &[u8], is_open| !is_all_text || has_text(bytes, is_open);
        let mut decode = |decoded: View<'_>| {
            self.wait_for_rest(view, &decoded);
            self.look(&decoded, steps - 1);
        };
        base64::decode(view, counts, &mut decode);
        hexadecimal::decode(view, counts, &mut decode);
        if let Some(undone) = escapes::undone(view) {
            decode(undone);
        }
    }

    /// Seeks the values in a view, and their beginnings at its end.
    fn seek(&mut self, view: &View<'_>) {
        for known in self.known {
            for needle in known.needles(view.is_encoded) {
                let mut from = 0;
                while let Some(at) = memchr::memmem::find(&view.bytes[from..], needle) {
                    let (start, end) = view.origin(from + at, from + at + needle.len());
                    let kind = known.kind.clone().into();
                    self.found.push(Span { start, end, kind, certainty: Certainty::Known });
                    from += at + needle.len();
                }
                if let Some(length) = begun(view, needle) {
                    let end = view.bytes.len();
                    self.wait_from(view.origin(end - length, end).0);
                }
            }
        }
    }

    /// Waits from the part of a view on that more text may change.
    fn wait_for_rest(&mut self, parent: &View<'_>, view: &View<'_>) {
        if let Some(at) = view.undecided {
            self.wait_from(parent.origin(at, at + 1).0);
        }
    }

    fn wait_from(&mut self, at: usize) {
        self.begins_at = Some(self.begins_at.map_or(at, |other| other.min(at)));
    }
}

/// Returns how many bytes at the end of a view are the beginning of a value, if more may follow.
fn begun(view: &View<'_>, needle: &[u8]) -> Option<usize> {
    let longest = view.bytes.len().min(needle.len() - 1);
    (1..=longest).rev().find(|length| view.is_open && view.bytes.ends_with(&needle[..*length]))
}
