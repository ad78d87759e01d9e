//! The tools that look for, edit, move and delete files: by hand, and in threads under path rules.

use serde_json::{Value, json};

use super::world::{World, call, result_in_turn, text};

/// Runs a file tool by hand. Returns its result, or what it says went wrong.
fn run(world: &World, tool: &str, parameters: &Value) -> Result<Value, String> {
    let id = format!("rye/file-system/{tool}");
    let (code, printed) = world.rye_json(&["execute", "tool", &id, "--params", &parameters.to_string()]);
    match code {
        0 => Ok(printed["result"].clone()),
        _ => Err(printed["result"]["error"]["message"].as_str().map_or_else(|| printed.to_string(), str::to_owned)),
    }
}

fn project() -> World {
    let world = World::unborn(&[]);
    world.write(".gitignore", "target/\n*.log\n!keep.log\n");
    world.write("src/main.rs", "fn main() {\n    let x = 1;\n    let y = 1;\n}\n");
    world.write("src/deep/.gitignore", "/made.rs\n");
    world.write("src/deep/made.rs", "let made;\n");
    world.write("src/deep/b.rs", "mod b;\r\nuse x;\r\n");
    world.write("target/out.rs", "let out;\n");
    world.write("a.log", "let a;\n");
    world.write("keep.log", "let keep;\n");
    world.write("data.bin", "let\0bin\n");
    std::os::unix::fs::symlink("../target", world.in_project("src/link")).unwrap();
    world
}

#[test]
fn files_are_found_by_pattern_without_ignored_ones_and_links() {
    let world = project();
    let found = |parameters: Value| run(&world, "glob", &parameters).map(|result| result["files"].clone());
    assert_eq!(found(json!({"pattern": "*.rs"})), Ok(json!(["src/deep/b.rs", "src/main.rs"])));
    assert_eq!(found(json!({"pattern": "src/*.rs"})), Ok(json!(["src/main.rs"])));
    assert_eq!(found(json!({"pattern": "**/*.log"})), Ok(json!(["keep.log"])));
    assert_eq!(found(json!({"pattern": "deep/*", "path": "src"})), Ok(json!(["src/deep/.gitignore", "src/deep/b.rs"])));
    let all = json!(["src/deep/b.rs", "src/deep/made.rs", "src/main.rs", "target/out.rs"]);
    assert_eq!(found(json!({"pattern": "*.rs", "ignored": true})), Ok(all));
    assert_eq!(found(json!({"pattern": "*.rs", "path": "src/deep"})), Ok(json!(["src/deep/b.rs"])));
    assert_eq!(found(json!({"pattern": "*", "path": "none"})), Err("`none` does not exist".to_owned()));
    let git = "`.git` is refused: no tool may touch git's own folder".to_owned();
    assert_eq!(found(json!({"pattern": "*", "path": ".git"})), Err(git));
    assert_eq!(
        found(json!({"pattern": "[a"})),
        Err("`[a` is not a pattern of paths: unclosed character class; missing ']'".to_owned())
    );
    for number in 0..1001 {
        world.write(&format!("many/{number:04}.txt"), "x\n");
    }
    let many = run(&world, "glob", &json!({"pattern": "many/*"})).unwrap();
    assert_eq!(
        (many["files"].as_array().unwrap().len(), &many["found"], &many["truncated"]),
        (1000, &json!(1001), &json!(true))
    );
}

