//! Who signed a skill at its source: known, new, another one than before, and none any more.

use std::fs;

use super::{
    BOB, EVE, commit, fingerprint, here, lock, pull, pull_from, says, sign_as, signed_world, skill, source, up, world,
    write,
};

#[test]
fn another_signer_than_before_is_refused_until_their_fingerprint_is_named() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "@main");
    let (bob, before) = (fingerprint(&sandbox, &BOB), lock(&sandbox));
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read as Eve says."));
    sign_as(&sandbox, &EVE, "pdf");
    commit(&sandbox, "eve");
    let eve = fingerprint(&sandbox, &EVE);
    let sentence = format!("skill `pdf` was signed by {bob}, and is signed by {eve} now");
    for args in [
        &["pull", &source(&sandbox, "@main"), "--yes"][..],
        &["update", "--yes"],
        &["update", "pdf", "--preview"],
        &["update", "pdf", "--accept-signer", &bob],
    ] {
        let seen = sandbox.rye(args).transcript();
        let is_named = seen.contains(&sentence) || seen.contains(&format!("is signed by {eve}, not by {bob}"));
        assert!(is_named && seen.ends_with("[exit 3]\n"), "{seen}");
        assert_eq!(
            (lock(&sandbox), fs::read(here(&sandbox, "SKILL.md")).unwrap()),
            (before.clone(), skill("Read.").into_bytes())
        );
    }
    says(&sandbox, &["update", "pdf", "--accept-signer", &eve, "--yes"], &["Updated skill pdf", ", good"], 0);
    assert!(lock(&sandbox).contains(&eve) && !lock(&sandbox).contains(&bob));
    says(&sandbox, &["verify"], &[], 0);
}

#[test]
fn a_skill_that_is_not_signed_any_more_is_refused() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read unsigned."));
    fs::remove_file(up(&sandbox, ".ai/skills/pdf.sig")).unwrap();
    commit(&sandbox, "unsigned");
    let sentence = "and is not signed now";
    says(&sandbox, &["update", "--yes"], &[sentence, "rye remove pdf"], 3);
    says(&sandbox, &["pull", &source(&sandbox, ""), "--yes"], &[sentence], 3);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
}

#[test]
fn a_signature_that_does_not_fit_its_folder_is_refused() {
    let sandbox = signed_world();
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Changed after it was signed."));
    commit(&sandbox, "stale");
    let source = source(&sandbox, "");
    says(&sandbox, &["pull", &source, "--yes"], &["`.ai/skills/pdf.sig` of the source does not match its folder"], 3);
    // Neither does one whose line is damaged, or whose key is not listed.
    sign_as(&sandbox, &BOB, "pdf");
    let signed = fs::read_to_string(up(&sandbox, ".ai/skills/pdf.sig")).unwrap();
    fs::write(up(&sandbox, ".ai/skills/pdf.sig"), signed.replacen("rye:signed:", "rye:signed:x", 1)).unwrap();
    commit(&sandbox, "damaged");
    says(&sandbox, &["pull", &source, "--yes"], &["does not match its folder"], 3);
    fs::write(up(&sandbox, ".ai/skills/pdf.sig"), &signed).unwrap();
    fs::write(up(&sandbox, ".ai/trust/allowed_signers"), "").unwrap();
    commit(&sandbox, "no key");
    let sentence = "and `.ai/trust/allowed_signers` there does not have it";
    says(&sandbox, &["pull", &source, "--yes"], &[sentence], 3);
    // A key of another person does not fit either.
    sandbox.rye(&["key", "generate", "-q"]).by(&EVE).succeeds();
    let key = String::from_utf8(sandbox.rye(&["key", "export"]).by(&EVE).stdout()).unwrap();
    let key: Vec<&str> = key.split_whitespace().take(2).collect();
    write(&sandbox, ".ai/trust/allowed_signers", &format!("dev@example.org {}\n", key.join(" ")));
    commit(&sandbox, "other key");
    says(&sandbox, &["pull", &source, "--yes"], &[sentence], 3);
    assert!(!here(&sandbox, "SKILL.md").exists() && lock(&sandbox).is_empty());
}

#[test]
fn a_revoked_signer_is_refused_whatever_is_accepted() {
    let sandbox = signed_world();
    let key = fingerprint(&sandbox, &BOB);
    pull_from(&sandbox, &BOB, "");
    sandbox.rye(&["trust", "revoke", &key, "-q"]).succeeds();
    let seen = sandbox.rye(&["pull", &source(&sandbox, ""), "--accept-signer", &key]).transcript();
    assert!(seen.contains("revoked") && seen.ends_with("[exit 3]\n"), "{seen}");
}

#[test]
fn a_key_counts_for_the_skill_that_was_pulled_and_for_nothing_else() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    // Bob signed this, too, and it was never pulled.
    let signature = fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    let lock_before = lock(&sandbox);
    fs::remove_file(sandbox.project().join("rye.lock")).unwrap();
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains("untrusted") && seen.ends_with("[exit 3]\n"), "{seen}");
    fs::write(sandbox.project().join("rye.lock"), &lock_before).unwrap();
    says(&sandbox, &["verify"], &[], 0);
    assert_eq!(fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap(), signature);
}

#[test]
fn an_own_signature_of_the_same_files_stays() {
    let sandbox = world();
    sandbox.put(".claude/skills/pdf/SKILL.md", &skill("Read."));
    fs::remove_dir_all(up(&sandbox, "skills/pdf/scripts")).unwrap();
    commit(&sandbox, "one file");
    sandbox.rye(&["sign", "skill", "pdf", "-q"]).succeeds();
    let own = fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    let seen = says(&sandbox, &["pull", &source(&sandbox, "")], &["Unchanged skill pdf", ", good"], 0);
    assert!(!seen.contains("sign it as yours"), "{seen}");
    assert_eq!(fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap(), own);
    pull(&sandbox, "");
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
}
