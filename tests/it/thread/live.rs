//! People watch a thread while it runs: on a terminal, through a pipe, as lines of JSON, and by its transcript.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::providers::{ANTHROPIC, KEY, world};
use super::world::{SCRIPTED, World, calls, text};
use crate::support::has;
use crate::support::http::{Piece, Reply, Server, reply};
use crate::support::pty::{OnTerminal, shown};

/// The beginning of an answer: a stream with these pieces of text.
pub(super) fn begun(pieces: &[&str]) -> Reply {
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let usage = json!({"input_tokens": 100, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": null, "usage": usage});
    let mut text = event("message_start", json!({"type": "message_start", "message": message}));
    let block = json!({"type": "text", "text": ""});
    text += &event("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": block}));
    let mut reply = reply("200 OK", &["content-type: text/event-stream"], &text);
    for piece in pieces {
        let delta = json!({"type": "text_delta", "text": piece});
        let data = json!({"type": "content_block_delta", "index": 0, "delta": delta});
        reply.push(Piece::Bytes(event("content_block_delta", data).into_bytes()));
    }
    reply
}

/// The end of such an answer.
fn ended() -> Piece {
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let usage = json!({"output_tokens": 20});
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage});
    let text = event("content_block_stop", json!({"type": "content_block_stop", "index": 0}))
        + &event("message_delta", delta)
        + &event("message_stop", json!({"type": "message_stop"}));
    Piece::Bytes(text.into_bytes())
}

/// Runs `demo/work` on a terminal, asking a server.
pub(super) fn on_terminal(world: &World, server: &Server, args: &[&str], columns: usize) -> OnTerminal {
    let mut env = world.variables();
    let more = [("TERM", "xterm-256color"), ("NO_COLOR", "1"), (ANTHROPIC.key, KEY), (ANTHROPIC.url, &server.url())];
    env.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let program = [&[crate::support::RYE, "thread", "run", "demo/work"], args].concat();
    OnTerminal::start(&program, &world.in_project(""), &env, columns)
}

/// What a terminal shows of a thread from its first turn on, up to its outcome.
fn turns(written: &str, columns: usize) -> Vec<String> {
    let lines = shown(written, columns).into_iter().skip_while(|line| line != "turn 1");
    lines.take_while(|line| !line.starts_with("thread ")).filter(|line| !line.is_empty()).collect()
}

#[test]
fn text_is_there_before_the_answer_ends_and_fits_the_terminal() {
    if !has("python3") {
        return;
    }
    let pieces = ["The first half of an answer that is ", "longer than a line.\n\nAnd a second", " paragraph "];
    let whole = [
        "turn 1",
        "  The first half of an answer that is",
        "  longer than a line.",
        "  And a second paragraph goes on.",
        "  120 tokens, 0.0006 USD",
    ];
    for (columns, rows) in [(40, &whole[..]), (80, &[])] {
        let world = world();
        let go = world.path("go");
        let mut reply = begun(&pieces);
        reply.push(Piece::Until(go.clone()));
        reply.extend(begun(&["goes on."]).into_iter().skip(1));
        reply.push(ended());
        let server = Server::new(vec![reply]);
        let mut rye = on_terminal(&world, &server, &[], columns);
        // It is written over where its row is not full, and the status is below it.
        rye.wait_for("And a second paragraph");
        rye.wait_for(if columns == 40 {
            "turn 1 · 0 tok · 0.0000 USD"
        } else {
            "turn 1 of 6 · 0 tokens · 0.0000 of 1"
        });
        std::fs::write(&go, "").unwrap();
        let (code, written) = rye.end();
        let lines = turns(&written, columns);
        assert_eq!(code, 0, "{written}");
        if columns == 40 {
            assert_eq!(lines[..rows.len() - 1], rows[..rows.len() - 1], "{lines:#?}");
        }
        assert!(lines.iter().all(|line| line.chars().count() < columns || !line.starts_with("turn")), "{lines:#?}");
        // The status is gone, and the text is there once.
        assert_eq!(lines.iter().filter(|line| line.starts_with("turn ")).count(), 1, "{lines:#?}");
        assert_eq!(lines.join(" ").matches("goes on.").count(), 1, "{lines:#?}");
    }
}

#[test]
fn an_answer_that_broke_off_does_not_look_as_if_it_counted() {
    if !has("python3") {
        return;
    }
    let world = world();
    let half = begun(&["Half of what"]);
    let mut answer = begun(&["The whole answer."]);
    answer.push(ended());
    let server = Server::new(vec![half, answer]);
    let (code, written) = on_terminal(&world, &server, &[], 100).end();
    let lines = turns(&written, 100);
    assert_eq!(code, 0, "{written}");
    assert_eq!(lines[1..3], ["  Half of what", "  (this answer broke off and does not count)"], "{lines:#?}");
    assert!(lines[3].starts_with("note: the answer of `127.0.0.1:") && lines[3].contains("broke off"), "{lines:#?}");
    assert!(lines.iter().any(|line| line == "  The whole answer."), "{lines:#?}");
    assert_eq!(lines.join("\n").matches("Half of what").count(), 1, "{lines:#?}");
}

