//! What the model gets to see of a call: its result, bounded, or what went wrong.

use serde_json::{Value, json};

use crate::action::{Done, RECALL, Recall, Recalled};
use crate::error::with_causes;
use crate::event::{AskedHost, CallStatus};
use crate::execute::{self, ToolStatus};
use crate::format::event_text::{Gap, without_middle, without_middles};
use crate::locate::LocateError;
use crate::machine::Performed;
use crate::sign;
use crate::thread::tree::person_tree;
use crate::trust::Blake3Hash;

/// The size above which a result is kept as an artifact and the model sees it abridged, in bytes.
const MAX_RESULT: usize = 48 * 1024;

/// How much of an abridged result the model sees, in bytes.
const SHOWN: usize = 24 * 1024;

/// How much of it versions before showed, in characters.
const BEGINNING: usize = 16 * 1024;

/// A result before it is bounded.
#[derive(Clone)]
pub(super) struct Answered {
    pub(in crate::thread) status: CallStatus,
    pub(in crate::thread) output: Value,
    /// The end of what its tool wrote to standard error, where the output does not have it.
    pub(in crate::thread) stderr: Option<String>,
    /// The hosts that a tool asked for.
    pub(in crate::thread) hosts: Vec<AskedHost>,
}

impl Answered {
    pub(in crate::thread) const fn new(status: CallStatus, output: Value) -> Self {
        Self { status, output, stderr: None, hosts: Vec::new() }
    }
}

/// What of a failed result says why it failed.
const REASONS: [&str; 5] = ["exit_code", "message", "signal", "stdout_truncated", "timed_out"];

/// The longest text that says why a call failed, in bytes.
const MAX_REASON: usize = 1024;

/// Abridges a result that is too large for the model; returns what it sees, and the digest of the whole. Long texts keep their
/// beginning and their end. One that failed keeps its reason. Nothing in it may be a secret any more.
pub(in crate::thread) fn abridged(text: &str, status: CallStatus) -> Option<(Value, String)> {
    if !is_abridged(text) {
        return None;
    }
    let digest = Blake3Hash::of(text.as_bytes()).to_string();
    let note = |Gap { pointer, offset, bytes }: Gap<'_>| {
        let place = json!({"artifact": digest, "pointer": pointer, "offset": offset});
        format!("{bytes} bytes left out: {RECALL} {place}")
    };
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    let shown = without_middles(&whole, SHOWN, &note).unwrap_or_else(|| {
        let note = |Gap { offset, bytes, .. }: Gap<'_>| {
            format!("{bytes} bytes left out: {RECALL} {}", json!({"artifact": digest, "offset": offset}))
        };
        Value::String(without_middle(text, SHOWN / 2, &note))
    });
    let seen = json!({"abridged": shown, "bytes": text.len(), "artifact": digest});
    Some((with_reasons(seen, &whole, status), digest))
}

/// Adds why a call failed.
fn with_reasons(mut seen: Value, whole: &Value, status: CallStatus) -> Value {
    match status {
        CallStatus::Ok => {}
        CallStatus::Error | CallStatus::Denied => {
            let is_short = |value: &&Value| value.as_str().is_none_or(|text| text.len() <= MAX_REASON);
            let reasons = REASONS.into_iter().filter_map(|name| Some((name, whole.get(name).filter(is_short)?)));
            reasons.for_each(|(name, value)| seen[name] = value.clone());
        }
    }
    seen
}

/// Tells whether a recorded output is what the model saw of a whole one. Versions before showed the beginning alone, and the first of
/// them kept no reason.
pub(in crate::thread) fn is_shown_of(output: &Value, digest: &str, text: &str) -> bool {
    let is = |status| abridged(text, status).is_some_and(|(seen, named)| seen == *output && named == digest);
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    let was = |status| beginning(text).is_some_and(|seen| with_reasons(seen, &whole, status) == *output);
    is(CallStatus::Ok)
        || is(CallStatus::Error)
        || (output["artifact"] == digest && (was(CallStatus::Ok) || was(CallStatus::Error)))
}

/// Tells whether a result is too large for the model.
pub(in crate::thread) const fn is_abridged(text: &str) -> bool {
    text.len() > MAX_RESULT
}

/// What versions before showed of a large result.
fn beginning(text: &str) -> Option<Value> {
    let digest = is_abridged(text).then(|| Blake3Hash::of(text.as_bytes()).to_string())?;
    let beginning: String = text.chars().take(BEGINNING).collect();
    Some(json!({"abridged": beginning, "bytes": text.len(), "artifact": digest}))
}

