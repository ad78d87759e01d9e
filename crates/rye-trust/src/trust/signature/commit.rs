//! Judging a commit's signature: SSHSIG in the namespace `git`, by a key that is trusted for the project's commits.
//!
//! Exactly the SSH signatures that stock git accepts are accepted here, but for weak keys and security keys that nobody
//! touched. OpenPGP signatures are judged by the keys of the trust files. Those of other kinds (X.509, SSH by certificates)
//! are not judged: they are named, and count no more than none.

use rye_openpgp::{DetachedSignature, SignatureError};

use crate::id::Timestamp;
use crate::trust::{
    CommitFault, Fault, KeyId, Namespace, Place, PublicKey, Signatory, SignatureKind, SshSigError, TrustedKeys,
    verify_armored,
};

impl TrustedKeys {
    /// Judges a commit of the project: `armored` is its signature, `payload` what that is over, `at` when its committer
    /// says it was made.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the signature from counting.
    pub fn judge_commit(&self, armored: Option<&str>, payload: &[u8], at: Timestamp) -> Result<Signatory, CommitFault> {
        let armored = armored.ok_or(CommitFault::Unsigned)?;
        if SignatureKind::of(armored) == Some(SignatureKind::OpenPgp) {
            return self.judge_openpgp(armored, payload, at);
        }
        let key = verify_armored(armored, Namespace::Git, payload).map_err(|reason| match reason {
            SshSigError::Malformed => other_kind(armored),
            reason @ (SshSigError::Namespace { .. } | SshSigError::Mismatch | SshSigError::Untouched) => {
                CommitFault::Misfit { reason }
            }
        })?;
        self.judge_key(&key, at)
    }
}

impl TrustedKeys {
    /// Judges an OpenPGP signature by the keys that are known here: it names a key, and does not have it.
    fn judge_openpgp(&self, armored: &str, payload: &[u8], at: Timestamp) -> Result<Signatory, CommitFault> {
        let mut fault = CommitFault::NotJudged { kind: SignatureKind::OpenPgp };
        let Some(signature) = DetachedSignature::from_armor(armored) else { return Err(fault) };
        let now = self.now.unwrap_or(at);
        // A key may be known in an older form, too.
        for (key, certificate) in self.certificates() {
            fault = match signature.check(certificate, payload, now.seconds()) {
                Ok(()) => return self.judge_key(&key, at),
                Err(SignatureError::OtherKey) => continue,
                Err(reason @ (SignatureError::Mismatch | SignatureError::Unusable)) => CommitFault::OpenPgp { reason },
                Err(SignatureError::Expired | SignatureError::Early) if self.is_revoked(&key, Place::PROJECT) => {
                    CommitFault::Revoked { key_id: key.key_id() }
                }
                Err(SignatureError::Expired) => CommitFault::Expired { key_id: key.key_id() },
                Err(SignatureError::Early) => CommitFault::OutsideValidity { key_id: key.key_id() },
            };
        }
        Err(fault)
    }

    /// Judges the key that made a commit's signature.
    fn judge_key(&self, key: &PublicKey, at: Timestamp) -> Result<Signatory, CommitFault> {
        let fits = |known: &PublicKey| known == key;
        let key_id = key.key_id();
        let mut of_forge =
            self.with_id(&key_id).iter().filter(|decision| decision.key == *key && decision.is_of_forge());
        if let Some(principal) = of_forge.next().map(|decision| decision.principal.clone()) {
            let judge = |namespace| self.judge(namespace, Place::PROJECT, &key_id, at, fits);
            // Such a key is trusted for no commit by itself, whatever else its lines say.
            return match judge(Namespace::Forge).or_else(|_| judge(Namespace::Git)) {
                Ok(_) => Err(CommitFault::Forge { key_id, principal }),
                Err(Fault::Revoked { key_id }) => Err(CommitFault::Revoked { key_id }),
                Err(Fault::OutsideValidity { key_id }) => Err(CommitFault::OutsideValidity { key_id }),
                Err(_) => Err(CommitFault::Untrusted { key_id, fingerprint: key.fingerprint() }),
            };
        }
        self.judge(Namespace::Git, Place::PROJECT, &key.key_id(), at, fits).map_err(|fault| match fault {
            Fault::Revoked { key_id } => CommitFault::Revoked { key_id },
            Fault::OutsideValidity { key_id } => CommitFault::OutsideValidity { key_id },
            // Another key may have the same id: this one is still unknown.
            _ => CommitFault::Untrusted { key_id: key.key_id(), fingerprint: key.fingerprint() },
        })
    }
}

