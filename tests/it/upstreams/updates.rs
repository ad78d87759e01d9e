//! `rye update`: what a newer commit brings, shown before it is taken; rollback; a rewritten history.

use std::fs;

use super::{
    BOB, at_up, commit, fingerprint, here, json, lock, pull, pull_from, says, sign_as, signed_world, skill, source, up,
    world, write,
};
use crate::support::on_terminal;

#[test]
fn a_preview_shows_what_runs_and_what_is_asked_for_first() {
    let sandbox = world();
    pull(&sandbox, "@main");
    let before = lock(&sandbox);
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read.").replace("---\n\n", "allowed-tools: Bash(git:*)\n---\n\n"));
    write(&sandbox, "skills/pdf/scripts/run.sh", "#!/bin/sh\necho two\n");
    write(&sandbox, "skills/pdf/scripts/new.py", "#!/usr/bin/env python3\n");
    write(&sandbox, "skills/pdf/notes.md", "Notes.\n");
    let newer = commit(&sandbox, "newer");
    let seen = says(&sandbox, &["update", "--preview"], &["Would update skill pdf", &newer], 0);
    let order = [
        "+ allowed-tools Bash(git:*)",
        "+ script scripts/new.py",
        "+ executable scripts/new.py",
        "+ changed script scripts/run.sh",
        "added notes.md",
        "+echo two",
    ];
    let places: Vec<usize> =
        order.iter().map(|words| seen.find(words).unwrap_or_else(|| panic!("{words}: {seen}"))).collect();
    assert!(places.is_sorted(), "{seen}");
    assert_eq!(lock(&sandbox), before);
    let outcome = json(&sandbox.rye(&["update", "--preview", "--json"]).stdout());
    let change = &outcome["skills"][0]["change"];
    assert_eq!(change["gained"][0], "allowed-tools Bash(git:*)", "{outcome}");
    says(&sandbox, &["update"], &["confirm on a terminal or pass `--yes`"], 3);
    assert_eq!(lock(&sandbox), before);
    says(&sandbox, &["update", "pdf", "--yes"], &["Updated skill pdf", "brings: allowed-tools Bash(git:*)"], 0);
    assert!(lock(&sandbox).contains(&newer) && here(&sandbox, "scripts/new.py").exists());
    says(&sandbox, &["verify"], &[], 0);
    says(&sandbox, &["update", "--yes"], &["Unchanged skill pdf"], 0);
}

#[test]
fn a_skill_does_not_go_back_without_a_flag() {
    let sandbox = signed_world();
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read with the fix."));
    sign_as(&sandbox, &BOB, "pdf");
    commit(&sandbox, "fix");
    pull_from(&sandbox, &BOB, "@main");
    let before = lock(&sandbox);
    at_up(&sandbox, &["reset", "-q", "--hard", "HEAD~1"]);
    let sentence = "skill `pdf` would go back from commit";
    says(&sandbox, &["update", "--yes"], &[sentence, "--allow-rollback"], 3);
    says(&sandbox, &["pull", &source(&sandbox, "@main"), "--yes"], &[sentence], 3);
    // As on another machine.
    fs::remove_dir_all(sandbox.path("home/.cache")).unwrap();
    says(&sandbox, &["update", "--yes"], &[sentence], 3);
    assert_eq!(lock(&sandbox), before);
    says(&sandbox, &["update", "--yes", "--allow-rollback"], &["Downgraded skill pdf"], 0);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
}

#[test]
fn a_rewritten_history_is_told() {
    let sandbox = world();
    pull(&sandbox, "@main");
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Other."));
    at_up(&sandbox, &["add", "-A"]);
    at_up(&sandbox, &["commit", "-q", "--amend", "-m", "rewritten"]);
    let sentence = "the source of skill `pdf` was rewritten";
    says(&sandbox, &["update", "--preview"], &[sentence, "Would update skill pdf"], 0);
    // Before the yes.
    says(&sandbox, &["update"], &[sentence, "confirm on a terminal or pass `--yes`"], 3);
    let answers = [("change 1 skill?", "y\n"), ("sign it as yours (with no, it is pulled unsigned)?", "y\n")];
    let (seen, code) = on_terminal(&sandbox, &answers, &[crate::support::RYE, "update"]);
    let place = |words: &str| seen.find(words).unwrap_or_else(|| panic!("{words}: {seen}"));
    assert!(place("was rewritten") < place("change 1 skill?") && code == 0, "{seen}");
    // A tag that was moved to another history is told the same way, also by `pull`.
    at_up(&sandbox, &["tag", "v1"]);
    says(&sandbox, &["remove", "pdf"], &[], 0);
    pull(&sandbox, "@v1");
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Moved."));
    at_up(&sandbox, &["add", "-A"]);
    at_up(&sandbox, &["commit", "-q", "--amend", "-m", "moved"]);
    at_up(&sandbox, &["tag", "-f", "v1"]);
    let seen = says(&sandbox, &["pull", &source(&sandbox, "@v1"), "--yes"], &["Updated skill pdf"], 0);
    assert!(seen.matches(sentence).count() == 1, "{seen}");
}

