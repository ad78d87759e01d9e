//! How far trust reaches, and what revokes it.

use std::fs;

use proptest::prelude::*;
use rye::id::{ItemType, Space};
use rye::trust::{
    ContentHash, Fault, Namespace, Place, PublicKey, RevocationError, RevocationList, RevokedKey, Scope, SignatureLine,
    TrustedKey, TrustedKeys, Verdict,
};

use super::witness::ssh_keygen;
use super::{PUBLIC, TIME, items, judge_with, key, keys_of, other_key, signed, subject, time, trusted, unverified};
use crate::support::has;

fn list_of(keys: impl IntoIterator<Item = PublicKey>) -> RevocationList {
    let mut list = RevocationList::default();
    for key in keys {
        list.insert(RevokedKey { key, comment: String::new() });
    }
    list
}

fn revoking(mut keys: TrustedKeys, scope: &Scope) -> TrustedKeys {
    keys.revoke(&list_of([key().public()]), scope);
    keys
}

/// Whoever stole a key can claim any date: neither trust nor an earlier date helps.
#[test]
fn a_stolen_key_that_is_revoked_signs_with_a_date_from_before() {
    let [(item, text), ..] = items();
    let retired = TrustedKey { valid_before: Some(time("2026-01-01T00:00:00Z")), ..trusted(&key()) };
    for trusted in [vec![trusted(&key())], vec![retired.clone()], vec![retired, trusted(&key())], vec![]] {
        for claimed in ["1970-01-01T00:00:00Z", TIME, "2099-12-31T23:59:59Z"] {
            let bytes = unverified(&item, text.as_bytes()).sign(&key(), time(claimed)).unwrap().1;
            let keys = revoking(keys_of(trusted.clone()), &Scope::Everything);
            let fault = unverified(&item, &bytes).in_space(Space::Project).verify(&keys).unwrap_err();
            assert_eq!(fault, Fault::Revoked { key_id: key().public().key_id() }, "{claimed}");
        }
    }
}

#[test]
fn a_revoked_agent_s_signature_does_not_count_in_its_own_thread_either() {
    let [(item, text), ..] = items();
    let bytes = signed(&item, text.as_bytes());
    let mut keys = keys_of([]);
    keys.set_agent(key().public());
    keys.accept_from_agent(item.clone(), unverified(&item, &bytes).split().covered());
    assert_eq!(judge_with(&keys, &item, &bytes), Ok(Verdict::Good));
    let keys = revoking(keys, &Scope::Everything);
    assert_eq!(judge_with(&keys, &item, &bytes), Err("RYE-S010"));
    assert!(keys.is_revoked(&key().public(), Place::default()));
    assert!(!keys.is_revoked(&other_key(1).public(), Place::default()));
}

/// A line may name a revoked key and carry a signature that key never made: that is forgery, and told as such.
#[test]
fn a_forged_line_in_the_name_of_a_revoked_key_is_no_signature_of_it() {
    let [(item, text), ..] = items();
    let bytes = String::from_utf8(signed(&item, text.as_bytes())).unwrap();
    let line = unverified(&item, bytes.as_bytes()).judge_line(&keys_of([trusted(&key())])).unwrap();
    let forged = SignatureLine { signature: rye::trust::RawSignature([1; 64]), ..line.clone() };
    let comment = item.extension.comment();
    let forged = bytes.replace(&line.render(comment), &forged.render(comment));
    for trusted in [vec![trusted(&key())], vec![]] {
        let keys = revoking(keys_of(trusted), &Scope::Everything);
        assert_eq!(judge_with(&keys, &item, &forged), Err("RYE-S005"));
        assert_eq!(judge_with(&keys, &item, bytes.replace("Deploy", "Destroy")), Err("RYE-S004"));
    }
}

