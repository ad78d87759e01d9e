//! One event in Markdown. Text of a model, a tool or a file's name never becomes a line of the transcript's own: a
//! field of one line is escaped (`code`, `sentence`), text of several lines is put between longer fences than it
//! contains, cut with a mark, or is quoted (`said`).

use serde_json::{Map, Value};

use super::compaction::{cleared, turns};
use super::line::{code, is_closed, named, sentence};
use super::values::{abridged, maybe_billed, parts};
use crate::event::{CallStatus, EventData, SkippedPath, Stood, Then, ToldAs, UnfinishedCall};
use crate::item::PersonGrant;
use crate::trust::KeyId;

/// The longest value that is shown as JSON on one line, in characters.
const LINE: usize = 160;

/// Tells one event in Markdown, of each text at most so many characters; facts for programs are left out.
#[must_use]
pub fn paragraph(what: &EventData, most: usize) -> Option<String> {
    match what {
        EventData::ThreadStart { inputs, limits, granted, .. } => Some(start(inputs, limits, granted.as_deref(), most)),
        EventData::ThreadForked { thread_id, turn, limits, granted, .. } => {
            let limits = terms(limits, granted.as_deref());
            Some(format!("Continues thread `{thread_id}` after turn {turn}\n{limits}"))
        }
        EventData::ThreadResumed { after, limits, unfinished, unanswered, .. } => {
            Some(resumption(*after, limits, unfinished, *unanswered))
        }
        EventData::AssistantText { text } => Some(said(text.trim())),
        EventData::AssistantReasoning { text } => Some(quoted(text.trim())),
        EventData::AnswerDeclined { reason } => Some(format!("Declined to answer: {}", sentence(reason))),
        EventData::ToolCallStart { tool, input, .. } if tool.trim().is_empty() => {
            Some(told("", "- call without a name", input, most))
        }
        EventData::ToolCallStart { tool, input, .. } => {
            Some(told("", &format!("- call `{}`", code(tool)), input, most))
        }
        EventData::ToolCallResult { status, output, stderr: Some(said), .. } => {
            let said = told("  ", "stderr:", &Value::String(said.clone()), most);
            Some(format!("{}\n{said}", result(*status, output, most)))
        }
        EventData::ToolCallResult { status, output, .. } => Some(result(*status, output, most)),
        EventData::PermissionAsked { agreed: true, pattern, .. } => {
            Some(format!("  agreed to, as `permissions.ask` has `{}`", code(pattern)))
        }
        EventData::PermissionDenied { message, .. } => Some(format!("  refused: {}", sentence(message))),
        EventData::ContextInjected { position, item_id, .. } => {
            Some(format!("Context ({}): `{item_id}`", position.as_str()))
        }
        EventData::ProjectFile { path, told, key_id, reason, .. } => {
            Some(project_file(path, *told, key_id.as_ref(), reason.as_deref()))
        }
        EventData::HookTriggered { hook, event, call, status, result: output, .. } => {
            Some(format!("- hook {hook} at `{event}`: {}\n{}", sentence(call), result(*status, output, most)))
        }
        EventData::ChangesTaken { paths } => Some(taken(paths)),
        EventData::Deviation { kind, message } => Some(format!("Deviation `{}`: {}", code(kind), sentence(message))),
        EventData::PathsSkipped { paths } => Some(skipped(paths)),
        EventData::AttemptsFailed { usage, spend } => {
            Some(format!("Failed attempts: {} tokens, {}", usage.total(), sentence(spend)))
        }
        EventData::RequestsUnanswered { count } => maybe_billed(*count),
        EventData::LimitPassed { limit, value, by } => {
            Some(format!("Limit passed: {} {} by {}", sentence(limit), sentence(value), sentence(by)))
        }
        EventData::Retry { reason, without, .. } if !without.is_empty() => {
            Some(format!("Asked again without {}, from here on: {}", fields(without), sentence(reason)))
        }
        EventData::Retry { attempt, reason, wait_ms, .. } => {
            Some(format!("Attempt {attempt} failed, asked again after {wait_ms} ms: {}", sentence(reason)))
        }
        EventData::Fallback { provider, model, reason, .. } => {
            Some(format!("Fallback to `{}` of `{provider}`: {}", code(model), sentence(reason)))
        }
        EventData::ResultsCleared { results } => Some(format!("Left out of later requests: {}", cleared(results))),
        EventData::ContextRefused { message } => Some(format!("Too long for the model: {}", sentence(message))),
        EventData::Summary { turns: of, text, usage, spend, .. } => {
            let head = format!("Summary of {} ({} tokens, {})", turns(*of), usage.total(), sentence(spend));
            Some(told("", &format!("{head}:"), &Value::String(text.clone()), most))
        }
        EventData::ContinuationStart { item_id, status, result: output, .. } => {
            Some(format!("- continues with `{item_id}`\n{}", result(*status, output, most)))
        }
        EventData::LimitReached { limit, value } => {
            Some(format!("Limit reached: {} {}", sentence(limit), sentence(value)))
        }
        EventData::ThreadComplete { outputs } => {
            Some(told("", "Completed. Outputs:", &Value::Object(outputs.clone()), most))
        }
        EventData::ThreadError { code, message } => {
            Some(format!("Ended in error `{}`: {}", self::code(code), sentence(message)))
        }
        EventData::ThreadCancelled { cause } => Some(format!("Cancelled: {}", sentence(cause))),
        // A refusal already says that the call was not approved.
        EventData::PermissionAsked { agreed: false, .. }
        | EventData::UserMessage { .. }
        | EventData::InputCounted { .. }
        | EventData::StepStart { .. }
        | EventData::SummaryStart { .. }
        | EventData::StepFinish { .. }
        | EventData::DirectiveReturn { .. } => None,
    }
}

