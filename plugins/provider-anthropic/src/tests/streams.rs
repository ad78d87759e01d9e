//! Recorded streams, and what they come to.

use super::*;

macro_rules! row {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("streams/", $name, ".sse")),
            include_str!(concat!("streams/", $name, ".turn.json")),
        )
    };
}

/// Names, streams, and the turns they come to.
pub(super) const STREAMS: &[(&str, &str, &str)] = &[
    row!("cut_before_arguments"),
    row!("cut_call"),
    row!("empty"),
    row!("invalid_arguments"),
    row!("overloaded"),
    row!("pause"),
    row!("refusal"),
    row!("stop_sequence"),
    row!("text"),
    row!("tools"),
    row!("unknown"),
];

#[test]
fn recorded_streams_become_turns() {
    for (name, stream, turn) in STREAMS {
        let response = json!(decode_events(events(stream), true));
        assert_eq!(response, serde_json::from_str::<Value>(turn).unwrap(), "{name}: {response:#}");
    }
}

#[test]
fn a_json_body_becomes_the_turn_of_its_stream() {
    // An object of a JSON body is never invalid, and the failed and the empty turn have no blocks.
    let turns = STREAMS.iter().filter(|(.., turn)| turn.contains("content") && !turn.contains("INVALID_JSON"));
    for (name, _, turn) in turns {
        let turn: Value = serde_json::from_str(turn).unwrap();
        let (body, expected) = (message(&turn), turn.clone());
        assert_eq!(json!(decode(200, Body::Text { text: body.to_string() })), expected, "{name}");
    }
}

/// The JSON body that says the same as a turn.
fn message(turn: &Value) -> Value {
    let events = turn["decoded"]["events"].as_array().unwrap();
    let last = |kind: &str| events.iter().rfind(|event| event["kind"] == kind).unwrap();
    let count = |key: &str| last("usage").get(key).and_then(Value::as_u64).unwrap_or_default();
    let reason = last("stop")["reason"].as_str().unwrap();
    json!({
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": turn["model"],
        "content": turn["state"]["content"],
        "stop_reason": if reason == "pause" { "pause_turn" } else { reason },
        "stop_details": turn["state"]["stop_details"],
        "usage": {
            "input_tokens": count("input_tokens") - count("cache_read_tokens") - count("cache_write_tokens"),
            "cache_read_input_tokens": count("cache_read_tokens"),
            "cache_creation_input_tokens": count("cache_write_tokens"),
            "output_tokens": count("output_tokens"),
        },
    })
}

/// Read as it is, it would be an unintended call.
#[test]
fn a_call_at_the_end_of_a_cut_body_is_never_run() {
    for reason in ["max_tokens", "refusal"] {
        let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "write", "input": {"path": "a"}});
        let body = json!({"content": [call("1"), call("2")], "stop_reason": reason}).to_string();
        let response = json!(decode(200, Body::Text { text: body }));
        assert_eq!(
            response["decoded"]["events"],
            json!([
                {"kind": "tool_call", "call_id": "1", "name": "write", "input": {"path": "a"}},
                {"kind": "tool_call", "call_id": "2", "name": "write", "input": "{\"path\":\"a\"}"},
                {"kind": "usage", "input_tokens": 0, "output_tokens": 0},
                {"kind": "stop", "reason": reason},
            ])
        );
    }
}

#[test]
fn a_stream_out_of_order_is_unreadable_and_a_foreign_one_is_not() {
    let start = r#"data: {"type": "message_start", "message": {"content": []}}"#;
    let open = r#"data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}"#;
    let delta = r#"data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "b"}}"#;
    let stop = r#"data: {"type": "message_stop"}"#;
    let read = |lines: &[&str]| match decode_events(lines.iter().map(|line| event(line)).collect(), true).decoded {
        Decoded::Failed { class, .. } => json!(class),
        Decoded::Events { events } => json!(events),
    };
    for lines in [&[stop][..], &[open, stop], &[start, delta, stop], &[start, open, start, stop], &["data: {", stop]] {
        assert_eq!(read(lines), json!("unreadable"), "{lines:?}");
    }
    let text = |text: &str| json!({"kind": "text", "text": text});
    let rest =
        [json!({"kind": "usage", "input_tokens": 0, "output_tokens": 0}), json!({"kind": "stop", "reason": "other"})];
    let turn = |texts: &[&str]| Value::from([texts.iter().map(|&one| text(one)).collect(), rest.to_vec()].concat());
    // The end is nowhere said; an index is used twice; the stream ends as OpenAI's do, and something follows the end.
    assert_eq!(read(&[start, open, delta, stop]), turn(&["ab"]));
    assert_eq!(read(&[start, open, delta, open, delta, delta, stop]), turn(&["ab", "abb"]));
    assert_eq!(read(&[start, open, "data: [DONE]", "data:", "event: ping", stop, delta, "data: {"]), turn(&["a"]));
}

#[test]
fn a_stream_can_be_watched() {
    let seen: Vec<PeekResponse> =
        events(STREAMS.iter().find(|(name, ..)| *name == "tools").unwrap().1).iter().map(peek).collect();
    let deltas: Vec<Value> = seen.iter().flat_map(|seen| &seen.deltas).map(|delta| json!(delta)).collect();
    assert_eq!(
        deltas,
        [
            json!({"kind": "reasoning", "text": "I read"}),
            json!({"kind": "reasoning", "text": " the file."}),
            json!({"kind": "text", "text": "Let me "}),
            json!({"kind": "text", "text": "look."}),
            json!({"kind": "call", "name": "rye_file_system_read"}),
            json!({"kind": "call", "name": "rye_search"}),
        ]
    );
}

#[test]
fn the_event_that_ends_a_stream_is_known() {
    for (name, stream, _) in STREAMS {
        let events = events(stream);
        let ends: Vec<usize> = (0..events.len()).filter(|&index| peek(&events[index]).is_last).collect();
        assert_eq!(ends, [events.len() - 1], "{name}");
    }
}

#[test]
fn a_text_of_ten_megabytes_is_one_text() {
    let piece = "0123456789".repeat(10);
    let mut lines = vec![event(r#"data: {"type": "message_start", "message": {"content": []}}"#)];
    lines.push(event(
        r#"data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#,
    ));
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}});
    lines.extend(vec![event(&format!("data: {delta}")); 100_000]);
    lines.push(event(
        r#"data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}"#,
    ));
    lines.push(event(r#"data: {"type": "message_stop"}"#));
    let Decoded::Events { events } = decode_events(lines, true).decoded else { panic!("no turn") };
    assert_eq!(json!(events[0]), json!({"kind": "text", "text": piece.repeat(100_000)}));
}

/// As a float it would be another number.
#[test]
fn an_integer_of_more_than_64_bits_keeps_its_digits() {
    let body = r#"{"type": "message", "content": [{"type": "tool_use", "id": "toolu_1", "name": "write",
        "input": {"n": 123456789012345678901234567890}}], "stop_reason": "tool_use", "usage": {"output_tokens": 1}}"#;
    let response = json!(decode(200, Body::Text { text: body.to_owned() }));
    assert_eq!(response["decoded"]["events"][0]["input"], json!({"n": "123456789012345678901234567890"}), "{response}");
}
