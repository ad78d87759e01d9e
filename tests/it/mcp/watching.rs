//! Clients are told when prompts and resources change.

use serde_json::{Value, json};

use super::client::Client;
use super::stateless::asked;
use crate::support::{Person, Sandbox};

const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";

#[test]
fn a_client_that_listed_items_is_told_when_they_change() {
    let sandbox = Sandbox::signed();
    let mut client = Client::start(&sandbox, &[]);
    let capabilities = client.shake_hands(json!({}))["capabilities"].clone();
    assert_eq!(
        (&capabilities["prompts"], &capabilities["resources"]),
        (&json!({"listChanged": true}), &json!({"listChanged": true}))
    );
    client.ask("prompts/list", json!({}));
    sandbox.edit(".ai/directives/demo/greet.md", "Greet someone", "Greet somebody");
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "method": PROMPTS}));
    sandbox.put(".ai/knowledge/demo/more.md", "More.\n");
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "method": RESOURCES}));
    // Tools are always the same four.
    sandbox.edit(".ai/tools/demo/echo.sh", "1.0.0", "1.0.1");
    std::fs::remove_file(sandbox.project().join(".ai/directives/demo/greet.md")).unwrap();
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "method": PROMPTS}));
    assert_eq!(client.close(), (Some(0), vec![], String::new()));
}

/// What a client may see depends on whose signatures count.
#[test]
fn a_client_is_told_when_trust_changes() {
    let (sandbox, bob) = (Sandbox::signed(), Person::new("bob"));
    sandbox.key_id(&bob);
    std::fs::copy(sandbox.path("config-bob/rye/keys/person.pub"), sandbox.path("bob.pub")).unwrap();
    let mut client = Client::start(&sandbox, &[]);
    client.shake_hands(json!({}));
    client.ask("prompts/list", json!({}));
    sandbox.rye(&["trust", "add", "../bob.pub", "--principal", "bob", "-q"]).succeeds();
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "method": PROMPTS}));
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "method": RESOURCES}));
    assert_eq!(client.close(), (Some(0), vec![], String::new()));
}

#[test]
fn a_client_of_the_newest_revision_subscribes() {
    let sandbox = Sandbox::signed();
    let mut client = Client::start(&sandbox, &[]);
    client.ask("prompts/list", asked(json!({})));
    let filter = json!({"promptsListChanged": true, "toolsListChanged": true});
    let id = client.request("subscriptions/listen", asked(json!({"notifications": filter})));
    let acknowledged = client.next();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], json!({"promptsListChanged": true}), "{acknowledged}");
    sandbox.put(".ai/knowledge/demo/more.md", "More.\n");
    sandbox.edit(".ai/directives/demo/greet.md", "Greet someone", "Greet somebody");
    let told = client.next();
    assert_eq!(told["method"], PROMPTS);
    let subscription: &Value = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(subscription, id, "{told}");
    assert_eq!(client.close().0, Some(0));
}
