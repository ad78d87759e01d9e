//! Taking a thread up again whose runner died: after any event, and while a call runs.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rye::event::{Event, EventData, Stood, Then};
use rye::id::ThreadId;
use rye::item::Limits;
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{self, Error, Outcome, ResumeError, ResumeOptions, RunOptions, Status, Unfinished};
use serde_json::{Value, json};

use super::world::{SCRIPTED, Seen, World, call, calls, types, write};

const ALL: &str = r#"<execute><tool>rye.file-system.*</tool><tool>demo.*</tool></execute>
    <write resource="filesystem" path="src/**" />"#;

/// A world with a script that notes each of its runs outside of every tree.
fn world(limits: &str) -> World {
    let world = World::new().unconfined();
    let ran = world.path("ran").display().to_string();
    // Some of its results are too large for a model.
    let script = format!("cat >> {ran}; echo >> {ran}; date > src/date.txt; yes long | head -c 60000");
    world.tool("demo/one", &script);
    world.directive(ALL, limits, r#"<output name="note" required="true">A note</output>"#);
    world.commit("items");
    world
}

/// How often the script ran with each argument.
fn ran(world: &World) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(world.path("ran")).unwrap_or_default();
    let mut ran = BTreeMap::new();
    text.lines().filter(|line| !line.is_empty()).for_each(|line| *ran.entry(line.to_owned()).or_default() += 1);
    ran
}

fn used(mut turn: Value) -> Value {
    turn["usage"] = json!({"input_tokens": 10, "output_tokens": 1});
    turn
}

fn turns() -> Vec<Value> {
    let turns = [
        write("src/1.txt", "1\n"),
        calls(&[
            ("demo_one", json!({"n": 1})),
            ("rye_file_system_write", json!({"path": "src/2.txt", "content": "2\n"})),
            ("demo_one", json!({"n": 2})),
        ]),
        call("directive_return", json!({"note": "done"})),
    ];
    turns.map(used).to_vec()
}

/// Runs a thread whose runner dies after an event; returns the thread, and whether it came to the event.
fn dies_after(world: &World, options: &RunOptions, at: u64) -> (ThreadId, bool) {
    let ctx = world.context(&[]);
    let mut thread_id = None;
    let died = catch_unwind(AssertUnwindSafe(|| {
        let mut seen = Seen(Vec::new(), |event: &Event| {
            thread_id = Some(event.thread_id.clone());
            assert!(event.seq < at, "the runner dies");
        });
        drop(thread::run(&Session::open(&ctx).unwrap(), options, &CancelFlag::new(), &mut seen));
    }));
    (thread_id.unwrap(), died.is_err())
}

/// Shows a thread whose runner died. A process that another test of this process starts at that moment holds the runner's
/// lock, too, until it becomes another program.
fn shown(world: &World, thread_id: &ThreadId) -> Result<Outcome, Error> {
    let ctx = world.context(&[]);
    for _ in 0..1000 {
        match thread::show(&Session::open(&ctx).unwrap(), thread_id) {
            Ok(outcome) if outcome.status == Status::Running => std::thread::sleep(Duration::from_millis(10)),
            shown => return shown,
        }
    }
    panic!("its lock stays held")
}

pub(super) fn resumption(thread_id: &ThreadId, options: &RunOptions, unfinished: Unfinished) -> ResumeOptions {
    let (thread_id, script) = (thread_id.clone(), options.script.clone());
    ResumeOptions { thread_id, script, limits: Limits::default(), patience: None, unfinished }
}

pub(super) fn resume(world: &World, options: &ResumeOptions) -> Result<Outcome, Error> {
    let ctx = world.context(&[]);
    let before = (world.untouched(), world.persons_files());
    let mut seen = Seen(Vec::new(), |_: &Event| ());
    let outcome = thread::resume(&Session::open(&ctx).unwrap(), options, &CancelFlag::new(), &mut seen)?;
    assert_eq!((world.untouched(), world.persons_files()), before, "what is the person's is as it was");
    assert_eq!(world.trees(), Vec::<String>::new(), "the thread's tree is gone");
    Ok(outcome)
}

