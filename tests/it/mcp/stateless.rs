//! Revision 2026-07-28, in which each request stands for itself.

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

#[test]
fn a_client_of_the_newest_revision_needs_no_handshake() {
    let sandbox = Sandbox::signed();
    let mut client = Client::start(&sandbox, &["--config", "permissions.ask=['rye.load.*']"]);
    let discovered = client.ask("server/discover", asked(json!({})));
    let versions = discovered["supportedVersions"].as_array().unwrap_or_else(|| panic!("{discovered}"));
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{versions:?}");
    let listed = client.ask("tools/list", asked(json!({})));
    assert_eq!((listed["tools"].as_array().unwrap().len(), &listed["resultType"]), (4, &json!("complete")), "{listed}");
    let call = |name: &str, arguments: Value| asked(json!({"name": name, "arguments": arguments}));
    let notes = json!({"item_type": "knowledge", "item_id": "demo/notes"});
    let done = client.ask("tools/call", call("rye_execute", notes.clone()));
    assert_eq!(done["isError"], false, "{done}");
    // No server asks for roots or for a yes by itself.
    let denied = client.ask("tools/call", call("rye_load", notes));
    assert_eq!(denied["structuredContent"]["error"]["code"], "denied", "{denied}");
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
