//! Which keys are trusted, for what, how far, and since when; which are revoked; how many must sign.

use std::collections::{BTreeMap, BTreeSet};

use rye_openpgp::Certificate;

use crate::id::{ItemId, ItemType, Space, Timestamp};
use crate::trust::{
    AllowedSigners, Blake3Hash, ContentHash, Fault, KeyId, Namespace, Place, PublicKey, Requirement, RevocationList,
    Scope, TrustedKey,
};
use crate::trust::{Signatory, Subject, TrustPolicy, allowed_signers_line};

/// Everything a verification may rely on.
#[derive(Debug, Clone, Default)]
pub struct TrustedKeys {
    keys: BTreeMap<KeyId, Vec<TrustedKey>>,
    revoked: BTreeMap<KeyId, Vec<(PublicKey, Scope)>>,
    policy: TrustPolicy,
    builtin: BTreeMap<Subject, ContentHash>,
    agent: Option<PublicKey>,
    agent_signed: Vec<(Subject, ContentHash)>,
    pulled: BTreeMap<(Space, ItemType, ItemId), BTreeSet<ContentHash>>,
    warnings: Vec<String>,
    /// The time of the verification, by which OpenPGP keys have expired; none: when the signed content says it was made.
    pub(in crate::trust) now: Option<Timestamp>,
}

impl TrustedKeys {
    /// Adds a key.
    pub fn add(&mut self, key: TrustedKey) {
        self.keys.entry(key.key.key_id()).or_default().push(key);
    }

    /// Sets the time of the verification.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// Adds the keys of a file, and remembers that some of its lines do not count.
    pub fn add_file(&mut self, file: AllowedSigners) {
        self.warn(file.warning());
        file.keys.into_iter().for_each(|key| self.add(key));
    }

    /// Remembers a warning about where keys are from.
    pub fn warn(&mut self, warning: Option<String>) {
        let new = warning.filter(|warning| !self.warnings.contains(warning));
        self.warnings.extend(new);
    }

    /// Returns the warnings about the files that the keys are from, each once.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
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

    /// Demands of the project's items what a policy says, in addition to earlier demands.
    pub fn tighten(&mut self, policy: &TrustPolicy) {
        self.policy = self.policy.joined(policy);
    }

    /// Makes an item that is compiled into the program count by its bytes alone: `digest` is the SHA-256 of the
    /// whole file.
    pub fn add_builtin(&mut self, subject: Subject, digest: ContentHash) {
        self.builtin.insert(subject, digest);
    }

    /// Names the agent key: its signatures are recognised, and count only if made in this thread.
    pub fn set_agent(&mut self, agent: PublicKey) {
        self.agent = Some(agent);
    }

    /// Lets one item signed by the agent in the running thread count in that thread. `hash` is the line's hash.
    pub fn accept_from_agent(&mut self, subject: Subject, hash: ContentHash) {
        self.agent_signed.push((subject, hash));
    }

    /// Notes that an item of a space was pulled: `digest` is the SHA-256 of the whole file. Keys that count for a namespace of a
    /// registry count for such items alone.
    pub fn add_pulled(&mut self, space: Space, item_type: ItemType, item_id: ItemId, digest: ContentHash) {
        self.pulled.entry((space, item_type, item_id)).or_default().insert(digest);
    }

    /// Tells whether any key counts for a namespace of a registry.
    #[must_use]
    pub fn has_namespaces(&self) -> bool {
        self.iter().any(|key| matches!(key.scope, Scope::Namespace { .. }))
    }

    /// Returns the trusted keys with this id (several files may name the same key).
    #[must_use]
    pub fn with_id(&self, key_id: &KeyId) -> &[TrustedKey] {
        self.keys.get(key_id).map_or(&[], Vec::as_slice)
    }

