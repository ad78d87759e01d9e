//! A registry's checkpoint: how many lines it has and the root of their tree, as a C2SP signed note. Pure.
//!
//! Extension lines follow: the digest of the tables over the files of lines, the time of the last line, and a namespace that
//! the signer owns. With them one item can be read and proven without the others.
//!
//! The signature is one in an SSHSIG envelope (namespace `rye-registry`), as everywhere here: a key never signs bytes that
//! say nothing of their use. In a note that is the type 0xff with a name of its own; the bytes are those of the raw Ed25519
//! signature, after the four bytes that tell keys apart.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::fault::Fault;
use crate::id::{Segment, Timestamp};
use crate::trust::{ContentHash, KeyId, Namespace, PublicKey, RawSignature, Signer, SignerError};

/// The prefix of the first line, before the registry's name, and of the name of a key.
const ORIGIN: &str = "rye-registry/";

/// The prefix of the extension lines.
const TABLES: &str = "tables ";
const LATEST: &str = "latest ";
const OWNER: &str = "owner ";

/// The name of the type of signature.
const SIGNATURE_TYPE: &[u8] = b"\xffsshsig/rye-registry";

/// The largest checkpoint, in bytes.
pub(super) const MAX_CHECKPOINT_BYTES: usize = 4096;

/// The state of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The registry's own name.
    pub name: Segment,
    /// The number of lines.
    pub size: u64,
    /// The root of their tree.
    pub root: ContentHash,
    /// The SHA-256 of the digests of its tables.
    pub tables: ContentHash,
    /// The time of its latest line, as that line's signer says.
    pub latest: Timestamp,
    /// A namespace that the signer owns; none if the signer made the registry.
    pub owner: Option<Segment>,
}

/// A checkpoint with a signature; whether its signer may make it is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// The signed text.
    pub checkpoint: Checkpoint,
    /// The key.
    pub key_id: KeyId,
    key_hash: [u8; 4],
    signature: RawSignature,
}

impl Checkpoint {
    /// Checks that this can be a later checkpoint of the same registry, as far as both of them tell.
    pub(super) fn check_not_before(&self, seen: &Self) -> Result<(), Fault> {
        if self.name != seen.name {
            return Err(Fault::Renamed { seen: seen.name.clone(), now: self.name.clone() });
        }
        if self.size < seen.size {
            return Err(Fault::RolledBack { seen: seen.size, now: self.size });
        }
        if self.size == seen.size && self.root != seen.root {
            return Err(Fault::Forked { size: seen.size });
        }
        Ok(())
    }
}

/// The text that is signed.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, size, root, tables, latest, owner } = self;
        writeln!(f, "{ORIGIN}{name}\n{size}\n{}", STANDARD.encode(root.as_bytes()))?;
        writeln!(f, "{TABLES}{}\n{LATEST}{latest}", STANDARD.encode(tables.as_bytes()))?;
        owner.as_ref().map_or(Ok(()), |owner| writeln!(f, "{OWNER}{owner}"))
    }
}

impl SignedCheckpoint {
    /// Signs a checkpoint.
    ///
    /// # Errors
    ///
    /// Fails when the signer makes no signature.
    pub fn signed(checkpoint: Checkpoint, signer: &dyn Signer) -> Result<Self, SignerError> {
        let signature = signer.sign(Namespace::Registry, checkpoint.to_string().as_bytes())?;
        let key = signer.public();
        Ok(Self { checkpoint, key_id: key.key_id(), key_hash: key_hash(&key), signature })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let text = Some(bytes).filter(|bytes| bytes.len() <= MAX_CHECKPOINT_BYTES);
        let text = text.and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or("it is too large, or not UTF-8")?;
        let lines: Vec<&str> = text.split('\n').collect();
        let ([origin, size, root, tables, latest, owner @ .., "", signature, ""], 0..=1) =
            (&lines[..], lines.len().saturating_sub(8))
        else {
            return Err("it does not have five or six lines and one signature");
        };
        let name = origin.strip_prefix(ORIGIN).and_then(|name| name.parse().ok()).ok_or("its origin is malformed")?;
        let size = size.parse().map_err(|_| "its size is malformed")?;
        let hash = |text: &str| STANDARD.decode(text).ok().and_then(|bytes| ContentHash::from_slice(&bytes));
        let root = hash(root).ok_or("its root is malformed")?;
        let tables = tables.strip_prefix(TABLES).and_then(hash).ok_or("the digest of its tables is malformed")?;
        let latest = latest.strip_prefix(LATEST).and_then(|time| time.parse().ok());
        let latest = latest.ok_or("the time of its latest line is malformed")?;
        let named = |line: &&str| line.strip_prefix(OWNER).and_then(|owner| owner.parse().ok());
        let owner = owner.first().map(|line| named(line).ok_or("its owner is malformed")).transpose()?;
        let checkpoint = Checkpoint { name, size, root, tables, latest, owner };
        let signed = signature_line(checkpoint, signature).ok_or("its signature is malformed")?;
        if signed.to_string() == text { Ok(signed) } else { Err("it is not written as it must be") }
    }

