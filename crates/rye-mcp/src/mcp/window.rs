//! Parts of long results: a client gets one part, in words and as structure, and asks for the next by its offset.
//!
//! A tool does not run again for its next part: the last long results are kept. A call without effect is repeated.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::action::{Action, Done};
use crate::execute::Outcome;

/// The most bytes of a part: about what clients hand on to a model.
pub(super) const MOST: usize = 64 * 1024;

/// The most bytes of results that are kept for their next parts.
const MOST_KEPT: usize = 4 * 1024 * 1024;

/// Where an outcome says which part of a text it has.
const PART: &str = "part";

/// Which part of a long result a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// The first byte.
    pub(super) offset: usize,
    /// How many bytes at most.
    pub(super) limit: usize,
}

impl Default for Window {
    fn default() -> Self {
        Self { offset: 0, limit: MOST }
    }
}

impl Window {
    /// Reads `offset` and `limit`, and takes them out of the arguments.
    ///
    /// # Errors
    ///
    /// Says what is wrong with them.
    pub(super) fn take(arguments: &mut Map<String, Value>) -> Result<Self, String> {
        let mut number = |name: &str| match arguments.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
                let number = number.and_then(|number| usize::try_from(number).ok());
                number.map(Some).ok_or_else(|| format!("`{name}` must be a number of bytes, 0 or more"))
            }
        };
        let (offset, limit) = (number("offset")?.unwrap_or(0), number("limit")?.unwrap_or(MOST));
        // A part of nothing would never end.
        if limit == 0 {
            Err("`limit` must be 1 or more".to_owned())
        } else {
            Ok(Self { offset, limit: limit.min(MOST) })
        }
    }

    /// Cuts the long text of a result, unless all of it was requested and fits.
    pub(super) fn cut(self, done: &mut Done) -> Option<Part> {
        let (text, form) = match done {
            Done::Loaded(outcome) => (&mut outcome.content, Form::Text),
            Done::Executed(Outcome::Knowledge(outcome)) => (&mut outcome.content, Form::Text),
            Done::Executed(Outcome::Tool(outcome)) => {
                let form = match &mut outcome.result {
                    Value::String(_) => Form::Text,
                    // Short ones, which are most, are not written twice.
                    other if self.offset == 0 && other.to_string().len() <= self.limit => return None,
                    other => {
                        *other = Value::String(other.to_string());
                        Form::Json
                    }
                };
                let Value::String(text) = &mut outcome.result else { return None };
                (text, form)
            }
            Done::Executed(Outcome::Directive(_) | Outcome::Skill(_) | Outcome::Planned(_))
            | Done::Found(_)
            | Done::Signed(_) => {
                return None;
            }
        };
        if self.offset == 0 && text.len() <= self.limit {
            return None;
        }
        let (shown, part) = self.part(text, form);
        let whole = std::mem::replace(text, shown);
        Some(Part { whole, ..part })
    }

    /// Returns the part of a text, with the note about it.
    fn part(self, text: &str, form: Form) -> (String, Part) {
        let start = text.floor_char_boundary(self.offset.min(text.len()));
        let end = text.floor_char_boundary(start.saturating_add(self.limit).min(text.len()));
        // A limit shorter than a character still goes on.
        let end = if end == start { text.ceil_char_boundary((start + 1).min(text.len())) } else { end };
        let part = Part { start, end, total: text.len(), form, whole: String::new() };
        (text[start..end].to_owned(), part)
    }
}

/// What a cut text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    /// The JSON text of a result that is not text.
    Json,
}

/// The part of a text that an answer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    start: usize,
    end: usize,
    total: usize,
    form: Form,
    /// The text that it is a part of.
    whole: String,
}

impl Part {
    /// Says in the outcome which part it has.
    pub(super) fn mark(&self, outcome: &mut Value) {
        let form = match self.form {
            Form::Text => "text",
            Form::Json => "json",
        };
        outcome[PART] = json!({"of": form, "offset": self.start, "bytes": self.end - self.start, "total": self.total});
        if self.end < self.total {
            outcome[PART]["next_offset"] = self.end.into();
        }
    }

    /// Says the same in words.
    pub(super) fn sentence(&self) -> String {
        let Self { start, end, total, .. } = self;
        let more =
            if end < total { format!(" Call again with `offset` {end} for the next part.") } else { String::new() };
        format!("\n\n[bytes {start} to {end} of {total}.{more}]")
    }
}

/// The last long results of tools, for their next parts.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<VecDeque<Long>>);

/// A result that is kept.
#[derive(Debug)]
struct Long {
    place: Option<PathBuf>,
    action: Action,
    /// The outcome without the text.
    outcome: Value,
    whole: String,
    form: Form,
    failed: bool,
}

/// A part of a kept result: the outcome with it, the text of the part, and whether the tool failed.
pub(super) type Next = (Value, String, bool);

impl Kept {
    /// Keeps what a part was cut from, in the place of older results of the same call.
    pub(super) fn keep(&self, place: Option<PathBuf>, action: Action, outcome: &Value, part: Part, failed: bool) {
        let mut outcome = outcome.clone();
        outcome["result"] = Value::Null;
        let Part { whole, form, .. } = part;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| (&known.place, &known.action) != (&place, &action));
        kept.push_back(Long { place, action, outcome, whole, form, failed });
        while kept.iter().map(|known| known.whole.len()).sum::<usize>() > MOST_KEPT {
            kept.pop_front();
        }
    }

    /// Returns a part of the last result of a call, if that is still kept.
    pub(super) fn next(&self, place: Option<&std::path::Path>, action: &Action, window: Window) -> Option<Next> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().find(|known| (known.place.as_deref(), &known.action) == (place, action))?;
        let (shown, part) = window.part(&known.whole, known.form);
        let mut outcome = known.outcome.clone();
        outcome["result"] = shown.clone().into();
        part.mark(&mut outcome);
        Some((outcome, shown + &part.sentence(), known.failed))
    }
}
