//! Keys of every type that OpenSSH signs with: in commits, in lines of trust files, in detached signatures.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rye::id::{Timestamp, Zone};
use rye::trust::{
    CommitFault, KeyError, Namespace, PublicKey, RevocationList, Scope, Signatory, SignatureKind, SshSigError,
    TrustedKeys, parse_allowed_signers, verify_armored,
};

use super::witness::ssh_keygen;
use super::{TIME, time};
use crate::support::has;

const MESSAGE: &[u8] = b"message\n";

/// A key, and its signature over [`MESSAGE`] as a commit has it.
struct Signed {
    name: String,
    public: String,
    envelope: String,
}

/// Security keys made these (PROTOCOL.u2f): there is none in a test, so another program signed as one does.
const SECURITY_KEYS: [(&str, &str, &str, &str); 2] = [
    (
        "sk-ssh-ed25519@openssh.com",
        include_str!("../support/signatures/sk-ed25519.pub"),
        include_str!("../support/signatures/sk-ed25519.sig"),
        include_str!("../support/signatures/sk-ed25519-untouched.sig"),
    ),
    (
        "sk-ecdsa-sha2-nistp256@openssh.com",
        include_str!("../support/signatures/sk-ecdsa.pub"),
        include_str!("../support/signatures/sk-ecdsa.sig"),
        include_str!("../support/signatures/sk-ecdsa-untouched.sig"),
    ),
];

fn made(dir: &Path, key_type: &str, bits: &str) -> Signed {
    let name = format!("{key_type}{bits}");
    let made =
        ssh_keygen(dir, &["-q", "-t", key_type, "-b", bits, "-N", "", "-C", "ada@example.org", "-f", &name], b"");
    assert!(made.status.success(), "{name}");
    let signed = ssh_keygen(dir, &["-q", "-Y", "sign", "-n", "git", "-f", &name], MESSAGE);
    let public = fs::read_to_string(dir.join(format!("{name}.pub"))).unwrap();
    Signed { name, public, envelope: String::from_utf8(signed.stdout).unwrap() }
}

fn every(dir: &Path) -> Vec<Signed> {
    let types =
        [("ed25519", "256"), ("ecdsa", "256"), ("ecdsa", "384"), ("ecdsa", "521"), ("rsa", "2048"), ("rsa", "3072")];
    let made = types.map(|(key_type, bits)| made(dir, key_type, bits));
    let of_security_keys = SECURITY_KEYS.map(|(name, public, envelope, _)| Signed {
        name: name.to_owned(),
        public: public.to_owned(),
        envelope: envelope.to_owned(),
    });
    made.into_iter().chain(of_security_keys).collect()
}

fn keys(line: &str) -> TrustedKeys {
    let mut keys = TrustedKeys::default();
    keys.add_file(parse_allowed_signers(line, "signers", &Zone::default()));
    keys
}

fn judge(keys: &TrustedKeys, envelope: &str, message: &[u8]) -> Result<Signatory, &'static str> {
    let at: Timestamp = time(TIME);
    keys.judge_commit(Some(envelope), message, at).map_err(|fault| fault.rule())
}

