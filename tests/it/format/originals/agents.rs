//! What 004 means: how agents execute directives, of which only the parts about directives and calls are examples.

use serde_json::{Value, json};

use super::table::{Row, action, calls, elsewhere, means, nothing, search, step, with};

const ARGUMENT: &str = "the argument that the call below it is about";
const FILLED: &str = "the_placeholders_of_a_provider_are_filled_in_once";

pub(super) fn rows() -> Vec<Row> {
    [about_calls(), about_threads(), about_metadata()].into_iter().flatten().collect()
}

fn call(call: &str, parameters: &Value) -> Value {
    json!({"call": call, "parameters": parameters})
}

fn about_calls() -> Vec<Row> {
    let content = json!({"path": "output.md", "content": "hello"});
    let wrapped = json!({"directive_name": "test/write_and_read", "inputs": {"path": "/tmp/x"}});
    vec![
        nothing(1, "    this doc is incorrect", "a remark on the document"),
        nothing(11, "item_type=\"directive\"", ARGUMENT),
        nothing(19, "Agent thread", "a picture of a run"),
        nothing(55, "item_type=\"tool\"", ARGUMENT),
        means(57, "{", call("execute tool rye/file-system/write", &content)),
        nothing(66, "item_type=\"directive\"", ARGUMENT),
        // The wrapper is taken off when the inputs are resolved: values_win_over_defaults_and_the_wrapper_is_unwrapped.
        means(69, "{", call("execute directive test/write_and_read", &wrapped)),
        nothing(78, "item_type=\"knowledge\"", ARGUMENT),
        means(80, "{", json!({"call": "execute knowledge rye-architecture"})),
        means(
            93,
            "{\"item_type\": \"knowledge\"",
            json!({"call": "search knowledge", "parameters": {"query": "authentication"}}),
        ),
        means(102, "{\"item_type\": \"directive\"", json!({"call": "load directive test/01_write_file"})),
        means(111, "{\"item_type\": \"knowledge\"", json!({"call": "sign knowledge capability-tokens-learnings"})),
    ]
}

fn about_threads() -> Vec<Row> {
    vec![
        elsewhere(150, "{directive_name}", FILLED),
        elsewhere(151, "{directive_description}", FILLED),
        elsewhere(152, "{directive_steps}", FILLED),
        elsewhere(153, "{directive_inputs}", FILLED),
        elsewhere(154, "{tool_names}", FILLED),
        means(159, "{input:name}", json!(["x", "", "missing required input"])),
        nothing(163, "┌──", "a picture of the loop"),
        // It does not name its item: text.
        means(202, "rye_execute(item_type=\"directive\")", Value::Null).found(&["RYE-D036"]),
        means(219, "rye_execute(item_type=\"tool\"", action("execute", "tool", "rye/agent/threads/thread_directive")),
        means(239, "rye_execute(item_type=\"directive\"", action("execute", "directive", "spawn_thread")),
    ]
}

fn about_metadata() -> Vec<Row> {
    let topic = search("knowledge", "{input:topic}");
    let write = with(
        action("execute", "tool", "rye/file-system/fs_write"),
        [("path", "{input:output_path}"), ("content", "Report content")],
    );
    vec![
        means(
            251,
            "<metadata>",
            json!({
                "model": {"tier": "haiku", "id": "claude-3-5-haiku-20241022"},
                "limits": {"turns": 5, "tokens": 2048},
                "permissions": calls(["rye.execute.tool.rye.file-system.*", "rye.search.knowledge.*"]),
            }),
        ),
        means(
            276,
            "<permissions>",
            calls([
                "rye.execute.tool.rye.file-system.*",
                "rye.execute.directive.test.*",
                "rye.search.*",
                "rye.load.knowledge.*",
                "rye.sign.knowledge.*",
            ]),
        )
        .found(&["RYE-P004"]),
        means(
            297,
            "<process>",
            json!([
                step("find_entries", "Search for relevant knowledge", Some(topic)),
                step("write_report", "Write findings to disk", Some(write)),
            ]),
        )
        .found(&["RYE-P009"]),
        means(313, "{input:name}", json!(["x", "", "missing required input"])),
        nothing(335, ".ai/", "a picture of folders"),
    ]
}