/// Reads a part of an earlier result.
pub(super) fn recalled(recall: &Recall, whole: Option<&str>) -> Answered {
    let unknown = || match &recall.recalled {
        Recalled::Artifact(digest) => format!("`{digest}` is not the artifact of a result of this thread"),
        Recalled::Call { turn, call_id } => format!("turn {turn} of this thread has no result of call `{call_id}`"),
        Recalled::Turn(turn) => format!("this thread has no turn {turn}"),
    };
    match whole.ok_or_else(unknown).and_then(|whole| recall.of(whole)) {
        Ok(part) => Answered::new(CallStatus::Ok, part),
        Err(message) => {
            Answered::new(CallStatus::Error, json!({"error": {"code": "bad_arguments", "message": message}}))
        }
    }
}

/// Gives the model the instructions of a directive, whole or not at all.
pub(in crate::thread) fn taken_in(output: Value) -> Answered {
    let bytes = output.to_string().len();
    if bytes <= MAX_RESULT {
        return Answered::new(CallStatus::Ok, output);
    }
    let message = format!("its instructions are too long for a thread: {bytes} bytes, and {MAX_RESULT} are the most");
    Answered::new(CallStatus::Error, json!({"error": {"code": "too_large", "message": message}}))
}

/// Tells the model what an action came to.
pub(in crate::thread) fn told(done: &Done) -> Result<Answered, Box<dyn std::error::Error>> {
    let (status, output) = match done {
        Done::Executed(execute::Outcome::Tool(tool)) if tool.cancelled => {
            (CallStatus::Error, Performed::stopped_output())
        }
        Done::Executed(execute::Outcome::Tool(tool)) => {
            let status = match tool.status {
                ToolStatus::Ok => CallStatus::Ok,
                ToolStatus::Error => CallStatus::Error,
            };
            (status, tool.result.clone())
        }
        Done::Signed(sign::Outcome { failures, .. }) if !failures.is_empty() => return Ok(not_signed(&failures[0])),
        Done::Found(_) => (CallStatus::Ok, lean(done.to_value()?)),
        done => (CallStatus::Ok, done.to_value()?),
    };
    Ok(Answered { hosts: hosts(done), stderr: stderr(done), ..Answered::new(status, output) })
}

/// The hosts that a tool asked for.
fn hosts(done: &Done) -> Vec<AskedHost> {
    let Done::Executed(execute::Outcome::Tool(tool)) = done else { return Vec::new() };
    tool.asked.iter().map(|asked| AskedHost { host: asked.host.clone(), allowed: asked.is_allowed }).collect()
}

/// What a tool wrote to standard error besides its result.
fn stderr(done: &Done) -> Option<String> {
    match done {
        Done::Executed(execute::Outcome::Tool(tool)) if !tool.cancelled => tool.stderr.clone(),
        _ => None,
    }
}

/// Tells the model what went wrong, with all causes.
pub(in crate::thread) fn failure(error: &dyn std::error::Error) -> Answered {
    coded("failed", error)
}

/// Tells the model why an item was not signed, with every fault: the model cannot request another check.
fn not_signed(error: &sign::Error) -> Answered {
    let mut answered = failure(error);
    if let sign::Error::Locate(LocateError::Invalid { findings, .. }) = error {
        answered.output["error"]["findings"] = json!(findings);
    }
    answered
}

/// Tells the model which files were not written, and what the call said all the same.
pub(super) fn not_written(refused: &[(String, &'static str)], answered: Option<Answered>) -> Answered {
    let reasons: Vec<String> = refused
        .iter()
        .map(|(path, reason)| match *reason {
            person_tree::UNCOMMITTED => format!("`{path}` has uncommitted changes of the user's"),
            "submodule" => format!("`{path}` lies in a submodule"),
            "nested_repository" => format!("`{path}` lies in another repository"),
            reason => format!("`{path}`: {reason}"),
        })
        .collect();
    let code = refused.first().map_or(person_tree::UNCOMMITTED, |(_, reason)| reason);
    let mut output = json!({"error": {"code": code, "message": format!("not kept: {}", reasons.join("; "))}});
    let (mut hosts, mut stderr) = (Vec::new(), None);
    if let Some(answered) = answered {
        output["result"] = answered.output;
        (hosts, stderr) = (answered.hosts, answered.stderr);
    }
    Answered { hosts, stderr, ..Answered::new(CallStatus::Error, output) }
}

/// Tells the model what went wrong, under a stable word.
pub(super) fn coded(code: &str, error: &dyn std::error::Error) -> Answered {
    let message = with_causes(error);
    Answered::new(CallStatus::Error, json!({"error": {"code": code, "message": message}}))
}

/// Leaves the inputs of directives out of results: a thread's model is told when it executes one, and every token of a
/// result stays in its context.
fn lean(mut found: Value) -> Value {
    for hit in found["results"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if hit.get("item_type").and_then(Value::as_str) != Some("tool") {
            hit.shift_remove("parameters");
        }
    }
    found
}
