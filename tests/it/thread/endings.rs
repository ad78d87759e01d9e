//! How threads end: by limits, faults of the model or the provider, and by whoever stops them. Always on record.

use std::time::{Duration, Instant};

use rye::event::EventData;
use rye::item::Limits;
use rye::process::CancelFlag;
use rye::thread::{Outcome, Status};
use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, call, calls, text, types, write};

fn ended(outcome: &Outcome) -> (Status, &str) {
    (outcome.status, outcome.error.as_ref().map_or("", |error| error.code.as_str()))
}

/// The last two events of a log.
fn last_two(world: &World, outcome: &Outcome) -> Vec<String> {
    let types = types(&world.events(outcome));
    types[types.len() - 2..].to_vec()
}

#[test]
fn limits_stop_a_thread_before_a_call_and_say_which() {
    let world = World::new();
    world.tool("demo/slow", "sleep 1.2");
    let permissions = "<execute><tool>demo.slow</tool><tool>rye.file-system.list</tool></execute>";
    world.directive(permissions, r#"turns="5""#, "");
    let list = call("rye_file_system_list", json!({}));
    let mut dear = list.clone();
    dear["usage"] = json!({"input_tokens": 190_000, "output_tokens": 9_990});
    let cases = [
        ("turns", Limits { turns: Some(2), ..Limits::default() }, vec![list.clone(), list.clone(), list.clone()], 2),
        ("tokens", Limits::default(), vec![dear, list.clone()], 1),
        ("duration", Limits { duration: Some(1), ..Limits::default() }, vec![call("demo_slow", json!({})), list], 1),
    ];
    for (name, limits, turns, made) in cases {
        let mut options = world.options(&turns);
        options.limits = limits;
        let outcome = world.try_run(&options).unwrap();
        assert_eq!((ended(&outcome), outcome.turns), ((Status::Error, "limit"), made), "{name}");
        assert_eq!(last_two(&world, &outcome), ["limit_reached", "thread_error"]);
        let events = world.events(&outcome);
        let EventData::LimitReached { limit, .. } = &events[events.len() - 2].what else { panic!() };
        assert_eq!(limit, name);
        assert_eq!(world.log(&outcome, "%s").last().unwrap(), "end: error");
    }
}

#[test]
fn a_tool_gets_no_more_time_than_the_thread_has() {
    let world = World::new();
    world.tool("demo/slow", "sleep 30");
    world.directive("<execute><tool>demo.slow</tool></execute>", r#"turns="5" duration="1""#, "");
    let started = Instant::now();
    let outcome = world.run(&[call("demo_slow", json!({})), text("Done.")]);
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(ended(&outcome), (Status::Error, "limit"));
}

#[test]
fn outputs_that_stay_missing_end_the_thread_and_every_turn_has_its_commit() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, r#"<output name="note">A note</output>"#);
    let outcome = world.run(&[
        write("src/a.txt", "1\n"),
        text("Done."),
        call("directive_return", json!({"nota": "x"})),
        calls(&[
            ("directive_return", json!({"note": 3})),
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "2\n"})),
        ]),
        text("never asked"),
    ]);
    assert_eq!((ended(&outcome), outcome.turns), ((Status::Error, "missing_outputs"), 4));
    let subjects = [
        "start: demo/work",
        "turn 1: execute rye/file-system/write",
        "turn 2: text",
        "turn 3: directive_return",
        "turn 4: directive_return and 1 more",
        "end: error",
    ];
    assert_eq!(world.log(&outcome, "%s"), subjects);
    assert_eq!(world.changed(&outcome)[4], ["src/a.txt"]);

    let told = |note: Value| call("directive_return", json!({ "note": note }));
    let outcome = world.run(&[told(json!(3)), text("Done."), told(json!("here"))]);
    assert_eq!((outcome.status, json!(outcome.outputs)), (Status::Completed, json!({"note": "here"})));
}

#[test]
fn a_provider_that_fails_ends_the_thread_with_what_it_said() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    let expecting = json!({"text": "x", "expect": {"contains": ["not in the conversation"]}});
    let outcome = world.run(&[write("src/a.txt", "1\n"), expecting]);
    assert_eq!((ended(&outcome), outcome.turns), ((Status::Error, "provider"), 2));
    assert!(outcome.error.unwrap().message.contains("not in the conversation"));
}

