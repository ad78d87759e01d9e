//! Calls that get in each other's way.

use serde_json::json;

use super::client::Client;
use super::running::{begin, processes, slow};
use crate::support::Sandbox;

#[test]
fn as_many_slow_tools_as_run_at_once_hold_up_no_quick_call() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let ids: Vec<i64> = (0..130).map(|_| begin(&mut client)).collect();
    processes(&sandbox);
    // Two find no seat.
    (0..2).for_each(|_| assert!(ids.contains(&client.next()["id"].as_i64().unwrap())));
    let notes = json!({"item_type": "knowledge", "item_id": "demo/notes"});
    assert!(!client.outcome("rye_execute", notes.clone()).1);
    assert!(!client.outcome("rye_load", notes).1);
    assert!(!client.outcome("rye_search", json!({"query": "greetings"})).1);
    assert!(client.tool("rye/file-system/read", json!({"path": "pid"}))["content"].is_string());
    assert_eq!(client.ask("prompts/list", json!({}))["prompts"][0]["name"], "demo_greet");
    assert_eq!(client.close().0, Some(0));
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let id = begin(&mut client);
    processes(&sandbox);
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    let message = format!("a request with the id `{id}` is not answered yet: use a new id");
    assert_eq!(client.answer(id), json!({"error": {"code": -32600, "message": message}}));
    // The text of the number is another id.
    client.send(&json!({"jsonrpc": "2.0", "id": id.to_string(), "method": "ping"}));
    assert_eq!(client.next()["result"], json!({}));
    sandbox.put("go", "");
    assert_eq!(client.answer(id)["isError"], false);
    // An id that was answered is free again; one that was cancelled is not.
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    assert_eq!(client.answer(id), json!({}));
    std::fs::remove_file(sandbox.project().join("go")).unwrap();
    let id = begin(&mut client);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    assert_eq!(client.answer(id)["error"]["code"], -32600);
}

/// The second one that signs finds another file than it read, and looks again.
#[test]
fn signs_of_one_item_at_once_all_succeed() {
    let sandbox = Sandbox::with_items();
    sandbox.configure(
        "[mcp]
permissions = [\"rye.*\"]
",
    );
    let mut client = Client::connected(&sandbox, &[]);
    for round in 0..5 {
        let echo = include_str!("../support/items/echo.sh").replace("1.0.0", &format!("1.0.{round}"));
        sandbox.put(".ai/tools/demo/echo.sh", &echo);
        let arguments = json!({"item_type": "tool", "item_id": "demo/echo"});
        let params = json!({"name": "rye_sign", "arguments": arguments});
        let ids: Vec<i64> = (0..16).map(|_| client.request("tools/call", params.clone())).collect();
        for _ in &ids {
            let answer = client.next();
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
    }
}

/// A client that sends requests and reads nothing.
#[test]
fn large_requests_that_wait_are_bounded() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let text = "x".repeat(8 * 1024 * 1024);
    let arguments = json!({"item_type": "tool", "item_id": "demo/slow", "parameters": {"text": text}});
    let params = json!({"name": "rye_execute", "arguments": arguments});
    let ids: Vec<i64> = (0..12).map(|_| client.request("tools/call", params.clone())).collect();
    for _ in 0..8 {
        let answer = client.next();
        assert!(ids.contains(&answer["id"].as_i64().unwrap()));
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["message"], "requests of 32 MiB wait already", "{error}");
    }
}
