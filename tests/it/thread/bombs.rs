//! Commits that are more than they look: what making a thread's tree of them may cost.

use std::process::{Command, Stdio};

use rye::thread::Status;
use serde_json::json;

use super::world::{FILES, SCRIPTED, World, call, text};

/// Writes a tree object of these lines of `git ls-tree`.
fn tree(world: &World, lines: &str) -> String {
    let mut command = Command::new("git");
    command.arg("mktree").current_dir(world.path(world.project)).env_clear().envs(world.variables());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

/// Ten folders of ten folders and so on, ten deep, each the same tree: ten objects, ten thousand million files.
#[test]
fn a_tree_that_unfolds_without_end_is_refused_before_anything_is_made() {
    let world = World::new();
    world.directive(FILES, "turns=\"9\" tokens=\"200000\" spend=\"1.00\"", "");
    world.commit("a directive");
    let blob = world.git(&["rev-parse", "HEAD:.ai/directives/demo/work.md"]);
    let mut folder = tree(&world, &format!("100644 blob {}\tk.md\n", blob.trim()));
    for _ in 0..10 {
        let lines: String = (0..10).map(|name| format!("040000 tree {folder}\td{name}\n")).collect();
        folder = tree(&world, &lines);
    }
    let root = tree(&world, &format!("{}\n040000 tree {folder}\tzz\n", world.git(&["ls-tree", "HEAD"])));
    let commit = world.git(&["commit-tree", "-p", "HEAD", "-m", "bomb", &root]);
    world.git(&["update-ref", "refs/heads/main", commit.trim()]);
    // Not by `World::try_run`: what it asks git about the project has no end here.
    let script = world.script(&[text("Done.")]);
    let run = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", script.to_str().unwrap()];
    let (code, printed) = world.rye_json(&run);
    assert_eq!((code, printed["error"]["code"].as_str()), (1, Some("git-too-many-entries")), "{printed}");
    assert_eq!(world.trees(), Vec::<String>::new());
}

/// Files that take their time: each is written by a filter that waits.
#[test]
fn making_the_tree_counts_for_the_duration_of_the_thread() {
    let world = World::new();
    world.directive(FILES, "turns=\"9\" tokens=\"200000\" spend=\"1.00\"", "");
    world.write(".gitattributes", "*.slow filter=slow\n");
    for name in 0..8 {
        world.write(&format!("{name}.slow"), "text\n");
    }
    world.commit("slow files");
    world.git(&["config", "filter.slow.smudge", "sleep 0.5; cat"]);
    let script = world.script(&[text("Done.")]);
    let script = script.to_str().unwrap();
    let run = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", script, "--limit", "duration=1"];
    let (code, printed) = world.rye_json(&run);
    assert_eq!((code, printed["error"]["code"].as_str()), (5, Some("limit")), "{printed}");
    let (_, listed) = world.rye_json(&["thread", "list"]);
    assert_eq!(listed["threads"].as_array().map(Vec::len), Some(0), "{listed}");
    assert_eq!(world.trees(), Vec::<String>::new());
}

/// Each file is read, hashed, written and flushed: that is bounded, and said.
#[test]
fn a_tool_that_makes_too_many_files_ends_the_thread() {
    let world = World::new();
    world.tool("demo/many", "mkdir out && cd out && seq 50001 | xargs touch");
    world.directive(
        "<execute><tool>demo.*</tool></execute><write resource=\"filesystem\" path=\"**\" />",
        "turns=\"9\"",
        "",
    );
    world.commit("items");
    let outcome = world.run(&[call("demo_many", json!({})), text("Done.")]);
    let error = outcome.error.as_ref().unwrap();
    assert_eq!((outcome.status, error.code.as_str()), (Status::Error, "tree_too_large"));
    assert!(error.message.contains("a thread records at most 50000"), "{}", error.message);
    assert_eq!(world.changed(&outcome).concat(), Vec::<String>::new());
}
