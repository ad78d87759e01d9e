//! Signatures (docs/formats.md, section 4): what they cover, what breaks them, who may make them.
//!
//! `witness` compares them with independent programs, `mutation` damages signed files at every byte, `attacks` has
//! attacks, `signing` is about what `sign` leaves and refuses, `kinds` is about types of keys, `signer_lines` compares lines of allowed_signers with OpenSSH, `signers` is about the keys behind it all, `reach` about
//! how far trust and revocation go, `policy` about how many must sign, `notes` about signatures in notes, `manifest`
//! about proposals of a project, `turns` about the use for turns; `legacy` and `legacy_vectors` about signatures of version 1.

mod attacks;
mod kinds;
pub(crate) mod legacy;
mod legacy_vectors;
mod manifest;
mod mutation;
mod notes;
mod policy;
mod reach;
mod signer_lines;
mod signers;
mod signing;
mod turns;
mod witness;

use rye::id::{ItemType, Timestamp};
use rye::trust::{Signed, SigningKey, Subject, TrustedKey, TrustedKeys, Unverified, Verdict};

/// A seed and its public key: test 1 of RFC 8032, section 7.1.
const SEED: [u8; 32] = *b"\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
const PUBLIC: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";
const TIME: &str = "2026-03-17T01:41:08Z";

const DIRECTIVE: &str = "# Deploy\n\n```xml\n<directive name=\"deploy\" version=\"1.0.0\">\n</directive>\n```\n";
const TOOL: &str = "#!/usr/bin/env python3\nprint('hello')\n";
const KNOWLEDGE: &str = "title: Grüße\nversion: 1.0.0\n---\nText.\n";

fn key() -> SigningKey {
    SigningKey::from_seed(&SEED)
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn subject(item_type: ItemType, id: &str, extension: &str) -> Subject {
    Subject { item_type, item_id: id.parse().unwrap(), extension: extension.parse().unwrap() }
}

/// The three items most tests are about: subject and unsigned text.
fn items() -> [(Subject, &'static str); 3] {
    [
        (subject(ItemType::Directive, "deploy/staging", "md"), DIRECTIVE),
        (subject(ItemType::Tool, "demo/hello", "py"), TOOL),
        (subject(ItemType::Knowledge, "team/greetings", "yaml"), KNOWLEDGE),
    ]
}

fn unverified(subject: &Subject, bytes: &[u8]) -> Signed<Vec<u8>, Unverified> {
    Signed::new(subject.clone(), bytes.to_vec())
}

/// Signs with [`key`] at [`TIME`].
fn signed(subject: &Subject, bytes: &[u8]) -> Vec<u8> {
    unverified(subject, bytes).sign(&key(), time(TIME)).unwrap().1
}

fn signed_text(subject: &Subject, text: &str) -> String {
    String::from_utf8(signed(subject, text.as_bytes())).unwrap()
}

fn trusted(key: &SigningKey) -> TrustedKey {
    TrustedKey::new(key.public(), "person@example.org", "test")
}

/// Another person's key, the same for the same number.
fn other_key(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32])
}

fn keys_of(trusted: impl IntoIterator<Item = TrustedKey>) -> TrustedKeys {
    let mut keys = TrustedKeys::default();
    trusted.into_iter().for_each(|key| keys.add(key));
    keys
}

/// Verifies with only [`key`] trusted: the verdict, or the rule that was broken.
fn judge(subject: &Subject, bytes: impl AsRef<[u8]>) -> Result<Verdict, &'static str> {
    judge_with(&keys_of([trusted(&key())]), subject, bytes)
}

fn judge_with(keys: &TrustedKeys, subject: &Subject, bytes: impl AsRef<[u8]>) -> Result<Verdict, &'static str> {
    let verified = unverified(subject, bytes.as_ref()).verify(keys);
    verified.map(|item| item.verdict()).map_err(|fault| fault.rule())
}
