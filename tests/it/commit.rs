//! `rye commit`, with stock git as the judge of what it makes.

mod all_or_none;
mod along;
mod findings;
mod gate;
mod keys;
mod mixed;
mod ownership;
mod states;
mod survives;
mod whose;

use std::fs;

use serde_json::Value;

use crate::support::{Person, Sandbox, has};

pub(crate) const GREET: &str = ".ai/directives/demo/greet.md";
pub(crate) const ECHO: &str = ".ai/tools/demo/echo.sh";
pub(crate) const NOTES: &str = ".ai/knowledge/demo/notes.md";

/// Writes the file by which stock git knows who may sign, and returns its path.
pub(crate) fn allowed_signers(sandbox: &Sandbox) -> String {
    let line = sandbox.rye(&["key", "export", "person", "--as", "allowed-signers"]).stdout();
    let path = sandbox.path("allowed_signers");
    fs::write(&path, line).unwrap();
    path.display().to_string()
}

/// Demands that stock git accepts the signature of a commit.
pub(crate) fn assert_verifies(sandbox: &Sandbox, revision: &str) {
    if !has("ssh-keygen") {
        return;
    }
    let config = format!("gpg.ssh.allowedSignersFile={}", allowed_signers(sandbox));
    let (code, said) = sandbox.try_git(&["-c", &config, "verify-commit", revision]);
    assert!(code == 0 && said.contains("Good \"git\" signature"), "{said}");
    let log = sandbox.git(&["-c", &config, "log", "-1", "--format=%G?", "--show-signature", revision]);
    assert!(log.ends_with("G\n"), "{log}");
}

/// Removes all that leads to other commits than those of `main`.
fn forget_others(sandbox: &Sandbox) {
    let refs = sandbox.git(&["for-each-ref", "--format=%(refname)"]);
    for name in refs.lines().filter(|name| !["refs/heads/main", "refs/notes/rye"].contains(name)) {
        sandbox.git(&["update-ref", "-d", name]);
    }
    for left in ["FETCH_HEAD", "ORIG_HEAD", "CHERRY_PICK_HEAD", "logs/refs/stash"] {
        let _ = fs::remove_file(sandbox.project().join(".git").join(left));
    }
}

/// Returns the lines of the note on an object; none without a note.
pub(crate) fn note(sandbox: &Sandbox, object: &str) -> Vec<String> {
    let (code, said) = sandbox.try_git(&["notes", "--ref=rye", "show", object]);
    if code == 0 { said.lines().map(str::to_owned).collect() } else { Vec::new() }
}

/// Demands that all there is is committed.
pub(crate) fn assert_clean(sandbox: &Sandbox) {
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_new_or_changed_is_signed_committed_and_noted() {
    let sandbox = Sandbox::with_items();
    sandbox.put("README.md", "# staged beside\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.put("unstaged.txt", "not mine\n");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "first", "-m", "with a body"]).transcript();
    assert!(seen.contains("signed\tdirective\tdemo/greet\t.ai/directives/demo/greet.md\n"), "{seen}");
    assert!(seen.contains("] on main") || seen.contains(" on main\n"), "{seen}");
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!(sandbox.git(&["log", "--format=%B"]).trim(), "first\n\nwith a body");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? unstaged.txt\n");
    let files = sandbox.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files.lines().collect::<Vec<_>>(), [GREET, NOTES, ECHO, ".ai/tools/demo/fail.sh", "README.md"]);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
    assert_verifies(&sandbox, "HEAD");

    let blob = sandbox.git(&["rev-parse", &format!("HEAD:{ECHO}")]);
    let first = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    let line = first.lines().next().unwrap().trim_start_matches("# ");
    assert_eq!(note(&sandbox, blob.trim()), [line]);
    let key = line.rsplit(':').next().unwrap();
    let told = ["directive demo/greet", "knowledge demo/notes", "tool demo/echo", "tool demo/fail"];
    assert_eq!(note(&sandbox, "HEAD"), told.map(|item| format!("{item}: signed by {key}")));
    let log = sandbox.git(&["log", "-1", "--notes=rye"]);
    assert!(log.contains("Notes (rye):\n    directive demo/greet: signed by "), "{log}");
    assert_eq!(sandbox.git(&["rev-list", "--count", "refs/notes/rye"]), "1\n");
}

#[test]
fn removed_and_renamed_items_follow() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    fs::remove_file(sandbox.project().join(NOTES)).unwrap();
    fs::rename(sandbox.project().join(ECHO), sandbox.project().join(".ai/tools/demo/say.sh")).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "move"]).transcript();
    assert!(seen.contains("signed\ttool\tdemo/say") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert_clean(&sandbox);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
    let told = note(&sandbox, "HEAD");
    assert_eq!(
        (told.len(), &told[0][..], &told[1][..]),
        (3, "knowledge demo/notes: removed", "tool demo/echo: removed")
    );
}

