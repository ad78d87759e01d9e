//! The first difference between a record and the derived one.

use serde::Serialize;
use serde_json::Value;

use crate::event::Event;
use crate::git::{self, CommitId};
use crate::id::ThreadId;
use crate::thread::error::Error;
use crate::thread::record::branch;

/// How many characters of a value a difference shows.
const SHOWN: usize = 400;

/// The first difference between a record and the derived one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The thread.
    pub thread_id: ThreadId,
    /// The commit.
    pub commit_id: CommitId,
    /// The turn that it records; none if it names no turn.
    pub turn: Option<u32>,
    /// The path in its tree; none for a field of the commit itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The field: a JSON pointer, a line, or a field of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The number of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The recorded value.
    pub recorded: Value,
    /// The derived value.
    pub derived: Value,
    /// One sentence.
    pub message: String,
}

/// Why a record is not followed any further.
pub(in crate::thread) enum Stop {
    /// It ends here.
    Over,
    /// It differs from the derived one.
    Different(Box<Difference>),
    /// It cannot be read.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<git::Error> for Stop {
    fn from(error: git::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// A commit in which something may differ.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) thread_id: &'a ThreadId,
    pub(super) commit_id: &'a CommitId,
    pub(super) turn: Option<u32>,
}

impl At<'_> {
    /// Says the fault of the commit.
    pub(super) fn wrong(self, message: impl Into<String>) -> Difference {
        Difference {
            thread_id: self.thread_id.clone(),
            commit_id: self.commit_id.clone(),
            turn: self.turn,
            path: None,
            field: None,
            seq: None,
            recorded: Value::Null,
            derived: Value::Null,
            message: message.into(),
        }
    }

    /// Says that a value of the commit itself differs.
    pub(super) fn field(self, field: &str, recorded: &str, derived: &str) -> Difference {
        Difference {
            field: Some(field.to_owned()),
            recorded: shown(&recorded.into()),
            derived: shown(&derived.into()),
            ..self.wrong(format!("the commit has another {field}"))
        }
    }

    /// Compares JSON values that are not the same.
    pub(super) fn json(self, path: String, recorded: &Value, derived: &Value) -> Difference {
        let (pointer, recorded, derived) = first_difference(recorded, derived);
        Difference {
            message: format!("`{}` has another value", pointer.trim_start_matches('/').replace('/', ".")),
            path: Some(path),
            field: Some(pointer),
            recorded: shown(recorded),
            derived: shown(derived),
            ..self.wrong("")
        }
    }

    /// Compares two events; one of them may not be there.
    pub(super) fn event(self, recorded: Option<&Event>, derived: Option<&Event>) -> Difference {
        let value =
            |event: Option<&Event>| event.and_then(|event| serde_json::to_value(event).ok()).unwrap_or_default();
        let turn = recorded.or(derived).map_or(0, |event| event.turn);
        let path = branch::path(self.thread_id, &branch::turn_file(turn));
        let seq = recorded.or(derived).map(|event| event.seq);
        let kind = |value: &Value| value["type"].as_str().unwrap_or_default().to_owned();
        let (recorded, derived) = (value(recorded), value(derived));
        let mut difference = self.json(path, &recorded, &derived);
        difference.seq = seq;
        difference.message = match (recorded.is_null(), derived.is_null()) {
            (true, _) => format!("an event `{}` is missing", kind(&derived)),
            (_, true) => format!("an event `{}` is recorded, and nothing leads to it", kind(&recorded)),
            _ if kind(&recorded) != kind(&derived) => {
                format!("an event `{}` is recorded in the place of `{}`", kind(&recorded), kind(&derived))
            }
            _ => format!("an event `{}` has another value", kind(&recorded)),
        };
        difference
    }
}

impl From<Difference> for Stop {
    fn from(difference: Difference) -> Self {
        Self::Different(Box::new(difference))
    }
}

/// Returns where two values first differ, as a JSON pointer, and what each has there.
fn first_difference<'a>(recorded: &'a Value, derived: &'a Value) -> (String, &'a Value, &'a Value) {
    static NOTHING: Value = Value::Null;
    let inner = match (recorded, derived) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys());
            let mut pairs = names
                .map(|name| (name.clone(), one.get(name).unwrap_or(&NOTHING), other.get(name).unwrap_or(&NOTHING)));
            pairs.find(|(_, one, other)| one != other)
        }
        (Value::Array(one), Value::Array(other)) => {
            let most = one.len().max(other.len());
            let mut pairs = (0..most)
                .map(|at| (at.to_string(), one.get(at).unwrap_or(&NOTHING), other.get(at).unwrap_or(&NOTHING)));
            pairs.find(|(_, one, other)| one != other)
        }
        _ => None,
    };
    match inner {
        Some((name, one, other)) => {
            let (rest, one, other) = first_difference(one, other);
            (format!("/{}{rest}", name.replace('~', "~0").replace('/', "~1")), one, other)
        }
        None => (String::new(), recorded, derived),
    }
}

/// Abridges a value.
fn shown(value: &Value) -> Value {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if text.chars().count() <= SHOWN {
        return value.clone();
    }
    let kept: String = text.chars().take(SHOWN).collect();
    Value::String(format!("{kept}…"))
}
