//! Links: what installers make leads to another folder of skills, and everything else leads astray.

use std::os::unix::fs::symlink;

use super::*;

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
