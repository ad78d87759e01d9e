//! A commit signs everything or nothing: what fails half way leaves files and index as they were.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{ECHO, GREET, NOTES};
use crate::support::Sandbox;

const FAIL: &str = ".ai/tools/demo/fail.sh";

/// The bytes of every item, and what the index has of them.
fn state(sandbox: &Sandbox) -> (Vec<Vec<u8>>, String) {
    let files = [GREET, NOTES, ECHO, FAIL].map(|path| fs::read(sandbox.project().join(path)).unwrap());
    (files.to_vec(), sandbox.git(&["ls-files", "--stage"]))
}

fn mode(sandbox: &Sandbox, path: &str, mode: u32) {
    fs::set_permissions(sandbox.project().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_cannot_be_written_leaves_every_other_as_it_was() {
    for is_staged in [false, true] {
        let sandbox = Sandbox::with_items();
        if is_staged {
            sandbox.git(&["add", "-A"]);
        }
        mode(&sandbox, FAIL, 0o444);
        let before = state(&sandbox);
        let seen = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
        assert!(seen.contains("demo/fail.sh` is write-protected") && seen.ends_with("[exit 1]\n"), "{seen}");
        assert!(seen.contains("hint: run `chmod u+w [SANDBOX]/project/.ai/tools/demo/fail.sh`"), "{seen}");
        assert_eq!(state(&sandbox), before);
        mode(&sandbox, FAIL, 0o644);
        sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
        sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
    }
}

#[test]
fn the_hook_leaves_every_file_as_it_was_too() {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    for (path, from, to) in
        [(NOTES, "short", "other"), (ECHO, "category", "category "), (FAIL, "category", "category ")]
    {
        sandbox.edit(path, from, to);
    }
    sandbox.git(&["add", "-A"]);
    mode(&sandbox, FAIL, 0o444);
    let before = state(&sandbox);
    let (code, said) = sandbox.try_git(&["commit", "-qm", "second"]);
    assert!(code == 1 && said.contains("is write-protected") && said.contains("chmod u+w "), "{said}");
    assert_eq!(state(&sandbox), before);
    mode(&sandbox, FAIL, 0o644);
    sandbox.git(&["commit", "-qm", "second"]);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

/// Staged items are replaced in the index first; then git refuses to add the rest.
#[test]
fn what_cannot_be_staged_is_not_signed() {
    let sandbox = Sandbox::signed();
    sandbox.edit(NOTES, "short", "other");
    sandbox.git(&["add", NOTES]);
    sandbox.edit(ECHO, "category", "category ");
    sandbox.put(".gitattributes", ".ai/tools/demo/echo.sh filter=broken\n");
    sandbox.git(&["config", "filter.broken.clean", "false"]);
    sandbox.git(&["config", "filter.broken.required", "true"]);
    let before = state(&sandbox);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "second"]).transcript();
    assert!(seen.contains("broken") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert_eq!(state(&sandbox), before);
}

/// `sign` and `commit` say the same of a file that may not be written.
#[test]
fn a_write_protected_item_fails_with_the_command_that_opens_it() {
    let sandbox = Sandbox::with_items();
    mode(&sandbox, ECHO, 0o444);
    let seen = sandbox.rye(&["sign", "tool", "demo/echo"]).transcript();
    assert!(seen.contains("is write-protected") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(seen.contains("hint: run `chmod u+w [SANDBOX]/project/.ai/tools/demo/echo.sh`"), "{seen}");
}
