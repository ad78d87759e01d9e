//! What calls and requests fail with.

use serde_json::json;
use snapbox::str;

use super::client::{Client, shown};
use crate::support::{Sandbox, assert_seen};

/// What `--json` prints is what a client gets, failures too; but the hints of a failure, which say to a model what to ask for.
#[test]
fn outcomes_and_errors_are_those_of_the_command_line() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    for (item_type, id) in [("knowledge", "demo/notes"), ("knowledge", "demo/nots"), ("directive", "demo/greet")] {
        let printed = sandbox.rye(&["execute", item_type, id, "--json"]).stdout();
        let mut printed: serde_json::Value =
            serde_json::from_str(&sandbox.redacted(&String::from_utf8(printed).unwrap())).unwrap();
        let (mut outcome, failed) = client.outcome("rye_execute", json!({"item_type": item_type, "item_id": id}));
        for told in [&mut printed, &mut outcome] {
            told.get_mut("error").and_then(serde_json::Value::as_object_mut).map(|error| error.remove("hints"));
        }
        assert_eq!((&outcome, failed), (&printed, printed.get("error").is_some()), "{id}");
    }
}

#[test]
fn a_tool_that_fails_is_an_error_with_its_result() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    let fail = json!({"item_type": "tool", "item_id": "demo/fail"});
    assert_seen(
        shown(&client.call("rye_execute", fail)),
        str![[r#"
{
  "content": [
    {
      "type": "text",
      "text": "tool `demo/fail` failed: exit code 3: it went wrong\n{\"exit_code\":3,\"stderr\":\"it went wrong\\n\",\"stdout\":\"\"}"
    }
  ],
  "structuredContent": {
    "item_type": "tool",
    "item_id": "demo/fail",
    "status": "error",
    "result": {
      "exit_code": 3,
      "stderr": "it went wrong\n",
      "stdout": ""
    },
    "duration_ms": 0
  },
  "isError": true
}

"#]],
    );
}

#[test]
fn calls_that_cannot_be_performed_say_why() {
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/tools/demo/fail.sh", "exit 3", "exit 4");
    let mut client = Client::connected(&sandbox, &[]);
    let tampered = client.call("rye_execute", json!({"item_type": "tool", "item_id": "demo/fail"}));
    assert_seen(
        shown(&tampered),
        str![[r#"
{
  "content": [
    {
      "type": "text",
      "text": "tool `demo/fail` is refused: it was changed after it was signed\nhint: ask the user to review and sign tool `demo/fail`"
    }
  ],
  "structuredContent": {
    "error": {
      "code": "tampered",
      "message": "tool `demo/fail` is refused: it was changed after it was signed",
      "causes": [],
      "hints": [
        "ask the user to review and sign tool `demo/fail`"
      ],
      "rule": "RYE-S004",
      "path": "[SANDBOX]/project/.ai/tools/demo/fail.sh"
    }
  },
  "isError": true
}

"#]],
    );
    let mut refused = |tool: &str, arguments| client.refusal(tool, arguments);
    let echo = |parameters| json!({"item_type": "tool", "item_id": "demo/echo", "parameters": parameters});
    assert_eq!(refused("rye_execute", json!({"item_type": "tool", "item_id": "demo/ech"})), "unknown-item");
    assert_eq!(refused("rye_execute", echo(json!({"text": 3}))), "wrong-parameters");
    assert_eq!(refused("rye_execute", echo(json!("text"))), "wrong-parameters");
    assert_eq!(
        refused("rye_load", json!({"item_type": "tool", "item_id": "demo/echo", "to": "user"})),
        "wrong-arguments"
    );
    assert_eq!(refused("rye_load", json!({"item_type": "tool"})), "wrong-arguments");
    assert_eq!(refused("rye_load", json!({"item_type": "tool", "item_id": "../echo"})), "wrong-arguments");
    assert_eq!(refused("rye_execute", json!({"item_type": "directive", "item_id": "demo/greet"})), "wrong-inputs");
}

#[test]
fn what_is_wrong_with_a_request_itself_is_an_error_of_the_protocol() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    let mut told = |method: &str, params| {
        let answer = client.ask(method, params);
        (answer["error"]["code"].as_i64().unwrap(), answer["error"]["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(
        told("tools/call", json!({"name": "rye_lod", "arguments": {}})),
        (-32602, "unknown tool `rye_lod` (expected `rye_execute`, `rye_search`, `rye_load`, `rye_sign`)".to_owned())
    );
    assert_eq!(
        told("tools/call", json!({"arguments": {}})),
        (-32602, "the parameters of `tools/call` do not fit it".to_owned())
    );
    assert_eq!(told("rye/secrets", json!({})), (-32601, "unknown method `rye/secrets`".to_owned()));
    let reference = json!({"type": "ref/prompt", "name": "x"});
    let argument = json!({"name": "a", "value": ""});
    assert_eq!(
        told("completion/complete", json!({"ref": reference, "argument": argument})),
        (-32602, "unknown prompt `x`\nhint: search with `rye_search`".to_owned())
    );
    assert_eq!(
        told("completion/complete", json!({"ref": reference})),
        (-32602, "the parameters of `completion/complete` do not fit it".to_owned())
    );
    assert_eq!(told("tasks/get", json!({"taskId": "x"})).0, -32601);
    assert_eq!(told("resources/list", json!({"cursor": "../x"})), (-32602, "unknown cursor".to_owned()));
}
