//! A lock that was edited, or that is gone: a finding, a difference, and never a permission.

use std::fs;

use super::{
    BOB, EVE, commit, fingerprint, here, lock, pull, pull_from, says, sign_as, signed_world, skill, source, up, world,
    write,
};
use crate::support::Sandbox;

/// A `SKILL.md` of a version.
fn versioned(version: &str) -> String {
    skill(&format!("Read as {version}.")).replace("---\n\n", &format!("metadata:\n  version: \"{version}\"\n---\n\n"))
}

/// Gives keys of the lock other values; without a value the line goes.
fn edit(sandbox: &Sandbox, good: &str, edits: &[(&str, Option<&str>)]) {
    let edited = good.lines().filter_map(|line| {
        let key = line.split(" = ").next().unwrap();
        match edits.iter().find(|(name, _)| *name == key) {
            Some((_, value)) => value.map(|value| format!("{key} = \"{value}\"")),
            None => Some(line.to_owned()),
        }
    });
    let edited: Vec<String> = edited.collect();
    let edited = edited.join("\n") + "\n";
    assert_ne!(edited, good, "{edits:?}");
    fs::write(sandbox.project().join("rye.lock"), edited).unwrap();
}

/// Asserts that `verify`, `sync --check` and `execute` refuse a lock.
#[track_caller]
fn contradicts(sandbox: &Sandbox, sentence: &str) {
    says(sandbox, &["verify"], &[sentence, "RYE-A038"], 3);
    says(sandbox, &["sync", "--check"], &["signature\tpdf", sentence], 3);
    says(sandbox, &["execute", "skill", "pdf"], &["RYE-A038"], 3);
}

#[test]
fn every_field_that_the_signature_contradicts_is_found() {
    let nobody = format!("SHA256:{}", "A".repeat(43));
    let sandbox = signed_world();
    write(&sandbox, "skills/pdf/SKILL.md", &versioned("1.1.0"));
    sign_as(&sandbox, &BOB, "pdf");
    commit(&sandbox, "version");
    pull_from(&sandbox, &BOB, "@main");
    let good = lock(&sandbox);
    for (edits, sentence) in [
        (&[("signer", Some(nobody.as_str()))][..], "says that another key signed it"),
        (&[("version", Some("1.0.0"))], "says that it has another version"),
        (&[("version", None)], "says that it has another version"),
    ] {
        edit(&sandbox, &good, edits);
        contradicts(&sandbox, sentence);
        // What contradicts itself is not mended from where it says.
        fs::rename(here(&sandbox, ""), sandbox.path("away")).unwrap();
        says(&sandbox, &["sync"], &[sentence], 3);
        fs::rename(sandbox.path("away"), here(&sandbox, "")).unwrap();
    }
    // A signature that the lock does not have counts by no key that was accepted for what was pulled.
    edit(&sandbox, &good, &[("signer", None), ("signature", None)]);
    says(&sandbox, &["verify"], &["untrusted"], 3);
    says(&sandbox, &["sync", "--check"], &["signature\tpdf"], 3);
    sandbox.commit("an edited lock");
    edit(&sandbox, &good, &[("signer", Some(&nobody))]);
    sandbox.commit("another one");
    says(&sandbox, &["verify", "--rev", "HEAD"], &["RYE-A038"], 3);
    fs::write(sandbox.project().join("rye.lock"), &good).unwrap();
    says(&sandbox, &["verify"], &[], 0);
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
}

#[test]
fn every_field_that_the_source_of_a_manifest_contradicts_is_found() {
    let sandbox = world();
    pull(&sandbox, "@main");
    let good = lock(&sandbox);
    let (commit, elsewhere) = ("a".repeat(40), "is from elsewhere than its signature says");
    let local = [("origin", Some("local")), ("source", None), ("rev", None), ("commit", None), ("upstream", None)];
    for edits in [
        &[("commit", Some(commit.as_str()))][..],
        &[("source", Some("git+https://evil.example/skills//skills/pdf"))],
        &[("upstream", Some("signed"))],
        &local,
    ] {
        edit(&sandbox, &good, edits);
        contradicts(&sandbox, elsewhere);
    }
    edit(&sandbox, &good, &[("folder", Some(".agents/skills/pdf"))]);
    says(&sandbox, &["verify"], &["`rye.lock` says that it is in another folder", "RYE-A038"], 3);
    says(&sandbox, &["sync", "--check"], &["missing\tpdf\t.agents/skills/pdf"], 3);
    says(&sandbox, &["execute", "skill", "pdf"], &["RYE-A038"], 3);
    sandbox.commit("another folder");
    says(&sandbox, &["verify", "--rev", "HEAD"], &["RYE-A038"], 3);
    edit(&sandbox, &good, &local);
    // Adopting follows the signature, not the lock.
    says(&sandbox, &["sync", "--adopt"], &["adopted\tpdf"], 0);
    assert!(lock(&sandbox).contains("origin = \"git\"") && lock(&sandbox).contains("upstream = \"unsigned\""));
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
    says(&sandbox, &["verify"], &[], 0);
}

