//! What a project proposes: its trust files, the manifest over them, and every way of changing them without leave.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use rye::format::trust_policy;
use rye::id::{Space, Timestamp, Zone};
use rye::trust::{
    ConfigDigest, ContentHash, Digests, KeyId, Namespace, Proposal, RevocationList, RevokedKey, Scope, SignedManifest,
    SigningKey, TrustFiles, TrustedKey, allowed_signers_line, check_self, check_successor,
};

use super::witness::ssh_keygen;
use super::{TIME, items, key, other_key, signed, time, trusted, unverified};
use crate::support::has;

const LATER: &str = "2026-03-18T00:00:00Z";

/// A root: may sign manifests and nothing else.
fn root(number: u8) -> TrustedKey {
    TrustedKey {
        namespaces: vec!["rye-trust".to_owned()],
        ..TrustedKey::new(other_key(number).public(), format!("root-{number}"), "")
    }
}

/// Files with these keys, unsigned.
fn files(keys: &[TrustedKey], root_signers: usize, revoked: &[&SigningKey]) -> TrustFiles {
    let lines: String = keys.iter().map(|key| format!("{}\n", allowed_signers_line(key))).collect();
    let mut list = RevocationList::default();
    for key in revoked {
        list.insert(RevokedKey { key: key.public(), comment: "stolen".to_owned() });
    }
    TrustFiles {
        allowed_signers: Some(lines.into_bytes()),
        revoked: (!revoked.is_empty()).then(|| list.to_text().into_bytes()),
        policy: (root_signers > 1)
            .then(|| trust_policy(format!("format = 1\nroot_signers = {root_signers}\n").as_bytes()).unwrap()),
        config: None,
        manifest: None,
        zone: Zone::default(),
    }
}

/// The same files with a manifest, signed by some keys.
fn sealed(files: &TrustFiles, version: u64, at: &str, signers: &[u8]) -> TrustFiles {
    let mut signed = SignedManifest::unsigned(version, time(at), files.digests());
    for number in signers {
        signed.add(&other_key(*number).sign_armored(Namespace::Trust, signed.message().as_bytes())).unwrap();
    }
    TrustFiles { manifest: Some(signed.to_text().into_bytes()), ..files.clone() }
}

fn own_rule(files: &TrustFiles) -> Result<u64, &'static str> {
    check_self(files).map(|proposal| proposal.manifest().unwrap().version).map_err(|fault| fault.rule())
}

fn next_rule(base: &TrustFiles, next: &TrustFiles) -> Result<Option<u64>, &'static str> {
    let base = Proposal::read(base).unwrap();
    let next = check_successor(&base, next).map_err(|fault| fault.rule())?;
    Ok(next.manifest().map(|manifest| manifest.version))
}

#[test]
fn a_manifest_is_this_text() {
    let files = files(&[root(1)], 1, &[]);
    let text = String::from_utf8(sealed(&files, 3, TIME, &[1]).manifest.unwrap()).unwrap();
    let digest = ContentHash::of(&files.allowed_signers.unwrap());
    let head = format!(
        "rye-trust-v2\nversion 3\nsigned-at {TIME}\nproject -\nallowed_signers {digest}\nrevoked -\npolicy.toml -\nconfig.toml -\n"
    );
    let envelope = other_key(1).sign_armored(Namespace::Trust, head.as_bytes());
    assert_eq!(text, format!("{head}{envelope}"));
}

