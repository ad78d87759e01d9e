//! A coding task on a repository of a thousand files: found, read, mended after one wrong attempt, tested until it passes, and accepted,
//! by a model on each wire format.

use rye::thread::Status;
use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, RESPONSES, Wire, run};
use super::world::{World, result_in_turn};
use crate::support::http::{Reply, Server};

/// How many files the repository has besides.
const MODULES: usize = 1000;

const PERMISSIONS: &str = r#"<execute><tool>rye.file-system.*</tool><tool>demo.test</tool></execute><read resource="filesystem" path="**" /><write resource="filesystem" path="src/**" />"#;

/// A repository of shell modules, one of which has a fault that its test shows.
fn repository() -> World {
    let world = World::new();
    for number in 0..MODULES {
        let name = format!("m{number:04}");
        world.write(&format!("src/part{}/{name}.sh", number % 20), &format!("{name}() {{\n    echo {number}\n}}\n"));
    }
    world.write("src/part7/total.sh", "# Adds two numbers.\ntotal() {\n\techo $(($1 - $2))\n}\n");
    world.write("check.sh", ". ./src/part7/total.sh\n[ \"$(total 2 3)\" = 5 ] || { echo \"total 2 3 is $(total 2 3), not 5\" >&2; exit 1; }\n");
    world.tool("demo/test", "sh ./check.sh && echo '{\"passed\": true}'");
    world.directive(
        PERMISSIONS,
        r#"turns="12""#,
        r#"<output name="changed" required="true">The file that was changed</output>"#,
    );
    let written = world.read(".ai/directives/demo/work.md");
    world.write(".ai/directives/demo/work.md", &written.replace("tier=\"scripted\"", "tier=\"general\""));
    assert!(world.rye(&["sign", "--all", "-q"]).status().unwrap().success());
    world.commit("items");
    world
}

/// What the model does, turn by turn.
fn turns() -> Vec<(&'static str, Value)> {
    let path = "src/part7/total.sh";
    vec![
        ("demo_test", json!({})),
        ("rye_file_system_grep", json!({"pattern": "^total\\(\\)", "context": 2})),
        ("rye_file_system_read", json!({"path": path})),
        // It gives the line with blanks where the file has a tab.
        ("rye_file_system_edit", json!({"path": path, "old": "    echo $(($1 - $2))", "new": "    echo $(($1 + $2))"})),
        ("rye_file_system_edit", json!({"path": path, "old": "\techo $(($1 - $2))", "new": "\techo $(($1 + $2))"})),
        ("demo_test", json!({})),
        ("directive_return", json!({"changed": path})),
    ]
}

fn mends(wire: &Wire) {
    let world = repository();
    let replies: Vec<Reply> = turns().iter().map(|(name, input)| (wire.call)(name, input)).collect();
    let server = Server::new(replies);
    let model = ["--provider", wire.provider, "--model", "gpt-6-luna"];
    let args = if wire.provider == CHAT.provider { &model[..] } else { &[] };
    let (code, outcome, told) = run(&world, &server, wire, args);
    assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{}: {told}{outcome:#}", wire.provider);
    let thread = world.shown(&outcome);
    assert_eq!(thread.status, Status::Completed);
    let events = world.events(&thread);
    let result = |turn| result_in_turn(&events, turn);
    assert_eq!(result(1)["status"], "error", "{}", result(1));
    assert!(result(1).to_string().contains("total 2 3 is -1, not 5"), "{}", result(1));
    let found = &result(2)["output"]["files"];
    assert_eq!(
        found,
        &json!([{"path": "src/part7/total.sh", "lines": "1-# Adds two numbers.\n2:total() {\n3-\techo $(($1 - $2))\n4-}\n"}])
    );
    assert!(
        result(4).to_string().contains("what begins at line 3 differs from it in white space alone"),
        "{}",
        result(4)
    );
    assert_eq!((&result(5)["status"], &result(5)["output"]["replaced"]), (&json!("ok"), &json!(1)), "{}", result(5));
    assert_eq!(result(6)["output"], json!({"passed": true}));
    assert_eq!(outcome["outputs"], json!({"changed": "src/part7/total.sh"}));
    world.check(&thread);
    let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(world.git(&["diff", "--stat", "--name-only", "HEAD~1", "HEAD"]).trim(), "src/part7/total.sh");
    assert_eq!(world.read("src/part7/total.sh"), "# Adds two numbers.\ntotal() {\n\techo $(($1 + $2))\n}\n");
}

#[test]
fn a_fault_is_mended_over_messages() {
    mends(&ANTHROPIC);
}

#[test]
fn a_fault_is_mended_over_responses() {
    mends(&RESPONSES);
}

#[test]
fn a_fault_is_mended_over_chat_completions() {
    mends(&CHAT);
}