fn project_file(path: &str, told: ToldAs, key_id: Option<&KeyId>, reason: Option<&str>) -> String {
    let signed = key_id.map(|key_id| format!(", in a list signed by {key_id}")).unwrap_or_default();
    let reason = reason.map(|reason| format!(": {}", sentence(reason))).unwrap_or_default();
    format!("The project's `{}` ({}){signed}{reason}", code(path), told.as_str())
}

fn start(
    inputs: &Map<String, Value>,
    limits: &Map<String, Value>,
    granted: Option<&PersonGrant>,
    most: usize,
) -> String {
    let inputs = told("", "Inputs:", &Value::Object(inputs.clone()), most);
    format!("{inputs}\n\n{}", terms(limits, granted))
}

fn terms(limits: &Map<String, Value>, granted: Option<&PersonGrant>) -> String {
    let granted = granted.map(|granted| format!("\n\nAllowed by flags: {}", sentence(&granted.to_string())));
    format!("Limits: {}{}", listed(limits), granted.unwrap_or_default())
}

fn resumption(after: Stood, limits: &Map<String, Value>, unfinished: &[UnfinishedCall], unanswered: u32) -> String {
    let mut lines = vec![format!("Resumed ({})", after.as_str())];
    lines.extend(maybe_billed(unanswered).map(|told| format!("- {told}")));
    lines.extend(unfinished.iter().map(|UnfinishedCall { call, then, .. }| match then {
        Then::Repeat => format!("- unfinished, made again: `{}`", code(call)),
        Then::Fail => format!("- unfinished, not made again: `{}`", code(call)),
    }));
    format!("{}\n\nLimits: {}", lines.join("\n"), listed(limits))
}

fn taken(paths: &[String]) -> String {
    let named = paths.iter().map(|path| format!("`{}`", code(path))).collect::<Vec<_>>();
    format!("Began with uncommitted changes: {}", named.join(", "))
}

fn fields(names: &[String]) -> String {
    names.iter().map(|name| format!("`{}`", code(name))).collect::<Vec<_>>().join(", ")
}

fn skipped(paths: &[SkippedPath]) -> String {
    let named = paths.iter().map(|path| format!("`{}` ({})", code(&path.path), sentence(&path.reason)));
    format!("Not in this commit: {}", named.collect::<Vec<_>>().join(", "))
}

/// How the lines of the transcript's own begin. A text of the model that begins so is quoted.
const LABELS: [&str; 23] = [
    "Left out of later requests",
    "Too long for the model",
    "Summary of turn",
    "Allowed by flags",
    "Asked again",
    "Attempt ",
    "Declined to",
    "Fallback to",
    "Inputs",
    "Limits:",
    "Continues thread",
    "Resumed (",
    "Context (",
    "Began with",
    "Deviation",
    "Not in this commit",
    "Failed attempts",
    "Limit passed",
    "Limit reached",
    "Completed",
    "Ended in error",
    "Cancelled",
    "Thread ",
];

