//! Conversations become bodies, byte for byte the same each time.

use rye_plugin_abi::provider::{EncodeRequest, Message, Provider};
use rye_provider_openai::OpenAi;
use serde_json::{Value, json};

use crate::support::{ask, decode_file, exchange, file};

fn messages(messages: Value) -> Vec<Message> {
    serde_json::from_value(messages).expect("the messages are valid")
}

fn tools() -> Value {
    let schema = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    let any = json!({"type": "object"});
    json!([
        {"name": "rye_search", "description": "Searches.", "input_schema": schema},
        {"name": "rye_load", "description": "Loads.", "input_schema": any},
    ])
}

/// A conversation of each kind of message: another model's, this one's, results, errors.
fn conversation(stream: &str) -> Vec<Message> {
    let state = decode_file(stream).state;
    let old = json!({"call_id": "toolu_1", "name": "rye_load", "input": {"id": "a"}});
    let bad = json!({"call_id": "toolu_2", "name": "rye_load", "input": "{\"id\":"});
    let search = json!({"call_id": "call_a", "name": "rye_search", "input": {"query": "x"}});
    let load = json!({"call_id": "call_b", "name": "rye_load", "input": {"id": "n/a"}});
    let result = |call_id: &str, name: &str, output: Value, is_error: bool| json!({"role": "tool", "call_id": call_id, "name": name, "output": output, "is_error": is_error});
    messages(json!([
        {"role": "user", "text": "Find ü and \"b\"."},
        {"role": "assistant", "text": "I look.", "calls": [old, bad], "state": null},
        result("toolu_1", "rye_load", json!("as it is"), false),
        result("toolu_2", "rye_load", json!("the arguments are not JSON"), true),
        {"role": "assistant", "text": "", "calls": [search, load], "state": state},
        result("call_a", "rye_search", json!({"z": 1, "a": [2.5, null]}), false),
        result("call_b", "rye_load", json!({"error": {"code": "not_found"}}), true),
        {"role": "assistant", "text": "Done.", "calls": [], "state": null},
        {"role": "user", "text": "Thanks."},
    ]))
}

fn body(request: EncodeRequest) -> Value {
    serde_json::from_str(&exchange(request).body).expect("the body is JSON")
}

#[track_caller]
fn assert_is(name: &str, request: EncodeRequest) {
    let exchange = exchange(request);
    let body: Value = serde_json::from_str(&exchange.body).expect("the body is JSON");
    assert_eq!(body.to_string(), exchange.body);
    let pretty = serde_json::to_string_pretty(&body).expect("a body is JSON");
    assert_eq!(format!("{pretty}\n"), file(&format!("requests/{name}.json")));
}

#[test]
fn a_conversation_is_one_body_in_each_wire_format() {
    for wire in ["chat", "responses"] {
        let conversation = conversation(&format!("streams/{wire}_calls.sse"));
        assert_is(wire, ask(json!({"wire": wire}), "Be brief.", conversation, tools()));
        let hello = messages(json!([{"role": "user", "text": "Hello"}]));
        let document = json!({"wire": wire, "stream": false, "cache": false});
        assert_is(&format!("{wire}_small"), ask(document, "", hello, json!([])));
    }
}

#[test]
fn each_wire_format_has_its_path() {
    for (document, path) in [
        (json!({}), "/chat/completions"),
        (json!({"wire": "chat"}), "/chat/completions"),
        (json!({"wire": "responses"}), "/responses"),
    ] {
        let exchange = exchange(ask(document, "", Vec::new(), json!([])));
        assert_eq!((exchange.path.as_str(), exchange.headers.len(), exchange.stream), (path, 0, true));
    }
}

#[test]
fn a_longer_conversation_begins_with_the_bytes_of_the_shorter_one() {
    for wire in ["chat", "responses"] {
        let whole = conversation(&format!("streams/{wire}_calls.sse"));
        let body =
            |count: usize| exchange(ask(json!({"wire": wire}), "Be brief.", whole[..count].to_vec(), tools())).body;
        let last = body(whole.len());
        for count in 1..whole.len() {
            let shorter = body(count);
            let (prefix, _) = shorter.split_once("],\"tools\":").expect("the tools follow the messages");
            assert!(last.starts_with(prefix), "{wire}: {count} messages");
            assert_eq!(body(count), shorter);
        }
    }
}

