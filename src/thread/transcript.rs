//! A turn for people: commit subjects, bodies and trailers, and the whole transcript as Markdown. Pure text.
//!
//! What has lines of its own stands between fences that are longer than any fence in it, and is cut with a mark.

use serde_json::Value;

use super::record::{Record, Status};
use super::values::{abridged, parts};
use crate::event::{CallStatus, Event, EventData};

/// The longest subject of a commit, in characters.
const SUBJECT: usize = 72;

/// The longest value that is shown as JSON on one line, in characters.
const LINE: usize = 160;

/// The most characters of a text that a commit message shows.
const IN_MESSAGE: usize = 800;

/// The most characters of a text that the transcript shows.
const IN_TRANSCRIPT: usize = 16 * 1024;

/// Builds the message of a commit from the events it adds.
pub(super) fn message(record: &Record, turn: u32, events: &[Event]) -> String {
    let subject: String = on_one_line(&subject(record, turn, events)).chars().take(SUBJECT).collect();
    let body = printable(&joined(events.iter().filter_map(|event| paragraph(&event.what, IN_MESSAGE))));
    let body = if body.is_empty() { String::new() } else { format!("{body}\n\n") };
    format!("{subject}\n\n{body}{}", trailers(record, turn))
}

/// Builds `transcript.md`.
pub(super) fn markdown<'a>(record: &Record, events: impl IntoIterator<Item = &'a Event>) -> String {
    let mut parts = vec![format!("# {}\n\nThread `{}`", record.directive.id, record.thread_id)];
    let mut turn = 0;
    for event in events {
        if event.turn != turn && !event.what.is_terminal() {
            turn = event.turn;
            parts.push(format!("## Turn {turn}"));
        }
        parts.extend(paragraph(&event.what, IN_TRANSCRIPT));
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

/// Tells one event in Markdown, of each text at most so many characters; what only programs need is left out.
fn paragraph(what: &EventData, most: usize) -> Option<String> {
    match what {
        EventData::ThreadStart { inputs, limits, .. } => {
            let inputs = told("", "Inputs:", &Value::Object(inputs.clone()), most);
            Some(format!("{inputs}\n\nLimits: {}", listed(limits)))
        }
        EventData::ThreadForked { thread_id, turn, limits, .. } => {
            Some(format!("Continues thread `{thread_id}` after turn {turn}\nLimits: {}", listed(limits)))
        }
        EventData::AssistantText { text } => Some(text.trim().to_owned()),
        EventData::AssistantReasoning { text } => Some(format!("> {}", text.trim().replace('\n', "\n> "))),
        EventData::ToolCallStart { tool, input, .. } => {
            Some(told("", &format!("- call `{}`", code(tool)), input, most))
        }
        EventData::ToolCallResult { status, output, .. } => Some(result(*status, output, most)),
        EventData::PermissionAsked { agreed: true, pattern, .. } => {
            Some(format!("  agreed to, as `permissions.ask` has `{pattern}`"))
        }
        EventData::PermissionDenied { message, .. } => Some(format!("  refused: {message}")),
        EventData::ContextInjected { position, item_id, .. } => {
            Some(format!("Context ({}): `{item_id}`", position.as_str()))
        }
        EventData::HookTriggered { hook, event, call, status, result: output, .. } => {
            Some(format!("- hook {hook} at `{event}`: {call}\n{}", result(*status, output, most)))
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
            Some(told("", "Completed. Outputs:", &Value::Object(outputs.clone()), most))
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

fn result(status: CallStatus, output: &Value, most: usize) -> String {
    told("  ", &format!("{}:", word(status)), output, most)
}

const fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "ok",
        CallStatus::Error => "error",
        CallStatus::Denied => "denied",
    }
}

/// Tells a value behind a label: on one line where that reads well, else part by part, texts as fenced blocks.
fn told(indent: &str, label: &str, value: &Value, most: usize) -> String {
    let line = value.to_string();
    let parts = parts(value);
    if line.chars().nth(LINE).is_none() && parts.iter().all(|part| !part.is_block) {
        return format!("{indent}{label} `{}`", code(&line));
    }
    let mut text = format!("{indent}{}", label.trim_end_matches(':'));
    for part in parts {
        let (shown, left) = abridged(&part.text, most);
        let more = if left == 0 { String::new() } else { format!(" … ({left} more characters)") };
        let name = if part.name.is_empty() { String::new() } else { format!("{}:", code(&part.name)) };
        if part.is_block {
            let (inner, fence) = (format!("{indent}    "), fence(shown));
            match format!("{name}{more}").trim() {
                "" => text.push('\n'),
                heading => text.push_str(&format!("\n{indent}  - {heading}\n")),
            }
            text.push_str(&format!("\n{inner}{fence}\n"));
            for line in shown.trim_end_matches('\n').split('\n') {
                text.push_str(&format!("{}\n", format!("{inner}{line}").trim_end_matches([' ', '\r'])));
            }
            text.push_str(&inner);
            text.push_str(&fence);
        } else {
            text.push_str(&format!("\n{indent}  - {}", format!("{name} `{}`", code(shown)).trim_start()));
        }
    }
    text
}

/// Returns a fence that nothing in a text can close.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// Makes a text fit between two backticks.
fn code(text: &str) -> String {
    text.replace('`', "'")
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_short_value_stays_on_its_line() {
        assert_eq!(told("  ", "ok:", &json!({"a": "`b`"}), 10), "  ok: `{\"a\":\"'b'\"}`");
    }

    #[test]
    fn a_text_with_lines_is_a_block_that_it_cannot_close() {
        let value = json!({"path": "a.md", "content": "```sh\n\nls  \n````\n"});
        let expected =
            "- call `w`\n  - path: `a.md`\n  - content:\n\n    `````\n    ```sh\n\n    ls\n    ````\n    `````";
        assert_eq!(told("", "- call `w`", &value, 100), expected);
        assert_eq!(
            told("", "ok:", &json!("a\nbcd"), 3),
            "ok\n  - … (2 more characters)\n\n    ```\n    a\n    b\n    ```"
        );
    }
}
