//! `rye sync`: the folders as the lock says.

use std::fs;

use super::{
    BOB, at_up, commit, here, json, lock, pull, pull_from, says, signed_world, skill, source, up, world, write,
};

#[test]
fn what_is_missing_is_made_again_from_the_commit_of_the_lock() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "@main");
    let (lock_before, signature) = (lock(&sandbox), fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap());
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer, and not asked for."));
    commit(&sandbox, "newer");
    fs::remove_dir_all(sandbox.project().join(".claude")).unwrap();
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    // As on another machine.
    fs::remove_dir_all(sandbox.path("home/.cache")).unwrap();
    says(&sandbox, &["sync", "--check"], &["missing\tpdf\t.claude/skills/pdf"], 3);
    assert!(!here(&sandbox, "SKILL.md").exists());
    says(&sandbox, &["sync"], &["restored\tpdf"], 0);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
    assert_eq!(fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap(), signature);
    assert_eq!(lock(&sandbox), lock_before);
    says(&sandbox, &["verify"], &[], 0);
}

#[test]
fn nothing_is_fetched_where_the_files_are_those_of_the_lock() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "@main");
    fs::rename(sandbox.path("up"), sandbox.path("gone")).unwrap();
    fs::remove_dir_all(sandbox.path("home/.cache")).unwrap();
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
    says(&sandbox, &["sync"], &["unchanged\tpdf"], 0);
    let outcome = json(&sandbox.rye(&["sync", "--check", "--json"]).stdout());
    assert_eq!((&outcome["status"], &outcome["skills"][0]["status"]), (&"synced".into(), &"unchanged".into()));
    fs::remove_file(here(&sandbox, "SKILL.md")).unwrap();
    says(&sandbox, &["sync", "--force"], &["error:"], 6);
}

#[test]
fn what_was_changed_here_is_a_difference_and_stays_without_force() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    fs::write(here(&sandbox, "SKILL.md"), skill("Mine.")).unwrap();
    let differs = ["changed\tpdf", "`SKILL.md`: this file was changed after the skill was signed"];
    says(&sandbox, &["sync", "--check"], &differs, 3);
    says(&sandbox, &["sync"], &differs, 3);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Mine.").as_bytes());
    says(&sandbox, &["sync", "--force"], &["restored\tpdf"], 0);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
}

#[test]
fn an_edited_lock_is_a_difference_and_never_a_permission() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    // Whoever edits folder and lock alike still has no signature of it.
    fs::write(here(&sandbox, "SKILL.md"), skill("Evil.")).unwrap();
    sandbox.rye(&["sync", "--check"]).transcript();
    let digest = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("digest = ")).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let old = digest(&lock(&sandbox));
    let new = "0".repeat(64);
    let edited = lock(&sandbox).replace(&old, &new);
    fs::write(sandbox.project().join("rye.lock"), edited).unwrap();
    says(&sandbox, &["verify"], &["tampered"], 3);
    let seen = sandbox.rye(&["execute", "skill", "pdf"]).transcript();
    assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
    fs::write(here(&sandbox, "SKILL.md"), skill("Read.")).unwrap();
    says(&sandbox, &["verify"], &["`rye.lock` says that it has other files", "RYE-A038"], 3);
    sandbox.commit("an edited lock");
    says(&sandbox, &["verify", "--rev", "HEAD"], &["RYE-A038"], 3);
    // The lock permits nothing, and a signed skill is refused if it differs: an older signed version could be in its
    // place.
    says(&sandbox, &["execute", "skill", "pdf"], &["skill `pdf` is refused", "RYE-A038"], 3);
    says(&sandbox, &["sync", "--check"], &["changed\tpdf"], 3);
    // The source does not have what the edited lock says.
    says(&sandbox, &["sync", "--force"], &["has other files at commit", "than `rye.lock` says"], 3);
}

#[test]
fn a_note_is_read_whole_on_a_narrow_terminal_and_force_lists_no_own_skill() {
    let sandbox = world();
    pull(&sandbox, "@main");
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    says(
        &sandbox,
        &["sync"],
        &["signature\tpdf\t.claude/skills/pdf\tits signature is lost: run `rye sign skill pdf`"],
        3,
    );
    let own = sandbox.project().join(".claude/skills/own");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("SKILL.md"), skill("Mine.").replace("name: pdf", "name: own")).unwrap();
    sandbox.rye(&["sign", "skill", "own", "-q"]).succeeds();
    says(
        &sandbox,
        &["sync", "--force"],
        &["unchanged\town\t.claude/skills/own\tsigned here, and not in `rye.lock`"],
        3,
    );
}

#[test]
fn an_edited_lock_has_nothing_written_where_no_skills_lie() {
    let sandbox = world();
    pull(&sandbox, "@main");
    let good = lock(&sandbox);
    for (folder, sentence) in [
        ("docs/pdf", "`skills.paths` does not have this folder"),
        (".Claude/skills/pdf", "`skills.paths` does not have this folder"),
        (".claude/skills/other", "skill `pdf` has a folder with another name"),
    ] {
        fs::write(sandbox.project().join("rye.lock"), good.replace(".claude/skills/pdf", folder)).unwrap();
        for args in [&["sync"][..], &["sync", "--force"], &["sync", "--check"]] {
            let seen = sandbox.rye(args).transcript();
            assert!(seen.contains(sentence) && !seen.ends_with("[exit 0]\n"), "{args:?}: {seen}");
        }
        let seen = sandbox.rye(&["pull", &source(&sandbox, "@main"), "--yes"]).transcript();
        assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
        assert!(!sandbox.project().join(folder).exists(), "{folder}");
    }
}

