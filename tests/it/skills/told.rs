//! What commands say of skills: which folder differs, what to run, and why a folder is not a skill.

use std::os::unix::fs::symlink;

use super::*;

/// Demands that a run says a sentence and ends with a code.
fn says(sandbox: &Sandbox, args: &[&str], sentence: &str, exit: u8) -> String {
    let seen = sandbox.rye(args).transcript();
    let is_right = seen.contains(sentence) && seen.ends_with(&format!("[exit {exit}]\n"));
    assert!(is_right, "rye {}: no `{sentence}` in {seen}", args.join(" "));
    seen
}

#[test]
fn a_diff_shows_every_folder_that_differs() {
    let sandbox = signed();
    put_skill(&sandbox, ".agents/skills/read-pdf");
    assert_found(&sandbox, &[], &[]);
    sandbox.put(&format!("{PDF}/notes/form.md"), "Forms have many fields.\n");
    for args in [&["diff"][..], &["diff", "read-pdf"]] {
        let seen = says(&sandbox, args, "+++ b/.claude/skills/read-pdf/notes/form.md", 0);
        assert!(seen.contains("skill `read-pdf` changed since it was signed"), "{seen}");
        assert!(!seen.contains(".agents"), "{seen}");
    }
    assert_eq!(json(&sandbox, &["diff"])["items"][0]["path"], PDF);
    let seen = sandbox.rye(&["status"]).transcript();
    assert!(seen.contains(PDF) && !seen.contains(".agents/skills"), "{seen}");
    sandbox.put(".agents/skills/read-pdf/notes/form.md", "Other fields.\n");
    let seen = says(&sandbox, &["diff"], "+++ b/.claude/skills/read-pdf/notes/form.md", 0);
    // No commit has the text that was signed at this path.
    assert!(seen.contains("b/.agents/skills/read-pdf/notes/form.md differ"), "{seen}");
}

#[test]
fn a_skill_without_its_folder_is_told_as_one() {
    let sandbox = signed();
    fs::remove_file(sandbox.project().join(PDF).join("SKILL.md")).unwrap();
    says(&sandbox, &["diff"], "skill `read-pdf`: its folder is missing", 0);
    assert_eq!(json(&sandbox, &["diff"])["items"][0]["state"], "no_folder");
    let seen = says(&sandbox, &["load", "skill", "read-pdf"], "no folder of `skills.paths` has it", 3);
    assert!(!seen.contains("did you mean"), "{seen}");
    let seen = says(&sandbox, &["execute", "skill", "read-pdf"], "no folder of `skills.paths` has it", 3);
    assert!(!seen.contains("-->"), "{seen}");
}

#[test]
fn several_files_of_one_skill_are_told_in_one_sentence() {
    let sandbox = signed();
    for path in ["SKILL.md", "notes/form.md", "scripts/read.sh"] {
        sandbox.put(&format!("{PDF}/{path}"), "x\n");
    }
    says(&sandbox, &["verify"], "skill `read-pdf`: 3 files were changed after it was signed [RYE-A022]", 3);
    put_skill(&sandbox, ".claude/skills/other");
    sandbox.rye(&["sign", "skill", "other", "-q"]).succeeds();
    sandbox.put(".claude/skills/other/notes/form.md", "x\n");
    says(&sandbox, &["verify"], "2 skills, 4 files, each: this file was changed after the skill was signed", 3);
}

/// Of a folder that was not read whole, nobody knows whether it has `SKILL.md`.
#[test]
fn a_folder_of_too_many_files_is_not_said_to_lack_one() {
    let sandbox = signed();
    for number in 0..2_100 {
        sandbox.put(&format!("{PDF}/many/{number}.txt"), "x");
    }
    let rules: Vec<String> = found(&sandbox, &[]).into_iter().map(|(rule, _)| rule).collect();
    assert!(rules.iter().any(|rule| rule == "RYE-A036") && !rules.iter().any(|rule| rule == "RYE-A027"), "{rules:?}");
}

#[test]
fn a_skill_that_is_signed_for_a_namespace_or_not_at_all_is_told_so() {
    let sandbox = with_skill();
    says(&sandbox, &["execute", "skill", "read-pdf"], "run `rye sign skill read-pdf`", 3);
    sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes"]).succeeds();
    let hint = "the folder is signed as `team/read-pdf`: run `rye execute skill team/read-pdf`";
    says(&sandbox, &["execute", "skill", "read-pdf"], hint, 3);
    let home = sandbox.path("home/.claude/skills/mine");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("SKILL.md"), "---\nname: mine\ndescription: Is mine. Use it.\n---\n\n# Mine\n").unwrap();
    assert!(sandbox.rye(&["list", "skill"]).transcript().contains("mine"));
    let seen = says(&sandbox, &["execute", "skill", "mine"], "skill `mine` is not signed", 3);
    assert!(seen.contains("run `rye sign skill mine`") && seen.contains("~/.claude/skills/mine"), "{seen}");
    sandbox.rye(&["sign", "skill", "mine", "-q"]).succeeds();
    says(&sandbox, &["execute", "skill", "mine"], "# Mine", 0);
}

#[test]
fn a_link_to_a_skill_is_that_skill_for_verify_and_lint() {
    for (link, target) in
        [(".agents/skills/read-pdf", "../../.claude/skills/read-pdf"), (".agents/skills", "../.claude/skills")]
    {
        let sandbox = signed();
        let path = sandbox.project().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        let named = ".agents/skills/read-pdf";
        says(&sandbox, &["verify", named], "1 good", 0);
        says(&sandbox, &["lint", named], "1 item checked", 0);
        sandbox.put(&format!("{PDF}/notes/form.md"), "x\n");
        assert_found(&sandbox, &[named], &[("RYE-A022", &format!("{PDF}/notes/form.md"))]);
    }
}

#[test]
fn sign_says_why_a_folder_is_not_a_skill() {
    let sandbox = signed();
    put_skill(&sandbox, ".claude/skills/Bad");
    let wrong = "invalid skill name `Bad` (expected 1 to 64 characters of a–z, 0–9 and single hyphens)";
    for name in ["Bad", ".claude/skills/Bad", ".claude/skills/Bad/SKILL.md"] {
        says(&sandbox, &["sign", "skill", name], wrong, 2);
    }
    let seen = says(&sandbox, &["sign", "skill", "--all"], "skipped `.claude/skills/Bad`", 0);
    assert!(seen.contains("invalid skill name `Bad`: expected 1 to 64"), "{seen}");
    put_skill(&sandbox, "library/foo");
    let hint = "add `paths = [\"library\"]` under `[skills]` in `.ai/config.toml`";
    for name in ["library/foo", "library/foo/", "library/foo/SKILL.md"] {
        says(&sandbox, &["sign", "skill", name], hint, 2);
    }
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\"library\"]\n");
    says(&sandbox, &["sign", "skill", "library/foo"], "signed", 0);
}
