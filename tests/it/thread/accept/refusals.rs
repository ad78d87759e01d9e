//! Obstacles are found before anything is written, and listed.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::super::world::{FILES, World, text, write};
use crate::support::has;

use super::{accept, changing, committed, no_leftovers, refused, scripted, world};

#[test]
fn what_the_person_is_at_work_on_is_listed_whole() {
    let world = world();
    changing(&world);
    world.write("src/a.txt", "mine\n");
    world.write("new/b.txt", "mine too\n");
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (1, "in-the-way"), "{message}");
    assert_eq!(
        message,
        "cannot accept: it would overwrite the untracked file `new/b.txt`, `src/a.txt` has uncommitted changes"
    );
}

/// A path is named from the folder that one is in, and told from the top, as the lists of changes tell it.
#[test]
fn a_path_that_the_thread_did_not_change_is_told_from_the_top() {
    let world = world();
    changing(&world);
    let args = ["-C", "src", "thread", "accept", "@latest", "b.txt"];
    let (code, told) = world.rye_json(&args);
    assert_eq!((code, told["error"]["code"].as_str()), (1, Some("not-changed")), "{told}");
    assert!(told["error"]["message"].as_str().unwrap().ends_with("did not change `src/b.txt`"), "{told}");
}

#[test]
fn a_dirty_file_is_taken_only_if_it_is_as_the_thread_began_with_it() {
    let world = world();
    world.write("src/a.txt", "half way\n");
    let turns = [write("src/a.txt", "further\n"), text("Done.")];
    world.try_run(&rye::thread::RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
    world.write("src/a.txt", "half way, and on\n");
    let (_, name, message) = refused(&world, &[]);
    assert_eq!((name.as_str(), message.as_str()), ("in-the-way", "cannot accept: `src/a.txt` has uncommitted changes"));
    world.write("src/a.txt", "half way\n");
    let (_, name, message) = refused(&world, &["--commit", "src/a.txt"]);
    assert_eq!(name, "in-the-way", "what is not committed by its person is not by a thread: {message}");
    world.write("src/a.txt", "further\n");
    assert_eq!(refused(&world, &[]).1, "nothing-to-accept");
}

#[test]
fn whatever_stands_in_the_place_of_a_new_file_stays() {
    let world = world();
    changing(&world);
    let reason = |told: &str| {
        let (_, name, message) = refused(&world, &[]);
        assert_eq!((name.as_str(), message.as_str()), ("in-the-way", format!("cannot accept: {told}").as_str()));
    };
    // Git takes ignored files for expendable.
    world.write_at(&world.in_project(".git/info/exclude"), "new\n");
    world.write("new/b.txt", "ignored, and dear\n");
    reason("it would overwrite the ignored file `new/b.txt`");
    std::fs::remove_file(world.in_project("new/b.txt")).unwrap();
    std::fs::create_dir(world.in_project("new/b.txt")).unwrap();
    reason("`new/b.txt` is a folder");
    std::fs::remove_dir_all(world.in_project("new")).unwrap();
    std::fs::write(world.in_project("new"), "a file\n").unwrap();
    reason("`new/b.txt` is below a file or symlink");
    std::fs::remove_file(world.in_project("new")).unwrap();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    symlink(world.path("elsewhere"), world.in_project("new")).unwrap();
    reason("`new/b.txt` is below a file or symlink");
    assert_eq!(std::fs::read_dir(world.path("elsewhere")).unwrap().count(), 0);
    std::fs::remove_file(world.in_project("new")).unwrap();
    world.write("NEW/b.txt", "on a forgiving file system the same\n");
    reason("`new/b.txt` differs from `NEW` only by case");
    std::fs::remove_dir_all(world.in_project("NEW")).unwrap();
    // A link where the person's file was is their change.
    std::fs::remove_file(world.in_project("src/a.txt")).unwrap();
    symlink("../README.md", world.in_project("src/a.txt")).unwrap();
    reason("`src/a.txt` has uncommitted changes");
    world.git(&["checkout", "-q", "src/a.txt"]);
    assert_eq!(accept(&world, &[]).0, 0);
}

#[test]
fn staged_work_on_the_same_file_is_not_touched() {
    let world = world();
    changing(&world);
    world.write("src/a.txt", "staged\n");
    world.git(&["add", "src/a.txt"]);
    world.write("src/a.txt", "a\n");
    let (_, name, message) = refused(&world, &[]);
    assert_eq!((name.as_str(), message.as_str()), ("in-the-way", "cannot accept: `src/a.txt` has staged changes"));
    world.git(&["reset", "-q"]);
    world.git(&["rm", "-q", "--cached", "src/a.txt"]);
    assert_eq!(refused(&world, &[]).1, "in-the-way");
}

#[test]
fn a_submodule_is_another_repository() {
    let world = World::new();
    world.git_in(".", &["clone", "-q", "project", "module"]);
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    let outcome = world.run(&[write("lib/x.txt", "x\n"), text("Done.")]);
    let module = world.path("module").display().to_string();
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &module, "lib"]);
    world.commit("module");
    let (_, name, message) = refused(&world, &[]);
    let thread_id = outcome.thread_id;
    assert_eq!(
        (name.as_str(), message),
        ("nothing-to-accept", format!("nothing to accept from thread `{thread_id}`: 1 path is left out"))
    );
}

