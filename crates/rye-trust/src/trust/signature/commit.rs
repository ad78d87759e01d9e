//! Judging a commit's signature: SSHSIG in the namespace `git`, by a key that is trusted for the project's commits.
//!
//! Exactly the SSH signatures that stock git accepts are accepted here, but for weak keys and security keys that nobody
//! touched. Those of other kinds (OpenPGP, X.509, SSH by certificates) are not judged: they are named, and count no more
//! than none.

use thiserror::Error;

use crate::id::Timestamp;
use crate::trust::{
    Fault, KeyId, Namespace, Place, PublicKey, Signatory, SignatureKind, SshSigError, TrustedKeys, Verdict,
    verify_armored,
};

/// Why a commit's signature does not count. Each has a rule id that never changes its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum CommitFault {
    /// RYE-C001.
    #[error("it is not signed")]
    Unsigned,
    /// RYE-C008. Nobody can tell here whether it is good or bad.
    #[error("its signature is not judged: it is an {kind}")]
    NotJudged {
        /// What kind of signature it is.
        kind: SignatureKind,
    },
    /// RYE-C002.
    #[error("its signature is {kind}, not a signature that can be judged")]
    OtherKind {
        /// What it is instead.
        kind: &'static str,
    },
    /// RYE-C003.
    #[error("its signature does not count: {reason}")]
    Misfit { reason: SshSigError },
    /// RYE-C004.
    #[error("it is signed by the key `{key_id}` ({fingerprint}), which is not trusted for commits here")]
    Untrusted {
        /// The key that signed it.
        key_id: KeyId,
        /// The same key, as OpenSSH names it.
        fingerprint: String,
    },
    /// RYE-C005.
    #[error("the key `{key_id}` was not valid when the commit says it was made")]
    OutsideValidity {
        /// The key that signed it.
        key_id: KeyId,
    },
    /// RYE-C006.
    #[error("it is signed by the key `{key_id}`, which is revoked")]
    Revoked {
        /// The key that signed it.
        key_id: KeyId,
    },
}

impl CommitFault {
    /// Returns the verdict that it comes to.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Unsigned => Verdict::Unsigned,
            Self::NotJudged { .. } => Verdict::NotJudged,
            Self::OtherKind { .. } | Self::Misfit { .. } => Verdict::Tampered,
            Self::Untrusted { .. } => Verdict::Untrusted,
            Self::OutsideValidity { .. } => Verdict::Retired,
            Self::Revoked { .. } => Verdict::Revoked,
        }
    }

    /// Returns the kind of a signature that is not judged.
    #[must_use]
    pub const fn not_judged(&self) -> Option<SignatureKind> {
        match self {
            Self::NotJudged { kind } => Some(*kind),
            Self::Unsigned
            | Self::OtherKind { .. }
            | Self::Misfit { .. }
            | Self::Untrusted { .. }
            | Self::OutsideValidity { .. }
            | Self::Revoked { .. } => None,
        }
    }

    /// Returns the rule's stable id.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Unsigned => "RYE-C001",
            Self::NotJudged { .. } => "RYE-C008",
            Self::OtherKind { .. } => "RYE-C002",
            Self::Misfit { .. } => "RYE-C003",
            Self::Untrusted { .. } => "RYE-C004",
            Self::OutsideValidity { .. } => "RYE-C005",
            Self::Revoked { .. } => "RYE-C006",
        }
    }
}

impl TrustedKeys {
    /// Judges a commit of the project: `armored` is its signature, `payload` what that is over, `at` when its committer
    /// says it was made.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the signature from counting.
    pub fn judge_commit(&self, armored: Option<&str>, payload: &[u8], at: Timestamp) -> Result<Signatory, CommitFault> {
        let armored = armored.ok_or(CommitFault::Unsigned)?;
        let key = verify_armored(armored, Namespace::Git, payload).map_err(|reason| match reason {
            SshSigError::Malformed => other_kind(armored),
            reason @ (SshSigError::Namespace { .. } | SshSigError::Mismatch | SshSigError::Untouched) => {
                CommitFault::Misfit { reason }
            }
        })?;
        let key_id = key.key_id();
        let fits = |known: &PublicKey| *known == key;
        self.judge(Namespace::Git, Place::PROJECT, &key_id, at, fits).map_err(|fault| match fault {
            Fault::Revoked { key_id } => CommitFault::Revoked { key_id },
            Fault::OutsideValidity { key_id } => CommitFault::OutsideValidity { key_id },
            // Another key may have the same id: this one is still unknown.
            _ => CommitFault::Untrusted { key_id, fingerprint: key.fingerprint() },
        })
    }
}

/// Whose signature makes a thread's commit count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadSigner {
    /// The agent's on this machine.
    Agent(KeyId),
    /// That of a person who is trusted for the project's commits.
    Trusted(Signatory),
}

impl TrustedKeys {
    /// Judges a commit of a thread: as any commit of the project, and the agent's own key counts too.
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
            None => self.judge_commit(armored, payload, at).map(ThreadSigner::Trusted),
        }
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
