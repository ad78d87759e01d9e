//! Input on stdin that is not a message, or is out of order.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

fn error(code: i64, message: &str, id: Option<i64>) -> Value {
    let mut answer = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    if let Some(id) = id {
        answer["id"] = json!(id);
    }
    answer
}

#[test]
fn garbage_is_answered_and_the_connection_goes_on() {
    let sandbox = Sandbox::empty();
    let mut client = Client::connected(&sandbox, &[]);
    let invalid = "the line is not a message of JSON-RPC 2.0";
    for (line, answer) in [
        (&b"garbage"[..], error(-32700, "the line is not JSON: expected value at line 1 column 1", None)),
        (b"\xff\xfe", error(-32700, "the line is not UTF-8", None)),
        (b"[]", error(-32600, "batches are unsupported: send one message on each line", None)),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}]",
            error(-32600, "batches are unsupported: send one message on each line", None),
        ),
        (b"{}", error(-32600, invalid, None)),
        (b"3", error(-32600, invalid, None)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", error(-32600, invalid, Some(7))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", error(-32600, invalid, None)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"result\":1}", error(-32600, invalid, Some(7))),
    ] {
        client.line(line);
        assert_eq!(client.next(), answer, "{}", String::from_utf8_lossy(line));
    }
    let deep = "[".repeat(100_000);
    client.line(deep.as_bytes());
    assert_eq!(client.next()["error"]["code"], -32700);
    // Blank lines, unknown notifications and answers to nothing are passed over.
    for line in
        ["", "  ", "{\"jsonrpc\":\"2.0\",\"method\":\"nobody/knows\"}", "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}"]
    {
        client.line(line.as_bytes());
    }
    assert_eq!(client.ask("ping", json!({})), json!({}));
    assert_eq!(client.close(), (Some(0), vec![], String::new()));
}

/// Programs that cut text between UTF-16 units send half a pair; they wait for an answer all the same.
#[test]
fn half_a_surrogate_pair_is_answered_under_its_id() {
    let sandbox = Sandbox::empty();
    let mut client = Client::connected(&sandbox, &[]);
    let call = r#""method":"tools/call","params":{"name":"rye_search","arguments":{"query":"\ud83d"}}"#;
    client.line(format!(r#"{{"jsonrpc":"2.0","id":7,{call}}}"#).as_bytes());
    let message = "a string has half a surrogate pair (`\\ud800` to `\\udfff`): send whole characters";
    assert_eq!(client.next(), error(-32700, message, Some(7)));
    assert_eq!(client.ask("ping", json!({})), json!({}));
}

#[test]
fn a_line_without_bound_is_refused_and_the_next_one_is_read() {
    let sandbox = Sandbox::empty();
    let mut client = Client::connected(&sandbox, &[]);
    client.line(&vec![b'x'; 17 * 1024 * 1024]);
    assert_eq!(client.next(), error(-32600, "the line is longer than 16777216 bytes", None));
    assert_eq!(client.ask("ping", json!({})), json!({}));
}

#[test]
fn before_the_handshake_only_requests_count() {
    let sandbox = Sandbox::empty();
    let mut client = Client::start(&sandbox, &[]);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    client.line(b"garbage");
    assert_eq!(client.next()["error"]["code"], -32700);
    assert_eq!(client.ask("ping", json!({})), json!({}));
    let early = client.ask("tools/list", json!({}));
    let message = "initialize first: send `initialize` before `tools/list`";
    assert_eq!(early, json!({"error": {"code": -32600, "message": message}}));
    let early = client.ask("what/ever", json!({}));
    assert_eq!(early["error"]["message"], "initialize first: send `initialize` before `what/ever`");
    let wrong = client.ask("initialize", json!({"protocolVersion": "2025-11-25"}));
    assert!(wrong["error"]["message"].as_str().unwrap().starts_with("invalid parameters for `initialize`"), "{wrong}");
    client.shake_hands(json!({}));
    assert_eq!(client.ask("tools/list", json!({}))["tools"][0]["name"], "rye_execute");
}

#[test]
fn a_second_handshake_is_refused() {
    let sandbox = Sandbox::empty();
    let mut client = Client::connected(&sandbox, &[]);
    let again = client.shake_hands(json!({"roots": {}}));
    assert_eq!(again, json!({"error": {"code": -32600, "message": "this connection is initialized already"}}));
    assert_eq!(client.ask("ping", json!({})), json!({}));
}

#[test]
fn an_unknown_version_is_answered_with_one_that_is_known() {
    let sandbox = Sandbox::empty();
    for (asked, answered) in [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2999-01-01", "2025-11-25")]
    {
        let mut client = Client::start(&sandbox, &[]);
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(client.ask("initialize", params)["protocolVersion"], answered, "{asked}");
    }
}

/// Requests in a file are a client too.
#[test]
fn requests_piped_in_are_all_answered_before_the_end() {
    let sandbox = Sandbox::signed();
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let execute = json!({"name": "rye_execute", "arguments": {"item_type": "tool", "item_id": "demo/echo", "parameters": {"text": "x"}}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": execute}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}),
    ];
    // The last line needs no line feed.
    let text = lines.map(|line| line.to_string()).join("\n");
    let stdout = String::from_utf8(sandbox.rye(&["mcp"]).stdin(&text).stdout()).unwrap();
    let mut answers: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers.iter().map(|answer| answer["id"].as_i64()).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    assert_eq!(answers[1]["result"]["structuredContent"]["status"], "ok", "{}", answers[1]);
}