#[test]
fn a_manifest_of_another_project_is_never_a_successor() {
    let of = |project: Option<&str>, version: u64, at: &str| {
        let files = files(&[root(1)], 1, &[]);
        let project = project.map(|digit| digit.repeat(40));
        let mut signed = SignedManifest::unsigned(version, time(at), files.digests()).of_project(project);
        signed.add(&other_key(1).sign_armored(Namespace::Trust, signed.message().as_bytes())).unwrap();
        TrustFiles { manifest: Some(signed.to_text().into_bytes()), ..files }
    };
    let base = of(Some("a"), 1, TIME);
    assert_eq!(next_rule(&base, &of(Some("a"), 2, LATER)), Ok(Some(2)));
    assert_eq!(next_rule(&base, &of(Some("b"), 2, LATER)), Err("RYE-M013"));
    assert_eq!(next_rule(&base, &of(None, 2, LATER)), Err("RYE-M013"));
    // One from before the first commit says nothing of the project; whoever knows it compares by `check_project`.
    assert_eq!(next_rule(&of(None, 1, TIME), &of(Some("a"), 2, LATER)), Ok(Some(2)));
    let proposal = check_self(&base).unwrap();
    assert!(proposal.check_project(&"a".repeat(40)).is_ok());
    assert_eq!(proposal.check_project(&"b".repeat(40)).unwrap_err().rule(), "RYE-M013");
}

/// The same files with a manifest of version 1, which says nothing of the configuration.
fn sealed_v1(files: &TrustFiles, version: u64, at: &str, signers: &[u8]) -> TrustFiles {
    let digests = Digests { config: ConfigDigest::Open, ..files.digests() };
    let mut signed = SignedManifest::unsigned(version, time(at), digests);
    for number in signers {
        signed.add(&other_key(*number).sign_armored(Namespace::Trust, signed.message().as_bytes())).unwrap();
    }
    TrustFiles { manifest: Some(signed.to_text().into_bytes()), ..files.clone() }
}

#[test]
fn a_manifest_of_version_1_is_read_and_leaves_the_configuration_open() {
    let plain = files(&[root(1)], 1, &[]);
    let sealed = sealed_v1(&plain, 3, TIME, &[1]);
    let text = String::from_utf8(sealed.manifest.clone().unwrap()).unwrap();
    assert!(text.starts_with("rye-trust-v1\n") && !text.contains("config.toml"), "{text}");
    assert_eq!(own_rule(&sealed), Ok(3));
    assert_eq!(own_rule(&TrustFiles { config: Some(b"# any\n".to_vec()), ..sealed }), Ok(3));
}

#[test]
fn the_configuration_changes_only_under_a_manifest_that_covers_it() {
    let deny = |text: &str| TrustFiles { config: Some(text.as_bytes().to_vec()), ..files(&[root(1)], 1, &[]) };
    let (strict, loose) = (deny("[permissions]\ndeny = [\"rye.execute.*\"]\n"), deny(""));
    let without = |files: &TrustFiles| TrustFiles { config: None, ..files.clone() };
    let with_manifest =
        |files: &TrustFiles, other: &TrustFiles| TrustFiles { manifest: other.manifest.clone(), ..files.clone() };

    // A manifest that covers it.
    let base = sealed(&strict, 1, TIME, &[1]);
    assert_eq!(own_rule(&with_manifest(&loose, &base)), Err("RYE-M004"));
    assert_eq!(own_rule(&with_manifest(&without(&loose), &base)), Err("RYE-M004"));
    assert_eq!(next_rule(&base, &with_manifest(&loose, &base)), Err("RYE-M004"));
    assert_eq!(next_rule(&base, &loose), Err("RYE-M010"));
    assert_eq!(next_rule(&base, &sealed(&loose, 2, LATER, &[9])), Err("RYE-M006"));
    assert_eq!(next_rule(&base, &sealed(&loose, 2, LATER, &[1])), Ok(Some(2)));
    assert_eq!(next_rule(&base, &sealed_v1(&strict, 2, LATER, &[1])), Err("RYE-M012"));

    // A manifest of version 1 does not announce a change of it.
    let old = sealed_v1(&strict, 1, TIME, &[1]);
    assert_eq!(next_rule(&old, &old), Ok(Some(1)));
    assert_eq!(next_rule(&old, &with_manifest(&loose, &old)), Err("RYE-M010"));
    assert_eq!(next_rule(&old, &with_manifest(&without(&loose), &old)), Err("RYE-M010"));
    assert_eq!(next_rule(&old, &sealed_v1(&loose, 2, LATER, &[1])), Err("RYE-M012"));
    assert_eq!(next_rule(&old, &sealed_v1(&strict, 2, LATER, &[1])), Ok(Some(2)));
    assert_eq!(next_rule(&old, &sealed(&loose, 2, LATER, &[1])), Ok(Some(2)));

    // Nothing covers it, and it is there.
    assert_eq!(next_rule(&strict, &strict), Ok(None));
    assert_eq!(next_rule(&strict, &loose), Err("RYE-M010"));
    assert_eq!(next_rule(&strict, &sealed(&loose, 1, TIME, &[1])), Err("RYE-M011"));
    assert_eq!(next_rule(&strict, &sealed(&strict, 1, TIME, &[1])), Ok(Some(1)));

    // A new one can only tighten.
    assert_eq!(next_rule(&without(&strict), &strict), Ok(None));
    assert_eq!(
        next_rule(
            &sealed_v1(&without(&strict), 1, TIME, &[1]),
            &with_manifest(&strict, &sealed_v1(&strict, 1, TIME, &[1]))
        ),
        Ok(Some(1))
    );
}

