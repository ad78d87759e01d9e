//! What the page of a thread says can be done next, by its ending; each command works.

use rye::thread::Outcome;
use serde_json::{Value, json};

use super::world::{FILES, World, text, write};

/// Runs a thread of `demo/work` under these limits.
fn ran(limits: &str, turns: &[Value]) -> (World, Outcome) {
    let world = World::new();
    world.directive(FILES, limits, "");
    world.commit("items");
    let outcome = world.run(turns);
    (world, outcome)
}

/// Returns the commands that the page ends with, without the words before and behind what tells them apart.
fn next(world: &World, outcome: &Outcome) -> Vec<String> {
    let page = world.rye(&["thread", "show", "@latest"]).output().unwrap().stdout;
    let page = String::from_utf8(page).unwrap();
    let lines = page.split_once("\nNext\n").map(|(_, next)| next.to_owned()).unwrap_or_default();
    let id = outcome.thread_id.as_str();
    let html = world.rye(&["thread", "show", "@latest", "--html", "-"]).output().unwrap().stdout;
    let html = String::from_utf8(html).unwrap();
    let short = |line: &str| {
        assert!(html.contains(line.trim()), "{line} is not in {html}");
        line.replace(&format!(" {id}"), "").replace("  rye thread ", "")
    };
    lines.lines().map(short).collect()
}

#[test]
fn a_completed_thread_is_looked_at_and_accepted() {
    let (world, outcome) = ran(r#"turns="5""#, &[write("src/1.txt", "1\n"), text("Done.")]);
    assert_eq!(next(&world, &outcome), ["diff", "accept"]);
    let (world, outcome) = ran(r#"turns="5""#, &[text("Done.")]);
    assert_eq!(next(&world, &outcome), [""; 0], "it changed nothing");
}

#[test]
fn a_thread_that_was_accepted_is_not_accepted_again() {
    let turns = [write("src/1.txt", "1\n"), write("src/2.txt", "2\n"), text("Done.")];
    let (world, outcome) = ran(r#"turns="5""#, &turns);
    let accept = |args: &[&str]| world.rye_json(&[&["thread", "accept", "@latest", "--yes"], args].concat());
    let (code, accepted) = accept(&["src/1.txt"]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(next(&world, &outcome), ["diff", "accept"], "a file is left");
    assert_eq!(accept(&[]).0, 0);
    assert_eq!(next(&world, &outcome), ["diff"]);
    // A later change of the file is the person's.
    world.write("src/1.txt", "mine\n");
    world.commit("mine");
    assert_eq!(next(&world, &outcome), ["diff"]);
}

/// A commit that only says that it accepted the thread, or accepted an earlier content, leaves the rest to accept.
#[test]
fn what_has_another_content_than_the_thread_is_not_accepted_yet() {
    let (world, outcome) = ran(r#"turns="5""#, &[write("src/1.txt", "1\n"), text("Done.")]);
    world.write("src/1.txt", "earlier\n");
    world.commit(&format!("accept: demo/work\n\nRye-Thread: {}", outcome.thread_id));
    assert_eq!(next(&world, &outcome), ["diff", "accept"]);
}

#[test]
fn a_thread_at_a_limit_goes_on_with_a_raised_one() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    let turns = [write("src/1.txt", "1\n"), text("Done.")];
    let script = world.script(&turns).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script];
    let (code, printed) = world.rye_json(&[&args[..], &["--limit", "turns=1"]].concat());
    assert_eq!((code, &printed["ending"]), (5, &json!("limit")));
    let outcome = world.shown(&printed);
    assert_eq!(next(&world, &outcome), ["resume --limit turns=5  # the directive allows no more"]);
    let id = outcome.thread_id.as_str();
    let (code, resumed) = world.rye_json(&["thread", "resume", id, "--limit", "turns=5", "--script", &script]);
    assert_eq!((code, &resumed["ending"]), (0, &json!("completed")), "{resumed}");
}

#[test]
fn a_thread_at_its_directive_s_limit_runs_again() {
    let (world, outcome) = ran(r#"turns="1""#, &[write("src/1.txt", "1\n"), text("Done.")]);
    assert_eq!(outcome.ending.as_str(), "limit");
    assert_eq!(next(&world, &outcome), ["rerun  # first raise the limit on turns in the directive, and sign it"]);
}

#[test]
fn a_thread_whose_provider_failed_is_taken_up_again() {
    let (world, outcome) = ran(r#"turns="9""#, &[write("src/1.txt", "1\n")]);
    assert_eq!(outcome.ending.as_str(), "provider", "the script has no more turns");
    assert_eq!(next(&world, &outcome), ["resume"]);
}
