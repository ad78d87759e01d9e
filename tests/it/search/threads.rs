//! The words and calls of threads are found, with their commits.

use serde_json::Value;

use super::search;
use crate::support::Sandbox;

fn turns(outcome: &Value) -> Vec<(&str, u64)> {
    let hits = outcome["results"].as_array().unwrap().iter().filter(|hit| hit["item_type"] == "thread");
    hits.map(|hit| (hit["item_id"].as_str().unwrap(), hit["turn"].as_u64().unwrap())).collect()
}

#[test]
fn a_turn_is_found_by_what_was_said_with_its_commit() {
    let sandbox = Sandbox::signed();
    let ran = sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Zaphod", "--json"]).stdout();
    let ran: Value = serde_json::from_slice(&ran).unwrap();
    let id = ran["thread_id"].as_str().unwrap();
    assert_eq!(search(&sandbox, &["zaphod"])["total"], 0, "threads are searched only when asked for");
    let outcome = search(&sandbox, &["zaphod", "--threads"]);
    let found = turns(&outcome);
    assert!(found.contains(&(id, 1)), "{outcome}");
    let hit = outcome["results"].as_array().unwrap().iter().find(|hit| hit["turn"] == 1).unwrap();
    let subject = sandbox.git(&["log", "-1", "--format=%s", hit["commit_id"].as_str().unwrap()]);
    assert!(subject.starts_with("turn 1: "), "{subject}");
    assert!(hit["snippet"].as_str().unwrap().contains("Zaphod"), "{hit}");
    assert_eq!(hit["title"], "demo/greet, turn 1");
}

#[test]
fn items_and_turns_are_one_list_with_one_count() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "-q"]).succeeds();
    let items = search(&sandbox, &["say"])["total"].as_u64().unwrap();
    let both = search(&sandbox, &["say", "--threads", "-n", "100"]);
    let turns = turns(&both).len() as u64;
    assert!(items > 0 && turns > 0, "{both}");
    assert_eq!(both["total"], items + turns);
    let scores: Vec<f64> =
        both["results"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let second = search(&sandbox, &["say", "--threads", "-n", "1", "--offset", "1"]);
    assert_eq!(second["results"][0], both["results"][1]);
    assert_eq!(search(&sandbox, &["type:thread say", "--threads"])["total"], turns);
}

/// What a shallow clone does not have is left out of the answer, without affecting the rest.
#[test]
fn turns_are_found_in_a_shallow_clone() {
    let sandbox = Sandbox::signed();
    let ran = sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "--json"]).stdout();
    let ran: Value = serde_json::from_slice(&ran).unwrap();
    let branch = ran["branch"].as_str().unwrap().strip_prefix("refs/heads/").unwrap();
    let (from, to) = (format!("file://{}", sandbox.project().display()), sandbox.path("shallow").display().to_string());
    sandbox.git(&["clone", "-q", "--depth", "1", "--branch", branch, &from, &to]);
    let outcome = search(&sandbox, &["-C", &to, "type:thread say", "--threads"]);
    let hits = outcome["results"].as_array().unwrap();
    assert_eq!(turns(&outcome).len(), turns(&search(&sandbox, &["type:thread say", "--threads"])).len());
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit.get("commit_id").is_none()), "{outcome}");
}

/// A branch is untrusted: whatever it contains, the search goes on.
#[test]
fn a_branch_with_anything_in_it_is_survived() {
    let sandbox = Sandbox::signed();
    sandbox
        .put(".ai/threads/odd-thread/turns/00/0001.jsonl", "no json\n{\"data\":{\"text\":\"a basilisk\"}}\n[[[[\n\n");
    sandbox.put(".ai/threads/odd-thread/turns/00/nonsense.jsonl", "basilisk");
    sandbox.put(".ai/threads/odd-thread/turns/00/1.jsonl", "{\"data\":{\"text\":\"a basilisk\"}}\n");
    sandbox.git(&["add", "-f", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "odd"]);
    sandbox.git(&["branch", "rye/threads/odd-thread"]);
    let outcome = search(&sandbox, &["basilisk", "--threads"]);
    assert_eq!(turns(&outcome), [("odd-thread", 1)], "{outcome}");
}
