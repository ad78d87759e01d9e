//! Bounds of tools and of the calls themselves: none of them leaves a part of a secret that a model, the log or a commit gets.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::world::{World, call, result_in_turn, text};
use crate::redact::bounds::told;

/// The value of a secret of the person's, in parts that no file of a project has whole unless a test writes it there.
const PARTS: [&str; 3] = ["k9Qa7Xb2Yc9Zd", "4We6Rf1Tg8Uh", "3Vi5PjOkNlMm0Qw"];

fn value() -> String {
    PARTS.concat()
}

/// A world with a person's secret, in which a thread may read files, write notes, search, and run `demo/leak`.
fn world(value: &str, script: &str, files: &[(&str, String)]) -> World {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.*</tool><tool>demo.leak</tool></execute>
        <search>*</search><write resource="filesystem" path="notes/**" />"#;
    world.directive(permissions, r#"turns="20" tokens="400000" spend="1.00""#, "");
    world.tool("demo/leak", script);
    let file = world.path("home/.config/rye/secrets/OPENAI_API_KEY");
    world.write_at(&file, value);
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    for (path, content) in files {
        world.write(path, content);
    }
    world.commit("items");
    world
}

/// Makes calls in a thread, and asserts that no result has a part of the value; returns the results.
fn results(world: &World, value: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    let turns: Vec<Value> =
        calls.iter().map(|(name, input)| call(name, input.clone())).chain([text("Done.")]).collect();
    let outcome = world.run(&turns);
    let events = world.events(&outcome);
    // Of a long result the model sees the beginning, and the thread keeps the whole.
    let whole = |mut result: Value| {
        if let Some(artifact) = result["output"]["artifact"].as_str() {
            let kept = world.thread_file(&outcome, &format!("artifacts/{artifact}"));
            result["output"] = serde_json::from_str(&kept).unwrap();
        }
        result
    };
    let results: Vec<Value> = (1..).zip(calls).map(|(turn, _)| whole(result_in_turn(&events, turn))).collect();
    for ((name, input), result) in calls.iter().zip(&results) {
        let shown = result.to_string();
        let words: Vec<String> = value.lines().filter_map(|line| told(line, &shown)).collect();
        let at = words.first().and_then(|word| shown.find(word)).unwrap_or_default();
        let near = shown.get(at.saturating_sub(60)..(at + 60).min(shown.len())).unwrap_or_default();
        assert!(words.is_empty(), "{name} {input}: {words:?}: …{near}…");
    }
    results
}

/// The line of a file has the value at every place around the 400 bytes that are shown, and around the 256 KiB that are read.
#[test]
fn what_a_file_tool_cuts_has_no_part_of_a_secret() {
    let value = value();
    let lines: String = (340..420).step_by(6).map(|at| format!("{}{value} tail\n", "x ".repeat(at / 2))).collect();
    let long = |at: usize| format!("{}{value}\nmore\n", "0123456789abcde\n".repeat((256 * 1024 - at) / 16));
    let wide = format!("{}{value} {}\n", "x".repeat(256 * 1024 - 20), "y".repeat(900));
    let files = [
        ("notes/lines.txt", lines),
        ("notes/long.txt", long(16)),
        ("notes/wide.txt", wide),
        ("notes/changed.txt", format!("a = 1\n{value}\nb = 2\n")),
        ("notes/many.txt", format!("{}{value}\nchange\n", "a line\n".repeat(5_000))),
    ];
    let world = world(&value, "true", &files);
    let read = |path: &str, more: Value| {
        let mut input = json!({"path": path});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("rye_file_system_read", input)
    };
    let calls = [
        ("rye_file_system_grep", json!({"path": "notes", "pattern": "x x", "glob": "*.txt"})),
        ("rye_file_system_grep", json!({"path": "notes/lines.txt", "pattern": "^x", "context": 2})),
        read("notes/long.txt", json!({})),
        read("notes/wide.txt", json!({})),
        read("notes/wide.txt", json!({"offset": 1, "limit": 1})),
        read("notes/many.txt", json!({"offset": 4_990, "limit": 20})),
        ("rye_file_system_edit", json!({"path": "notes/changed.txt", "old": "b = 2", "new": "b = 3"})),
        (
            "rye_file_system_edit",
            json!({"path": "notes/many.txt", "old": "a line\n", "new": "another line\n", "all": true}),
        ),
    ];
    let results = results(&world, &value, &calls);
    assert!(results[0]["output"].to_string().contains("…"), "{}", results[0]);
    for result in &results[2..4] {
        let shown = result.to_string();
        assert_eq!(result["output"]["truncated"], json!(true), "{}", shown.get(..800).unwrap_or(&shown));
    }
    let lines = results[5]["output"]["content"].as_str().unwrap();
    assert!(
        lines.starts_with("a line\n") && lines.contains("[redacted: value of OPENAI_API_KEY]\nchange\n"),
        "{lines}"
    );
}

/// A reader that names the lines of a value one by one, or guesses it by patterns, gets none of it.
#[test]
fn a_part_of_a_secret_that_a_call_names_is_not_shown() {
    let value = "{\n  \"id\": \"Qa7Xb2Yc\",\n  \"pin\": \"9Zd4We6R\",\n  \"end\": \"f1Tg8Uh3\"\n}";
    let file = format!("before\n{value}\nbehind\n");
    let world = world(value, "true", &[("notes/key.json", file)]);
    let mut calls: Vec<(&str, Value)> = (1..=7)
        .map(|line| ("rye_file_system_read", json!({"path": "notes/key.json", "offset": line, "limit": 1})))
        .collect();
    for pattern in ["Qa7", "pin.*9Zd", "\"f[0-9]", "W"] {
        calls.push(("rye_file_system_grep", json!({"path": "notes", "pattern": pattern})));
    }
    let results = results(&world, "Qa7Xb2Yc\n9Zd4We6R\nf1Tg8Uh3", &calls);
    assert_eq!(results[0]["output"]["content"], json!("before\n"));
    assert_eq!(results[6]["output"]["content"], json!("behind\n"));
    for found in &results[7..] {
        assert_eq!(found["output"]["matched_lines"], json!(0), "{found}");
    }
}

/// The outputs of a script end with the value at the byte where they are cut, and their ends are cut once more.
#[test]
fn what_a_script_says_is_cut_without_a_part_of_a_secret() {
    let value = value();
    let [one, two, three] = PARTS;
    // A quarter of what is kept is the beginning, the rest the end: the value lies across one cut, then across the other.
    let say = |stream: &str, before: usize, after: usize| {
        let blank = |count: usize| format!("head -c {count} /dev/zero | tr '\\0' ' ' {stream}\n");
        let value = format!("printf '%s%s%s\\n' '{one}' '{two}' '{three}' {stream}\n");
        format!("{}{value}{}", blank(before), blank(after))
    };
    for (stream, most) in [(">&2", 1 << 18), (">&1", 1 << 20)] {
        for left in [9, 30] {
            for (before, after) in [(most / 4 - left, 2 * most), (2 * most, most - most / 4 - left)] {
                let world = world(&value, &say(stream, before, after), &[]);
                let results = results(&world, &value, &[("demo_leak", json!({}))]);
                let is_cut = results[0].to_string().contains("bytes left out");
                assert!(is_cut || stream == ">&2", "{}", results[0]);
            }
        }
    }
    // The end of 4 KiB that is kept with a failure begins within the value.
    let failing =
        format!("printf '%s%s%s' '{one}' '{two}' '{three}' >&2\nhead -c 4080 /dev/zero | tr '\\0' 'y' >&2\nexit 3\n");
    results(&world(&value, &failing, &[]), &value, &[("demo_leak", json!({}))]);
}

/// The passage of a search ends or begins within the value, wherever it lies around the word.
#[test]
fn what_a_search_cuts_has_no_part_of_a_secret() {
    let value = value();
    let world = world(&value, "true", &[]);
    for at in (40..200).step_by(8) {
        let body = format!("{}{value} marmot {value}{}", "w ".repeat(at / 2), " v".repeat(at));
        let path = format!(".ai/knowledge/open/k{at}.md");
        let header = "---\ntitle: A note\nentry_type: pattern\nversion: 1.0.0\n---\n";
        world.write(&path, &format!("{header}\n{body}\n"));
    }
    world.commit("notes");
    let results = results(&world, &value, &[("rye_search", json!({"query": "marmot", "max": 50}))]);
    assert_eq!(results[0]["output"]["total"], json!(20), "{}", results[0]);
}
