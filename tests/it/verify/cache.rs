//! Verdicts of earlier runs: whatever happens to them, every run says what it would have said without them.

use std::path::PathBuf;

use super::*;

const ROOT: [&str; 2] = ["--trust-root", "base"];

/// A project whose person has keys, so that there is a place for the secret.
fn kept() -> (Sandbox, PathBuf, PathBuf) {
    let sandbox = project();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    verify(&sandbox, &ROOT).is_ok();
    let verdicts: Vec<PathBuf> =
        fs::read_dir(sandbox.path("home/.cache/rye/verdicts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(verdicts.len(), 1);
    let secret = sandbox.path("config/rye/keys/verdict_secret");
    assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
    (sandbox, verdicts[0].clone(), secret)
}

/// A skill that is not good any more is reported although the cache has its former verdict.
fn assert_judged(sandbox: &Sandbox) {
    verify(sandbox, &ROOT).is_ok();
    let good = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.edit(NOTES, "short", "evil");
    verify(sandbox, &ROOT).is_refused(&[("RYE-S004", NOTES)]);
    sandbox.put(NOTES, &good);
}

#[test]
fn only_what_is_good_is_kept() {
    let (sandbox, verdicts, _) = kept();
    let before = fs::read(&verdicts).unwrap();
    assert_eq!(before.len(), 2 * 32);
    sandbox.edit(NOTES, "short", "evil");
    verify(&sandbox, &ROOT).is_refused(&[("RYE-S004", NOTES)]);
    assert_eq!(fs::read(&verdicts).unwrap(), before);
    // Asked not to, it neither looks nor writes.
    fs::remove_file(&verdicts).unwrap();
    verify(&sandbox, &[&ROOT[..], &["--no-cache"]].concat()).is_refused(&[("RYE-S004", NOTES)]);
    assert!(!verdicts.exists());
}

#[test]
fn a_damaged_deleted_or_forged_memory_changes_no_verdict() {
    let (sandbox, verdicts, _) = kept();
    let whole = fs::read(&verdicts).unwrap();
    sandbox.edit(NOTES, "short", "evil");
    // Every byte in turn: a bad item stays bad, and the good one is judged good again.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&verdicts, bytes).unwrap();
        let seen = verify(&sandbox, &ROOT);
        assert_eq!(seen.findings(), [("error", "RYE-S004", NOTES)], "byte {at}");
        assert_eq!(seen.json["summary"]["good"], 1, "byte {at}");
    }
    sandbox.git(&["checkout", "-q", "--", NOTES]);
    let contents = [Vec::new(), vec![0; 7], vec![0xff; 64], whole[..40].to_vec(), vec![0x41; 1 << 20]];
    for bytes in contents {
        fs::write(&verdicts, bytes).unwrap();
        assert_judged(&sandbox);
    }
    // A folder in its place, a folder that cannot be written, another project's verdicts.
    fs::remove_file(&verdicts).unwrap();
    fs::create_dir(&verdicts).unwrap();
    assert_judged(&sandbox);
    fs::remove_dir(&verdicts).unwrap();
    let folder = verdicts.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o500)).unwrap();
    assert_judged(&sandbox);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    let (other, theirs, _) = kept();
    fs::copy(theirs, &verdicts).unwrap();
    assert_judged(&sandbox);
    drop(other);
}

/// Who can write the cache, and not read the secret, cannot make an entry.
#[test]
fn an_entry_made_without_the_secret_stands_for_nothing() {
    use rye::id::{Space, Zone};
    use rye::trust::{CacheSecret, TrustedKeys, VerdictCache, parse_allowed_signers};
    let (sandbox, verdicts, secret) = kept();
    sandbox.edit(NOTES, "short", "evil");
    let bytes = fs::read(sandbox.project().join(NOTES)).unwrap();
    let mut keys = TrustedKeys::default();
    keys.add_file(parse_allowed_signers(signers(), "", &Zone::default()));
    let forge = |secret: CacheSecret| {
        let cache = VerdictCache::new(&secret, &keys, Vec::new());
        cache.renewed(&[], &[cache.entry(&subject(NOTES), Space::Project, b"", &bytes)]).unwrap()
    };
    let named = ["--allowed-signers", ".ai/trust/allowed_signers"];
    fs::write(&verdicts, forge(CacheSecret::new([0; 32]))).unwrap();
    verify(&sandbox, &named).is_refused(&[("RYE-S004", NOTES)]);
    // With the secret one could: that is what it is kept for.
    fs::write(&verdicts, forge(CacheSecret::read(&fs::read(&secret).unwrap()).unwrap())).unwrap();
    verify(&sandbox, &named).is_ok();
    verify(&sandbox, &[&named[..], &["--no-cache"]].concat()).is_refused(&[("RYE-S004", NOTES)]);
}

#[test]
fn without_a_secret_of_one_s_own_nothing_is_kept() {
    let (sandbox, verdicts, secret) = kept();
    let whole = fs::read(&secret).unwrap();
    fs::remove_file(&verdicts).unwrap();
    // Others can read it; it is cut short; it is not a file.
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o644)).unwrap();
    assert_judged(&sandbox);
    assert!(!verdicts.exists());
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&secret, &whole[..31]).unwrap();
    assert_judged(&sandbox);
    fs::remove_file(&secret).unwrap();
    fs::create_dir(&secret).unwrap();
    assert_judged(&sandbox);
    assert!(!verdicts.exists());
    // A new one is made, and entries under another do not count.
    fs::remove_dir(&secret).unwrap();
    assert_judged(&sandbox);
    assert!(verdicts.exists());
    // Looking at a project makes no keys: without a folder of keys, there is no secret.
    let stranger = project();
    verify(&stranger, &ROOT).is_ok();
    assert!(!stranger.path("config/rye/keys").exists() && !stranger.path("home/.cache/rye/verdicts").exists());
}

/// What decides about a verdict is part of its entry.
#[test]
fn a_verdict_is_not_remembered_for_other_keys_policies_or_revocations() {
    let (sandbox, ..) = kept();
    let named = |signers: &str, more: &[&str]| {
        sandbox.put("signers", signers);
        verify(&sandbox, &[&["--allowed-signers", "signers", "demo/notes"], more].concat())
    };
    let ada = signer(ADA, "ada", &["rye"]);
    named(&ada, &[]).is_ok();
    named(&signer(BOB, "bob", &["rye"]), &[]).is_refused(&[("RYE-S006", NOTES)]);
    named(&signer(ADA, "ada", &["git"]), &[]).is_refused(&[("RYE-S006", NOTES)]);
    let retired = ada.replace(" ssh-ed25519", ",valid-before=\"20260101Z\" ssh-ed25519");
    named(&retired, &[]).is_refused(&[("RYE-S008", NOTES)]);
    sandbox.put("revoked", &revoked(ADA));
    named(&ada, &["--revoked", "revoked"]).is_refused(&[("RYE-S010", NOTES)]);
    sandbox.put(".ai/trust/policy.toml", "format = 1\n[[require]]\nitems = \"*\"\nsigners = 2\n");
    seal(&sandbox, 2, LATER, &[ADA]);
    sandbox.commit("strict");
    verify(&sandbox, &["--trust-root", "HEAD"]).is_refused(&[("RYE-S012", GREET), ("RYE-S012", NOTES)]);
    named(&ada, &[]).is_ok();
    // The same bytes at another place, or with another extension.
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    let moved = ".ai/knowledge/demo/moved.md";
    sandbox.put(moved, &text);
    verify(&sandbox, &["--allowed-signers", "signers", "demo/moved"]).is_refused(&[("RYE-S005", moved)]);
}
