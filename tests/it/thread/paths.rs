//! What of a tool's work reaches a commit: exactly what it changed, where it may, and nothing of the person's.

use rye::capability::PathRules;
use rye::id::ItemType;
use rye::ops::execute::{self, Bounds, Options};
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::Status;
use serde_json::{Value, json};

use super::world::{FILES, World, call, calls, text, types, write};

fn nothing() -> Vec<String> {
    Vec::new()
}

/// The paths a log says were left out, with their reasons.
fn skipped(world: &World, outcome: &rye::thread::Outcome) -> Vec<Value> {
    let events = world.events(outcome).into_iter().map(|event| serde_json::to_value(event).unwrap());
    events.filter(|event| event["type"] == "paths_skipped").map(|event| event["data"]["paths"].clone()).collect()
}

#[test]
fn a_write_to_a_tracked_path_is_in_its_turn_s_commit_and_nothing_else_is() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("directive");
    world.write("untracked.txt", "mine\n");
    world.write("README.md", "# mine, not committed\n");
    let before = world.untouched();
    let outcome = world.run(&[write("src/a.txt", "b\n"), write("new/b.txt", "c\n"), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed);
    let changed = [nothing(), vec!["src/a.txt".to_owned()], vec!["new/b.txt".to_owned()], nothing(), nothing()];
    assert_eq!(world.changed(&outcome), changed);
    assert_eq!(world.git(&["show", &format!("{}:src/a.txt", outcome.branch)]), "b");
    assert_eq!(world.git(&["show", &format!("{}:README.md", outcome.branch)]), "# hello");
    assert_eq!(world.read("README.md"), "# mine, not committed\n");
    assert_eq!(skipped(&world, &outcome), Vec::<Value>::new());
    // The tool's files differ in the work tree now; index, HEAD and branches are as before.
    assert_ne!(world.untouched(), before);
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
    assert_eq!(world.git(&["diff", "--name-only"]), "README.md\nsrc/a.txt");
}

#[test]
fn what_a_person_had_not_committed_is_left_out_and_said_so() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.write("src/a.txt", "a, half way\n");
    world.write("draft.txt", "mine\n");
    let outcome = world.run(&[
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "draft.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "fresh.txt", "content": "b\n"})),
        ]),
        write("src/a.txt", "c\n"),
        text("Done."),
    ]);
    assert_eq!(world.changed(&outcome), [nothing(), vec!["fresh.txt".to_owned()], nothing(), nothing(), nothing()]);
    let dirty = |path: &str| json!({"path": path, "reason": "dirty_before"});
    assert_eq!(
        skipped(&world, &outcome),
        [json!([dirty("draft.txt"), dirty("src/a.txt")]), json!([dirty("src/a.txt")])]
    );
    let message = world.git(&["log", "-1", "--format=%b", &format!("{}~2", outcome.branch)]);
    assert!(message.contains("Not in this commit: `src/a.txt` (dirty_before)"), "{message}");
}

