//! Naming threads and forgetting them.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rye::session::Session;
use rye::thread::{self, Outcome};
use serde_json::json;

use super::world::{FILES, SCRIPTED, World, call, text, write};

fn threads(count: usize) -> (World, Vec<Outcome>) {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    world.commit("items");
    let outcomes = (0..count).map(|_| world.run(&[write("src/a.txt", "b\n"), text("Done.")])).collect();
    (world, outcomes)
}

/// The branches and the logs of threads that are there.
fn there(world: &World) -> (Vec<String>, Vec<String>) {
    let branches = world.git(&["for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/rye/threads/"]);
    let folder = std::fs::read_dir(world.in_project(".git/rye/threads")).unwrap();
    let mut logs: Vec<String> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    logs.sort();
    (branches.lines().map(str::to_owned).collect(), logs)
}

#[test]
fn a_thread_is_named_by_id_beginning_branch_or_as_the_latest() {
    let (world, outcomes) = threads(2);
    let session = Session::open(&world.context(&[])).unwrap();
    let find = |name: &str| thread::find(&session, name);
    let id = outcomes[1].thread_id.clone();
    let short = outcomes[1].branch.trim_start_matches("refs/heads/");
    for name in [id.as_str(), &id.as_str()[..id.as_str().len() - 1], &outcomes[1].branch, short] {
        assert_eq!(find(name).unwrap(), id, "{name}");
    }
    assert_eq!(find("@latest").unwrap(), id, "also of threads of one second");
    let (code, error) = world.rye_json(&["thread", "show", "work-"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("ambiguous-thread")), "{error}");
    assert!(
        outcomes.iter().all(|outcome| error["error"]["message"].as_str().unwrap().contains(outcome.thread_id.as_str()))
    );
    for name in ["", "nothing", "work-1", "@first"] {
        let (code, error) = world.rye_json(&["thread", "rm", name, "--yes"]);
        assert_ne!(code, 0, "{name}: {error}");
    }
    assert_eq!(there(&world).0.len(), 2);
}

/// A log that no branch belongs to.
const LEFT: &str = "work-20260317-014108-leftover";

#[test]
fn a_thread_that_is_named_twice_is_removed_once() {
    let (world, outcomes) = threads(2);
    let id = outcomes[1].thread_id.as_str();
    let (code, removed) = world.rye_json(&["thread", "rm", id, "@latest", id, "--yes"]);
    assert_eq!((code, &removed["threads"]), (0, &json!([id])), "{removed}");
    assert_eq!(there(&world).0, [outcomes[0].thread_id.as_str()]);
}

#[test]
fn what_is_forgotten_is_gone_branch_log_and_reflog() {
    let (world, outcomes) = threads(3);
    // One of them is packed, of one the log is gone, and there is a log that no branch belongs to, as after a kill in between.
    world.write_at(&world.in_project(&format!(".git/rye/threads/{LEFT}/events.jsonl")), "");
    world.git(&["pack-refs", "--all"]);
    std::fs::remove_dir_all(world.in_project(".git/rye/threads").join(outcomes[1].thread_id.as_str())).unwrap();
    // Such a log is nothing to any verb but `rm`, and goes by its name or with the interrupted threads.
    for verb in ["show", "log", "diff", "tail", "export", "accept", "resume", "rerun", "replay"] {
        let (code, error) = world.rye_json(&["thread", verb, "work-20260317-014108-left"]);
        assert_eq!((code, &error["error"]["code"]), (1, &json!("thread-without-branch")), "{verb}: {error}");
        assert_eq!(error["error"]["message"], format!("thread `{LEFT}` has no branch: only its log is left"));
    }
    assert_eq!(world.rye_json(&["thread", "rm", "--status", "limit", "--yes"]).1["threads"], json!([]));
    assert!(there(&world).1.contains(&LEFT.to_owned()), "nobody asked for its removal");
    let before = (world.untouched(), world.persons_files());
    let ids = [outcomes[0].thread_id.as_str(), outcomes[1].thread_id.as_str()];
    let (code, refused) = world.rye_json(&["thread", "rm", ids[0], ids[1]]);
    assert_eq!((code, &refused["error"]["code"]), (3, &json!("not-agreed")), "nobody is at a terminal: {refused}");
    assert_eq!(there(&world).0.len(), 3);
    let (code, removed) = world.rye_json(&["thread", "rm", ids[0], ids[1], "--yes"]);
    assert_eq!((code, &removed["threads"]), (0, &json!(ids)), "{removed}");
    assert!(there(&world).1.contains(&LEFT.to_owned()), "nobody asked for its removal");
    let (code, removed) = world.rye_json(&["thread", "rm", "--status", "interrupted", "--yes"]);
    assert_eq!((code, &removed["leftovers"]), (0, &json!([LEFT])), "{removed}");
    world.write_at(&world.in_project(&format!(".git/rye/threads/{LEFT}/events.jsonl")), "");
    let (code, removed) = world.rye_json(&["thread", "rm", LEFT, "--yes"]);
    assert_eq!((code, &removed["leftovers"]), (0, &json!([LEFT])), "{removed}");
    let kept = vec![outcomes[2].thread_id.to_string()];
    assert_eq!(there(&world), (kept.clone(), kept));
    assert_eq!((world.untouched(), world.persons_files()), before);
    let reflogs = world.in_project(".git/logs/refs/heads/rye/threads");
    assert!(!ids.iter().any(|id| reflogs.join(id).exists()));
    world.git(&["fsck", "--strict", "--no-dangling"]);
    let (code, _) = world.rye_json(&["thread", "show", ids[0]]);
    assert_eq!(code, 1);
}

