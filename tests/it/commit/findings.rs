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

/// Begins a merge of a branch whose commit does something into `main`, which goes on.
fn merging(sandbox: &Sandbox, on_side: impl Fn()) {
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    on_side();
    sandbox.commit("side");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("other.md", "text\n");
    sandbox.commit("other");
    sandbox.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
}

/// What the branch of the first parent has is older, whatever is merged into it.
#[test]
fn a_merge_brings_the_findings_of_its_first_parent() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(NOTES, "---\nname: notes\nversion: 1.0.0\n---\n\nNotes.\n");
    sandbox.commit("unsigned");
    merging(&sandbox, || sandbox.put("README.md", "text\n"));
    let seen = sandbox.rye(&["commit", "--yes", "-m", "merge"]).transcript();
    assert!(seen.ends_with("[exit 0]\n") && seen.contains("older finding"), "{seen}");
}

/// What the other side has is new on the branch of the first parent, where a reviewer would meet it.
#[test]
fn a_merge_does_not_bring_the_findings_of_its_other_side() {
    let (text, sign) = ("---\nname: more\nversion: 1.0.0\n---\n\nMore.\n", "`rye sign knowledge demo/");
    for (path, text) in [(NOTES, None), (".ai/knowledge/demo/more.md", Some(text))] {
        let sandbox = Sandbox::signed();
        merging(&sandbox, || match text {
            Some(text) => sandbox.put(path, text),
            None => sandbox.edit(path, "short", "evil"),
        });
        is_refused(&sandbox, &[], sign);
    }
}

/// Makes a project of signed items, with committed trust files or without any.
fn signed_project(has_trust: bool) -> Sandbox {
    let sandbox = Sandbox::signed();
    if has_trust {
        sandbox.rye(&["trust", "propose", "-q"]).succeeds();
        sandbox.rye(&["commit", "-qm", "trust"]).succeeds();
    }
    sandbox
}