/// Shows what a model said: a sentence as it is, and what has lines or looks like the transcript's own as a quote.
fn said(text: &str) -> String {
    let is_sentence = text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '"' | '(' | '`'))
        && !text.contains('\n')
        && is_closed(text)
        && !LABELS.iter().any(|label| text.starts_with(label));
    if is_sentence || text.is_empty() { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("> {}", text.replace('\n', "\n> "))
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
        let name = if part.name.is_empty() { String::new() } else { format!("{}:", named(&part.name)) };
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

fn listed(limits: &Map<String, Value>) -> String {
    let named = limits.iter().map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()));
    sentence(&named.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::super::line::printable;
    use super::*;
    use crate::event::{ClearedResult, SkippedPath, Stood, StopReason, TurnRange, Usage};
    use crate::item::{ContextPosition, HookEvent, Price};
    use crate::trust::ContentHash;

    /// The most characters of a text, as in the message of a commit.
    const IN_MESSAGE: usize = 800;

    /// Returns an event of each kind, with `text` wherever a text can be.
    fn all_with(text: &str) -> Vec<EventData> {
        let (t, map) = (|| text.to_owned(), || json!({text: text, "a": {text: [text]}}).as_object().cloned().unwrap());
        let (v, status, artifact) = (|| Value::Object(map()), CallStatus::Ok, None);
        let id = || "a/b".parse().unwrap();
        let sha256 = ContentHash::of(b"x");
        let none = || crate::item::Money::parse("0", "USD").unwrap();
        let price = || Price {
            input_per_million: none(),
            output_per_million: none(),
            cache_read_per_million: None,
            cache_write_per_million: None,
            cache_write_1h_per_million: None,
            cache_1h_unasked: false,
        };
        let limits = || json!({text: text, "a": text}).as_object().cloned().unwrap();
        let events = vec![
            EventData::ThreadStart { inputs: map(), limits: limits(), token: t(), model: None, granted: None },
            EventData::ThreadForked {
                model: None,
                granted: None,
                thread_id: "t-20260317-014108-aaaaaaaa".parse().unwrap(),
                turn: 1,
                commit_id: t(),
                limits: limits(),
                token: t(),
            },
            EventData::ThreadResumed {
                after: Stood::Interrupted,
                turn: 1,
                limits: limits(),
                token: t(),
                used_ms: 1,
                answered: true,
                retaken: false,
                summarized: None,
                unanswered: 0,
                unfinished: [Then::Repeat, Then::Fail]
                    .map(|then| UnfinishedCall { call_id: t(), call: t(), then })
                    .to_vec(),
                terms: Box::new(v()),
            },
            EventData::ContextInjected { position: ContextPosition::Before, item_id: id(), sha256 },
            EventData::ProjectFile {
                path: t(),
                blob_id: Some(t()),
                bytes: Some(1),
                told: ToldAs::Data,
                key_id: None,
                reason: Some(t()),
            },
            EventData::HookTriggered { hook: 1, event: HookEvent::Error, call: t(), status, result: v(), artifact },
            EventData::ChangesTaken { paths: vec![t(), t()] },
            EventData::Deviation { kind: t(), message: t() },
            EventData::UserMessage { text: t() },
            EventData::StepStart { turn: 1 },
            EventData::AssistantText { text: t() },
            EventData::AssistantReasoning { text: t() },
            EventData::AnswerDeclined { reason: t() },
            EventData::ToolCallStart { call_id: t(), tool: t(), item_id: Some(id()), input: v(), step: None },
            EventData::ToolCallResult {
                call_id: t(),
                status,
                output: v(),
                artifact: Some(t()),
                stderr: Some(t()),
                hosts: Vec::new(),
                duration_ms: 1,
            },
            EventData::ToolCallResult {
                call_id: t(),
                status,
                output: json!(text),
                artifact: None,
                stderr: None,
                hosts: Vec::new(),
                duration_ms: 1,
            },
            EventData::PermissionAsked { call_id: t(), call: t(), pattern: t(), agreed: true },
            EventData::PermissionDenied { call_id: t(), call: t(), message: t() },
            EventData::PathsSkipped { paths: vec![SkippedPath { path: t(), reason: t() }] },
            EventData::StepFinish {
                usage: Usage::default(),
                spend: t(),
                stop_reason: StopReason::EndTurn,
                model: None,
                state: v(),
            },
            EventData::InputCounted { tokens: 1 },
            EventData::AttemptsFailed { usage: Usage::default(), spend: t() },
            EventData::RequestsUnanswered { count: 2 },
            EventData::LimitPassed { limit: t(), value: t(), by: t() },
            EventData::Retry { attempt: 1, reason: t(), wait_ms: 500, without: Vec::new() },
            EventData::Retry { attempt: 1, reason: t(), wait_ms: 0, without: vec![t(), t()] },
            EventData::Fallback {
                provider: id(),
                model: t(),
                reason: t(),
                price: Box::new(price()),
                max_output_tokens: 1,
                window: None,
            },
            EventData::ResultsCleared { results: vec![ClearedResult { turn: 1, call_id: t(), bytes: 1 }] },
            EventData::ContextRefused { message: t() },
            EventData::ContinuationStart { item_id: id(), status, result: v(), artifact: None },
            EventData::SummaryStart { turns: TurnRange { first: 1, last: 2 } },
            EventData::Summary {
                turns: TurnRange { first: 1, last: 2 },
                text: t(),
                usage: Usage::default(),
                spend: t(),
                stop_reason: StopReason::EndTurn,
                model: None,
                state: v(),
            },
            EventData::LimitReached { limit: t(), value: t() },
            EventData::DirectiveReturn { outputs: map() },
            EventData::ThreadCancelled { cause: t() },
            EventData::ThreadComplete { outputs: map() },
            EventData::ThreadError { code: t(), message: t() },
        ];
        let kinds: std::collections::BTreeSet<usize> = events.iter().map(number).collect();
        assert_eq!(kinds.len(), 35, "every kind of event is here");
        events
    }

    /// A new kind of event does not compile until it is counted here, and missing until it is above.
    fn number(what: &EventData) -> usize {
        match what {
            EventData::ThreadStart { .. } => 0,
            EventData::ThreadForked { .. } => 1,
            EventData::ContextInjected { .. } => 2,
            EventData::HookTriggered { .. } => 3,
            EventData::ChangesTaken { .. } => 4,
            EventData::Deviation { .. } => 5,
            EventData::UserMessage { .. } => 6,
            EventData::StepStart { .. } => 7,
            EventData::AssistantText { .. } => 8,
            EventData::AssistantReasoning { .. } => 9,
            EventData::ToolCallStart { .. } => 10,
            EventData::ToolCallResult { .. } => 11,
            EventData::PermissionAsked { .. } => 12,
            EventData::PermissionDenied { .. } => 13,
            EventData::PathsSkipped { .. } => 14,
            EventData::StepFinish { .. } => 15,
            EventData::LimitReached { .. } => 16,
            EventData::DirectiveReturn { .. } => 17,
            EventData::ThreadCancelled { .. } => 18,
            EventData::ThreadComplete { .. } => 19,
            EventData::ThreadError { .. } => 20,
            EventData::AttemptsFailed { .. } => 21,
            EventData::LimitPassed { .. } => 22,
            EventData::InputCounted { .. } => 23,
            EventData::Retry { .. } => 24,
            EventData::Fallback { .. } => 25,
            EventData::ThreadResumed { .. } => 26,
            EventData::RequestsUnanswered { .. } => 27,
            EventData::ResultsCleared { .. } => 28,
            EventData::ContextRefused { .. } => 29,
            EventData::SummaryStart { .. } => 30,
            EventData::Summary { .. } => 31,
            EventData::ContinuationStart { .. } => 32,
            EventData::AnswerDeclined { .. } => 33,
            EventData::ProjectFile { .. } => 34,
        }
    }

    /// Holds a paragraph to its form: outside of its fences and quotes no line begins with the text of a field, every
    /// code span ends, and no fence is closed by its content.
    fn check(shown: &str, is_sentence: bool) {
        let is_break = |c: char| c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{2028}' | '\u{2029}');
        assert!(!shown.contains(is_break), "{shown:?}");
        let mut fence: Option<&str> = None;
        for line in shown.split('\n') {
            let words = line.trim_start();
            match fence {
                Some(open) if line == open => fence = None,
                Some(open) => {
                    let indent = &open[..open.len() - open.trim_start().len()];
                    assert!(words.is_empty() || line.starts_with(indent), "{line:?} leaves its block in {shown}");
                    assert!(!words.starts_with(open.trim_start()), "{line:?} closes its block in {shown}");
                }
                None if words.len() >= 3 && words.chars().all(|c| c == '`') => fence = Some(line),
                None if line.starts_with("> ") || line == ">" => {}
                None => {
                    let own = words.trim_start_matches("- ");
                    assert!(!own.starts_with(['#', '>', '~', '=', '<', '[']), "{line:?} in {shown}");
                    assert!((is_sentence || !own.starts_with("FORGED")) && is_closed(line), "{line:?} in {shown}");
                }
            }
        }
        assert!(fence.is_none(), "a fence is open in {shown}");
    }

    proptest::proptest! {
        #[test]
        fn no_field_of_an_event_begins_a_line_or_leaves_its_place(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "\n", "\n\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\u{1b}[2J", "\t", "\u{202e}",
                "`", "```", "~~~", "`````", "    ", "> ", "FORGED", "## FORGED", "# FORGED", "- call `x`", "===", "---",
                "<b>", "[x]: <y", "Completed. Outputs: `{}`", "a", " ", "\"", "\\", "FORGED: x",
            ]), 1..12),
        ) {
            let text = parts.concat();
            for what in all_with(&text) {
                for most in [20, IN_MESSAGE] {
                    let Some(shown) = paragraph(&what, most) else { continue };
                    // A model's message of one sentence begins the line that it is alone on.
                    let is_sentence = matches!(what, EventData::AssistantText { .. }) && said(text.trim()) == text.trim();
                    let is_ours = LABELS.iter().any(|label| shown.starts_with(label));
                    proptest::prop_assert!(!is_sentence || !is_ours && !shown.contains('\n'));
                    check(&printable(&shown), is_sentence);
                }
            }
        }
    }

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
