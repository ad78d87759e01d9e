//! Files of a thread's record, known by their content: under whatever path, they hold what a model read and wrote.
//!
//! Formats: docs/formats.md, section 6. A result that was kept whole (`artifacts/`) looks like any file: it is known by its id alone,
//! while the thread is here.

use serde_json::{Map, Value};

use crate::id::ThreadId;

/// Words of which every such file has one.
const WORDS: [&str; 3] = ["\"thread_id\"", "\"toolbox\"", "Thread `"];

/// How far down a transcript names its thread, in lines.
const HEAD: usize = 8;

/// Tells whether a file is of a thread's record: events, the thread itself, its tokens, its setup or its transcript.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    if !WORDS.iter().any(|word| text.contains(word)) {
        return false;
    }
    has_event(text) || is_value(text) || is_transcript(text)
}

/// One event is enough, wherever it is.
fn has_event(text: &str) -> bool {
    let event = |line: &str| serde_json::from_str::<Map<String, Value>>(line).is_ok_and(|members| is_event(&members));
    text.lines().map(str::trim).filter(|line| line.starts_with('{') && line.contains(WORDS[0])).any(event)
}

fn is_event(members: &Map<String, Value>) -> bool {
    is_of_thread(members) && ["seq", "type", "data"].iter().all(|name| members.contains_key(*name))
}

/// `thread.json`, `token.json` or `setup.json`.
fn is_value(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(members)) => is_thread(&members) || is_setup(&members),
        Ok(Value::Array(values)) => values.iter().filter_map(Value::as_object).any(is_thread),
        Ok(_) | Err(_) => false,
    }
}

/// The thread itself, or a token of one.
fn is_thread(members: &Map<String, Value>) -> bool {
    is_of_thread(members) && members.get("directive").is_some_and(Value::is_object) && members.contains_key("limits")
}

fn is_setup(members: &Map<String, Value>) -> bool {
    ["system", "prompt", "directive", "toolbox"].iter().all(|name| members.contains_key(*name))
}

fn is_of_thread(members: &Map<String, Value>) -> bool {
    members.get("thread_id").and_then(Value::as_str).is_some_and(|id| id.parse::<ThreadId>().is_ok())
}

fn is_transcript(text: &str) -> bool {
    let id = |line: &str| line.strip_prefix("Thread `")?.strip_suffix('`')?.parse::<ThreadId>().ok();
    text.lines().take(HEAD).any(|line| id(line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "greet-20260101-120000-abcdefgh";

    #[test]
    fn a_record_is_known_by_its_content() {
        let event = format!(r#"{{"v":1,"seq":2,"thread_id":"{ID}","turn":1,"type":"step_start","data":{{}}}}"#);
        for text in [
            event.clone(),
            format!("# noted\n\n  {event}\n"),
            format!(r#"{{"v": 1, "thread_id": "{ID}", "directive": {{}}, "limits": {{}}}}"#),
            format!(r#"[{{"thread_id": "{ID}", "directive": {{}}, "limits": {{}}, "signature": "x"}}]"#),
            r#"{"v": 1, "system": "", "prompt": "", "directive": {}, "toolbox": {}}"#.to_owned(),
            format!("# demo/greet\n\nThread `{ID}`\n\n## Turn 1\n"),
        ] {
            assert!(is_record(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "{}",
            r#"{"thread_id": "x"}"#,
            "fn thread_id() -> &str { \"thread_id\" }",
            "Thread `main` panicked at `x`",
            r#"{"toolbox": ["hammer"]}"#,
        ] {
            assert!(!is_record(text.as_bytes()), "{text}");
        }
        assert!(!is_record(&[0xff, 0xfe]));
    }
}