#[test]
fn a_proposal_counts_for_the_project_and_no_further() {
    let [(item, text), ..] = items();
    let signer = TrustedKey { namespaces: vec!["rye".to_owned()], ..trusted(&key()) };
    let proposal = check_self(&sealed(&files(&[root(1), signer.clone()], 1, &[&other_key(9)]), 1, TIME, &[1])).unwrap();
    let origin = ".ai/trust/allowed_signers:2".to_owned();
    assert_eq!(proposal.keys()[1], TrustedKey { scope: Scope::Project, origin, ..signer });
    let keys = proposal.trusted_keys();
    let bytes = signed(&item, text.as_bytes());
    let judge = |space| unverified(&item, &bytes).in_space(space).verify(&keys).map(drop).map_err(|fault| fault.rule());
    assert_eq!((judge(Space::Project), judge(Space::User)), (Ok(()), Err("RYE-S006")));
    let bytes = unverified(&item, text.as_bytes()).sign(&other_key(9), time(TIME)).unwrap().1;
    let judge = |space| unverified(&item, &bytes).in_space(space).verify(&keys).map(drop).map_err(|fault| fault.rule());
    assert_eq!((judge(Space::Project), judge(Space::User)), (Err("RYE-S010"), Err("RYE-S006")));
    // A root signs manifests, not items.
    let bytes = unverified(&item, text.as_bytes()).sign(&other_key(1), time(TIME)).unwrap().1;
    assert!(unverified(&item, &bytes).in_space(Space::Project).verify(&keys).is_err());
}

#[test]
fn a_pin_holds_the_files_and_not_who_else_signs_them() {
    let plain = files(&[root(1), root(2)], 1, &[]);
    let digest = |files: &TrustFiles| Proposal::read(files).unwrap().digest();
    let (one, both) = (sealed(&plain, 1, TIME, &[1]), sealed(&plain, 1, TIME, &[1, 2]));
    assert_eq!(digest(&one), digest(&both));
    let others = [plain.clone(), sealed(&plain, 2, TIME, &[1]), sealed(&files(&[root(1)], 1, &[]), 1, TIME, &[1])];
    assert!(others.iter().all(|other| digest(other) != digest(&one)));
}

