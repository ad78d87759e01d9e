//! The signatures of commits themselves, whatever the items in them are worth.

use super::super::locate::LocateError;
use crate::git::{CommitId, CommitInfo, CommitRange, RangeCommit, Repository};
use crate::id::Timestamp;
use crate::trust::{CommitFault, Signatory, TrustedKeys};

/// The most characters of a commit's subject that a finding shows.
const SUBJECT: usize = 60;

/// Which commits must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commits {
    /// Every one.
    All,
    /// Commits other than merges: a server without a key may make a merge, for example.
    Authored,
}

/// A commit whose signature was judged.
pub(super) struct JudgedCommit {
    pub(super) commit_id: CommitId,
    pub(super) subject: String,
    /// Whether nothing comes before it.
    pub(super) is_root: bool,
    pub(super) fault: Option<CommitFault>,
    /// Who signed it and who wrote it, where these are two.
    pub(super) signed_for: Option<SignedFor>,
}

/// A good signature by another person than the author.
pub(super) struct SignedFor {
    /// The names the signer is trusted under.
    pub(super) signer: String,
    pub(super) author: String,
}

/// Commits whose signatures were judged.
pub(super) struct JudgedCommits {
    pub(super) judged: Vec<JudgedCommit>,
    /// How many others are merges; none where these are judged as well.
    pub(super) merges_left_out: Option<usize>,
}

impl JudgedCommits {
    /// Returns the commits whose signatures do not count.
    pub(super) fn faulty(&self) -> impl Iterator<Item = &CommitId> + Clone {
        self.judged.iter().filter(|judged| judged.fault.is_some()).map(|judged| &judged.commit_id)
    }

    /// Returns the last commit whose signature is of a kind that is not judged.
    pub(super) fn last_not_judged(&self) -> Option<&CommitId> {
        let is_not_judged = |fault: &CommitFault| fault.not_judged().is_some();
        self.judged
            .iter()
            .rfind(|judged| judged.fault.as_ref().is_some_and(is_not_judged))
            .map(|judged| &judged.commit_id)
    }
}

/// Judges commits, each at the time its committer claims.
pub(super) fn judge(
    repository: &Repository,
    commits: &[RangeCommit],
    which: Commits,
    keys: &TrustedKeys,
) -> Result<JudgedCommits, LocateError> {
    let mut judged = Vec::new();
    for commit in commits {
        let is_wanted = match which {
            Commits::All => true,
            Commits::Authored => !is_merge(repository, &commit.info)?,
        };
        if is_wanted {
            judged.push(judge_one(commit, keys));
        }
    }
    let merges_left_out = match which {
        Commits::All => None,
        Commits::Authored => Some(commits.len() - judged.len()),
    };
    Ok(JudgedCommits { judged, merges_left_out })
}

/// Tells whether a commit joins histories: one of its other parents has what the first has not. A commit that names a
/// parent twice, or one of its own past, only looks like a merge.
fn is_merge(repository: &Repository, info: &CommitInfo) -> Result<bool, LocateError> {
    let Some((first, others)) = info.parents.split_first() else { return Ok(false) };
    for other in others.iter().filter(|other| *other != first) {
        let range = CommitRange { after: Some(first.clone()), last: other.clone() };
        if !repository.commits_in(&range)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn judge_one(RangeCommit { commit_id, info }: &RangeCommit, keys: &TrustedKeys) -> JudgedCommit {
    let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
    let (armored, payload) = match &info.signature {
        Some(signature) => (Some(signature.armored.as_str()), signature.payload.as_slice()),
        None => (None, &[][..]),
    };
    let subject = info.message.lines().next().unwrap_or_default().chars().take(SUBJECT).collect();
    let (fault, signed_for) = match keys.judge_commit(armored, payload, at) {
        Ok(signatory) => (None, signed_for(&signatory, info)),
        Err(fault) => (Some(fault), None),
    };
    JudgedCommit { commit_id: commit_id.clone(), subject, is_root: info.parents.is_empty(), fault, signed_for }
}

/// Compares the signer with the author, by address. A principal without `@` is not an address and proves nothing.
fn signed_for(signatory: &Signatory, info: &CommitInfo) -> Option<SignedFor> {
    let author = &info.author.identity;
    let is_comparable = signatory.principals.iter().any(|principal| principal.contains('@'));
    if !is_comparable || signatory.is_principal(&author.email) {
        return None;
    }
    let author = format!("{} <{}>", author.name, author.email);
    Some(SignedFor { signer: signatory.principals.join(","), author })
}

/// Returns the digits by which people name a commit.
pub(super) fn short(commit_id: &CommitId) -> &str {
    &commit_id.as_str()[..12]
}
