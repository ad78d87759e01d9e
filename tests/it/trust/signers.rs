//! Who signed: trusted, unknown, retired and agent keys, weak keys, and the allowed_signers file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use rye::id::{ItemType, Timestamp, Zone};
use rye::trust::{
    Fault, KeyError, PublicKey, SigningKey, TrustedKey, Verdict, allowed_signers_line, parse_allowed_signers,
};

use super::{KNOWLEDGE, PUBLIC, TIME, items, judge_with, key, keys_of, signed, subject, time, trusted, unverified};

#[test]
fn a_key_nobody_trusts_is_named() {
    let [(subject, text), ..] = items();
    let stranger = SigningKey::from_seed(&[9; 32]);
    let bytes = unverified(&subject, text.as_bytes()).sign(&stranger, time(TIME)).unwrap().1;
    let fault = unverified(&subject, &bytes).verify(&keys_of([trusted(&key())])).unwrap_err();
    assert_eq!(fault, Fault::UntrustedKey { key_id: stranger.public().key_id() });
    let both = keys_of([trusted(&key()), trusted(&stranger)]);
    let verified = unverified(&subject, &bytes).verify(&both).unwrap();
    assert_eq!(verified.signer(), Some(&stranger.public().key_id()));
}

#[test]
fn a_key_trusted_for_other_uses_only_is_not_trusted_here() {
    let [(subject, text), ..] = items();
    let bytes = signed(&subject, text.as_bytes());
    let with = |namespaces: &[&str]| {
        let namespaces = namespaces.iter().map(|name| (*name).to_owned()).collect();
        judge_with(&keys_of([TrustedKey { namespaces, ..trusted(&key()) }]), &subject, &bytes)
    };
    assert_eq!(with(&[]), Ok(Verdict::Good));
    for patterns in [&["git", "rye"][..], &["rye*"], &["r?e"], &["*"], &["*", "!git"], &["x", "rye"]] {
        assert_eq!(with(patterns), Ok(Verdict::Good), "{patterns:?}");
    }
    let denied = [&["rye", "!rye"][..], &["*", "!r*"], &["!git"], &["rye-*"], &[" rye"]];
    let others = [&["git"][..], &["rye-agent"], &["Rye"], &[""], &["git", "rye-plugin"]];
    for others in others.into_iter().chain(denied) {
        assert_eq!(with(others), Err("RYE-S006"), "{others:?}");
    }
}

#[test]
fn a_signature_counts_only_while_its_key_was_valid() {
    let [(subject, text), ..] = items();
    let bytes = signed(&subject, text.as_bytes());
    let entry = |after: Option<&str>, before: Option<&str>| TrustedKey {
        valid_after: after.map(time),
        valid_before: before.map(time),
        ..trusted(&key())
    };
    let (earlier, later) = ("2026-03-17T01:41:07Z", "2026-03-17T01:41:09Z");
    let judge = |entries: &[TrustedKey]| judge_with(&keys_of(entries.to_vec()), &subject, &bytes);
    for (after, before) in [(Some(TIME), None), (None, Some(later)), (Some(earlier), Some(later))] {
        assert_eq!(judge(&[entry(after, before)]), Ok(Verdict::Good), "{after:?} {before:?}");
    }
    for (after, before) in [(Some(later), None), (None, Some(TIME)), (None, Some(earlier))] {
        assert_eq!(judge(&[entry(after, before)]), Err("RYE-S008"), "{after:?} {before:?}");
        assert_eq!(judge(&[entry(after, before), entry(None, None)]), Ok(Verdict::Good));
    }
    // Valid for git only, and expired for items: the two decisions do not add up.
    let git = TrustedKey { namespaces: vec!["git".to_owned()], ..trusted(&key()) };
    assert_eq!(judge(&[git, entry(None, Some(earlier))]), Err("RYE-S008"));
}

/// A model never approves its own work: what an agent signed counts only where it was made.
#[test]
fn an_agent_s_signature_counts_only_in_its_thread() {
    let [(item, text), ..] = items();
    let bytes = signed(&item, text.as_bytes());
    let mut keys = keys_of([]);
    keys.set_agent(key().public());
    assert_eq!(judge_with(&keys, &item, &bytes), Err("RYE-S007"));
    let hash = unverified(&item, &bytes).split().covered();
    keys.accept_from_agent(subject(ItemType::Directive, "deploy/other", "md"), hash);
    assert_eq!(judge_with(&keys, &item, &bytes), Err("RYE-S007"));
    keys.accept_from_agent(item.clone(), hash);
    assert_eq!(judge_with(&keys, &item, &bytes), Ok(Verdict::Good));
    assert_eq!(judge_with(&keys, &item, signed(&item, KNOWLEDGE.as_bytes())), Err("RYE-S007"));
}

/// Every point of small order, in both spellings of its sign: signatures by such a key fit many messages.
#[test]
fn weak_keys_are_refused() {
    let points = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ];
    for point in points {
        let bytes: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&point[at * 2..at * 2 + 2], 16).unwrap()).collect();
        let blob = [b"\0\0\0\x0bssh-ed25519\0\0\0\x20".as_slice(), &bytes].concat();
        let text = format!("ssh-ed25519 {}", STANDARD.encode(blob));
        assert!(matches!(PublicKey::from_openssh(&text), Err(KeyError::Weak)), "{point}");
        assert_eq!(parse_allowed_signers(format!("me {text}\n"), "file", &Zone::default()).keys, []);
    }
}

