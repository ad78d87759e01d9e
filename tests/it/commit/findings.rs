//! A commit that would not verify is not made: its tree is judged by the rule of `verify`, by its parents.

use super::*;

/// The folder of the skill, which only the project's configuration names.
const SKILL: &str = "library/count-lines";

/// Makes a project whose skills lie where its configuration says, with a signed skill that is committed without its manifest.
fn with_library() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(&format!("{SKILL}/SKILL.md"), "---\nname: count-lines\ndescription: Counts lines.\n---\n\nCount.\n");
    sandbox.put("README.md", "text\n");
    sandbox.commit("our skills");
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\"library\"]\n");
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    sandbox
}

/// Demands that a commit is refused with a command to paste, and that nothing is changed by it.
fn is_refused(sandbox: &Sandbox, args: &[&str], hint: &str) {
    let before = (sandbox.git(&["rev-parse", "HEAD"]), sandbox.git(&["status", "--porcelain"]));
    let seen = sandbox.rye(&[&["commit", "--yes", "-m", "part"], args].concat()).transcript();
    assert!(seen.contains(hint) && !seen.ends_with("[exit 0]\n"), "{hint}: {seen}");
    let after = (sandbox.git(&["rev-parse", "HEAD"]), sandbox.git(&["status", "--porcelain"]));
    assert_eq!(before, after, "{seen}");
    let left = fs::read_dir(sandbox.project().join(".git/rye")).map_or(0, |left| {
        left.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().starts_with("commit-index")).count()
    });
    assert_eq!(left, 0, "a copy of the index is left");
}

fn verifies(sandbox: &Sandbox) {
    let seen = sandbox.rye(&["verify", "--rev", "HEAD"]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn a_configuration_that_is_left_out_stops_the_commit_and_is_named() {
    let sandbox = with_library();
    is_refused(&sandbox, &[], "run `git add -- .ai/config.toml`");
    sandbox.git(&["add", ".ai/config.toml"]);
    sandbox.rye(&["commit", "--yes", "-qm", "whole"]).succeeds();
    verifies(&sandbox);
}

#[test]
fn a_configuration_that_git_ignores_is_to_be_added_by_force() {
    let sandbox = with_library();
    sandbox.put(".gitignore", ".ai/config.toml\n");
    is_refused(&sandbox, &[], "run `git add -f -- .ai/config.toml`");
    sandbox.git(&["add", "-f", ".ai/config.toml"]);
    sandbox.rye(&["commit", "--yes", "-qm", "whole"]).succeeds();
    verifies(&sandbox);
}

/// The paths of a commit decide what is in it, and so what is judged.
#[test]
fn a_commit_of_named_paths_is_judged_as_git_makes_it() {
    let sandbox = with_library();
    is_refused(&sandbox, &["--", ".ai/skills"], ".ai/config.toml");
    sandbox.git(&["add", ".ai/config.toml"]);
    is_refused(&sandbox, &["--", ".ai/skills"], ".ai/config.toml");
    sandbox.rye(&["commit", "--yes", "-qm", "whole", "--", ".ai"]).succeeds();
    verifies(&sandbox);
}

/// A signature that a rule covers is in no clone: the skill would be unsigned there, or nothing would be judged at all.
#[test]
fn a_signature_that_git_ignores_stops_the_commit() {
    for has_other in [false, true] {
        let sandbox = Sandbox::empty();
        sandbox.git(&["init", "-q", "-b", "main"]);
        let put = |name: &str| {
            let text = format!("---\nname: {name}\ndescription: Counts.\n---\n\nCount.\n");
            sandbox.put(&format!(".claude/skills/{name}/SKILL.md"), &text);
            sandbox.rye(&["sign", "skill", name, "-q"]).succeeds();
        };
        sandbox.put("README.md", "text\n");
        if has_other {
            put("other");
        }
        sandbox.commit("first");
        sandbox.put(".gitignore", "*.sig\n");
        put("count-lines");
        sandbox.git(&["add", ".claude", ".gitignore", ".gitattributes"]);
        is_refused(&sandbox, &[], ".ai/skills/count-lines.sig");
        sandbox.git(&["add", "-f", ".ai/skills/count-lines.sig"]);
        sandbox.rye(&["commit", "--yes", "-qm", "whole"]).succeeds();
        verifies(&sandbox);
    }
}

/// What was wrong before is one line, and stops nothing; the same finding about new content stops the commit.
#[test]
fn findings_of_the_parents_are_one_line() {
    let sandbox = Sandbox::with_items();
    sandbox.commit("unsigned");
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "text", "--", "README.md"]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!(seen.lines().filter(|line| line.contains("older finding")).count(), 1, "{seen}");
    // An amended commit is judged by the parents of the commit that it replaces.
    sandbox.put("README.md", "more\n");
    let seen = sandbox.rye(&["commit", "--yes", "--amend", "-m", "text", "--", "README.md"]).transcript();
    assert!(seen.ends_with("[exit 0]\n") && seen.contains("older finding"), "{seen}");
}

/// The two sides of a merge are its parents: what one of them has is not introduced by it.
#[test]
fn a_merge_brings_the_findings_of_its_sides() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put("README.md", "text\n");
    sandbox.commit("first");
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.put(NOTES, "---\nname: notes\nversion: 1.0.0\n---\n\nNotes.\n");
    sandbox.commit("unsigned");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("other.md", "text\n");
    sandbox.commit("other");
    sandbox.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "merge"]).transcript();
    assert!(seen.ends_with("[exit 0]\n") && seen.contains("older finding"), "{seen}");
}