#[test]
fn threads_are_selected_by_age_and_status() {
    let (world, outcomes) = threads(1);
    let failing = world.run(&[call("nothing", json!({})), call("nothing", json!({})), call("nothing", json!({}))]);
    assert_eq!(failing.status, thread::Status::Error);
    let rm = |args: &[&str]| world.rye_json(&[&["thread", "rm", "--yes"], args].concat()).1["threads"].clone();
    assert_eq!(rm(&["--older-than", "1h"]), json!([]));
    assert_eq!(rm(&["--status", "limit", "--older-than", "0m", outcomes[0].thread_id.as_str()]), json!([]));
    assert_eq!(rm(&["--status", "limit"]), json!([failing.thread_id]));
    let output = world.rye(&["thread", "rm"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "without a name or a condition nothing is meant");
    assert_eq!(there(&world).0.len(), 1);
}

#[test]
fn a_running_thread_is_not_removed() {
    let world = World::new().unconfined();
    let started = world.path("started");
    world.tool("demo/slow", &format!("touch {}; sleep 60", started.display()));
    world.directive("<execute><tool>demo.slow</tool></execute>", r#"turns="3""#, "");
    let script = world.script(&[call("demo_slow", json!({})), text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--json"];
    let mut running = world.rye(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !started.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(world.trees().len(), 1);
    assert!(world.git(&["worktree", "list", "--porcelain"]).contains("locked thread work-"));
    let (code, error) = world.rye_json(&["thread", "rm", "@latest", "--yes"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("thread-running")), "{error}");
    assert_eq!(world.rye_json(&["thread", "rm", "--older-than", "0m", "--yes"]).1["threads"], json!([]));
    // A copy of the repository knows the tree, too, and leaves it alone.
    let copied =
        std::process::Command::new("cp").args(["-a"]).arg(world.in_project("")).arg(world.path("copy")).status();
    assert!(copied.unwrap().success());
    let output = world.rye(&["-C", "../copy", "thread", "rm", "--older-than", "0m", "--yes"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(world.path("home/.local/state/rye/trees")).unwrap().count(), 1);
    // A kill leaves the tree; the next run removes it.
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(world.trees().len(), 1);
    world.git(&["worktree", "prune", "--expire", "now"]);
    world.run(&[text("Done.")]);
    assert_eq!(world.trees(), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(world.path("home/.local/state/rye/trees")).unwrap().count(), 0);
}

/// The thread is the only other place that has what an accept wrote before it was killed.
#[test]
fn a_thread_whose_accept_was_cut_short_is_kept() {
    let (world, threads) = threads(2);
    let journal = world.in_project(".git/rye/accept/journal/journal.json");
    std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
    let forget = |at: usize| world.rye(&["thread", "rm", threads[at].thread_id.as_str(), "--yes"]).output().unwrap();
    // One that cannot be read may be of any thread.
    for written in ["{".to_owned(), json!({"thread_id": threads[0].thread_id}).to_string()] {
        std::fs::write(&journal, written).unwrap();
        let output = forget(0);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("was cut short"), "{said}");
        assert!(said.contains(&format!("`rye thread accept {}`", threads[0].thread_id)), "{said}");
    }
    assert!(forget(1).status.success());
}
