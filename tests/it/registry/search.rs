//! `rye search --registry`: what registries have, whatever the index says.

use std::fs;

use super::{as_bob, json, publish, shared};
use crate::support::Person;

#[test]
fn the_newest_versions_of_registries_are_found_by_what_they_say() {
    let bob = Person::new("bob");
    let (sandbox, _) = shared(&bob);
    publish(&sandbox, "team/runbook", "1.0.0", "When the lighthouse is dark, ring the bell.");
    publish(&sandbox, "team/runbook", "1.1.0", "When the beacon is dark, ring the bell.");
    publish(&sandbox, "ops/harbour", "2.0.0", "Ships wait for the pilot.");
    let search = |args: &[&str]| json(&as_bob(&sandbox, &bob, &[&["search", "--json"], args].concat()).stdout());
    let found = search(&["bell", "--registry"]);
    assert_eq!(found["total"], 1, "{found}");
    let hit = &found["results"][0];
    for (field, wanted) in [
        ("item_id", "team/runbook"),
        ("item_type", "knowledge"),
        ("registry", "team"),
        ("namespace", "team"),
        ("version", "1.1.0"),
        ("title", "About runbook"),
        ("description", "When the beacon is dark, ring the bell."),
    ] {
        assert_eq!(hit[field], wanted, "{found}");
    }
    // An older version is not what one would pull.
    assert_eq!(search(&["lighthouse", "--registry"])["total"], 0);
    sandbox.rye(&["registry", "yank", "team/runbook", "1.1.0", "-q"]).succeeds();
    // Without the network nothing has changed yet.
    assert_eq!(search(&["beacon", "--registry", "--offline"])["total"], 1);
    assert_eq!(search(&["lighthouse", "--registry=team"])["results"][0]["version"], "1.0.0");
    assert_eq!(search(&["beacon", "--registry", "--offline"])["total"], 0);
    assert_eq!(search(&["namespace:ops", "--registry", "--offline"])["results"][0]["item_id"], "ops/harbour");
    assert_eq!(search(&["*", "--registry", "--offline", "-n", "1"])["total"], 2);
    let seen = as_bob(&sandbox, &bob, &["search", "pilto", "--registry", "--offline"]).transcript();
    assert!(seen.contains("knowledge\tops/harbour\t2.0.0\tteam\t"), "{seen}");
    // What cannot be reached is searched as it was.
    let registry = sandbox.path("team.git");
    fs::rename(&registry, sandbox.path("away.git")).unwrap();
    let found = search(&["pilot", "--registry"]);
    assert_eq!(found["total"], 1, "{found}");
    assert!(found["warnings"][0].as_str().unwrap().contains("searching the last fetched state"), "{found}");
    let seen = as_bob(&sandbox, &bob, &["search", "x", "--registry=harbour"]).transcript();
    assert!(seen.contains("unknown registry `harbour`"), "{seen}");
    sandbox.rye(&["registry", "remove", "team", "-q"]).succeeds();
    let seen = sandbox.rye(&["search", "x", "--registry"]).transcript();
    assert!(seen.contains("no registry is configured") && seen.ends_with("[exit 1]\n"), "{seen}");
    let seen = sandbox.rye(&["search", "x", "--offline"]).transcript();
    assert!(seen.contains("--registry") && seen.ends_with("[exit 2]\n"), "{seen}");
}

#[test]
fn an_index_never_overrules_the_registry() {
    let bob = Person::new("bob");
    let (sandbox, _) = shared(&bob);
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    as_bob(&sandbox, &bob, &["search", "bell", "--registry", "-q"]).succeeds();
    // A package that is changed in the mirror is refused although the index has it.
    let mirror = sandbox.path("home-bob/.cache/rye/registries/team");
    let path = |name: &str| sandbox.path(name).display().to_string();
    let git = |args: &[&str]| sandbox.git(&[&["--git-dir", &mirror.display().to_string()], args].concat());
    let tree = git(&["ls-tree", "-r", "refs/rye/checked"]);
    let object =
        tree.lines().find(|line| line.contains("\tobjects/")).unwrap().split(['\t']).nth(1).unwrap().to_owned();
    fs::write(sandbox.path("evil"), "evil\n").unwrap();
    let blob = git(&["hash-object", "-w", &path("evil")]).trim().to_owned();
    let index = ["-c", "core.bare=true"];
    let run = |args: &[&str]| {
        let args = [&["--git-dir", mirror.to_str().unwrap()], &index[..], args].concat();
        let output = sandbox.git_command(&args).env("GIT_INDEX_FILE", path("index")).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    run(&["read-tree", "refs/rye/checked"]);
    run(&["update-index", "--cacheinfo", &format!("100644,{blob},{object}")]);
    let tree = run(&["write-tree"]);
    let commit = run(&["commit-tree", &tree, "-p", "refs/rye/checked", "-m", "evil"]);
    run(&["update-ref", "refs/rye/checked", &commit]);
    let seen = as_bob(&sandbox, &bob, &["search", "bell", "--registry", "--offline"]).transcript();
    assert!(seen.contains("RYE-R02") && seen.ends_with("[exit 3]\n"), "{seen}");
}
