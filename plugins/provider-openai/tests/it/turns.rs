//! Responses of OpenAI's own servers become turns.

use rye_plugin_abi::provider::{Body, Decoded, ServerEvent};
use serde_json::{Value, json};

use crate::support::{decode, decode_file, decoded};

fn usage() -> Value {
    json!({"kind": "usage", "input_tokens": 1200, "output_tokens": 34, "cache_read_tokens": 1024, "cache_write_tokens": 100})
}

fn text(text: &str) -> Value {
    json!({"kind": "text", "text": text})
}

fn stop(reason: &str) -> Value {
    json!({"kind": "stop", "reason": reason})
}

fn call(call_id: &str, name: &str, input: Value) -> Value {
    json!({"kind": "tool_call", "call_id": call_id, "name": name, "input": input})
}

#[test]
fn a_text_ends_the_turn() {
    for name in ["chat_text", "responses_text"] {
        assert_eq!(decoded(&format!("streams/{name}.sse")), json!([text("Grüße, world"), usage(), stop("end_turn")]));
    }
}

#[test]
fn calls_come_in_order_with_their_arguments() {
    let search = call("call_a", "rye_search", json!({"query": "x"}));
    let load = call("call_b", "rye_load", json!({"id": "n/a"}));
    assert_eq!(decoded("streams/chat_calls.sse"), json!([search, load, usage(), stop("tool_use")]));
}

#[test]
fn arguments_that_are_not_json_are_handed_on_as_text() {
    let search = call("call_a", "rye_search", json!("{\"query\": x}"));
    let load = call("call_b", "rye_load", json!({}));
    assert_eq!(decoded("streams/chat_invalid_arguments.sse"), json!([search, load, usage(), stop("tool_use")]));
}

#[test]
fn reasoning_and_calls_of_responses_are_in_the_order_of_the_output() {
    let reasoning = json!({"kind": "reasoning", "text": "Looking it up."});
    let search = call("call_a", "rye_search", json!({"query": "x"}));
    let load = call("call_b", "rye_load", json!("{\"id\": n}"));
    assert_eq!(decoded("streams/responses_calls.sse"), json!([reasoning, search, load, usage(), stop("tool_use")]));
}

#[test]
fn items_of_responses_are_kept_as_their_done_event_says() {
    let state = decode_file("streams/responses_calls.sse").state;
    let reasoning = json!({
        "id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Looking it up."}],
        "encrypted_content": "whole",
    });
    assert_eq!(state["wire"], "responses");
    assert_eq!(state["items"][0], reasoning);
    assert_eq!(state["items"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_response_without_a_stream_is_the_same_turn() {
    let search = call("call_a", "rye_search", json!({"query": "x"}));
    let load = call("call_b", "rye_load", json!({}));
    let events = json!([text("Looking."), search, load, usage(), stop("tool_use")]);
    assert_eq!(decoded("streams/chat_whole.json"), events);
    let reasoning = json!({"kind": "reasoning", "text": "Looking it up."});
    assert_eq!(decoded("streams/responses_whole.json"), json!([reasoning, search, usage(), stop("tool_use")]));
}

#[test]
fn each_reason_ends_the_turn() {
    let said = |said: &str, reason: &str| json!([text(said), usage(), stop(reason)]);
    let declined =
        |said: &str, why: &str| json!([text(said), usage(), json!({"kind": "declined", "text": why}), stop("refusal")]);
    let filter = "the provider's content filter stopped the answer";
    for (name, expected) in [
        ("chat_length", said("Once upon", "max_tokens")),
        ("chat_filtered", declined("Well", filter)),
        ("chat_refusal", declined("I cannot do that.", "I cannot do that.")),
        ("chat_empty", json!([usage(), stop("end_turn")])),
        ("responses_incomplete", said("Once upon", "max_tokens")),
        ("responses_filtered", declined("Once upon", filter)),
        ("responses_refusal", declined("I cannot do that.", "I cannot do that.")),
        ("responses_empty", json!([usage(), stop("end_turn")])),
    ] {
        assert_eq!(decoded(&format!("streams/{name}.sse")), expected, "{name}");
    }
}

/// As Azure says it.
#[test]
fn a_filter_names_its_categories() {
    let results = json!({"hate": {"filtered": false}, "violence": {"filtered": true, "severity": "high"}});
    let choice =
        json!({"finish_reason": "content_filter", "message": {"content": null}, "content_filter_results": results});
    let turn = decode("chat", 200, Body::Text { text: json!({"choices": [choice]}).to_string() });
    let Decoded::Events { events } = turn.decoded else { panic!("no turn") };
    let why = "the provider's content filter stopped the answer (violence)";
    assert_eq!(json!(events), json!([{"kind": "declined", "text": why}, stop("refusal")]));
}

#[test]
fn a_call_that_the_limit_cut_off_is_text_whatever_it_looks_like() {
    let search = call("call_a", "rye_search", json!({}));
    let cut = call("call_b", "rye_load", json!("{\"id\":\"n"));
    let events = json!([text("I look."), search, cut, usage(), stop("max_tokens")]);
    assert_eq!(decoded("streams/chat_length_in_call.sse"), events);
    let cut = call("call_a", "rye_search", json!("{\"qu"));
    assert_eq!(decoded("streams/responses_cut_call.sse"), json!([cut, usage(), stop("max_tokens")]));
}

#[test]
fn an_error_in_a_stream_is_a_failure() {
    let failed = |class: &str, message: &str| json!({"kind": "failed", "class": class, "message": message});
    assert_eq!(decoded("streams/responses_failed.sse"), failed("rate_limit", "Slow down."));
    assert_eq!(decoded("streams/responses_error.sse"), failed("server", "It broke."));
}

/// Billed tokens count, whatever the result.
#[test]
fn a_failure_says_what_the_server_reported_until_then() {
    let used = |wire: &str, events: &[Value]| {
        let event = |data: &Value| ServerEvent { event: String::new(), data: data.to_string() };
        let body = Body::Events { events: events.iter().map(event).collect(), is_whole: false };
        match decode(wire, 200, body).decoded {
            Decoded::Failed { usage, .. } => (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens),
            Decoded::Events { events } => panic!("{events:?}"),
        }
    };
    let chunk = |usage: Value| json!({"choices": [{"index": 0, "delta": {"content": "a"}}], "usage": usage});
    let usage = json!({"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}});
    assert_eq!(used("chat", &[chunk(Value::Null)]), (0, 0, 0));
    assert_eq!(used("chat", &[chunk(usage.clone()), chunk(Value::Null)]), (90, 7, 40));
    assert_eq!(used("chat", &[chunk(usage), json!({"error": {"message": "It broke."}})]), (90, 7, 40));
    let usage = json!({"input_tokens": 90, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 40}});
    let failed = json!({"status": "failed", "error": {"code": "server_error", "message": "no"}, "usage": usage});
    assert_eq!(used("responses", &[json!({"type": "response.failed", "response": failed})]), (90, 7, 40));
}

/// It is the host that answers it.
#[test]
fn a_call_that_names_no_tool_is_a_call() {
    let function = json!({"id": "a", "function": {"arguments": "{}"}});
    let chat = json!({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [function]}}]});
    let responses = json!({"status": "completed", "output": [{"type": "function_call", "call_id": "a"}]});
    for (wire, body) in [("chat", chat), ("responses", responses)] {
        let turn = decode(wire, 200, Body::Text { text: body.to_string() });
        let Decoded::Events { events } = turn.decoded else { panic!("{wire}") };
        assert_eq!(json!(events), json!([call("a", "", json!({})), stop("tool_use")]), "{wire}");
    }
}
