//! A turn for people: commit subjects, bodies and trailers, and the whole transcript as Markdown. Pure text.

use serde_json::Value;

use super::record::{Record, Status};
use crate::event::{CallStatus, Event, EventData};

/// The longest subject of a commit, in characters.
const SUBJECT: usize = 72;

/// The most characters of a result that a commit message shows.
const RESULT: usize = 400;

/// Builds the message of a commit from the events it adds.
pub(super) fn message(record: &Record, turn: u32, events: &[Event]) -> String {
    let subject: String = on_one_line(&subject(record, turn, events)).chars().take(SUBJECT).collect();
    let body = printable(&body(events));
    let body = if body.is_empty() { String::new() } else { format!("{body}\n\n") };
    format!("{subject}\n\n{body}{}", trailers(record, turn))
}

/// Builds `transcript.md`.
pub(super) fn markdown(record: &Record, events: &[Event]) -> String {
    let mut parts = vec![format!("# {}\n\nThread `{}`", record.directive.id, record.thread_id)];
    let mut turn = 0;
    for event in events {
        if event.turn != turn && !event.what.is_terminal() {
            turn = event.turn;
            parts.push(format!("## Turn {turn}"));
        }
        parts.extend(paragraph(&event.what));
    }
    parts.push(totals(record));
    printable(&joined(parts)) + "\n"
}

fn subject(record: &Record, turn: u32, events: &[Event]) -> String {
    if turn == 0 && record.forked_from.is_none() {
        return format!("start: {}", record.directive.id);
    }
    if record.status != Status::Running {
        return format!("end: {}", record.status.as_str());
    }
    if events.iter().any(|event| matches!(event.what, EventData::ThreadForked { .. })) {
        return format!("fork: {} after turn {turn}", record.directive.id);
    }
    let calls: Vec<String> = events.iter().filter_map(called).collect();
    let what = match calls.as_slice() {
        [] => "text".to_owned(),
        [call] => call.clone(),
        [call, rest @ ..] => format!("{call} and {} more", rest.len()),
    };
    let denied = events.iter().any(|event| matches!(event.what, EventData::PermissionDenied { .. }));
    format!("turn {turn}: {what}{}", if denied { " (refused)" } else { "" })
}

/// Names a call as people say it: `execute rye/file-system/write`, or the tool's own name.
fn called(event: &Event) -> Option<String> {
    match &event.what {
        EventData::ToolCallStart { tool, item_id: Some(id), .. } => {
            let verb = tool.strip_prefix("rye_").filter(|word| matches!(*word, "load" | "sign")).unwrap_or("execute");
            Some(format!("{verb} {id}"))
        }
        EventData::ToolCallStart { tool, .. } => Some(tool.clone()),
        _ => None,
    }
}

/// Takes out what would forge lines: a model may call its tools anything.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Takes out what git refuses in a message (NUL) and what a terminal would obey (escapes).
fn printable(text: &str) -> String {
    let harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().map(|c| if harmless(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

fn body(events: &[Event]) -> String {
    joined(events.iter().filter_map(|event| paragraph(&event.what)))
}

/// Joins paragraphs by empty lines; what is indented belongs to the line above it.
fn joined(parts: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for part in parts {
        let gap = if text.is_empty() {
            ""
        } else if part.starts_with("  ") {
            "\n"
        } else {
            "\n\n"
        };
        text.push_str(gap);
        text.push_str(&part);
    }
    text
}

/// Tells one event in Markdown; what only programs need is left out.
fn paragraph(what: &EventData) -> Option<String> {
    match what {
        EventData::ThreadStart { inputs, limits, .. } => {
            Some(format!("Inputs: `{}`\nLimits: {}", Value::Object(inputs.clone()), listed(limits)))
        }
        EventData::ThreadForked { thread_id, turn, limits, .. } => {
            Some(format!("Continues thread `{thread_id}` after turn {turn}\nLimits: {}", listed(limits)))
        }
        EventData::AssistantText { text } => Some(text.trim().to_owned()),
        EventData::AssistantReasoning { text } => Some(format!("> {}", text.trim().replace('\n', "\n> "))),
        EventData::ToolCallStart { tool, input, .. } => Some(format!("- call `{tool}` {}", shown(input))),
        EventData::ToolCallResult { status, output, .. } => Some(format!("  {}: {}", word(*status), shown(output))),
        EventData::PermissionAsked { agreed: true, pattern, .. } => {
            Some(format!("  agreed to, as `permissions.ask` has `{pattern}`"))
        }
        EventData::PermissionDenied { message, .. } => Some(format!("  refused: {message}")),
        EventData::ContextInjected { position, item_id, .. } => {
            Some(format!("Context ({}): `{item_id}`", position.as_str()))
        }
        EventData::HookTriggered { hook, event, call, status, result, .. } => {
            Some(format!("- hook {hook} at `{event}`: {call}\n  {}: {}", word(*status), shown(result)))
        }
        EventData::ChangesTaken { paths } => {
            let named = paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>();
            Some(format!("Began with uncommitted changes: {}", named.join(", ")))
        }
        EventData::Deviation { kind, message } => Some(format!("Deviation `{kind}`: {message}")),
        EventData::PathsSkipped { paths } => {
            let named = paths.iter().map(|path| format!("`{}` ({})", path.path, path.reason));
            Some(format!("Not in this commit: {}", named.collect::<Vec<_>>().join(", ")))
        }
        EventData::LimitReached { limit, value } => Some(format!("Limit reached: {limit} {value}")),
        EventData::ThreadComplete { outputs } => {
            Some(format!("Completed. Outputs: {}", shown(&Value::Object(outputs.clone()))))
        }
        EventData::ThreadError { code, message } => Some(format!("Ended in error `{code}`: {message}")),
        EventData::ThreadCancelled { cause } => Some(format!("Cancelled: {cause}")),
        // A refusal says by itself that nobody agreed.
        EventData::PermissionAsked { agreed: false, .. }
        | EventData::UserMessage { .. }
        | EventData::StepStart { .. }
        | EventData::StepFinish { .. }
        | EventData::DirectiveReturn { .. } => None,
    }
}

const fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "ok",
        CallStatus::Error => "error",
        CallStatus::Denied => "denied",
    }
}

/// Shows a value as code on one line, abridged.
fn shown(value: &Value) -> String {
    let text = value.to_string().replace('`', "'");
    let kept: String = text.chars().take(RESULT).collect();
    let dots = if kept.len() < text.len() { " …" } else { "" };
    format!("`{kept}`{dots}")
}

fn listed(limits: &serde_json::Map<String, Value>) -> String {
    let named = limits.iter().map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()));
    named.collect::<Vec<_>>().join(", ")
}

fn totals(record: &Record) -> String {
    let Record { turns, usage, spend, .. } = record;
    format!("{turns} turns, {} tokens, {} {}", usage.total(), spend.amount, spend.currency)
}

fn trailers(record: &Record, turn: u32) -> String {
    let lines = [
        ("Rye-Thread", record.thread_id.to_string()),
        ("Rye-Turn", turn.to_string()),
        ("Rye-Directive", format!("{} {}", record.directive.id, record.directive.version)),
        ("Rye-Model", record.model.clone()),
        ("Rye-Tokens", record.usage.total().to_string()),
        ("Rye-Spend", format!("{} {}", record.spend.amount, record.spend.currency)),
        ("Rye-Status", record.status.as_str().to_owned()),
    ];
    lines.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}
