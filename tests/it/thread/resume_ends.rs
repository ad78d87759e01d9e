//! Which ends of a thread need not be its last.

use rye::event::{EventData, Stood};
use rye::item::Limits;
use rye::process::CancelFlag;
use rye::thread::{Error, Outcome, ResumeError, ResumeOptions, RunOptions, Status, Unfinished};
use serde_json::{Value, json};

use super::resume::{check_resumed, resume, resumption};
use super::world::{FILES, World, call, text, write};

fn list() -> Value {
    let mut list = call("rye_file_system_list", json!({}));
    list["usage"] = json!({"input_tokens": 10, "output_tokens": 1});
    list
}

fn run_stopped(world: &World, limits: Limits, turns: &[Value]) -> (Outcome, RunOptions) {
    let options = RunOptions { limits, ..world.options(turns) };
    (world.try_run(&options).unwrap(), options)
}

fn raised(outcome: &Outcome, options: &RunOptions, limits: Limits) -> ResumeOptions {
    ResumeOptions { limits, ..resumption(&outcome.thread_id, options, Unfinished::Ask) }
}

fn of_turns(turns: u32) -> Limits {
    Limits { turns: Some(turns), ..Limits::default() }
}

#[test]
fn a_limit_that_the_caller_raises_lets_the_thread_go_on() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    let script = [list(), write("src/1.txt", "1\n"), list(), text("Done.")];
    let (stopped, options) = run_stopped(&world, of_turns(2), &script);
    assert_eq!((stopped.status, stopped.turns), (Status::Error, 2));
    let refused = resume(&world, &raised(&stopped, &options, Limits::default()));
    let Err(Error::Resume(ResumeError::LimitStands { limit, value, .. })) = refused else { panic!("{refused:?}") };
    assert_eq!((limit.as_str(), value.as_str()), ("turns", "2"));
    let outcome = resume(&world, &raised(&stopped, &options, of_turns(4))).unwrap();
    assert_eq!((outcome.status, outcome.turns, outcome.usage.total()), (Status::Completed, 4, 22));
    assert!(outcome.error.is_none() && outcome.thread_id == stopped.thread_id);
    let subjects = world.log(&outcome, "%s");
    let expected =
        ["end: error", "resume: demo/work after turn 3", "turn 5: execute rye/file-system/list", "turn 6: text"];
    assert_eq!(subjects[3..7], expected);
    assert_eq!(subjects.last().unwrap(), "end: completed");
    let events = check_resumed(&world, &outcome);
    let resumed = events.iter().find_map(|event| match &event.what {
        EventData::ThreadResumed { after, limits, .. } => Some((*after, limits["turns"].clone())),
        _ => None,
    });
    assert_eq!(resumed, Some((Stood::Limit, json!("4"))));
    // The end, which took number 3, is not a turn.
    let shown = world.rye(&["thread", "show", "@latest"]).output().unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("resumed after turn 2 (limit)") && shown.contains("Turn 5"), "{shown}");
    let record: Value = serde_json::from_str(&world.thread_file(&outcome, "thread.json")).unwrap();
    assert_eq!((&record["limits"]["turns"], &record["status"]), (&json!("4"), &json!("completed")));
}

