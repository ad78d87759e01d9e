//! The secrets of this installation: their values, as they are and as other programs write them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

use super::find::{Certainty, Span};

/// The shortest value that is looked for, in bytes.
const SHORTEST: usize = 8;

/// The shortest value whose Base64 is looked for, in bytes: the rest of a shorter one may be a part of other words.
const SHORTEST_ENCODED: usize = 12;

/// A secret of this installation: its name, which is not secret, and its value.
pub struct Secret {
    name: String,
    value: Zeroizing<String>,
}

impl Secret {
    /// Takes a copy of a value, which is overwritten when it is dropped.
    #[must_use]
    pub fn new(name: String, value: &str) -> Self {
        Self { name, value: Zeroizing::new(value.to_owned()) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A secret that is looked for.
pub(super) struct Known {
    kind: String,
    /// Its value, then its encodings.
    forms: Vec<Zeroizing<String>>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Known {
    /// Makes the forms of a secret; none for a value that is too short.
    pub(super) fn new(Secret { name, value }: Secret) -> Option<Self> {
        if value.len() < SHORTEST {
            return None;
        }
        let mut forms = vec![quoted(&value), percent_encoded(&value)];
        if value.len() >= SHORTEST_ENCODED {
            forms.extend(encoded(value.as_bytes()));
        }
        forms.push(value);
        forms.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        forms.dedup();
        Some(Self { kind: format!("value of {name}"), forms })
    }

    /// Returns where it may begin at the end of a text, its rest being still to come.
    pub(super) fn begins_at_end(&self, text: &str) -> Option<usize> {
        let of_form = |form: &Zeroizing<String>| {
            let lengths = (1..form.len().min(text.len() + 1)).rev().filter(|length| form.is_char_boundary(*length));
            lengths.into_iter().find(|length| text.ends_with(&form[..*length])).map(|length| text.len() - length)
        };
        self.forms.iter().filter_map(of_form).min()
    }

    /// Finds its places.
    pub(super) fn spans(&self, text: &str) -> Vec<Span> {
        let span = |(start, found): (usize, &str)| Span {
            start,
            end: start + found.len(),
            kind: self.kind.clone().into(),
            certainty: Certainty::Known,
        };
        self.forms.iter().flat_map(|form| text.match_indices(form.as_str())).map(span).collect()
    }
}

/// Its form in a JSON string.
fn quoted(value: &str) -> Zeroizing<String> {
    let quoted = Zeroizing::new(serde_json::Value::from(value).to_string());
    Zeroizing::new(quoted[1..quoted.len() - 1].to_owned())
}

/// Its form in a URL.
fn percent_encoded(value: &str) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(value.len() * 3));
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

/// Its Base64 in both alphabets, at each of the three places that it can have among other bytes, without the characters that
/// those others share.
fn encoded(value: &[u8]) -> Vec<Zeroizing<String>> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let mut bytes = Zeroizing::new(vec![0; before]);
        bytes.extend_from_slice(value);
        let first = (before * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            let encoded = Zeroizing::new(encoded);
            forms.push(Zeroizing::new(encoded[first..last].to_owned()));
        }
    }
    forms
}
