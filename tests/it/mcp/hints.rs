//! What a model is told of a refusal: what to ask the user for, and never how to lift it.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;
use crate::thread::world::{World, call, calls, result_in_turn, text};

/// No command of this program, and no setting.
fn says_no_way_out(told: &str) {
    for way in
        ["`rye ", "permissions.deny", "permissions.ask", "mcp.permissions", "--permissions", "--config", "RYE_SIGNING"]
    {
        assert!(!told.contains(way), "{way}: {told}");
    }
}

fn hints(client: &mut Client<'_>, tool: &str, arguments: Value) -> Value {
    let (outcome, failed) = client.outcome(tool, arguments);
    assert!(failed, "{outcome}");
    says_no_way_out(&outcome.to_string());
    outcome["error"]["hints"].clone()
}

fn item(item_type: &str, id: &str) -> Value {
    json!({"item_type": item_type, "item_id": id})
}

#[test]
fn a_refusal_over_mcp_says_what_to_ask_the_user_for() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["sign", "tool", "demo/fail", "-q"]).succeeds();
    sandbox.edit(".ai/tools/demo/fail.sh", "version: 1.0.0", "version: 1.0.1");
    let config =
        ["--config", "permissions.deny=['rye.load.*']", "--config", "permissions.ask=['rye.execute.knowledge.*']"];
    let mut client = Client::connected(&sandbox, &config);
    let mut hints = |tool: &str, arguments: Value| hints(&mut client, tool, arguments);
    assert_eq!(
        hints("rye_execute", item("tool", "demo/echo")),
        json!(["ask the user to review and sign tool `demo/echo`"])
    );
    assert_eq!(
        hints("rye_execute", item("tool", "demo/fail")),
        json!(["ask the user to review and sign tool `demo/fail`"])
    );
    assert_eq!(hints("rye_sign", item("tool", "demo/echo")), json!(["ask the user whether you may do it"]));
    assert_eq!(hints("rye_load", item("tool", "demo/echo")), json!(["ask the user whether it is to be done"]));
    assert_eq!(hints("rye_execute", item("knowledge", "demo/notes")), json!(["ask the user to do it"]));
    let search = "search with `rye_search`";
    assert_eq!(hints("rye_execute", item("tool", "demo/ecko")), json!(["did you mean `demo/echo`?", search]));
    let mut place = item("tool", "rye/file-system/write");
    for (path, hint) in [
        (".mcp.json", json!(["ask the user whether you may write `.mcp.json`"])),
        (".ai/trust/allowed_signers", Value::Null),
    ] {
        place["parameters"] = json!({"path": path, "content": ""});
        assert_eq!(hints("rye_execute", place.clone()), hint);
    }
    // A prompt's failure is told in the same words.
    let told = client.ask("prompts/get", json!({"name": "demo/greet", "arguments": {"name": "Ada"}})).to_string();
    assert!(told.contains("ask the user to review and sign directive `demo/greet`"), "{told}");
    says_no_way_out(&told);
}

#[test]
fn a_refusal_in_a_thread_says_no_way_out() {
    let world = World::new();
    let tools = "<execute><tool>rye.file-system.write</tool><tool>demo.*</tool></execute>";
    let permissions = format!("{tools}<load><knowledge>demo/*</knowledge></load>");
    world.directive(
        &permissions.replace("<execute>", "<acknowledge risk=\"unrestricted\">a test</acknowledge><execute>"),
        "turns=\"9\"",
        "",
    );
    world.tool("demo/one", "echo '{}'");
    world.write(".ai/tools/demo/two.sh", "# version: 1.0.0\n# description: Two\n# category: demo\necho\n");
    let execute = |id: &str| ("rye_execute", json!({"item_type": "tool", "item_id": id}));
    let write = |path: &str| ("rye_file_system_write", json!({"path": path, "content": ""}));
    let turns = [
        calls(&[execute("demo/two")]),
        calls(&[execute("other/tool")]),
        calls(&[execute("demo/one")]),
        call("rye_load", json!({"item_type": "knowledge", "item_id": "demo/x"})),
        calls(&[write(".vscode/tasks.json")]),
        calls(&[write(".ai/trust/allowed_signers")]),
        text("Done."),
    ];
    let config = ["permissions.deny=['rye.load.*']", "permissions.ask=['rye.execute.tool.demo.one']"];
    let session = rye::session::Session::open(&world.context(&config)).unwrap();
    let options = world.options(&turns);
    struct Nobody;
    impl rye::thread::Observer for Nobody {
        fn event(&mut self, _: &rye::event::Event) {}
    }
    let outcome = rye::thread::run(&session, &options, &rye::process::CancelFlag::new(), &mut Nobody).unwrap();
    let events = world.events(&outcome);
    for turn in 1..=6 {
        let result = result_in_turn(&events, turn);
        assert_ne!(result["status"], "ok", "{turn}: {result}");
        says_no_way_out(&result.to_string());
    }
    let denied = result_in_turn(&events, 4);
    assert_eq!(denied["output"]["error"]["message"], "the user's configuration denies `load knowledge demo/x`");
    // The record tells a person which setting it is.
    let recorded = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect::<String>();
    assert!(recorded.contains("`permissions.deny` has `rye.load.*`"), "{recorded}");
}
