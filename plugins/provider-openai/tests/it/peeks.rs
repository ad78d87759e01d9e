//! Events are read for people who watch, one by one.

use rye_plugin_abi::provider::{PeekRequest, PeekResponse, Provider, ServerEvent};
use rye_provider_openai::OpenAi;
use serde_json::{Value, json};

use crate::support::{events, file};

fn peek(event: ServerEvent) -> PeekResponse {
    OpenAi::peek(PeekRequest { event }).expect("peeking never fails")
}

/// All that is to be seen of a stream, and the places of the events that end it.
fn watch(path: &str) -> (Value, Vec<usize>, usize) {
    let seen: Vec<PeekResponse> = events(file(path)).into_iter().map(peek).collect();
    let deltas: Vec<_> = seen.iter().flat_map(|seen| &seen.deltas).collect();
    let ends = (0..seen.len()).filter(|&index| seen[index].is_last).collect();
    (serde_json::to_value(deltas).expect("deltas are JSON"), ends, seen.len())
}

#[test]
fn what_arrives_is_seen_and_the_last_event_ends_it() {
    let text = |text: &str| json!({"kind": "text", "text": text});
    let reasoning = |text: &str| json!({"kind": "reasoning", "text": text});
    let call = |name: &str| json!({"kind": "call", "name": name});
    for (path, deltas) in [
        ("streams/chat_text.sse", json!([text("Grüße, "), text("world")])),
        ("streams/chat_calls.sse", json!([call("rye_search"), call("rye_load")])),
        ("streams/chat_refusal.sse", json!([text("I cannot "), text("do that.")])),
        ("streams/responses_text.sse", json!([text("Grüße, world")])),
        ("streams/responses_calls.sse", json!([reasoning("Looking it up."), call("rye_search"), call("rye_load")])),
        ("streams/responses_refusal.sse", json!([text("I cannot do that.")])),
        ("streams/responses_incomplete.sse", json!([text("Once upon")])),
        ("streams/responses_failed.sse", json!([])),
        ("streams/responses_error.sse", json!([])),
        ("servers/vllm_reasoning.sse", json!([reasoning("Hm, "), reasoning("yes."), text("Yes.")])),
        ("servers/openrouter_error.sse", json!([text("Half")])),
    ] {
        let (seen, ends, count) = watch(path);
        assert_eq!(seen, deltas, "{path}");
        assert_eq!(ends, [count - 1], "{path}");
    }
}

#[test]
fn what_cannot_be_read_shows_nothing() {
    for data in ["", "{", "1", "null", "{\"choices\": 3}", "{\"type\": 3}", "{\"type\": \"response.new\"}"] {
        let event = ServerEvent { event: String::new(), data: data.to_owned() };
        assert_eq!(peek(event), PeekResponse::default(), "{data}");
    }
}