    /// Returns the names under which a key is trusted.
    #[must_use]
    pub fn principals(&self, key_id: &KeyId) -> Vec<String> {
        let names = self.with_id(key_id).iter().map(|key| key.principal.clone());
        names.filter(|name| !name.is_empty()).collect()
    }

    /// Computes a digest of every decision a verdict depends on: another digest, other verdicts.
    #[must_use]
    pub fn basis(&self) -> Blake3Hash {
        let decision = |key: &TrustedKey| format!("{:?} {}\n", key.scope, allowed_signers_line(key));
        let revoked = |(key, scope): &(PublicKey, Scope)| format!("{scope:?} revoked {}\n", key.to_openssh());
        let mut lines: Vec<String> = self.iter().map(decision).collect();
        lines.extend(self.revoked.values().flatten().map(revoked));
        let pulled = self.pulled.iter().flat_map(|(item, digests)| digests.iter().map(move |digest| (item, digest)));
        lines.extend(
            pulled.map(|((space, item_type, id), digest)| format!("pulled {space} {item_type} {id} {digest}\n")),
        );
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

    /// Tells whether a key is revoked at a place, also an untrusted one, such as an agent's.
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

    /// Returns what the policy demands of an item. One at an unknown place is held to it too.
    pub(in crate::trust) fn requirement(&self, space: Option<Space>, subject: &Subject) -> Requirement<'_> {
        match space {
            None | Some(Space::Project) => self.policy.required_for(subject),
            Some(Space::User | Space::System) => Requirement::default(),
        }
    }

    pub(in crate::trust) fn is_agent(&self, key: &PublicKey) -> bool {
        self.agent.as_ref() == Some(key)
    }

    pub(in crate::trust) fn is_builtin(&self, subject: &Subject, bytes: &[u8]) -> bool {
        self.builtin.get(subject).is_some_and(|digest| *digest == ContentHash::of(bytes))
    }

    /// Tells whether the lock of a space has an item with these bytes; only what the lock has is hashed.
    pub(in crate::trust) fn is_pulled(&self, space: Space, subject: &Subject, bytes: &[u8]) -> bool {
        if self.pulled.is_empty() {
            return false;
        }
        let digests = self.pulled.get(&(space, subject.item_type, subject.item_id.clone()));
        digests.is_some_and(|digests| digests.contains(&ContentHash::of(bytes)))
    }

    pub(in crate::trust) fn agent_with_id(&self, key_id: &KeyId) -> Option<&PublicKey> {
        self.agent.as_ref().filter(|agent| agent.key_id() == *key_id)
    }

    pub(in crate::trust) fn counts_from_agent(&self, subject: &Subject, hash: &ContentHash) -> bool {
        self.agent_signed.iter().any(|(known, digest)| known == subject && digest == hash)
    }

    /// Returns every key with this id that is known at all, whatever was decided about it.
    pub(in crate::trust) fn known_with_id(&self, key_id: &KeyId) -> impl Iterator<Item = PublicKey> {
        let decided = self.with_id(key_id).iter().map(|decision| decision.key);
        let revoked = self.revoked.get(key_id).map_or(&[][..], Vec::as_slice);
        decided.chain(revoked.iter().map(|(key, _)| *key)).chain(self.agent_with_id(key_id).copied())
    }

    /// Returns every OpenPGP key that is known at all.
    pub(in crate::trust) fn certificates(&self) -> impl Iterator<Item = (PublicKey, &'static Certificate)> {
        let decided = self.iter().map(|decision| decision.key);
        let revoked = self.revoked.values().flatten().map(|(key, _)| *key);
        decided.chain(revoked).filter_map(|key| Some((key, key.certificate()?)))
    }

    fn revoked_with_id(&self, key_id: &KeyId, place: Place<'_>) -> impl Iterator<Item = &PublicKey> {
        let known = self.revoked.get(key_id).map_or(&[][..], Vec::as_slice);
        known.iter().filter(move |(_, scope)| scope.reaches(place)).map(|(key, _)| key)
    }
}
