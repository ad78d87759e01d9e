//! The facts for a right first call of a tool, and accepted near misses.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

/// A tool that takes values of every type.
const TYPED: &str = "\
# version: 1.0.0
# description: \"Returns what it was given\"
# category: demo
# parameters:
#   type: object
#   properties:
#     times: {type: integer, description: \"How often\"}
#     loud: {type: boolean}
#     names: {type: array}
#     more: {type: object}
#     text: {type: string}
#     tone: {enum: [high, low]}
#   required: [times]
#   additionalProperties: false
cat
";

fn typed() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/typed.sh", TYPED);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

#[test]
fn a_found_tool_or_directive_says_what_it_takes() {
    let sandbox = typed();
    let mut client = Client::connected(&sandbox, &[]);
    let found = client.call("rye_search", json!({"query": "id:demo/typed"}));
    assert_eq!(
        found["structuredContent"]["results"][0]["parameters"],
        json!([
            {"name": "times", "type": "integer", "required": true, "description": "How often"},
            {"name": "loud", "type": "boolean", "required": false},
            {"name": "names", "type": "array", "required": false},
            {"name": "more", "type": "object", "required": false},
            {"name": "text", "type": "string", "required": false},
            {"name": "tone", "type": "any", "required": false, "values": ["high", "low"]},
        ])
    );
    let told = found["content"][0]["text"].as_str().unwrap();
    let takes = "\n  parameters: `times` (integer), `loud` (boolean, optional), `names` (array, optional), `more` (object, \
                 optional), `text` (string, optional), `tone` (high|low, optional)";
    assert!(told.ends_with(takes), "{told}");
    let found = client.outcome("rye_search", json!({"query": "id:demo/greet"})).0;
    assert_eq!(found["results"][0]["parameters"][0]["name"], "name", "{found}");
    let found = client.outcome("rye_search", json!({"query": "id:demo/notes"})).0;
    assert_eq!(found["results"][0].get("parameters"), None, "{found}");
}

#[test]
fn an_error_about_parameters_says_what_there_are() {
    let sandbox = typed();
    let mut client = Client::connected(&sandbox, &[]);
    let mut hints = |arguments: Value| {
        let (outcome, failed) = client.outcome("rye_execute", arguments);
        assert!(failed, "{outcome}");
        outcome["error"]["hints"].clone()
    };
    let tool = |parameters: Value| json!({"item_type": "tool", "item_id": "demo/echo", "parameters": parameters});
    assert_eq!(hints(tool(json!({"txt": "x"}))), json!(["pass `text` (string), `loud` (boolean, optional)"]));
    let read =
        |parameters: Value| json!({"item_type": "tool", "item_id": "rye/file-system/read", "parameters": parameters});
    let taken = json!(["pass `path` (string), `offset` (integer, optional), `limit` (integer, optional)"]);
    for parameters in [json!({}), json!({"pth": "x"}), json!({"path": "../x"}), json!("[1]"), json!(3)] {
        assert_eq!(hints(read(parameters.clone())), taken, "{parameters}");
    }
    let shell = json!({"item_type": "tool", "item_id": "rye/shell/run", "parameters": {}});
    assert!(hints(shell)[0].as_str().unwrap().starts_with("pass `argv` (array"));
    let program = json!({"item_type": "tool", "item_id": "rye/shell/git", "parameters": {"args": 3}});
    let taken = "pass `command` (string, optional), `args` (array, optional), `stdin` (string, optional), \
                 `folder` (string, optional), `timeout` (integer, optional)";
    assert_eq!(hints(program), json!([taken]));
    let program = json!({"item_type": "tool", "item_id": "rye/shell/git", "parameters": "no"});
    assert_eq!(hints(program), json!([taken]));
    let greet = json!({"item_type": "directive", "item_id": "demo/greet"});
    assert_eq!(hints(greet), json!(["pass `name` (string), `times` (integer, optional)"]));
    let (outcome, _) = client.outcome("rye_execute", read(json!({"pth": "x"})));
    assert_eq!(
        (&outcome["error"]["code"], &outcome["error"]["message"]),
        (
            &json!("wrong-parameters"),
            &json!(
                "invalid parameters for tool `rye/file-system/read`: unknown parameter `pth`; `path` is missing or not a string"
            )
        )
    );
    let flat = json!({"item_type": "tool", "item_id": "demo/echo", "text": "x"});
    let (outcome, _) = client.outcome("rye_execute", flat);
    let message = outcome["error"]["message"].as_str().unwrap();
    assert!(message.contains("unknown argument `text`: put it into `parameters`"), "{message}");
}