    /// Tells whether a key signed it.
    #[must_use]
    pub fn is_by(&self, key: &PublicKey) -> bool {
        let message = self.checkpoint.to_string();
        self.key_id == key.key_id()
            && self.key_hash == key_hash(key)
            && key.verifies(Namespace::Registry, message.as_bytes(), self.signature)
    }
}

/// The whole note.
impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signature = STANDARD.encode([&self.key_hash[..], &self.signature.0].concat());
        write!(f, "{}\n\u{2014} {ORIGIN}{} {signature}\n", self.checkpoint, self.key_id)
    }
}

fn signature_line(checkpoint: Checkpoint, line: &str) -> Option<SignedCheckpoint> {
    let (name, signature) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
    let key_id = name.strip_prefix(ORIGIN)?.parse().ok()?;
    let bytes = STANDARD.decode(signature).ok()?;
    let (key_hash, signature) = bytes.split_first_chunk::<4>()?;
    let signature = RawSignature(signature.try_into().ok()?);
    Some(SignedCheckpoint { checkpoint, key_id, key_hash: *key_hash, signature })
}

/// Tells keys apart: the first bytes of a digest over the key's name, the type of signature and the key.
fn key_hash(key: &PublicKey) -> [u8; 4] {
    let name = format!("{ORIGIN}{}\n", key.key_id());
    let digest = ContentHash::of_parts(&[name.as_bytes(), SIGNATURE_TYPE, &key.ed25519_bytes().unwrap_or_default()]);
    let [a, b, c, d, ..] = *digest.as_bytes();
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::trust::SigningKey;

    #[test]
    fn a_checkpoint_is_read_in_its_one_spelling_and_no_byte_of_it_can_change() {
        let key = SigningKey::from_seed(&[7; 32]);
        for owner in [None, Some("ops".parse().unwrap())] {
            no_byte_can_change(&key, owner);
        }
    }

    fn no_byte_can_change(key: &SigningKey, owner: Option<Segment>) {
        let (root, tables) = (ContentHash::of(b"root"), ContentHash::of(b"tables"));
        let (name, latest) = ("team".parse().unwrap(), "2026-11-27T10:00:00Z".parse().unwrap());
        let checkpoint = Checkpoint { name, size: 41, root, tables, latest, owner };
        let signed = SignedCheckpoint::signed(checkpoint, key).unwrap();
        let text = signed.to_string();
        assert!(text.starts_with("rye-registry/team\n41\n"), "{text}");
        assert!(text.contains("\nlatest 2026-11-27T10:00:00Z\n"), "{text}");
        assert_eq!(SignedCheckpoint::parse(text.as_bytes()).unwrap(), signed);
        assert!(signed.is_by(&key.public()) && !signed.is_by(&SigningKey::from_seed(&[8; 32]).public()));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let is_accepted = SignedCheckpoint::parse(&bytes).is_ok_and(|read| read.is_by(&key.public()));
            assert!(!is_accepted, "byte {at}");
        }
        for wrong in ["", "rye-registry/team\n041\n", &text.replace("41", "+41"), &format!("{text}\n")] {
            assert!(SignedCheckpoint::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
