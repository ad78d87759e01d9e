//! `rye notes sync`, against bare remotes; and that git's own push and fetch stay what they were.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::commit::{NOTES, note};
use crate::support::{Person, Sandbox};

const BOB: Person = Person::new("bob");

/// A committed project with a bare remote `origin`, and Bob's clone of that.
fn shared() -> Sandbox {
    let sandbox = Sandbox::with_items();
    // Both keys in one run: with fixed randomness, those of two runs would be the same.
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox.git(&["init", "-q", "--bare", "-b", "main", "../remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.git(&["push", "-q", "-u", "origin", "main"]);
    sandbox.git(&["clone", "-q", "../remote.git", "../bob"]);
    sandbox.key_id(&BOB);
    sandbox
}

fn clone(sandbox: &Sandbox) -> String {
    sandbox.path("bob").display().to_string()
}

/// Returns the lines of an item's note in the remote.
fn in_remote(sandbox: &Sandbox, path: &str) -> Vec<String> {
    let blob = sandbox.git(&["rev-parse", &format!("HEAD:{path}")]);
    let (code, said) = sandbox.try_git(&["-C", "../remote.git", "notes", "--ref=rye", "show", blob.trim()]);
    if code == 0 { said.lines().map(str::to_owned).collect() } else { Vec::new() }
}

#[test]
fn notes_go_to_the_remote_and_come_from_it() {
    let sandbox = shared();
    let bob = clone(&sandbox);
    let seen = sandbox.rye(&["notes", "sync"]).transcript();
    assert!(seen.contains("note: sent notes to `origin`\n") && seen.ends_with("[exit 0]\n"), "{seen}");
    let seen = sandbox.rye(&["-C", &bob, "notes", "sync"]).by(&BOB).transcript();
    assert!(seen.contains("note: received notes of `origin`\n"), "{seen}");
    assert_eq!(
        sandbox.git(&["-C", &bob, "rev-parse", "refs/notes/rye"]),
        sandbox.git(&["rev-parse", "refs/notes/rye"])
    );
    sandbox.rye(&["-C", &bob, "sign", "knowledge", "demo/notes", "--detached", "-q"]).by(&BOB).succeeds();
    sandbox.rye(&["-C", &bob, "notes", "sync", "origin", "-q"]).by(&BOB).succeeds();
    sandbox.rye(&["sign", "tool", "demo/echo", "--detached", "-q"]).succeeds();
    let seen = sandbox.rye(&["notes", "sync", "--json"]).transcript();
    assert!(seen.contains(r#"{"remote":"origin","received":true,"sent":false,"commit_id":""#), "{seen}");
    assert_eq!(in_remote(&sandbox, NOTES).len(), 2);
    let seen = sandbox.rye(&["notes", "sync"]).transcript();
    assert!(seen.contains("note: `origin` has the same notes\n"), "{seen}");
}

#[test]
fn two_clones_that_countersign_at_once_both_keep_everything() {
    let sandbox = shared();
    let clones: Vec<(Person, String)> = ["bob", "carol", "dave", "erin"]
        .into_iter()
        .map(|name| {
            let (person, path) = (Person::new(name), sandbox.path(&format!("clone-{name}")).display().to_string());
            sandbox.git(&["clone", "-q", "../remote.git", &path]);
            sandbox.key_id(&person);
            (person, path)
        })
        .collect();
    sandbox.rye(&["notes", "sync", "-q"]).succeeds();
    let items = [["directive", "demo/greet"], ["knowledge", "demo/notes"], ["tool", "demo/echo"]];
    for [item_type, id] in items {
        for (person, path) in &clones {
            sandbox.rye(&["-C", path, "sign", item_type, id, "--detached", "-q"]).by(person).succeeds();
        }
        // All at once.
        let running: Vec<_> = clones
            .iter()
            .map(|(person, path)| sandbox.rye(&["-C", path, "notes", "sync", "-q"]).by(person).spawn())
            .collect();
        for child in running {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    for path in [".ai/directives/demo/greet.md", NOTES, ".ai/tools/demo/echo.sh"] {
        let lines = in_remote(&sandbox, path);
        assert_eq!(lines.len(), 5, "the author and four others beside {path}: {lines:?}");
    }
    let fsck = sandbox.git(&["-C", "../remote.git", "fsck", "--strict", "--no-dangling"]);
    assert_eq!(fsck, "");
}

#[test]
fn a_commit_s_missing_notes_are_made_before_they_are_shared() {
    let sandbox = shared();
    let told = note(&sandbox, "HEAD");
    sandbox.git(&["update-ref", "-d", "refs/notes/rye"]);
    sandbox.rye(&["notes", "sync", "-q"]).succeeds();
    assert_eq!(note(&sandbox, "HEAD"), told);
    assert_eq!(in_remote(&sandbox, NOTES).len(), 1);
}

/// Hole 28: a refspec for pushing notes made `git push` skip the branch.
#[test]
fn git_push_and_fetch_behave_as_before() {
    let sandbox = shared();
    let config = fs::read_to_string(sandbox.project().join(".git/config")).unwrap();
    let seen = sandbox.rye(&["init"]).transcript();
    assert!(seen.contains("note: `git fetch` brings the notes of `origin` from now on\n"), "{seen}");
    let seen = sandbox.rye(&["init"]).transcript();
    assert!(!seen.contains("from now on"), "{seen}");
    sandbox.rye(&["notes", "sync", "-q"]).succeeds();
    let now = fs::read_to_string(sandbox.project().join(".git/config")).unwrap();
    let new: Vec<&str> = now.lines().filter(|line| !config.contains(line)).map(str::trim).collect();
    assert_eq!(new, ["fetch = +refs/notes/rye*:refs/notes/remotes/origin/rye*"]);
    // A plain push pushes the branch, and only that.
    let notes = sandbox.git(&["-C", "../remote.git", "rev-parse", "refs/notes/rye"]);
    sandbox.put("README.md", "# on\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.rye(&["commit", "--yes", "-qm", "on"]).succeeds();
    sandbox.edit(NOTES, "short", "noted");
    sandbox.rye(&["commit", "--yes", "-qm", "noted"]).succeeds();
    sandbox.git(&["push", "-q"]);
    let there = |name: &str| sandbox.git(&["-C", "../remote.git", "rev-parse", name]);
    assert_eq!(there("refs/heads/main"), sandbox.git(&["rev-parse", "HEAD"]));
    assert_eq!(there("refs/notes/rye"), notes);
    sandbox.rye(&["notes", "sync", "-q"]).succeeds();
    // A plain fetch brings branches as it did, and the notes.
    let bob = clone(&sandbox);
    sandbox.rye(&["-C", &bob, "init", "-q"]).by(&BOB).succeeds();
    sandbox.git(&["-C", &bob, "fetch", "-q"]);
    let in_bobs = |name: &str| sandbox.git(&["-C", &bob, "rev-parse", name]);
    assert_eq!(in_bobs("origin/main"), there("refs/heads/main"));
    assert_eq!(in_bobs("refs/notes/remotes/origin/rye"), there("refs/notes/rye"));
}

#[test]
fn a_repository_without_remote_gets_no_refspec() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["init", "-q"]).succeeds();
    sandbox.git(&["config", "remote.odd.url", "../odd.git"]);
    sandbox.rye(&["init", "-q"]).succeeds();
    let config = fs::read_to_string(sandbox.project().join(".git/config")).unwrap();
    assert!(!config.contains("notes"), "{config}");
    let seen = sandbox.rye(&["notes", "sync", "nowhere"]).transcript();
    assert!(seen.contains("error: unknown remote `nowhere`\nhint: run `git remote -v`"), "{seen}");
    assert!(seen.ends_with("[exit 1]\n"), "{seen}");
}

#[test]
fn a_remote_that_is_away_refuses_or_wants_credentials_says_so() {
    let sandbox = shared();
    let hook = sandbox.path("remote.git/hooks/update");
    fs::write(&hook, "#!/bin/sh\ncase $1 in refs/notes/*) exit 1;; esac\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let seen = sandbox.rye(&["notes", "sync"]).transcript();
    assert!(seen.contains("error: `origin` refuses notes: [remote rejected] (hook declined)\n"), "{seen}");
    assert!(seen.contains("hint: ask its administrator") && seen.ends_with("[exit 1]\n"), "{seen}");
    fs::remove_file(hook).unwrap();
    sandbox.git(&["remote", "set-url", "origin", "../gone.git"]);
    let seen = sandbox.rye(&["notes", "sync"]).transcript();
    assert!(seen.contains("error: the notes of `origin` cannot be fetched\n") && seen.contains("gone.git"), "{seen}");
    assert!(seen.contains("hint: run `git fetch origin`"), "{seen}");
    // A remote that asks for a login, as ssh does on the terminal: here no answer is possible.
    let asks = sandbox.path("asks");
    fs::write(&asks, "#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n").unwrap();
    fs::set_permissions(&asks, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.git(&["remote", "set-url", "origin", "ssh://nobody@localhost/x.git"]);
    let seen = sandbox.rye(&["notes", "sync"]).env("GIT_SSH", asks.to_str().unwrap()).transcript();
    assert!(seen.contains("Permission denied (publickey)") && seen.ends_with("[exit 1]\n"), "{seen}");
}

#[test]
fn a_remote_that_moves_on_is_followed() {
    let sandbox = shared();
    let bob = clone(&sandbox);
    sandbox.rye(&["notes", "sync", "-q"]).succeeds();
    // Between fetch and push Bob's line arrives, three times: the hook of the pushing side lets him in.
    sandbox.rye(&["-C", &bob, "notes", "sync", "-q"]).by(&BOB).succeeds();
    let count = sandbox.path("count").display().to_string();
    let blob = sandbox.git(&["rev-parse", &format!("HEAD:{NOTES}")]);
    let hook = sandbox.project().join(".git/hooks/pre-push");
    let script = format!(
        "#!/bin/sh\necho x >>{count}\n[ $(wc -l <{count}) -gt 3 ] && exit 0\ncd {bob} && unset GIT_DIR\n\
         git notes --ref=rye append -m \"other $(wc -l <{count})\" {} && git push -q origin refs/notes/rye\n",
        blob.trim()
    );
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, script).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.rye(&["sign", "knowledge", "demo/notes", "--detached", "-q"]).by(&Person::new("carol")).succeeds();
    sandbox.rye(&["notes", "sync", "-q"]).succeeds();
    let lines = in_remote(&sandbox, NOTES);
    let others = lines.iter().filter(|line| line.starts_with("other")).count();
    assert_eq!((others, lines.iter().filter(|line| line.starts_with("rye:signed:")).count()), (3, 2), "{lines:?}");
}

#[test]
fn a_signal_to_the_program_alone_ends_the_git_that_shares() {
    let sandbox = shared();
    // A remote that says nothing, for as long as git is there.
    sandbox.git(&["config", "remote.origin.receivepack", "touch begun; cat >/dev/null; echo"]);
    let mut child = sandbox.rye(&["notes", "sync"]).spawn();
    while !sandbox.project().join("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(in_remote(&sandbox, NOTES), Vec::<String>::new());
}