#[test]
fn lines_are_found_as_ripgrep_finds_them() {
    let world = project();
    let grep = |parameters: Value| run(&world, "grep", &parameters);
    let lines = |parameters: Value| grep(parameters).unwrap()["files"].clone();
    assert_eq!(
        lines(json!({"pattern": "^let|let x"})),
        json!([{"path": "keep.log", "lines": "1:let keep;\n"}, {"path": "src/main.rs", "lines": "2:    let x = 1;\n"}])
    );
    assert_eq!(
        lines(json!({"pattern": "LET Y", "ignore_case": true, "context": 1})),
        json!([{"path": "src/main.rs", "lines": "2-    let x = 1;\n3:    let y = 1;\n4-}\n"}])
    );
    assert_eq!(
        lines(json!({"pattern": "use", "path": "src/deep/b.rs"})),
        json!([{"path": "src/deep/b.rs", "lines": "2:use x;\n"}])
    );
    assert_eq!(
        lines(json!({"pattern": "let", "glob": "*.log"})),
        json!([{"path": "keep.log", "lines": "1:let keep;\n"}])
    );
    assert_eq!(lines(json!({"pattern": "\\(\\)"}))[0]["lines"], "1:fn main() {\n");
    assert_eq!(
        lines(json!({"pattern": "let", "ignored": true})).as_array().unwrap().len(),
        5,
        "but for the binary one"
    );
    let cut = grep(json!({"pattern": "let", "path": "src", "limit": 1})).unwrap();
    assert_eq!((&cut["matched_lines"], &cut["truncated"]), (&json!(1), &json!(true)));
    let whole = grep(json!({"pattern": "let", "path": "src", "limit": 2})).unwrap();
    assert_eq!((&whole["matched_lines"], &whole["truncated"]), (&json!(2), &json!(false)));
    let wrong = "`pattern` is not a regular expression that can be searched for: unclosed group";
    assert_eq!(grep(json!({"pattern": "(x"})), Err(wrong.to_owned()));
    assert_eq!(grep(json!({"pattern": "x", "path": "none"})), Err("`none` does not exist".to_owned()));
    world.write("long.txt", &format!("{}é{}\n", "a".repeat(399), "b".repeat(10)));
    let long = lines(json!({"pattern": "b", "path": "long.txt"}));
    assert_eq!(long[0]["lines"], format!("1:{}…\n", "a".repeat(399)));
}

#[test]
fn a_text_is_replaced_exactly_and_what_is_wrong_is_said_usefully() {
    let world = project();
    let edit = |old: &str, new: &str| run(&world, "edit", &json!({"path": "src/main.rs", "old": old, "new": new}));
    let done = edit("let x = 1;", "let x = 2;").unwrap();
    assert_eq!((&done["success"], &done["replaced"], &done["bytes_written"]), (&json!(true), &json!(1), &json!(44)));
    assert_eq!(
        done["diff"],
        "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,4 +1,4 @@\n fn main() {\n-    let x = 1;\n+    let x = 2;\n     let y = 1;\n }\n"
    );
    for (old, new, said) in [
        (
            "let",
            "var",
            "`old` is in the file 2 times, at the lines 2, 3: give more of the text around the one that is meant, or set `all`",
        ),
        (
            "let x = 2;\n  let y  = 1;",
            "",
            "`old` is not in the file as it is written; what begins at line 2 differs from it in white space alone: read those lines and give them exactly",
        ),
        (
            "let y = 1;\n    let z = 1;",
            "",
            "`old` is not in the file; its first line is there, at line 3: read the lines from there",
        ),
        ("let z", "", "`old` is not in the file: read it, and give the text exactly as it is there"),
        ("let", "let", "`old` and `new` are the same"),
    ] {
        assert_eq!(edit(old, new), Err(said.to_owned()));
    }
    let all = run(&world, "edit", &json!({"path": "src/main.rs", "old": "let", "new": "var", "all": true})).unwrap();
    assert_eq!(all["replaced"], 2);
    assert_eq!(world.read("src/main.rs"), "fn main() {\n    var x = 2;\n    var y = 1;\n}\n");
    // Lines are given as a model reads them, and the file keeps its line ends.
    run(&world, "edit", &json!({"path": "src/deep/b.rs", "old": "mod b;\nuse x;", "new": "mod c;\nuse y;"})).unwrap();
    assert_eq!(world.read("src/deep/b.rs"), "mod c;\r\nuse y;\r\n");
    std::fs::write(world.in_project("latin.txt"), b"gr\xfcn\n").unwrap();
    let latin = run(&world, "edit", &json!({"path": "latin.txt", "old": "n", "new": "m"}));
    assert_eq!(
        latin,
        Err("`latin.txt` is not UTF-8: it cannot be edited without changing other parts of it".to_owned())
    );
}

