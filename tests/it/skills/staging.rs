//! What a commit takes of a skill: files and manifest together, as they were signed, or neither.

use super::*;

/// Makes a project with a signed skill, committed, whose hook is installed; then changes a file and signs the skill again.
fn signed_again() -> Sandbox {
    let sandbox = signed();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.put(&format!("{PDF}/notes/form.md"), "Forms have many fields.\n");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox
}

/// Demands that the hook and `rye commit` refuse the staged files, and name those to stage.
fn is_refused(sandbox: &Sandbox, hint: &str) {
    let (code, said) = sandbox.try_git(&["commit", "-q", "-m", "part"]);
    assert!(code != 0 && said.contains(hint), "{hint}: {said}");
    let seen = sandbox.rye(&["commit", "-m", "part", "--yes"]).transcript();
    assert!(seen.contains(hint) && !seen.ends_with("[exit 0]\n"), "{hint}: {seen}");
}

#[test]
fn a_manifest_is_not_committed_without_its_files_nor_files_without_it() {
    let sandbox = signed_again();
    sandbox.git(&["add", MANIFEST]);
    is_refused(&sandbox, &format!("run `git add -- {PDF}`"));
    sandbox.git(&["add", PDF]);
    sandbox.git(&["commit", "-q", "-m", "both"]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    let sandbox = signed_again();
    sandbox.git(&["add", PDF]);
    let (code, said) = sandbox.try_git(&["commit", "-q", "-m", "part"]);
    assert!(code != 0 && said.contains(&format!("run `git add -- {MANIFEST}`")), "{said}");
    // `rye commit` takes items of the work tree along.
    sandbox.rye(&["commit", "-m", "both", "--yes", "-q"]).succeeds();
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}

#[test]
fn the_first_manifest_is_not_committed_without_its_files() {
    let sandbox = with_skill();
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.git(&["commit", "-q", "-m", "first"]);
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.git(&["add", ".ai", ".gitattributes"]);
    is_refused(&sandbox, &format!("run `git add -- {PDF}`"));
    sandbox.git(&["add", PDF]);
    sandbox.git(&["commit", "-q", "-m", "skill"]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}

/// A part of the files is not all of them.
#[test]
fn a_skill_is_not_committed_in_part() {
    let sandbox = signed_again();
    sandbox.put(&format!("{PDF}/notes/more.md"), "More.\n");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.git(&["add", MANIFEST, &format!("{PDF}/notes/form.md")]);
    is_refused(&sandbox, &format!("run `git add -- {PDF}`"));
    sandbox.git(&["add", PDF]);
    sandbox.rye(&["commit", "-m", "all", "--yes", "-q"]).succeeds();
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}

/// `rye commit PATH` takes what it names, from the work tree.
#[test]
fn a_commit_of_named_paths_takes_a_skill_whole() {
    let sandbox = signed_again();
    for path in [MANIFEST, PDF] {
        let seen = sandbox.rye(&["commit", "-m", "part", "--yes", "--", path]).transcript();
        assert!(!seen.ends_with("[exit 0]\n") && seen.contains("read-pdf"), "{path}: {seen}");
    }
    sandbox.rye(&["commit", "-m", "both", "--yes", "-q", "--", MANIFEST, PDF]).succeeds();
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}

/// A manifest and its files may be removed, together.
#[test]
fn a_skill_is_removed_whole() {
    let sandbox = signed();
    put_skill(&sandbox, ".claude/skills/other");
    sandbox.rye(&["sign", "skill", "other", "-q"]).succeeds();
    sandbox.commit("other");
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    for path in [MANIFEST, PDF] {
        sandbox.git(&["rm", "-q", "-r", path]);
        assert_ne!(sandbox.try_git(&["commit", "-q", "-m", "part"]).0, 0, "{path}");
        sandbox.git(&["reset", "-q", "--hard"]);
    }
    sandbox.git(&["rm", "-q", "-r", MANIFEST, PDF]);
    sandbox.git(&["commit", "-q", "-m", "whole"]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}
