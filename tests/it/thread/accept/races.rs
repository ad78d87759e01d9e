//! Others at work at the same time: editors, git, another accept.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use super::super::world::World;
use super::{accept, changing, committed, executable, hook, no_leftovers, refused, status, world};

/// Has a script run when the program starts a command of git's, before that begins.
fn at_git(world: &World, command: &str, script: &str) -> String {
    let git = "PATH=${PATH#*:} exec git \"$@\"";
    executable(&world.path("bin/git"), &format!("case \" $* \" in *' {command} '*) {script};; esac\n{git}"));
    format!("{}:{}", world.path("bin").display(), std::env::var("PATH").unwrap())
}

/// Accepts with a script that runs at a command of git's.
fn accept_with(world: &World, command: &str, script: &str) -> (i32, serde_json::Value) {
    let path = at_git(world, command, script);
    let args = ["thread", "accept", "@latest", "--yes", "--json"];
    let output = world.rye(&args).env("PATH", path).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    (output.status.code().unwrap_or(-1), value)
}

#[test]
fn a_save_between_the_look_and_the_write_refuses_all_of_it() {
    for (path, text) in [("src/a.txt", "saved\n"), ("new/b.txt", "saved\n")] {
        let world = world();
        changing(&world);
        let head = world.git(&["rev-parse", "HEAD"]);
        let full = world.in_project(path).display().to_string();
        let script = format!("mkdir -p \"$(dirname {full})\"; printf 'saved\\n' >{full}");
        let (code, error) = accept_with(&world, "read-tree", &script);
        assert_eq!((code, &error["error"]["code"]), (1, &json!("changed-meanwhile")), "{error}");
        assert_eq!((world.read(path).as_str(), world.git(&["rev-parse", "HEAD"])), (text, head));
        let left = if path == "new/b.txt" { "?? new/" } else { " M src/a.txt" };
        assert_eq!(status(&world), left, "all else is as it was");
        no_leftovers(&world);
    }
}

#[test]
fn another_branch_or_another_staged_version_since_the_look_refuses_all_of_it() {
    let stage = "oid=$(echo mine | git hash-object -w --stdin); git update-index --cacheinfo 100644,$oid,src/a.txt";
    for (script, expected) in [("git symbolic-ref HEAD refs/heads/other", "head-moved"), (stage, "changed-meanwhile")] {
        let world = world();
        changing(&world);
        world.git(&["branch", "other"]);
        let branches = world.git(&["rev-parse", "main", "other"]);
        let (code, error) = accept_with(&world, "read-tree", &format!("(unset GIT_INDEX_FILE; {script})"));
        assert_eq!((code, &error["error"]["code"]), (1, &json!(expected)), "{error}");
        assert!(error["error"]["message"].as_str().unwrap().ends_with("; nothing was accepted"), "{error}");
        assert_eq!((world.git(&["rev-parse", "main", "other"]), world.read("src/a.txt").as_str()), (branches, "a\n"));
        assert!(!world.in_project("new").exists());
        no_leftovers(&world);
    }
}

#[test]
fn a_hook_that_switches_branches_leaves_both_as_they_were() {
    let world = world();
    changing(&world);
    world.git(&["branch", "other"]);
    let branches = world.git(&["rev-parse", "main", "other"]);
    hook(&world, "commit-msg", "git symbolic-ref HEAD refs/heads/other");
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("head-moved")), "{error}");
    assert_eq!((world.git(&["rev-parse", "main", "other"]), status(&world)), (branches, String::new()));
    no_leftovers(&world);
}