/// Holds a thread that was taken up again to what holds for every one of them.
pub(super) fn check_resumed(world: &World, outcome: &Outcome) -> Vec<Event> {
    let events = world.events(outcome);
    let (mut open, mut turn) = (Vec::new(), 0);
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event.seq, at as u64);
        assert!(event.turn >= turn, "the numbers of turns only grow");
        turn = event.turn;
        match &event.what {
            EventData::ToolCallStart { call_id, .. } => open.push(call_id.clone()),
            EventData::ToolCallResult { call_id, .. } => assert_eq!(open.remove(0), *call_id),
            EventData::ThreadResumed { .. } => assert_eq!(open, Vec::<String>::new()),
            _ => {}
        }
        if event.what.is_terminal() && at + 1 < events.len() {
            assert!(matches!(events[at + 1].what, EventData::ThreadResumed { .. }), "only that follows an end");
        }
    }
    assert!(events.last().unwrap().what.is_terminal());
    world.check_record(outcome);
    events
}

/// How often each thing was taken up again, and how often unfinished calls were made again.
fn told(events: &[Event]) -> (Vec<Stood>, usize) {
    let resumed = events.iter().filter_map(|event| match &event.what {
        EventData::ThreadResumed { after, unfinished, .. } => Some((*after, unfinished.len())),
        _ => None,
    });
    let (stood, unfinished): (Vec<_>, Vec<_>) = resumed.unzip();
    (stood, unfinished.into_iter().sum())
}

#[test]
fn a_thread_whose_runner_died_after_any_event_goes_on_as_if_nothing_had_happened() {
    let world = world(r#"turns="9""#);
    let options = world.options(&turns());
    let whole = world.try_run(&options).unwrap();
    assert_eq!(whole.status, Status::Completed);
    let (expected, events) = (ran(&world), types(&world.events(&whole)));
    let (mut resumed, mut made_again) = (0, 0);
    for at in 0..events.len() as u64 {
        std::fs::remove_file(world.path("ran")).unwrap_or_default();
        let (thread_id, died) = dies_after(&world, &options, at);
        assert!(died, "after event {at}");
        let Ok(shown) = shown(&world, &thread_id) else { continue };
        assert_eq!(shown.status, Status::Interrupted, "after event {at}");
        let outcome = resume(&world, &resumption(&thread_id, &options, Unfinished::Repeat)).unwrap();
        resumed += 1;
        assert_eq!((outcome.status, &outcome.outputs), (Status::Completed, &whole.outputs), "after event {at}");
        assert_eq!((outcome.turns, outcome.usage), (whole.turns, whole.usage), "no turn was paid twice");
        for (path, content) in [("src/1.txt", "1\n"), ("src/2.txt", "2\n")] {
            assert_eq!(world.in_thread(&outcome, path).as_deref(), Some(content), "after event {at}");
        }
        assert!(world.in_thread(&outcome, "src/date.txt").is_some(), "after event {at}");
        let events = check_resumed(&world, &outcome);
        let (stood, again) = told(&events);
        assert_eq!(stood, [Stood::Interrupted]);
        made_again += again;
        let ran = ran(&world);
        assert!(ran.keys().eq(expected.keys()), "{ran:?}");
        assert!(ran.values().sum::<usize>() <= 2 + again, "after event {at}: {ran:?}");
        let again = resume(&world, &resumption(&thread_id, &options, Unfinished::Repeat));
        assert!(matches!(again, Err(Error::Resume(ResumeError::Completed { .. }))));
    }
    assert!(resumed + 3 > events.len() && made_again > 0, "{resumed} of {}, {made_again}", events.len());
}

#[test]
fn a_thread_that_dies_again_and_again_comes_to_its_end() {
    let world = world(r#"turns="9""#);
    let options = world.options(&turns());
    let (thread_id, _) = dies_after(&world, &options, 5);
    let again = resumption(&thread_id, &options, Unfinished::Repeat);
    let mut deaths = 1;
    // Each runner dies a few events after it took the thread up.
    loop {
        let ctx = world.context(&[]);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut left = 14;
            let mut seen = Seen(Vec::new(), |_: &Event| {
                left -= 1;
                assert!(left > 0, "the runner dies");
            });
            thread::resume(&Session::open(&ctx).unwrap(), &again, &CancelFlag::new(), &mut seen).unwrap()
        }));
        match ended {
            Ok(outcome) => {
                assert_eq!((outcome.status, outcome.turns), (Status::Completed, 3));
                let events = check_resumed(&world, &outcome);
                assert_eq!(told(&events).0.len(), deaths);
                return;
            }
            Err(_) => deaths += 1,
        }
        assert!(deaths < 20, "it never ends");
    }
}