#[test]
fn some_lines_of_a_file_are_read() {
    let world = project();
    let read = |parameters: Value| run(&world, "read", &parameters);
    let some = read(json!({"path": "src/main.rs", "offset": 2, "limit": 2})).unwrap();
    let expected = json!({
        "path": "src/main.rs", "first_line": 2, "last_line": 3, "lines": 4,
        "content": "    let x = 1;\n    let y = 1;\n", "bytes": 30, "truncated": false,
    });
    assert_eq!(some, expected);
    let rest = read(json!({"path": "src/main.rs", "offset": 4, "limit": 9})).unwrap();
    assert_eq!((&rest["content"], &rest["last_line"], &rest["truncated"]), (&json!("}\n"), &json!(4), &json!(false)));
    let behind = read(json!({"path": "src/main.rs", "offset": 5}));
    assert_eq!(behind, Err("the file has 4 lines: `offset` is behind its end".to_owned()));
    world.write("large.txt", &"0123456789abcde\n".repeat(40_000));
    let large = read(json!({"path": "large.txt", "offset": 20_001})).unwrap();
    assert_eq!(
        (&large["first_line"], &large["last_line"], &large["lines"]),
        (&json!(20_001), &json!(36_384), &json!(40_000))
    );
    assert_eq!((&large["bytes"], &large["truncated"]), (&json!(256 * 1024), &json!(true)));
}

#[test]
fn a_file_is_moved_to_a_free_path_or_deleted() {
    let world = project();
    let moved = |from: &str, to: &str| run(&world, "move", &json!({"from": from, "to": to}));
    assert_eq!(
        moved("src/main.rs", "new/lib.rs"),
        Ok(json!({"success": true, "from": "src/main.rs", "path": "new/lib.rs"}))
    );
    assert!(!world.in_project("src/main.rs").exists() && world.read("new/lib.rs").starts_with("fn main"));
    assert_eq!(moved("keep.log", "new/lib.rs"), Err("`new/lib.rs` exists already".to_owned()));
    assert_eq!(moved("none", "new/none"), Err("`none` does not exist".to_owned()));
    for (from, to) in [
        ("keep.log", ".git/hooks/x"),
        (".git/config", "config"),
        ("src/link", "link"),
        ("src", "other"),
        ("keep.log", "a/HEAD"),
    ] {
        assert!(moved(from, to).is_err(), "{from} {to}");
    }
    let deleted = |path: &str| run(&world, "delete", &json!({"path": path}));
    assert_eq!(deleted("new/lib.rs"), Ok(json!({"success": true, "path": "new/lib.rs"})));
    assert_eq!(deleted("new/lib.rs"), Err("`new/lib.rs` does not exist".to_owned()));
    for path in ["src", "src/link", ".git/config", ".ai/config.toml"] {
        assert!(deleted(path).is_err(), "{path}");
    }
    assert!(world.in_project("keep.log").exists() && world.in_project("src/link").exists());
}

const RULES: &str = r#"<execute><tool>rye.file-system.*</tool></execute><read resource="filesystem" path="src/**" /><write resource="filesystem" path="src/out/**" />"#;