#[test]
fn a_signing_key_shows_nothing_of_itself_and_reads_back() {
    assert_eq!(format!("{:?}", key()), "SigningKey(7f2d9ed0b71b8e5a)");
    let text = key().to_openssh("comment");
    assert_eq!(SigningKey::from_text(&text).unwrap().public(), key().public());
    assert!(PublicKey::from_openssh(&text).is_err() && SigningKey::from_text(PUBLIC).is_err());
}

#[test]
fn an_allowed_signers_file_is_read_as_openssh_writes_it() {
    let text = format!(
        "# comment\n\nalice@example.org {PUBLIC} a comment\r\n\
         \"bob,carol\" namespaces=\"git,rye\",valid-after=\"20260101Z\",VALID-BEFORE=\"20270101123456Z\" {PUBLIC}\n"
    );
    let plain =
        TrustedKey { principal: "alice@example.org".to_owned(), origin: "file:3".to_owned(), ..trusted(&key()) };
    let narrow = TrustedKey {
        principal: "bob,carol".to_owned(),
        namespaces: vec!["git".to_owned(), "rye".to_owned()],
        valid_after: Some(time("2026-01-01T00:00:00Z")),
        valid_before: Some(time("2027-01-01T12:34:56Z")),
        origin: "file:4".to_owned(),
        ..plain.clone()
    };
    assert_eq!(parse_allowed_signers(&text, "file", &Zone::default()).keys, [plain, narrow]);
}

/// An unknown option could narrow the key's use, so the line does not count without it.
#[test]
fn a_line_that_is_not_understood_in_full_does_not_count() {
    let time = |text: &str| format!("`{text}` is not a time like 20260317Z or 20260317014108Z");
    for (line, reason) in [
        ("me", "it has no key"),
        ("me ecdsa-sha2-nistp256", "it has no key"),
        ("me xk-KEY", "it has no key of a known type"),
        ("me cert-authority KEY", "its option `cert-authority` is not supported"),
        ("me no-touch-required,namespaces=\"rye\" KEY", "its option `no-touch-required` is not supported"),
        ("me namespaces=\"rye\",Namespaces=\"git\" KEY", "its option `Namespaces` is given twice"),
        ("me namespaces=rye KEY", "its option `namespaces` has no value in quotes"),
        ("me namespaces=\"rye KEY", "its options have a quote too few"),
        ("me namespaces=\"rye\", KEY", "its options end with a comma"),
        ("!me KEY", "it names no principal"),
        ("me,!me KEY", "it names no principal"),
        ("\"!me\" KEY", "it names no principal"),
        ("\"me KEY", "its principals have a quote too few"),
        ("me valid-before=\"2026\" KEY", &time("2026")),
        ("me valid-after=\"20260230Z\" KEY", &time("20260230Z")),
        ("me valid-after=\"20260301Z\",valid-before=\"20260228Z\" KEY", "its validity ends before it begins"),
    ] {
        let text = format!("ok {PUBLIC}\n{}\n", line.replace("KEY", PUBLIC));
        let read = parse_allowed_signers(&text, "file", &Zone::default());
        let skipped: Vec<_> = read.skipped.iter().map(|line| (line.line, line.reason.as_str())).collect();
        assert_eq!((read.keys.len(), &*skipped), (1, &[(2, reason)][..]), "{line}");
    }
    let read = parse_allowed_signers("me ssh-ed25519 AAAA\n1\n2\n3\n", "file", &Zone::default());
    let warning = read.warning().unwrap();
    assert!(
        warning.starts_with("skipped 4 lines of `file`: line 1 (its `ssh-ed25519` key cannot be used"),
        "{warning}"
    );
    assert!(warning.ends_with("line 3 (it has no key), …"), "{warning}");
}

fn moment() -> impl Strategy<Value = Option<Timestamp>> {
    // Whole seconds of the years 1970 to 9999.
    proptest::option::of((0..253_402_300_799_i64).prop_map(|seconds| Timestamp::from_milliseconds(seconds * 1000)))
}

proptest! {
    #[test]
    fn an_allowed_signers_line_reads_back(
        seed: [u8; 32],
        principal in "[a-z][a-zA-Z0-9@.*?,_-]{0,20}",
        namespaces in prop::collection::vec("[a-z-]{1,8}", 0..3),
        valid_after in moment(),
        valid_before in moment(),
    ) {
        let key = SigningKey::from_seed(&seed).public();
        let trusted = TrustedKey { namespaces, valid_after, valid_before, ..TrustedKey::new(key, principal, "file:1") };
        let text = format!("{}\n", allowed_signers_line(&trusted));
        let is_empty_span = matches!((valid_after, valid_before), (Some(after), Some(before)) if before <= after);
        prop_assume!(!is_empty_span && !trusted.principal.starts_with(','));
        prop_assert_eq!(parse_allowed_signers(&text, "file", &Zone::default()).keys, vec![trusted]);
    }

    #[test]
    fn no_text_makes_the_reader_stumble(text in "[a-z\"=, \\n#é-]{0,60}|\\PC*") {
        drop(parse_allowed_signers(&text, "file", &Zone::default()));
    }
}
