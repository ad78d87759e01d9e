//! The signatures of a thread's commits, and of those that it continues, that are not what a verb needs.

use serde::Serialize;

use crate::git::CommitId;
use crate::id::ThreadId;
use crate::session::Session;
use crate::thread::record::{History, Verb};
use crate::trust::{CommitFault, Verdict};

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
    /// The same, for errors and hints.
    #[serde(skip)]
    pub fault: CommitFault,
}

/// Judges all commits of some histories by what a verb needs.
pub(in crate::thread) fn judge(session: &Session, histories: &[History], verb: Verb) -> Vec<BadSignature> {
    let keys = session.project().keys();
    let mut bad = Vec::new();
    for history in histories {
        let pairs = history.commits.iter().map(|commit| (&commit.info, commit.turn));
        for (commit, judged) in history.commits.iter().zip(verb.judge(&keys, pairs)) {
            if let Err(fault) = judged {
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
    bad
}