#[test]
fn an_old_signature_that_is_replayed_in_a_new_commit_is_refused() {
    let signed = |version: Option<&str>, now: &str| {
        let lines = version.map(|version| format!("metadata:\n  version: \"{version}\"\n---\n\n"));
        let text = skill(&format!("Read at {now}."));
        let text = lines.map_or(text.clone(), |lines| text.replacen("---\n\n", &lines, 1));
        (text, now.to_owned())
    };
    let (early, late) = ("2026-03-18T01:00:00Z", "2026-03-18T02:00:00Z");
    for (old, new, sentence) in [
        (signed(Some("1.0.0"), late), signed(Some("1.1.0"), late), "would go back from version 1.1.0 to version 1.0.0"),
        (
            signed(None, early),
            signed(None, late),
            "would go back from the signature of 2026-03-18T02:00:00Z to that of",
        ),
    ] {
        let sandbox = world();
        sign_as(&sandbox, &BOB, "pdf");
        let path = sandbox.path("up").display().to_string();
        for (text, now) in [&old, &new] {
            write(&sandbox, "skills/pdf/SKILL.md", text);
            let args = ["-C", &path, "sign", "skill", "pdf", "-q", "--yes"];
            sandbox.rye(&args).by(&BOB).env("RYE_NOW", now).succeeds();
            commit(&sandbox, now);
        }
        pull_from(&sandbox, &BOB, "@main");
        let before = lock(&sandbox);
        at_up(&sandbox, &["revert", "--no-edit", "HEAD"]);
        says(&sandbox, &["update", "--yes"], &[sentence, "which is older", "--allow-rollback"], 3);
        says(&sandbox, &["update", "--preview"], &[sentence], 3);
        // What the lock says is not what decides.
        if before.contains("1.1.0") {
            fs::write(sandbox.project().join("rye.lock"), before.replace("1.1.0", "0.9.0")).unwrap();
            says(&sandbox, &["update", "--yes"], &[sentence], 3);
            fs::write(sandbox.project().join("rye.lock"), &before).unwrap();
        }
        says(&sandbox, &["pull", &source(&sandbox, "@main"), "--yes"], &[sentence], 3);
        assert_eq!((lock(&sandbox), fs::read(here(&sandbox, "SKILL.md")).unwrap()), (before, new.0.into_bytes()));
        says(&sandbox, &["update", "--yes", "--allow-rollback"], &["Downgraded skill pdf"], 0);
        assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), old.0.into_bytes());
    }
}

#[test]
fn a_preview_shows_a_signer_that_is_new() {
    let sandbox = world();
    pull(&sandbox, "@main");
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Signed from now on."));
    sign_as(&sandbox, &BOB, "pdf");
    commit(&sandbox, "signed");
    let key = fingerprint(&sandbox, &BOB);
    let line = format!("skill pdf is signed by dev@example.org, as its source says, with the key {key}");
    says(&sandbox, &["update", "--preview"], &[&line, "Would update skill pdf"], 0);
}

#[test]
fn what_was_changed_here_is_not_updated() {
    let sandbox = world();
    pull(&sandbox, "@main");
    fs::write(here(&sandbox, "SKILL.md"), skill("Mine.")).unwrap();
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
    commit(&sandbox, "newer");
    says(&sandbox, &["update", "--yes"], &["was changed here"], 1);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Mine.").as_bytes());
    says(&sandbox, &["update", "nothing"], &["`nothing` is not in `rye.lock`"], 1);
    says(&sandbox, &["update", "pdf@^1", "--yes"], &["`@REQ` does not go with a skill from git"], 2);
    says(&sandbox, &["update", "--yes", "--force"], &["Updated skill pdf"], 0);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), fs::read(up(&sandbox, "skills/pdf/SKILL.md")).unwrap());
}

#[test]
fn a_declined_signature_leaves_no_old_one() {
    let sandbox = world();
    pull(&sandbox, "@main");
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
    commit(&sandbox, "newer");
    // The source is pulled again without a yes: an unsigned skill has no signature of the old files.
    says(&sandbox, &["pull", &source(&sandbox, "@main")], &["Updated skill pdf", "unsigned"], 0);
    assert!(!sandbox.project().join(".ai/skills/pdf.sig").exists());
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
}

#[test]
fn outdated_covers_skills_from_git() {
    let sandbox = world();
    let first = at_up(&sandbox, &["rev-parse", "HEAD"]).trim().to_owned();
    pull(&sandbox, "@main");
    let shown = |status: &str, newest: &str| format!("{status}\tskill\tpdf\t{}\t{newest}\t", &first[..12]);
    says(&sandbox, &["outdated"], &[&shown("current", &first[..12])], 0);
    // A commit that does not touch the skill brings nothing.
    write(&sandbox, "README.md", "Text.\n");
    let other = commit(&sandbox, "other");
    says(&sandbox, &["outdated"], &[&shown("current", &other[..12])], 0);
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
    let newer = commit(&sandbox, "newer");
    says(&sandbox, &["outdated"], &[&shown("outdated", &newer[..12]), "//skills/pdf@main"], 0);
    says(&sandbox, &["outdated", "--offline"], &[&shown("unknown", "")], 0);
    fs::write(here(&sandbox, "SKILL.md"), skill("Mine.")).unwrap();
    let outcome = json(&sandbox.rye(&["outdated", "--json"]).stdout());
    let one = &outcome["skills"][0];
    assert_eq!((&one["status"], &one["newest"]), (&"outdated".into(), &newer.clone().into()), "{outcome}");
    assert_eq!((&one["commit"], &one["is_changed"]), (&first.clone().into(), &true.into()), "{outcome}");
    fs::remove_dir_all(up(&sandbox, "skills")).unwrap();
    let gone = commit(&sandbox, "gone");
    says(&sandbox, &["outdated"], &[&shown("gone", &gone[..12]), "changed here"], 0);
    assert!(lock(&sandbox).contains(&first));
}
