//! Files of a thread's record, known by their content: under whatever path, they hold what a model read and wrote.
//!
//! That is: the files of the record, and what `thread log`, `show` and `export` write of it, in any of their formats.
//!
//! Formats: docs/formats.md, section 6. A result that was kept whole (`artifacts/`) looks like any file: it is known by its id alone,
//! while the thread is here.

use std::io::{self, Read};

use serde_json::{Map, Value};

use crate::id::ThreadId;
use crate::redact::{Pane, Windows};

/// Words of which every such file has one.
const WORDS: [&str; 4] = ["\"thread_id\"", "\"toolbox\"", "Thread `", PAGE];

/// What is before the id of a thread in its page.
const PAGE: &str = "<p class=\"id\"><code>";

/// How far down a transcript names its thread, in lines.
const HEAD: usize = 8;

/// How much of a large file is looked at at once. No event is longer than what is around it.
const PANE: Pane = Pane { own: 8 << 20, around: 8 << 20 };

/// The largest file that is looked at. Of a larger one it cannot be told.
const MOST_BYTES: u64 = 4 << 30;

/// The shortest text that is a file of a record, in bytes.
const SHORTEST: usize = 32;

/// Tells whether a file is of a thread's record: events, the thread itself, its tokens, its setup or its transcript.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    // Bytes that are not UTF-8 end a text, and hide none.
    let texts = bytes.utf8_chunks().map(|chunk| chunk.valid()).filter(|text| text.len() >= SHORTEST);
    let mut speaking = texts.filter(|text| WORDS.iter().any(|word| text.contains(word)));
    speaking.any(|text| {
        let has_value = || objects(text).any(|members| is_of_record(&members));
        is_transcript(text) || is_page(text) || has_value() || is_setup_file(text)
    })
}

/// Tells whether a commit or tag, as it is stored, has a part of a thread's record in its message or its headers.
pub(super) fn is_record_object(object: &[u8]) -> bool {
    let message = object.windows(2).position(|pair| pair == b"\n\n").map_or(object, |at| &object[at + 2..]);
    is_record(message) || is_record(object)
}

/// Tells whether a large file is of a thread's record, or has a part of one anywhere. A setup in it counts wherever it is: no source shows
/// one in a file of this size.
///
/// # Errors
///
/// Fails when it cannot be read, and when it is larger than 4 GiB.
pub(super) fn is_record_in(content: impl Read) -> io::Result<bool> {
    let mut windows = Windows::of(content, PANE);
    while let Some(window) = windows.next_window()? {
        let is_spoken_of = WORDS.iter().any(|word| window.text.contains(word));
        if is_spoken_of
            && (is_record(window.text.as_bytes()) || objects(window.text).any(|members| has_setup(&members)))
        {
            return Ok(true);
        }
        if windows.read() > MOST_BYTES {
            return Err(io::Error::other("it is larger than 4 GiB"));
        }
    }
    Ok(false)
}