#[test]
fn parameters_are_merged_and_null_removes_a_field() {
    let params = json!({
        "reasoning_effort": "low", "stream_options": {"include_obfuscation": false}, "stop": ["x"], "seed": null,
    });
    let document = json!({"params": params, "max_tokens_field": "max_tokens"});
    let expected = json!({
        "model": "gpt-6-luna", "messages": [], "max_tokens": 4096, "stream": true,
        "stream_options": {"include_usage": true, "include_obfuscation": false}, "reasoning_effort": "low", "stop": ["x"],
    });
    assert_eq!(body(ask(document, "", Vec::new(), json!([]))).to_string(), expected.to_string());
    let document = json!({"wire": "responses", "params": {"include": null, "store": null}});
    let expected = json!({"model": "gpt-6-luna", "input": [], "max_output_tokens": 4096, "stream": true});
    assert_eq!(body(ask(document, "", Vec::new(), json!([]))).to_string(), expected.to_string());
}

#[test]
fn items_of_responses_go_back_unchanged() {
    let state = decode_file("streams/responses_calls.sse").state;
    let items = state["items"].clone();
    let call = |call_id: &str| json!({"call_id": call_id, "name": "rye_load", "input": {}});
    let sent = |calls: Value| {
        let message = json!({"role": "assistant", "text": "", "calls": calls, "state": state});
        body(ask(json!({"wire": "responses"}), "", messages(json!([message])), json!([])))["input"].take()
    };
    assert_eq!(sent(json!([call("call_a"), call("call_b")])).to_string(), items.to_string());
    assert_eq!(sent(json!([call("call_b")])), json!([items[0], items[2]]));
    assert_eq!(sent(json!([])), json!([]));
    let new = json!({"type": "function_call", "call_id": "call_c", "name": "rye_load", "arguments": "{}"});
    assert_eq!(sent(json!([call("call_c")])), json!([items[0], new]));
}

#[test]
fn a_message_of_the_other_wire_format_is_made_anew() {
    for (wire, other) in [("chat", "responses"), ("responses", "chat")] {
        let state = decode_file(&format!("streams/{other}_text.sse")).state;
        let message =
            |state: Value| messages(json!([{"role": "assistant", "text": "Hi", "calls": [], "state": state}]));
        let sent = |state: Value| body(ask(json!({"wire": wire}), "", message(state), json!([])));
        assert_eq!(sent(state), sent(Value::Null));
    }
}

#[test]
fn an_empty_message_is_no_item_of_responses() {
    let message = json!({"role": "assistant", "text": "", "calls": []});
    let body = body(ask(json!({"wire": "responses"}), "", messages(json!([message])), json!([])));
    assert_eq!(body["input"], json!([]));
}

#[test]
fn a_state_of_another_plugin_is_refused() {
    let message = json!({"role": "assistant", "text": "Hi", "calls": [], "state": {"blocks": []}});
    let failure = OpenAi::encode(ask(json!({}), "", messages(json!([message])), json!([]))).expect_err("it is refused");
    assert_eq!(failure.code, "state");
}

/// Servers refuse a whole conversation in which one call has a name that no tool can have.
#[test]
fn every_call_goes_back_under_a_name_that_servers_take() {
    let long = "x".repeat(200);
    for (name, sent) in
        [("", "unnamed"), ("a b", "a_20b"), ("fs.read", "fs_2eread"), (&long, &long[..64]), ("a-B_1", "a-B_1")]
    {
        let chat = json!({"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}});
        let item = json!({"type": "function_call", "call_id": "c", "name": name, "arguments": "{}"});
        for state in [
            Value::Null,
            json!({"wire": "chat", "fields": {}, "calls": [chat]}),
            json!({"wire": "responses", "items": [item]}),
        ] {
            let calls = json!([{"call_id": "c", "name": name, "input": {}}]);
            let message = json!({"role": "assistant", "text": "", "calls": calls, "state": state});
            let sent_by = |wire: &str| body(ask(json!({"wire": wire}), "", messages(json!([message])), json!([])));
            assert_eq!(sent_by("chat")["messages"][0]["tool_calls"][0]["function"]["name"], sent, "{state}");
            assert_eq!(sent_by("responses")["input"][0]["name"], sent, "{state}");
        }
    }
}

/// LiteLLM hands them to servers that check signatures.
#[test]
fn thinking_without_a_signature_does_not_go_back() {
    let block = |signature: Value| json!({"type": "thinking", "thinking": "Hm.", "signature": signature});
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let sent = |blocks: Value| {
        let state = json!({"wire": "chat", "fields": {"thinking_blocks": blocks}, "calls": []});
        let message = json!({"role": "assistant", "text": "Hi", "calls": [], "state": state});
        body(ask(json!({}), "", messages(json!([message])), json!([])))["messages"][0]["thinking_blocks"].take()
    };
    assert_eq!(sent(json!([block(json!("s")), block(json!("")), redacted])), json!([block(json!("s")), redacted]));
    assert_eq!(sent(json!([block(Value::Null), {"type": "thinking", "thinking": "Hm."}])), Value::Null);
}
