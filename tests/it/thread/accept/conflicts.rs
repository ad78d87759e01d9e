//! Changes that do not fit.

use rye::thread::RunOptions;
use serde_json::json;

use super::super::world::{text, write};
use super::{accept, changing, committed, refused, scripted, status, trailer, world};

#[test]
fn conflicts_are_listed_and_change_nothing() {
    let world = world();
    changing(&world);
    world.write("src/a.txt", "else\n");
    world.commit("else");
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (1, "conflicts"), "{message}");
    assert_eq!(message, "the thread's changes conflict with the current branch: `src/a.txt` (both changed it)");
    let (_, error) = accept(&world, &[]);
    let hints = error["error"]["hints"].to_string();
    assert!(hints.contains(" --merge") && hints.contains("git apply --3way"), "{hints}");
    // The rest is accepted by name.
    let (code, accepted) = accept(&world, &["new"]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\tnew/b.txt"), "{accepted}");
}

#[test]
fn with_merge_they_are_left_as_git_leaves_them() {
    let world = world();
    let outcome = changing(&world);
    world.write("src/a.txt", "else\n");
    world.commit("else");
    world.write("draft.txt", "mine\n");
    let head = world.git(&["rev-parse", "HEAD"]);
    let (code, accepted) = accept(&world, &["--merge"]);
    assert_eq!((code, &accepted["commit_id"]), (1, &json!(null)), "{accepted}");
    assert_eq!(accepted["conflicts"], json!([{"path": "src/a.txt", "kind": "content"}]));
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    let shown = format!("<<<<<<< HEAD\nelse\n=======\nb\n>>>>>>> thread {}\n", outcome.thread_id);
    assert_eq!(world.read("src/a.txt"), shown);
    assert_eq!(status(&world), "A  new/b.txt\nUU src/a.txt\n?? draft.txt");
    assert_eq!(world.git(&["show", ":1:src/a.txt"]), "a");
    assert_eq!(refused(&world, &[]).1, "unfinished", "not again before they are resolved");
    world.write("src/a.txt", "both\n");
    world.git(&["add", "src/a.txt"]);
    world.git(&["-c", "core.editor=true", "commit", "-q"]);
    assert_eq!(trailer(&world, "Rye-Thread"), outcome.thread_id.as_str());
    assert_eq!(committed(&world), "A\tnew/b.txt\nM\tsrc/a.txt");
    assert_eq!(status(&world), "?? draft.txt");
}

#[test]
fn where_the_branch_moved_a_file_the_command_that_is_told_brings_the_change_there() {
    let world = world();
    world.write("src/a.txt", "one\ntwo\nthree\nfour\n");
    world.commit("long");
    world.run(&[write("src/a.txt", "one\ntwo\nthree\nfour\nfive\n"), text("Done.")]);
    world.git(&["mv", "src/a.txt", "src/the b.txt"]);
    world.commit("moved");
    let (_, error) = accept(&world, &[]);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(": `src/a.txt` (moved to `src/the b.txt` on your branch)"), "{message}");
    let hints = error["error"]["hints"].as_array().unwrap();
    let hint = hints.iter().find_map(|hint| hint.as_str().unwrap().split('`').find(|part| part.contains("merge-file")));
    let done = std::process::Command::new("sh").args(["-c", hint.unwrap()]).current_dir(world.in_project("")).status();
    assert!(done.unwrap().success(), "{hint:?}");
    assert_eq!(world.read("src/the b.txt"), "one\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn a_version_of_the_person_s_that_is_gone_is_told_as_that() {
    let world = world();
    world.write("README.md", "mine\n");
    let turns = [write("README.md", "theirs\n"), text("Done.")];
    world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
    world.git(&["checkout", "-q", "README.md"]);
    let (_, name, message) = refused(&world, &[]);
    let told = "`README.md` (the thread began with your uncommitted version, which is gone)";
    assert!(name == "conflicts" && message.ends_with(told), "{message}");
}

#[test]
fn a_file_that_moved_was_removed_and_added() {
    let (world, _) = scripted("mv src/a.txt src/z.txt");
    world.write("src/a.txt", "else\n");
    world.commit("else");
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (1, "conflicts"), "{message}");
    let (code, accepted) = accept(&world, &["--merge"]);
    assert_eq!(accepted["conflicts"], json!([{"path": "src/a.txt", "kind": "removed_by_thread"}]), "{code}");
    assert_eq!((world.read("src/a.txt"), world.read("src/z.txt")), ("else\n".to_owned(), "a\n".to_owned()));
    assert_eq!(status(&world), "UD src/a.txt\nA  src/z.txt");
}

#[test]
fn a_move_that_fits_comes_over() {
    let (world, _) = scripted("mv src/a.txt src/z.txt");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, committed(&world).as_str()), (0, "D\tsrc/a.txt\nA\tsrc/z.txt"), "{accepted}");
    assert_eq!((status(&world), world.in_project("src/a.txt").exists()), (String::new(), false));
}

#[test]
fn every_kind_of_conflict_is_told() {
    let (world, _) = scripted(
        "printf 'a\\0t' >bin; echo t >both; echo t >gone; echo t >merged; printf '#!/bin/sh\\n' >x; chmod +x x",
    );
    world.write(".gitattributes", "merged -merge\n");
    world.write("both", "mine\n");
    world.write("bin", "a\0m");
    world.write("merged", "mine\n");
    world.commit("mine");
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (1, "conflicts"), "{message}");
    let (_, accepted) = accept(&world, &["--merge"]);
    assert_eq!(
        accepted["conflicts"],
        json!([
            {"path": "bin", "kind": "not_mergeable"},
            {"path": "both", "kind": "both_added"},
            {"path": "merged", "kind": "not_mergeable"},
        ])
    );
    assert_eq!((world.read("bin"), world.read("merged")), ("a\0m".to_owned(), "mine\n".to_owned()));
    assert!(world.read("both").contains("<<<<<<<"));
    assert_eq!(status(&world), "AA bin\nAA both\nA  gone\nAA merged\nA  x");
}
