//! Running a thread's directive again, and comparing two runs.

use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, call, calls, text, write};

fn differences(list: &Value, name: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entry = |one: &Value| (text(&one["difference"]), text(&one.pointer(name).cloned().unwrap_or_default()));
    list.as_array().unwrap().iter().map(entry).collect()
}

#[test]
fn a_thread_runs_again_with_its_inputs_and_is_compared_with_the_first() {
    let world = World::new();
    let directive = super::world::directive(
        "work",
        FILES,
        r#"turns="9""#,
        "<output name=\"note\" required=\"true\">A note</output>",
    );
    let directive = directive.replace(
        "  <outputs>",
        "  <inputs><input name=\"topic\" type=\"string\" required=\"true\">T</input></inputs>\n  <outputs>",
    );
    world.write(".ai/directives/demo/work.md", &directive);
    world.sign(rye::keys::KeyName::Person, "demo/work");
    world.commit("items");
    let run = |args: &[&str], turns: &[Value]| {
        let script = world.script(turns).display().to_string();
        let (code, printed) = world.rye_json(&[args, &["--script", &script]].concat());
        assert_eq!(code, 0, "{printed:#}");
        let outcome = world.shown(&printed);
        world.check(&outcome);
        (printed, outcome)
    };
    let read = || ("rye_file_system_read", json!({"path": "src/a.txt"}));
    let done = |note: &str| call("directive_return", json!({"note": note}));
    let (_, first) = run(
        &["thread", "run", "demo/work", "--provider", SCRIPTED, "-i", "topic=trees"],
        &[calls(&[read(), ("rye_file_system_write", json!({"path": "src/1.txt", "content": "1"}))]), done("one")],
    );
    world.write("src/a.txt", "changed\n");
    world.commit("later");
    let id = first.thread_id.as_str();
    let (printed, second) = run(
        &["thread", "rerun", id],
        &[calls(&[read()]), write("src/1.txt", "2"), write("src/2.txt", "2"), done("two")],
    );
    assert_eq!(printed["rerun_of"], json!(id));
    assert_eq!(printed["base"], json!(world.git(&["rev-parse", "HEAD"])), "it runs on the last commit");
    let record: Value = serde_json::from_str(&world.thread_file(&second, "thread.json")).unwrap();
    assert_eq!((&record["inputs"], &record["rerun_of"]), (&json!({"topic": "trees"}), &json!(id)));

    // Both may have begun in one second, so `@latest` may be either.
    let other = second.thread_id.as_str();
    let (code, diff) = world.rye_json(&["thread", "diff", id, other]);
    assert_eq!(code, 0, "{diff:#}");
    assert_eq!((&diff["a"]["thread_id"], &diff["b"]["turns"]), (&json!(id), &json!(4)));
    assert_eq!(diff["outputs"], json!([{"name": "note", "same": false, "a": "one", "b": "two"}]));
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    };
    let files = pairs(&[("content", "src/1.txt"), ("only_b", "src/2.txt"), ("content", "src/a.txt")]);
    assert_eq!(differences(&diff["files"], "/path"), files);
    let tools: Vec<&str> =
        diff["calls"].as_array().unwrap().iter().filter_map(|call| call["difference"].as_str()).collect();
    assert_eq!(tools, ["result", "content", "only_b", "content"], "{:#}", diff["calls"]);
    let shown = world.rye(&["thread", "diff", id, other]).output().unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    for part in ["turns", "only in b src/2.txt", "different note", "result    rye/file-system/read"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let (_, itself) = world.rye_json(&["thread", "diff", id, id]);
    assert_eq!(itself["files"], json!([]));
    assert!(itself["calls"].as_array().unwrap().iter().all(|call| call["difference"] == "none"));

    let stat = |paths: &[&str]| {
        let output = world.rye(&[&["thread", "diff", id, other, "--stat"], paths].concat()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(output.stderr));
        (text(output.stdout), text(output.stderr))
    };
    let all = stat(&[]).0;
    assert!(all.contains("src/2.txt | 1 +") && all.contains(" 3 files changed, ") && !all.contains(".ai/"), "{all}");
    let one = stat(&["--", "src/2.txt"]).0;
    assert!(one.contains("src/2.txt | 1 +") && one.contains(" 1 file changed, ") && !one.contains("src/1"), "{one}");
    assert_eq!(stat(&["--", "README.md"]), (String::new(), "note: no file differs\n".to_owned()));
    let json = |args: &[&str]| -> Value {
        serde_json::from_slice(&world.rye(&[&["thread", "diff", "--json"], args].concat()).output().unwrap().stdout)
            .unwrap()
    };
    let meant = json(&[id, other, "--", "src/2.txt", "src/a.txt"]);
    assert_eq!(differences(&meant["files"], "/path"), files[1..]);
    let alone = json(&[other, "--", "src/2.txt"]);
    assert_eq!(alone["changes"], json!([{"path": "src/2.txt", "change": "added"}]));
}

#[test]
fn what_a_caller_allowed_still_narrows_the_run() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    world.commit("items");
    world.write_at(&world.path("caller.yaml"), "capabilities:\n  - rye.execute.tool.rye.file-system.read\n");
    let caller = world.path("caller.yaml").display().to_string();
    let script = world.script(&[write("src/1.txt", "1"), text("Done.")]).display().to_string();
    let run = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--permissions", &caller];
    assert_eq!(world.rye_json(&run).0, 0);
    std::fs::remove_file(&caller).unwrap();
    let (code, printed) = world.rye_json(&["thread", "rerun", "@latest", "--script", &script]);
    assert_eq!(code, 0, "{printed:#}");
    let again = world.shown(&printed);
    assert_eq!(world.in_thread(&again, "src/1.txt"), None, "it may only read");
    world.check(&again);
}