#[test]
fn a_signal_while_a_hook_runs_undoes_all_of_it_at_once() {
    for signal in [Signal::TERM, Signal::INT] {
        for name in ["pre-commit", "commit-msg"] {
            let world = world();
            changing(&world);
            let before = (world.untouched(), world.persons_files());
            hook(&world, name, "trap '' INT; echo >../started; sleep 20");
            let args = ["thread", "accept", "@latest", "--yes", "--json"];
            let mut command = world.rye(&args);
            let rye = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let began = Instant::now();
            while !world.path("started").exists() {
                assert!(began.elapsed() < Duration::from_secs(30));
                std::thread::sleep(Duration::from_millis(10));
            }
            let told = Instant::now();
            rustix::process::kill_process(Pid::from_child(&rye), signal).unwrap();
            let output = rye.wait_with_output().unwrap();
            assert!(told.elapsed() < Duration::from_secs(15), "{:?}", told.elapsed());
            let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(5), "{error}");
            assert_eq!(error["error"]["message"], "stopped; nothing was accepted", "{error}");
            assert!((world.untouched(), world.persons_files()) == before);
            no_leftovers(&world);
        }
    }
}

#[test]
fn what_an_editor_saves_while_the_hooks_run_is_kept() {
    let world = world();
    changing(&world);
    hook(&world, "pre-commit", "printf 'saved\\n' >src/a.txt");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(
        (world.git(&["show", "HEAD:src/a.txt"]), world.read("src/a.txt")),
        ("b".to_owned(), "saved\n".to_owned())
    );
    assert_eq!(status(&world), " M src/a.txt");
}

#[test]
fn what_an_editor_saves_before_a_hook_refuses_is_kept_and_told() {
    let world = world();
    changing(&world);
    hook(&world, "pre-commit", "printf 'saved\\n' >src/a.txt; exit 1");
    let (code, error) = accept(&world, &[]);
    let error = &error["error"];
    assert_eq!((code, &error["code"]), (1, &json!("accept-stuck")), "{error}");
    let told = "the hook `pre-commit` failed; no commit was made; changed by a hook or an editor meanwhile, and not put back: `src/a.txt`";
    assert_eq!(
        (&error["message"], &error["causes"]),
        (&json!(told), &json!(["`git hook run pre-commit` ended with 1"]))
    );
    assert_eq!((world.read("src/a.txt").as_str(), status(&world).as_str()), ("saved\n", " M src/a.txt"));
    assert!(!world.in_project("new").exists());
    no_leftovers(&world);
}

/// The commands in hints that put files back.
fn put_back(error: &Value) -> Vec<String> {
    let hints = error["hints"].as_array().unwrap().iter().map(|hint| hint.as_str().unwrap());
    let commands = hints.filter(|hint| hint.starts_with("restore ") || hint.starts_with("remove "));
    commands.map(|hint| hint.split('`').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn after_a_hook_that_changes_files_and_fails_the_hints_put_them_back() {
    let staging = "unset GIT_INDEX_FILE; git add src/a.txt new/b.txt; exit 1";
    for (folder, script, expected) in [
        (".", "exit 1", ["git clean -f -- new/b.txt", "git restore --source=HEAD --worktree -- src/a.txt"]),
        ("src", "exit 1", ["git clean -f -- :/new/b.txt", "git restore --source=HEAD --worktree -- :/src/a.txt"]),
        (".", staging, ["git rm -f -- new/b.txt", "git restore --source=HEAD --staged --worktree -- src/a.txt"]),
    ] {
        let world = world();
        changing(&world);
        hook(&world, "pre-commit", &format!("echo x >>src/a.txt; echo x >>new/b.txt; {script}"));
        let args = ["-C", folder, "thread", "accept", "@latest", "--yes"];
        let (code, error) = world.rye_json(&args);
        assert_eq!((code, put_back(&error["error"])), (1, expected.map(str::to_owned).to_vec()), "{error}");
        for command in expected {
            let args = [&["-C", folder][..], &command.split(' ').skip(1).collect::<Vec<_>>()].concat();
            world.git(&args);
        }
        assert_eq!(status(&world), "", "{folder} {script}");
        std::fs::remove_file(world.in_project(".git/hooks/pre-commit")).unwrap();
        assert_eq!(world.rye_json(&args).0, 0);
        assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", ""));
    }
}

#[test]
fn where_a_hook_moves_head_and_changes_files_the_move_is_told_first() {
    let world = world();
    changing(&world);
    hook(&world, "pre-commit", "echo x >>src/a.txt; git update-ref HEAD $(git commit-tree -p HEAD -m x HEAD^{tree})");
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("accept-stuck")), "{error}");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("`HEAD` moved to another commit in the meantime; nothing was accepted; changed"),
        "{error}"
    );
    assert_eq!(put_back(&error["error"]), ["git restore --source=HEAD --worktree -- src/a.txt"]);
}

