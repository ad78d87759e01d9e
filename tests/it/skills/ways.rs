//! What lies on the way to skills, and what is in them and changes what git checks out: found in the work tree, in commits, by the hook
//! and for a skill that is named.

use std::os::unix::fs::symlink;

use super::*;

/// What an attacker does: its name, what it does to a project, the rule and the path.
type Attack = (&'static str, fn(&Sandbox), &'static str, &'static str);

/// Makes git check out other bytes of every script.
fn add_attributes(sandbox: &Sandbox) {
    let own = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
    sandbox.put(".gitattributes", &format!("{own}*.sh eol=crlf\n"));
}

fn add_submodule(sandbox: &Sandbox) {
    let head = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},.gemini")]);
}

fn link_vendor(sandbox: &Sandbox) {
    put_skill(sandbox, "vendor/skills/evil");
    symlink("vendor", sandbox.project().join(".agents")).unwrap();
}

const ATTACKS: [Attack; 7] = [
    ("link", link_vendor, "RYE-A030", ".agents"),
    ("other case", |it| put_skill(it, ".Claude/skills/read-pdf"), "RYE-A032", ".Claude"),
    ("attributes", add_attributes, "RYE-A029", ".gitattributes"),
    (
        "attributes in other case",
        |it| it.put(".claude/.GitAttributes", "*.sh eol=crlf\n"),
        "RYE-A029",
        ".claude/.GitAttributes",
    ),
    ("attributes at the top in other case", |it| it.put(".GITATTRIBUTES", "# x\n"), "RYE-A029", ".GITATTRIBUTES"),
    ("submodule", add_submodule, "RYE-A034", ".gemini"),
    ("a name that is invalid", |it| put_skill(it, ".claude/skills/Bad"), "RYE-A026", ".claude/skills/Bad"),
];

/// Stages everything but what a submodule's folder lacks.
fn stage(sandbox: &Sandbox, attack: fn(&Sandbox)) {
    attack(sandbox);
    sandbox.git(&["add", "--all", "--ignore-errors", "--", ".", ":!.gemini"]);
}

