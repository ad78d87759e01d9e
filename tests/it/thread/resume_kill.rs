//! `kill -9` at points of a run that asks a server and calls scripts: taken up again, the thread completes, no answer is asked
//! for twice, and no call that ended is made twice. `KILL_POINTS` says at how many points (`.ci/slow` takes 200).

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rye::event::{Event, EventData};
use serde_json::{Value, json};

use super::resume::check_resumed;
use super::world::World;
use crate::support::http::{Asked, Reply, Server, reply, stream};

const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", "sk-test");

fn points() -> u32 {
    std::env::var("KILL_POINTS").ok().and_then(|points| points.parse().ok()).unwrap_or(12)
}

fn world() -> World {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.*</tool><tool>demo.one</tool></execute>
        <write resource="filesystem" path="notes/**" />"#;
    world.directive(permissions, r#"turns="9" tokens="900000" spend="9.00""#, "");
    let path = world.in_project(".ai/directives/demo/work.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<model ").unwrap();
    let (_, after) = rest.split_once("/>").unwrap();
    world.write_at(&path, &format!("{before}<model tier=\"general\" />{after}"));
    let ran = world.path("ran").display().to_string();
    world.tool(
        "demo/one",
        // One write each: calls run at the same time.
        &format!(r#"mkdir -p notes; input=$(cat); echo "$input" > notes/one; echo "$input" >> {ran}; sleep 0.05"#),
    );
    world.write_at(&world.path("home/.config/rye/config.toml"), "sandbox = \"off\"\n");
    let output = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world.commit("items");
    world
}

/// The number of the turn that is asked for, from 0.
fn turn_of(asked: &Asked) -> usize {
    let messages = asked.body["messages"].as_array().unwrap();
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

fn block(events: &mut Vec<(&'static str, Value)>, index: usize, start: &Value, delta: &Value) {
    let start = json!({"type": "content_block_start", "index": index, "content_block": start});
    events.push(("content_block_start", start));
    events.push(("content_block_delta", json!({"type": "content_block_delta", "index": index, "delta": delta})));
    events.push(("content_block_stop", json!({"type": "content_block_stop", "index": index})));
}

/// Answers: a script and a write, two scripts, a script, then text.
fn answer(asked: &Asked) -> Reply {
    let turn = turn_of(asked);
    let one = |n: u32| ("demo_one", json!({"n": n}));
    let write = ("rye_file_system_write", json!({"path": "notes/a.md", "content": format!("{turn}\n")}));
    let calls = match turn {
        0 => vec![one(1), write],
        1 => vec![one(2), one(3)],
        2 => vec![write, one(4)],
        _ => vec![],
    };
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": null, "usage": usage});
    let mut events = vec![("message_start", json!({"type": "message_start", "message": message}))];
    for (index, (name, input)) in calls.iter().enumerate() {
        let start = json!({"type": "tool_use", "id": format!("toolu_{turn}_{index}"), "name": name, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        block(&mut events, index, &start, &delta);
    }
    if calls.is_empty() {
        block(&mut events, 0, &json!({"type": "text", "text": ""}), &json!({"type": "text_delta", "text": "Done."}));
    }
    let stop = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({"output_tokens": 20});
    events.push(("message_delta", json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage})));
    events.push(("message_stop", json!({"type": "message_stop"})));
    stream(&events)
}

fn start(world: &World, server: &Server, args: &[&str]) -> Child {
    let mut rye = world.rye(args);
    rye.env(KEY.0, KEY.1).env("ANTHROPIC_BASE_URL", server.url());
    rye.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

const RUN: [&str; 3] = ["thread", "run", "demo/work"];

fn threads(world: &World) -> Vec<Value> {
    world.rye_json(&["thread", "list"]).1["threads"].as_array().unwrap().clone()
}

/// Resumes a thread, and checks every promise. Returns whether there was one.
fn goes_on(world: &World, server: &Server, known: usize) -> bool {
    // What a killed run started ends first.
    std::thread::sleep(Duration::from_millis(80));
    let threads = threads(world);
    if threads.len() == known {
        return false;
    }
    let thread_id = threads[0]["thread_id"].as_str().unwrap();
    if threads[0]["status"] == "completed" {
        return false;
    }
    let asked = |server: &Server| {
        let mut asked: BTreeMap<usize, usize> = BTreeMap::new();
        server.asked().iter().for_each(|one| *asked.entry(turn_of(one)).or_default() += 1);
        asked
    };
    let before = asked(server);
    let mut rye = world.rye(&["thread", "resume", thread_id, "--unfinished", "repeat", "--json"]);
    let output = rye.env(KEY.0, KEY.1).env("ANTHROPIC_BASE_URL", server.url()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    let outcome = world.shown(&serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!((outcome.turns, outcome.usage.total()), (4, 120), "each answer is counted once");
    let events = check_resumed(world, &outcome);
    let Some(EventData::ThreadResumed { answered, unfinished, .. }) =
        events.iter().map(|event| &event.what).find(|what| matches!(what, EventData::ThreadResumed { .. }))
    else {
        panic!("{said}")
    };
    let after = asked(server);
    let twice: Vec<usize> = after.iter().filter(|(_, times)| **times > 1).map(|(turn, _)| *turn).collect();
    // The one that was under way when the run was killed, if any.
    let last = before.keys().last().copied();
    assert!(
        twice.is_empty() || !answered && twice.len() == 1 && last == twice.first().copied(),
        "{before:?} {after:?}"
    );
    assert!(after.values().all(|times| *times <= 2), "{after:?}");
    let ran = std::fs::read_to_string(world.path("ran")).unwrap();
    for n in 1..=4 {
        let again = unfinished
            .iter()
            .filter(|call| call.call.contains(&format!("\"n\": {n}")) || call.call.contains(&n.to_string()))
            .count();
        let times = ran.lines().filter(|line| line.contains(&n.to_string())).count();
        assert!((1..=1 + again).contains(&times), "call {n} ran {times} times, {unfinished:?}");
    }
    assert_eq!(world.in_thread(&outcome, "notes/a.md").as_deref(), Some("2\n"));
    assert!(world.in_thread(&outcome, "notes/one").unwrap().contains('4'));
    std::fs::remove_file(world.path("ran")).unwrap();
    true
}

#[test]
fn a_killed_run_is_taken_up_again_and_pays_nothing_twice() {
    let world = world();
    let whole = {
        let (server, began) = (Server::answering(|_, asked| answer(asked)), Instant::now());
        assert!(start(&world, &server, &RUN).wait().unwrap().success());
        assert_eq!(server.asked().len(), 4);
        began.elapsed()
    };
    let mut resumed = 0;
    for point in 0..points() {
        std::fs::remove_file(world.path("ran")).unwrap_or_default();
        let (server, known) = (Server::answering(|_, asked| answer(asked)), threads(&world).len());
        let mut rye = start(&world, &server, &RUN);
        // Golden-ratio steps: spread over the whole run, in no order.
        std::thread::sleep(whole.mul_f64((f64::from(point) * 0.618_033_988_75).fract()));
        rye.kill().unwrap();
        rye.wait().unwrap();
        resumed += u32::from(goes_on(&world, &server, known));
    }
    assert!(resumed > 0, "no point fell into a run");
}

/// The number of events in the log of the thread that runs.
fn logged(world: &World) -> usize {
    let Ok(folder) = std::fs::read_dir(world.in_project(".git/rye/threads")) else { return 0 };
    let newest =
        folder.map(|entry| entry.unwrap().path()).max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    let text = newest.and_then(|path| std::fs::read_to_string(path.join("events.jsonl")).ok()).unwrap_or_default();
    text.lines().filter(|line| serde_json::from_str::<Event>(line).is_ok()).count()
}

/// Right behind each event of the log, which is behind each commit too.
#[test]
fn a_run_killed_behind_any_event_is_taken_up_again() {
    let mut resumed = 0;
    let every = if points() > 12 { 1 } else { 4 };
    for least in (2..26).step_by(every) {
        let world = world();
        let server = Server::answering(|_, asked| answer(asked));
        let mut rye = start(&world, &server, &RUN);
        let began = Instant::now();
        while logged(&world) < least && rye.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(60));
        }
        rye.kill().unwrap();
        rye.wait().unwrap();
        resumed += usize::from(goes_on(&world, &server, 0));
    }
    assert!(resumed > 0);
}

#[test]
fn a_thread_that_its_provider_ended_goes_on_when_it_is_back() {
    let world = world();
    let json = "content-type: application/json";
    let body = r#"{"type": "error", "error": {"type": "authentication_error", "message": "no"}}"#;
    let fails = reply("401 Unauthorized", &[json], body);
    let server = Server::answering(move |_, asked| if turn_of(asked) == 2 { fails.clone() } else { answer(asked) });
    assert_eq!(start(&world, &server, &RUN).wait().unwrap().code(), Some(6));
    let ended = threads(&world)[0].clone();
    assert_eq!((&ended["status"], &ended["error"]["code"]), (&json!("error"), &json!("provider")));
    let said = world.rye(&["thread", "show", ended["thread_id"].as_str().unwrap()]).output().unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).contains("rye thread resume"), "{said:?}");
    let back = Server::answering(|_, asked| answer(asked));
    let mut rye = world.rye(&["thread", "resume", "@latest", "--json"]);
    let output = rye.env(KEY.0, KEY.1).env("ANTHROPIC_BASE_URL", back.url()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let outcome = world.shown(&serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!((outcome.turns, back.asked().len()), (4, 2), "a turn without an answer does not count");
    check_resumed(&world, &outcome);
}
