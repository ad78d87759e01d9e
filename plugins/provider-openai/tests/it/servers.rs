//! Responses of servers that differ from OpenAI's are read where their meaning is clear.

use rye_plugin_abi::provider::{Body, Message, Provider, ServerEvent};
use rye_provider_openai::OpenAi;
use serde_json::{Value, json};

use crate::support::{ask, decode_after, decode_file, decoded, exchange};

fn call(call_id: &str, name: &str, input: Value) -> Value {
    json!({"kind": "tool_call", "call_id": call_id, "name": name, "input": input})
}

fn stop(reason: &str) -> Value {
    json!({"kind": "stop", "reason": reason})
}

fn failed(class: &str, message: &str) -> Value {
    json!({"kind": "failed", "class": class, "message": message})
}

#[test]
fn calls_of_one_index_are_told_apart_by_id_and_name() {
    let reasoning = json!({"kind": "reasoning", "text": "Let me look."});
    let first = call("call_x", "rye_search", json!({"query": "a"}));
    let second = call("call_y", "rye_search", json!({"query": "b"}));
    assert_eq!(decoded("servers/ollama_calls.sse"), json!([reasoning, first, second, stop("tool_use")]));
}

#[test]
fn calls_without_index_and_id_are_told_apart_by_name() {
    let first = call("call_1", "rye_search", json!({"query": "a"}));
    let second = call("call_2", "rye_load", json!({"id": 1}));
    assert_eq!(decoded("servers/without_index_and_id.sse"), json!([first, second, stop("tool_use")]));
}

#[test]
fn reasoning_in_two_fields_is_shown_once_and_goes_back_in_both() {
    let response = decode_file("servers/vllm_reasoning.sse");
    let usage = json!({"kind": "usage", "input_tokens": 7, "output_tokens": 4});
    let reasoning = json!({"kind": "reasoning", "text": "Hm, yes."});
    let expected = json!([reasoning, {"kind": "text", "text": "Yes."}, usage, stop("end_turn")]);
    assert_eq!(decoded("servers/vllm_reasoning.sse"), expected);
    assert_eq!(response.state["fields"], json!({"reasoning_content": "Hm, yes.", "reasoning": "Hm, yes."}));
}

#[test]
fn signed_reasoning_and_signed_calls_go_back_unchanged() {
    let response = decode_file("servers/openrouter_reasoning.sse");
    let calls = json!([{"call_id": "toolu_1", "name": "rye_search", "input": {}}]);
    let message = json!({"role": "assistant", "text": "", "calls": calls, "state": response.state});
    let message: Message = serde_json::from_value(message).expect("the message is valid");
    let body = exchange(ask(json!({"wire": "chat"}), "", vec![message], json!([]))).body;
    let body: Value = serde_json::from_str(&body).expect("the body is JSON");
    let text = json!({
        "type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1", "text": "I think so.", "signature": "c2ln",
    });
    let sent = json!({
        "role": "assistant", "content": null, "reasoning": "I think so.",
        "reasoning_details": [text, {"type": "reasoning.encrypted", "index": 1, "data": "b3Bh"}],
        "tool_calls": [{
            "id": "toolu_1", "type": "function", "function": {"name": "rye_search", "arguments": "{}"},
            "extra_content": {"google": {"thought_signature": "Z28="}},
        }],
    });
    assert_eq!(body["messages"], json!([sent]));
}

