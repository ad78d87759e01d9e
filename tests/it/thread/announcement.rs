//! What `thread push` tells the `pre-push` hook: it lets nothing pass but what the push that runs shares.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use serde_json::json;

use super::keep::world;
use super::world::{text, write};

/// The variable by which `thread push` tells its hook what it shares says nothing by itself, nor with a file that no push has locked.
#[test]
fn no_variable_switches_the_hook_off() {
    let world = world();
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["fetch", "-q", "origin"]);
    let thread = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    world.rye(&["hook", "install"]).output().unwrap();
    let (branch, id) = (thread.branch.as_str(), thread.thread_id.as_str());
    world.git(&["branch", "-q", "s"]);
    world.git(&["checkout", "-q", "s"]);
    world.write("key.txt", &format!("ghp_{}\n", "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"));
    world.git(&["add", "key.txt"]);
    world.git(&["commit", "-q", "--no-verify", "-m", "secret"]);
    let secret = world.git(&["rev-parse", "s"]);
    world.git(&["checkout", "-q", "main"]);
    let refs = [[branch, thread.commit_id.as_str(), branch], ["refs/heads/s", &secret, "refs/heads/s"]];
    let file = world.in_project(".git/rye/pushed-1");
    world.write_at(&file, &json!({"remote": "origin", "refs": refs, "passed": []}).to_string());
    let push = |variable: &str, refspec: &str, is_fine: bool| {
        let mut git = Command::new("git");
        git.args(["push", "-q", "origin", refspec]).current_dir(world.in_project("")).env_clear();
        let output = git.envs(world.variables()).env("RYE_PUSHED_THREADS", variable).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.success(), is_fine, "{variable} {refspec}: {said}");
    };
    for variable in ["refs/heads/s", branch, "pushed-1", "../rye/pushed-1", "pushed-", ""] {
        push(variable, "s:refs/heads/s", false);
        push(variable, branch, false);
    }
    // As if a push ran: it shares no branch of the person's own, nor the thread under another name or at another commit.
    let locked = std::fs::File::open(&file).unwrap();
    locked.lock().unwrap();
    push("pushed-1", "s:refs/heads/s", false);
    push("pushed-1", &format!("{branch}:refs/heads/x"), false);
    push("pushed-1", &format!("{branch}~1:{branch}"), false);
    push("pushed-1", branch, true);
    drop(locked);
    world.git(&["push", "-q", "origin", &format!(":{branch}")]);
    assert_eq!(world.rye_json(&["thread", "push", "origin", id, "--yes"]).0, 0);
    let left = std::fs::read_dir(world.in_project(".git/rye")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("pushed-")).collect();
    assert_eq!(left, ["pushed-1"], "its own file is gone");
}

/// A push that is killed leaves its file, and no other push may share anything by it: not that of others, nor what goes on of its own.
#[test]
fn a_killed_push_leaves_the_hook_closed() {
    let world = world();
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["fetch", "-q", "origin"]);
    let thread = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    let (branch, id) = (thread.branch.as_str(), thread.thread_id.as_str());
    // A hook of the person's runs before the program's, and waits.
    let hook = world.in_project(".git/hooks/pre-push");
    let (started, go) = (world.path("started"), world.path("go"));
    let wait = format!("touch {}\nwhile [ ! -e {} ]; do sleep 0.05; done", started.display(), go.display());
    world.write_at(&hook, &format!("#!/bin/sh\n{wait}\n"));
    std::fs::set_permissions(&hook, Permissions::from_mode(0o755)).unwrap();
    assert!(world.rye(&["hook", "install"]).status().unwrap().success());
    let mut push = world.rye(&["thread", "push", "origin", id, "--yes"]).stderr(Stdio::piped()).spawn().unwrap();
    while !started.exists() {
        assert!(push.try_wait().unwrap().is_none(), "it waits in the hook");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let name = format!("pushed-{}", push.id());
    let file = world.in_project(".git/rye").join(&name);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    push.kill().unwrap();
    std::fs::write(&go, "").unwrap();
    push.wait_with_output().unwrap();
    assert!(file.exists(), "nothing removed it");
    let mut git = Command::new("git");
    git.args(["push", "-q", "origin", branch]).current_dir(world.in_project("")).env_clear();
    let output = git.envs(world.variables()).env("RYE_PUSHED_THREADS", &name).output().unwrap();
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(world.git(&["ls-remote", "origin", branch]), "", "what went on of the killed push shared nothing");
    let (code, pushed) = world.rye_json(&["thread", "push", "origin", id, "--yes"]);
    assert_eq!(code, 0, "{pushed:#}");
}
