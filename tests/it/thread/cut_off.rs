//! Calls that the end of a thread cut off: the answer that asks for them is paid, and a thread that goes on makes them.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rye::event::{EventData, Stood, Then};
use rye::process::CancelFlag;
use rye::thread::{Status, Unfinished};
use serde_json::{Value, json};

use super::resume::{check_resumed, resume, resumption};
use super::world::{SCRIPTED, World, call, calls};

const ALL: &str = r#"<execute><tool>rye.file-system.*</tool><tool>demo.*</tool></execute>
    <write resource="filesystem" path="src/**" />"#;

fn world() -> World {
    let world = World::new().unconfined();
    world.directive(ALL, r#"turns="2""#, r#"<output name="note" required="true">A note</output>"#);
    world
}

fn used(mut turn: Value) -> Value {
    turn["usage"] = json!({"input_tokens": 10, "output_tokens": 1});
    turn
}

/// Stopped between two calls of one answer, a thread has one call left; its turns leave no room for another answer.
#[test]
fn a_call_that_did_not_begin_is_made_without_asking_the_model_again() {
    let world = world();
    let write = |path: &str| ("rye_file_system_write", json!({"path": path, "content": "new\n"}));
    let both = calls(&[write("src/1.txt"), write("src/2.txt")]);
    let options = world.options(&[used(both), used(call("directive_return", json!({"note": "n"})))]);
    let cancel = CancelFlag::new();
    let outcome = world.try_run_with(&options, &[], &cancel, |event| {
        if matches!(event.what, EventData::ToolCallStart { .. }) {
            cancel.cancel();
        }
    });
    let outcome = outcome.unwrap();
    assert_eq!((outcome.status, outcome.turns), (Status::Cancelled, 1));
    let resumed = resume(&world, &resumption(&outcome.thread_id, &options, Unfinished::Ask)).unwrap();
    assert_eq!((resumed.status, resumed.turns, resumed.usage.total()), (Status::Completed, 2, 22));
    let events = check_resumed(&world, &resumed);
    let told = events.iter().find_map(|event| match &event.what {
        EventData::ThreadResumed { after, retaken, unfinished, .. } => Some((*after, *retaken, unfinished.len())),
        _ => None,
    });
    assert_eq!(told, Some((Stood::Cancelled, true, 0)));
    assert_eq!(world.git(&["show", &format!("{}:src/2.txt", resumed.branch)]), "new");
}

/// About a call that ran at Ctrl-C a person decides, as about one whose runner was killed.
#[test]
fn a_call_that_ran_when_the_thread_was_stopped_is_unfinished() {
    for (unfinished, then, runs) in [("repeat", Then::Repeat, 2), ("fail", Then::Fail, 1)] {
        let world = world();
        let (ran, go) = (world.path("ran"), world.path("go"));
        let script = "echo >> {ran}; while [ ! -e {go} ]; do sleep 0.02; done; echo went";
        let script = script.replace("{ran}", &ran.display().to_string()).replace("{go}", &go.display().to_string());
        world.tool("demo/waits", &script);
        world.commit("items");
        let mut turns = vec![used(call("demo_waits", json!({}))), used(call("directive_return", json!({"note": "n"})))];
        let file = world.script(&turns).display().to_string();
        let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &file];
        let mut rye = world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while !ran.exists() {
            assert!(began.elapsed() < Duration::from_secs(60), "the script does not run");
            std::thread::sleep(Duration::from_millis(5));
        }
        let sent = std::process::Command::new("kill").args(["-s", "INT", &rye.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(rye.wait().unwrap().code(), Some(5));
        std::fs::write(&go, "").unwrap();
        let (code, refused) = world.rye_json(&["thread", "resume", "@latest", "--script", &file]);
        assert_eq!((code, &refused["error"]["code"]), (3, &json!("unfinished-call")), "{refused}");

        let seen = if unfinished == "fail" { "whether it did its work is not known" } else { "went" };
        turns[1]["expect"] = json!({"contains": [seen]});
        world.script(&turns);
        let args = ["thread", "resume", "@latest", "--script", &file, "--unfinished", unfinished];
        let (code, printed) = world.rye_json(&args);
        assert_eq!((code, &printed["status"], &printed["turns"]), (0, &json!("completed"), &json!(2)), "{printed}");
        let outcome = world.shown(&printed);
        let events = check_resumed(&world, &outcome);
        let told = events.iter().find_map(|event| match &event.what {
            EventData::ThreadResumed { unfinished, retaken, .. } => Some((unfinished[0].then, *retaken)),
            _ => None,
        });
        assert_eq!(told, Some((then, true)));
        assert_eq!(std::fs::read_to_string(&ran).unwrap().lines().count(), runs);
    }
}
