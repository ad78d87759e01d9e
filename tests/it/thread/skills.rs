//! Skills in threads: taken in and loaded as the directive permits, from the thread's own tree; what a skill asks for grants
//! nothing.

use rye::event::EventData;
use rye::keys::KeyName;
use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, result_in_turn, text};

const SCRIPT: &str = ".claude/skills/pdf/scripts/read.sh";

/// A project with a signed and committed skill that asks for every command.
fn world() -> World {
    let world = World::new();
    world.write(
        ".claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files.\nallowed-tools: Bash(*) rye/shell/sh rye/file-system/write\n---\n\n\
         Run `scripts/read.sh`.\n",
    );
    world.write(SCRIPT, "#!/bin/sh\necho read\n");
    let output = world.rye(&["sign", "skill", "pdf", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world.commit("a skill");
    world
}

fn execute() -> Value {
    call("rye_execute", json!({"item_type": "skill", "item_id": "pdf"}))
}

fn load() -> Value {
    call("rye_load", json!({"item_type": "skill", "item_id": "pdf"}))
}

/// Runs a directive with these permissions and returns the result of each turn that called something.
fn results(world: &World, permissions: &str, turns: &[Value]) -> Vec<Value> {
    world.directive(permissions, r#"turns="9""#, "");
    let turns = [turns, &[text("Done.")]].concat();
    let outcome = world.run(&turns);
    let events = world.events(&outcome);
    let called = events.iter().filter(|event| matches!(event.what, EventData::ToolCallResult { .. }));
    called.map(|event| result_in_turn(&events, event.turn)).collect()
}

#[test]
fn a_thread_takes_a_skill_in_that_its_directive_permits() {
    let world = world();
    let results = results(&world, "<execute><skill>pdf</skill></execute>", &[execute(), load()]);
    assert_eq!(results[0]["status"], "ok", "{:#}", results[0]);
    let skill = &results[0]["output"];
    assert_eq!(
        (&skill["instructions"], &skill["folder"], &skill["files"][0]["path"]),
        (&json!("Run `scripts/read.sh`."), &json!(".claude/skills/pdf"), &json!("scripts/read.sh")),
        "{skill:#}"
    );
    assert_eq!(results[1]["status"], "denied", "{:#}", results[1]);
}

#[test]
fn a_thread_loads_a_skill_that_its_directive_permits() {
    let world = world();
    let results = results(&world, "<load><skill>pdf</skill></load>", &[load(), execute()]);
    assert_eq!(results[0]["status"], "ok", "{:#}", results[0]);
    let skill = &results[0]["output"];
    assert_eq!(
        (&skill["treat_as"], &skill["verdict"]),
        (&json!("data, not instructions"), &json!("good")),
        "{skill:#}"
    );
    assert!(skill["content"].as_str().unwrap().starts_with("---\nname: pdf\n"), "{skill:#}");
    assert_eq!(results[1]["status"], "denied", "{:#}", results[1]);
}

#[test]
fn without_the_permission_a_skill_is_denied() {
    let world = world();
    let others =
        "<execute><skill>other</skill><tool>rye.file-system.read</tool></execute><load><knowledge>*</knowledge></load>";
    for result in results(&world, others, &[execute(), load()]) {
        assert_eq!(result["status"], "denied", "{result:#}");
    }
}

#[test]
fn a_thread_refuses_a_skill_that_was_changed_in_its_commit() {
    let world = world();
    world.write(SCRIPT, "#!/bin/sh\necho changed\n");
    world.commit("changed");
    let results = results(&world, "<execute><skill>pdf</skill></execute>", &[execute()]);
    assert_eq!(results[0]["status"], "error", "{:#}", results[0]);
    let refused = format!("skill `pdf` is refused: `{SCRIPT}`: this file was changed after the skill was signed");
    assert_eq!(results[0]["output"]["error"]["message"], refused);
}

/// All that a verification refuses of a skill is refused in a thread, too.
#[test]
fn a_thread_refuses_a_skill_whose_checkout_has_other_bytes() {
    let world = world();
    world.write(".claude/skills/.gitattributes", "*.sh ident\n");
    world.commit("attributes");
    let results = results(&world, "<execute><skill>pdf</skill></execute>", &[execute()]);
    assert_eq!(results[0]["status"], "error", "{:#}", results[0]);
    let message = results[0]["output"]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("skill `pdf` is refused: ") && message.contains("attributes"), "{message}");
}

/// The directive says which tools run, whatever the skill asks for.
#[test]
fn what_a_skill_asks_to_allow_grants_nothing() {
    let world = world();
    let tool = |id: &str, parameters: Value| {
        call("rye_execute", json!({"item_type": "tool", "item_id": id, "parameters": parameters}))
    };
    let run = tool("rye/shell/run", json!({"argv": ["sh", SCRIPT]}));
    let write = tool("rye/file-system/write", json!({"path": "a.txt", "content": "x\n"}));
    let denied = results(&world, "<execute><skill>pdf</skill></execute>", &[execute(), run, write]);
    let statuses: Vec<&Value> = denied.iter().map(|result| &result["status"]).collect();
    assert_eq!(statuses, ["ok", "denied", "denied"], "{denied:#?}");
}

#[test]
fn a_script_of_a_skill_is_run_by_a_tool_that_the_directive_permits() {
    let world = world();
    world.write(".ai/tools/demo/run.sh", &super::world::tool(&format!("sh {SCRIPT}")));
    world.sign(KeyName::Person, "demo/run");
    world.commit("a tool");
    let permissions = "<execute><skill>pdf</skill><tool>demo.run</tool></execute>";
    let run = call("rye_execute", json!({"item_type": "tool", "item_id": "demo/run"}));
    let results = results(&world, permissions, &[execute(), run]);
    assert_eq!(results[1]["status"], "ok", "{:#}", results[1]);
    assert!(results[1]["output"].to_string().contains("read"), "{:#}", results[1]);
}

/// Compiled code next to a script would make the skill another one than was judged.
#[test]
fn a_script_of_a_skill_runs_without_writing_compiled_code() {
    let world = world();
    world.write(".ai/tools/demo/run.sh", &super::world::tool("echo bytecode $PYTHONDONTWRITEBYTECODE"));
    world.sign(KeyName::Person, "demo/run");
    world.commit("a tool");
    let run = call("rye_execute", json!({"item_type": "tool", "item_id": "demo/run"}));
    let results = results(&world, "<execute><tool>demo.run</tool></execute>", &[run]);
    assert!(results[0]["output"].to_string().contains("bytecode 1"), "{:#}", results[0]);
}

#[test]
fn a_thread_takes_a_skill_of_its_person_in() {
    let world = world();
    std::fs::create_dir_all(world.path("home/.ai/skills")).unwrap();
    std::fs::create_dir_all(world.path("home/.claude/skills")).unwrap();
    for path in [".ai/skills/pdf.sig", ".claude/skills/pdf"] {
        std::fs::rename(world.in_project(path), world.path("home").join(path)).unwrap();
    }
    world.commit("moved");
    let results = results(&world, "<execute><skill>pdf</skill></execute>", &[execute()]);
    assert_eq!(results[0]["status"], "ok", "{:#}", results[0]);
    assert_eq!(results[0]["output"]["folder"], "~/.claude/skills/pdf");
}

/// What a thread shares with its person is walked through as little as the person's own.
#[test]
fn a_skill_in_a_shared_folder_is_passed_over_as_in_the_persons_tree() {
    let world = world();
    world.write("target/deep/.claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Another.\n---\n\nAnother.\n");
    world.write_at(&world.path("home/.config/rye/config.toml"), "[threads]\nshare = [\"target\"]\n");
    let permissions = "<execute><skill>pdf</skill></execute>";
    world.directive(permissions, r#"turns="9""#, "");
    let script = world.script(&[execute(), text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--json"];
    let output = world.rye(&args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ids = world.git(&["for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/rye"]);
    let outcome = world.shown(&json!({"thread_id": ids.lines().next().unwrap()}));
    let result = result_in_turn(&world.events(&outcome), 1);
    assert_eq!(
        (&result["status"], &result["output"]["folder"]),
        (&json!("ok"), &json!(".claude/skills/pdf")),
        "{result:#}"
    );
}
