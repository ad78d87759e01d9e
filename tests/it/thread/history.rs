//! Reading a thread's record from its branch, also a damaged one.

use rye::id::ThreadId;
use rye::session::Session;
use rye::thread::{Content, Error, History, Outcome};
use serde_json::json;

use super::world::{FILES, World, text, write};

fn world() -> (World, Outcome) {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    world.commit("items");
    let outcome = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    (world, outcome)
}

fn read(world: &World, outcome: &Outcome) -> Result<History, Error> {
    History::read(&Session::open(&world.context(&[])).unwrap(), &outcome.thread_id)
}

#[test]
fn the_branch_gives_back_every_event_and_change() {
    let (world, outcome) = world();
    let history = read(&world, &outcome).unwrap();
    assert_eq!(history.events().cloned().collect::<Vec<_>>(), world.events(&outcome));
    assert_eq!(history.warnings, Vec::<String>::new());
    let commits: Vec<String> = history.commits.iter().map(|commit| commit.commit_id.to_string()).collect();
    assert_eq!(commits, world.log(&outcome, "%H"));
    assert_eq!(history.commits.iter().map(|commit| commit.turn).collect::<Vec<_>>(), [0, 1, 2, 3].map(Some));
    assert_eq!(
        history.turns.iter().map(|turn| (turn.turn, turn.commit)).collect::<Vec<_>>(),
        [(0, Some(0)), (1, Some(1)), (2, Some(2)), (3, Some(3))]
    );
    assert_eq!(history.base(), outcome.base.as_ref());
    assert_eq!((history.directive().id.as_str(), history.inputs().len()), ("demo/work", 0));
    assert_eq!(json!(history.outcome)["status"], "completed");
    let session = Session::open(&world.context(&[])).unwrap();
    let repository = session.project().require_repository().unwrap();
    let changes = history.commits.iter().map(|commit| history.changes(&repository, commit).unwrap());
    let paths: Vec<Vec<String>> = changes.map(|each| each.into_iter().map(|change| change.path).collect()).collect();
    assert_eq!(paths, world.changed(&outcome));
    assert_eq!(paths[1], ["src/a.txt"]);
}

#[test]
fn what_is_damaged_is_named_and_the_rest_is_read() {
    let (world, outcome) = world();
    let turn = world.thread_file(&outcome, "turns/00/0001.jsonl");
    let foreign = turn.lines().next().unwrap().replace("step_start", "telepathy");
    let half = &turn[..turn.len() / 2];
    world.tamper(
        &outcome,
        &[
            ("turns/00/0001.jsonl", half),
            ("turns/00/0002.jsonl", &format!("{foreign}\n")),
            ("turns/00/notes.txt", ""),
            ("thread.json", "{"),
        ],
        "mine\n\nRye-Turn: 1",
    );
    let history = read(&world, &outcome).unwrap();
    assert_eq!((history.commits.len(), history.turns.len()), (5, 4));
    assert_eq!(history.commits[4].turn, None, "only a commit that names the thread has a turn of it");
    let [unknown] = history.turns[2].lines.as_slice() else { panic!("{:?}", history.turns[2]) };
    assert!(matches!(&unknown.content, Content::Unknown { kind } if kind == "telepathy"), "{unknown:?}");
    assert_eq!(unknown.text, foreign);
    assert!(matches!(history.turns[1].lines.last().unwrap().content, Content::Broken));
    assert!(history.events().count() > 3);
    let told = history.warnings.join("\n");
    for part in [
        "names no turn of this thread",
        "`thread.json` of the last commit cannot be read",
        "notes.txt` is not a file of a turn",
        "turn 1 has 1 line that is not JSON",
        "turn 2 has an event of unknown type `telepathy`",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn a_thread_that_is_not_there_or_has_no_record_is_unknown() {
    let (world, outcome) = world();
    let other = outcome.branch.replace("work-", "other-");
    world.git(&["branch", other.trim_start_matches("refs/heads/"), "main"]);
    let session = Session::open(&world.context(&[])).unwrap();
    for id in [other.rsplit('/').next().unwrap(), "nothing"] {
        let error = History::read(&session, id.parse::<ThreadId>().unwrap()).unwrap_err();
        assert!(matches!(error, Error::Unknown { .. }), "{id}: {error}");
    }
}