/// Somebody edits the files of a project that is not theirs.
#[test]
fn files_that_no_root_signed_are_refused_by_the_rule_that_fits() {
    let good = files(&[root(1), root(2), trusted(&key())], 2, &[&other_key(9)]);
    let whole = sealed(&good, 1, TIME, &[1, 2]);
    assert_eq!(own_rule(&whole), Ok(1));
    assert_eq!(own_rule(&good), Err("RYE-M001"));
    let with = |change: &dyn Fn(&mut TrustFiles)| {
        let mut files = whole.clone();
        change(&mut files);
        check_self(&files).map(drop).map_err(|fault| (fault.rule(), fault.to_string()))
    };
    let other = |file: &str| Err(("RYE-M004", format!("`{file}` does not match the signed manifest")));
    assert_eq!(with(&|files| files.allowed_signers = None), other("allowed_signers"));
    assert_eq!(with(&|files| files.allowed_signers.as_mut().unwrap().push(b'\n')), other("allowed_signers"));
    assert_eq!(with(&|files| files.revoked = None), other("revoked"));
    assert_eq!(with(&|files| files.policy = None), other("policy.toml"));
    assert_eq!(with(&|files| files.policy = Some(trust_policy(b"format = 1").unwrap())), other("policy.toml"));

    let few = "of the 2 root signers that are needed have signed the manifest (those that the files themselves name)";
    for (signers, have) in [(&[][..], 0), (&[1], 1), (&[1, 3], 1), (&[3, 4], 0)] {
        let fault = check_self(&sealed(&good, 1, TIME, signers)).unwrap_err();
        assert_eq!((fault.rule(), fault.to_string()), ("RYE-M006", format!("{have} {few}")), "{signers:?}");
    }
}

#[test]
fn a_root_is_who_is_named_one_and_counts_once_while_it_is_valid() {
    let judged = |keys: &[TrustedKey], root_signers, signers: &[u8]| {
        own_rule(&sealed(&files(keys, root_signers, &[]), 1, TIME, signers))
    };
    let everything = TrustedKey { namespaces: Vec::new(), ..root(1) };
    let item = TrustedKey { namespaces: vec!["rye".to_owned(), "git".to_owned()], ..root(1) };
    let both = TrustedKey { namespaces: vec!["rye".to_owned(), "rye-trust".to_owned()], ..root(1) };
    let late = TrustedKey { valid_after: Some(time(LATER)), ..root(1) };
    let retired = TrustedKey { valid_before: Some(time(TIME)), ..root(1) };
    for (trusted, wanted) in [
        (both, Ok(1)),
        (everything, Err("RYE-M006")),
        (item, Err("RYE-M006")),
        (late, Err("RYE-M006")),
        (retired, Err("RYE-M006")),
    ] {
        assert_eq!(judged(&[trusted], 1, &[1]), wanted);
    }
    let alias = TrustedKey { principal: "root-1,root-1@home".to_owned(), ..root(2) };
    assert_eq!(judged(&[root(1), alias], 2, &[1, 2]), Err("RYE-M006"));
    assert_eq!(judged(&[root(1), root(2)], 2, &[1, 2]), Ok(1));
}

#[test]
fn a_revoked_root_announces_nothing() {
    let stolen = other_key(1);
    assert_eq!(own_rule(&sealed(&files(&[root(1)], 1, &[&stolen]), 1, TIME, &[1])), Err("RYE-M007"));
    assert_eq!(own_rule(&sealed(&files(&[root(1), root(2)], 1, &[&stolen]), 1, TIME, &[1])), Err("RYE-M007"));
    assert_eq!(own_rule(&sealed(&files(&[root(1), root(2)], 1, &[&stolen]), 1, TIME, &[1, 2])), Ok(1));
    let base = sealed(&files(&[root(1), root(2)], 1, &[&stolen]), 1, TIME, &[2]);
    let back = files(&[root(1)], 1, &[]);
    assert_eq!(next_rule(&base, &sealed(&back, 2, LATER, &[1])), Err("RYE-M007"));
}

