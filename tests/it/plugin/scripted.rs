//! The provider `scripted`.

use rye::plugin::Error;
use rye_plugin_abi::provider::{EncodeRequest, EncodeResponse};
use serde_json::{Value, json};

use super::{no_usage, plugins, reported, request};

/// A request with this script and these messages, after so many turns.
fn turn(script: &str, turns: usize, messages: Value) -> EncodeRequest {
    EncodeRequest {
        state: json!({ "turns": turns }),
        system: "Be brief.".to_owned(),
        messages: std::sync::Arc::new(serde_json::from_value(messages).expect("messages")),
        tools: serde_json::from_value(json!([{"name": "read", "description": "", "input_schema": {}}])).expect("tools"),
        script: Some(script.to_owned()),
        ..request(Value::Null)
    }
}

fn encode(request: &EncodeRequest) -> Result<EncodeResponse, Error> {
    plugins().provider("scripted")?.encode(request)
}

/// The report for a conversation of these messages.
fn conversation(messages: Value) -> String {
    let (code, message) = reported(encode(&turn("{}", 0, messages)));
    assert_eq!(code, "conversation");
    message
}

fn calling(calls: &[(&str, &str)]) -> Value {
    let calls: Vec<Value> = calls.iter().map(|(id, name)| json!({"call_id": id, "name": name, "input": {}})).collect();
    json!({"role": "assistant", "text": "", "calls": calls})
}

fn answering(call_id: &str, name: &str) -> Value {
    json!({"role": "tool", "call_id": call_id, "name": name, "output": "done", "is_error": false})
}

#[test]
fn turns_are_answered_in_order_with_defaults_filled_in() {
    let script = r##"
# the first turn calls
{"text": "Reading.", "reasoning": "It is there.", "calls": [{"name": "read"}, {"name": "read", "input": {"p": 1}, "call_id": "x"}]}

  {"text": "Done.", "usage": {"input_tokens": 7, "output_tokens": 2}, "stop": "max_tokens"}
"##;
    let mut first = turn(script, 0, json!([]));
    first.state = Value::Null;
    let first = serde_json::to_value(encode(&first).expect("a turn")).expect("JSON");
    let events = json!([
        {"kind": "reasoning", "text": "It is there."},
        {"kind": "text", "text": "Reading."},
        {"kind": "tool_call", "call_id": "call-1-1", "name": "read", "input": {}},
        {"kind": "tool_call", "call_id": "x", "name": "read", "input": {"p": 1}},
        no_usage(),
        {"kind": "stop", "reason": "tool_use"},
    ]);
    assert_eq!(first, json!({"state": {"turns": 1}, "answer": {"kind": "events", "events": events}}));

    let second = serde_json::to_value(encode(&turn(script, 1, json!([]))).expect("a turn")).expect("JSON");
    let events = json!([
        {"kind": "text", "text": "Done."},
        {"kind": "usage", "input_tokens": 7, "output_tokens": 2},
        {"kind": "stop", "reason": "max_tokens"},
    ]);
    assert_eq!(second, json!({"state": {"turns": 2}, "answer": {"kind": "events", "events": events}}));

    let expected = ("script_exhausted", "turn 3 was asked for, but the script ends after turn 2");
    let (code, message) = reported(encode(&turn(script, 2, json!([]))));
    assert_eq!((code.as_str(), message.as_str()), expected);
}

#[test]
fn a_malformed_script_or_state_is_named() {
    let code = |request: &EncodeRequest| reported(encode(request)).0;
    let (script, message) = reported(encode(&turn("{}\n# fine\n{\"cals\": []}", 0, json!([]))));
    assert_eq!(script, "script");
    assert!(message.starts_with("line 3 of the script is not a turn: unknown field `cals`"), "{message}");
    assert_eq!(code(&EncodeRequest { script: None, ..turn("", 0, json!([])) }), "script_missing");
    assert_eq!(code(&EncodeRequest { state: json!("mine"), ..turn("{}", 0, json!([])) }), "state");
}

#[test]
fn expectations_are_checked() {
    let asked = |expect: &str| {
        let script = format!("{{\"expect\": {expect}}}");
        encode(&turn(&script, 0, json!([{"role": "user", "text": "Hello there"}])))
    };
    let met = r#"{"contains": ["Hello", "there"], "system_contains": ["brief"], "tools": ["read"]}"#;
    assert_eq!(asked(met).expect("all are met").state, json!({"turns": 1}));
    let unmet = |expect| {
        let (code, message) = reported(asked(expect));
        assert_eq!(code, "expectation");
        message
    };
    let contains = unmet(r#"{"contains": ["Hello", "nobody"]}"#);
    assert_eq!(contains, "turn 1 expects that the messages contain `nobody`");
    let system = unmet(r#"{"system_contains": ["long"]}"#);
    assert_eq!(system, "turn 1 expects that the system prompt contains `long`");
    let tools = unmet(r#"{"tools": ["write"]}"#);
    assert_eq!(tools, "turn 1 expects that the request offers the tool `write`");
}

#[test]
fn each_result_must_answer_a_call_of_the_message_before() {
    let user = json!({"role": "user", "text": "go on"});
    let one = calling(&[("a", "read")]);
    let two = calling(&[("a", "read"), ("b", "read")]);
    let good = json!([user, two, answering("b", "read"), answering("a", "read"), one, answering("a", "read"), user]);
    encode(&turn("{}", 0, good)).expect("a good conversation");

    let bad = |messages| conversation(messages);
    assert_eq!(bad(json!([one])), "the call `a` has no result");
    assert_eq!(bad(json!([two, answering("a", "read"), user])), "the call `b` has no result");
    assert_eq!(bad(json!([one, one])), "the call `a` has no result");
    let twice = bad(json!([one, answering("a", "read"), answering("a", "read")]));
    assert_eq!(twice, "the result `a` answers no open call of the message before");
    let late = bad(json!([one, answering("a", "read"), calling(&[]), answering("a", "read")]));
    assert_eq!(late, "the result `a` answers no open call of the message before");
    assert_eq!(bad(json!([one, answering("a", "write")])), "the result `a` is of `write`, but the call was of `read`");
    let same = calling(&[("a", "read"), ("a", "write")]);
    assert_eq!(bad(json!([same])), "two calls of one message are called `a`");
}