#[test]
fn a_commit_in_the_meantime_is_not_overwritten() {
    let world = world();
    changing(&world);
    hook(&world, "commit-msg", "unset GIT_INDEX_FILE; echo o >o; git add o; git commit -qnm other");
    // The hook's own commit runs no hook again.
    let script = std::fs::read_to_string(world.in_project(".git/hooks/commit-msg")).unwrap();
    std::fs::write(world.in_project(".git/hooks/commit-msg"), script).unwrap();
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("head-moved")), "{error}");
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\to", ""));
    assert_eq!(world.read("src/a.txt"), "a\n");
    std::fs::remove_file(world.in_project(".git/hooks/commit-msg")).unwrap();
    assert_eq!(accept(&world, &[]).0, 0);
}

#[test]
fn what_is_staged_in_the_meantime_stays_staged() {
    let world = world();
    changing(&world);
    hook(&world, "post-index-change", "true");
    hook(&world, "commit-msg", "unset GIT_INDEX_FILE; echo o >o; git add o");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", "A  o"));
}

#[test]
fn two_accepts_never_run_at_once() {
    let world = world();
    let outcome = changing(&world);
    let second = world.path("second").display().to_string();
    let rye = crate::support::RYE;
    hook(
        &world,
        "pre-commit",
        &format!("env -u GIT_INDEX_FILE {rye} thread accept @latest --yes --json >{second}; true"),
    );
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    let error: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(second).unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "accept-running", "{error}");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("process ") && message.contains(outcome.thread_id.as_str()), "{message}");
    assert_eq!(status(&world), "");
}

#[test]
fn a_locked_index_refuses_all_of_it() {
    let world = world();
    changing(&world);
    let lock = world.in_project(".git/index.lock");
    let path = lock.display().to_string();
    std::fs::write(&lock, "").unwrap();
    let told = (1, "git-index-locked".to_owned(), format!("the index is locked by `{path}`"));
    assert_eq!(refused(&world, &[]), told);
    // Another git takes it while the hooks run.
    std::fs::remove_file(&lock).unwrap();
    hook(&world, "commit-msg", &format!("touch {path}"));
    assert_eq!(refused(&world, &[]), told);
    std::fs::remove_file(&lock).unwrap();
    std::fs::remove_file(world.in_project(".git/hooks/commit-msg")).unwrap();
    assert_eq!(accept(&world, &[]).0, 0);
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", ""));
}

#[test]
fn the_index_stays_locked_from_before_head_moves_until_it_is_set() {
    let world = world();
    changing(&world);
    world.write("staged.txt", "s\n");
    hook(&world, "reference-transaction", "[ $1 != prepared ] || git -C . add staged.txt 2>../said || true");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    let said = std::fs::read_to_string(world.path("said")).unwrap();
    assert!(said.contains("index.lock': File exists"), "{said}");
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", "?? staged.txt"));
    no_leftovers(&world);
}

#[test]
fn an_index_that_could_not_be_set_is_set_by_the_next_accept() {
    let world = world();
    changing(&world);
    let (code, accepted) = accept_with(&world, "update-ref", "rm .git/rye/accept/next-index");
    assert_eq!(code, 0, "{accepted}");
    assert_ne!(status(&world), "");
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("nothing-to-accept")), "{error}");
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", ""));
    no_leftovers(&world);
}