#[test]
fn paths_take_what_is_in_the_work_tree_and_nothing_else() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.edit(NOTES, "short", "demo ");
    sandbox.put(".ai/tools/demo/more.sh", "# version: \"1.0.0\"\n# description: More\n# category: demo\ntrue\n");
    sandbox.put("README.md", "staged\n");
    sandbox.git(&["add", "README.md"]);
    let below = sandbox.project().join(".ai/tools");
    let below = below.display().to_string();
    let seen = sandbox.rye(&["-C", &below, "commit", "--yes", "demo/../demo", "-m", "tools"]).transcript();
    assert!(seen.contains("signed\ttool\tdemo/echo") && seen.contains("signed\ttool\tdemo/more"), "{seen}");
    assert!(!seen.contains("knowledge"), "{seen}");
    let changed = sandbox.git(&["diff", "--name-only", "HEAD~", "HEAD"]);
    assert_eq!(changed.lines().collect::<Vec<_>>(), [ECHO, ".ai/tools/demo/more.sh"]);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M .ai/knowledge/demo/notes.md\nA  README.md\n");
    let outside = sandbox.rye(&["commit", "--yes", "../elsewhere", "-m", "no"]).transcript();
    assert!(outside.contains("`../elsewhere` is not in the project") && outside.ends_with("[exit 2]\n"), "{outside}");
    let unknown = sandbox.rye(&["commit", "--yes", ".ai/nothing", "-m", "no"]).transcript();
    let message = "`.ai/nothing` is neither in the work tree nor in the last commit\nhint: run `git status`";
    assert!(unknown.contains(message) && unknown.ends_with("[exit 1]\n"), "{unknown}");
    // A removal can be committed: a file, and a folder.
    for removed in [".ai/tools/demo/more.sh", ".ai/tools/demo"] {
        let path = sandbox.project().join(removed);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        sandbox.rye(&["commit", "--yes", removed, "-m", "less"]).succeeds();
    }
}

#[test]
fn of_a_partially_staged_item_the_staged_version_is_signed() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox.edit(NOTES, "short", "staged");
    sandbox.git(&["add", NOTES]);
    sandbox.edit(NOTES, "staged", "worked on");
    let worked_on = fs::read(sandbox.project().join(NOTES)).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "part"]).transcript();
    assert!(seen.contains("signed\tknowledge\tdemo/notes") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!(fs::read(sandbox.project().join(NOTES)).unwrap(), worked_on);
    let committed = sandbox.git(&["show", &format!("HEAD:{NOTES}")]);
    assert!(committed.contains("staged") && !committed.contains("worked on"), "{committed}");
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M {NOTES}\n"));
}

#[test]
fn the_outcome_is_one_json_object() {
    let sandbox = Sandbox::with_items();
    let seen: Value =
        serde_json::from_slice(&sandbox.rye(&["commit", "--yes", "-m", "first", "--json"]).stdout()).unwrap();
    assert_eq!(seen["branch"], "refs/heads/main");
    assert_eq!(seen["commit_id"], sandbox.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(seen["notes_commit_id"], sandbox.git(&["rev-parse", "refs/notes/rye"]).trim());
    assert_eq!(seen["items"][0]["signature"]["version"], 2);
    let refused: Value =
        serde_json::from_slice(&sandbox.rye(&["commit", "--yes", "-m", "again", "--json"]).stdout()).unwrap();
    assert_eq!(refused["error"]["code"], "nothing-to-commit");
}

#[test]
fn what_is_not_valid_keeps_everything_from_being_signed() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(GREET, "</directive>\n", "");
    let before = fs::read(sandbox.project().join(ECHO)).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
    assert!(seen.contains("greet.md:") && seen.contains("error: cannot sign: 1 item is invalid"), "{seen}");
    assert!(seen.ends_with("[exit 2]\n"), "{seen}");
    assert_eq!(fs::read(sandbox.project().join(ECHO)).unwrap(), before);
    assert_eq!(sandbox.git(&["diff", "--cached", "--name-only"]), "");
    sandbox.git(&["rm", "-q", "--cached", "--ignore-unmatch", GREET]);
    fs::remove_file(sandbox.project().join(GREET)).unwrap();
    sandbox.put(".ai/tools/demo/fail.py", "print()\n");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
    assert!(seen.contains("differ only by extension") && seen.ends_with("[exit 2]\n"), "{seen}");
}

#[test]
fn notes_that_are_missing_are_made_by_the_next_commit() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    let whole = sandbox.git(&["ls-tree", "-r", "refs/notes/rye"]);
    sandbox.git(&["update-ref", "-d", "refs/notes/rye"]);
    sandbox.put("README.md", "# beside\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.rye(&["commit", "--yes", "-qm", "second"]).succeeds();
    assert_eq!(sandbox.git(&["ls-tree", "-r", "refs/notes/rye"]), whole);
}

#[test]
fn countersignatures_of_unchanged_content_move_to_the_new_blob() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    let (bob, later) = (Person::new("bob"), "2026-04-01T00:00:00Z");
    for item in [["knowledge", "demo/notes"], ["tool", "demo/echo"]] {
        sandbox.rye(&["sign", item[0], item[1], "--detached", "-q"]).by(&bob).succeeds();
    }
    let blob = |path: &str| sandbox.git(&["rev-parse", &format!("HEAD:{path}")]).trim().to_owned();
    let before = note(&sandbox, &blob(NOTES));
    assert_eq!(before.len(), 2);
    // The same content under a new line; the other one really changes.
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.put(NOTES, text.split_once('\n').unwrap().1);
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["commit", "--yes", "-qm", "again"]).env("RYE_NOW", later).succeeds();
    let after = note(&sandbox, &blob(NOTES));
    let bobs = |lines: &[String]| {
        lines.iter().filter(|line| line.ends_with(&sandbox.key_id(&bob))).cloned().collect::<Vec<_>>()
    };
    assert_eq!((after.len(), bobs(&after)), (2, bobs(&before)));
    assert!(after.iter().any(|line| line.starts_with(&format!("rye:signed:{later}"))), "{after:?}");
    assert_eq!(note(&sandbox, &blob(ECHO)).len(), 1, "what changed needs a new countersignature");
}