#[test]
fn what_lies_in_another_repository_is_left_out_and_the_rest_taken() {
    let world = world();
    changing(&world);
    world.git_in(".", &["init", "-q", "project/new"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(accepted["left_out"], json!([{"path": "new/b.txt", "reason": "repository"}]));
    assert_eq!((committed(&world).as_str(), world.in_project("new/b.txt").exists()), ("M\tsrc/a.txt", false));
}

#[test]
fn a_write_protected_file_is_not_replaced() {
    let world = world();
    changing(&world);
    let path = world.in_project("src/a.txt");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    let (_, name, message) = refused(&world, &[]);
    assert!(name == "in-the-way" && message.contains("cannot be written"), "{message}");
}

#[test]
fn a_commit_that_the_runner_did_not_make_is_refused() {
    let world = world();
    let outcome = changing(&world);
    let forge = |args: &[&str]| {
        world.git(&["checkout", "-q", "--detach", &outcome.branch]);
        world.write("src/a.txt", "forged\n");
        world.git(&["add", "-A"]);
        world.git(&[&["-c", "user.name=Ada"], args, &["-m", "turn 9: forged"]].concat());
        let forged = world.git(&["rev-parse", "HEAD"]);
        world.git(&["checkout", "-q", "main"]);
        world.git(&["update-ref", &outcome.branch, &forged]);
    };
    forge(&["commit", "-q"]);
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (3, "thread-unverified"), "{message}");
    assert!(message.ends_with("is not verified: it is not signed"), "{message}");
    if crate::support::has("ssh-keygen") {
        world.git(&["update-ref", &outcome.branch, outcome.commit_id.as_str()]);
        let key = world.path("stranger").display().to_string();
        let made =
            std::process::Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &key]).status();
        assert!(made.unwrap().success());
        forge(&["-c", "gpg.format=ssh", "-c", &format!("user.signingKey={key}"), "commit", "-q", "-S"]);
        let (code, name, message) = refused(&world, &[]);
        assert_eq!((code, name.as_str()), (3, "thread-unverified"), "{message}");
        assert!(message.contains("which is not trusted for commits here"), "{message}");
    }
}

/// Where a commit that is not judged came from nobody knows: the thread counts no more than with an unsigned one.
#[test]
fn a_commit_of_a_thread_that_is_not_judged_is_refused() {
    let world = world();
    let outcome = changing(&world);
    let commit = world.git(&["cat-file", "commit", &outcome.branch]);
    let armored = include_str!("../../support/signatures/openpgp.asc").trim_end().replace('\n', "\n ");
    let (before, after) = commit.split_once("\ngpgsig ").unwrap();
    let (_, after) = after.split_once("-----END SSH SIGNATURE-----").unwrap();
    let file = world.path("commit");
    std::fs::write(&file, format!("{before}\ngpgsig {armored}{after}\n")).unwrap();
    let forged = world.git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    world.git(&["update-ref", &outcome.branch, &forged]);
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (3, "thread-unverified"), "{message}");
    assert!(message.ends_with("its signature is not judged: it is an OpenPGP signature"), "{message}");
    let id = outcome.thread_id.as_str();
    let (code, replay) = world.rye_json(&["thread", "replay", id]);
    let bad = &replay["signatures"][0];
    assert_eq!((code, &bad["rule"], &bad["verdict"]), (3, &json!("RYE-C008"), &json!("not_judged")), "{replay:#}");
    let (_, shown) = world.rye_json(&["thread", "show", id]);
    let signatures = &shown["signatures"];
    assert_eq!((&signatures["verified"], &signatures["faults"][0]["rule"]), (&json!(false), &json!("RYE-C008")));
}

