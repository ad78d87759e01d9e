//! Reading threads: the page, the transcript, the list, and exports.

use rye::thread::Outcome;
use serde_json::{Value, json};

use super::world::{FILES, World, call, calls, text, write};

/// What a hostile tool prints.
const HOSTILE: &str = "<script>alert(1)</script>";

fn world() -> World {
    let world = World::new();
    world.tool("demo/loud", &format!("echo '{HOSTILE}'; printf 'a\\033[2Jb\\n'; exit 3"));
    world.directive(
        "<execute><tool>rye.file-system.*</tool><tool>demo.loud</tool></execute>\
         <write resource=\"filesystem\" path=\"src/**\" />",
        r#"turns="4""#,
        "",
    );
    world.commit("items");
    world
}

fn run(world: &World) -> Outcome {
    world.run(&[
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "<b>\n</b>\n"})),
            ("demo_loud", json!({})),
            ("rye_file_system_write", json!({"path": "README.md", "content": "x"})),
        ]),
        text("Done <i>now</i>.\u{1b}[2J\u{202e}"),
    ])
}

/// Runs the program; what it prints on stdout and stderr.
fn said(world: &World, args: &[&str]) -> (i32, String, String) {
    let output = world.rye(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_page_says_what_was_asked_what_happened_and_what_changed() {
    let world = world();
    let outcome = run(&world);
    let (code, page, _) = said(&world, &["thread", "show", "@latest"]);
    assert_eq!(code, 0);
    assert!(page.starts_with("verified  4 commits, signed by the agent key `"), "{page}");
    for part in [
        "\nPlan\n  1. work\n     Work.\n",
        "\nTurn 1  ",
        "  call rye/file-system/write\n    path src/a.txt\n    content\n      <b>\n      </b>\n    ok\n",
        // How long it took follows where it took long.
        "  call demo/loud\n    failed",
        "\n      exit_code 3\n",
        "    denied no permission to write `README.md`",
        "  changed src/a.txt\n    @@ -1 +1,2 @@\n    -a\n    +<b>\n    +</b>\n",
        "\nEnd  ",
        "\nInspect\n  git log --stat ",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "nothing controls the terminal: {page}");
    let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
    assert_eq!((&shown["thread_id"], &shown["status"]), (&json!(outcome.thread_id), &json!("completed")));
    assert_eq!((&shown["signatures"]["verified"], &shown["signatures"]["commits"]), (&json!(true), &json!(4)));
    assert_eq!(shown["plan"], json!([{"name": "work", "text": "Work."}]));
    assert_eq!(shown["commits"][1]["changes"], json!([{"path": "src/a.txt", "change": "changed"}]));
}

#[test]
fn the_html_page_loads_and_runs_nothing() {
    let world = world();
    run(&world);
    let (code, stdout, _) = said(&world, &["thread", "show", "@latest", "--html", "page.html"]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    let page = world.read("page.html");
    assert!(page.contains("content=\"default-src 'none';"), "it has a policy");
    for reference in
        ["<script", "<link", "<img", "<iframe", "<a ", "src=", "href=", "url(", "@import", "http:", "https:"]
    {
        assert!(!page.to_lowercase().contains(reference), "{reference} is in {page}");
    }
    for (raw, escaped) in [(HOSTILE, "&lt;script&gt;alert(1)&lt;/script&gt;"), ("<i>", "Done &lt;i&gt;now&lt;/i&gt;.")]
    {
        assert!(!page.contains(raw) && page.contains(escaped), "{raw} in {page}");
    }
    assert!(page.contains("<span class=\"plus\">+&lt;b&gt;</span>"), "{page}");
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(!page.contains(&world.path("").display().to_string()), "no path of this machine is in it");

    world.write("page.html", "mine");
    let (code, stdout, told) = said(&world, &["thread", "show", "@latest", "--html", "-"]);
    assert!(code == 0 && stdout == page && !world.in_project("-").exists(), "{told}");
    let (code, error) = world.rye_json(&["thread", "show", "@latest", "--html", "-"]);
    assert_eq!((code, &error["error"]["code"]), (2, &json!("usage")), "{error}");
    for place in ["/dev/full", "/dev/stdout"] {
        let (code, _, told) = said(&world, &["thread", "export", "@latest", "-o", place]);
        assert!(code == 1 && told.ends_with("hint: name a regular file, or `-` for standard output\n"), "{told}");
    }
    assert!(said(&world, &["thread", "export", "@latest", "-o", "-"]).1.starts_with("{\"v\":1,"));
    let (code, error) = world.rye_json(&["thread", "show", "@latest", "--html", "page.html"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("exists")));
    assert_eq!(world.read("page.html"), "mine");
    assert_eq!(said(&world, &["thread", "show", "@latest", "--html", "page.html", "--force"]).0, 0);
    assert_eq!(world.read("page.html"), page, "the same thread gives the same page");
    assert_eq!(said(&world, &["thread", "show", "@latest", "--html", "none/page.html"]).0, 1);
}

#[test]
fn no_output_is_written_into_a_git_folder() {
    let world = world();
    run(&world);
    let config = world.read(".git/config");
    std::os::unix::fs::symlink(".git", world.in_project("git")).unwrap();
    for place in [".git/config", ".git/new", "git/config", ".git", "src/../.git/rye/x"] {
        for args in [["export", "@latest", "-o"], ["show", "@latest", "--html"]] {
            let args = [&["thread"], &args[..], &[place, "--force"]].concat();
            let (code, _, told) = said(&world, &args);
            assert!(code == 3 && told.contains(&format!("error: `{place}` is in a git folder")), "{code} {told}");
        }
    }
    assert!(!world.in_project(".git/new").exists());
    assert_eq!(world.read(".git/config"), config);
}

#[test]
fn what_somebody_else_committed_is_marked_in_the_first_line() {
    let world = world();
    let outcome = run(&world);
    world.tamper(&outcome, &[("note.md", "mine")], "mine");
    let (code, page, _) = said(&world, &["thread", "show", "@latest"]);
    let first: Vec<&str> = page.lines().take(2).collect();
    assert_eq!((code, first[0]), (0, "NOT VERIFIED the signatures of 1 of 5 commits do not count here"));
    assert!(first[1].ends_with(": it is not signed [RYE-C001]"), "{page}");
    let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
    assert_eq!(
        (&shown["signatures"]["verified"], &shown["signatures"]["faults"][0]["rule"]),
        (&json!(false), &json!("RYE-C001"))
    );
    let (_, _, warned) = said(&world, &["thread", "log", "@latest"]);
    assert!(warned.contains("not verified"), "{warned}");
    said(&world, &["thread", "show", "@latest", "--html", "page.html"]);
    assert!(world.read("page.html").contains("<strong>Not verified</strong>"));
    // A machine with another agent knows nothing of this one's.
    std::fs::remove_dir_all(world.path("home/.config/rye")).unwrap();
    let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
    let rules: Vec<&Value> =
        shown["signatures"]["faults"].as_array().unwrap().iter().map(|fault| &fault["rule"]).collect();
    assert_eq!(
        rules,
        [&json!("RYE-C004"), &json!("RYE-C004"), &json!("RYE-C004"), &json!("RYE-C004"), &json!("RYE-C001")]
    );
}

#[test]
fn a_damaged_record_is_shown_as_far_as_it_can_be_read() {
    let world = world();
    let outcome = run(&world);
    let turn = world.thread_file(&outcome, "turns/00/0001.jsonl");
    let foreign = turn.lines().next().unwrap().replace("step_start", "telepathy");
    let lines = format!("{foreign}\n{}\n{{\"v\":1,\"se", turn.lines().nth(1).unwrap());
    world.tamper(&outcome, &[("turns/00/0001.jsonl", &lines), ("thread.json", "[]")], "damage");
    std::fs::remove_dir_all(world.in_project(".git/rye/threads")).unwrap();
    let (code, page, _) = said(&world, &["thread", "show", "@latest"]);
    assert_eq!(code, 0);
    for part in [
        "damaged:  turn 1 has an event of unknown type `telepathy`",
        "unknown event telepathy",
        "damaged line",
        "completed",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert_eq!(said(&world, &["thread", "show", "@latest", "--html", "page.html"]).0, 0);
    assert!(world.read("page.html").contains("unknown event telepathy"));
    let (code, transcript, warned) = said(&world, &["thread", "log", "@latest"]);
    assert_eq!((code, warned.matches("warning: ").count() > 2), (0, true), "{warned}");
    assert!(transcript.contains("## Turn 2") && transcript.contains("0.00 USD"), "{transcript}");
    let (code, exported, _) = said(&world, &["thread", "export", "@latest"]);
    assert!(code == 0 && exported.contains("telepathy") && exported.contains("{\"v\":1,\"se\n"), "{exported}");
    let (code, followed, warned) = said(&world, &["thread", "tail", "@latest"]);
    assert!(code == 0 && followed.ends_with("completed\n") && warned.contains("telepathy"), "{followed}{warned}");
    let (_, listed) = world.rye_json(&["thread", "list"]);
    assert_eq!(listed["unreadable"], json!([outcome.thread_id]));
}

#[test]
fn the_export_is_what_was_recorded() {
    let world = world();
    let outcome = run(&world);
    let log = world.read(&format!(".git/rye/threads/{}/events.jsonl", outcome.thread_id));
    assert_eq!(said(&world, &["thread", "export", "@latest"]), (0, log.clone(), String::new()));
    assert_eq!(said(&world, &["thread", "tail", "@latest", "--format", "jsonl"]), (0, log.clone(), String::new()));
    let transcript = world.thread_file(&outcome, "transcript.md");
    assert_eq!(said(&world, &["thread", "export", "@latest", "--format", "md"]).1, transcript);
    assert_eq!(said(&world, &["thread", "log", "@latest"]).1, transcript);
    assert!(transcript.contains("  - content:\n\n    ```\n    <b>\n    </b>\n    ```\n"), "{transcript}");
    let (_, written) = world.rye_json(&["thread", "export", "@latest", "-o", "events.jsonl"]);
    assert_eq!((&written["lines"], world.read("events.jsonl")), (&json!(log.lines().count()), log));
    let (code, error) = world.rye_json(&["thread", "export", "@latest", "-o", "events.jsonl"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("exists")));
    let message = world.log(&outcome, "%B").join("\n");
    assert!(message.contains("    ```\n    <b>\n    </b>\n    ```\n"), "{message}");
}

#[test]
fn threads_are_listed_by_number_status_directive_and_time() {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    world.commit("items");
    let good = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    let bad = world.run(&[call("nothing", json!({})), call("nothing", json!({})), call("nothing", json!({}))]);
    let listed = |args: &[&str]| -> Vec<Value> {
        let (code, listed) = world.rye_json(&[&["thread", "list"], args].concat());
        assert_eq!(code, 0, "{listed}");
        listed["threads"].as_array().unwrap().iter().map(|thread| thread["thread_id"].clone()).collect()
    };
    let (good, bad) = (json!(good.thread_id), json!(bad.thread_id));
    let all = listed(&[]);
    assert_eq!((all.len(), all.contains(&good), all.contains(&bad)), (2, true, true));
    assert_eq!(listed(&["-n", "1"]), all[..1]);
    assert_eq!(listed(&["-n", "0"]), Vec::<Value>::new());
    assert_eq!(listed(&["--status", "limit"]), [bad]);
    assert_eq!(listed(&["--status", "error"]), Vec::<Value>::new());
    assert_eq!(listed(&["--status", "completed", "--directive", "demo/*", "--since", "1h", "-n", "9"]), [good]);
    assert_eq!(listed(&["--directive", "demo/work"]).len(), 2);
    for nothing in
        [&["--directive", "demo"][..], &["--since", "2999-01-01"], &["--status", "running"], &["--since", "0m"]]
    {
        assert_eq!(listed(nothing), Vec::<Value>::new(), "{nothing:?}");
    }
    for wrong in [&["--since", "soon"][..], &["--status", "fine"], &["-n", "-1"]] {
        assert_eq!(said(&world, &[&["thread", "list"], wrong].concat()).0, 2, "{wrong:?}");
    }
}
