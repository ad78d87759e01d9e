//! A directive that a model executes inside of its thread: what it is told, and which directive events then name.

use rye::event::EventData;
use rye::keys::KeyName;
use rye::thread::Status;
use serde_json::json;

use super::world::{NOTHING, World, call, calls, directive, result_in_turn, text};

const PERMISSIONS: &str = "<execute><tool>rye.file-system.*</tool><directive>demo/*</directive></execute>";

/// A directive of `demo` that a thread takes in.
fn part(world: &World, name: &str, body: &str) {
    let metadata = "<context><system>demo/who</system><related_files>\n- a.rs\n</related_files></context></metadata>";
    let text = directive(name, "", "turns=\"2\"", "<output name=\"found\">What was found</output>")
        .replace(&format!("<permissions>{NOTHING}</permissions>"), "")
        .replace("</metadata>", metadata)
        .replace(
            "</metadata>\n",
            "</metadata>\n  <inputs><input name=\"of\" type=\"string\" required=\"true\" /></inputs>\n",
        )
        .replace("Work.</step>", body);
    world.write(&format!(".ai/directives/demo/{name}.md"), &text);
    world.sign(KeyName::Person, &format!("demo/{name}"));
}

fn world() -> World {
    let world = World::new();
    world.knowledge("who", "You look twice.");
    world.directive(PERMISSIONS, "turns=\"9\"", "<output name=\"done\" required=\"false\">Whether it is done</output>");
    let body = "Look at {input:of}.\n<execute item_type=\"tool\" item_id=\"rye/file-system/read\">\
                <param name=\"path\" value=\"{input:of}\" /></execute></step>";
    part(&world, "look", body);
    part(&world, "tell", "Tell {input:of}.</step>");
    world
}

fn take(id: &str) -> (&'static str, serde_json::Value) {
    ("rye_execute", json!({"item_type": "directive", "item_id": id, "parameters": {"of": "README.md"}}))
}

fn follow(id: &str) -> String {
    format!("Follow the instructions of directive `{id}` now.")
}

#[test]
fn its_instructions_come_whole_and_the_model_is_told_to_follow_them() {
    let world = world();
    let expecting = json!({"text": "Done.", "expect": {"contains": [follow("demo/look"), "You look twice."]}});
    let outcome = world.run(&[calls(&[take("demo/look")]), expecting]);
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    let result = result_in_turn(&world.events(&outcome), 1);
    let instructions = "You look twice.\n\n<process>\n  <step name=\"work\">Look at README.md.\n\
        <execute item_type=\"tool\" item_id=\"rye/file-system/read\"><param name=\"path\" value=\"README.md\" /></execute></step>\n\
        </process>\n\nThe steps and their calls:\n\nwork: Look at README.md.\n```json\n\
        {\"tool\":\"rye_file_system_read\",\"input\":{\"path\":\"README.md\"}}\n```\n\n\n\
        <related_files>\n- a.rs\n</related_files>\n\n<outputs>\n  <output name=\"found\">What was found</output>\n</outputs>";
    let wanted = json!({
        "item_type": "directive", "item_id": "demo/look", "name": "look", "version": "1.0.0", "description": "Work",
        "inputs": {"of": "README.md"}, "instructions": instructions,
    });
    assert_eq!(result, json!({"status": "ok", "output": wanted}));
}

#[test]
fn events_name_the_directive_that_is_followed() {
    let world = world();
    let denied = ("rye_execute", json!({"item_type": "directive", "item_id": "other/one"}));
    let turns = [
        calls(&[take("demo/look"), denied]),
        call("rye_file_system_read", json!({"path": "README.md"})),
        calls(&[take("demo/tell")]),
        text("Told."),
    ];
    let outcome = world.run(&turns);
    let named = |outcome| -> Vec<(u32, String)> {
        let mut named: Vec<(u32, String)> = Vec::new();
        for event in world.events(outcome) {
            let last = (event.turn, event.directive.to_string());
            if named.last() != Some(&last) {
                named.push(last);
            }
        }
        named
    };
    let pairs = |pairs: &[(u32, &str)]| -> Vec<(u32, String)> {
        pairs.iter().map(|(turn, id)| (*turn, (*id).to_owned())).collect()
    };
    let wanted = [
        (0, "demo/work"),
        (1, "demo/work"),
        (1, "demo/look"),
        (2, "demo/look"),
        (3, "demo/look"),
        (3, "demo/tell"),
        (4, "demo/tell"),
        // The end is the thread's own.
        (5, "demo/work"),
    ];
    assert_eq!(named(&outcome), pairs(&wanted));

    // What the thread returns is its own too, and so is what follows.
    let outcome = world.run(&[calls(&[take("demo/look")]), call("directive_return", json!({"done": "yes"}))]);
    let wanted =
        [(0, "demo/work"), (1, "demo/work"), (1, "demo/look"), (2, "demo/look"), (2, "demo/work"), (3, "demo/work")];
    assert_eq!(named(&outcome), pairs(&wanted));
}

#[test]
fn a_fork_goes_on_following_what_the_thread_followed() {
    let world = world();
    let outcome = world.run(&[calls(&[take("demo/look")]), text("Done.")]);
    let script = world.script(&[json!({}), text("Done.")]).display().to_string();
    let args = ["thread", "fork", outcome.thread_id.as_str(), "--turn", "1", "--script", &script];
    let (code, printed) = world.rye_json(&args);
    assert_eq!(code, 0, "{printed}");
    let fork = world.shown(&printed);
    world.check_fork(&fork);
    let events = world.events(&fork);
    let said = events.iter().find(|event| matches!(event.what, EventData::AssistantText { .. })).unwrap();
    assert_eq!(said.directive.as_str(), "demo/look");
    assert_eq!(events[0].directive.as_str(), "demo/work");
}

#[test]
fn instructions_too_long_for_a_result_are_refused() {
    let world = world();
    part(&world, "long", &format!("{}{{input:of}}</step>", "word ".repeat(12_000)));
    let outcome = world.run(&[calls(&[take("demo/long")]), text("Done.")]);
    let events = world.events(&outcome);
    let result = result_in_turn(&events, 1);
    assert_eq!(
        (&result["status"], &result["output"]["error"]["code"]),
        (&json!("error"), &json!("too_large")),
        "{result}"
    );
    assert!(events.iter().all(|event| event.directive.as_str() == "demo/work"));
}