#[test]
fn a_range_finds_what_a_commit_brings_onto_the_way_and_a_later_one_removes() {
    for (name, attack, rule, path) in ATTACKS {
        let sandbox = signed();
        sandbox.rye(&["trust", "propose", "-q", "--yes"]).succeeds();
        sandbox.commit("trust");
        sandbox.git(&["tag", "base"]);
        stage(&sandbox, attack);
        sandbox.git(&["commit", "-q", "-m", name]);
        let evil = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
        assert_found(&sandbox, &["--rev", "HEAD"], &[(rule, path)]);
        sandbox.put("README.md", "text\n");
        sandbox.git(&["add", "README.md"]);
        sandbox.git(&["commit", "-q", "-m", "text"]);
        sandbox.git(&["revert", "--no-edit", "HEAD~1"]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
        for args in
            [&["--range", "base..HEAD"][..], &["--range", "refs/tags/base..HEAD", "--trust-root", "refs/tags/base"]]
        {
            assert_found(&sandbox, args, &[(rule, path)]);
            let outcome = json(&sandbox, &[&["verify"], args].concat());
            assert_eq!(outcome["findings"][0]["commit_id"], evil.as_str(), "{name}");
        }
        // What the beginning of the range has is not told of each commit.
        assert_found(&sandbox, &["--range", &format!("{evil}..HEAD")], &[]);
    }
}

#[test]
fn the_hook_and_commit_refuse_what_verify_finds_on_the_way() {
    for (name, attack, rule, path) in ATTACKS {
        let sandbox = signed();
        sandbox.rye(&["hook", "install", "-q"]).succeeds();
        stage(&sandbox, attack);
        let (code, said) = sandbox.try_git(&["commit", "-q", "-m", name]);
        assert!(code != 0 && said.contains(&format!("`{path}`")), "{name}: {said}");
        let seen = sandbox.rye(&["commit", "-m", name, "--yes"]).transcript();
        assert!(seen.contains(&format!("`{path}`")) && !seen.ends_with("[exit 0]\n"), "{name}: {seen}");
        sandbox.git(&["commit", "-q", "--no-verify", "-m", name]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[(rule, path)]);
        // What the last commit has keeps no other from being made.
        sandbox.put("README.md", "text\n");
        sandbox.git(&["add", "README.md"]);
        sandbox.git(&["commit", "-q", "-m", "text"]);
    }
}

/// `rye commit PATH` takes what it names from the work tree.
#[test]
fn a_commit_of_named_paths_is_judged_as_it_would_be() {
    let sandbox = signed();
    put_skill(&sandbox, ".agents/skills/other");
    sandbox.rye(&["sign", "skill", "other", "-q"]).succeeds();
    sandbox.commit("other");
    add_attributes(&sandbox);
    let seen = sandbox.rye(&["commit", "-m", "attributes", "--yes", "--", ".gitattributes"]).transcript();
    assert!(seen.contains("`.gitattributes`") && !seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.rye(&["commit", "-m", "text", "--yes", "-q", "--", "README.md"]).succeeds();
}

/// What `execute` refuses of a skill, `verify` finds where the skill is named.
#[test]
fn a_named_skill_has_the_findings_on_its_way() {
    for (path, text, rule, found) in [
        (".claude/.gitattributes", "* eol=crlf\n", "RYE-A029", ".claude/.gitattributes"),
        (".claude/skills/.gitAttributes", "\n", "RYE-A029", ".claude/skills/.gitAttributes"),
        (".Claude/skills/read-pdf/SKILL.md", "evil\n", "RYE-A032", ".Claude"),
    ] {
        let sandbox = signed();
        put_skill(&sandbox, ".agents/skills/other");
        sandbox.rye(&["sign", "skill", "other", "-q"]).succeeds();
        sandbox.put(path, text);
        for name in ["read-pdf", PDF, MANIFEST] {
            assert_found(&sandbox, &[name], &[(rule, found)]);
        }
        assert_found(&sandbox, &["other"], &[]);
        let seen = sandbox.rye(&["execute", "skill", "read-pdf"]).transcript();
        assert!(seen.contains("is refused") && seen.ends_with("[exit 3]\n"), "{seen}");
    }
}

/// A file of attributes in a skill counts more than the line at the top.
#[test]
fn attributes_in_a_skill_that_change_a_checkout_are_refused() {
    for (path, text) in [
        (".gitattributes", "* text eol=crlf ident\n"),
        ("scripts/.gitattributes", "*.sh filter=x\n"),
        (".gitattributes", "*.sh dos\n"),
    ] {
        let sandbox = with_skill();
        sandbox.put(".gitattributes", "[attr]dos text eol=crlf\n");
        let inside = format!("{PDF}/{path}");
        sandbox.put(&inside, text);
        let seen = sandbox.rye(&["sign", "skill", "read-pdf"]).transcript();
        assert!(seen.contains("RYE-A029") && !seen.ends_with("[exit 0]\n"), "{seen}");
        fs::remove_file(sandbox.project().join(&inside)).unwrap();
        sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
        sandbox.commit("first");
        sandbox.git(&["tag", "start"]);
        sandbox.rye(&["hook", "install", "-q"]).succeeds();
        sandbox.put(&inside, text);
        let wanted = [("RYE-A020", inside.as_str()), ("RYE-A029", inside.as_str())];
        assert_found(&sandbox, &[], &wanted);
        sandbox.git(&["add", "-A"]);
        assert_ne!(sandbox.try_git(&["commit", "-q", "-m", "attributes"]).0, 0);
        sandbox.git(&["commit", "-q", "--no-verify", "-m", "attributes"]);
        assert_found(&sandbox, &["--rev", "HEAD"], &wanted);
        sandbox.git(&["revert", "--no-edit", "HEAD"]);
        assert_found(&sandbox, &["--range", "start..HEAD"], &wanted);
    }
}

/// Lines that change no byte stay allowed.
#[test]
fn harmless_attributes_in_a_skill_are_signed() {
    let sandbox = with_skill();
    sandbox.put(&format!("{PDF}/.gitattributes"), "*.png binary\n*.sh text eol=lf\n* -text linguist-documentation\n");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.commit("first");
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    // A macro of such a name.
    let own = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
    sandbox.put(".gitattributes", &format!("[attr]binary text eol=crlf\n{own}"));
    assert_found(&sandbox, &[], &[("RYE-A029", ".gitattributes")]);
}

/// The state before had `skills.paths`: removing the setting does not end the judgement.
#[test]
fn removing_the_folders_of_skills_does_not_end_the_judgement() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\"pk/skills\"]\n");
    put_skill(&sandbox, "pk/skills/evil");
    put_skill(&sandbox, PDF);
    sandbox.commit("first");
    let wanted = [("RYE-S001", "pk/skills/evil"), ("RYE-S001", PDF)];
    assert_found(&sandbox, &[], &wanted);
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    fs::remove_file(sandbox.project().join(".ai/config.toml")).unwrap();
    assert_found(&sandbox, &[], &wanted);
    sandbox.put("pk/skills/evil/more.md", "More.\n");
    sandbox.git(&["add", "-A"]);
    let (code, said) = sandbox.try_git(&["commit", "-q", "-m", "evil"]);
    assert!(code != 0 && said.contains("skill `evil` is not signed"), "{said}");
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "evil"]);
    assert_found(&sandbox, &["--rev", "HEAD"], &wanted);
    assert_found(&sandbox, &["--range", "HEAD~1..HEAD"], &wanted);
}

/// A signed skill in a folder that is no longer named is in no folder: in the work tree as in the next commits.
#[test]
fn a_signed_skill_in_a_folder_that_is_no_longer_named_is_missing() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\"pk/skills\"]\n");
    put_skill(&sandbox, "pk/skills/mine");
    sandbox.rye(&["sign", "skill", "mine", "-q"]).succeeds();
    sandbox.commit("first");
    assert_found(&sandbox, &[], &[]);
    fs::remove_file(sandbox.project().join(".ai/config.toml")).unwrap();
    assert_found(&sandbox, &[], &[("RYE-A024", ".ai/skills/mine.sig")]);
    sandbox.commit("moved");
    assert_found(&sandbox, &["--rev", "HEAD"], &[("RYE-A024", ".ai/skills/mine.sig")]);
}
