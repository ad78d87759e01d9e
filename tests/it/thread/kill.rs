//! `kill -9` at fifty points of a run: the result is a repository that git accepts and a thread with a known state.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rye::event::Event;
use rye::id::ThreadId;
use rye::session::Session;
use rye::thread::{self, Error, Outcome, ReplayStatus, Status};
use serde_json::json;

use super::world::{SCRIPTED, World, calls, text};

const POINTS: u32 = 50;

/// How a killed thread shows.
#[derive(Debug, PartialEq)]
enum Shown {
    Nothing,
    Unknown,
    Interrupted,
    Completed,
}

/// The threads whose log was begun.
fn begun(world: &World) -> BTreeSet<ThreadId> {
    let Ok(folder) = std::fs::read_dir(world.in_project(".git/rye/threads")) else { return BTreeSet::new() };
    folder.map(|entry| entry.unwrap().file_name().to_str().unwrap().parse().unwrap()).collect()
}

/// Parses the log of record: whole lines, then at most one torn one.
pub(super) fn log(world: &World, thread_id: &ThreadId) -> Vec<Event> {
    let path = world.in_project(".git/rye/threads").join(thread_id.as_str()).join("events.jsonl");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let events: Vec<Event> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().enumerate().all(|(at, event)| event.seq == at as u64));
    events
}

/// Shows a thread whose runner is dead. A tool's process that was just being started holds the runner's files until it
/// is a program of its own, so the thread may look alive for a moment.
fn settled(session: &Session, thread_id: &ThreadId) -> Result<Outcome, Error> {
    let died = Instant::now();
    loop {
        let shown = thread::show(session, thread_id)?;
        if shown.status != Status::Running || died.elapsed() > Duration::from_secs(5) {
            return Ok(shown);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Tells the state of the thread of a killed run, and holds it to its record.
fn shown(world: &World, thread_id: &ThreadId) -> Shown {
    let ctx = world.context(&[]);
    let branch = format!("refs/heads/rye/threads/{thread_id}");
    let subject = world.try_git_in(world.project, &["log", "-1", "--format=%s", &branch, "--"]);
    let events = log(world, thread_id);
    match settled(&Session::open(&ctx).unwrap(), thread_id) {
        Err(Error::Unknown { .. }) => {
            assert!(!subject.status.success(), "the branch of {thread_id} exists");
            Shown::Unknown
        }
        Ok(outcome) => {
            let over = subject.stdout == b"end: completed\n";
            assert_eq!(outcome.status, if over { Status::Completed } else { Status::Interrupted });
            let committed = world.log(&outcome, "%(trailers:key=Rye-Turn,valueonly,separator=%x2c)").len();
            assert!(committed <= events.len(), "what is committed was logged before");
            assert_eq!(over, events.last().unwrap().what.is_terminal() && committed == 5);
            let replay = thread::replay(&Session::open(&ctx).unwrap(), thread_id).unwrap();
            assert_eq!((replay.status, replay.has_ended), (ReplayStatus::Same, over), "{replay:#?}");
            if over { Shown::Completed } else { Shown::Interrupted }
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_killed_run_leaves_a_repository_and_a_thread_that_can_be_told() {
    let world = World::new();
    world.tool("demo/one", "date > src/a.txt");
    let permissions = r#"<execute><tool>demo.one</tool></execute><write resource="filesystem" path="src/**" />"#;
    world.directive(permissions, r#"turns="9""#, "");
    world.commit("items");
    let one = calls(&[("demo_one", json!({}))]);
    let script = world.script(&[one.clone(), one, text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let start = || world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let whole = (0..3).map(|_| {
        let started = Instant::now();
        assert!(start().wait().unwrap().success());
        started.elapsed()
    });
    let whole = whole.max().unwrap_or(Duration::from_millis(100));

    let mut kinds = Vec::new();
    for point in 0..POINTS {
        let before = begun(&world);
        let mut rye = start();
        // Golden-ratio steps: spread over the whole run, in no order.
        let part = (f64::from(point) * 0.618_033_988_75).fract();
        std::thread::sleep(whole.mul_f64(part));
        rye.kill().unwrap();
        rye.wait().unwrap();
        let new: Vec<ThreadId> = begun(&world).difference(&before).cloned().collect();
        kinds.push(match new.as_slice() {
            [] => Shown::Nothing,
            [thread_id] => shown(&world, thread_id),
            more => panic!("{more:?}"),
        });
        let fsck = world.try_git_in(world.project, &["fsck", "--strict", "--no-dangling"]);
        assert!(fsck.status.success() && fsck.stdout.is_empty(), "{}", String::from_utf8_lossy(&fsck.stderr));
    }
    assert!(kinds.contains(&Shown::Interrupted), "no point fell into a run: {kinds:?}");
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
    let ctx = world.context(&[]);
    let listed = thread::list(&Session::open(&ctx).unwrap()).unwrap().threads.len();
    let told = kinds.iter().filter(|kind| matches!(kind, Shown::Interrupted | Shown::Completed)).count();
    assert_eq!(listed, told + 3);
    // Leftovers do not break a later run.
    let again = world.run(&[calls(&[("demo_one", json!({}))]), text("Done.")]);
    assert_eq!(again.status, Status::Completed);
}
