//! Skills whose folders have one name and different files: both folders are named, with a command or a setting that goes on, and the
//! other skills are signed.

use super::*;

/// Two folders of one name each: of an agent and named by the project, of two agents, and of two plugins.
const PAIRS: &[(&str, &str, &str)] = &[
    (".ai/skills/x", ".claude/skills/x", "take `.ai/skills` out of `skills.paths`"),
    (
        ".agents/skills/x",
        ".claude/skills/x",
        "`mv .claude/skills/x .claude/skills/x-2`, and `name: x-2` in its `SKILL.md`",
    ),
    ("plugins/a/skills/x", "plugins/b/skills/x", "`paths = [\"plugins/a/skills\"]` under `[skills]`"),
    ("tools/a/skills/x", "tools/b/skills/x", "`paths = [\"tools/a/skills\"]` under `[skills]`"),
];

/// Makes a project with the two folders, whose files differ, and another skill.
fn pair(one: &str, other: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    put_skill(&sandbox, one);
    put_skill(&sandbox, other);
    sandbox.put(&format!("{other}/notes/form.md"), "Other.\n");
    put_skill(&sandbox, ".claude/skills/alone");
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\".claude/skills\", \".ai/skills\", \"tools/*/skills\"]\n");
    sandbox
}

#[test]
fn folders_of_one_name_are_both_told_with_what_goes_on_and_stop_no_other_skill() {
    for (one, other, goes_on) in PAIRS {
        let sandbox = pair(one, other);
        let both =
            format!("`{other}`: this folder and `{one}` have the same name and different files: `notes/form.md`");
        let compared = format!("compare them with `git diff --no-index {one} {other}`");
        let listed = sandbox.rye(&["list", "skill"]).transcript();
        let all = sandbox.rye(&["sign", "skill", "--all"]).transcript();
        let signed = sandbox.rye(&["sign", "skill", "x"]).transcript();
        for told in [&listed, &signed] {
            assert!(told.contains(&both) && told.contains(&compared) && told.contains(goes_on), "{told}");
        }
        assert!(listed.ends_with("[exit 0]\n"), "{listed}");
        assert!(all.contains("signed\tskill\talone\t") && signed.contains("failed\tskill\tx\t"), "{all}{signed}");
        // Those of plugins are signed by name.
        assert_eq!(all.contains("failed\tskill\tx\t"), !one.starts_with("plugins"), "{all}");
        assert!(sandbox.project().join(".ai/skills/alone.sig").is_file());
        assert!(!sandbox.project().join(".ai/skills/x.sig").exists(), "{one}");
        // All that are signed are signed again, whatever the two are.
        sandbox.put(".claude/skills/alone/notes/form.md", "More.\n");
        let again = sandbox.rye(&["sign", "--all"]).transcript();
        assert!(again.contains("signed\tskill\talone\t"), "{again}");
    }
}

#[test]
fn what_is_told_about_folders_of_one_name_goes_on() {
    for (one, other, goes_on) in PAIRS {
        let sandbox = pair(one, other);
        if let Some((_, rest)) = goes_on.split_once("`paths = ") {
            sandbox.put(".ai/config.toml", &format!("[skills]\npaths = {}\n", rest.split('`').next().unwrap()));
        } else if goes_on.starts_with("take ") {
            sandbox.put(".ai/config.toml", "[skills]\npaths = [\".claude/skills\"]\n");
        } else {
            fs::rename(sandbox.project().join(other), sandbox.project().join(format!("{other}-2"))).unwrap();
            sandbox.edit(&format!("{other}-2/SKILL.md"), "name: x", "name: x-2");
        }
        sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
        assert!(sandbox.project().join(".ai/skills/x.sig").is_file(), "{one}");
        sandbox.rye(&["verify"]).succeeds();
        sandbox.rye(&["sign", "--all", "--check"]).succeeds();
    }
}

/// The folder of the signatures may be one of skills.
#[test]
fn a_skill_among_the_signatures_is_told_once_and_judged_where_the_project_names_it() {
    let sandbox = with_skill();
    put_skill(&sandbox, ".ai/skills/read-pdf");
    put_skill(&sandbox, ".ai/skills/lonely");
    let listed = sandbox.rye(&["list", "skill"]).transcript();
    let same = "read-pdf` is not an item: no client reads skills there; the same name is in `.claude/skills/read-pdf`; move the \
                skill's folder to `.claude/skills`, or add `paths = [\".ai/skills\"]` under `[skills]`";
    assert!(listed.contains(same) && listed.matches("is not an item").count() == 2, "{listed}");
    let linted = sandbox.rye(&["lint"]).transcript();
    let sentence = "`.ai/skills` contains the signatures of skills (`NAME.sig`), not the skills themselves";
    assert!(linted.contains(sentence) && linted.contains("add `paths = [\".ai/skills\"]`"), "{linted}");
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\".claude/skills\", \".ai/skills\"]\n");
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    sandbox.commit("signed");
    for args in [&["list", "skill"][..], &["lint"], &["verify"], &["verify", "--rev", "HEAD"]] {
        let seen = sandbox.rye(args).transcript();
        assert!(!seen.contains("not an item") && seen.ends_with("[exit 0]\n"), "{args:?}: {seen}");
    }
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}
