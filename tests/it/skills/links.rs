//! Links: what installers make leads to another folder of skills, and everything else leads astray.

use std::os::unix::fs::symlink;

use super::*;
use crate::support::openings::Openings;

/// Links as installers make them: a whole folder of skills, or one skill.
#[test]
fn a_link_to_another_folder_of_skills_is_that_folder() {
    for (link, target) in [
        (".agents/skills", "../.claude/skills"),
        (".agents/skills/read-pdf", "../../.claude/skills/read-pdf"),
        (".agents", ".claude"),
    ] {
        let sandbox = signed();
        let path = sandbox.project().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        assert_found(&sandbox, &[], &[]);
        assert_eq!(json(&sandbox, &["verify"])["checked"], 1);
        sandbox.commit("linked");
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
        sandbox.rye(&["execute", "skill", "read-pdf", "-q"]).succeeds();
    }
}

#[test]
fn any_other_link_is_a_finding() {
    for (link, target) in [
        (".agents/skills", "/etc"),
        (".agents/skills", "../elsewhere"),
        (".agents/skills/evil", "../../elsewhere"),
        (".agents/skills/evil", "../../.claude/skills/read-pdf"),
        (".agents/skills/read-pdf", "../../../project/.claude/skills/read-pdf"),
        (".agents/skills/read-pdf", "../../elsewhere/read-pdf"),
        (".agents", "/etc"),
        // A file system follows the link before it goes up.
        (".agents/skills", "../elsewhere/../.claude/skills"),
        (".agents/skills/read-pdf", "../../elsewhere/../.claude/skills/read-pdf"),
    ] {
        let sandbox = signed();
        fs::create_dir(sandbox.project().join("elsewhere")).unwrap();
        sandbox.put("elsewhere/read-pdf/SKILL.md", "---\nname: read-pdf\ndescription: Evil.\n---\n");
        let path = sandbox.project().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        assert_found(&sandbox, &[], &[("RYE-A030", link)]);
        sandbox.commit("linked");
        assert_found(&sandbox, &["--rev", "HEAD"], &[("RYE-A030", link)]);
    }
}

/// A folder that links to another one of `skills.paths` is that folder, for whoever writes it, too.
#[test]
fn a_linked_folder_is_pulled_into_and_compared_and_removed() {
    for (link, target, real) in [
        (".agents", ".claude", ".claude/skills"),
        (".agents/skills", "../.claude/skills", ".claude/skills"),
        (".claude/skills", "../.agents/skills", ".agents/skills"),
        (".claude", ".agents", ".agents/skills"),
    ] {
        let sandbox = with_skill();
        sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes"]).succeeds();
        let other = sandbox.path("other");
        fs::create_dir_all(other.join(real)).unwrap();
        let shown = other.display().to_string();
        sandbox.git(&["-C", &shown, "init", "-q", "-b", "main"]);
        fs::create_dir_all(other.join(link).parent().unwrap()).unwrap();
        symlink(target, other.join(link)).unwrap();
        let rye = |args: &[&str]| sandbox.rye(&[&["-C", &shown], args].concat()).transcript();
        let says = |args: &[&str], sentence: &str, exit: u8| {
            let seen = rye(args);
            let is_right = seen.contains(sentence) && seen.ends_with(&format!("[exit {exit}]\n"));
            assert!(is_right, "{link} -> {target}: no `{sentence}` in {seen}");
        };
        says(&["sync", "--check"], "lists no skills", 0);
        says(&["pull", "team/read-pdf", "--to", "agents"], "Pulled team/read-pdf", 0);
        let pulled = other.join(real).join("read-pdf");
        assert!(pulled.join("SKILL.md").exists());
        let lock = fs::read_to_string(other.join("rye.lock")).unwrap();
        assert!(lock.contains(&format!("folder = \"{real}/read-pdf\"")), "{lock}");
        says(&["pull", "team/read-pdf", "--to", "claude"], "Unchanged team/read-pdf", 0);
        says(&["verify"], "1 good", 0);
        says(&["sync", "--check"], "unchanged", 0);
        // A lock that was written before the link was made.
        let old = if real == ".claude/skills" { ".agents/skills" } else { ".claude/skills" };
        fs::write(other.join("rye.lock"), lock.replace(real, old)).unwrap();
        // A path of the lock is judged by itself: the project is not walked through for it.
        fs::create_dir_all(other.join("plain")).unwrap();
        let watched = Openings::of(&other.join("plain"));
        rye(&["outdated"]);
        assert_eq!(watched.count(), 0);
        says(&["sync", "--check"], "unchanged", 0);
        fs::write(pulled.join("notes/form.md"), "changed\n").unwrap();
        says(&["sync", "--check"], "changed", 3);
        says(&["pull", "--locked", "--force"], "Updated team/read-pdf", 0);
        says(&["sync", "--check"], "unchanged", 0);
        says(&["remove", "team/read-pdf"], "Removed skill team/read-pdf", 0);
        assert!(!pulled.exists() && fs::symlink_metadata(other.join(link)).unwrap().is_symlink());
        says(&["new", "skill", "mine"], &format!("created {real}/mine/SKILL.md"), 0);
        assert!(other.join(real).join("mine/SKILL.md").exists());
        says(&["sign", "skill", ".agents/skills/mine"], "signed", 0);
    }
}

