//! The reason comes first: what ended a thread badly, told before all else and apart from other reasons.

use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, call, text};

/// A script, the further arguments, the exit code, how the first line begins, and how it ends.
type Case = (&'static str, Vec<Value>, &'static [&'static str], i32, &'static str, &'static str);

fn cases() -> [Case; 5] {
    let list = || call("rye_file_system_list", json!({}));
    let cut = json!({"text": "half", "stop": "max_tokens"});
    let failing = json!({"text": "x", "expect": {"contains": ["nothing of it"]}});
    [
        ("completed", vec![call("directive_return", json!({"note": "n"}))], &[], 0, "thread ", ""),
        (
            "limit",
            vec![list(), list()],
            &["--limit", "turns=1"],
            5,
            "limit: the limit on turns (1) is reached",
            "[limit]",
        ),
        (
            "outputs",
            vec![text("Done."), text("Done."), text("Done.")],
            &[],
            1,
            "outputs: the declared outputs",
            "[missing_outputs]",
        ),
        ("provider", vec![failing], &[], 6, "provider: ", "[provider]"),
        ("error", vec![cut.clone(), cut], &[], 1, "error: the model's answer was cut", "[max_tokens]"),
    ]
}

#[test]
fn a_thread_that_ends_badly_says_why_in_its_first_line() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, r#"<output name="note">A note</output>"#);
    for (word, turns, args, exit, begins, ends) in cases() {
        let script = world.script(&turns).display().to_string();
        let base = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "-q"];
        let output = world.rye(&[&base, args].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(exit), "{word}");
        let ran = String::from_utf8(output.stdout).unwrap();
        let shown = world.rye(&["thread", "show", "@latest"]).output().unwrap();
        let shown = String::from_utf8(shown.stdout).unwrap();
        let (ran, shown) = (ran.lines().next().unwrap(), shown.lines().next().unwrap());
        assert!(ran.starts_with(begins) && ran.ends_with(ends), "{word}: {ran}");
        if word == "completed" {
            assert!(shown.starts_with("verified "), "{shown}");
        } else {
            assert_eq!(shown, ran);
        }
        let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
        let status = if word == "completed" { "completed" } else { "error" };
        assert_eq!((&shown["status"], &shown["ending"]), (&json!(status), &json!(word)));
    }
    for (word, ..) in cases() {
        let (_, listed) = world.rye_json(&["thread", "list", "--status", word]);
        assert_eq!(listed["threads"].as_array().unwrap().len(), 1, "{word}: {listed}");
        assert_eq!(listed["threads"][0]["ending"], word);
    }
    let table = String::from_utf8(world.rye(&["thread", "list"]).output().unwrap().stdout).unwrap();
    let words: Vec<&str> = table.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(words, ["error", "provider", "outputs", "limit", "completed"]);
    // Only the ones that are asked for are removed.
    let output = world.rye(&["thread", "rm", "--status", "limit", "--yes"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let (_, left) = world.rye_json(&["thread", "list"]);
    assert_eq!(left["threads"].as_array().unwrap().len(), 4);
}

/// Of a record that is not verified the reason is no more than a claim.
#[test]
fn a_reason_that_nobody_signed_comes_second() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    let cut = json!({"text": "half", "stop": "max_tokens"});
    let outcome = world.run(&[cut.clone(), cut]);
    world.tamper(&outcome, &[], "somebody else's");
    let shown = world.rye(&["thread", "show", outcome.thread_id.as_str()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.starts_with("NOT VERIFIED") && shown.contains("\nerror: the model's answer was cut"), "{shown}");
}
