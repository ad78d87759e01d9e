//! `rye status`: what waits for a person, and the commands that go on with it.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::thread::world::{FILES, SCRIPTED, World, call, text, write};

fn status(sandbox: &Sandbox) -> Value {
    serde_json::from_slice(&sandbox.rye(&["status", "--json"]).stdout()).unwrap()
}

#[test]
fn what_is_unsigned_changed_or_uncommitted_waits() {
    let fresh = Sandbox::empty();
    fresh.rye(&["init"]).succeeds();
    let seen = fresh.rye(&["status"]).transcript();
    assert!(seen.contains("has no items yet; run `rye new directive demo/hello`"), "{seen}");
    fresh.rye(&["new", "skill", "notes"]).succeeds();
    let seen = fresh.rye(&["status"]).transcript();
    assert!(seen.contains("run `rye sign skill --all`") && !seen.contains("rye sign --all"), "{seen}");
    let sandbox = Sandbox::signed();
    assert_eq!(status(&sandbox), json!({"items": [], "threads": []}));
    assert!(sandbox.rye(&["status"]).transcript().contains("nothing to do"));

    sandbox.edit(".ai/tools/demo/echo.sh", "Returns", "Repeats");
    sandbox.put(
        ".ai/knowledge/demo/new.md",
        "```yaml\nname: new\ntitle: New\ncategory: demo\nversion: \"1.0.0\"\n```\n\n# New\n",
    );
    let waiting = status(&sandbox);
    let of =
        |id: &str| waiting["items"].as_array().unwrap().iter().find(|item| item["item_id"] == id).cloned().unwrap();
    assert_eq!((&of("demo/new")["verdict"], &of("demo/new")["uncommitted"]), (&json!("unsigned"), &json!(true)));
    assert_eq!(of("demo/echo")["verdict"], "tampered", "{waiting}");
    let shown = sandbox.rye(&["status"]).transcript();
    for words in ["changed\ttool\tdemo/echo\t", "unsigned\tknowledge\tdemo/new\t", "rye sign --all"] {
        assert!(shown.contains(words), "{shown}");
    }

    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let signed = sandbox.rye(&["status"]).transcript();
    assert!(signed.contains("uncommitted\ttool\tdemo/echo\t") && signed.contains("rye commit"), "{signed}");
    sandbox.commit("signed");
    assert_eq!(status(&sandbox)["items"], json!([]));
}

#[test]
fn outside_of_a_project_it_says_what_makes_one() {
    let sandbox = Sandbox::empty();
    let shown = sandbox.rye(&["status"]).transcript();
    assert!(shown.contains("is not in a git repository") && shown.contains("rye init"), "{shown}");
}

#[test]
fn a_thread_that_was_cut_off_waits() {
    let world = World::new();
    world.tool("demo/wait", "sleep 60");
    world.directive("<execute><tool>demo.wait</tool></execute>", r#"turns="5""#, "");
    world.commit("items");
    let ended = world.run(&[text("Done.")]);
    assert_eq!(world.rye_json(&["status"]), (0, json!({"items": [], "threads": []})), "{}", ended.thread_id);
    let script = world.script(&[call("demo_wait", json!({}))]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "-q"];
    let (mut run, null) = (world.rye(&args), std::process::Stdio::null);
    let mut runner = run.stdout(null()).stderr(null()).spawn().unwrap();
    let threads = || world.rye_json(&["status"]).1["threads"].as_array().unwrap().clone();
    let begun = std::time::Instant::now();
    while threads().is_empty() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "no thread begins");
    }
    assert_eq!(threads()[0]["ending"], "running");
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert_eq!(threads()[0]["ending"], "interrupted");
    let shown = String::from_utf8(world.rye(&["status"]).output().unwrap().stderr).unwrap();
    let resume = format!("rye thread resume {}", threads()[0]["thread_id"].as_str().unwrap());
    assert!(shown.contains(&resume), "{shown}");
}

/// How the threads stand that wait: each with its state.
fn waiting(world: &World) -> Vec<(String, String)> {
    let (_, waiting) = world.rye_json(&["status"]);
    let word = |thread: &Value, key: &str| thread[key].as_str().unwrap().to_owned();
    let threads = waiting["threads"].as_array().unwrap();
    threads.iter().map(|thread| (word(thread, "thread_id"), word(thread, "ending"))).collect()
}

#[test]
fn what_did_not_end_well_and_what_is_not_accepted_waits() {
    let world = World::new();
    world.directive(&format!("{FILES}<write resource=\"filesystem\" path=\"src/**\" />"), r#"turns="2""#, "");
    world.commit("items");
    let said = world.run(&[text("Done.")]);
    assert!(waiting(&world).is_empty(), "a completed thread without changes: {}", said.thread_id);

    // Completed, with changes: until they are accepted.
    let changed = world.run(&[write("src/new.txt", "new\n"), text("Done.")]);
    assert_eq!(waiting(&world), [(changed.thread_id.to_string(), "completed".to_owned())]);
    let output = world.rye(&["status"]).output().unwrap();
    let (shown, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(shown.contains(&format!("unaccepted\tthread\t{}\t", changed.thread_id)), "{shown}");
    assert!(told.contains(&format!("rye thread accept {}", changed.thread_id)), "{told}");
    let accepted = world.rye(&["thread", "accept", changed.thread_id.as_str(), "--yes"]).output().unwrap();
    assert!(accepted.status.success(), "{}", String::from_utf8_lossy(&accepted.stderr));
    assert!(waiting(&world).is_empty());

    // Stopped by a limit, and failed: until they are resumed, accepted or removed.
    let limit = world.run(&[write("src/a.txt", "b\n"), write("src/a.txt", "c\n"), text("Done.")]);
    let failed = world.run(&[]);
    let mut states = waiting(&world);
    states.sort();
    let mut expected = vec![
        (limit.thread_id.to_string(), "limit".to_owned()),
        (failed.thread_id.to_string(), failed.ending.as_str().to_owned()),
    ];
    expected.sort();
    assert_eq!(states, expected);
    assert_ne!(failed.ending.as_str(), "completed");
    let told = String::from_utf8(world.rye(&["status"]).output().unwrap().stderr).unwrap();
    assert!(told.contains(&limit.thread_id.to_string()) && told.contains(&failed.thread_id.to_string()), "{told}");
    for thread in [&limit, &failed] {
        let removed = world.rye(&["thread", "rm", thread.thread_id.as_str(), "--yes"]).output().unwrap();
        assert!(removed.status.success());
    }
    assert!(waiting(&world).is_empty());
}