#[test]
fn a_secret_that_a_model_says_is_not_seen_on_the_terminal() {
    if !has("python3") {
        return;
    }
    let world = world();
    let go = world.path("go");
    let mut answer =
        begun(&["Prose first\nThe token is ghp_Qa7Xb2Yc9Zd4We6Rf1Tg", "8Uh3Vi5PjOkNlMm0xy", " and password: \"tr0ub"]);
    answer.push(Piece::Until(go.clone()));
    answer.extend(begun(&["4dor&3\" is one"]).into_iter().skip(1));
    answer.push(ended());
    let server = Server::new(vec![answer]);
    let mut rye = on_terminal(&world, &server, &[], 100);
    rye.wait_for("Prose first");
    std::fs::write(&go, "").unwrap();
    let (code, written) = rye.end();
    let lines = turns(&written, 100);
    assert_eq!(
        (code, lines[2].as_str()),
        (0, "  The token is [redacted: github token] and password: \"[redacted: assigned password]\" is one"),
        "{lines:#?}"
    );
    assert!(!written.contains("Qa7Xb2") && !written.contains("tr0ub"), "{written}");
}

#[test]
fn the_line_of_state_counts_as_the_limit_does() {
    if !has("python3") {
        return;
    }
    let world = world();
    let go = world.path("go");
    let list = || (ANTHROPIC.call)("rye_file_system_list", &json!({}));
    let mut answer = begun(&["Half"]);
    answer.push(Piece::Until(go.clone()));
    answer.push(ended());
    let server = Server::new(vec![list(), list(), answer]);
    let mut rye = on_terminal(&world, &server, &[], 100);
    // 100 read in each of two turns, the same ones, and 20 written in each.
    rye.wait_for("turn 3 of 6 · 140 tokens");
    std::fs::write(&go, "").unwrap();
    let (code, written) = rye.end();
    assert_eq!(code, 0, "{written}");
    let outcome = shown(&written, 100).join("\n");
    assert!(outcome.contains("160; 360 billed (300 read, 60 written)"), "{outcome}");
}

#[test]
fn nothing_that_a_model_says_controls_the_terminal() {
    if !has("python3") {
        return;
    }
    let world = world();
    let mut answer = begun(&["a\u{1b}", "[2Jb\u{7}\u{202e}c\u{9b}31m", "\r\nd"]);
    answer.push(ended());
    let server = Server::new(vec![answer]);
    let (code, written) = on_terminal(&world, &server, &[], 80).end();
    let lines = turns(&written, 80);
    assert_eq!(
        (code, lines[1].as_str(), lines[2].as_str()),
        (0, "  a\u{FFFD}[2Jb\u{FFFD}\\u{202e}c\u{FFFD}31m", "  d")
    );
}