#[test]
fn nothing_is_written_through_a_link_that_leads_elsewhere() {
    for (link, target) in [
        (".agents", "/etc"),
        (".agents", ".codex"),
        (".agents/skills", "../elsewhere"),
        (".agents/skills", "../../outside"),
        (".agents/skills/read-pdf", "../../elsewhere"),
        (".agents/skills/read-pdf", "../../.claude/skills/other"),
    ] {
        let sandbox = with_skill();
        sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes"]).succeeds();
        let other = sandbox.path("other");
        fs::create_dir_all(other.join("elsewhere")).unwrap();
        fs::create_dir_all(sandbox.path("outside")).unwrap();
        let shown = other.display().to_string();
        sandbox.git(&["-C", &shown, "init", "-q", "-b", "main"]);
        fs::create_dir_all(other.join(link).parent().unwrap()).unwrap();
        symlink(target, other.join(link)).unwrap();
        // A circle, too.
        if target == ".codex" {
            symlink(".agents", other.join(".codex")).unwrap();
        }
        let seen = sandbox.rye(&["-C", &shown, "pull", "team/read-pdf", "--to", "agents"]).transcript();
        assert!(seen.contains("is a symlink") && !seen.ends_with("[exit 0]\n"), "{link} -> {target}: {seen}");
        assert!(!other.join("rye.lock").exists() && !other.join(".ai/skills").exists());
        for folder in [other.join("elsewhere"), sandbox.path("outside")] {
            assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "{link} -> {target}");
        }
    }
}

/// A repository that publishes skills and uses them itself: what is wrong was told, and not the setting with which it works.
#[test]
fn a_link_to_a_skill_elsewhere_names_the_setting() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let text = "---\nname: count\ndescription: Counts lines. Use it when lines are to be counted.\n---\n\nCount.\n";
    sandbox.put("skills/count/SKILL.md", text);
    fs::create_dir_all(sandbox.project().join(".claude/skills")).unwrap();
    symlink("../../skills/count", sandbox.project().join(".claude/skills/count")).unwrap();
    let seen = sandbox.rye(&["sign", "skill", "--all"]).transcript();
    assert!(seen.contains("link to `skills/count`, and no folder of `skills.paths` has that"), "{seen}");
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\".claude/skills\", \"skills\"]\n");
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    assert!(sandbox.project().join(".ai/skills/count.sig").exists());
    sandbox.rye(&["verify"]).succeeds();
}
