//! Files and folders that a directive names to be written, one by one.

use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, result_in_turn, text};
use crate::support::users::User;

/// Runs a thread whose rules name some paths to be written: what its script came to.
fn result(paths: &str, script: &str) -> Value {
    let world = World::new();
    world.tool("demo/one", script);
    let rules = r#"<execute><tool>demo.*</tool></execute><write resource="filesystem" path="PATHS" />"#;
    world.directive(&rules.replace("PATHS", paths), r#"turns="5""#, "");
    world.commit("items");
    let script = world.script(&[call("demo_one", json!({})), text("Done.")]).display().to_string();
    let (_, printed) = world.rye_json(&["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script]);
    assert_eq!(printed["status"], "completed", "{printed:#}");
    result_in_turn(&world.events(&world.shown(&printed)), 1).clone()
}

#[test]
fn two_hundred_files_that_do_not_exist_yet_are_written_by_name() {
    let deep = (0..100).map(|name| format!("out/deep/{name}.txt, out/{name}.txt")).collect::<Vec<_>>().join(", ");
    for user in User::all() {
        let script = "cat >/dev/null; echo x >out/deep/7.txt && echo x >out/99.txt && echo written";
        let result = user.does(|| result(&deep, script));
        assert_eq!(result["output"], "written", "{user:?}: {result:#}");
    }
}

#[test]
fn a_rule_that_names_a_git_folder_gives_a_script_nothing() {
    for user in User::all() {
        for path in [".git/**", ".git/hooks/pre-commit", "src/.GIT/config", ".ai/trust/**"] {
            let result = user.does(|| result(&format!("src/**, {path}"), "cat >/dev/null; echo started"));
            let said = result.to_string();
            assert!(said.contains("no tool may") && !said.contains("started"), "{user:?}, {path}: {said}");
        }
    }
}
