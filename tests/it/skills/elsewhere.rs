//! Skills outside of the folders in which they are looked for: `rye list skill` proposes the setting, which takes `*`.

use super::*;

#[test]
fn list_proposes_the_folders_that_git_tracks_and_the_proposed_setting_works() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    put_skill(&sandbox, "packages/one/skills/read-pdf");
    put_skill(&sandbox, "packages/two/skills/write-pdf");
    put_skill(&sandbox, "vendor/untracked/skills/other");
    sandbox.git(&["add", "packages"]);
    let proposed = "paths = [\"packages/*/skills\"]";
    let seen = sandbox.rye(&["list", "skill"]).transcript();
    assert!(seen.contains(proposed) && !seen.contains("vendor"), "{seen}");
    assert!(!sandbox.rye(&["list"]).transcript().contains(proposed));
    let listed = String::from_utf8(sandbox.rye(&["list", "skill", "--json"]).stdout()).unwrap();
    assert!(!listed.contains("packages/*"), "{listed}");
    sandbox.put(".ai/config.toml", &format!("[skills]\n{proposed}\n"));
    let seen = sandbox.rye(&["list", "skill"]).transcript();
    assert!(seen.contains("read-pdf") && seen.contains("write-pdf") && !seen.contains(proposed), "{seen}");
    assert_found(
        &sandbox,
        &[],
        &[("RYE-S001", "packages/one/skills/read-pdf"), ("RYE-S001", "packages/two/skills/write-pdf")],
    );
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    sandbox.git(&["add", "--all", "packages", ".ai", ".gitattributes"]);
    sandbox.commit("first");
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    // In a commit, `*` stands for that commit's folders.
    sandbox.put("packages/two/skills/write-pdf/notes/form.md", "Other.\n");
    put_skill(&sandbox, "packages/three/skills/sign-pdf");
    sandbox.git(&["add", "packages"]);
    sandbox.commit("second");
    let found =
        [("RYE-S001", "packages/three/skills/sign-pdf"), ("RYE-A022", "packages/two/skills/write-pdf/notes/form.md")];
    assert_found(&sandbox, &["--rev", "HEAD"], &found);
    assert_found(&sandbox, &["--range", "HEAD~..HEAD"], &found);
}

/// A collection of skills, and a marketplace of plugins: where `--all` leaves skills out, it says how to sign them.
#[test]
fn signing_all_skills_names_the_command_for_those_that_are_offered() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    put_skill(&sandbox, "skills/read-pdf");
    put_skill(&sandbox, "plugins/docs/skills/write-pdf");
    let seen = sandbox.rye(&["sign", "skill", "--all"]).transcript();
    assert!(seen.contains("run `rye sign skill read-pdf write-pdf`"), "{seen}");
    sandbox.rye(&["sign", "skill", "read-pdf", "write-pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    assert!(!sandbox.rye(&["sign", "skill", "--all"]).transcript().contains("offered"));
}