#[test]
fn values_as_text_are_read_by_their_declaration() {
    let sandbox = typed();
    let mut client = Client::connected(&sandbox, &[]);
    let meant = json!({"times": 3, "loud": true, "names": ["a"], "more": {"b": 1}, "text": "3"});
    let as_text = json!({"times": "3", "loud": "true", "names": "[\"a\"]", "more": "{\"b\": 1}", "text": "3"});
    assert_eq!(client.tool("demo/typed", as_text.clone()), meant);
    assert_eq!(client.tool("demo/typed", json!(as_text.to_string())), meant);
    assert_eq!(client.tool("demo/typed", json!(meant.to_string())), meant);
    let wrong = |parameters: Value| json!({"item_type": "tool", "item_id": "demo/typed", "parameters": parameters});
    assert_eq!(client.refusal("rye_execute", wrong(json!({"times": "three"}))), "wrong-parameters");
    let mut no_object = |item_type: &str, id: &str, parameters: Value| {
        let call = json!({"item_type": item_type, "item_id": id, "parameters": parameters});
        let (outcome, failed) = client.outcome("rye_execute", call);
        assert!(failed, "{outcome}");
        let error = &outcome["error"];
        (error["code"].clone(), error["message"].clone(), error["hints"][0].as_str().unwrap().to_owned())
    };
    let told = "invalid parameters for tool `demo/typed`: `parameters` must be a JSON object";
    for parameters in
        [json!("[1]"), json!("3"), json!("{"), json!("times=3"), json!(""), json!(3), json!([1]), json!(true)]
    {
        let (code, message, hint) = no_object("tool", "demo/typed", parameters.clone());
        assert_eq!((code, message), (json!("wrong-parameters"), json!(told)), "{parameters}");
        assert!(hint.starts_with("pass `times` (integer), `loud` (boolean, optional)"), "{hint}");
    }
    let (code, _, hint) = no_object("directive", "demo/greet", json!("[1]"));
    assert_eq!((code, hint.as_str()), (json!("wrong-inputs"), "pass `name` (string), `times` (integer, optional)"));
    assert_eq!(no_object("tool", "demo/typd", json!("[1]")).0, json!("unknown-item"));
    // What a connection may not execute, and what is not signed, is not described.
    sandbox.put(".ai/tools/demo/open.sh", TYPED);
    let (outcome, _) =
        client.outcome("rye_execute", json!({"item_type": "tool", "item_id": "demo/open", "parameters": 3}));
    assert!(!outcome.to_string().contains("`times`"), "{outcome}");
    let mut reader = Client::connected(&sandbox, &["--config", "mcp.permissions=[\"rye.search.*\"]"]);
    assert_eq!(reader.refusal("rye_execute", wrong(json!("[1]"))), "denied");
    for (id, parameters) in [
        ("rye/file-system/write", json!("no")),
        ("rye/file-system/write", json!({"q": 1})),
        ("rye/shell/git", json!({"args": 3})),
        ("rye/shell/git", json!("no")),
    ] {
        let call = json!({"item_type": "tool", "item_id": id, "parameters": parameters});
        let (outcome, _) = reader.outcome("rye_execute", call);
        assert_eq!(outcome["error"]["code"], "denied", "{outcome}");
        assert!(!outcome.to_string().contains("pass `"), "{outcome}");
    }
    let read = json!({"path": ".ai/tools/demo/typed.sh", "limit": "1"});
    assert_eq!(client.tool("rye/file-system/read", read)["path"], ".ai/tools/demo/typed.sh");
    let greet = json!({"item_type": "directive", "item_id": "demo/greet", "parameters": "{\"name\": \"Ada\", \"times\": \"2\"}"});
    assert_eq!(client.outcome("rye_execute", greet).0["inputs"], json!({"name": "Ada", "times": 2}));
    let dry = json!({"item_type": "tool", "item_id": "demo/typed", "parameters": {"times": "1"}, "dry_run": "true"});
    assert_eq!(client.outcome("rye_execute", dry).0["parameters"], json!({"times": 1}));
}
