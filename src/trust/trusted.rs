//! Which keys are trusted, for what, and since when.

use std::collections::BTreeMap;

use super::{Blake3Hash, ContentHash, KeyId, Namespace, PublicKey, Subject, allowed_signers_line};
use crate::id::Timestamp;

/// One key that somebody decided to trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// Who holds it: the principals of the allowed_signers line, joined by `,`.
    pub principal: String,
    /// The uses it is trusted for; empty means every use.
    pub namespaces: Vec<String>,
    /// Signatures claiming an earlier time do not count.
    pub valid_after: Option<Timestamp>,
    /// Signatures claiming this time or a later one do not count.
    pub valid_before: Option<Timestamp>,
    /// Where the decision is written, for people: a path, or `your own key`.
    pub origin: String,
}

/// Everything a verification may rely on.
#[derive(Debug, Clone, Default)]
pub struct TrustedKeys {
    keys: BTreeMap<KeyId, Vec<TrustedKey>>,
    builtin: BTreeMap<Subject, ContentHash>,
    agent: Option<PublicKey>,
    agent_signed: Vec<(Subject, ContentHash)>,
}

impl TrustedKey {
    /// Tells whether the key is trusted for a use.
    #[must_use]
    pub fn serves(&self, namespace: Namespace) -> bool {
        self.namespaces.is_empty() || self.namespaces.iter().any(|name| name == namespace.as_str())
    }

    /// Tells whether the key was valid at a moment.
    #[must_use]
    pub fn is_valid_at(&self, moment: Timestamp) -> bool {
        self.valid_after.is_none_or(|after| after <= moment) && self.valid_before.is_none_or(|before| moment < before)
    }
}

impl TrustedKeys {
    /// Adds a key.
    pub fn add(&mut self, key: TrustedKey) {
        self.keys.entry(key.key.key_id()).or_default().push(key);
    }

    /// Makes an item that is compiled into the program count by its bytes alone: `digest` is the SHA-256 of the
    /// whole file.
    pub fn add_builtin(&mut self, subject: Subject, digest: ContentHash) {
        self.builtin.insert(subject, digest);
    }

    /// Names the agent key: what it signed is recognised, and counts only if it was signed in this thread.
    pub fn set_agent(&mut self, agent: PublicKey) {
        self.agent = Some(agent);
    }

    /// Lets one item signed by the agent in the running thread count in that thread. `hash` is the line's hash.
    pub fn accept_from_agent(&mut self, subject: Subject, hash: ContentHash) {
        self.agent_signed.push((subject, hash));
    }

    /// Returns the trusted keys with this id (several files may name the same key).
    #[must_use]
    pub fn with_id(&self, key_id: &KeyId) -> &[TrustedKey] {
        self.keys.get(key_id).map_or(&[], Vec::as_slice)
    }

    /// Computes a digest of every decision a verdict depends on: another digest, other verdicts.
    #[must_use]
    pub fn basis(&self) -> Blake3Hash {
        let mut lines: Vec<String> = self.iter().map(|key| allowed_signers_line(key) + "\n").collect();
        lines.sort();
        Blake3Hash::of(lines.concat().as_bytes())
    }

    /// Returns every trusted key, by key id.
    pub fn iter(&self) -> impl Iterator<Item = &TrustedKey> {
        self.keys.values().flatten()
    }

    pub(super) fn is_builtin(&self, subject: &Subject, bytes: &[u8]) -> bool {
        self.builtin.get(subject).is_some_and(|digest| *digest == ContentHash::of(bytes))
    }

    pub(super) fn agent_with_id(&self, key_id: &KeyId) -> Option<&PublicKey> {
        self.agent.as_ref().filter(|agent| agent.key_id() == *key_id)
    }

    pub(super) fn counts_from_agent(&self, subject: &Subject, hash: &ContentHash) -> bool {
        self.agent_signed.iter().any(|(known, digest)| known == subject && digest == hash)
    }
}
