//! Items that a thread made, and places whose content runs code.

use rye::capability::{PLACE_TABLE, PlaceRole};
use serde_json::{Value, json};

use super::super::world::{FILES, World, call, text, tool, write};
use super::{accept, committed, refused, status};

const MADE: &str = ".ai/tools/demo/made.sh";

/// A world in which a thread made a tool and signed it with the agent key; `before` is the person's version, if any.
fn making(before: Option<&str>) -> World {
    let world = World::new();
    let permissions = r"<execute><tool>rye.file-system.write</tool></execute><sign><tool>demo/made</tool></sign>";
    world.directive(permissions, r#"turns="5""#, "");
    if let Some(script) = before {
        world.tool("demo/made", script);
    }
    world.commit("items");
    let turns = [
        write("src/a.txt", "b\n"),
        call("rye_file_system_write", json!({"path": MADE, "content": tool("echo made")})),
        call("rye_sign", json!({"item_type": "tool", "item_id": "demo/made"})),
        text("Done."),
    ];
    world.run(&turns);
    world
}

fn verified(world: &World) -> Value {
    world.rye_json(&["verify"]).1["status"].clone()
}

#[test]
fn items_are_signed_by_the_person_and_never_without_a_yes() {
    for before in [None, Some("echo before")] {
        let world = making(before);
        let untouched = (world.untouched(), world.persons_files());
        for setting in ["ask", "own"] {
            let text = format!("[commit]\nsign = \"{setting}\"\n");
            world.write_at(&world.path("home/.config/rye/config.toml"), &text);
            let (code, error) = world.rye_json(&["thread", "accept", "@latest"]);
            assert_eq!((code, &error["error"]["code"]), (3, &json!("not-agreed")), "{error}");
            assert_eq!((world.untouched(), world.persons_files()), untouched);
        }
        let (code, accepted) = accept(&world, &[]);
        assert_eq!(code, 0, "{accepted}");
        assert_eq!(accepted["items"][0]["item_id"], "demo/made");
        assert_eq!(accepted["items"][0]["status"], "signed");
        let (_, keys) = world.rye_json(&["key", "list"]);
        let person = keys["keys"].as_array().unwrap().iter().find(|key| key["name"] == "person").unwrap();
        assert!(world.read(MADE).contains(person["key_id"].as_str().unwrap()), "{}", world.read(MADE));
        assert_eq!((verified(&world), status(&world)), (json!("ok"), String::new()));
        // The notes are made with the commit, as by `rye commit`.
        assert!(world.git(&["notes", "--ref=rye", "show", "HEAD"]).contains("demo/made"));
    }
}

#[test]
fn an_item_that_is_not_valid_is_left_out() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    world.run(&[write("src/a.txt", "b\n"), write(".ai/directives/demo/broken.md", "nothing\n"), text("Done.")]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, committed(&world).as_str()), (0, "M\tsrc/a.txt"), "{accepted}");
    let left_out = &accepted["left_out"][0];
    assert_eq!(
        (&left_out["path"], &left_out["reason"]),
        (&json!(".ai/directives/demo/broken.md"), &json!("invalid_item"))
    );
    assert!(!left_out["detail"].as_str().unwrap().is_empty(), "{left_out}");
}

#[test]
fn an_item_that_both_changed_is_a_conflict_and_is_not_merged() {
    let world = making(Some("echo before"));
    world.tool("demo/made", "echo mine");
    world.commit("mine");
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (1, "conflicts"), "{message}");
    let (code, accepted) = accept(&world, &["src"]);
    assert_eq!((code, committed(&world).as_str()), (0, "M\tsrc/a.txt"), "{accepted}");
}

