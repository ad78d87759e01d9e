//! A registry's checkpoint: how many lines it has and the root of their tree, as a C2SP signed note. Pure.
//!
//! The signature is one in an SSHSIG envelope (namespace `rye-registry`), as everywhere here: a key never signs bytes that
//! say nothing of their use. In a note that is the type 0xff with a name of its own; the bytes are those of the raw Ed25519
//! signature, after the four bytes that tell keys apart.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::id::Segment;
use crate::trust::{ContentHash, KeyId, Namespace, PublicKey, RawSignature, Signer, SignerError};

/// What the first line begins with, before the registry's name, and so does the name of a key.
const ORIGIN: &str = "rye-registry/";

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
}

/// A checkpoint with a signature; whether its signer may make it is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// What is signed.
    pub checkpoint: Checkpoint,
    /// The key.
    pub key_id: KeyId,
    key_hash: [u8; 4],
    signature: RawSignature,
}

/// The text that is signed.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, size, root } = self;
        write!(f, "{ORIGIN}{name}\n{size}\n{}\n", STANDARD.encode(root.as_bytes()))
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
        let [origin, size, root, "", signature, ""] = lines[..] else {
            return Err("it does not have three lines and one signature");
        };
        let name = origin.strip_prefix(ORIGIN).and_then(|name| name.parse().ok()).ok_or("its origin is malformed")?;
        let size = size.parse().map_err(|_| "its size is malformed")?;
        let root = STANDARD.decode(root).ok().and_then(|root| ContentHash::from_slice(&root));
        let checkpoint = Checkpoint { name, size, root: root.ok_or("its root is malformed")? };
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
    let digest = ContentHash::of_parts(&[name.as_bytes(), SIGNATURE_TYPE, &key.to_bytes()]);
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
        let checkpoint = Checkpoint { name: "team".parse().unwrap(), size: 41, root: ContentHash::of(b"root") };
        let signed = SignedCheckpoint::signed(checkpoint, &key).unwrap();
        let text = signed.to_string();
        assert!(text.starts_with("rye-registry/team\n41\n"), "{text}");
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