#[test]
fn trust_changes_step_by_step() {
    let first = sealed(&files(&[root(1), root(2)], 2, &[]), 1, TIME, &[1, 2]);
    // A third root comes in, the first is revoked, then one signature is enough.
    let second = sealed(&files(&[root(1), root(2), root(3)], 2, &[]), 2, LATER, &[1, 2, 3]);
    let third = sealed(&files(&[root(2), root(3)], 2, &[&other_key(1)]), 5, LATER, &[2, 3]);
    let fourth = sealed(&files(&[root(2), root(3)], 1, &[&other_key(1)]), 6, LATER, &[2, 3]);
    for (base, next, version) in [(&first, &second, 2), (&second, &third, 5), (&third, &fourth, 6)] {
        assert_eq!(next_rule(base, next), Ok(Some(version)));
        assert_eq!(next_rule(next, base), Err("RYE-M008"));
        assert!(next_rule(base, base).is_ok());
    }
    // By itself, two steps at once are as good as one, if the base's roots signed.
    assert_eq!(next_rule(&second, &fourth), Ok(Some(6)));
    assert_eq!(next_rule(&first, &fourth), Err("RYE-M006"));
}

/// Somebody with commit rights, and none of the roots, wants their own key trusted.
#[test]
fn a_change_that_the_base_s_roots_did_not_sign_is_refused_by_the_rule_that_fits() {
    let base_files = files(&[root(1), root(2)], 1, &[]);
    let base = sealed(&base_files, 4, TIME, &[1]);
    let mine = files(&[root(1), root(7)], 1, &[]);
    let rule = |next: &TrustFiles| next_rule(&base, next).unwrap_err();
    // Signs it with the root they just named.
    assert_eq!(rule(&sealed(&mine, 5, LATER, &[7])), "RYE-M006");
    let fault = check_successor(&Proposal::read(&base).unwrap(), &sealed(&mine, 5, LATER, &[7])).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "0 of the 1 root signers that are needed have signed the manifest (those that the files before it name)"
    );
    // Leaves the manifest as it was, or takes it out, or everything with it.
    assert_eq!(rule(&TrustFiles { manifest: base.manifest.clone(), ..mine.clone() }), "RYE-M004");
    assert_eq!(rule(&mine), "RYE-M010");
    assert_eq!(rule(&base_files), "RYE-M010");
    assert_eq!(rule(&TrustFiles::default()), "RYE-M010");
    // Brings back what the roots signed once, or a draft of theirs with the same number or an earlier date.
    let once = sealed(&mine, 3, TIME, &[1, 7]);
    assert_eq!((own_rule(&once), rule(&once)), (Ok(3), "RYE-M008"));
    assert_eq!(rule(&sealed(&mine, 4, LATER, &[1, 7])), "RYE-M008");
    assert_eq!(rule(&sealed(&mine, 5, "2026-03-17T01:41:07Z", &[1, 7])), "RYE-M009");
    // Has the base's root sign files whose own roots did not.
    let foreign = files(&[root(7)], 1, &[]);
    assert_eq!(rule(&sealed(&foreign, 5, LATER, &[1])), "RYE-M006");
    assert_eq!(next_rule(&base, &sealed(&foreign, 5, LATER, &[1, 7])), Ok(Some(5)));
}

#[test]
fn a_base_without_a_manifest_cannot_be_changed() {
    let base = files(&[root(1)], 1, &[]);
    let changed = files(&[root(1), root(2)], 1, &[]);
    assert_eq!(next_rule(&base, &base), Ok(None));
    assert_eq!(next_rule(&base, &changed), Err("RYE-M010"));
    assert_eq!(next_rule(&base, &sealed(&changed, 1, TIME, &[1])), Err("RYE-M011"));
    assert_eq!(next_rule(&TrustFiles::default(), &sealed(&base, 1, TIME, &[1])), Err("RYE-M011"));
    // The very same files may get a first one.
    assert_eq!(next_rule(&base, &sealed(&base, 1, TIME, &[1])), Ok(Some(1)));
    assert_eq!(next_rule(&base, &sealed(&base, 1, TIME, &[2])), Err("RYE-M006"));
}

