//! How an answer of a model ends, on each wire format, and what follows: the table in docs/formats.md, section 6.

use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, RESPONSES, Wire, anthropic, chat, run, world};
use crate::support::http::{Reply, Server, reply, stream};

/// What a server says of a prompt that is too long.
const TOO_LONG: [&str; 3] = [
    r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 1000001 tokens > 1000000 maximum"}}"#,
    r#"{"error": {"message": "Your input exceeds the context window", "type": "invalid_request_error", "code": "context_length_exceeded"}}"#,
    r#"{"error": {"message": "This model's maximum context length is 8192 tokens", "type": "invalid_request_error", "code": null}}"#,
];

/// A call as far as it came.
const CUT: &str = r#"{"path": "notes/a.md", "content": "ha"#;

/// A wire format with answers that end in its words for a cut and for a refusal.
struct Ends {
    wire: Wire,
    cut_text: fn() -> Reply,
    /// A call with these arguments, with which the answer ends in this word.
    last_call: fn(&str, &str) -> Reply,
    /// The words for a cut answer and for one that was declined.
    words: [&'static str; 2],
    refusals: &'static [fn() -> Reply],
    too_long: &'static str,
}

const ALL: [Ends; 3] = [
    Ends {
        wire: ANTHROPIC,
        cut_text: || anthropic(anthropic_text(), "max_tokens"),
        last_call: |arguments, word| {
            let call = json!({"type": "tool_use", "id": "toolu_1", "name": "rye_file_system_write", "input": {}});
            let delta = json!({"type": "input_json_delta", "partial_json": arguments});
            let blocks = vec![
                ("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": call})),
                ("content_block_delta", json!({"type": "content_block_delta", "index": 0, "delta": delta})),
                ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
            ];
            anthropic(blocks, word)
        },
        words: ["max_tokens", "refusal"],
        refusals: &[|| anthropic(anthropic_text(), "refusal")],
        too_long: TOO_LONG[0],
    },
    Ends {
        wire: RESPONSES,
        cut_text: || incomplete("max_output_tokens", &[message("output_text", "text")]),
        last_call: |arguments, word| {
            let call = json!({"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "rye_file_system_write",
                "arguments": arguments, "status": "incomplete"});
            incomplete(word, &[call])
        },
        words: ["max_output_tokens", "content_filter"],
        refusals: &[
            || incomplete("content_filter", &[message("output_text", "text")]),
            || ended("completed", &Value::Null, &[message("refusal", "refusal")]),
        ],
        too_long: TOO_LONG[1],
    },
    Ends {
        wire: CHAT,
        cut_text: || chat(&json!({"role": "assistant", "content": "I"}), "length"),
        last_call: |arguments, word| {
            let function = json!({"name": "rye_file_system_write", "arguments": arguments});
            let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
            chat(&json!({"role": "assistant", "content": null, "tool_calls": [call]}), word)
        },
        words: ["length", "content_filter"],
        refusals: &[
            || chat(&json!({"role": "assistant", "content": "I"}), "content_filter"),
            || chat(&json!({"role": "assistant", "content": null, "refusal": "No."}), "stop"),
        ],
        too_long: TOO_LONG[2],
    },
];

fn anthropic_text() -> Vec<(&'static str, Value)> {
    let block = json!({"type": "text", "text": "I"});
    vec![
        ("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": block})),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
    ]
}

/// A message item of the Responses format, with one part.
fn message(kind: &str, field: &str) -> Value {
    let mut part = json!({"type": kind, "annotations": []});
    part[field] = json!("I");
    json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]})
}

fn incomplete(reason: &str, items: &[Value]) -> Reply {
    ended("incomplete", &json!({ "reason": reason }), items)
}

fn ended(status: &str, details: &Value, items: &[Value]) -> Reply {
    let done = |(index, item): (usize, &Value)| {
        let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
        ("response.output_item.done", done)
    };
    let mut events: Vec<(&'static str, Value)> = items.iter().enumerate().map(done).collect();
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "total_tokens": 120});
    let response =
        json!({"id": "resp_1", "status": status, "incomplete_details": details, "output": items, "usage": usage});
    let kind = format!("response.{status}");
    let name = if status == "completed" { "response.completed" } else { "response.incomplete" };
    events.push((name, json!({"type": kind, "response": response})));
    stream(&events)
}