#[test]
fn an_answer_that_is_not_streamed_is_shown_when_it_is_there() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    world.directive("", r#"turns="3""#, "");
    let long = "word ".repeat(60);
    let script = world.script(&[text(&format!("{long}\nlast"))]).display().to_string();
    let server = Server::new(vec![]);
    let args = ["--provider", SCRIPTED, "--script", &script];
    let (code, written) = on_terminal(&world, &server, &args, 80).end();
    let lines = turns(&written, 80);
    // All of it, once.
    assert_eq!((code, lines.join(" ").matches("word").count()), (0, 60), "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| *line == "  last").count(), 1, "{lines:#?}");
}

#[test]
fn calls_stand_below_the_text_with_their_seconds_until_their_results_are_on_record() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let go = world.path("go");
    world.tool("demo/good", &format!("while [ ! -e {} ]; do sleep 0.02; done", go.display()));
    world.tool("demo/bad", &format!("while [ ! -e {} ]; do sleep 0.02; done; exit 3", go.display()));
    let permissions = "<execute><tool>demo.good</tool><tool>demo.bad</tool></execute>";
    world.directive(permissions, r#"turns="3""#, "");
    let both = calls(&[("demo_good", json!({"name": "x"})), ("demo_bad", json!({})), ("demo_none", json!({}))]);
    let script = world.script(&[both, text("Done.")]).display().to_string();
    let server = Server::new(vec![]);
    let mut rye = on_terminal(&world, &server, &["--provider", SCRIPTED, "--script", &script], 80);
    rye.wait_for("call demo/good {\"name\":\"x\"}  1 s");
    rye.wait_for("call demo/bad {}  1 s");
    std::fs::write(&go, "").unwrap();
    let (code, written) = rye.end();
    let lines = turns(&written, 80);
    assert_eq!(code, 0, "{written}");
    let told: Vec<&str> = lines.iter().map(|line| line.split(" s").next().unwrap()).collect();
    assert_eq!(told[1], "  call demo/good {\"name\":\"x\"}", "{lines:#?}");
    assert!(told[2].starts_with("    ok "), "{lines:#?}");
    assert_eq!(told[3], "  call demo/bad {}", "{lines:#?}");
    assert!(told[4].starts_with("    failed "), "{lines:#?}");
}

#[test]
fn a_pipe_gets_plain_lines() {
    let world = world();
    let mut answer = begun(&["The first half ", "and the second."]);
    answer.push(ended());
    let server = Server::new(vec![begun(&["Half"]), answer]);
    let mut rye = world.rye(&["thread", "run", "demo/work"]);
    let output = rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).env("TERM", "xterm").output().unwrap();
    let (told, outcome) = (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(!told.contains('\u{1b}') && !told.contains('\r') && !told.contains("Half"), "{told}");
    assert!(told.contains("\nturn 1\n") && told.contains("\n  The first half and the second.\n"), "{told}");
    assert!(outcome.starts_with("thread    ") && !outcome.contains("The first half"), "{outcome}");
}

#[test]
fn a_result_names_its_call_where_several_ran_at_the_same_time_and_says_why_it_failed() {
    let world = World::new();
    world.tool("demo/good", "cat");
    world.tool("demo/bad", "echo first >&2; echo 'the last word' >&2; exit 3");
    world.tool("demo/flood", "head -c 300000000 /dev/zero | tr '\\0' x");
    let permissions = "<execute><tool>demo.*</tool></execute>";
    world.directive(permissions, r#"turns="3" tokens="2000000""#, "");
    let several = [
        ("demo_good", json!({"name": "x"})),
        ("demo_bad", json!({})),
        ("demo_flood", json!({})),
        ("demo_good", json!({"name": "x"})),
    ];
    let script = world.script(&[calls(&several), calls(&[("demo_bad", json!({}))]), text("Done.")]);
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script.display().to_string()];
    let output = world.rye(&args).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let results: Vec<&str> = told.lines().filter(|line| line.starts_with("    ")).collect();
    let expected = [
        "    ok demo/good {\"name\":\"x\"}",
        "    failed demo/bad {} exit code 3: the last word",
        "    failed demo/flood {} stopped: wrote more than 268435456 bytes",
        "    ok demo/good {\"name\":\"x\"} (number 2)",
        // Alone, it is below its call.
        "    failed exit code 3: the last word",
    ];
    assert_eq!((output.status.code(), &results[..]), (Some(0), &expected[..]), "{told}");
    // The record is as before, and says it too.
    let outcome = world.shown(&world.rye_json(&["thread", "show", "@latest"]).1);
    world.check(&outcome);
    let tailed = world.rye(&["thread", "tail", "@latest"]).output().unwrap();
    assert!(String::from_utf8(tailed.stdout).unwrap().contains(expected[2]));
    if has("python3") {
        let server = Server::new(vec![]);
        let (code, written) = on_terminal(&world, &server, &args[3..], 100).end();
        let lines = turns(&written, 100);
        let shown = |reason: &str| lines.iter().any(|line| line.starts_with("    failed ") && line.ends_with(reason));
        assert!(code == 0 && shown("stopped: wrote more than 268435456 bytes") && shown("the last word"), "{lines:#?}");
    }
}

#[test]
fn a_thread_whose_branch_cannot_be_made_writes_no_event() {
    let world = World::new();
    world.directive("", r#"turns="3""#, "");
    // No branch below one of that name can be made.
    world.git(&["branch", "rye"]);
    let script = world.script(&[text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--format", "jsonl"];
    let output = world.rye(&args).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stdout).unwrap()), (Some(1), String::new()), "{told}");
    assert!(told.lines().any(|line| line.starts_with("error: the ref ")), "{told}");
}

/// The events of a thread, as the log has them now.
fn logged(world: &World) -> (PathBuf, String) {
    let threads = std::fs::read_dir(world.in_project(".git/rye/threads")).unwrap();
    let folder = threads.map(|entry| entry.unwrap().path()).max().unwrap();
    (folder.clone(), std::fs::read_to_string(folder.join("events.jsonl")).unwrap())
}

#[test]
fn events_are_lines_of_json_as_they_become_durable() {
    let world = world();
    let go = world.path("go");
    let mut answer = begun(&["Here it is."]);
    answer.push(Piece::Until(go.clone()));
    answer.push(ended());
    let server = Server::new(vec![answer]);
    let mut rye = world.rye(&["thread", "run", "demo/work", "--format", "jsonl"]);
    rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut rye = rye.spawn().unwrap();
    let mut lines = BufReader::new(rye.stdout.take().unwrap());
    let mut seen = String::new();
    while !seen.contains("\"step_start\"") {
        assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "{seen}");
    }
    // The model has not answered, and the shown text is recorded.
    assert_eq!(logged(&world).1, seen);
    std::fs::write(&go, "").unwrap();
    while lines.read_line(&mut seen).unwrap() > 0 {}
    let output = rye.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.contains("turn 1")), (Some(0), false), "{told}");
    assert_eq!(logged(&world).1, seen);
    assert!(seen.lines().last().unwrap().contains("\"type\":\"thread_complete\""), "{seen}");
    let exported = world.rye(&["thread", "export", "@latest"]).output().unwrap();
    assert_eq!(String::from_utf8(exported.stdout).unwrap(), seen);
}