#[test]
fn a_branch_that_was_rewritten_is_refused() {
    if !crate::support::has("ssh-keygen") {
        return;
    }
    let world = world();
    let outcome = changing(&world);
    world.write("side.txt", "s\n");
    world.commit("side");
    // Even with the agent's own key.
    let key = world.path("home/.config/rye/keys/agent").display().to_string();
    world.git(&["checkout", "-q", "--detach", &outcome.branch]);
    let key = format!("user.signingKey={key}");
    let sign = ["-c", "gpg.format=ssh", "-c", &key, "-c", "commit.gpgSign=true"];
    world.git(&[&sign[..], &["merge", "-q", "--no-ff", "--no-edit", "main"]].concat());
    let merged = world.git(&["rev-parse", "HEAD"]);
    world.git(&["checkout", "-q", "main"]);
    world.git(&["update-ref", &outcome.branch, &merged]);
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (3, "thread-rewritten"), "{message}");
}

#[test]
fn a_running_thread_is_refused_and_an_interrupted_one_is_not() {
    let world = world();
    let outcome = changing(&world);
    // As it was after its first turn.
    let turn = world.git(&["rev-parse", &format!("{}~2", outcome.branch)]);
    world.git(&["update-ref", &outcome.branch, &turn]);
    let lock = std::fs::File::open(world.in_project(&format!(".git/rye/threads/{}/lock", outcome.thread_id))).unwrap();
    lock.lock().unwrap();
    assert_eq!(refused(&world, &[]).1, "thread-running");
    lock.unlock().unwrap();
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, accepted["taken"].as_array().unwrap().len()), (0, 2), "{accepted}");
}

#[test]
fn nothing_is_accepted_while_git_has_something_begun() {
    let world = world();
    changing(&world);
    for (file, what) in [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")] {
        let path = world.in_project(&format!(".git/{file}"));
        std::fs::write(&path, format!("{}\n", world.git(&["rev-parse", "HEAD"]))).unwrap();
        let (code, name, message) = refused(&world, &[]);
        assert_eq!((code, name.as_str(), message), (1, "unfinished", format!("cannot accept during a {what}")));
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn without_a_terminal_and_without_a_yes_the_command_is_told() {
    let world = world();
    let outcome = changing(&world);
    let before = (world.untouched(), world.persons_files());
    let (code, error) = world.rye_json(&["thread", "accept", "@latest"]);
    assert_eq!((code, &error["error"]["code"]), (3, &json!("not-agreed")));
    let hint = error["error"]["hints"][0].as_str().unwrap();
    assert!(hint.contains(&format!("`rye thread accept {} --yes`", outcome.thread_id)), "{hint}");
    assert_eq!((world.untouched(), world.persons_files()), before);
}

#[test]
fn a_thread_that_changed_nothing_has_nothing_to_accept() {
    let (world, _) = scripted("true");
    assert_eq!(refused(&world, &[]).1, "nothing-to-accept");
}

#[test]
fn who_answers_no_changes_nothing_and_is_told_so_by_every_verb() {
    if !has("python3") {
        return;
    }
    let world = world();
    changing(&world);
    world.git(&["init", "-q", "--bare", "../remote"]);
    world.git(&["remote", "add", "origin", "../remote"]);
    let before = (world.untouched(), world.persons_files(), world.git(&["for-each-ref"]));
    for (verb, question, done) in [
        (&["accept", "@latest"][..], "commit 2 files to main? [y/N] ", "accepted"),
        (&["rm", "@latest"], "remove 1 thread? [y/N] ", "removed"),
        (&["push", "origin", "@latest"], "push 1 thread to `origin`? [y/N] ", "pushed"),
    ] {
        for answer in ["n\n", "\n", "\u{3}"] {
            let (seen, code) = world.on_terminal(&[(question, answer)], &[&["thread"], verb].concat());
            assert!(code == 5 && seen.ends_with(&format!("error: nothing was {done}\n")), "{answer:?} {code}: {seen}");
        }
        // There is no terminal to answer.
        let (code, error) = world.rye_json(&[&["thread"], verb].concat());
        assert_eq!((code, &error["error"]["code"]), (3, &json!("not-agreed")), "{error}");
    }
    assert!((world.untouched(), world.persons_files(), world.git(&["for-each-ref"])) == before);
}

#[test]
fn a_git_without_a_name_is_told_before_the_question() {
    let world = world();
    changing(&world);
    world.git(&["config", "--unset", "user.name"]);
    world.git(&["config", "--unset", "user.email"]);
    let before = (world.untouched(), world.persons_files());
    let mut accept = world.rye(&["thread", "accept", "@latest", "--yes"]);
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        accept.env_remove(name);
    }
    // No address is guessed from the name of the machine.
    accept.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "user.useConfigOnly").env("GIT_CONFIG_VALUE_0", "true");
    let output = accept.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("error: git does not know your name and address, which each commit has\n"), "{said}");
    assert!(said.contains("hint: run `git config --global user.name ") && output.status.code() == Some(1), "{said}");
    assert!((world.untouched(), world.persons_files()) == before);
    no_leftovers(&world);
}