#[test]
fn trust_ends_where_its_scope_ends() {
    let item = subject(ItemType::Knowledge, "acme/notes/one", "md");
    let lookalike = subject(ItemType::Knowledge, "acmeevil/notes", "md");
    let namespace = |namespace: &str| Scope::Namespace { registry: "main".to_owned(), namespace: namespace.to_owned() };
    let spaces = [Some(Space::Project), Some(Space::User), Some(Space::System), None];
    for (scope, about, reaches) in [
        (Scope::Everything, &item, [true, true, true, true]),
        (Scope::Project, &item, [true, false, false, false]),
        (namespace("acme"), &item, [true, true, false, false]),
        (namespace("acme"), &lookalike, [false; 4]),
        (namespace("notes"), &item, [false; 4]),
        (namespace(""), &item, [false; 4]),
    ] {
        let bytes = signed(about, b"text\n");
        let mut keys = keys_of([TrustedKey { scope: scope.clone(), ..trusted(&key()) }]);
        for space in [Space::Project, Space::User] {
            keys.add_pulled(space, about.item_type, about.item_id.clone(), ContentHash::of(&bytes));
        }
        for (space, reaches) in spaces.into_iter().zip(reaches) {
            let item = unverified(about, &bytes);
            let item = if let Some(space) = space { item.in_space(space) } else { item };
            let wanted = if reaches { Ok(Verdict::Good) } else { Err("RYE-S006") };
            let judged = item.verify(&keys).map(|item| item.verdict()).map_err(|fault| fault.rule());
            assert_eq!(judged, wanted, "{scope} {about} {space:?}");
            // A revocation reaches as far, also to items that were not pulled.
            let keys = revoking(keys_of([trusted(&key())]), &scope);
            let is_revoked = keys.is_revoked(&key().public(), Place::item(space, about));
            assert!(is_revoked || !reaches, "{scope} {space:?}");
        }
    }
}

#[test]
fn a_key_of_a_namespace_counts_for_what_was_pulled_in_these_bytes_into_this_space() {
    let item = subject(ItemType::Knowledge, "acme/notes/one", "md");
    let bytes = signed(&item, b"text\n");
    let scope = Scope::Namespace { registry: "main".to_owned(), namespace: "acme".to_owned() };
    let keys = || keys_of([TrustedKey { scope: scope.clone(), ..trusted(&key()) }]);
    let judge = |keys: &TrustedKeys| {
        let judged = unverified(&item, &bytes).in_space(Space::Project).verify(keys);
        judged.map(|item| item.verdict()).map_err(|fault| fault.rule())
    };
    assert_eq!(judge(&keys()), Err("RYE-S006"), "copied by hand");
    let pulled = |space, id: &str, bytes: &[u8]| {
        let mut keys = keys();
        keys.add_pulled(space, ItemType::Knowledge, id.parse().unwrap(), ContentHash::of(bytes));
        judge(&keys)
    };
    assert_eq!(pulled(Space::Project, "acme/notes/one", &bytes), Ok(Verdict::Good));
    assert_eq!(pulled(Space::Project, "acme/notes/one", b"other"), Err("RYE-S006"));
    assert_eq!(pulled(Space::User, "acme/notes/one", &bytes), Err("RYE-S006"));
    assert_eq!(pulled(Space::Project, "acme/notes/two", &bytes), Err("RYE-S006"));
}

/// Another project's accepted key, or a registry's, says nothing about this project's commits.
#[test]
fn a_commit_counts_only_by_keys_that_reach_it() {
    let at = time(TIME);
    let judge = |keys: &TrustedKeys, namespace: Namespace, place: Place<'_>| {
        let public = key().public();
        keys.judge(namespace, place, &public.key_id(), at, |known| *known == public).map_err(|fault| fault.rule())
    };
    let namespace = Scope::Namespace { registry: "main".to_owned(), namespace: "acme".to_owned() };
    for (scope, here, elsewhere) in
        [(Scope::Everything, true, true), (Scope::Project, true, false), (namespace, false, false)]
    {
        let keys = keys_of([TrustedKey { scope, namespaces: vec!["git".to_owned()], ..trusted(&key()) }]);
        assert_eq!(judge(&keys, Namespace::Git, Place::PROJECT).is_ok(), here);
        assert_eq!(judge(&keys, Namespace::Git, Place::default()).is_ok(), elsewhere);
        assert_eq!(judge(&keys, Namespace::Item, Place::PROJECT).unwrap_err(), "RYE-S006");
    }
    let keys = revoking(keys_of([trusted(&key())]), &Scope::Project);
    assert_eq!(judge(&keys, Namespace::Git, Place::PROJECT).unwrap_err(), "RYE-S010");
    assert!(judge(&keys, Namespace::Git, Place::default()).is_ok());
}

#[test]
fn reach_is_told_in_words() {
    let namespace = Scope::Namespace { registry: "main".to_owned(), namespace: "acme".to_owned() };
    let git = vec!["git".to_owned(), "rye".to_owned()];
    for (scope, uses, words) in [
        (Scope::Everything, vec![], "everything"),
        (Scope::Everything, git.clone(), "git,rye"),
        (Scope::Project, vec![], "this project"),
        (Scope::Project, git, "git,rye in this project"),
        (namespace, vec![], "`acme/**` of the registry `main`"),
    ] {
        assert_eq!(TrustedKey { scope, namespaces: uses, ..trusted(&key()) }.reach(), words);
    }
}

