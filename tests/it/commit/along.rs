//! What `rye commit` takes along besides items, and what it leaves.

use std::fs;

use super::{ECHO, assert_clean};
use crate::support::Sandbox;

fn committed(sandbox: &Sandbox) -> String {
    sandbox.git(&["show", "--format=", "--name-only", "HEAD"])
}

#[test]
fn the_files_of_init_and_signed_trust_files_are_taken_along() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["init", "-q"]).succeeds();
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    sandbox.put("unstaged.txt", "not mine\n");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
    assert!(seen.contains("note: also in the commit: `.ai/.gitignore`"), "{seen}");
    let files = committed(&sandbox);
    for name in [".gitattributes", ".ai/.gitignore", ".ai/trust/allowed_signers", ".ai/trust/trust.sig", ECHO] {
        assert!(files.lines().any(|line| line == name), "{name}: {files}");
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? unstaged.txt\n");
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

#[test]
fn attributes_are_taken_along_whatever_a_commit_is_limited_to() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["init", "-q"]).succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "one", ECHO]).succeeds();
    assert_eq!(committed(&sandbox), format!("{ECHO}\n.gitattributes\n"));
    sandbox.rye(&["commit", "--yes", "-qm", "the rest"]).succeeds();
    assert_clean(&sandbox);
    // A line of the person's own that comes later is theirs to commit.
    fs::write(
        sandbox.project().join(".gitattributes"),
        "/.ai/** -text -filter -ident -working-tree-encoding\n*.md text\n",
    )
    .unwrap();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["commit", "--yes", "-qm", "more"]).succeeds();
    assert_eq!(committed(&sandbox), format!("{ECHO}\n"));
}

#[test]
fn trust_files_that_no_root_signed_as_they_are_stay_and_stop_the_commit_that_names_them() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    sandbox.rye(&["commit", "-qm", "trust"]).succeeds();
    assert_eq!(committed(&sandbox), ".ai/trust/allowed_signers\n.ai/trust/trust.sig\n");
    let path = sandbox.project().join(".ai/trust/allowed_signers");
    let signers = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("# changed\n{signers}")).unwrap();
    sandbox.edit(ECHO, "category", "category ");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "tool"]).transcript();
    assert!(seen.contains("warning: `.ai/trust/allowed_signers` is skipped: no root signed it as it is"), "{seen}");
    assert!(seen.contains("rye trust propose"), "{seen}");
    assert_eq!(committed(&sandbox), format!("{ECHO}\n"));
    let seen = sandbox.rye(&["commit", "-m", "named", ".ai/trust"]).transcript();
    assert!(
        seen.contains("RYE-M004") && seen.contains("`rye trust propose`") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
    assert!(!seen.contains("is skipped"), "{seen}");
    assert_eq!(committed(&sandbox), format!("{ECHO}\n"));
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    sandbox.rye(&["commit", "-qm", "signed"]).succeeds();
    assert_clean(&sandbox);
}
