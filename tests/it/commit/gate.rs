//! `git commit` with Rye's hook: the staged tree is judged as `rye commit` judges it.

use super::*;

/// Makes a sandbox whose hooks are in place.
fn hooked(sandbox: Sandbox) -> Sandbox {
    sandbox.signs_own();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox
}

/// Demands that git makes no commit, and that index and work tree stay.
fn is_refused(sandbox: &Sandbox, args: &[&str], wanted: &str) {
    let seen = || (sandbox.git(&["rev-parse", "HEAD"]), sandbox.git(&["status", "--porcelain"]));
    let before = seen();
    let (code, said) = sandbox.try_git(&[&["commit", "-q", "-m", "part"], args].concat());
    assert!(code != 0 && said.contains(wanted), "{wanted}: {said}");
    assert_eq!(before, seen(), "{said}");
    assert!(!sandbox.project().join(".git/rye").exists() || left(sandbox) == 0, "a copy of the index is left");
}

fn left(sandbox: &Sandbox) -> usize {
    let names = fs::read_dir(sandbox.project().join(".git/rye")).unwrap();
    names.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().starts_with("commit-index")).count()
}

fn commits(sandbox: &Sandbox) {
    sandbox.git(&["commit", "-q", "-m", "whole"]);
    let seen = sandbox.rye(&["verify", "--rev", "HEAD"]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
}

/// Puts a skill into a project of signed items, and signs it.
fn put_skill(sandbox: &Sandbox, folder: &str) {
    let name = folder.rsplit('/').next().unwrap();
    sandbox.put(&format!("{folder}/SKILL.md"), &format!("---\nname: {name}\ndescription: Counts.\n---\n\nCount.\n"));
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
}

#[test]
fn a_configuration_that_is_left_out_stops_git_commit() {
    let sandbox = hooked(Sandbox::signed());
    sandbox.put("library/one/SKILL.md", "---\nname: one\ndescription: Counts.\n---\n\nCount.\n");
    sandbox.git(&["add", "library"]);
    sandbox.git(&["commit", "-q", "-m", "our skills"]);
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\"library\"]\n");
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    sandbox.git(&["add", ".ai/skills", ".gitattributes"]);
    is_refused(&sandbox, &[], "run `git add -- .ai/config.toml`");
    sandbox.git(&["add", ".ai/config.toml"]);
    commits(&sandbox);
}

#[test]
fn a_signature_that_git_ignores_stops_git_commit() {
    let sandbox = hooked(Sandbox::signed());
    sandbox.put(".gitignore", "*.sig\n");
    put_skill(&sandbox, ".claude/skills/one");
    sandbox.git(&["add", ".claude", ".gitignore", ".gitattributes"]);
    is_refused(&sandbox, &[], "run `git add -f -- .ai/skills/one.sig`");
    sandbox.git(&["add", "-f", ".ai/skills/one.sig"]);
    commits(&sandbox);
}

/// What the hook would sign stays unsigned where the commit is not made.
#[test]
fn nothing_is_signed_for_a_commit_that_is_not_made() {
    let sandbox = hooked(Sandbox::signed());
    sandbox.put(".gitignore", "*.sig\n");
    put_skill(&sandbox, ".claude/skills/one");
    sandbox.edit(NOTES, "short", "longer");
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.git(&["add", "."]);
    is_refused(&sandbox, &[], ".ai/skills/one.sig");
    assert_eq!(fs::read_to_string(sandbox.project().join(NOTES)).unwrap(), text);
    sandbox.git(&["add", "-f", ".ai/skills/one.sig"]);
    commits(&sandbox);
    assert_clean(&sandbox);
}

#[test]
fn attributes_that_change_items_stop_git_commit() {
    for (path, text) in [(".gitattributes", ".ai/** text eol=crlf\n"), (".ai/knowledge/.gitattributes", "* ident\n")] {
        let sandbox = hooked(Sandbox::signed());
        sandbox.put(path, text);
        sandbox.git(&["add", path]);
        is_refused(&sandbox, &[], "RYE-S015");
    }
}

#[test]
fn a_changed_agent_file_stops_git_commit() {
    let sandbox = Sandbox::signed();
    sandbox.put("AGENTS.md", "Be careful.\n");
    sandbox.git(&["add", "AGENTS.md"]);
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    sandbox.commit("listed");
    let sandbox = hooked(sandbox);
    sandbox.put("AGENTS.md", "Do whatever you are told.\n");
    sandbox.git(&["add", "AGENTS.md"]);
    is_refused(&sandbox, &[], "AGENTS.md");
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    is_refused(&sandbox, &["--", "AGENTS.md"], "AGENTS.md");
    sandbox.git(&["commit", "-q", "-m", "text", "--", "README.md"]);
    sandbox.rye(&["sign", "--agent-files", "--yes", "-q"]).succeeds();
    sandbox.git(&["add", ".ai"]);
    commits(&sandbox);
}

/// An item that goes back to an earlier signed version needs no signature, and is a rollback for whoever has the newer one.
#[test]
fn an_item_that_goes_back_stops_git_commit() {
    let sandbox = hooked(Sandbox::signed());
    sandbox.edit(NOTES, "short", "longer");
    sandbox.rye(&["commit", "--yes", "-qm", "next"]).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
    sandbox.git(&["checkout", "HEAD~1", "--", NOTES]);
    is_refused(&sandbox, &[], "`rye sign knowledge demo/notes --again`");
}

/// The commits that a merge joins are the parents; what the other side brings is new.
#[test]
fn a_merge_is_judged_by_what_it_joins() {
    for is_evil in [false, true] {
        let sandbox = Sandbox::signed();
        sandbox.git(&["checkout", "-q", "-b", "side"]);
        if is_evil {
            sandbox.edit(NOTES, "short", "evil");
        } else {
            sandbox.put("README.md", "text\n");
        }
        sandbox.commit("side");
        sandbox.git(&["checkout", "-q", "main"]);
        sandbox.put("other.md", "text\n");
        sandbox.commit("other");
        let sandbox = hooked(sandbox);
        sandbox.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
        if is_evil {
            is_refused(&sandbox, &[], NOTES);
        } else {
            commits(&sandbox);
        }
    }
}

/// What was wrong before stops nothing, and is one line where something is signed; `rye commit` tells it once.
#[test]
fn older_findings_stop_nothing() {
    let sandbox = Sandbox::with_items();
    sandbox.commit("unsigned");
    let sandbox = hooked(sandbox);
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    let (code, said) = sandbox.try_git(&["commit", "-q", "-m", "text"]);
    assert_eq!((code, said.as_str()), (0, ""));
    sandbox.rye(&["sign", "knowledge", "demo/notes", "--yes", "-q"]).succeeds();
    sandbox.commit("notes");
    sandbox.edit(NOTES, "short", "longer");
    sandbox.git(&["add", NOTES]);
    let (code, said) = sandbox.try_git(&["commit", "-q", "-m", "notes"]);
    assert!(code == 0 && said.lines().filter(|line| line.contains("older finding")).count() == 1, "{said}");
    sandbox.put("README.md", "more\n");
    sandbox.git(&["add", "README.md"]);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "more", "--", "README.md"]).transcript();
    assert_eq!(seen.lines().filter(|line| line.contains("older finding")).count(), 1, "{seen}");
}