fn has_setup(members: &Map<String, Value>) -> bool {
    let within = |value: &Value| match value {
        Value::Object(members) => has_setup(members),
        Value::Array(values) => values.iter().filter_map(Value::as_object).any(has_setup),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    is_setup(members) || members.values().any(within)
}

/// Yields the outermost JSON objects of a text, whatever is around them: on one line or on many, one after the other, in an array, below a
/// title. One right behind a quotation mark is an example in a source. None begins behind the last word of a record. No part of the text is read more often than objects may be nested.
fn objects(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    let (mut at, last) = (0, WORDS.iter().filter_map(|word| text.rfind(word)).max().unwrap_or(0));
    std::iter::from_fn(move || {
        loop {
            at += text.get(at..last)?.find('{')?;
            let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
            match values.next() {
                Some(Ok(members)) => {
                    let is_quoted = text[..at].ends_with('"');
                    at += values.byte_offset();
                    if !is_quoted {
                        return Some(members);
                    }
                }
                // A JSON text may begin within what is none.
                Some(Err(_)) | None => at += 1,
            }
        }
    })
}

/// One value of a record is enough, wherever it is.
fn is_of_record(members: &Map<String, Value>) -> bool {
    is_event(members) || is_thread(members) || is_output(members) || members.values().any(has_record)
}

fn has_record(value: &Value) -> bool {
    match value {
        Value::Object(members) => is_of_record(members),
        Value::Array(values) => values.iter().any(has_record),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_event(members: &Map<String, Value>) -> bool {
    is_of_thread(members) && ["seq", "type", "data"].iter().all(|name| members.contains_key(*name))
}

/// The thread itself, or a token of one.
fn is_thread(members: &Map<String, Value>) -> bool {
    is_of_thread(members) && members.get("directive").is_some_and(Value::is_object) && members.contains_key("limits")
}

/// What `thread log --json` and `thread show --json` write.
fn is_output(members: &Map<String, Value>) -> bool {
    let has = |name: &str| members.contains_key(name);
    is_of_thread(members) && has("signatures") && (has("transcript") || has("summary") && has("turns"))
}

/// `setup.json`: without the id of a thread in it, it counts as a whole file only, as sources and documents show its members.
fn is_setup_file(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(members)) => is_setup(&members),
        Ok(Value::Array(values)) => values.iter().filter_map(Value::as_object).any(is_setup),
        Ok(_) | Err(_) => false,
    }
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

/// The page that `thread show --html` writes.
fn is_page(text: &str) -> bool {
    let id = |at: usize| text[at + PAGE.len()..].split_once("</code>").and_then(|(id, _)| id.parse::<ThreadId>().ok());
    text.match_indices(PAGE).any(|(at, _)| id(at).is_some())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const ID: &str = "greet-20260101-120000-abcdefgh";

    /// On many lines.
    fn pretty(value: &str) -> String {
        serde_json::to_string_pretty(&serde_json::from_str::<Value>(value).unwrap()).unwrap()
    }

    #[test]
    fn a_record_is_known_by_its_content() {
        let event = format!(r#"{{"v":1,"seq":2,"thread_id":"{ID}","turn":1,"type":"step_start","data":{{}}}}"#);
        for text in [
            event.clone(),
            format!("# noted\n\n  {event}\n"),
            format!(r#"{{"v": 1, "thread_id": "{ID}", "directive": {{}}, "limits": {{}}}}"#),
            format!(r#"[{{"thread_id": "{ID}", "directive": {{}}, "limits": {{}}, "signature": "x"}}]"#),
            r#"{"v": 1, "system": "", "prompt": "", "directive": {}, "toolbox": {}}"#.to_owned(),
            // As `jq . x.jsonl` and `jq -s . x.jsonl` write them, and cut off.
            format!("{}\n{}\n", pretty(&event), pretty(&event)),
            format!("[\n{},\n{}\n]\n", pretty(&event), pretty(&event)),
            format!("[{event},{event}]"),
            format!("[{event},{{\"v\":1,\"se"),
            format!("{{ my notes\n{}", pretty(&event)),
            format!(r#"{{"events": [{event}]}}"#),
            format!("{event}{event}"),
            format!("# demo/greet\n\nThread `{ID}`\n\n## Turn 1\n"),
            format!(r#"{{"thread_id": "{ID}", "transcript": "x", "signatures": {{}}, "unreadable": []}}"#),
            format!(r#"{{"thread_id": "{ID}", "turns": [], "signatures": {{}}, "summary": {{}}}}"#),
            format!("<!doctype html>\n<body>\n<p class=\"id\"><code>{ID}</code>"),
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
            r#"let setup = r"{"v": 1, "system": "", "prompt": "", "directive": {}, "toolbox": {}}";"#,
        ] {
            assert!(!is_record(text.as_bytes()), "{text}");
        }
        // Sources have examples in quotation marks.
        assert!(!is_record(format!("assert_eq!(line, r#\"{event}\"#);\n").as_bytes()));
        for object in [
            format!("tree 0\nauthor A\n\nsee\n\n{event}\n"),
            format!("tree 0\nmergetag object 0\n  {event}\n\nmerge\n"),
            format!("object 0\ntag v1\n\n# demo/greet\n\nThread `{ID}`\n"),
        ] {
            assert!(is_record_object(object.as_bytes()), "{object}");
        }
        assert!(!is_record_object(b"tree 0\nauthor A\n\nsee `thread_id` and Thread `x`\n"));
        assert!(!is_record(&[0xff, 0xfe]));
        assert!(is_record(&[b"\xff\n", event.as_bytes(), b"\n\xfe"].concat()));
    }

    /// What is nested deeply and never ends is not read again for each beginning without end.
    #[test]
    fn a_text_is_read_a_bounded_number_of_times() {
        let opened = |times| "{\"a\":".repeat(times);
        for text in [format!("\"thread_id\" {}", opened(2_000_000)), format!("{}\"thread_id\"", opened(2_000))] {
            assert!(!is_record(text.as_bytes()));
        }
    }
}
