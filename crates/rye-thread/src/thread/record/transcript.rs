//! A turn for people: commit subjects, bodies and trailers, and the whole transcript as Markdown. Pure text.
//!
//! Text of a model, a tool or a file's name never becomes a line of the transcript's own: a field of one line is
//! escaped (`code`, `sentence`), text of several lines is put between longer fences than it contains, cut with a mark,
//! or is quoted (`said`).

use super::thread_json::{Record, Status};
use crate::event::{Event, EventData};
use crate::format::event_text::{one_line, paragraph, printable, sentence, turns};

/// The longest subject of a commit, in characters.
const SUBJECT: usize = 72;

/// The most characters of a text that a commit message shows.
const IN_MESSAGE: usize = 800;

/// The most characters of a text that the transcript shows.
const IN_TRANSCRIPT: usize = 16 * 1024;

/// Builds the message of a commit from the events it adds.
pub(in crate::thread) fn message(record: &Record, turn: u32, events: &[Event]) -> String {
    let subject: String = one_line(&subject(record, turn, events)).chars().take(SUBJECT).collect();
    let body = printable(&joined(events.iter().filter_map(|event| paragraph(&event.what, IN_MESSAGE))));
    let body = if body.is_empty() { String::new() } else { format!("{body}\n\n") };
    format!("{subject}\n\n{body}{}", trailers(record, turn))
}

/// Builds `transcript.md`.
pub(in crate::thread) fn markdown<'a>(record: &Record, events: impl IntoIterator<Item = &'a Event>) -> String {
    let (mut growing, mut text) = Growing::begin(record);
    for event in events {
        text.push_str(&growing.event(event));
    }
    text + &part(&totals(record))
}

/// `transcript.md` as it grows: only appended to, existing text stays as it is.
#[derive(Debug)]
pub(super) struct Growing {
    turn: u32,
}

impl Growing {
    /// Begins a transcript; returns its heading.
    pub(in crate::thread) fn begin(record: &Record) -> (Self, String) {
        let heading = format!("# {}\n\nThread `{}`\n", record.directive.id, record.thread_id);
        (Self { turn: 0 }, printable(&heading))
    }

    /// Returns what an event adds.
    pub(in crate::thread) fn event(&mut self, event: &Event) -> String {
        let mut text = String::new();
        let is_of_a_turn = !event.what.is_terminal() && !matches!(event.what, EventData::ThreadResumed { .. });
        if event.turn != self.turn && is_of_a_turn {
            self.turn = event.turn;
            text.push_str(&part(&format!("## Turn {}", event.turn)));
        }
        text.extend(paragraph(&event.what, IN_TRANSCRIPT).map(|paragraph| part(&paragraph)));
        text
    }
}

/// Makes a paragraph the next part of the transcript; indented text belongs to the line above it.
fn part(paragraph: &str) -> String {
    let gap = if paragraph.starts_with("  ") { "" } else { "\n" };
    printable(&format!("{gap}{paragraph}\n"))
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
    if let Some(EventData::ThreadResumed { turn, .. }) = events.first().map(|event| &event.what) {
        return format!("resume: {} after turn {turn}", record.directive.id);
    }
    let summary = events.iter().find_map(|event| match &event.what {
        EventData::Summary { turns, .. } => Some(*turns),
        _ => None,
    });
    if let Some(summarised) = summary {
        return format!("summary: {}", turns(summarised));
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
        EventData::ToolCallStart { tool, .. } if tool.trim().is_empty() => Some("a call without a name".to_owned()),
        EventData::ToolCallStart { tool, .. } => Some(tool.clone()),
        _ => None,
    }
}

/// Joins paragraphs by empty lines; indented text belongs to the line above it.
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

fn totals(record: &Record) -> String {
    let Record { turns, usage, spend, .. } = record;
    one_line(&format!("{turns} turns, {} tokens, {} {}", usage.total(), spend.amount, spend.currency))
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
    lines.iter().map(|(name, value)| format!("{name}: {}\n", sentence(value))).collect()
}