/// A thread killed while its script waits for a file that never appears.
fn killed_in_a_call(world: &World) -> (ThreadId, Vec<Value>) {
    let (noted, go) = (world.path("ran").display().to_string(), world.path("go").display().to_string());
    world.tool(
        "demo/waits",
        // Noted by one write: the script may be ended right after.
        &format!("given=$(cat); echo \"$given\" >> {noted}; while [ ! -e {go} ]; do sleep 0.02; done; echo went"),
    );
    let turns = vec![used(call("demo_waits", json!({"n": 1}))), used(call("directive_return", json!({"note": "n"})))];
    let script = world.script(&turns).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let mut rye = world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while ran(world).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "the script does not run");
        std::thread::sleep(Duration::from_millis(5));
    }
    rye.kill().unwrap();
    rye.wait().unwrap();
    // What it started goes on without it, and holds nothing of the thread's.
    std::fs::write(&go, "").unwrap();
    let (_, listed) = world.rye_json(&["thread", "list"]);
    (listed["threads"][0]["thread_id"].as_str().unwrap().parse().unwrap(), turns)
}

#[test]
fn about_a_call_that_had_begun_and_not_ended_somebody_decides() {
    for (unfinished, then, runs) in [("repeat", Then::Repeat, 2), ("fail", Then::Fail, 1)] {
        let world = world(r#"turns="9""#);
        let (thread_id, mut turns) = killed_in_a_call(&world);
        let before = (world.git(&["for-each-ref"]), world.events_of(&thread_id));
        let script = world.script(&turns).display().to_string();
        let resume = ["thread", "resume", thread_id.as_str(), "--script", &script];
        let (code, refused) = world.rye_json(&resume);
        assert_eq!((code, &refused["error"]["code"]), (3, &json!("unfinished-call")), "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("`run demo/waits") || message.contains("demo/waits"), "{message}");
        assert_eq!((world.git(&["for-each-ref"]), world.events_of(&thread_id)), before, "nothing changed");

        let seen = if unfinished == "fail" { "whether it did its work is not known" } else { "went" };
        turns[1]["expect"] = json!({"contains": [seen]});
        world.script(&turns);
        let (code, printed) = world.rye_json(&[&resume[..], &["--unfinished", unfinished]].concat());
        assert_eq!((code, &printed["status"]), (0, &json!("completed")), "{printed}");
        let outcome = world.shown(&printed);
        let events = check_resumed(&world, &outcome);
        let EventData::ThreadResumed { unfinished, answered, turn, .. } =
            &events.iter().find(|event| matches!(event.what, EventData::ThreadResumed { .. })).unwrap().what
        else {
            panic!()
        };
        assert_eq!((unfinished.len(), unfinished[0].then, *answered, *turn), (1, then, true, 0));
        assert_eq!(ran(&world).values().sum::<usize>(), runs);
        let subjects = world.log(&outcome, "%s");
        assert_eq!(subjects[1], "resume: demo/work after turn 0");
    }
}

#[test]
fn what_a_hook_did_is_not_done_again() {
    let world = world(r#"turns="9""#);
    let hook =
        "<hooks><hook><when>after_tool</when><execute item_type=\"tool\">one</execute><inputs></inputs></hook></hooks>";
    world.extended("work", "", hook, ALL);
    let options = world.options(&[write("src/1.txt", "1\n"), write("src/2.txt", "2\n"), json!({"text": "Done."})]);
    let whole = world.try_run(&options).unwrap();
    assert_eq!((whole.status, ran(&world).values().sum::<usize>()), (Status::Completed, 2));
    // After each event behind the start.
    for at in 2..types(&world.events(&whole)).len() as u64 {
        std::fs::remove_file(world.path("ran")).unwrap();
        let (thread_id, _) = dies_after(&world, &options, at);
        let outcome = resume(&world, &resumption(&thread_id, &options, Unfinished::Ask)).unwrap();
        assert_eq!((outcome.status, outcome.turns), (Status::Completed, 3), "after event {at}");
        check_resumed(&world, &outcome);
        assert_eq!(ran(&world).values().sum::<usize>(), 2, "after event {at}");
    }
}

#[test]
fn a_thread_in_the_archive_comes_back() {
    let world = world(r#"turns="9""#);
    let cancel = CancelFlag::new();
    let options = world.options(&turns());
    let outcome = world.try_run_with(&options, &[], &cancel, |event| {
        if event.seq == 8 {
            cancel.cancel();
        }
    });
    let outcome = outcome.unwrap();
    let archived = format!("refs/rye/archive/{}", outcome.thread_id);
    world.git(&["update-ref", &archived, &outcome.branch]);
    world.git(&["update-ref", "-d", &outcome.branch]);
    let resumed = resume(&world, &resumption(&outcome.thread_id, &options, Unfinished::Ask)).unwrap();
    assert_eq!((resumed.status, &resumed.branch), (Status::Completed, &outcome.branch));
    assert_eq!(world.git(&["for-each-ref", &archived]), "");
    check_resumed(&world, &resumed);
}

#[test]
fn the_log_and_the_journal_are_no_way_to_tell_a_model_something() {
    let world = world(r#"turns="9""#);
    let options = world.options(&turns());
    let (thread_id, _) = dies_after(&world, &options, 11);
    let folder = world.in_project(".git/rye/threads").join(thread_id.as_str());
    let journal = std::fs::read_to_string(folder.join("journal")).unwrap();
    assert!(journal.contains("demo_one"), "{journal}");
    let resumption = resumption(&thread_id, &options, Unfinished::Repeat);
    let heads = world.git(&["for-each-ref"]);
    for forged in [
        journal.replacen("src/2.txt", "src/x.txt", 1),
        journal.lines().map(|line| format!("{}\n", line.split_once(' ').unwrap().1)).collect(),
        format!("{journal}{{}}\n"),
    ] {
        std::fs::write(folder.join("journal"), forged).unwrap();
        let refused = resume(&world, &resumption);
        assert!(matches!(refused, Err(Error::Resume(ResumeError::Journal { .. }))), "{refused:?}");
        assert_eq!(world.git(&["for-each-ref"]), heads);
    }
    // An incomplete line is not an event, and lines of the log without a commit are derived anew.
    std::fs::write(folder.join("journal"), format!("{journal}AAAA")).unwrap();
    let log = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
    std::fs::write(folder.join("events.jsonl"), log.replace("src/2.txt", "src/x.txt") + "{\"v\":1,\"se").unwrap();
    let outcome = resume(&world, &resumption).unwrap();
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(world.in_thread(&outcome, "src/2.txt").as_deref(), Some("2\n"));
    assert_eq!(world.in_thread(&outcome, "src/x.txt"), None);
    check_resumed(&world, &outcome);
}

#[test]
fn a_commit_that_the_agent_did_not_sign_is_no_past() {
    let world = world(r#"turns="9""#);
    let options = world.options(&turns());
    let (thread_id, _) = dies_after(&world, &options, 7);
    let shown = thread::show(&Session::open(&world.context(&[])).unwrap(), &thread_id).unwrap();
    world.tamper(&shown, &[], &format!("turn 2: text\n\nRye-Thread: {thread_id}\nRye-Turn: 2"));
    let refused = resume(&world, &resumption(&thread_id, &options, Unfinished::Repeat));
    assert!(matches!(refused, Err(Error::Commit { .. })), "{refused:?}");
}

#[test]
fn a_thread_is_taken_up_by_one_runner() {
    let world = world(r#"turns="9""#);
    let (thread_id, turns) = killed_in_a_call(&world);
    std::fs::remove_file(world.path("go")).unwrap();
    std::fs::remove_file(world.path("ran")).unwrap();
    let script = world.script(&turns).display().to_string();
    let resume = ["thread", "resume", thread_id.as_str(), "--script", &script, "--unfinished", "repeat"];
    let mut first = world.rye(&resume).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while ran(&world).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "the script does not run");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (code, refused) = world.rye_json(&resume);
    let message = format!("thread `{thread_id}` is running (process {})", first.id());
    assert_eq!((code, &refused["error"]["message"]), (1, &json!(message)));
    std::fs::write(world.path("go"), "").unwrap();
    assert!(first.wait().unwrap().success());
}

#[test]
fn what_the_thread_began_with_is_there_again() {
    let world = world(r#"turns="9""#);
    world.write("src/mine.txt", "mine\n");
    let options = RunOptions { with_changes: true, ..world.options(&turns()) };
    let (thread_id, _) = dies_after(&world, &options, 9);
    world.write("src/mine.txt", "mine, later\n");
    let outcome = resume(&world, &resumption(&thread_id, &options, Unfinished::Repeat)).unwrap();
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(world.in_thread(&outcome, "src/mine.txt").as_deref(), Some("mine\n"));
    check_resumed(&world, &outcome);
}

#[test]
fn a_token_whose_time_is_over_is_issued_again_with_the_same_content() {
    let world = world(r#"turns="9""#);
    let options = world.options(&turns());
    let (thread_id, _) = dies_after(&world, &options, 7);
    let script = options.script.unwrap().display().to_string();
    let args = ["thread", "resume", thread_id.as_str(), "--script", &script, "--unfinished", "repeat", "--json"];
    let output = world.rye(&args).env("RYE_NOW", "2041-01-01T00:00:00Z").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let outcome = world.shown(&serde_json::from_slice(&output.stdout).unwrap());
    let tokens = |commit: &str| -> Value {
        let path = format!("{commit}:.ai/threads/{thread_id}/token.json");
        serde_json::from_str(&world.git(&["show", &path])).unwrap()
    };
    let (first, last) = (tokens(&world.log(&outcome, "%H")[0]), tokens(&outcome.branch));
    assert_ne!(first, last);
    for member in ["capabilities", "paths", "limits", "directive", "thread_id"] {
        assert_eq!(first[0][member], last[0][member]);
    }
    check_resumed(&world, &outcome);
}

#[test]
fn in_its_persons_tree_a_thread_goes_on_with_what_it_left_there() {
    let world = world(r#"turns="9""#);
    let mut turns = turns();
    turns.insert(2, used(write("src/1.txt", "again\n")));
    turns.insert(3, used(write("src/a.txt", "a thread's\n")));
    let options = RunOptions { in_place: true, ..world.options(&turns) };
    let (thread_id, died) = dies_after(&world, &options, 11);
    assert!(died && world.read("src/1.txt") == "1\n");
    // What its person changes meanwhile is theirs.
    world.write("src/a.txt", "a person's\n");
    let ctx = world.context(&[]);
    let mut seen = Seen(Vec::new(), |_: &Event| ());
    let resumption = resumption(&thread_id, &options, Unfinished::Repeat);
    let outcome = thread::resume(&Session::open(&ctx).unwrap(), &resumption, &CancelFlag::new(), &mut seen).unwrap();
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!((world.read("src/1.txt").as_str(), world.read("src/2.txt").as_str()), ("again\n", "2\n"));
    assert_eq!(world.read("src/a.txt"), "a person's\n");
    let events = check_resumed(&world, &outcome);
    let refused = events.iter().any(|event| {
        matches!(&event.what, EventData::ToolCallResult { output, .. } if output["error"]["code"] == "uncommitted_changes")
    });
    assert!(refused, "the person's change is not written over");
}

#[test]
fn a_thread_that_was_taken_up_again_is_forked_and_listed_like_any_other() {
    let world = world(r#"turns="9""#);
    let options = world.options(&turns());
    let (thread_id, _) = dies_after(&world, &options, 7);
    let (_, listed) = world.rye_json(&["thread", "list"]);
    assert_eq!(listed["threads"][0]["status"], json!("interrupted"));
    let hint = world.rye(&["thread", "list"]).output().unwrap();
    let hint = String::from_utf8_lossy(&hint.stderr).into_owned();
    assert!(hint.contains(&format!("`rye thread resume {thread_id}` goes on")), "{hint}");
    let outcome = resume(&world, &resumption(&thread_id, &options, Unfinished::Repeat)).unwrap();
    let subjects = world.log(&outcome, "%s");
    assert_eq!(subjects[2], "resume: demo/work after turn 1");
    assert_eq!(&subjects[3][..7], "turn 3:", "{subjects:?}");
    let script = world.script(&turns()).display().to_string();
    let args = ["thread", "fork", thread_id.as_str(), "--turn", "3", "--script", &script];
    let (code, forked) = world.rye_json(&args);
    assert_eq!((code, &forked["status"], &forked["turns"]), (0, &json!("completed"), &json!(3)), "{forked}");
    let shown = world.rye(&["thread", "show", thread_id.as_str()]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("resumed after turn 1 (interrupted)"), "{shown}");
}

/// The lock of its branch that a runner left behind has no owner: its own lock is free.
#[test]
fn a_lock_that_a_dead_runner_left_on_the_branch_is_taken_away() {
    let world = world(r#"turns="9" tokens="900000" spend="9.00""#);
    let options = world.options(&turns());
    let (thread_id, has_died) = dies_after(&world, &options, 12);
    let lock = world.in_project(&format!(".git/refs/heads/rye/threads/{thread_id}.lock"));
    std::fs::write(&lock, "").unwrap();
    let outcome = resume(&world, &resumption(&thread_id, &options, Unfinished::Repeat)).unwrap();
    assert!(has_died && outcome.status == Status::Completed && !lock.exists());
}