#[test]
fn a_key_of_every_type_counts_where_openssh_counts_it() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let every = every(dir.path());
    for Signed { name, public, envelope } in &every {
        let key = public.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let one = PublicKey::of_any_type(public).unwrap();
        assert_eq!((one.to_openssh(), one.is_ed25519()), (key.clone(), name == "ed25519256"), "{name}");
        // A commit, by a line of allowed_signers.
        for (line, verdict) in [
            (format!("ada@example.org {key} a comment\n"), None),
            (format!("ada@example.org namespaces=\"git\" {key}\n"), None),
            (format!("ada@example.org namespaces=\"file\" {key}\n"), Some("RYE-C004")),
            (format!("ada@example.org valid-before=\"20250101Z\" {key}\n"), Some("RYE-C005")),
            (format!("ada@example.org cert-authority {key}\n"), Some("RYE-C004")),
            (String::new(), Some("RYE-C004")),
        ] {
            let seen = judge(&keys(&line), envelope, MESSAGE);
            assert_eq!(seen.err(), verdict, "{name} {line}");
            fs::write(dir.path().join("a"), &line).unwrap();
            fs::write(dir.path().join("sig"), envelope).unwrap();
            let at = "-Overify-time=20260317014108Z";
            let verify = ["-Y", "verify", at, "-n", "git", "-f", "a", "-I", "ada@example.org", "-s", "sig"];
            assert_eq!(ssh_keygen(dir.path(), &verify, MESSAGE).status.success(), verdict.is_none(), "{name} {line}");
        }
        let mut trusted = keys(&format!("ada@example.org {key}\n"));
        assert_eq!(judge(&trusted, envelope, b"massage\n").err(), Some("RYE-C003"), "{name}");
        let damaged = damaged(envelope);
        assert!(matches!(judge(&trusted, &damaged, MESSAGE), Err("RYE-C002" | "RYE-C003")), "{name}");
        // The detached signature.
        assert_eq!(verify_armored(envelope, Namespace::Git, MESSAGE), Ok(one), "{name}");
        let other_use = verify_armored(envelope, Namespace::Trust, MESSAGE);
        assert!(matches!(other_use, Err(SshSigError::Namespace { .. })), "{name}");
        // A revoked key.
        let list = RevocationList::parse(format!("{key} stolen\n").as_bytes(), "revoked").unwrap();
        assert_eq!(list.to_text(), format!("{key} stolen\n"));
        trusted.revoke(&list, &Scope::Everything);
        assert_eq!(judge(&trusted, envelope, MESSAGE).err(), Some("RYE-C006"), "{name}");
    }
    // Nobody's signature is another's.
    for (one, other) in every.iter().zip(every.iter().skip(1)) {
        let line = format!("ada@example.org {}", other.public);
        assert_eq!(judge(&keys(&line), &one.envelope, MESSAGE).err(), Some("RYE-C004"), "{}", one.name);
    }
}

/// Changes one character near the end of the signature.
fn damaged(envelope: &str) -> String {
    let at = envelope.find("\n-----END").unwrap() - 12;
    let new = if envelope.as_bytes()[at] == b'A' { "B" } else { "A" };
    format!("{}{new}{}", &envelope[..at], &envelope[at + 1..])
}

#[test]
fn a_security_key_must_be_touched() {
    for (name, public, _, untouched) in SECURITY_KEYS {
        let at = time(TIME);
        let fault = keys(&format!("ada@example.org {public}")).judge_commit(Some(untouched), MESSAGE, at).unwrap_err();
        assert_eq!(fault, CommitFault::Misfit { reason: SshSigError::Untouched }, "{name}");
    }
}

#[test]
fn a_weak_key_is_no_key() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let Signed { public, envelope, .. } = made(dir.path(), "rsa", "1024");
    assert!(matches!(PublicKey::of_any_type(&public), Err(KeyError::RsaBits { bits: 1024 })));
    let read = parse_allowed_signers(format!("ada@example.org {public}"), "signers", &Zone::default());
    assert!(read.keys.is_empty() && read.warning().unwrap().contains("1024 bits"), "{read:?}");
    let fault = keys("").judge_commit(Some(&envelope), MESSAGE, time(TIME)).unwrap_err();
    assert_eq!(fault.not_judged(), Some(SignatureKind::Ssh { key_type: "ssh-rsa" }));
    // In a list of revoked keys it stays an error: skipped, it would still count.
    assert!(RevocationList::parse(public.as_bytes(), "revoked").is_err());
}

/// The refusal of a key names the types that are taken.
#[test]
fn a_public_key_of_another_type_is_refused_with_the_types_that_are_taken() {
    let part = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat();
    let number = |length: usize| part(&vec![0x41; length]);
    let dsa = [part(b"ssh-dss"), number(128), number(20), number(128), number(128)].concat();
    let said = PublicKey::of_any_type(&format!("ssh-dss {}", STANDARD.encode(dsa))).unwrap_err().to_string();
    assert!(said.contains("`ssh-dss`") && said.contains("ecdsa-sha2-nistp384") && said.contains("OpenPGP"), "{said}");
    assert!(!said.contains("only ssh-ed25519"), "{said}");
}
