//! The use for turns: a key that has it alone counts for the commits of threads and for nothing else.

use rye::id::Space;
use rye::trust::{
    CommitFault, ContentHash, Namespace, Place, Proposal, SignedManifest, SigningKey, ThreadSigner, TrustFiles,
    TrustedKey, TrustedKeys, allowed_signers_line, check_self, parse_allowed_signers,
};

use super::{TIME, items, key, keys_of, other_key, signed, time, unverified};

/// Every namespace there is: a new one does not compile before this list has it.
const EVERY: [Namespace; 9] = [
    Namespace::Item,
    Namespace::Git,
    Namespace::Forge,
    Namespace::Turns,
    Namespace::Agent,
    Namespace::Journal,
    Namespace::Trust,
    Namespace::Registry,
    Namespace::Plugin,
];

const fn place_in_list(namespace: Namespace) -> usize {
    match namespace {
        Namespace::Item => 0,
        Namespace::Git => 1,
        Namespace::Forge => 2,
        Namespace::Turns => 3,
        Namespace::Agent => 4,
        Namespace::Journal => 5,
        Namespace::Trust => 6,
        Namespace::Registry => 7,
        Namespace::Plugin => 8,
    }
}

fn for_turns(key: &SigningKey) -> TrustedKey {
    TrustedKey {
        namespaces: vec!["git-turns".to_owned()],
        ..TrustedKey::new(key.public(), "rye-agent:bob@example.org", "")
    }
}

fn only_turns() -> TrustedKeys {
    keys_of([for_turns(&key())])
}

#[test]
fn a_key_for_turns_counts_for_no_other_use() {
    let public = key().public();
    for (at, namespace) in EVERY.into_iter().enumerate() {
        assert_eq!(place_in_list(namespace), at);
        for place in [Place::PROJECT, Place::default(), Place { is_pulled: true, ..Place::PROJECT }] {
            let keys = only_turns();
            let judged = keys.judge(namespace, place, &public.key_id(), time(TIME), |known| *known == public);
            assert_eq!(judged.is_ok(), namespace == Namespace::Turns, "{namespace:?} {place:?}");
        }
    }
}

#[test]
fn a_key_for_turns_signs_no_item() {
    for (item, text) in items() {
        let bytes = signed(&item, text.as_bytes());
        let mut keys = only_turns();
        for _ in ["its own", "pulled from a registry"] {
            let fault = unverified(&item, &bytes).in_space(Space::Project).verify(&keys).unwrap_err();
            assert_eq!(fault.rule(), "RYE-S006");
            keys.add_pulled(Space::Project, item.item_type, item.item_id.clone(), ContentHash::of(&bytes));
        }
    }
}

#[test]
fn a_key_for_turns_signs_commits_of_threads_and_of_nothing_else() {
    let (payload, at) = (b"tree 1\n", time(TIME));
    let armored = key().sign_armored(Namespace::Git, payload);
    let fault = only_turns().judge_commit(Some(&armored), payload, at).unwrap_err();
    assert!(matches!(fault, CommitFault::Untrusted { .. }), "{fault}");
    let signer = only_turns().judge_thread_commit(Some(&armored), payload, at).unwrap();
    assert!(matches!(&signer, ThreadSigner::OtherAgent(agent) if agent.principals == ["rye-agent:bob@example.org"]));
    for (uses, rule) in [
        ("rye", "RYE-C004"),
        ("rye-trust", "RYE-C004"),
        ("rye-agent", "RYE-C004"),
        ("!git-turns,rye", "RYE-C004"),
        ("git-forge", "RYE-C009"),
    ] {
        let namespaces = uses.split(',').map(str::to_owned).collect();
        let keys = keys_of([TrustedKey { namespaces, ..for_turns(&key()) }]);
        assert_eq!(keys.judge_thread_commit(Some(&armored), payload, at).unwrap_err().rule(), rule, "{uses}");
    }
    let over = TrustedKey { valid_before: Some(time("2026-01-01T00:00:00Z")), ..for_turns(&key()) };
    let fault = keys_of([over]).judge_thread_commit(Some(&armored), payload, at).unwrap_err();
    assert_eq!(fault.rule(), "RYE-C005");
}

#[test]
fn a_key_for_turns_signs_no_proposal() {
    let root =
        TrustedKey { namespaces: vec!["rye-trust".to_owned()], ..TrustedKey::new(other_key(1).public(), "root", "") };
    let lines = [allowed_signers_line(&root), allowed_signers_line(&for_turns(&key()))].join("\n") + "\n";
    let mut files = TrustFiles { allowed_signers: Some(lines.into_bytes()), ..TrustFiles::default() };
    assert_eq!(Proposal::read(&files).unwrap().roots().count(), 1);
    let mut manifest = SignedManifest::unsigned(1, time(TIME), files.digests());
    manifest.add(&key().sign_armored(Namespace::Trust, manifest.message().as_bytes())).unwrap();
    files.manifest = Some(manifest.to_text().into_bytes());
    assert_eq!(check_self(&files).unwrap_err().rule(), "RYE-M006");
}

/// A program that does not know the use, OpenSSH among them, gives the key none.
#[test]
fn a_line_for_turns_is_an_ordinary_line_of_allowed_signers() {
    let line = allowed_signers_line(&for_turns(&key()));
    let read = parse_allowed_signers(format!("{line}\n"), "file", &rye::id::Zone::default()).keys;
    assert!(read.len() == 1 && read[0].is_for_turns_only() && !read[0].permits(Namespace::Git), "{line}");
    for namespaces in [vec![], vec!["git-turns", "rye"], vec!["git*"]] {
        let namespaces: Vec<String> = namespaces.into_iter().map(str::to_owned).collect();
        assert!(!TrustedKey { namespaces, ..for_turns(&key()) }.is_for_turns_only());
    }
}