#[test]
fn a_commit_that_is_gone_is_made_up_for_by_the_same_files_and_by_nothing_else() {
    let sandbox = world();
    pull(&sandbox, "@main");
    let forget = || {
        fs::remove_dir_all(sandbox.path("home/.cache")).unwrap();
        fs::remove_dir_all(sandbox.project().join(".claude")).unwrap();
        at_up(
            &sandbox,
            &["-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now"],
        );
    };
    at_up(&sandbox, &["commit", "-q", "--amend", "-m", "the same files"]);
    at_up(&sandbox, &["reflog", "expire", "--expire=now", "--all"]);
    forget();
    says(&sandbox, &["sync"], &["restored\tpdf", "is gone from the source", "has the same files"], 0);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Other."));
    at_up(&sandbox, &["add", "-A"]);
    at_up(&sandbox, &["commit", "-q", "--amend", "-m", "other files"]);
    at_up(&sandbox, &["reflog", "expire", "--expire=now", "--all"]);
    forget();
    says(&sandbox, &["sync"], &["is gone, and skill `pdf` has other files there now", "rye update pdf --preview"], 3);
    assert!(!here(&sandbox, "SKILL.md").exists());
}

#[test]
fn skills_that_lie_here_are_adopted() {
    let sandbox = world();
    sandbox.put(".claude/skills/mine/SKILL.md", "---\nname: mine\ndescription: Mine. Use when asked.\n---\n\nDo.\n");
    sandbox.put(".claude/skills/bad/SKILL.md", "x");
    fs::hard_link(
        sandbox.project().join(".claude/skills/bad/SKILL.md"),
        sandbox.project().join(".claude/skills/bad/skill.md"),
    )
    .unwrap();
    sandbox.rye(&["sign", "skill", "mine", "-q"]).succeeds();
    says(&sandbox, &["sync", "--check"], &["unchanged\tmine", "refused\tbad"], 3);
    assert!(lock(&sandbox).is_empty());
    says(&sandbox, &["sync", "--adopt"], &["adopted\tmine", "refused\tbad"], 3);
    fs::remove_dir_all(sandbox.project().join(".claude/skills/bad")).unwrap();
    let text = lock(&sandbox);
    assert!(text.contains("origin = \"local\"") && text.contains("signer = \"SHA256:"), "{text}");
    says(&sandbox, &["sync", "--check"], &["unchanged\tmine"], 0);
    // A skill of one's own that is gone cannot be made again.
    fs::remove_dir_all(sandbox.project().join(".claude/skills/mine")).unwrap();
    says(&sandbox, &["sync"], &["missing\tmine", "nothing else has it"], 3);
}

#[test]
fn only_what_something_recorded_is_pruned() {
    let sandbox = world();
    pull(&sandbox, "");
    sandbox.commit("pulled");
    let text = "---\nname: mine\ndescription: Mine. Use when asked.\n---\n\nDo.\n";
    sandbox.put(".claude/skills/mine/SKILL.md", text);
    says(
        &sandbox,
        &["sync", "--prune", "--yes"],
        &["unlisted\tmine", "the committed lock does not have these files"],
        3,
    );
    assert!(sandbox.project().join(".claude/skills/mine/SKILL.md").exists());
    // The lock was reset, and the committed one has the skill.
    fs::remove_file(sandbox.project().join("rye.lock")).unwrap();
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    says(&sandbox, &["sync", "--prune"], &["remove .claude/skills/pdf", "confirm on a terminal or pass `--yes`"], 3);
    assert!(here(&sandbox, "SKILL.md").exists());
    says(&sandbox, &["sync", "--prune", "--yes"], &["pruned\tpdf", "unlisted\tmine"], 3);
    assert!(!here(&sandbox, "SKILL.md").exists());
    says(&sandbox, &["sync", "--prune", "--yes", "--force"], &["pruned\tmine"], 0);
    assert!(!sandbox.project().join(".claude/skills/mine").exists());
}

#[test]
fn a_lost_signature_comes_back_or_is_named() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    says(&sandbox, &["sync", "--check"], &["signature\tpdf", "its signature is missing"], 3);
    says(&sandbox, &["sync"], &["restored\tpdf"], 0);
    says(&sandbox, &["verify"], &[], 0);
    let sandbox = world();
    pull(&sandbox, "");
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    says(&sandbox, &["sync"], &["its signature is lost: run `rye sign skill pdf`"], 3);
    // A later time makes another signature.
    sandbox.rye(&["sign", "skill", "pdf", "-q"]).env("RYE_NOW", "2026-03-18T01:41:08Z").succeeds();
    says(&sandbox, &["sync", "--check"], &["signature\tpdf"], 3);
    says(&sandbox, &["sync", "--adopt"], &["adopted\tpdf"], 0);
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
    says(&sandbox, &["pull", &source(&sandbox, "")], &["Unchanged skill pdf"], 0);
    assert!(up(&sandbox, "skills/pdf/SKILL.md").exists());
}
