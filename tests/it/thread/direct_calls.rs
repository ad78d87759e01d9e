//! Calls of tools by their flat names, as models make them: an existing tool that is not permitted is denied as `rye_execute`
//! denies it, and parameters that a tool fixes are hidden.

use rye::event::EventData;
use serde_json::{Value, json};

use super::world::{FILES, World, call, result_in_turn, text, tool, types};

/// A tool with a parameter that it fixes.
const FIXED: &str = "#!/bin/sh\n# version: 1.0.0\n# description: Repeats a text\n# category: demo\n# parameters:\n\
    #   type: object\n#   properties:\n#     text: {type: string}\n#     times: {type: integer, description: How often}\n\
    #   required: [text, times]\n# fixed_params: {times: 3}\ncat\n";

fn world() -> World {
    let world = World::new();
    world.directive(FILES, r#"turns="6""#, "");
    world.tool("demo/other", "echo other");
    world.commit("items");
    world
}

#[test]
fn an_existing_tool_that_is_not_permitted_is_denied_by_its_flat_name_too() {
    // A script, a built-in tool, wrong parameters of one, its id, and the same by `rye_execute`.
    let by_execute = json!({"item_type": "tool", "item_id": "demo/other", "parameters": {}});
    for (name, input, id) in [
        ("demo_other", json!({}), "demo/other"),
        ("rye_git_log", json!({}), "rye/git/log"),
        ("rye_git_log", json!({"nonsense": 1}), "rye/git/log"),
        ("rye_shell_run", json!({"program": "ls"}), "rye/shell/run"),
        ("demo/other", json!({}), "demo/other"),
        ("rye_execute", by_execute, "demo/other"),
    ] {
        let world = world();
        let outcome = world.run(&[call(name, input.clone()), text("Done.")]);
        let events = world.events(&outcome);
        let result = result_in_turn(&events, 1);
        assert_eq!(result["output"]["error"]["code"], "permission_denied", "{name} {input}: {result}");
        assert_eq!(result["status"], "denied", "{name}");
        let denied = events.iter().find_map(|event| match &event.what {
            EventData::PermissionDenied { call, .. } => Some(call.clone()),
            _ => None,
        });
        assert!(denied.is_some_and(|call| call.contains(id)), "{name}: {:?}", types(&events));
        assert!(world.log(&outcome, "%s").iter().any(|subject| subject.ends_with(" (refused)")));
        world.check(&outcome);
    }
}

#[test]
fn a_tool_that_does_not_exist_stays_unknown() {
    let world = world();
    let outcome = world.run(&[call("demo_none", json!({})), text("Done.")]);
    let events = world.events(&outcome);
    assert_eq!(result_in_turn(&events, 1)["output"]["error"]["code"], "unknown_tool");
    assert!(!types(&events).contains(&"permission_denied".to_owned()));
    world.check(&outcome);
}

#[test]
fn a_hook_hears_of_a_direct_call_that_is_denied() {
    let world = World::new();
    world.knowledge("mend", "Mend it so.");
    world.tool("demo/other", "echo other");
    let hook = "<hooks><hook><when>error.type == \"permission_denied\"</when>\
                <execute item_type=\"knowledge\">demo/mend</execute><inputs></inputs></hook></hooks>";
    world.extended("work", "", hook, &format!("{FILES}<execute><knowledge>demo/*</knowledge></execute>"));
    world.commit("items");
    let outcome = world.run(&[call("demo_other", json!({})), text("Done.")]);
    let types = types(&world.events(&outcome));
    assert!(types.contains(&"hook_triggered".to_owned()), "{types:?}");
    world.check(&outcome);
}

/// A record from before names no other tools, and is derived as before.
#[test]
fn an_older_record_without_other_tools_is_read() {
    let older = json!({"specs": [], "items": {}});
    let toolbox: rye::action::Toolbox = serde_json::from_value(older.clone()).unwrap();
    assert_eq!(serde_json::to_value(&toolbox).unwrap(), older);
}

#[test]
fn a_fixed_parameter_is_hidden_from_models_and_refused() {
    let world = World::new();
    let permissions =
        "<execute><tool>demo.repeat</tool></execute><search><tool>*</tool></search><load><tool>demo.*</tool></load>";
    world.directive(permissions, r#"turns="8""#, "");
    world.write(".ai/tools/demo/repeat.sh", FIXED);
    world.write(".ai/tools/demo/plain.sh", &tool("echo"));
    let signed = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    world.commit("items");
    let load = json!({"item_type": "tool", "item_id": "demo/repeat"});
    let outcome = world.run(&[
        call("demo_repeat", json!({"text": "ab"})),
        call("demo_repeat", json!({"text": "ab", "times": 9})),
        call("rye_search", json!({"query": "repeats"})),
        call("rye_load", load),
        text("Done."),
    ]);
    let events = world.events(&outcome);
    let setup: Value = serde_json::from_str(&world.thread_file(&outcome, "setup.json")).unwrap();
    let specs = setup["toolbox"]["specs"].as_array().unwrap();
    let spec = specs.iter().find(|spec| spec["name"] == "demo_repeat").unwrap();
    assert_eq!(spec["input_schema"]["properties"], json!({"text": {"type": "string"}}));
    assert_eq!(spec["input_schema"]["required"], json!(["text"]));
    assert!(!setup.to_string().contains("times"), "{setup}");
    let given = result_in_turn(&events, 1);
    assert!(given["status"] == "ok" && given["output"].to_string().contains("times"), "{given}");
    let refused = result_in_turn(&events, 2);
    let message = refused["output"]["error"]["message"].as_str().unwrap();
    assert!(refused["status"] == "error" && message.contains("the tool fixes `times` itself"), "{refused}");
    for turn in [3, 4] {
        let result = result_in_turn(&events, turn);
        assert!(result["status"] == "ok" && !result.to_string().contains("times"), "{result}");
    }
    world.check(&outcome);
    // A person who passes it is told the same, and a person who loads the tool gets its bytes.
    let (code, error) = world.rye_json(&["execute", "tool", "demo/repeat", "-p", "text=ab", "-p", "times=9"]);
    assert!(code == 2 && error.to_string().contains("the tool fixes `times` itself"), "{error}");
    let loaded = world.rye(&["load", "tool", "demo/repeat"]).output().unwrap();
    assert!(String::from_utf8_lossy(&loaded.stdout).contains("fixed_params"));
}
