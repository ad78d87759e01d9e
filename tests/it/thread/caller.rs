//! Permissions a caller gives in addition to the directive's own: a call needs both.

use rye::ops::permissions::{Caller, CallerError};
use rye::thread::{Outcome, Status};
use serde_json::{Value, json};

use super::world::{FILES, World, call, result_in_turn, text};

/// In the form that spells everything out.
const READ_ONLY: &str = "capabilities:\n  - primary: execute\n    item_type: tool\n    specifics: rye.file-system.read\n  - primary: load\n";

fn caller(text: &str) -> Option<Caller> {
    Some(Caller::parse("readonly.yaml".into(), text.to_owned()).unwrap())
}

fn run(world: &World, document: &str, turns: &[Value]) -> Outcome {
    let mut options = world.options(turns);
    options.caller = caller(document);
    world.try_run(&options).unwrap()
}

/// A call by the item's id: a call that is not permitted has no name of its own.
fn execute(id: &str, parameters: Value) -> Value {
    call("rye_execute", json!({"item_type": "tool", "item_id": id, "parameters": parameters}))
}

fn write(path: &str) -> Value {
    execute("rye/file-system/write", json!({"path": path, "content": "x"}))
}

fn read(path: &str) -> Value {
    call("rye_file_system_read", json!({"path": path}))
}

#[test]
fn a_caller_narrows_what_a_thread_may_call() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    let offered = json!({"text": "Done.", "expect": {"tools": ["rye_file_system_read"]}});
    for document in [READ_ONLY, "capabilities:\n  - rye.execute.tool.rye.file-system.read\n  - rye.load.*\n"] {
        let outcome = run(&world, document, &[read("README.md"), write("src/new.txt"), offered.clone()]);
        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
        let events = world.events(&outcome);
        assert_eq!(result_in_turn(&events, 1)["status"], "ok");
        let denied = result_in_turn(&events, 2);
        assert_eq!(denied["status"], "denied");
        assert_eq!(
            denied["output"]["error"]["message"],
            "the permissions given for this thread do not allow `execute tool rye/file-system/write`: it needs \
             `rye.execute.tool.rye.file-system.write`"
        );
        assert_eq!(world.in_thread(&outcome, "src/new.txt"), None);
        // What the caller has and the directive does not is not offered either.
        let tokens: Value = serde_json::from_str(&world.thread_file(&outcome, "token.json")).unwrap();
        let sha256 = caller(document).unwrap().sha256().to_string();
        assert_eq!((&tokens[0]["caller"], &tokens[0]["parent"]), (&json!(sha256), &Value::Null));
        assert_eq!(tokens[0]["capabilities"], json!(["rye.execute.tool.rye.file-system.read", "rye.load.*"]));
        assert_eq!((tokens[1].get("caller"), tokens[1]["parent"].is_string()), (None, true));
        assert_eq!(tokens.as_array().unwrap().len(), 2);
    }
}

/// Attack: a file that allows everything is handed over with a directive that was signed for little.
#[test]
fn a_caller_s_permissions_never_widen() {
    let world = World::new();
    world.tool("demo/one", "echo one > src/one.txt");
    world.extended("base", "", "", FILES);
    world.extended(
        "work",
        "demo/base",
        "",
        "<execute><tool>rye.file-system.read</tool><tool>demo.one</tool></execute>",
    );
    let everything = "capabilities:\n  - primary: execute\n  - primary: load\n  - primary: sign\n  - rye.*\n";
    let turns = [read("README.md"), execute("demo/one", json!({})), write("src/new.txt"), text("Done.")];
    let outcome = run(&world, everything, &turns);
    let events = world.events(&outcome);
    let status = |turn| result_in_turn(&events, turn)["status"].clone();
    assert_eq!([status(1), status(2), status(3)], ["ok", "denied", "denied"]);
    let message = |turn| result_in_turn(&events, turn)["output"]["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message(2), "no permission for `execute tool demo/one`: it needs `rye.execute.tool.demo.one`");
    assert_eq!((world.in_thread(&outcome, "src/one.txt"), world.in_thread(&outcome, "src/new.txt")), (None, None));
    // A list of nothing allows nothing.
    let outcome = run(
        &world,
        "capabilities: []\n",
        &[execute("rye/file-system/read", json!({"path": "README.md"})), text("Done.")],
    );
    assert_eq!(result_in_turn(&world.events(&outcome), 1)["status"], "denied");
}

#[test]
fn a_file_that_is_no_capability_document_is_refused_with_every_finding() {
    let refused = |text: &str| match Caller::parse("p.yaml".into(), text.to_owned()) {
        Err(CallerError::Invalid { findings, .. }) => {
            findings.iter().map(|finding| (finding.line, finding.rule)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("permissions: []\n"), [(1, "RYE-K004"), (1, "RYE-P013")]);
    assert_eq!(refused("capabilities:\n  - mcp.x\n  - primary: run\n"), [(2, "RYE-P001"), (3, "RYE-P013")]);
    assert_eq!(refused("capabilities: [\n")[0].1, "RYE-F006");

    let world = World::new();
    let ctx = world.context(&[]);
    let error = |name: &str| Caller::read(&ctx, name.as_ref()).unwrap_err();
    assert!(matches!(error("nowhere.yaml"), CallerError::Read(_)));
    assert!(matches!(error("/dev/zero"), CallerError::Read(_)), "what has no end is not read to it");
    world.write("latin.yaml", "capabilities: []\n");
    std::fs::write(world.in_project("latin.yaml"), b"capabilities: []\n# \xe9\n").unwrap();
    assert!(matches!(error("latin.yaml"), CallerError::Read(_)));
}
