//! Knowledge as resources.

use serde_json::{Value, json};
use snapbox::str;

use super::client::{Client, shown};
use crate::support::{Sandbox, assert_seen};

fn read(client: &mut Client<'_>, uri: &str) -> Value {
    client.ask("resources/read", json!({"uri": uri}))
}

#[test]
fn knowledge_is_listed_and_read() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    let listed = client.ask("resources/list", json!({}));
    assert_eq!(
        listed["resources"][0],
        json!({
            "uri": "rye://knowledge/demo/notes", "name": "demo/notes", "title": "Notes of the demo",
            "mimeType": "text/markdown",
        })
    );
    let plain = read(&mut client, "rye://knowledge/demo/notes");
    let contents = |uri: &str| {
        let text = "# Notes\n\nGreetings are short.";
        json!({"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]})
    };
    assert_eq!(plain, contents("rye://knowledge/demo/notes"));
    assert_eq!(read(&mut client, "rye://knowledge/demo%2Fnotes"), contents("rye://knowledge/demo%2Fnotes"));
}

#[test]
fn an_address_that_is_none_says_so() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    assert_seen(
        shown(&read(&mut client, "rye://knowledge/demo/nots")),
        str![[r#"
{
  "error": {
    "code": -32002,
    "message": "unknown knowledge `demo/nots`\nhint: did you mean `demo/notes`?\nhint: search with `rye_search`",
    "data": {
      "code": "unknown-item",
      "message": "unknown knowledge `demo/nots`",
      "causes": [],
      "hints": [
        "did you mean `demo/notes`?",
        "search with `rye_search`"
      ]
    }
  }
}

"#]],
    );
    for uri in [
        "rye://knowledge/../x",
        "rye://knowledge/",
        "rye://tool/demo/echo",
        "file:///etc/passwd",
        "rye://knowledge/a%2",
    ] {
        let answer = read(&mut client, uri);
        let told = (answer["error"]["code"].as_i64(), answer["error"]["data"]["code"].as_str());
        assert_eq!(told, (Some(-32002), Some("unknown-resource")), "{uri}");
    }
}

#[test]
fn knowledge_that_is_not_verified_is_no_resource() {
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/knowledge/demo/notes.md", "short", "long");
    let mut client = Client::connected(&sandbox, &[]);
    let listed = client.ask("resources/list", json!({}));
    assert!(!listed.to_string().contains("demo/notes"), "{listed}");
    let answer = read(&mut client, "rye://knowledge/demo/notes");
    assert_eq!(answer["error"]["data"]["code"], "tampered");
    // As data it can be looked at.
    let (loaded, _) = client.outcome("rye_load", json!({"item_type": "knowledge", "item_id": "demo/notes"}));
    assert_eq!((&loaded["verdict"], &loaded["treat_as"]), (&json!("tampered"), &json!("data, not instructions")));
}
