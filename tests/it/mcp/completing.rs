//! What a client offers while a person fills in a prompt.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

/// A directive whose inputs can be completed.
fn inputs() -> Sandbox {
    let sandbox = Sandbox::with_items();
    let greet = include_str!("../support/items/greet.md").replace("name=\"greet\"", "name=\"fill\"");
    let (before, rest) = greet.split_once("<inputs>").unwrap();
    let (_, after) = rest.split_once("</inputs>").unwrap();
    let input = |name: &str, kind: &str| format!("<input name=\"{name}\" type=\"{kind}\" required=\"false\">X</input>");
    let inputs = [
        input("loud", "boolean"),
        input("item_type", "string"),
        input("item_id", "string"),
        input("note", "string"),
        "<input name=\"tone\" type=\"string\" required=\"false\" default=\"soft\">X</input>".to_owned(),
    ];
    // Only the inputs matter: what the steps say of others is left out.
    let after = after.replace("{input:name}", "Ada").replace("{input:times}", "2");
    sandbox.put(".ai/directives/demo/fill.md", &format!("{before}<inputs>{}</inputs>{after}", inputs.concat()));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

fn complete(client: &mut Client<'_>, reference: &Value, name: &str, begun: &str, given: Value) -> Value {
    let params = json!({"ref": reference, "argument": {"name": name, "value": begun}, "context": {"arguments": given}});
    client.ask("completion/complete", params)
}

#[test]
fn arguments_of_prompts_and_ids_of_resources_are_completed() {
    let sandbox = inputs();
    let mut client = Client::start(&sandbox, &[]);
    assert_eq!(client.shake_hands(json!({}))["capabilities"]["completions"], json!({}));
    let prompt = json!({"type": "ref/prompt", "name": "demo_fill"});
    let mut values = |name: &str, begun: &str, given: Value| {
        let answer = complete(&mut client, &prompt, name, begun, given);
        answer["completion"]["values"].clone()
    };
    assert_eq!(values("loud", "", json!({})), json!(["true", "false"]));
    assert_eq!(values("loud", "F", json!({})), json!(["false"]));
    assert_eq!(values("tone", "", json!({})), json!(["soft"]));
    assert_eq!(values("item_type", "kn", json!({})), json!(["knowledge"]));
    assert_eq!(
        values("item_id", "demo/", json!({})),
        json!(["demo/echo", "demo/fail", "demo/fill", "demo/greet", "demo/notes"])
    );
    assert_eq!(values("item_id", "demo/", json!({"item_type": "tool"})), json!(["demo/echo", "demo/fail"]));
    assert_eq!(values("note", "", json!({})), json!([]));
    assert_eq!(values("nothing", "", json!({})), json!([]));
    let address = json!({"type": "ref/resource", "uri": "rye://knowledge/{+id}"});
    let answer = complete(&mut client, &address, "id", "demo", json!({}));
    assert_eq!(answer, json!({"completion": {"values": ["demo/notes"], "total": 1, "hasMore": false}}));
    let unknown = json!({"type": "ref/prompt", "name": "demo_nothing"});
    let answer = complete(&mut client, &unknown, "x", "", json!({}));
    assert_eq!(answer["error"]["data"]["code"], "unknown-prompt", "{answer}");
}
