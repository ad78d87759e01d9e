//! The signatures of a thread's commits: the agent's, or those of a key that the person trusts for commits.

use serde::Serialize;

use crate::git::{CommitId, CommitInfo};
use crate::id::{ThreadId, Timestamp};
use crate::keys::{KeyName, KeyStore, KeysError};
use crate::session::Session;
use crate::thread::record::History;
use crate::trust::{CommitFault, Namespace, Place, PublicKey, TrustedKeys, Verdict, verify_armored};

/// A commit whose signature does not count.
#[derive(Debug, Serialize)]
pub struct BadSignature {
    /// The thread.
    pub thread_id: ThreadId,
    /// The commit.
    pub commit_id: CommitId,
    /// The rule's stable id.
    pub rule: &'static str,
    /// What it comes to.
    pub verdict: Verdict,
    /// The fault, in words.
    pub message: String,
    /// The same, for an error.
    #[serde(skip)]
    pub(in crate::thread) fault: CommitFault,
}

/// Whose signatures count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::thread) enum Whose {
    /// The agent's alone.
    Agent,
    /// The agent's, and those of keys that the person trusts for commits.
    Trusted,
}

/// Judges all commits of some histories.
pub(in crate::thread) fn judge(
    session: &Session,
    histories: &[History],
    whose: Whose,
) -> Result<Vec<BadSignature>, KeysError> {
    let agent = KeyStore::new(session.context())?.find_public(KeyName::Agent)?;
    let keys = session.project().keys();
    let mut bad = Vec::new();
    for history in histories {
        for commit in &history.commits {
            if let Err(fault) = judge_one(&keys, agent.as_ref(), &commit.info, whose) {
                bad.push(BadSignature {
                    thread_id: history.record.thread_id.clone(),
                    commit_id: commit.commit_id.clone(),
                    rule: fault.rule(),
                    verdict: fault.verdict(),
                    message: fault.to_string(),
                    fault,
                });
            }
        }
    }
    Ok(bad)
}

fn judge_one(
    keys: &TrustedKeys,
    agent: Option<&PublicKey>,
    info: &CommitInfo,
    whose: Whose,
) -> Result<(), CommitFault> {
    let signed = info.signature.as_ref().map(|signature| (signature.armored.as_str(), signature.payload.as_slice()));
    let signer = signer(info);
    match signer.filter(|signer| Some(signer) == agent) {
        Some(agent) if keys.is_revoked(&agent, Place::default()) => {
            return Err(CommitFault::Revoked { key_id: agent.key_id() });
        }
        Some(_) => return Ok(()),
        None => {}
    }
    let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
    let (armored, payload) = signed.unzip();
    let judged = keys.judge_commit(armored, payload.unwrap_or_default(), at);
    match (judged, whose, signer) {
        (Ok(_), Whose::Agent, Some(signer)) => {
            Err(CommitFault::Untrusted { key_id: signer.key_id(), fingerprint: signer.fingerprint() })
        }
        (Ok(_), Whose::Agent, None) => Err(CommitFault::Unsigned),
        (Ok(_), Whose::Trusted, _) => Ok(()),
        (Err(fault), Whose::Agent | Whose::Trusted, _) => Err(fault),
    }
}

/// Returns the key that signed a commit, whoever's it is.
pub(super) fn signer(info: &CommitInfo) -> Option<PublicKey> {
    let signature = info.signature.as_ref()?;
    verify_armored(&signature.armored, Namespace::Git, &signature.payload).ok()
}