#[test]
fn a_manifest_written_in_another_way_is_refused() {
    let whole = sealed(&files(&[root(1)], 1, &[]), 12, TIME, &[1]);
    let text = String::from_utf8(whole.manifest.clone().unwrap()).unwrap();
    let envelope = text.split_at(text.find("-----BEGIN").unwrap()).1.to_owned();
    let refused = |text: &str| {
        let files = TrustFiles { manifest: Some(text.as_bytes().to_vec()), ..whole.clone() };
        let fault = check_self(&files).unwrap_err();
        (fault.rule(), fault.to_string())
    };
    let malformed =
        |line: usize, reason: &str| ("RYE-M002", format!("line {line} of `trust.sig` is malformed: {reason}"));
    let first = "it must be `rye-trust-v2` or `rye-trust-v1`";
    for (from, to, wanted) in [
        ("rye-trust-v2\n", "rye-trust-v1\n", malformed(4, "it must be `allowed_signers` and one value")),
        ("rye-trust-v2\n", "rye-trust-v3\n", malformed(1, first)),
        ("rye-trust-v2\n", "\nrye-trust-v2\n", malformed(1, first)),
        ("\n", "\r\n", malformed(1, first)),
        ("project -", "project main", malformed(4, "the project must be a commit id, or `-` before the first commit")),
        ("version 12", "version 012", malformed(2, "the version must be a whole number from 1")),
        ("version 12", "version +12", malformed(2, "the version must be a whole number from 1")),
        ("version 12", "version 0", malformed(2, "the version must be a whole number from 1")),
        ("version 12", "version 99999999999999999999", malformed(2, "the version must be a whole number from 1")),
        ("version 12", "Version 12", malformed(2, "it must be `version` and one value")),
        (TIME, "2026-03-17T01:41:08.5Z", malformed(3, "the time must be written like 2026-03-17T01:41:08Z")),
        ("revoked -\n", "", malformed(6, "it must be `revoked` and one value")),
        (
            "revoked -",
            "revoked  -",
            malformed(6, "the digest must be 64 lowercase hexadecimal digits, or `-` without a file"),
        ),
        ("config.toml -\n", "config.toml -\nplugins -\n", malformed(9, "here must be an SSH signature")),
        ("-----BEGIN", "\n-----BEGIN", malformed(9, "here must be an SSH signature")),
        ("-----END SSH SIGNATURE-----\n", "-----END SSH SIGNATURE-----", malformed(9, "here must be an SSH signature")),
        ("-----END SSH SIGNATURE-----\n", "", malformed(9, "here must be an SSH signature")),
    ] {
        assert_ne!(text.replacen(from, to, 1), text, "{from:?}");
        let changed = if from == "\n" { text.replace(from, to) } else { text.replacen(from, to, 1) };
        assert_eq!(refused(&changed), wanted, "{from:?} {to:?}");
    }
    let twice = text.lines().count() + 1;
    assert_eq!(refused(&format!("{text}{envelope}")), malformed(twice, "the key of this signature has signed above"));
    assert_eq!(refused("rye-trust-v1\nversion 1"), malformed(2, "the line is missing or cut short"));
    assert_eq!(refused(&"x".repeat(300_000)), malformed(1, "it is larger than 262144 bytes"));
    let many = &text[..text.find("-----BEGIN").unwrap()];
    let envelopes = (1..=65).map(|number| other_key(number).sign_armored(Namespace::Trust, many.as_bytes()));
    let many = format!("{many}{}", envelopes.collect::<String>());
    assert_eq!(refused(&many), malformed(1, "it has more than 64 signatures"));

    let does_not = |number: usize, reason: &str| {
        ("RYE-M005", format!("signature {number} of `trust.sig` does not count: {reason}"))
    };
    let message = &text[..text.find("-----BEGIN").unwrap()];
    let git = other_key(2).sign_armored(Namespace::Git, message.as_bytes());
    assert_eq!(
        refused(&format!("{text}{git}")),
        does_not(2, "the signature was made for another use (namespace `git`)")
    );
    for (from, to) in [("version 12", "version 13"), (TIME, LATER)] {
        let changed = refused(&text.replacen(from, to, 1));
        assert_eq!(changed, does_not(1, "the signature does not fit its data"));
    }
    let rubbish = "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n";
    assert_eq!(
        refused(&format!("{text}{rubbish}")),
        does_not(2, "this is not an SSH signature by a key that can be used")
    );
}