#[test]
fn a_script_s_changes_are_committed_inside_the_declared_write_paths_only() {
    let world = World::new();
    world.write("src/gone.txt", "gone\n");
    world.commit("more");
    let script = "mkdir -p out target\necho 1 > src/a.txt\necho 2 > src/b.md\necho 3 > README.md\necho 4 > out/x\n\
                  echo 5 > target/y\nrm src/gone.txt\nprintf '#!/bin/sh\\n' > src/run.txt\nchmod +x src/run.txt\nln -s a.txt src/link.txt";
    world.tool("demo/many", script);
    let permissions = r#"<execute><tool>demo.many</tool></execute>
        <write resource="filesystem" path="src/*.txt, target/**" />"#;
    world.directive(permissions, r#"turns="3""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_many", json!({})), text("Done.")]);
    let paths = ["src/a.txt", "src/gone.txt", "src/run.txt"].map(str::to_owned).to_vec();
    assert_eq!(world.changed(&outcome), [nothing(), paths, nothing(), nothing()]);
    let tree = world.git(&["ls-tree", &outcome.branch, "src/"]);
    let modes: Vec<_> = tree.lines().map(|line| (&line[..6], line.rsplit('\t').next().unwrap())).collect();
    assert_eq!(modes, [("100644", "src/a.txt"), ("100755", "src/run.txt")]);
    assert_eq!(
        skipped(&world, &outcome),
        [json!([
            {"path": "src/link.txt", "reason": "not_a_file"},
            {"path": "target/y", "reason": "ignored"},
        ])]
    );
}

#[test]
fn without_a_write_rule_nothing_of_a_script_is_committed() {
    let world = World::new();
    world.tool("demo/one", "echo 1 > src/a.txt");
    world.directive("<execute><tool>demo.one</tool></execute>", r#"turns="3""#, "");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(world.read("src/a.txt"), "1\n");
    assert_eq!(world.changed(&outcome), vec![nothing(); 4]);
}

#[test]
fn an_ignored_file_that_is_tracked_is_committed_and_a_large_one_is_not() {
    let world = World::new();
    world.write("target/kept.txt", "1\n");
    world.git(&["add", "-f", "target/kept.txt"]);
    world.commit("kept");
    world.tool("demo/large", "head -c 9000000 /dev/zero > big.bin");
    let permissions = r#"<execute><tool>demo.large</tool><tool>rye.file-system.*</tool></execute>
        <write resource="filesystem" path="**" />"#;
    world.directive(permissions, r#"turns="4""#, "");
    world.commit("items");
    let outcome = world.run(&[write("target/kept.txt", "2\n"), call("demo_large", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["target/kept.txt"]);
    assert_eq!(world.changed(&outcome)[2], nothing());
    assert_eq!(skipped(&world, &outcome), [json!([{"path": "big.bin", "reason": "oversized"}])]);
}

#[test]
fn more_files_than_can_be_looked_over_are_a_result_and_not_the_end() {
    let world = World::new();
    world.tool("demo/one", "echo 1 > src/a.txt");
    let permissions = r#"<execute><tool>demo.one</tool></execute><write resource="filesystem" path="**" />"#;
    world.directive(permissions, r#"turns="3""#, "");
    let crowd = world.in_project("crowd");
    std::fs::create_dir(&crowd).unwrap();
    for name in 0..20_001 {
        std::fs::File::create(crowd.join(name.to_string())).unwrap();
    }
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(world.read("src/a.txt"), "a\n", "the call was not made");
    let result = super::world::result_in_turn(&world.events(&outcome), 1);
    assert_eq!(result["status"], "error");
    let message = result["output"]["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("20000 files"), "{message}");
}

#[test]
fn a_place_no_tool_may_touch_is_refused_whatever_is_permitted() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    let paths = [".git/config", ".ai/trust/allowed_signers", ".ai/config.toml", ".GIT/hooks/pre-commit", "a/.git/x"];
    let turns: Vec<Value> = paths.iter().map(|path| write(path, "x")).chain([text("Done.")]).collect();
    let before = world.untouched();
    let outcome = world.run(&turns);
    let results = world.events(&outcome);
    for turn in 1..=5 {
        assert_eq!(super::world::result_in_turn(&results, turn)["status"], "error");
    }
    assert_eq!(world.untouched(), before);
    assert!(!types(&results).contains(&"permission_denied".to_owned()));
    assert_eq!(outcome.status, Status::Completed);
}

/// The rules count at the check and again where the tool runs, so a value that comes in later escapes neither.
#[test]
fn a_built_in_tool_is_held_to_the_path_rules_of_its_bounds_too() {
    let world = World::new();
    let session = Session::open(&world.context(&[])).unwrap();
    let (cancel, before) = (CancelFlag::new(), world.read("README.md"));
    let rules = PathRules { read: Vec::new(), write: vec!["docs/**".to_owned()] };
    let bounds = Bounds { paths: Some(&[rules]), ..Bounds::usual(&cancel) };
    let write = |path: &str| {
        let given = json!({"path": path, "content": "new\n"}).as_object().unwrap().clone().into();
        let item_id = "rye/file-system/write".parse().unwrap();
        let options = Options { item_type: ItemType::Tool, item_id, given, dry_run: false };
        serde_json::to_value(execute::execute(&session, &options, &bounds).unwrap().outcome).unwrap()
    };
    assert_eq!(write("docs/a.md")["status"], "ok");
    let refused = write("README.md");
    assert_eq!(refused["status"], "error");
    assert_eq!(refused["result"]["error"]["message"], "no permission to write `README.md`: no declared path covers it");
    assert_eq!(world.read("README.md"), before);
}
