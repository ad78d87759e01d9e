//! The fields that programs rely on: one object on stdout, whatever happens.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Sandbox, assert_seen};

fn parsed(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    serde_json::from_slice(&sandbox.rye(&args).stdout()).unwrap()
}

#[test]
fn sign_and_verify() {
    let sandbox = Sandbox::with_items();
    assert_seen(
        sandbox.rye(&["sign", "tool", "demo/echo", "--json"]).transcript(),
        str![[r#"
$ rye sign tool demo/echo --json
{"status":"signed","signature":{"timestamp":"2026-03-17T01:41:08Z","hash":"558eb57f830f412281517b7d940c79644c53bef2d5de677dd87c1ecb6da02df5"},"items":[{"item_type":"tool","item_id":"demo/echo","space":"project","path":"[SANDBOX]/project/.ai/tools/demo/echo.sh","status":"signed","signature":{"timestamp":"2026-03-17T01:41:08Z","hash":"558eb57f830f412281517b7d940c79644c53bef2d5de677dd87c1ecb6da02df5","signature":"jlZ9_F1iA1p5BsAZGdMWRTnfRKHNWuDTCaChjhoRcKKDAgU8XMX30ZjI7Q6l_N0kNYeSyWwtni1DTVq528HUAw==","key_id":"706f575fc5331071","version":2}}]}
[stderr]
note: made the person key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/person`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "demo/echo", "--json"]).transcript(),
        str![[r#"
$ rye verify demo/echo --json
{"status":"ok","checked":1,"summary":{"good":1,"builtin":0,"legacy":0,"unsigned":0,"tampered":0,"untrusted":0,"retired":0,"revoked":0,"rolled_back":0,"missing_countersignature":0,"unshadowed":0},"findings":[]}
[exit 0]

"#]],
    );
}

#[test]
fn load_and_list() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["load", "tool", "demo/fail", "--json"]).transcript(),
        str![[r##"
$ rye load tool demo/fail --json
{"item_type":"tool","item_id":"demo/fail","verdict":"good","space":"project","path":".ai/tools/demo/fail.sh","content":"# rye:signed:2026-03-17T01:41:08Z:15c337346c76b99e9944bab58f448f09336f7f3e058e64e9e6c06bd47e6478de:xyDrPGu1udSgttyqg9trJ-1FEP-M5ABymwz8hbZBfHpJYtTekmF4mhaCThbfpNmnOv5t4ZDWetY6EZGOa3n_Dw==:706f575fc5331071\n# version: 1.0.0\n# description: \"Fails\"\n# category: demo\necho \"it went wrong\" >&2\nexit 3\n","metadata":{"name":"fail","extension":"sh","version":"1.0.0"}}
[exit 0]

"##]],
    );
    assert_seen(
        sandbox.rye(&["list", "tool", "--space", "project", "--format", "json"]).transcript(),
        str![[r#"
$ rye list tool --space project --format json
{"items":[{"item_type":"tool","item_id":"demo/echo","space":"project","path":"[SANDBOX]/project/.ai/tools/demo/echo.sh","version":"1.0.0","description":"Returns what it was given","verdict":"good"},{"item_type":"tool","item_id":"demo/fail","space":"project","path":"[SANDBOX]/project/.ai/tools/demo/fail.sh","version":"1.0.0","description":"Fails","verdict":"good"}],"strays":[]}
[exit 0]

"#]],
    );
}

#[test]
fn execute_of_each_type() {
    let sandbox = Sandbox::signed();
    let directive = ["execute", "directive", "demo/greet", "-i", "name=Ada", "--json"];
    assert_seen(
        sandbox.rye(&directive).transcript(),
        str![[r#"
$ rye execute directive demo/greet -i name=Ada --json
{"item_type":"directive","item_id":"demo/greet","name":"greet","version":"1.2.3","description":"Greet someone","instructions":"<process>\n  <step name=\"say\">\n    <description>Say it 1 times.</description>\n    <execute item_type=\"tool\" item_id=\"demo/echo\">\n      <param name=\"text\" value=\"Hello, Ada!\" />\n    </execute>\n  </step>\n</process>","steps":[{"name":"say","description":"Say it 1 times.","actions":[{"primary":"execute","item_type":"tool","item_id":"demo/echo","parameters":{"text":"Hello, Ada!"}}]}],"inputs":{"name":"Ada","times":1},"outputs":[{"name":"greeting","type":"string","required":true,"from":"say.text","description":"What was said"}],"permissions":["rye.execute.tool.demo.*"],"limits":{"turns":3,"tokens":100000,"spend":{"amount":"0.01","currency":"USD"},"duration":30},"body":"<process>\n  <step name=\"say\">\n    <description>Say it 1 times.</description>\n    <execute item_type=\"tool\" item_id=\"demo/echo\">\n      <param name=\"text\" value=\"Hello, Ada!\" />\n    </execute>\n  </step>\n</process>"}
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/notes", "--json"]).transcript(),
        str![[r##"
$ rye execute knowledge demo/notes --json
{"item_type":"knowledge","item_id":"demo/notes","content":"# Notes\n\nGreetings are short.","metadata":{"name":"notes","title":"Notes of the demo","category":"demo","version":"1.0.0","author":"ada","tags":[],"references":[],"extends":[],"used_by":[]},"instructions":"Use what `Notes of the demo` says wherever it bears on the work at hand."}
[exit 0]

"##]],
    );
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/echo", "-i", "text=x", "--json"]).transcript(),
        str![[r#"
$ rye execute tool demo/echo -i text=x --json
{"item_type":"tool","item_id":"demo/echo","status":"ok","result":{"text":"x"},"duration_ms":0}
[exit 0]

"#]],
    );
}

#[test]
fn execute_with_dry_run_names_the_command() {
    let sandbox = Sandbox::signed();
    let mut planned = parsed(&sandbox, &["execute", "tool", "demo/echo", "-i", "text=x", "--dry-run"]);
    let command = planned["command"].take();
    assert!(command[0].as_str().unwrap().ends_with("/sh"), "{command}");
    let expected = json!({
        "item_type": "tool", "item_id": "demo/echo", "parameters": {"text": "x"}, "kind": "script", "command": null,
        "needs": "rye.execute.tool.demo.echo",
    });
    assert_eq!(planned, expected);
}

#[test]
fn init_keys_and_trust() {
    let sandbox = Sandbox::empty();
    let names = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&parsed(&sandbox, &["init"])), ["created", "keys", "root"]);
    assert_eq!(
        names(&parsed(&sandbox, &["key", "list"])["keys"][0]),
        ["created", "fingerprint", "held", "key_id", "name", "path", "public"]
    );
    assert_eq!(names(&parsed(&sandbox, &["key", "export"])), ["key_id", "text"]);
    assert_eq!(
        names(&parsed(&sandbox, &["trust", "list"])["keys"][0]),
        ["fingerprint", "key_id", "origin", "principal", "reach", "state"]
    );
}

#[test]
fn json_is_for_every_error_too() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["-C", "nowhere", "list", "--json"]).transcript(),
        str![[r#"
$ rye -C nowhere list --json
{"error":{"code":"no-folder","message":"no such folder `[SANDBOX]/project/nowhere`","causes":[],"hints":["name a folder that exists with `-C DIR`; without it, `RYE_PROJECT` or the current folder is used"]}}
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["key", "export", "--format=json"]).transcript(),
        str![[r#"
$ rye key export --format=json
{"error":{"code":"no-key","message":"you have no person key yet","causes":[],"hints":["run `rye key list` to see your keys","run `rye key generate` to make your keys"]}}
[exit 1]

"#]],
    );
}

/// Programs written for the seed documents read these names; a model reads each once.
#[test]
fn outcomes_have_the_names_of_the_seed_documents_too() {
    let sandbox = Sandbox::signed();
    let directive = parsed(&sandbox, &["execute", "directive", "demo/greet", "-i", "name=Ada"]);
    assert!(directive["body"].is_string() && directive["body"] == directive["instructions"], "{directive}");
    let found = parsed(&sandbox, &["search", "echo"]);
    let hit = &found["results"][0];
    assert_eq!((&hit["id"], &hit["preview"]), (&hit["item_id"], &hit["snippet"]), "{found}");
    assert!(hit["id"].is_string() && hit["preview"].is_string(), "{found}");
}
