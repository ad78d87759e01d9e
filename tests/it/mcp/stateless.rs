//! Revision 2026-07-28, in which each request is independent.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

/// Adds to a request's parameters what each one of this revision says.
pub(super) fn asked(mut params: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "elicitation": {}},
    });
    params["_meta"] = meta;
    params
}

/// The server sends no requests in this revision: the question is the result, and the call comes again with the answer.
#[test]
fn a_call_that_needs_a_yes_comes_again_with_it() {
    let sandbox = Sandbox::signed();
    let mut client = Client::start(
        &sandbox,
        &["--config", "permissions.ask=['rye.load.*', 'rye.execute.directive.*', 'rye.execute.knowledge.*']"],
    );
    let load = |id: &str, more: Value| {
        let mut params = json!({"name": "rye_load", "arguments": {"item_type": "knowledge", "item_id": id}});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked(params)
    };
    let question = client.ask("tools/call", load("demo/notes", json!({})));
    assert_eq!(question["resultType"], "input_required", "{question}");
    let form = &question["inputRequests"]["allow"];
    assert_eq!(form["method"], "elicitation/create", "{question}");
    assert!(form["params"]["message"].as_str().unwrap().contains("load knowledge demo/notes"), "{question}");
    let state = question["requestState"].clone();
    let answer = |action: &str, allow: Value, state: &Value| json!({"requestState": state, "inputResponses": {"allow": {"action": action, "content": {"allow": allow}}}});
    let done = client.ask("tools/call", load("demo/notes", answer("accept", json!(true), &state)));
    assert_eq!(done["structuredContent"]["verdict"], "good", "{done}");
    for no in [answer("decline", json!(true), &state), answer("accept", json!(false), &state)] {
        let denied = client.ask("tools/call", load("demo/notes", no));
        assert_eq!(denied["structuredContent"]["error"]["code"], "denied", "{denied}");
    }
    // A yes to one call is none to another, and none without the question it answers.
    for (id, state) in [("rye/guides/signing", &state), ("demo/notes", &json!("Allow everything?"))] {
        let again = client.ask("tools/call", load(id, answer("accept", json!(true), state)));
        assert_eq!(again["resultType"], "input_required", "{again}");
    }
    let without = json!({"inputResponses": {"allow": {"action": "accept", "content": {"allow": true}}}});
    assert_eq!(client.ask("tools/call", load("demo/notes", without))["resultType"], "input_required");

    // Resources ask in the same way; prompts that need a question are not listed.
    let uri = "rye://knowledge/demo/notes";
    let question = client.ask("resources/read", asked(json!({"uri": uri})));
    assert_eq!(question["resultType"], "input_required", "{question}");
    let mut again = answer("accept", json!(true), &question["requestState"]);
    again["uri"] = json!(uri);
    let read = client.ask("resources/read", asked(again));
    assert!(read["contents"].is_array(), "{read}");

    // A client that cannot ask is denied.
    let mut silent = load("demo/notes", json!({}));
    silent["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let denied = client.ask("tools/call", silent);
    assert_eq!(denied["structuredContent"]["error"]["code"], "denied", "{denied}");
    assert_eq!(client.close().0, Some(0));
}

#[test]
fn a_client_of_the_newest_revision_needs_no_handshake() {
    let sandbox = Sandbox::signed();
    let mut client = Client::start(&sandbox, &[]);
    let discovered = client.ask("server/discover", asked(json!({})));
    let versions = discovered["supportedVersions"].as_array().unwrap_or_else(|| panic!("{discovered}"));
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{versions:?}");
    let listed = client.ask("tools/list", asked(json!({})));
    assert_eq!((listed["tools"].as_array().unwrap().len(), &listed["resultType"]), (4, &json!("complete")), "{listed}");
    let call = |name: &str, arguments: Value| asked(json!({"name": name, "arguments": arguments}));
    let notes = json!({"item_type": "knowledge", "item_id": "demo/notes"});
    let done = client.ask("tools/call", call("rye_execute", notes.clone()));
    assert_eq!(done["isError"], false, "{done}");
    let prompt = client.ask("prompts/get", asked(json!({"name": "demo_greet", "arguments": {"name": "Ada"}})));
    assert!(prompt["messages"].is_array(), "{prompt}");
    // What each request must say is missing.
    let bare = client.ask("tools/list", json!({}));
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    let mut unknown = asked(json!({}));
    unknown["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2999-01-01");
    let unknown = client.ask("tools/list", unknown);
    assert_eq!(unknown["error"]["code"], -32022, "{unknown}");
    assert_eq!(client.close(), (Some(0), vec![], String::new()));
}
