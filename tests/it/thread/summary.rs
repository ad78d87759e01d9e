//! How `thread show` and its page begin: with what was refused, touched, changed and followed; and how a model's words look.

use rye::thread::Outcome;
use serde_json::json;

use super::world::{World, call, calls, text, write};
use crate::support::has;
use crate::support::pty::OnTerminal;

/// What the model says at last.
const WORDS: &str = "# Result\n\n- *one* of **two** with `code` \u{1b}[2K&#27;[2K\n\n![pixel](https://track.example/p.png)\n\n<script>x()</script>";

fn world() -> World {
    let world = World::new();
    world.knowledge("rules", "Be brief.");
    world.tool("demo/one", "echo hi");
    world.extended(
        "work",
        "",
        "",
        "<execute><tool>rye.file-system.*</tool><tool>demo.one</tool><knowledge>demo/*</knowledge></execute>\
         <read resource=\"filesystem\" path=\"**\" /><write resource=\"filesystem\" path=\"src/**\" />",
    );
    world.commit("items");
    world
}

fn run(world: &World) -> Outcome {
    world.run(&[
        calls(&[
            ("rye_file_system_read", json!({"path": "README.md"})),
            ("demo_one", json!({})),
            ("rye_execute", json!({"item_type": "knowledge", "item_id": "demo/rules"})),
        ]),
        calls(&[("rye_file_system_write", json!({"path": "README.md", "content": "x"})), ("rye_git_log", json!({}))]),
        write("src/new.txt", "1\n2\n"),
        write("src/a.txt", "b\n"),
        text(WORDS),
    ])
}

fn said(world: &World, args: &[&str]) -> String {
    let output = world.rye(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_page_begins_with_what_a_reader_wants_to_know_first() {
    let world = world();
    let outcome = run(&world);
    let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
    let summary = &shown["summary"];
    let refused: Vec<&str> =
        summary["refused"].as_array().unwrap().iter().map(|refused| refused["call"].as_str().unwrap()).collect();
    assert!(refused.len() == 2 && refused[1].contains("rye/git/log"), "{summary}");
    assert_eq!(summary["refused"][0]["paths"], json!(["README.md"]), "{summary}");
    assert_eq!(summary["touched"]["read"], json!(["README.md"]));
    assert_eq!(summary["touched"]["ran"], json!(["demo/one"]));
    assert_eq!(
        summary["changes"],
        json!([
            {"path": "src/a.txt", "change": "changed", "lines": [1, 1]},
            {"path": "src/new.txt", "change": "added", "lines": [2, 0]},
        ])
    );
    let followed = summary["instructions"].as_array().unwrap();
    let ids: Vec<&str> = followed.iter().map(|one| one["item_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["demo/work", "demo/rules"]);
    for (one, file) in followed.iter().zip(["directives/demo/work.md", "knowledge/demo/rules.md"]) {
        let bytes = std::fs::read(world.in_project(&format!(".ai/{file}"))).unwrap();
        assert_eq!(one["sha256"], json!(rye::trust::ContentHash::of(&bytes).to_string()), "{one}");
        assert!(one["key_id"].is_string(), "{one}");
    }

    // The words of it, before the facts and the turns.
    let page = said(&world, &["thread", "show", "@latest"]);
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part} is not in {page}"));
    let order = [
        "verified ",
        "refused   2 calls\n          turn 2: ",
        "README.md\n",
        "touched   read README.md\n          ran demo/one\n",
        "changed   2 files, +3 -1; see `rye thread diff ",
        "          added   src/new.txt  +2 -0\n",
        "followed  directive demo/work 1.0.0, sha256 ",
        "          knowledge demo/rules, sha256 ",
        "\nstatus ",
        "\nTurn 1",
    ];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{page}");
    let diff = format!("rye thread diff {}", outcome.thread_id);
    assert!(page.contains(&diff));

    let html = said(&world, &["thread", "show", "@latest", "--html", "-"]);
    let (before, after) = html.split_once("<h2>Summary</h2>").unwrap();
    assert!(!before.contains("Turn 1") && after.contains("Turn 1"), "{html}");
    for part in ["turn 2: ", "read README.md", "added   src/new.txt  +2 -0", "knowledge demo/rules, sha256 "] {
        assert!(after.contains(part), "{part} is not in {html}");
    }
    // The model's words have their look, and none of them is HTML.
    for part in ["<h4>Result</h4>", "<em>one</em>", "<strong>two</strong>", "<code>code</code>", "&lt;script&gt;"] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    for part in ["<img", "<script", "href=", "src="] {
        assert!(!html.contains(part), "{part} is in {html}");
    }
    assert!(!html.contains('\u{1b}'), "{html:?}");
}

#[test]
fn a_thread_that_did_nothing_says_so() {
    let world = world();
    world.run(&[call("rye_file_system_list", json!({})), text("Done.")]);
    let page = said(&world, &["thread", "show", "@latest"]);
    for part in ["refused   nothing\n", "changed   nothing\n", "followed  directive demo/work 1.0.0, sha256 "] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[test]
fn a_terminal_shows_it_by_the_pager_and_renders_the_model_s_words() {
    if !has("python3") {
        return;
    }
    let world = world();
    run(&world);
    let mut env = world.variables();
    env.insert("GIT_PAGER".to_owned(), "sed 's/^/PAGED /'".to_owned());
    env.insert("NO_COLOR".to_owned(), "1".to_owned());
    env.insert("TERM".to_owned(), "xterm".to_owned());
    let program = [crate::support::RYE, "thread", "show", "@latest"];
    let (code, seen) = OnTerminal::start(&program, &world.in_project(""), &env, 200).end();
    let seen = seen.replace('\r', "");
    assert_eq!(code, 0, "{seen}");
    assert!(seen.lines().all(|line| line.starts_with("PAGED ")), "{seen}");
    for part in [
        "PAGED   Result\n",
        "PAGED   • one of two with `code` ",
        "image: pixel (https://track.example/p.png)",
        "<script>x()</script>",
    ] {
        assert!(seen.contains(part), "{part} is not in {seen}");
    }
    assert!(!seen.contains('\u{1b}'), "{seen:?}");
    // In colour, and without a pager that can be run.
    env.remove("NO_COLOR");
    env.insert("GIT_PAGER".to_owned(), "/none/pager".to_owned());
    let (code, seen) = OnTerminal::start(&program, &world.in_project(""), &env, 200).end();
    assert!(code == 0 && seen.contains("\u{1b}[1mtwo") && seen.contains("Result"), "{seen}");
    assert!(!seen.contains("\u{1b}[2K"), "{seen:?}");
    // On a terminal that is too simple for one, it is shown without.
    env.insert("TERM".to_owned(), "dumb".to_owned());
    env.insert("GIT_PAGER".to_owned(), "sed 's/^/PAGED /'".to_owned());
    let (code, seen) = OnTerminal::start(&program, &world.in_project(""), &env, 200).end();
    assert!(code == 0 && seen.contains("Result") && !seen.contains("PAGED"), "{seen}");
    // In a pipe each word stays as it is.
    let piped = said(&world, &["thread", "show", "@latest"]);
    assert!(piped.contains("  # Result\n") && piped.contains("- *one* of **two**"), "{piped}");
}
