//! Conversations, and the bodies they become.

use super::*;

macro_rules! row {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("requests/", $name, ".json")),
            include_str!(concat!("requests/", $name, ".body.json")),
        )
    };
}

/// Names, requests, and their bodies, which are compared byte by byte.
const REQUESTS: &[(&str, &str, &str)] = &[
    row!("cut_thinking"),
    row!("first"),
    row!("left_out_call"),
    row!("other_provider"),
    row!("params"),
    row!("pause"),
    row!("plain"),
    row!("state"),
];

#[test]
fn conversations_become_bodies() {
    for (name, request, body) in REQUESTS {
        let exchange = exchange(&serde_json::from_str(request).unwrap()).unwrap();
        assert_eq!(exchange.body, body.trim_end(), "{name}");
    }
}

/// The counted part is the request without the options of the answer.
#[test]
fn a_request_to_count_is_the_request_without_its_answer() {
    for (name, request, body) in REQUESTS {
        let mut body: Value = serde_json::from_str(body).unwrap();
        ["max_tokens", "stream"].into_iter().for_each(|key| drop(body.as_object_mut().unwrap().shift_remove(key)));
        let exchange = Anthropic::count(serde_json::from_str(request).unwrap()).unwrap();
        assert_eq!((exchange.path.as_str(), exchange.stream), ("/v1/messages/count_tokens", false), "{name}");
        assert_eq!(serde_json::from_str::<Value>(&exchange.body).unwrap(), body, "{name}");
    }
    let counted = |status: u16, text: &str| {
        let (state, document, model) = (Value::Null, json!({}), String::new());
        let body = Body::Text { text: text.to_owned() };
        Anthropic::counted(DecodeRequest { state, document, model, status, body }).unwrap().input_tokens
    };
    assert_eq!(counted(200, r#"{"input_tokens": 12}"#), Some(12));
    for (status, text) in
        [(404, r#"{"input_tokens": 12}"#), (200, "{}"), (200, "<html>"), (200, r#"{"input_tokens": -1}"#)]
    {
        assert_eq!(counted(status, text), None, "{status} {text}");
    }
}

#[test]
fn an_exchange_names_path_headers_and_whether_it_streams() {
    let exchange = |document: Value| exchange(&request(document, json!([{"role": "user", "text": "Hi"}]))).unwrap();
    let streamed = exchange(json!({}));
    assert_eq!((streamed.path.as_str(), streamed.stream), ("/v1/messages", true));
    let headers = json!({"anthropic-version": "2023-06-01", "content-type": "application/json"});
    assert_eq!(json!(streamed.headers), headers);
    assert!(!exchange(json!({"stream": false})).stream);
}

#[test]
fn a_document_of_wrong_types_is_refused() {
    for (document, message) in [
        (json!(null), "the provider document must be an object"),
        (json!({"params": [1]}), "`params` must be an object, not `[1]`"),
        (json!({"params": {"model": "x"}}), "`params` cannot set `model`"),
        (json!({"params": {"max_tokens": 1}}), "`params` cannot set `max_tokens`"),
        (json!({"cache": "yes"}), "`cache` must be true or false, not `\"yes\"`"),
        (json!({"stream": null}), "`stream` must be true or false, not `null`"),
    ] {
        let failure = exchange(&request(document, json!([{"role": "user", "text": "Hi"}]))).unwrap_err();
        assert_eq!(failure, Failure::new("document", message));
    }
}

#[test]
fn a_conversation_without_a_word_is_refused() {
    for messages in [json!([]), json!([{"role": "user", "text": " \n"}])] {
        assert_eq!(exchange(&request(json!({}), messages)).unwrap_err().code, "conversation");
    }
}

#[test]
fn a_state_of_another_shape_is_refused() {
    let messages = json!([{"role": "assistant", "text": "a", "calls": [], "state": {"items": []}}]);
    assert_eq!(exchange(&request(json!({}), messages)).unwrap_err().code, "state");
}

/// What the server caches: each body begins with the one before, up to its last block.
#[test]
fn a_body_begins_with_the_one_before() {
    let mut messages = vec![json!({"role": "user", "text": "Begin."})];
    let mut before = String::new();
    for (_, stream, _) in streams::STREAMS {
        let body = exchange(&request(json!({}), messages.clone().into())).unwrap().body;
        assert!(body.starts_with(&before), "{before}\n{body}");
        before = body.split(r#"]}],"max_tokens""#).next().unwrap().to_owned();
        let DecodeResponse { state, decoded, .. } = decode_events(events(stream), true);
        let Decoded::Events { events } = decoded else { continue };
        answer(&mut messages, &json!(events), state);
    }
}

/// The server refuses a whole conversation in which one call has a name that no tool can have.
#[test]
fn every_call_goes_back_under_a_name_that_the_server_takes() {
    let long = "x".repeat(200);
    for (name, sent) in [("", "unnamed"), ("a b", "a_20b"), (&long, &long[..64]), ("a-B_1", "a-B_1")] {
        let block = json!({"type": "tool_use", "id": "c", "name": name, "input": {}});
        let unnamed = json!({"type": "tool_use", "id": "c", "input": {}});
        let states = [Value::Null, json!({"content": [block]}), json!({"content": [unnamed]})];
        for state in states {
            let calls = json!([{"call_id": "c", "name": name, "input": {}}]);
            let messages = json!([{"role": "assistant", "text": "", "calls": calls, "state": state}]);
            let body: Value = serde_json::from_str(&exchange(&request(json!({}), messages)).unwrap().body).unwrap();
            assert_eq!(body["messages"][0]["content"][0]["name"], sent, "{state}");
        }
    }
}

/// Other servers of this wire format send such thinking; the vendor's own refuses it.
#[test]
fn thinking_without_a_signature_does_not_go_back() {
    let thinking = |signature: Value| json!({"type": "thinking", "thinking": "Hm.", "signature": signature});
    let call = json!({"type": "tool_use", "id": "c", "name": "list", "input": {}});
    let calls = json!([{"call_id": "c", "name": "list", "input": {}}]);
    let bare = json!({"type": "thinking", "thinking": "Hm."});
    for (block, is_kept) in
        [(thinking(json!("s")), true), (thinking(json!("")), false), (thinking(Value::Null), false), (bare, false)]
    {
        let state = json!({"content": [block, call]});
        let messages = json!([{"role": "assistant", "text": "", "calls": calls, "state": state}]);
        let body: Value = serde_json::from_str(&exchange(&request(json!({}), messages)).unwrap().body).unwrap();
        let expected = if is_kept { json!([block, call]) } else { json!([call]) };
        assert_eq!(body["messages"][0]["content"], expected, "{block}");
    }
}

/// Adds a turn and the results of its calls, as the host does.
fn answer(messages: &mut Vec<Value>, events: &Value, state: Value) {
    let of = |kind: &str| events.as_array().unwrap().iter().filter(|event| event["kind"] == *kind).collect::<Vec<_>>();
    let text: String = of("text").iter().map(|event| event["text"].as_str().unwrap()).collect();
    let results = of("tool_call").into_iter().map(|call| {
        json!({"role": "tool", "call_id": call["call_id"], "name": call["name"], "output": {"ok": 1}, "is_error": false})
    });
    let results: Vec<Value> = results.collect();
    messages.push(json!({"role": "assistant", "text": text, "calls": of("tool_call"), "state": state}));
    messages.extend(results);
    messages.push(json!({"role": "user", "text": "Go on."}));
}

fn request(document: Value, messages: Value) -> Value {
    json!({
        "document": document,
        "model": "claude-sonnet-5-5",
        "system": "You help.",
        "messages": messages,
        "tools": [{"name": "list", "description": "Lists.", "input_schema": {"type": "object"}}],
        "max_output_tokens": 100,
        "directive": {"name": "d"},
    })
}