fn verifies_by_its_parent(sandbox: &Sandbox) {
    let seen = sandbox.rye(&["verify", "--range", "HEAD~1..HEAD", "--trust-root", "HEAD~1"]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
}

/// Trust files that no root signed are refused by a clone: staged, they stop the commit, and no message calls them skipped.
#[test]
fn staged_trust_files_that_no_root_signed_stop_the_commit() {
    let bob = Person::new("bob");
    for (path, is_named) in [
        (".ai/trust/allowed_signers", false),
        (".ai/trust/allowed_signers", true),
        (".ai/config.toml", false),
        (".ai/config.toml", true),
    ] {
        let sandbox = signed_project(true);
        sandbox.key_id(&bob);
        let line = sandbox.rye(&["key", "export", "person", "--as", "allowed-signers"]).by(&bob).stdout();
        let before = fs::read_to_string(sandbox.project().join(path)).unwrap_or_default();
        let added = match path {
            ".ai/config.toml" => "[permissions]\ndeny = [\"rye.execute.tool.*\"]\n".to_owned(),
            _ => String::from_utf8(line).unwrap(),
        };
        sandbox.put(path, &(before + &added));
        sandbox.git(&["add", path]);
        let args: &[&str] = if is_named { &["--", path] } else { &[] };
        is_refused(&sandbox, args, "`rye trust propose`");
        let seen = sandbox.rye(&[&["commit", "--yes", "-m", "part"], args].concat()).transcript();
        assert!(!seen.contains("is skipped"), "{seen}");
        sandbox.rye(&["trust", "propose", "-q"]).succeeds();
        sandbox.rye(&["commit", "--yes", "-qm", "proposed"]).succeeds();
        verifies_by_its_parent(&sandbox);
    }
}

/// An item that goes back to an earlier signed version is a rollback for whoever has the newer one.
#[test]
fn an_item_that_goes_back_stops_the_commit() {
    for has_trust in [false, true] {
        let sandbox = signed_project(has_trust);
        sandbox.edit(NOTES, "short", "longer");
        sandbox.rye(&["commit", "--yes", "-qm", "next"]).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
        sandbox.git(&["checkout", "HEAD~1", "--", NOTES]);
        is_refused(&sandbox, &[], "`rye sign knowledge demo/notes --again`");
        let sign = ["sign", "knowledge", "demo/notes", "--again", "--yes", "-q"];
        sandbox.rye(&sign).env("RYE_NOW", "2026-05-01T00:00:00Z").succeeds();
        sandbox.git(&["add", NOTES]);
        sandbox.rye(&["commit", "--yes", "-qm", "back"]).env("RYE_NOW", "2026-05-01T00:00:00Z").succeeds();
        if has_trust {
            verifies_by_its_parent(&sandbox);
        }
        verifies(&sandbox);
    }
}

/// Writes a hook that git runs before it makes a commit.
fn hook(sandbox: &Sandbox, script: &str) {
    let path = sandbox.project().join(".git/hooks/pre-commit");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// A formatter in a hook of git changes a signed item after the proof: the commit is undone, and the hook's work stays.
#[test]
fn a_commit_that_a_hook_changed_is_judged_again_and_undone() {
    let format = format!("echo formatted >> {NOTES} && git add {NOTES}");
    for is_first in [false, true] {
        let sandbox = if is_first { Sandbox::with_items() } else { Sandbox::signed() };
        hook(&sandbox, &format);
        sandbox.put("README.md", "text\n");
        sandbox.git(&["add", "README.md"]);
        let before = sandbox.try_git(&["rev-parse", "--verify", "-q", "HEAD"]);
        let seen = sandbox.rye(&["commit", "--yes", "-m", "part"]).transcript();
        assert!(seen.contains("a hook of git changed the files") && seen.ends_with("[exit 3]\n"), "{seen}");
        assert!(seen.contains("`git diff HEAD`"), "{seen}");
        assert_eq!(sandbox.try_git(&["rev-parse", "--verify", "-q", "HEAD"]), before, "{seen}");
        let staged = sandbox.git(&["diff", "--cached", "--name-only"]);
        let staged = if is_first { sandbox.git(&["ls-files"]) } else { staged };
        assert!(staged.contains(NOTES) && staged.contains("README.md"), "{staged}");
        assert!(fs::read_to_string(sandbox.project().join(NOTES)).unwrap().ends_with("formatted\n"));
        // What a formatter has already formatted stays.
        hook(&sandbox, "true");
        sandbox.rye(&["commit", "--yes", "-qm", "again"]).succeeds();
        verifies(&sandbox);
    }
}

/// A merge is still one once its commit was undone.
#[test]
fn an_undone_merge_is_begun_again() {
    let sandbox = Sandbox::signed();
    merging(&sandbox, || sandbox.put("README.md", "text\n"));
    hook(&sandbox, &format!("echo formatted >> {NOTES} && git add {NOTES}"));
    let seen = sandbox.rye(&["commit", "--yes", "-m", "merge"]).transcript();
    assert!(seen.contains("a hook of git changed the files"), "{seen}");
    assert_eq!(sandbox.git(&["rev-parse", "MERGE_HEAD"]), sandbox.git(&["rev-parse", "side"]));
}

/// What a hook changes besides items is part of the commit as before.
#[test]
fn a_commit_that_a_hook_changed_well_is_made() {
    let sandbox = Sandbox::signed();
    hook(&sandbox, "echo formatted >> README.md && git add README.md");
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.rye(&["commit", "--yes", "-qm", "text"]).succeeds();
    assert_eq!(sandbox.git(&["show", "HEAD:README.md"]), "text\nformatted\n");
    verifies(&sandbox);
}

/// Lines that `rye sign` wrote go into the commit with the skill that they keep; other lines are the person's to commit.
#[test]
fn the_attributes_of_a_signed_skill_go_into_its_commit() {
    for (args, has_more) in [(&[][..], false), (&["--", ".claude", ".ai"][..], false), (&[][..], true)] {
        let sandbox = Sandbox::signed();
        sandbox.rye(&["init", "-q"]).succeeds();
        sandbox.rye(&["commit", "--yes", "-qm", "init"]).succeeds();
        let text = "---\nname: one\ndescription: Counts.\n---\n\nCount.\n";
        sandbox.put(".claude/skills/one/SKILL.md", text);
        sandbox.rye(&["sign", "skill", "one", "-q"]).succeeds();
        sandbox.git(&["add", "--", ".claude/skills/one"]);
        if has_more {
            let before = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
            sandbox.put(".gitattributes", &format!("*.png binary\n{before}"));
            is_refused(&sandbox, args, "`git add -- .gitattributes`");
            sandbox.git(&["add", "--", ".gitattributes"]);
        }
        sandbox.rye(&[&["commit", "--yes", "-qm", "skill"], args].concat()).succeeds();
        let attributes = sandbox.git(&["show", "HEAD:.gitattributes"]);
        assert!(attributes.contains("/.claude/skills/** -text"), "{attributes}");
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
        verifies(&sandbox);
    }
}

/// Attributes by which every clone has other bytes of an item stop the commit that brings them, and no later one.
#[test]
fn attributes_that_change_items_in_every_clone_stop_the_commit() {
    for (path, text) in [
        (".gitattributes", ".ai/** text eol=crlf\n"),
        (".gitattributes", "*.md ident\n"),
        (".ai/knowledge/.gitattributes", "* text eol=crlf\n"),
        (".ai/knowledge/demo/.gitattributes", "*.md filter=x\n"),
    ] {
        let sandbox = Sandbox::signed();
        sandbox.put(path, text);
        sandbox.git(&["add", path]);
        is_refused(&sandbox, &[], "`git check-attr -a -- .ai/");
        is_refused(&sandbox, &["--", path], "`git check-attr -a -- .ai/");
        sandbox.git(&["commit", "-qm", "by git"]);
        sandbox.put("README.md", "text\n");
        sandbox.git(&["add", "README.md"]);
        sandbox.rye(&["commit", "--yes", "-qm", "text"]).succeeds();
    }
    let sandbox = Sandbox::signed();
    sandbox.put(".gitattributes", "* text=auto\n.ai/** -text eol=crlf\n");
    sandbox.git(&["add", ".gitattributes"]);
    sandbox.rye(&["commit", "--yes", "-qm", "kept"]).succeeds();
}

/// A submodule that the parent has as it is is older than the first signed skill; a new one is not.
#[test]
fn an_older_submodule_does_not_stop_the_first_signed_skill() {
    for is_older in [true, false] {
        let sandbox = Sandbox::signed();
        let head = sandbox.git(&["rev-parse", "HEAD"]);
        let entry = format!("160000,{},.claude/skills/pack", head.trim());
        let add = || drop(sandbox.git(&["update-index", "--add", "--cacheinfo", &entry]));
        if is_older {
            add();
            sandbox.git(&["commit", "-qm", "pack"]);
        }
        sandbox.put(".claude/skills/one/SKILL.md", "---\nname: one\ndescription: Counts.\n---\n\nCount.\n");
        sandbox.rye(&["sign", "skill", "one", "-q"]).succeeds();
        sandbox.git(&["add", "--", ".claude/skills/one", ".gitattributes"]);
        if is_older {
            let seen = sandbox.rye(&["commit", "--yes", "-m", "skill"]).transcript();
            assert!(seen.contains("older finding") && seen.ends_with("[exit 0]\n"), "{seen}");
        } else {
            add();
            is_refused(&sandbox, &[], "this is a repository of its own");
        }
    }
}

/// What is wrong in a project, and stays so.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    Tampered,
    Unsigned,
    WentBack,
    AgentFile,
    Skill,
}

impl Wrong {
    const ALL: [Self; 5] = [Self::Tampered, Self::Unsigned, Self::WentBack, Self::AgentFile, Self::Skill];

    fn commit(self, sandbox: &Sandbox) {
        match self {
            Self::Tampered => sandbox.edit(NOTES, "short", "evil"),
            Self::Unsigned => {
                sandbox.put(".ai/knowledge/demo/more.md", "---\nname: more\nversion: 1.0.0\n---\n\nMore.\n");
            }
            Self::WentBack => {
                sandbox.edit(NOTES, "short", "longer");
                sandbox.rye(&["sign", "--all", "--yes", "-q"]).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
                sandbox.commit("next");
                sandbox.git(&["checkout", "HEAD~1", "--", NOTES]);
            }
            Self::AgentFile => {
                sandbox.put("AGENTS.md", "Be careful.\n");
                sandbox.git(&["add", "AGENTS.md"]);
                sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
                sandbox.commit("listed");
                sandbox.put("AGENTS.md", "Do whatever you are told.\n");
            }
            Self::Skill => {
                sandbox.put(".claude/skills/one/SKILL.md", "---\nname: one\ndescription: Counts.\n---\n\nCount.\n");
                sandbox.rye(&["sign", "skill", "one", "-q"]).succeeds();
                sandbox.commit("signed");
                sandbox.put(".claude/skills/one/SKILL.md", "---\nname: one\ndescription: Counts.\n---\n\nDo it.\n");
            }
        }
        sandbox.commit("wrong");
    }
}

/// A branch that takes the main branch in is stopped by nothing that is wrong below its first parent, by whatever keys it is judged:
/// where both sides began, on the branch alone, or on the main branch and merged before.
#[test]
fn a_merge_of_the_main_branch_is_not_stopped_by_what_is_wrong_below_its_first_parent() {
    for (wrong, place) in Wrong::ALL.into_iter().flat_map(|wrong| (0..3).map(move |place| (wrong, place))) {
        let sandbox = signed_project(true);
        if place == 0 {
            wrong.commit(&sandbox);
        }
        sandbox.git(&["branch", "topic"]);
        if place == 2 {
            wrong.commit(&sandbox);
        }
        sandbox.git(&["checkout", "-q", "topic"]);
        if place == 1 {
            wrong.commit(&sandbox);
        }
        sandbox.put("topic.md", "text\n");
        sandbox.commit("topic");
        if place == 2 {
            sandbox.git(&["merge", "-q", "--no-ff", "-m", "before", "main"]);
        }
        sandbox.git(&["checkout", "-q", "main"]);
        sandbox.put("README.md", "text\n");
        sandbox.commit("main");
        sandbox.git(&["checkout", "-q", "topic"]);
        sandbox.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
        let seen = sandbox.rye(&["commit", "--yes", "-m", "merge"]).transcript();
        assert!(seen.ends_with("[exit 0]\n"), "{wrong:?} {place}: {seen}");
        // The merge has what its first parent has, each judged by itself.
        let found = |revision: &str| {
            let seen = sandbox.rye(&["verify", "--rev", revision, "--trust-root", revision, "--json"]).stdout();
            let seen: Value = serde_json::from_slice(&seen).unwrap();
            let findings = seen["findings"].as_array().cloned().unwrap_or_default();
            Vec::from_iter(findings.into_iter().map(|finding| (finding["rule"].clone(), finding["path"].clone())))
        };
        assert_eq!(found("HEAD"), found("HEAD~1"), "{wrong:?} {place}");
        assert_eq!(seen.contains("older finding"), !found("HEAD~1").is_empty(), "{wrong:?} {place}: {seen}");
    }
}
