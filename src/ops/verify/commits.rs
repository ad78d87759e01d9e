//! The signatures of commits themselves, whatever the items in them are worth.

use crate::git::{CommitId, RangeCommit};
use crate::id::Timestamp;
use crate::trust::{CommitFault, TrustedKeys, Verdict};

/// The most characters of a commit's subject that a finding shows.
const SUBJECT: usize = 60;

/// Which commits must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commits {
    /// Every one.
    All,
    /// Those with one parent or none: a merge is made by a server, say, that holds no key.
    Authored,
}

/// A commit whose signature was judged.
pub(super) struct JudgedCommit {
    pub(super) commit_id: CommitId,
    pub(super) subject: String,
    /// Whether nothing comes before it.
    pub(super) is_root: bool,
    pub(super) fault: Option<CommitFault>,
}

/// Judges commits, each at the time its committer claims.
pub(super) fn judge(commits: &[RangeCommit], which: Commits, keys: &TrustedKeys) -> Vec<JudgedCommit> {
    let wanted = |commit: &&RangeCommit| which == Commits::All || commit.info.parents.len() < 2;
    commits.iter().filter(wanted).map(|commit| judge_one(commit, keys)).collect()
}

fn judge_one(RangeCommit { commit_id, info }: &RangeCommit, keys: &TrustedKeys) -> JudgedCommit {
    let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
    let (armored, payload) = match &info.signature {
        Some(signature) => (Some(signature.armored.as_str()), signature.payload.as_slice()),
        None => (None, &[][..]),
    };
    let subject = info.message.lines().next().unwrap_or_default().chars().take(SUBJECT).collect();
    let fault = keys.judge_commit(armored, payload, at).err();
    JudgedCommit { commit_id: commit_id.clone(), subject, is_root: info.parents.is_empty(), fault }
}

/// Returns the verdict a commit's fault comes to.
pub(super) const fn verdict(fault: &CommitFault) -> Verdict {
    match fault {
        CommitFault::Unsigned => Verdict::Unsigned,
        CommitFault::OtherKind { .. } | CommitFault::Misfit { .. } => Verdict::Tampered,
        CommitFault::Untrusted { .. } => Verdict::Untrusted,
        CommitFault::OutsideValidity { .. } => Verdict::Retired,
        CommitFault::Revoked { .. } => Verdict::Revoked,
    }
}

/// Returns the digits by which people name a commit.
pub(super) fn short(commit_id: &CommitId) -> &str {
    &commit_id.as_str()[..12]
}