/// Whose signature makes a thread's commit count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadSigner {
    /// The agent's on this machine.
    Agent(KeyId),
    /// The agent's of another person, whose key is trusted for turns.
    OtherAgent(Signatory),
    /// That of a person who is trusted for the project's commits, and for turns too.
    Trusted(Signatory),
}

impl TrustedKeys {
    /// Judges a commit of a thread: the agent's own key counts, and the keys that are trusted for turns.
    ///
    /// # Errors
    ///
    /// As [`judge_commit`](Self::judge_commit).
    pub fn judge_thread_commit(
        &self,
        armored: Option<&str>,
        payload: &[u8],
        at: Timestamp,
    ) -> Result<ThreadSigner, CommitFault> {
        let signed_by = armored.and_then(|armored| verify_armored(armored, Namespace::Git, payload).ok());
        match signed_by.filter(|key| self.is_agent(key)) {
            Some(agent) if self.is_revoked(&agent, Place::PROJECT) => {
                Err(CommitFault::Revoked { key_id: agent.key_id() })
            }
            Some(agent) => Ok(ThreadSigner::Agent(agent.key_id())),
            None => match (self.judge_commit(armored, payload, at), signed_by) {
                (Err(CommitFault::Untrusted { .. }), Some(key)) => {
                    self.judge_turn(&key, at).map(ThreadSigner::OtherAgent)
                }
                (Ok(signatory), signed_by) => {
                    let key = signed_by.as_ref().or(signatory.keys.first()).ok_or(CommitFault::Unsigned)?;
                    self.judge_turn(key, at).map(ThreadSigner::Trusted).map_err(|fault| match fault {
                        CommitFault::NotForTurns { .. } => {
                            CommitFault::NotOfThread { reason: "its key is for commits, and has no use for turns" }
                        }
                        fault => fault,
                    })
                }
                (Err(fault), _) => Err(fault),
            },
        }
    }

    /// Judges a key by its use for turns, whatever else it counts for.
    fn judge_turn(&self, key: &PublicKey, at: Timestamp) -> Result<Signatory, CommitFault> {
        let judged = self.judge(Namespace::Turns, Place::PROJECT, &key.key_id(), at, |known| known == key);
        judged.map_err(|fault| match fault {
            Fault::Revoked { key_id } => CommitFault::Revoked { key_id },
            Fault::OutsideValidity { key_id } => CommitFault::OutsideValidity { key_id },
            _ => CommitFault::NotForTurns { key_id: key.key_id(), fingerprint: key.fingerprint() },
        })
    }
}

/// Tells a signature of a kind that is not judged from one that is none.
fn other_kind(armored: &str) -> CommitFault {
    match SignatureKind::of(armored) {
        Some(kind) => CommitFault::NotJudged { kind },
        None => CommitFault::OtherKind { kind: looks_like(armored) },
    }
}

/// Says what a signature that is none looks like, by its first line, as git chooses the program that verifies it.
fn looks_like(armored: &str) -> &'static str {
    match armored.lines().next().map(str::trim_end) {
        Some("-----BEGIN PGP SIGNATURE-----" | "-----BEGIN PGP MESSAGE-----" | "-----BEGIN SIGNED MESSAGE-----") => {
            "malformed, or several"
        }
        Some("-----BEGIN SSH SIGNATURE-----") => "malformed or of another algorithm",
        _ => "of no known kind",
    }
}