#[test]
fn who_signed_a_skill_before_is_not_what_the_lock_says() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "@main");
    let good = lock(&sandbox);
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read as Eve says."));
    sign_as(&sandbox, &EVE, "pdf");
    commit(&sandbox, "eve");
    let (bob, eve) = (fingerprint(&sandbox, &BOB), fingerprint(&sandbox, &EVE));
    let sentence = format!("skill `pdf` was signed by {bob}, and is signed by {eve} now");
    for edits in [
        &[("signer", Some(eve.as_str()))][..],
        &[("signer", Some(eve.as_str())), ("upstream", Some("unsigned"))],
        &[("signer", None), ("signature", None)],
    ] {
        edit(&sandbox, &good, edits);
        let seen = sandbox.rye(&["update", "--yes"]).transcript();
        let is_refused = seen.contains(&sentence) || seen.contains("has a signature here that was not pulled");
        assert!(is_refused && !seen.ends_with("[exit 0]\n"), "{edits:?}: {seen}");
    }
    fs::remove_file(up(&sandbox, ".ai/skills/pdf.sig")).unwrap();
    commit(&sandbox, "unsigned");
    edit(&sandbox, &good, &[("upstream", Some("unsigned"))]);
    says(&sandbox, &["update", "--yes"], &["and is not signed now"], 3);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
}

#[test]
fn adopting_makes_no_signature_count() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "@main");
    let good = lock(&sandbox);
    // Bob's key counts for what was pulled. He signed this, too, and nobody pulled it.
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Never pulled."));
    sign_as(&sandbox, &BOB, "pdf");
    fs::copy(up(&sandbox, "skills/pdf/SKILL.md"), here(&sandbox, "SKILL.md")).unwrap();
    fs::copy(up(&sandbox, ".ai/skills/pdf.sig"), sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    fs::remove_file(sandbox.project().join("rye.lock")).unwrap();
    says(&sandbox, &["verify"], &["untrusted"], 3);
    for args in [&["sync", "--check"][..], &["sync", "--adopt"]] {
        says(&sandbox, args, &["unlisted\tpdf", "its signature is not trusted here"], 3);
        assert!(lock(&sandbox).is_empty());
    }
    // An entry that says the skill was made here gives it no weight either.
    let local = [("origin", Some("local")), ("source", None), ("rev", None), ("commit", None), ("upstream", None)];
    edit(&sandbox, &good, &local);
    let before = lock(&sandbox);
    says(&sandbox, &["sync", "--adopt"], &["changed\tpdf"], 3);
    assert_eq!(lock(&sandbox), before);
    says(&sandbox, &["verify"], &["untrusted"], 3);
    let seen = sandbox.rye(&["execute", "skill", "pdf"]).transcript();
    assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn a_lock_without_the_entry_of_a_skill_is_a_difference() {
    let sandbox = world();
    pull(&sandbox, "@main");
    let good = lock(&sandbox);
    fs::remove_file(sandbox.project().join("rye.lock")).unwrap();
    says(&sandbox, &["sync", "--check"], &["unlisted\tpdf", "its signature names a source"], 3);
    says(&sandbox, &["sync", "--prune", "--yes"], &["unlisted\tpdf"], 3);
    assert!(here(&sandbox, "SKILL.md").exists());
    says(&sandbox, &["sync", "--adopt"], &["adopted\tpdf"], 0);
    let of = |text: &str, key: &str| text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
    for key in ["origin", "source", "commit", "upstream", "signer", "signature", "digest"] {
        assert_eq!(of(&lock(&sandbox), key), of(&good, key), "{key}");
    }
    says(&sandbox, &["verify"], &[], 0);
    says(&sandbox, &["update", "--preview"], &["Unchanged skill pdf"], 0);
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "@main");
    fs::remove_file(sandbox.project().join("rye.lock")).unwrap();
    says(&sandbox, &["sync", "--check"], &["unlisted\tpdf", "its signature is not trusted here"], 3);
    says(&sandbox, &["pull", &source(&sandbox, "@main"), "--yes"], &["Unchanged skill pdf", ", good"], 0);
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
}