#[test]
fn every_command_that_runs_a_thread_streams_events_and_json_stays_one_object() {
    let world = World::new();
    world.directive("", r#"turns="3""#, "");
    let script = world.script(&[text("Done.")]).display().to_string();
    let scripted = ["--provider", SCRIPTED, "--script", &script];
    let lines = |args: &[&str]| -> Vec<Value> {
        let output = world.rye(&[args, &scripted].concat()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{told}");
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{lines}{told}"))).collect()
    };
    for args in [
        &["thread", "run", "demo/work"][..],
        &["thread", "rerun", "@latest"],
        &["thread", "fork", "@latest", "--turn", "0"],
    ] {
        for format in [&["--format", "jsonl"][..], &["--format=jsonl", "-q"]] {
            let events = lines(&[args, format].concat());
            assert!(events.len() > 2 && events.iter().all(|event| event["v"] == 1), "{args:?}: {events:#?}");
            assert_eq!(events.last().unwrap()["type"], "thread_complete");
        }
        let outcome = lines(&[args, &["--json"]].concat());
        assert_eq!((outcome.len(), &outcome[0]["status"]), (1, &json!("completed")), "{args:?}");
    }
    let refused = world.rye(&["--format", "jsonl", "thread", "list"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`rye thread run`"), "{refused:?}");
    // Whoever stops reading stops nothing.
    let script =
        format!("'{}' thread run demo/work {} --format jsonl | head -n 1", crate::support::RYE, scripted.join(" "));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(world.in_project("")).env_clear().envs(world.variables());
    let output = shell.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    assert_eq!(world.rye_json(&["thread", "show", "@latest"]).1["status"], "completed");
}

fn wait_for(path: &Path) {
    let mut waited = Duration::ZERO;
    while !path.exists() {
        assert!(waited < Duration::from_secs(60), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
        waited += Duration::from_millis(5);
    }
}

#[test]
fn the_transcript_grows_while_the_thread_runs_and_ends_as_the_one_on_record() {
    let world = World::new().unconfined();
    let (started, go) = (world.path("started"), world.path("go"));
    world.tool(
        "demo/slow",
        &format!("touch {}; while [ ! -e {} ]; do sleep 0.02; done", started.display(), go.display()),
    );
    world.directive("<execute><tool>demo.slow</tool></execute>", r#"turns="3""#, "");
    let slow = json!({"text": "I look first.", "calls": [{"name": "demo_slow", "input": {}}]});
    let script = world.script(&[slow, text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "-q"];
    let mut rye = world.rye(&args).stdout(Stdio::null()).spawn().unwrap();
    wait_for(&started);
    let file = logged(&world).0.join("transcript.md");
    let during = std::fs::read_to_string(&file).unwrap();
    assert!(during.starts_with("# demo/work\n\nThread `work-"), "{during}");
    assert!(during.ends_with("\n\n## Turn 1\n\nI look first.\n\n- call `demo_slow` `{}`\n"), "{during}");
    std::fs::write(&go, "").unwrap();
    assert!(rye.wait().unwrap().success());
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&during), "what is there stays as it is");
    let thread = world.shown(&world.rye_json(&["thread", "show", "@latest"]).1);
    assert_eq!(after, world.thread_file(&thread, "transcript.md"));
    use std::os::unix::fs::PermissionsExt as _;
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let args = ["thread", "fork", "@latest", "--turn", "0", "--provider", SCRIPTED, "--script", &script];
    let forked = world.shown(&world.rye_json(&args).1);
    let file = world.in_project(".git/rye/threads").join(forked.thread_id.as_str()).join("transcript.md");
    assert_eq!(std::fs::read_to_string(file).unwrap(), world.thread_file(&forked, "transcript.md"));
}