#[test]
fn files_that_cannot_be_read_are_named_with_their_line() {
    let refused = |change: &dyn Fn(&mut TrustFiles)| {
        let mut files = files(&[root(1)], 1, &[]);
        change(&mut files);
        let fault = check_self(&sealed(&files, 1, TIME, &[1])).unwrap_err();
        (fault.rule(), fault.to_string())
    };
    let unreadable =
        |file: &str, reason: &str| ("RYE-M003", format!("the trust file `{file}` cannot be used: {reason}"));
    // A line that is not UTF-8 is skipped, as OpenSSH skips it: no root is left here.
    let none =
        "0 of the 1 root signers that are needed have signed the manifest (those that the files themselves name)";
    assert_eq!(refused(&|files| files.allowed_signers = Some(b"# me\n\xff\n".to_vec())), ("RYE-M006", none.to_owned()));
    // A line of another kind makes no root, and does not keep the others from counting.
    let foreign = |files: &mut TrustFiles| files.allowed_signers.as_mut().unwrap().extend(b"just text\n");
    let mut files_with = files(&[root(1)], 1, &[]);
    foreign(&mut files_with);
    let proposal = check_self(&sealed(&files_with, 1, TIME, &[1])).unwrap();
    let warning = "skipped 1 line of `.ai/trust/allowed_signers`: line 2 (it has no key of a known type)";
    assert_eq!(proposal.warning().as_deref(), Some(warning));
    assert_eq!(
        refused(&|files| files.revoked = Some(b"\n\nssh-rsa AAAA\n".to_vec())),
        unreadable("revoked", "line 3: its key cannot be used")
    );
    assert_eq!(
        refused(&|files| files.revoked = Some(b"SSHKRL\n\0".to_vec())),
        unreadable("revoked", "it is a binary revocation list (KRL)")
    );
    assert_eq!(
        refused(&|files| files.allowed_signers = Some(vec![b'#'; 300_000])),
        unreadable("allowed_signers", "it is larger than 262144 bytes")
    );
    let fault: rye::trust::ManifestFault = trust_policy(b"format = 1\nrules = 1").unwrap_err().into();
    assert_eq!(
        (fault.rule(), fault.to_string()),
        unreadable(
            "policy.toml",
            "line 2: `rules` is not a known key (known: `format`, `root_signers`, `require`, `forge`, `x509`)"
        )
    );
}

/// A root needs nothing but OpenSSH to sign, and anybody nothing else to check.
#[test]
fn ssh_keygen_signs_and_verifies_manifests() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    let plain = files(&[root(1), root(2)], 2, &[]);
    let mut manifest = SignedManifest::unsigned(1, time(TIME), plain.digests());
    let message = manifest.message();
    file("key", &other_key(2).to_openssh("root"));
    fs::set_permissions(dir.path().join("key"), Permissions::from_mode(0o600)).unwrap();
    let theirs = ssh_keygen(dir.path(), &["-Y", "sign", "-f", "key", "-n", "rye-trust"], message.as_bytes()).stdout;
    let ours = other_key(1).sign_armored(Namespace::Trust, message.as_bytes());
    for envelope in [&ours, std::str::from_utf8(&theirs).unwrap()] {
        manifest.add(envelope).unwrap();
    }
    let whole = TrustFiles { manifest: Some(manifest.to_text().into_bytes()), ..plain.clone() };
    assert_eq!(own_rule(&whole), Ok(1));

    fs::write(dir.path().join("allowed_signers"), plain.allowed_signers.unwrap()).unwrap();
    file("manifest.sig", &ours);
    let verify = |namespace: &str, principal: &str, message: &str| {
        let arguments =
            ["-Y", "verify", "-f", "allowed_signers", "-I", principal, "-n", namespace, "-s", "manifest.sig"];
        ssh_keygen(dir.path(), &arguments, message.as_bytes()).status.success()
    };
    assert!(verify("rye-trust", "root-1", &message));
    assert!(!verify("rye", "root-1", &message) && !verify("rye-trust", "root-2", &message));
    assert!(!verify("rye-trust", "root-1", &message.replace("version 1", "version 2")));
}

