//! An abandoned registry, or one whose host hides newer lines.

use std::fs;

use super::{another, publish};
use crate::support::{Person, Sandbox};

#[test]
fn a_registry_that_says_how_old_it_may_be_is_refused_when_it_is_older() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../team.git", "--max-age", "30d", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    let (other, later) = (another(&sandbox, "other"), "2026-04-20T00:00:00Z");
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).env("RYE_NOW", later).transcript();
    let pull = ["pull", "team/runbook", "--yes"];
    for args in [&pull[..], &["search", "bell", "--registry"], &["show", "team/runbook"], &["registry", "verify"]] {
        let seen = run(args);
        let said = "the registry `team` is refused: it is stale: its last line is of 2026-03-17T01:41:08Z";
        assert!(seen.contains(said) && seen.contains("[RYE-R035]") && seen.ends_with("[exit 3]\n"), "{seen}");
        assert!(seen.contains("rye registry renew team") && !sandbox.path("other/rye.lock").exists(), "{seen}");
    }
    // The fetched state is known to be old.
    assert!(run(&["search", "bell", "--registry", "--offline"]).contains("team/runbook"));
    assert!(run(&["registry", "renew", "team"]).contains("Renewed in team (seq 3)"));
    assert!(run(&pull).contains("Pulled team/runbook 1.0.0"));
    assert!(run(&["registry", "verify"]).contains("ok\tteam\t4 lines\t1 version"));
    // A stranger does not keep it alive.
    let eve = Person::new("eve");
    sandbox.key_id(&eve);
    let home = sandbox.path("home-eve");
    fs::create_dir_all(&home).unwrap();
    let as_eve = |args: &[&str]| sandbox.rye(args).by(&eve).env("HOME", home.to_str().unwrap()).transcript();
    assert!(as_eve(&["registry", "add", "team", "../team.git"]).ends_with("[exit 0]\n"));
    let seen = as_eve(&["registry", "renew", "team"]);
    assert!(seen.contains(" owns no namespace in `team`") && !seen.ends_with("[exit 0]\n"), "{seen}");
}
