//! The project's configuration under verification: it names folders of skills, so one that cannot be used must not pass.

use super::*;

const CONFIG: &str = ".ai/config.toml";

/// The rule that a configuration breaks which cannot be used.
const RULE: (&str, &str) = ("RYE-M003", CONFIG);

/// Makes a project whose configuration names a folder of skills; the tag `start` is its commit.
fn configured() -> Sandbox {
    let sandbox = signed();
    sandbox.put(CONFIG, "[skills]\npaths = [\"tools/skills\"]\n");
    sandbox.commit("configuration");
    sandbox.git(&["tag", "start"]);
    sandbox
}

#[test]
fn a_configuration_that_cannot_be_used_is_a_finding_wherever_it_is_judged() {
    for text in ["[skills\n", "[skills]\npaths = 3\n", "[skils]\npaths = []\n", "[skills]\npaths = [\"/etc\"]\n"] {
        let sandbox = configured();
        assert_found(&sandbox, &[], &[]);
        sandbox.put(CONFIG, text);
        put_skill(&sandbox, "tools/skills/evil");
        // The last commit names the folder.
        let wanted = [RULE, ("RYE-S001", "tools/skills/evil")];
        assert_found(&sandbox, &[], &wanted);
        let seen = sandbox.rye(&["verify"]).transcript();
        assert!(seen.contains(CONFIG) && seen.ends_with("[exit 3]\n"), "{text}: {seen}");
        sandbox.commit("evil");
        let evil = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
        for args in [&["--rev", "HEAD"][..], &["--range", "start..HEAD"]] {
            assert_found(&sandbox, args, &wanted);
        }
        assert_found(&sandbox, &["--rev", "HEAD", "read-pdf"], &[RULE]);
        // The end is good, and what was on the way to it is not.
        sandbox.git(&["revert", "--no-edit", "HEAD"]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
        assert_found(&sandbox, &["--range", "start..HEAD"], &wanted);
        let outcome = json(&sandbox, &["verify", "--range", "start..HEAD"]);
        assert_eq!(outcome["findings"][0]["commit_id"], evil.as_str());
    }
}

/// A folder, a link or a file without end in the place of the configuration.
#[test]
fn what_is_no_file_in_the_place_of_the_configuration_is_a_finding() {
    let folder = |it: &Sandbox| it.put(".ai/config.toml/x", "x\n");
    let link = |it: &Sandbox| std::os::unix::fs::symlink("../README.md", it.project().join(CONFIG)).unwrap();
    let large = |it: &Sandbox| it.put(CONFIG, &"# x\n".repeat(20_000));
    for (name, put) in [("folder", &folder as &dyn Fn(&Sandbox)), ("link", &link), ("large", &large)] {
        let sandbox = configured();
        fs::remove_file(sandbox.project().join(CONFIG)).unwrap();
        put(&sandbox);
        assert_found(&sandbox, &[], &[RULE]);
        sandbox.commit(name);
        assert_found(&sandbox, &["--rev", "HEAD"], &[RULE]);
        assert_found(&sandbox, &["--range", "start..HEAD"], &[RULE]);
    }
}

/// What vouches for others is not believed while a part of it cannot be read.
#[test]
fn a_trust_root_whose_configuration_cannot_be_used_judges_nothing() {
    let sandbox = signed();
    sandbox.rye(&["trust", "propose", "-q", "--yes"]).succeeds();
    sandbox.put(CONFIG, "[skills\n");
    sandbox.commit("trust");
    sandbox.git(&["branch", "base"]);
    let seen = sandbox.rye(&["verify", "--rev", "HEAD", "--trust-root", "refs/heads/base"]).transcript();
    assert!(seen.contains("the trust file `config.toml` cannot be used") && seen.contains("[RYE-M003]"), "{seen}");
    assert!(seen.contains(&format!("git show refs/heads/base:{CONFIG}")) && !seen.ends_with("[exit 0]\n"), "{seen}");
}