/// One text for one manifest: nothing hides between the lines, and no byte may be another's spelling.
#[test]
fn every_byte_of_a_signed_manifest_counts() {
    let whole = sealed(&files(&[root(1)], 1, &[]), 12, TIME, &[1]);
    let bytes = whole.manifest.clone().unwrap();
    let accepted = |manifest: Vec<u8>| check_self(&TrustFiles { manifest: Some(manifest), ..whole.clone() }).is_ok();
    for at in 0..=bytes.len() {
        for put in [&b"\n"[..], b" ", b"\r", b"=", b"A", b"\0"] {
            assert!(!accepted([&bytes[..at], put, &bytes[at..]].concat()), "{at} {put:?}");
            let end = (at + 1).min(bytes.len());
            let other = [&bytes[..at], put, &bytes[end..]].concat();
            assert!(other == bytes || !accepted(other), "{at} {put:?}");
        }
        assert!(at == bytes.len() || !accepted([&bytes[..at], &bytes[at + 1..]].concat()), "{at}");
    }
}

fn digests() -> impl Strategy<Value = Digests> {
    let digest = || proptest::option::of(any::<[u8; 4]>().prop_map(|bytes| ContentHash::of(&bytes)));
    let config = prop_oneof![Just(ConfigDigest::Open), digest().prop_map(ConfigDigest::Covered)];
    (digest(), digest(), digest(), config).prop_map(|(allowed_signers, revoked, policy, config)| Digests {
        allowed_signers,
        revoked,
        policy,
        config,
    })
}

proptest! {
    #[test]
    fn a_manifest_reads_back(
        version in 1_u64..,
        second in 0..253_402_300_799_i64,
        digests in digests(),
        project in prop::option::of("[0-9a-f]{40}"),
        signers in prop::collection::btree_set(any::<u8>(), 0..4),
    ) {
        let mut signed = SignedManifest::unsigned(version, Timestamp::from_milliseconds(second * 1000), digests);
        if digests.config != ConfigDigest::Open {
            signed = signed.of_project(project);
        }
        for number in &signers {
            let envelope = other_key(*number).sign_armored(Namespace::Trust, signed.message().as_bytes());
            signed.add(&envelope).unwrap();
        }
        let read = SignedManifest::parse(signed.to_text().as_bytes()).unwrap();
        let keys: Vec<KeyId> = read.keys().map(rye::trust::PublicKey::key_id).collect();
        prop_assert_eq!(keys, signers.iter().map(|number| other_key(*number).public().key_id()).collect::<Vec<_>>());
        prop_assert_eq!(read, signed);
    }

    /// No byte of `trust.sig` can be another, and none can be added or left out.
    #[test]
    fn whatever_differs_from_a_signed_manifest_is_refused(at: usize, cut in 0..4_usize, new in prop::collection::vec(any::<u8>(), 0..4)) {
        let whole = sealed(&files(&[root(1)], 1, &[]), 12, TIME, &[1]);
        let bytes = whole.manifest.clone().unwrap();
        let at = at % bytes.len();
        let end = (at + cut).min(bytes.len());
        let other = [&bytes[..at], &new, &bytes[end..]].concat();
        prop_assume!(other != bytes);
        let changed = check_self(&TrustFiles { manifest: Some(other), ..whole });
        prop_assert!(changed.is_err());
    }

    #[test]
    fn no_bytes_make_the_reader_of_manifests_stumble(bytes: Vec<u8>, text in "\\PC{0,60}") {
        drop(SignedManifest::parse(&bytes));
        drop(SignedManifest::parse(format!("rye-trust-v1\nversion 1\n{text}").as_bytes()));
        drop(SignedManifest::parse(format!("rye-trust-v2\nversion 1\n{text}").as_bytes()));
    }
}