#[test]
fn in_a_thread_what_looks_for_files_sees_what_the_path_rules_let_be_read() {
    let world = World::new();
    world.write("secret.txt", "a hit\n");
    world.write("src/b.txt", "a hit\n");
    world.directive(RULES, r#"turns="9""#, "");
    world.commit("items");
    let outcome = world.run(&[
        call("rye_file_system_glob", json!({"pattern": "*.txt"})),
        call("rye_file_system_grep", json!({"pattern": "hit"})),
        call("rye_file_system_grep", json!({"pattern": "hit", "path": "secret.txt"})),
        call("rye_file_system_glob", json!({"pattern": "*", "path": "."})),
        call("rye_file_system_edit", json!({"path": "src/b.txt", "old": "hit", "new": "miss"})),
        call("rye_file_system_move", json!({"from": "src/b.txt", "to": "src/out/b.txt"})),
        call("rye_file_system_delete", json!({"path": "src/b.txt"})),
        text("Done."),
    ]);
    let events = world.events(&outcome);
    let result = |turn| result_in_turn(&events, turn);
    assert_eq!(result(1)["output"]["files"], json!(["src/a.txt", "src/b.txt"]));
    assert_eq!(result(2)["output"]["files"], json!([{"path": "src/b.txt", "lines": "1:a hit\n"}]));
    for turn in 3..=7 {
        assert_eq!(result(turn)["status"], "denied", "turn {turn}: {}", result(turn));
    }
    assert_eq!(world.in_thread(&outcome, "src/b.txt").as_deref(), Some("a hit\n"));
}

#[test]
fn what_a_thread_edits_moves_and_deletes_is_in_its_turns_commits() {
    let world = World::new();
    world.write("src/gone.txt", "gone\n");
    world.directive("<execute><tool>rye.file-system.*</tool></execute>", r#"turns="9""#, "");
    world.commit("items");
    let outcome = world.run(&[
        call("rye_file_system_edit", json!({"path": "src/a.txt", "old": "b", "new": "c"})),
        call("rye_file_system_edit", json!({"path": "src/a.txt", "old": "a", "new": "b"})),
        call("rye_file_system_move", json!({"from": "src/a.txt", "to": "src/moved/a.txt"})),
        call("rye_file_system_delete", json!({"path": "src/gone.txt"})),
        text("Done."),
    ]);
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let changed = world.changed(&outcome);
    let expected = [&[][..], &[], &["src/a.txt"], &["src/moved/a.txt"], &["src/gone.txt"], &[], &[]];
    assert_eq!(changed, expected.map(paths));
    assert_eq!(world.in_thread(&outcome, "src/moved/a.txt").as_deref(), Some("b\n"));
    for path in ["src/gone.txt", "src/a.txt"] {
        assert_eq!(world.in_thread(&outcome, path), None, "{path}");
    }
    let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
    assert_eq!(code, 0, "{accepted}");
    assert!(!world.in_project("src/gone.txt").exists() && !world.in_project("src/a.txt").exists());
    assert_eq!(world.read("src/moved/a.txt"), "b\n");
}

/// What a hostile user found: each of these read too much, took too long, or changed what it should not.
#[test]
fn what_was_found_wrong_stays_mended() {
    let world = project();
    world.git(&["init", "-q", "--bare", "vendor"]);
    world.git(&["--git-dir", "vendor", "config", "remote.o.url", "https://user:hidden@host/x"]);
    let refused = run(&world, "grep", &json!({"pattern": "url", "path": "vendor/config"}));
    assert_eq!(refused, Err("`vendor/config` is refused: tools cannot access git's own folder".to_owned()));
    for path in ["src/link", "src/link/out.rs"] {
        assert!(run(&world, "grep", &json!({"pattern": "let", "path": path})).is_err(), "{path}");
    }
    // One line becomes two, and the file keeps its line ends.
    run(&world, "edit", &json!({"path": "src/deep/b.rs", "old": "use x;", "new": "use x;\nuse y;"})).unwrap();
    assert_eq!(world.read("src/deep/b.rs"), "mod b;\r\nuse x;\r\nuse y;\r\n");
    world.write("empty.txt", "");
    let empty = run(&world, "read", &json!({"path": "empty.txt", "limit": 10})).unwrap();
    assert_eq!((&empty["content"], &empty["lines"], &empty["truncated"]), (&json!(""), &json!(0), &json!(false)));

    // The middle of a private key does not show that it is one.
    let key = format!("-----BEGIN OPENSSH {}-----\n{}\n-----END OPENSSH {0}-----\n", "PRIVATE KEY", "QUJD".repeat(16));
    world.write("id", &key);
    let middle = run(&world, "read", &json!({"path": "id", "offset": 2, "limit": 1}));
    assert_eq!(middle, Err("`id` holds a private key: read it without `offset` and `limit`".to_owned()));
    let found = run(&world, "grep", &json!({"pattern": "QUJD"})).unwrap();
    assert_eq!((&found["files"], &found["files_with_private_keys"]), (&json!([]), &json!(1)));
    let edited = run(&world, "edit", &json!({"path": "id", "old": "END", "new": "End"})).unwrap();
    assert_eq!((&edited["replaced"], &edited["diff"]), (&json!(1), &Value::Null));

    // Neither of these grows with the square of the file.
    world.write("commas.csv", &format!("{}\n", "a,".repeat(40)).repeat(12_500));
    let all = run(&world, "edit", &json!({"path": "commas.csv", "old": ",", "new": ";", "all": true})).unwrap();
    assert_eq!(all["replaced"], 500_000);
    world.write("same.txt", &"x\n".repeat(1_000_000));
    let old = format!("{}y", "x\n".repeat(20_000));
    assert!(
        run(&world, "edit", &json!({"path": "same.txt", "old": old, "new": "z"}))
            .unwrap_err()
            .ends_with("as it is there")
    );
    let large = run(&world, "grep", &json!({"pattern": "(\\w{50}){50}\\d"})).unwrap_err();
    assert!(large.starts_with("`pattern` is not a regular expression that can be searched for"), "{large}");
}

/// A pattern that takes long is stopped within a file.
#[test]
fn a_search_that_takes_long_is_stopped() {
    let world = project();
    let letters: String = (0..4_000_000_u64)
        .map(|at| if at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0 { 'a' } else { 'b' })
        .collect();
    world.write("log.txt", &letters);
    let parameters = json!({"pattern": "[ab]*a[ab]{2000}c", "path": "log.txt"}).to_string();
    let mut child = world
        .rye(&["execute", "tool", "rye/file-system/grep", "--params", &parameters])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let _ = std::process::Command::new("kill").arg(child.id().to_string()).status();
    let begun = std::time::Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "it does not stop");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Patterns that the compiler of patterns cannot take are refused, also those of a `.gitignore`.
#[test]
fn a_pattern_that_is_too_much_is_refused() {
    let world = project();
    let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
    let many = format!("{{{}}}", (0..10_000).map(|number| format!("a{number}*")).collect::<Vec<_>>().join(","));
    for pattern in [nested(260), nested(60_000), "*".repeat(100_000), "*".repeat(1024), "?*".repeat(400), many] {
        let refused = run(&world, "glob", &json!({"pattern": pattern})).unwrap_err();
        assert!(refused.contains("is not a pattern of paths: it "), "{refused}");
        let refused = run(&world, "grep", &json!({"pattern": "x", "glob": pattern})).unwrap_err();
        assert!(refused.contains("is not a pattern of paths: it "), "{refused}");
    }
    world.write("sub/.gitignore", &format!("{}\nhidden.txt\n", nested(100_000)));
    world.write("sub/hidden.txt", "x\n");
    world.write("sub/seen.txt", "x\n");
    let found = run(&world, "glob", &json!({"pattern": "sub/*.txt"})).unwrap();
    assert_eq!(found["files"], json!(["sub/seen.txt"]));
}

#[test]
fn a_replacement_that_would_fill_the_memory_is_refused() {
    let world = project();
    world.write("w.txt", &"a".repeat(1000));
    let edit =
        |old: &str, new: &str| run(&world, "edit", &json!({"path": "w.txt", "old": old, "new": new, "all": true}));
    edit("a", &"x".repeat(8000)).unwrap();
    let refused = edit("x", &"y".repeat(4000)).unwrap_err();
    assert!(refused.contains("would be larger than"), "{refused}");
    assert_eq!(world.read("w.txt").len(), 8_000_000);
}
