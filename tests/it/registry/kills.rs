//! `kill -9` during `publish` and `pull`: the result is the old state or the new one, and the same command goes on from
//! there.
//!
//! At every other point the program alone is killed, and the git that it started goes on; at the others everything is.
//! `KILL_POINTS` says at how many points.

use std::fs;
use std::time::{Duration, Instant};

use super::{another, json, write};
use crate::support::Sandbox;
use crate::support::killing::{killed, points, rye, unlock};

fn prepare(sandbox: &Sandbox, id: &str, version: &str) {
    write(sandbox, id, version, &format!("Text of {version}."));
    sandbox.rye(&["sign", "knowledge", id, "-q"]).succeeds();
}

#[test]
fn a_killed_publish_leaves_the_old_registry_or_the_new_one() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let args = ["publish", "knowledge", "team/runbook", "--yes", "-q"];
    // The first ones make the registry, too.
    for point in 0..points() / 3 {
        prepare(&sandbox, "team/runbook", "0.0.1");
        killed(&sandbox, &args, Duration::from_millis(150), point);
    }
    let registry = sandbox.path("home/.local/share/rye/registries/local");
    if registry.exists() {
        unlock(&registry);
    }
    sandbox.rye(&args).succeeds();
    let begun = Instant::now();
    prepare(&sandbox, "team/runbook", "0.0.2");
    assert!(rye(&sandbox, &args).status().unwrap().success());
    let whole = begun.elapsed();
    for point in 0..points() {
        let version = format!("1.0.{point}");
        prepare(&sandbox, "team/runbook", &version);
        killed(&sandbox, &args, whole, point);
        unlock(&registry);
        let seen = sandbox.rye(&["registry", "verify"]).transcript();
        let (old, new) = (format!("\t{} versions\n", point + 2), format!("\t{} versions\n", point + 3));
        assert!(seen.contains(&old) || seen.contains(&new), "{version}: {seen}");
        let outcome = json(&sandbox.rye(&["publish", "knowledge", "team/runbook", "--yes", "--json"]).stdout());
        assert_eq!(outcome["version"], version.as_str(), "{outcome}");
        let seen = sandbox.rye(&["registry", "verify"]).transcript();
        assert!(seen.contains(&new), "{version}: {seen}");
    }
    let (code, said) =
        sandbox.try_git(&["-C", &registry.display().to_string(), "rev-list", "--objects", "--all", "--quiet"]);
    assert_eq!((code, said.as_str()), (0, ""));
}

#[test]
fn a_killed_pull_leaves_each_file_old_or_new_and_is_completed_by_the_next() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let other = another(&sandbox, "other");
    let (file, lock) = (sandbox.path("other/.ai/knowledge/team/runbook.md"), sandbox.path("other/rye.lock"));
    let args = ["-C", &other, "pull", "team/runbook", "-q"];
    let publish = ["publish", "knowledge", "team/runbook", "--yes", "-q"];
    prepare(&sandbox, "team/runbook", "0.0.1");
    sandbox.rye(&publish).succeeds();
    sandbox.rye(&args).succeeds();
    let begun = Instant::now();
    assert!(rye(&sandbox, &args).status().unwrap().success());
    let whole = begun.elapsed();
    for point in 0..points() {
        prepare(&sandbox, "team/runbook", &format!("1.0.{point}"));
        sandbox.rye(&publish).succeeds();
        let old = (fs::read(&file).unwrap(), fs::read(&lock).unwrap());
        killed(&sandbox, &args, whole, point);
        let left = (fs::read(&file).unwrap(), fs::read(&lock).unwrap());
        sandbox.rye(&args).succeeds();
        let new = (fs::read(&file).unwrap(), fs::read(&lock).unwrap());
        assert!(left.0 == old.0 || left.0 == new.0, "the item");
        assert!(left.1 == old.1 || left.1 == new.1 && left.0 == new.0, "the lock comes last");
        assert_eq!(new.0, fs::read(sandbox.project().join(".ai/knowledge/team/runbook.md")).unwrap());
        // Leftovers are gone.
        let names = fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "only the item");
    }
}
