//! The guide, as the README has it run: the whole record, judged by stock git.

use rye::event::EventData;
use rye::item::Limits;
use rye::ops::execute::Given;
use rye::thread::{RunOptions, Status};
use serde_json::json;

use super::world::{World, types};

fn guide() -> RunOptions {
    RunOptions {
        directive: "rye/guides/first_thread".parse().unwrap(),
        given: Given { pairs: vec![("topic".to_owned(), "signing".to_owned())], ..Given::default() },
        provider: None,
        model: None,
        script: None,
        limits: Limits::default(),
        patience: None,
        caller: None,
        granted: None,
        with_changes: false,
        rerun_of: None,
        words_of: None,
        in_place: false,
    }
}

#[test]
fn the_guide_is_a_history_that_stock_git_shows_and_verifies() {
    let world = World::new();
    let before = world.untouched();
    let outcome = world.try_run(&guide()).unwrap();

    assert_eq!(outcome.status, Status::Completed);
    let note =
        "This note was written by a thread. To learn about signing, run:\nrye execute knowledge rye/guides/signing";
    assert_eq!(json!(outcome.outputs), json!({"note": note, "source": "builtin:knowledge/rye/guides/signing.md"}));
    assert_eq!(outcome.turns, 6);
    assert_eq!((outcome.spend.amount.as_str(), outcome.spend.currency.as_str()), ("0.00", "USD"));
    assert_eq!(outcome.branch, format!("refs/heads/rye/threads/{}", outcome.thread_id));
    assert_eq!(outcome.base.as_ref().unwrap().to_string(), world.git(&["rev-parse", "main"]));
    assert_eq!(outcome.identity.as_deref(), Some("Ada <ada@example.org>"));
    assert_eq!(outcome.keys_created.len(), 1, "the agent's; the person signed nothing");

    let subjects = [
        "start: rye/guides/first_thread",
        "turn 1: execute rye/file-system/read",
        "turn 2: load rye/guides/signing",
        "turn 3: execute rye/file-system/write",
        "turn 4: execute rye/file-system/write (refused)",
        "turn 5: execute rye/file-system/read",
        "turn 6: directive_return",
        "end: completed",
    ];
    assert_eq!(world.log(&outcome, "%s"), subjects);
    assert_eq!(world.log(&outcome, "%cn <%ce>"), vec!["Ada <ada@example.org>"; 8]);
    assert_eq!(world.log(&outcome, "%an <%ae>"), vec!["steps <ada@example.org>"; 8]);
    assert_eq!(
        world.log(&outcome, "%(trailers:key=Rye-Turn,valueonly,separator=%x2c)"),
        ["0", "1", "2", "3", "4", "5", "6", "7"]
    );
    let status = world.log(&outcome, "%(trailers:key=Rye-Status,valueonly,separator=%x2c)");
    assert_eq!(status[..7], ["running"; 7]);
    assert_eq!(status[7], "completed");
    let mut changed = vec![Vec::new(); 8];
    changed[3].push("notes/signing.md".to_owned());
    assert_eq!(world.changed(&outcome), changed);
    assert_eq!(world.in_thread(&outcome, "notes/signing.md").unwrap(), note);

    let commits = world.log(&outcome, "%H");
    world.verify_commits(&outcome, &commits.iter().map(String::as_str).collect::<Vec<_>>());

    assert_eq!(world.untouched(), before);
}

#[test]
fn the_refusal_is_on_record() {
    let world = World::new();
    let outcome = world.try_run(&guide()).unwrap();
    let events = world.events(&outcome);
    let denials: Vec<_> =
        events.iter().filter(|event| matches!(event.what, EventData::PermissionDenied { .. })).collect();
    let [denial] = denials.as_slice() else { panic!("{denials:?}") };
    assert_eq!(denial.turn, 4);
    let denied = serde_json::to_value(&denial.what).unwrap();
    assert_eq!(denied["data"]["message"], "no permission to write `overstep.md`: no declared path covers it");
    let of_turn = |turn| types(&events.iter().filter(|event| event.turn == turn).cloned().collect::<Vec<_>>());
    assert_eq!(of_turn(0), ["thread_start", "user_message"]);
    assert_eq!(
        of_turn(4),
        ["step_start", "assistant_text", "tool_call_start", "permission_denied", "tool_call_result", "step_finish"]
    );
    assert_eq!(of_turn(7), ["thread_complete"]);
    let transcript = world.thread_file(&outcome, "transcript.md");
    assert!(transcript.starts_with("# rye/guides/first_thread\n\nThread `first_thread-"), "{transcript}");
    assert!(transcript.contains("  refused: no permission to write `overstep.md`"), "{transcript}");
    assert!(transcript.ends_with("0.00 USD\n"), "{transcript}");
}

#[test]
fn a_second_run_is_as_clean_as_the_first() {
    let world = World::new();
    let first = world.try_run(&guide()).unwrap();
    let second = world.try_run(&guide()).unwrap();
    assert_ne!(first.branch, second.branch);
    assert_eq!(second.keys_created.len(), 0);
    assert_eq!((second.status, second.base, second.outputs), (Status::Completed, first.base, first.outputs));
}