/// The arguments that name the wire format's provider and a model of it.
fn named(wire: &Wire) -> [&'static str; 4] {
    let model = if wire.provider == ANTHROPIC.provider { "claude-sonnet-5-5" } else { "gpt-6.1-terra" };
    ["--provider", wire.provider, "--model", model]
}

/// Runs a thread that is answered once; returns exit code, code of the error and its first line.
fn ending(wire: &Wire, answer: Reply) -> (i32, Value, Value) {
    ending_after(1, wire, answer)
}

/// Runs a thread that is answered so many times.
fn ending_after(answers: usize, wire: &Wire, answer: Reply) -> (i32, Value, Value) {
    let world = world();
    let server = Server::new(vec![answer]);
    let (exit, outcome, told) = run(&world, &server, wire, &named(wire));
    assert_eq!(server.asked().len(), answers, "{}: {told}{outcome}", wire.provider);
    world.check(&world.shown(&outcome));
    (exit, outcome["error"]["code"].clone(), outcome["ending"].clone())
}

#[test]
fn an_answer_that_is_cut_twice_without_a_call_ends_the_thread() {
    for Ends { wire, cut_text, .. } in ALL {
        assert_eq!(ending_after(2, &wire, cut_text()), (1, json!("max_tokens"), json!("error")), "{}", wire.provider);
    }
}

#[test]
fn a_refusal_ends_the_thread() {
    for Ends { wire, refusals, .. } in ALL {
        for refusal in refusals {
            assert_eq!(ending(&wire, refusal()), (1, json!("refusal"), json!("error")), "{}", wire.provider);
        }
    }
}

#[test]
fn a_conversation_that_no_longer_fits_ends_the_thread() {
    for Ends { wire, too_long, .. } in ALL {
        let answer = reply("400 Bad Request", &["content-type: application/json"], too_long);
        assert_eq!(ending(&wire, answer), (1, json!("context_exceeded"), json!("error")), "{}", wire.provider);
    }
    let answer = anthropic(anthropic_text(), "model_context_window_exceeded");
    assert_eq!(ending(&ANTHROPIC, answer), (1, json!("context_exceeded"), json!("error")));
}

/// Even if what there is of the arguments can be read.
#[test]
fn a_call_that_was_cut_off_is_answered_and_never_made() {
    for Ends { wire, last_call, words: [cut, _], .. } in ALL {
        for arguments in [CUT, "", r#"{"path": "notes/a.md", "content": "ha"}"#] {
            let world = world();
            let server = Server::new(vec![last_call(arguments, cut), (wire.text)("Done.")]);
            let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
            let which = format!("{} {arguments}: {told}{outcome}", wire.provider);
            assert_eq!((exit, &outcome["turns"]), (0, &json!(2)), "{which}");
            assert!(server.asked()[1].body.to_string().contains("reached its greatest length in it"), "{which}");
            let thread = world.shown(&outcome);
            assert_eq!(world.in_thread(&thread, "notes/a.md"), None, "{which}");
            world.check(&thread);
        }
    }
}

/// On one wire format the file was written, on another not.
#[test]
fn a_call_of_an_answer_that_was_declined_is_never_made() {
    for Ends { wire, last_call, words: [_, declined], .. } in ALL {
        let world = world();
        let server = Server::new(vec![last_call(r#"{"path": "notes/a.md", "content": "ha"}"#, declined)]);
        let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
        assert_eq!((exit, &outcome["error"]["code"]), (1, &json!("refusal")), "{}: {told}{outcome}", wire.provider);
        let thread = world.shown(&outcome);
        assert_eq!(world.in_thread(&thread, "notes/a.md"), None, "{}", wire.provider);
        world.check(&thread);
    }
}