/// A thread stopped after any of its events ends on record; only one that had ended already is not cancelled.
#[test]
fn a_thread_can_be_stopped_anywhere() {
    let world = World::new();
    world.tool("demo/one", "echo 1 >> src/a.txt; mkdir -p target; echo 2 > target/x");
    let permissions = r#"<execute><tool>demo.one</tool></execute><write resource="filesystem" path="**" />"#;
    world.directive(permissions, r#"turns="9""#, "");
    world.commit("items");
    let turns = [calls(&[("demo_one", json!({})), ("demo_one", json!({})), ("nothing", json!({}))]), text("Done.")];
    let options = world.options(&turns);
    let whole = world.run(&turns);
    let events = world.events(&whole);
    for stop_after in 0..events.len() as u64 {
        world.git(&["checkout", "-q", "--", "src"]);
        world.git(&["clean", "-q", "-f", "-d", "-X"]);
        let cancel = CancelFlag::new();
        let outcome = world
            .try_run_with(&options, &[], &cancel, |event| {
                if event.seq == stop_after {
                    cancel.cancel();
                }
            })
            .unwrap();
        let is_over = stop_after + 1 == events.len() as u64;
        let expected = if is_over { Status::Completed } else { Status::Cancelled };
        assert_eq!(outcome.status, expected, "stopped after event {stop_after}");
        let answered = world.events(&outcome).iter().any(|event| matches!(event.what, EventData::StepFinish { .. }));
        assert_eq!(answered, stop_after >= 3, "the turn that was answered is counted: {stop_after}");
        let log = world.log(&outcome, "%s");
        assert_eq!(log.last().unwrap(), if is_over { "end: completed" } else { "end: cancelled" });
    }
}

/// Waits until a file exists.
fn wait_for(path: &std::path::Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn signals_cancel_the_thread_and_its_tool_with_exit_5() {
    let world = World::new().unconfined();
    let pid_file = world.path("target_pid");
    let shown = pid_file.display();
    world.tool("demo/slow", &format!("echo $$ > {shown}.tmp; mv {shown}.tmp {shown}; sleep 60"));
    world.directive("<execute><tool>demo.slow</tool></execute>", r#"turns="5""#, "");
    let script = world.script(&[call("demo_slow", json!({})), text("Done.")]).display().to_string();
    let sentences = [
        ("INT", "it was interrupted (Ctrl-C)"),
        ("TERM", "it was told to terminate"),
        ("HUP", "its terminal was closed"),
        ("QUIT", "it was told to quit (Ctrl-\\)"),
        ("USR1", "it was told to terminate"),
    ];
    for (signal, sentence) in sentences {
        let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--json"];
        let mut rye = world.rye(&args);
        let rye = rye.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
        wait_for(&pid_file);
        assert!(
            std::process::Command::new("kill").args(["-s", signal, &rye.id().to_string()]).status().unwrap().success()
        );
        let output = rye.wait_with_output().unwrap();
        let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(5), "{outcome}");
        assert_eq!((&outcome["status"], &outcome["error"]["message"]), (&json!("cancelled"), &json!(sentence)));
        let pid = std::fs::read_to_string(&pid_file).unwrap();
        std::fs::remove_file(&pid_file).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(" Z "), "the tool still runs: {stat}");
        world.check(&world.shown(&outcome));
        assert_eq!(world.log(&world.shown(&outcome), "%s").last().unwrap(), "end: cancelled");
    }
}

#[test]
fn two_runs_at_once_are_both_right() {
    let world = World::new();
    world.tool("demo/one", "sleep 0.1");
    world.directive("<execute><tool>demo.one</tool></execute>", r#"turns="9""#, "");
    let one = call("demo_one", json!({}));
    let script = world.script(&[one.clone(), one.clone(), one, text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--json"];
    let before = world.untouched();
    let running: Vec<_> = (0..4)
        .map(|_| {
            world.rye(&args).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut branches = std::collections::BTreeSet::new();
    let mut outcomes = Vec::new();
    for rye in running {
        let output = rye.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let outcome = world.shown(&serde_json::from_slice(&output.stdout).unwrap());
        assert_eq!((outcome.status, outcome.turns), (Status::Completed, 4));
        outcomes.push(outcome);
    }
    // Checked when all have ended: fsck reads folder by folder and complains of what appears behind it.
    for outcome in outcomes {
        world.check(&outcome);
        branches.insert(outcome.branch);
    }
    assert_eq!(branches.len(), 4);
    assert_eq!(world.untouched(), before);
}