#[test]
fn what_runs_code_is_left_out_unless_it_is_named() {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.write</tool></execute>
        <write resource="filesystem" path="src/**, .vscode/**, .github/workflows/**" />"#;
    world.directive(permissions, r#"turns="5""#, "");
    world.commit("items");
    world.run(&[
        write("src/a.txt", "b\n"),
        write(".vscode/tasks.json", "{}\n"),
        write(".github/workflows/ci.yml", "on: push\n"),
        text("Done."),
    ]);
    let left_out = |path: &str| json!({"path": path, "reason": "runs_code"});
    for args in [&["."][..], &[".github", "src"], &[]] {
        let before = world.git(&["rev-parse", "HEAD"]);
        let (code, accepted) = accept(&world, args);
        assert_eq!((code, committed(&world).as_str()), (0, "M\tsrc/a.txt"), "{accepted}");
        assert_eq!(
            accepted["left_out"].as_array().unwrap().last(),
            Some(&left_out(if args.len() == 2 { ".github/workflows/ci.yml" } else { ".vscode/tasks.json" }))
        );
        assert!(!world.in_project(".vscode").exists() && !world.in_project(".github").exists());
        world.git(&["reset", "-q", "--hard", &before]);
    }
    // A folder that says less than the place does is not passed over.
    let (code, name, message) = refused(&world, &["--commit", ".github"]);
    assert_eq!((code, name.as_str()), (2, "too-wide"));
    let told =
        "`--commit .github` is too wide: it does not name `.github/workflows/ci.yml` (runs code on your machine)";
    assert_eq!(message, told);
    // The top has a name, too.
    let (_, _, message) = refused(&world, &["--commit", "."]);
    assert!(message.starts_with("`--commit .` is too wide"), "{message}");
    let (code, _) = accept(&world, &["src", "--commit", ".vscode/tasks.json"]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\t.vscode/tasks.json\nM\tsrc/a.txt"));
    let (code, _) = accept(&world, &[".github/workflows"]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\t.github/workflows/ci.yml"));
}

/// Each row of the table of places: a thread may write there where a rule names it, and a person takes what they name.
#[test]
fn each_code_place_of_the_table_is_left_out_unless_it_is_named() {
    let groups = PLACE_TABLE.iter().filter(|group| group.role == PlaceRole::Code);
    let mut paths: Vec<String> =
        groups.flat_map(|group| group.places).map(|path| format!("web/{}", path.replace('*', "x"))).collect();
    paths.sort();
    for paths in paths.chunks(30) {
        assert_left_out(paths);
    }
}

/// Has a thread write files that rules name, and another one; a person who takes everything gets the other alone.
fn assert_left_out(paths: &[String]) {
    let world = World::new();
    let permissions = format!(
        r#"<execute><tool>rye.file-system.write</tool></execute><write resource="filesystem" path="web/skills/**, {}" />"#,
        paths.join(", ")
    );
    world.directive(&permissions, r#"turns="50""#, "");
    world.commit("items");
    let mut turns: Vec<Value> = paths.iter().map(|path| write(path, "x\n")).collect();
    turns.extend([write("web/skills/a.md", "x\n"), text("Done.")]);
    world.run(&turns);
    let (code, accepted) = accept(&world, &["."]);
    let left_out = accepted["left_out"].as_array().unwrap_or_else(|| panic!("{accepted:#}")).iter();
    let mut left_out: Vec<Value> = left_out.cloned().collect();
    left_out.sort_by_key(|left| left["path"].as_str().map(str::to_owned));
    let wanted: Vec<Value> = paths.iter().map(|path| json!({"path": path, "reason": "runs_code"})).collect();
    assert_eq!((code, left_out), (0, wanted));
    assert_eq!(committed(&world), "A\tweb/skills/a.md");
}

#[test]
fn what_an_agent_client_started_is_asked_about_whatever_flags_are_given() {
    let world = making(None);
    let before = (world.untouched(), world.persons_files());
    let output =
        world.rye(&["thread", "accept", "@latest", "--yes", "--json"]).env("CLAUDECODE", "1").output().unwrap();
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &error["error"]["code"]), (Some(3), &json!("agent-client")), "{error}");
    assert_eq!((world.untouched(), world.persons_files()), before);
}

/// A name could pass for another line of the list, or for another name.
#[test]
fn a_name_with_a_line_break_is_listed_on_one_line() {
    let world = World::new();
    let names =
        "printf x > 'src/a\nb.txt'\nprintf x > 'src/a  b.txt'\nprintf x > 'src/a b.txt'\nprintf x > 'src/a\u{a0}b.txt'";
    world.tool("demo/odd", names);
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="3""#, "");
    world.commit("items");
    world.run(&[call("demo_odd", json!({})), text("Done.")]);
    let seen = world.rye(&["thread", "accept", "@latest", "--yes"]).output().unwrap();
    let shown = String::from_utf8(seen.stdout).unwrap();
    let listed: Vec<&str> = shown.lines().map(str::trim).filter(|line| line.contains("src/")).collect();
    let wanted = ["A src/a\\nb.txt", "A src/a \\u{20}b.txt", "A src/a b.txt", "A src/a\\u{a0}b.txt"];
    assert_eq!(listed, wanted, "{shown}");
    assert!(seen.status.success() && shown.lines().all(|line| !line.starts_with('b')), "{shown}");
}