#[test]
fn signed_blocks_in_pieces_are_put_together() {
    let chunk = |delta: Value, reason: Value| {
        let chunk = json!({"choices": [{"delta": delta, "finish_reason": reason}]});
        ServerEvent { event: String::new(), data: chunk.to_string() }
    };
    let block = |thinking: &str, signature: Value| {
        let block = json!({"type": "thinking", "thinking": thinking, "signature": signature});
        chunk(json!({"reasoning_content": thinking, "thinking_blocks": [block]}), Value::Null)
    };
    let pieces =
        [block("One", Value::Null), block(" two", Value::Null), block("", json!("sig")), block("B", json!("s"))];
    let events = pieces.into_iter().chain([chunk(json!({"content": "Done"}), json!("stop"))]).collect();
    let response = decode_after(Value::Null, "chat", 200, Body::Events { events, is_whole: true });
    let blocks = json!([
        {"type": "thinking", "thinking": "One two", "signature": "sig"},
        {"type": "thinking", "thinking": "B", "signature": "s"},
    ]);
    assert_eq!(response.state["fields"], json!({"reasoning_content": "One twoB", "thinking_blocks": blocks}));
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_a_failure() {
    let message = "Provider returned error: upstream went away";
    assert_eq!(decoded("servers/openrouter_error.sse"), failed("server", message));
    assert_eq!(decoded("servers/vllm_error.sse"), failed("server", "EngineCore encountered an issue"));
}

#[test]
fn pings_and_unknown_events_are_skipped() {
    let expected = json!([{"kind": "text", "text": "Hi"}, stop("end_turn")]);
    assert_eq!(decoded("servers/ping_and_unknown.sse"), expected);
    assert_eq!(decoded("servers/responses_without_items.sse"), expected);
}

#[test]
fn an_unknown_item_is_kept() {
    let state = decode_file("servers/responses_without_items.sse").state;
    assert_eq!(state["items"][0], json!({"type": "web_search_call", "id": "ws_1", "status": "completed"}));
}

#[test]
fn an_id_that_the_conversation_knows_is_replaced() {
    let known = json!({"role": "assistant", "text": "", "calls": [{"call_id": "call_0", "name": "a", "input": {}}]});
    let known: Message = serde_json::from_value(known).expect("the message is valid");
    let state = OpenAi::encode(ask(json!({}), "", vec![known], json!([]))).expect("it can be encoded").state;
    let body = json!({"choices": [{"finish_reason": "stop", "message": {"tool_calls": [
        {"id": "call_0", "function": {"name": "a"}}, {"id": "call_0", "function": {"name": "b", "arguments": "{}"}},
        {"function": {"name": "c"}}, {"index": 7},
    ]}}]});
    let response = decode_after(state, "chat", 200, Body::Text { text: body.to_string() });
    let events = serde_json::to_value(response.decoded).expect("it is JSON")["events"].take();
    let calls = [("call_2", "a"), ("call_3", "b"), ("call_4", "c")].map(|(id, name)| call(id, name, json!({})));
    assert_eq!(events, json!([calls[0], calls[1], calls[2], stop("tool_use")]));
}

#[test]
fn output_that_counts_reasoning_in_the_total_only_is_counted_whole() {
    let body = json!({
        "choices": [{"finish_reason": "stop", "message": {"content": [{"type": "text", "text": "Hi"}]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 99}},
    });
    let response = decode_after(Value::Null, "chat", 200, Body::Text { text: body.to_string() });
    let usage = json!({"kind": "usage", "input_tokens": 10, "output_tokens": 40, "cache_read_tokens": 10});
    let events = serde_json::to_value(response.decoded).expect("it is JSON")["events"].take();
    assert_eq!(events, json!([{"kind": "text", "text": "Hi"}, usage, stop("end_turn")]));
}

/// As LiteLLM tells it; parts never exceed the whole.
#[test]
fn tokens_that_are_cached_for_an_hour_are_told_apart() {
    for (written, for_an_hour) in [(30, 20), (30, 99)] {
        let details = json!({"cached_tokens": 5, "cache_creation_tokens": written,
            "cache_creation_token_details": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": for_an_hour}});
        let body = json!({
            "choices": [{"finish_reason": "stop", "message": {"content": "Hi"}}],
            "usage": {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42, "prompt_tokens_details": details},
        });
        let response = decode_after(Value::Null, "chat", 200, Body::Text { text: body.to_string() });
        let usage = json!({"kind": "usage", "input_tokens": 40, "output_tokens": 2, "cache_read_tokens": 5,
            "cache_write_tokens": written, "cache_write_1h_tokens": for_an_hour.min(written)});
        let events = serde_json::to_value(response.decoded).expect("it is JSON")["events"].take();
        assert_eq!(events, json!([{"kind": "text", "text": "Hi"}, usage, stop("end_turn")]));
    }
}

#[test]
fn an_empty_finish_reason_is_none() {
    let chunk = |reason: &str| {
        let chunk = json!({"choices": [{"delta": {"content": "a"}, "finish_reason": reason}]});
        ServerEvent { event: String::new(), data: chunk.to_string() }
    };
    for (reasons, expected) in [
        (["stop", ""], json!([{"kind": "text", "text": "aa"}, stop("end_turn")])),
        (["", ""], failed("cut_short", "the response ended before the turn did")),
    ] {
        let body = Body::Events { events: reasons.map(chunk).to_vec(), is_whole: true };
        let decoded = serde_json::to_value(decode_after(Value::Null, "chat", 200, body).decoded).expect("it is JSON");
        assert_eq!(decoded.get("events").unwrap_or(&decoded), &expected);
    }
}

#[test]
fn unknown_reasons_end_the_turn_as_other() {
    for reason in ["abort", "tool_calls", "new_reason"] {
        let body = json!({"choices": [{"finish_reason": reason, "message": {"content": null}}]});
        let response = decode_after(Value::Null, "chat", 200, Body::Text { text: body.to_string() });
        let decoded = serde_json::to_value(response.decoded).expect("it is JSON");
        assert_eq!(decoded["events"], json!([stop("other")]), "{reason}");
    }
}
