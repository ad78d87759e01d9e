//! Signed items still verify after a history was rewritten: squashed, rebased, picked.

use super::{ECHO, NOTES, note};
use crate::support::{Person, Sandbox};

#[test]
fn items_and_countersignatures_survive_squash_rebase_and_cherry_pick() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["checkout", "-qb", "work"]);
    sandbox.edit(NOTES, "short", "one");
    sandbox.rye(&["commit", "--yes", "-qm", "one"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["commit", "--yes", "-qm", "two"]).succeeds();
    let bob = Person::new("bob");
    sandbox.rye(&["sign", "knowledge", "demo/notes", "--detached", "-q"]).by(&bob).succeeds();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("README.md", "# on\n");
    sandbox.commit("main goes on");
    let verified = |branch: &str| {
        sandbox.rye(&["verify", "--rev", branch, "-q"]).succeeds();
        let blob = sandbox.git(&["rev-parse", &format!("{branch}:{NOTES}")]);
        assert_eq!(note(&sandbox, blob.trim()).len(), 2, "{branch}");
    };
    sandbox.git(&["checkout", "-qb", "squashed"]);
    sandbox.git(&["merge", "-q", "--squash", "work"]);
    sandbox.git(&["commit", "-qm", "squashed"]);
    verified("squashed");
    sandbox.git(&["checkout", "-qb", "picked", "main"]);
    sandbox.git(&["cherry-pick", "work~", "work"]);
    verified("picked");
    sandbox.git(&["checkout", "-q", "work"]);
    sandbox.git(&["rebase", "-q", "main"]);
    verified("work");
}

/// Commits with a hook that takes its time, and ends the program alone while it does. Returns the exit code.
fn ended_during(sandbox: &Sandbox, hook: &str) -> Option<i32> {
    let path = sandbox.project().join(".git/hooks").join(hook);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "#!/bin/sh\ntouch begun\nfor _ in $(seq 600); do sleep 0.1; done\n").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    sandbox.put("more.txt", "more\n");
    sandbox.git(&["add", "more.txt"]);
    let mut child = sandbox.rye(&["commit", "-m", "second", "--yes"]).spawn();
    while !sandbox.project().join("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    child.wait().unwrap().code()
}

/// Ended alone, the program would leave git behind, half way through a commit, which holds the index for as long as it likes.
#[test]
fn a_signal_to_the_program_alone_ends_its_git_too() {
    let sandbox = Sandbox::signed();
    assert_eq!(ended_during(&sandbox, "pre-commit"), Some(5));
    assert!(!sandbox.project().join(".git/index.lock").exists());
    assert_ne!(sandbox.git(&["log", "-1", "--format=%s"]).trim(), "second");
}

#[test]
fn a_commit_that_git_made_before_its_end_is_completed() {
    let sandbox = Sandbox::signed();
    assert_eq!(ended_during(&sandbox, "post-commit"), Some(0));
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]).trim(), "second");
}
