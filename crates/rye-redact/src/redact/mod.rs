//! Redaction: secrets in text, replaced by a mark that names their kind, such as `[redacted: github token]`.
//!
//! Replaced are: tokens of known form (`shapes`), secrets known by the words around them (`context`), private keys
//! (`keys`), values that are assigned to a name such as `api_key` (`names`), and the values of the secrets of this
//! installation. Anything else stays byte for byte: a missed secret of unknown form is not found by guessing, because a
//! wrong guess changes code. Time is linear in the text: one pass finds where a secret may begin, and the look from
//! there is bounded.
//!
//! `words` has the stricter rule for what an error repeats, where a false alarm costs nothing.

mod alphabet;
mod context;
mod der;
mod find;
mod key_bytes;
mod key_files;
mod keys;
mod names;
mod outgoing;
#[cfg(test)]
mod page;
mod redacted;
mod shapes;
mod spelling;
mod stream;
#[cfg(test)]
mod tests;
mod values;
mod windows;
mod words;

use std::borrow::Cow;

use serde_json::{Map, Value};

use find::{Certainty, Span};
pub use key_files::holds_private_key;
pub use outgoing::{Cleared, Inspector, Leak, Leaks, MOST_BYTES, Passed};
pub use redacted::Redacted;
use spelling::{Known, Sieve};
pub use stream::Arriving;
pub use values::Secret;
pub use windows::{Pane, Window, Windows};
pub use words::without_keys;

/// How a mark begins.
const BEGINNING: &str = "[redacted: ";

/// The longest kind that a mark names, in bytes.
const LONGEST_KIND: usize = 80;

/// Replaces secrets.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    known: Vec<Known>,
    sieve: Sieve,
    /// Whether nothing else is looked for.
    is_exact: bool,
}

impl Redactor {
    /// Makes a redactor that also replaces the values of these secrets. Values of fewer than 8 bytes are left alone: they are
    /// words of other texts too.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let known: Vec<Known> = secrets.into_iter().filter_map(|secret| Known::new(&secret)).collect();
        Self { sieve: Sieve::of(&known), known, is_exact: false }
    }

    /// Makes a redactor that replaces the values of these secrets, and nothing else: for what a server answers to whoever gave it
    /// a secret.
    #[must_use]
    pub fn of_values(secrets: impl IntoIterator<Item = Secret>) -> Self {
        Self { is_exact: true, ..Self::new(secrets) }
    }

    /// Makes a redactor that replaces nothing: for people, and for programs of theirs that may see what they may.
    #[must_use]
    pub const fn of_nothing() -> Self {
        Self { known: Vec::new(), sieve: Sieve::none(), is_exact: true }
    }

    /// Tells whether it looks for anything.
    #[must_use]
    pub const fn looks(&self) -> bool {
        !self.is_exact || !self.known.is_empty()
    }

    /// Returns a text without its secrets.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut kept, mut done) = (String::with_capacity(text.len()), 0);
        for Span { start, end, kind, .. } in spans {
            kept.push_str(&text[done..start]);
            kept.push_str(&mark(&kind));
            done = end;
        }
        kept.push_str(&text[done..]);
        Cow::Owned(kept)
    }

    /// Returns a value with every text in it redacted, names of members included. A text that is the member of a name such as
    /// `password` goes whole if it looks like one.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.owned(text)),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(members) => Value::Object(self.members(members)),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
        }
    }

    /// Returns the members of an object, redacted as by [`value`](Self::value).
    #[must_use]
    pub fn members(&self, members: Map<String, Value>) -> Map<String, Value> {
        let member = |(name, value): (String, Value)| {
            let value = match value {
                Value::String(text) => match names::kind_of(&name, &text).filter(|_| !self.is_exact) {
                    Some(kind) => Value::String(mark(kind)),
                    None => Value::String(self.owned(text)),
                },
                value => self.value(value),
            };
            (self.owned(name), value)
        };
        members.into_iter().map(member).collect()
    }

    /// Tells whether any text in a value holds a secret.
    #[must_use]
    pub fn finds_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => !self.spans(text).is_empty(),
            Value::Array(values) => values.iter().any(|value| self.finds_in(value)),
            Value::Object(members) => members.iter().any(|(name, value)| {
                let is_named = value.as_str().is_some_and(|text| names::kind_of(name, text).is_some());
                is_named || !self.spans(name).is_empty() || self.finds_in(value)
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Returns where one of the known secrets may begin at the end of a text.
    fn begins_at_end(&self, text: &str) -> Option<usize> {
        spelling::begins_at_end((&self.known, &self.sieve), text)
    }

    fn owned(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Owned(redacted) => redacted,
            Cow::Borrowed(_) => text,
        }
    }

    /// Finds the places to replace: in order, without overlaps.
    fn spans(&self, text: &str) -> Vec<Span> {
        apart(self.found(text))
    }

    /// Finds the secrets that are sure: by their form, as a private key, or as a known value.
    fn sure(&self, text: &str) -> Vec<Span> {
        let mut found = self.found(text);
        found.retain(|span| match span.certainty {
            Certainty::Named | Certainty::Context => false,
            Certainty::Shape(_) | Certainty::Key | Certainty::Known => true,
        });
        apart(found)
    }

    /// Finds all that may be replaced; places may overlap.
    fn found(&self, text: &str) -> Vec<Span> {
        let mut found = if self.is_exact { Vec::new() } else { find::spans(text) };
        if !self.is_exact {
            found.extend(spelling::unseen_undone(text, forms));
            found.extend(spelling::escapes_undone(text, keys_in));
        }
        found.extend(spelling::spans((&self.known, &self.sieve), text));
        found
    }
}

/// Finds the secrets of a known form. Other finds need the words around them as they are.
fn forms(text: &str) -> Vec<Span> {
    let mut found = find::spans(text);
    found.retain(|span| matches!(span.certainty, Certainty::Shape(_) | Certainty::Key));
    found
}

/// Finds private keys.
fn keys_in(text: &str) -> Vec<Span> {
    let mut found = if text.contains(keys::WORD) { find::spans(text) } else { Vec::new() };
    found.retain(|span| span.certainty == Certainty::Key);
    found
}

/// Sorts places, and leaves out those within others.
fn apart(mut found: Vec<Span>) -> Vec<Span> {
    // Of those that begin together, the surest, then the longest.
    found.sort_by_key(|span| (span.start, std::cmp::Reverse((span.certainty, span.end))));
    let mut apart: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match apart.last_mut() {
            // No end of a value stays.
            Some(last) if span.start < last.end && span.certainty == Certainty::Known => {
                last.end = last.end.max(span.end);
            }
            Some(last) if span.start < last.end => {}
            Some(_) | None => apart.push(span),
        }
    }
    apart
}

/// Returns the marks in a text, in order.
pub fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(BEGINNING).filter_map(|(start, _)| {
        let rest = &text.as_bytes()[start + BEGINNING.len()..];
        let length = rest.iter().take(LONGEST_KIND).position(|byte| *byte == b']')?;
        Some(&text[start..start + BEGINNING.len() + length + 1])
    })
}

/// Returns the marks in all texts of a value.
#[must_use]
pub fn marks_in(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => marks(text).collect(),
        Value::Array(values) => values.iter().flat_map(marks_in).collect(),
        Value::Object(members) => members.iter().flat_map(|(name, value)| marks(name).chain(marks_in(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn mark(kind: &str) -> String {
    format!("{BEGINNING}{kind}]")
}
