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

/// Returns the instructions of the last thread, each with its digest and key.
fn followed(world: &World) -> Vec<(String, serde_json::Value, bool)> {
    let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
    let instructions = shown["summary"]["instructions"].as_array().unwrap().clone();
    let one = |one: serde_json::Value| {
        (one["item_id"].as_str().unwrap().to_owned(), one["sha256"].clone(), one["key_id"].is_string())
    };
    instructions.into_iter().map(one).collect()
}

/// A digest is that of the bytes which the model got, whatever became of the file; a skill has that of its signed manifest.
#[test]
fn instructions_keep_the_digests_of_when_they_were_followed() {
    let world = world();
    world.write(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\n\nRead.\n");
    assert!(world.rye(&["sign", "skill", "pdf", "-q"]).output().unwrap().status.success());
    world.extended("other", "", "", "<execute><knowledge>demo/*</knowledge></execute>");
    world.extended(
        "work",
        "",
        "",
        "<execute><knowledge>demo/*</knowledge><directive>demo/*</directive><skill>pdf</skill></execute>",
    );
    world.commit("a skill");
    let execute = |item_type: &str, id: &str| call("rye_execute", json!({"item_type": item_type, "item_id": id}));
    world.run(&[
        execute("knowledge", "demo/rules"),
        execute("skill", "pdf"),
        execute("skill", "pdf"),
        execute("directive", "demo/other"),
        text("Done."),
    ]);
    let digest = |path: &str| {
        let bytes = std::fs::read(world.in_project(path)).unwrap();
        json!(rye::trust::ContentHash::of(&bytes).to_string())
    };
    let wanted = [
        ("demo/work", ".ai/directives/demo/work.md"),
        ("demo/rules", ".ai/knowledge/demo/rules.md"),
        ("pdf", ".ai/skills/pdf.sig"),
        ("demo/other", ".ai/directives/demo/other.md"),
    ];
    let wanted: Vec<_> = wanted.map(|(id, path)| (id.to_owned(), digest(path), true)).into();
    assert_eq!(followed(&world), wanted);
    world.knowledge("rules", "Be long.");
    world.extended("work", "", "", "");
    world.extended("other", "", "", "");
    std::fs::remove_file(world.in_project(".ai/skills/pdf.sig")).unwrap();
    world.commit("other instructions");
    assert_eq!(followed(&world), wanted);
}

/// The steps are those of the directive with the recorded digest: of the commit that the thread began at, whatever came later.
#[test]
fn the_plan_is_that_of_the_directive_as_it_was() {
    let world = World::new();
    let plan = || world.rye_json(&["thread", "show", "@latest"]).1["plan"].clone();
    world.directive("", r#"turns="4""#, "");
    world.commit("items");
    world.run(&[text("Done.")]);
    let before = plan();
    assert_eq!(before, json!([{"name": "work", "text": "Work."}]));
    let path = ".ai/directives/demo/work.md";
    let text_of = world.read(path);
    world.write(path, &text_of.replace("Work.", "Play."));
    world.sign(rye::keys::KeyName::Person, "demo/work");
    world.commit("another one");
    assert_eq!(plan(), before);
    std::fs::remove_file(world.in_project(path)).unwrap();
    world.commit("none");
    assert_eq!(plan(), before);
}

/// A directive of the person's space is in no commit: its steps are shown as long as the file is the recorded one.
#[test]
fn the_plan_of_a_person_s_directive_is_shown_while_the_file_is_the_same() {
    let world = World::new();
    let path = ".ai/directives/demo/work.md";
    world.directive("", r#"turns="4""#, "");
    let own = world.path("home").join(path);
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::rename(world.in_project(path), &own).unwrap();
    world.write("other.md", "text\n");
    world.commit("no item");
    world.run(&[text("Done.")]);
    let plan = || world.rye_json(&["thread", "show", "@latest"]).1["plan"].clone();
    assert_eq!(plan(), json!([{"name": "work", "text": "Work."}]));
    let before = followed(&world);
    assert!(before[0].2, "{before:?}");
    let text_of = std::fs::read_to_string(&own).unwrap();
    std::fs::write(&own, text_of.replace("Work.", "Play.")).unwrap();
    assert_eq!(plan(), serde_json::Value::Null);
    // The digest is recorded; who signed it is not known without the file.
    let after = followed(&world);
    assert_eq!((&after[0].1, after[0].2), (&before[0].1, false));
    std::fs::remove_file(&own).unwrap();
    assert_eq!(plan(), serde_json::Value::Null);
}
