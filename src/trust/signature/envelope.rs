//! An item's signature as OpenSSH takes it: the message it is over, and the armored envelope that its line leaves out.

use super::line::LineState;
use crate::trust::{Namespace, Signed, Subject, TrustedKeys, Unverified, armored};

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
    /// Rebuilds the envelope of the item's own line. None if the bytes are not those that were signed, or no key that
    /// is known here, trusted or not, made the signature: a line has only the key's id.
    #[must_use]
    pub fn envelope(&self, keys: &TrustedKeys) -> Option<Envelope> {
        let split = self.split();
        let LineState::Present(line) = &split.line else { return None };
        let subject = self.subject();
        let message = subject.message(line.timestamp, &line.hash);
        let fits = |key: &crate::trust::PublicKey| key.verifies(Namespace::Item, &message, line.signature);
        let key = keys.known_with_id(&line.key_id).find(|key| fits(key))?;
        if split.covered() != line.hash {
            return None;
        }
        let armored = armored(&key, Namespace::Item, line.signature);
        Some(Envelope { subject: subject.clone(), message: String::from_utf8(message).ok()?, armored })
    }
}
