//! An item's signature as OpenSSH takes it: the message it is over, and the armored envelope that its line leaves out.

use super::line::LineState;
use crate::trust::{Namespace, PublicKey, Signed, Subject, TrustedKeys, Unverified, armored};

/// What `ssh-keygen -Y verify -n rye` needs of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The item.
    pub subject: Subject,
    /// The signed text.
    pub message: String,
    /// The envelope, final newline included.
    pub armored: String,
}

impl Signed<Vec<u8>, Unverified> {
    /// Returns the keys that the item's own line may be by: those known here, trusted or not, with the id that it names.
    #[must_use]
    pub fn named_keys(&self, keys: &TrustedKeys) -> Vec<PublicKey> {
        match &self.split().line {
            LineState::Present(line) => keys.known_with_id(&line.key_id).collect(),
            LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => Vec::new(),
        }
    }

    /// Returns the fingerprints of [`Self::named_keys`].
    #[must_use]
    pub fn named_signers(&self, keys: &TrustedKeys) -> Vec<String> {
        self.named_keys(keys).iter().map(PublicKey::fingerprint).collect()
    }

    /// Tells whether a key made the item's own line, whatever the bytes below it are.
    #[must_use]
    pub fn is_line_by(&self, key: &PublicKey) -> bool {
        match &self.split().line {
            LineState::Present(line) => {
                let message = self.subject().message(line.timestamp, &line.hash);
                key.verifies(Namespace::Item, &message, line.signature)
            }
            LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => false,
        }
    }

    /// Rebuilds the envelope of the item's own line. None if the bytes are not those that were signed, or no key that
    /// is known here, trusted or not, made the signature: a line has only the key's id.
    #[must_use]
    pub fn envelope(&self, keys: &TrustedKeys) -> Option<Envelope> {
        let split = self.split();
        let LineState::Present(line) = &split.line else { return None };
        let subject = self.subject();
        let message = subject.message(line.timestamp, &line.hash);
        let key = self.named_keys(keys).into_iter().find(|key| self.is_line_by(key))?;
        if split.covered() != line.hash {
            return None;
        }
        let armored = armored(&key, Namespace::Item, line.signature);
        Some(Envelope { subject: subject.clone(), message: String::from_utf8(message).ok()?, armored })
    }
}