#[test]
fn the_limits_of_the_directive_hold_all_the_same() {
    let world = World::new();
    world.directive(FILES, r#"turns="2""#, "");
    let (stopped, options) = run_stopped(&world, Limits::default(), &[list(), list(), text("Done.")]);
    let refused = resume(&world, &raised(&stopped, &options, of_turns(9)));
    assert!(matches!(refused, Err(Error::Resume(ResumeError::LimitStands { .. }))), "{refused:?}");
    let (code, error) = world.rye_json(&["thread", "resume", "@latest", "--script", "../script.jsonl"]);
    assert_eq!((code, &error["error"]["code"]), (5, &json!("limit")), "{error}");
}

/// Near its limit on tokens a thread has the provider count before it stops: that is not a reason to go on.
#[test]
fn a_limit_that_was_estimated_is_refused_before_anything_is_written() {
    let world = World::new();
    world.directive(FILES, r#"turns="9" tokens="20000""#, "");
    let mut full = list();
    full["usage"] = json!({"input_tokens": 19_980, "output_tokens": 1});
    let script = [full, text("Done.")];
    let (stopped, options) = run_stopped(&world, Limits::default(), &script);
    assert_eq!((stopped.turns, stopped.error.as_ref().unwrap().code.as_str()), (1, "limit"));
    let subjects = world.log(&stopped, "%s");
    let refused = resume(&world, &raised(&stopped, &options, Limits::default()));
    let Err(Error::Resume(ResumeError::LimitStands { limit, value, most, .. })) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((limit.as_str(), value.as_str(), most), ("tokens", "20000", None));
    // The directive allows no more, whatever is asked for.
    let args = ["thread", "resume", "@latest", "--script", "../script.jsonl", "--limit", "tokens=90000"];
    let (code, error) = world.rye_json(&args);
    assert_eq!((code, &error["error"]["code"]), (5, &json!("limit")), "{error}");
    let hint = error["error"]["hints"].to_string();
    assert!(hint.contains("raise `tokens` there") && hint.contains("rye thread rerun"), "{error}");
    assert_eq!(world.log(&stopped, "%s"), subjects, "nothing is written");

    let lower = Limits { tokens: Some(19_990), ..Limits::default() };
    let (stopped, options) = run_stopped(&world, lower, &script);
    let subjects = world.log(&stopped, "%s");
    let (code, error) = world.rye_json(&["thread", "resume", "@latest", "--script", "../script.jsonl"]);
    let hint = error["error"]["hints"].to_string();
    let command = format!("rye thread resume {} --limit tokens=20000", stopped.thread_id);
    assert!(code == 5 && hint.contains(&command), "{error}");
    assert_eq!(world.log(&stopped, "%s"), subjects, "nothing is written");
    // A limit that is raised and leaves no room all the same may be counted again.
    let more = Limits { tokens: Some(19_995), ..Limits::default() };
    let outcome = resume(&world, &raised(&stopped, &options, more)).unwrap();
    assert_eq!(outcome.error.as_ref().unwrap().code, "limit");
    check_resumed(&world, &outcome);
}

#[test]
fn a_thread_that_was_stopped_goes_on() {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    // Stopped before the model is asked, while it is, before a call and after a turn.
    for at in 0..9 {
        let options = world.options(&[write("src/1.txt", "1\n"), list(), text("Done.")]);
        let cancel = CancelFlag::new();
        let outcome = world.try_run_with(&options, &[], &cancel, |event| {
            if event.seq == at {
                cancel.cancel();
            }
        });
        let outcome = outcome.unwrap();
        assert_eq!(outcome.status, Status::Cancelled, "at event {at}");
        // A scripted provider goes on with the line after the last one that was said.
        let resumed = resume(&world, &raised(&outcome, &options, Limits::default())).unwrap();
        assert_eq!((resumed.status, resumed.turns), (Status::Completed, 3), "at event {at}");
        check_resumed(&world, &resumed);
    }
}

#[test]
fn what_came_from_the_model_is_an_end() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, r#"<output name="note" required="true">A note</output>"#);
    let turns = [text("a"), text("b"), text("c"), text("d")];
    let (outcome, options) = run_stopped(&world, Limits::default(), &turns);
    assert_eq!(outcome.error.as_ref().unwrap().code, "missing_outputs");
    let refused = resume(&world, &raised(&outcome, &options, Limits::default()));
    assert!(matches!(refused, Err(Error::Resume(ResumeError::NotResumable { .. }))), "{refused:?}");
    let (code, error) = world.rye_json(&["thread", "resume", "@latest", "--script", "../script.jsonl"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("not-resumable")), "{error}");
    // Without its script a scripted thread cannot go on.
    let (stopped, _) = run_stopped(&world, of_turns(1), &turns);
    let (code, error) = world.rye_json(&["thread", "resume", stopped.thread_id.as_str(), "--limit", "turns=2"]);
    assert_eq!((code, &error["error"]["code"]), (2, &json!("no-script")), "{error}");
}
