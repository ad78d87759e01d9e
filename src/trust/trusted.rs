//! Which keys are trusted, for what, how far, and since when; which are revoked; how many must sign.

use std::collections::BTreeMap;

use super::{Blake3Hash, ContentHash, Fault, KeyId, Namespace, Place, PublicKey, Requirement, RevocationList, Scope};
use super::{Signatory, Subject, TrustPolicy, allowed_signers_line};
use crate::id::{Space, Timestamp};

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
    /// How far the decision reaches.
    pub scope: Scope,
    /// Where the decision is written, for people: a path, or `your own key`.
    pub origin: String,
}

/// Everything a verification may rely on.
#[derive(Debug, Clone, Default)]
pub struct TrustedKeys {
    keys: BTreeMap<KeyId, Vec<TrustedKey>>,
    revoked: BTreeMap<KeyId, Vec<(PublicKey, Scope)>>,
    policy: TrustPolicy,
    builtin: BTreeMap<Subject, ContentHash>,
    agent: Option<PublicKey>,
    agent_signed: Vec<(Subject, ContentHash)>,
}

impl TrustedKey {
    /// Trusts a key for every use, everywhere and always.
    #[must_use]
    pub fn new(key: PublicKey, principal: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            key,
            principal: principal.into(),
            namespaces: Vec::new(),
            valid_after: None,
            valid_before: None,
            scope: Scope::Everything,
            origin: origin.into(),
        }
    }

    /// Tells whether the key is trusted for a use at a place.
    #[must_use]
    pub fn serves(&self, namespace: Namespace, place: Place<'_>) -> bool {
        let is_use = self.namespaces.is_empty() || self.names_use(namespace);
        is_use && self.scope.reaches(place)
    }

    /// Tells whether the decision names a use in so many words.
    #[must_use]
    pub fn names_use(&self, namespace: Namespace) -> bool {
        self.namespaces.iter().any(|name| name == namespace.as_str())
    }

    /// Tells whether the key was valid at a moment.
    #[must_use]
    pub fn is_valid_at(&self, moment: Timestamp) -> bool {
        self.valid_after.is_none_or(|after| after <= moment) && self.valid_before.is_none_or(|before| moment < before)
    }

    /// Says how far the decision reaches, and for which uses if not for all.
    #[must_use]
    pub fn reach(&self) -> String {
        match (&self.scope, self.namespaces.join(",")) {
            (scope, uses) if uses.is_empty() => scope.to_string(),
            (Scope::Everything, uses) => uses,
            (scope, uses) => format!("{uses} in {scope}"),
        }
    }
}

impl TrustedKeys {
    /// Adds a key.
    pub fn add(&mut self, key: TrustedKey) {
        self.keys.entry(key.key.key_id()).or_default().push(key);
    }

    /// Makes every signature by the listed keys bad as far as `scope` reaches, whatever else is decided about them.
    pub fn revoke(&mut self, list: &RevocationList, scope: &Scope) {
        for revoked in list.iter() {
            self.revoked.entry(revoked.key.key_id()).or_default().push((revoked.key, scope.clone()));
        }
    }

    /// Demands of the project's items what a policy says.
    pub fn set_policy(&mut self, policy: TrustPolicy) {
        self.policy = policy;
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
        let decision = |key: &TrustedKey| format!("{:?} {}\n", key.scope, allowed_signers_line(key));
        let revoked = |(key, scope): &(PublicKey, Scope)| format!("{scope:?} revoked {}\n", key.to_openssh());
        let mut lines: Vec<String> = self.iter().map(decision).collect();
        lines.extend(self.revoked.values().flatten().map(revoked));
        lines.extend(self.policy.digest().map(|digest| format!("policy {digest}\n")));
        lines.extend(self.agent.map(|agent| format!("agent {}\n", agent.to_openssh())));
        lines.sort();
        Blake3Hash::of(lines.concat().as_bytes())
    }

    /// Returns every trusted key, by key id.
    pub fn iter(&self) -> impl Iterator<Item = &TrustedKey> {
        self.keys.values().flatten()
    }

    /// Returns how many must sign which of the project's items.
    #[must_use]
    pub const fn policy(&self) -> &TrustPolicy {
        &self.policy
    }

    /// Tells whether a key is revoked at a place, also one that nobody trusts: an agent's, say.
    #[must_use]
    pub fn is_revoked(&self, key: &PublicKey, place: Place<'_>) -> bool {
        self.revoked_with_id(&key.key_id(), place).any(|revoked| revoked == key)
    }

    /// Judges the key behind a signature that names `key_id` and claims the time `at`; `fits` checks the signature
    /// against one key. Revoked beats retired, retired beats good.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the signature from counting.
    pub fn judge(
        &self,
        namespace: Namespace,
        place: Place<'_>,
        key_id: &KeyId,
        at: Timestamp,
        fits: impl Fn(&PublicKey) -> bool,
    ) -> Result<Signatory, Fault> {
        // Two keys may have one id: only the one that fits counts.
        if self.revoked_with_id(key_id, place).any(&fits) {
            return Err(Fault::Revoked { key_id: key_id.clone() });
        }
        let serving: Vec<_> = self.with_id(key_id).iter().filter(|key| key.serves(namespace, place)).collect();
        if serving.is_empty() && self.revoked_with_id(key_id, place).next().is_none() {
            return Err(Fault::UntrustedKey { key_id: key_id.clone() });
        }
        let key = serving.iter().map(|decision| decision.key).find(&fits).ok_or(Fault::Misplaced)?;
        let valid = |decision: &&TrustedKey| decision.key == key && decision.is_valid_at(at);
        let mut valid = serving.into_iter().filter(valid).peekable();
        if valid.peek().is_none() {
            return Err(Fault::OutsideValidity { key_id: key_id.clone() });
        }
        Ok(Signatory::of(key, valid))
    }

    /// Returns what the policy demands of an item. One that lies nobody knows where is held to it.
    pub(super) fn requirement(&self, space: Option<Space>, subject: &Subject) -> Requirement<'_> {
        match space {
            None | Some(Space::Project) => self.policy.required_for(subject),
            Some(Space::User | Space::System) => Requirement::default(),
        }
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

    /// Returns every key with this id that is known at all, whatever was decided about it.
    pub(super) fn known_with_id(&self, key_id: &KeyId) -> impl Iterator<Item = PublicKey> {
        let decided = self.with_id(key_id).iter().map(|decision| decision.key);
        let revoked = self.revoked.get(key_id).map_or(&[][..], Vec::as_slice);
        decided.chain(revoked.iter().map(|(key, _)| *key)).chain(self.agent_with_id(key_id).copied())
    }

    fn revoked_with_id(&self, key_id: &KeyId, place: Place<'_>) -> impl Iterator<Item = &PublicKey> {
        let known = self.revoked.get(key_id).map_or(&[][..], Vec::as_slice);
        known.iter().filter(move |(_, scope)| scope.reaches(place)).map(|(key, _)| key)
    }
}
