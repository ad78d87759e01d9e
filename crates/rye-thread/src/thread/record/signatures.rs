//! Whether the commits of a thread count, and by whose signatures: the agent's of this machine, or a trusted person's.

use serde::Serialize;

use super::history::{History, RecordedCommit};
use crate::git::CommitId;
use crate::need::Verb;
use crate::session::Session;
use crate::trust::{CommitFault, KeyId, ThreadSigner};

/// What the signatures of a thread's commits are worth.
#[derive(Debug, Serialize)]
pub struct Standing {
    /// Whether every commit counts.
    pub verified: bool,
    /// How many commits were looked at.
    pub commits: usize,
    /// Whose signatures count, in the order they were met.
    pub signers: Vec<Signer>,
    /// The keys that have no use for turns here, by their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_use: Vec<KeyId>,
    /// The commits that do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Whose signatures count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Signer {
    /// The agent of this machine, by its key's id.
    Agent(String),
    /// The agent of another person, by the names of its key, which is trusted for turns.
    AgentOf(String),
    /// A person trusted for commits here, by the names of their key.
    Person(String),
}

/// A commit that does not count.
#[derive(Debug, Serialize)]
pub struct Fault {
    /// The commit.
    pub commit_id: CommitId,
    /// The turn it says it brings.
    pub turn: Option<u32>,
    /// The rule's stable id.
    pub rule: &'static str,
    /// Why.
    pub message: String,
}

impl History {
    /// Judges every commit of the thread, each at the time it says it was made.
    #[must_use]
    pub fn standing(&self, session: &Session) -> Standing {
        judge(session, &self.commits)
    }
}

fn judge(session: &Session, commits: &[RecordedCommit]) -> Standing {
    let keys = session.project().keys();
    let (mut signers, mut without_use, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let pairs = commits.iter().map(|commit| (&commit.info, commit.turn));
    for (commit, judged) in commits.iter().zip(Verb::Show.judge(&keys, pairs)) {
        let signer = match judged {
            Ok(ThreadSigner::Agent(key_id)) => Signer::Agent(key_id.to_string()),
            Ok(ThreadSigner::OtherAgent(signatory)) => Signer::AgentOf(signatory.principals.join(",")),
            Ok(ThreadSigner::Trusted(signatory)) => Signer::Person(signatory.principals.join(",")),
            Err(fault) => {
                if let CommitFault::NotForTurns { key_id, .. } = &fault
                    && !without_use.contains(key_id)
                {
                    without_use.push(key_id.clone());
                }
                let commit_id = commit.commit_id.clone();
                faults.push(Fault { commit_id, turn: commit.turn, rule: fault.rule(), message: fault.to_string() });
                continue;
            }
        };
        if !signers.contains(&signer) {
            signers.push(signer);
        }
    }
    Standing { verified: faults.is_empty(), commits: commits.len(), signers, without_use, faults }
}