#[test]
fn a_list_of_revoked_keys_is_read_in_full_or_not_at_all() {
    let other = other_key(1).public();
    let text = format!("# stolen\n\n{PUBLIC} alice's laptop \r\n  {}\n{PUBLIC} again\n", other.to_openssh());
    let list = RevocationList::parse(text.as_bytes(), "file").unwrap();
    let comment = "alice's laptop".to_owned();
    let read: Vec<&RevokedKey> = list.iter().collect();
    assert_eq!(
        read,
        [&RevokedKey { key: key().public(), comment }, &RevokedKey { key: other, comment: String::new() }]
    );
    assert_eq!(list.to_text(), format!("{PUBLIC} alice's laptop\n{}\n", other.to_openssh()));

    for (line, reason) in [
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7", "its key cannot be used"),
        ("ssh-ed25519", "it is not a public key"),
        ("me ssh-ed25519 AAAA", "it is not a public key"),
        ("SHA256:bbXpuKG6zhzdmnxq256TlqzFBzRl2f6OOg722cYNbU8", "it is not a public key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "it is not a public key"),
        ("ssh-ed25519 AAAA", "its key cannot be used"),
        ("ssh-ed25519 KEY\rssh-ed25519", "it contains a control character"),
    ] {
        match RevocationList::parse(format!("{PUBLIC}\n{line}\n").as_bytes(), "file").unwrap_err() {
            RevocationError::Line { origin, line: 2, reason: found, .. } => {
                assert_eq!((origin.as_str(), found), ("file", reason), "{line}");
            }
            error => panic!("{line}: {error}"),
        }
    }
    for (bytes, message) in [
        (
            b"SSHKRL\n\0\0\0\0\x01".to_vec(),
            "`file` is a binary revocation list (KRL); only public keys, one a line, can be read",
        ),
        (b"\xff\xfe".to_vec(), "`file` is not a list of public keys: it is not UTF-8"),
        (vec![b'\n'; 300_000], "`file` is not a list of public keys: it is larger than 262144 bytes"),
    ] {
        assert_eq!(RevocationList::parse(&bytes, "file").unwrap_err().to_string(), message);
    }
}

/// The file is the one that stock git takes: `gpg.ssh.revocationFile`.
#[test]
fn ssh_keygen_refuses_by_the_list_what_this_program_refuses() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    file("allowed_signers", &format!("person {PUBLIC}\n"));
    file("message.sig", &key().sign_armored(Namespace::Git, b"message"));
    let verify = |list: &RevocationList| {
        file("revoked", &format!("# keys\n{}", list.to_text()));
        let arguments = ["-Y", "verify", "-f", "allowed_signers", "-I", "person", "-n", "git", "-s", "message.sig"];
        ssh_keygen(dir.path(), &[&arguments[..], &["-r", "revoked"]].concat(), b"message").status.success()
    };
    let others: Vec<PublicKey> = (1..4).map(|number| other_key(number).public()).collect();
    assert!(verify(&list_of(others.clone())));
    assert!(!verify(&list_of(others.into_iter().chain([key().public()]))));

    file("one.pub", PUBLIC);
    assert!(ssh_keygen(dir.path(), &["-k", "-f", "binary", "one.pub"], b"").status.success());
    let binary = fs::read(dir.path().join("binary")).unwrap();
    assert!(matches!(RevocationList::parse(&binary, "binary"), Err(RevocationError::Binary { .. })));
}

proptest! {
    #[test]
    fn a_list_of_revoked_keys_reads_back(entries in prop::collection::vec((any::<u8>(), "([!-~é]{1,9}( [!-~]{1,9})?)?"), 0..8)) {
        let mut list = RevocationList::default();
        for (number, comment) in entries {
            list.insert(RevokedKey { key: other_key(number).public(), comment });
        }
        prop_assert_eq!(RevocationList::parse(list.to_text().as_bytes(), "file").unwrap(), list);
    }

    #[test]
    fn no_bytes_make_the_reader_of_revoked_keys_stumble(bytes: Vec<u8>) {
        drop(RevocationList::parse(&bytes, "file"));
    }
}
