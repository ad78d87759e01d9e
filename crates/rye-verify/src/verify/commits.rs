//! The signatures of commits themselves, whatever the items in them are worth.

use std::collections::BTreeSet;
use std::slice;

use super::super::locate::LocateError;
use super::error::Error;
use super::forge::Vouchers;
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
    /// Whether the policy lets the fault pass.
    pub(super) passes: bool,
    /// Why the fault may not be the commit's.
    pub(super) because: Option<String>,
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
    /// Those whose rewriting would rewrite a commit with a signature that is not judged, or that is somebody else's.
    pub(super) tied: BTreeSet<CommitId>,
}

impl JudgedCommits {
    /// Returns the commits whose signatures do not count.
    pub(super) fn faulty(&self) -> impl Iterator<Item = &CommitId> + Clone {
        self.judged.iter().filter(|judged| judged.fault.is_some() && !judged.passes).map(|judged| &judged.commit_id)
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
    vouchers: &mut Vouchers<'_>,
) -> Result<JudgedCommits, Error> {
    let (mut judged, mut last_of_others) = (Vec::new(), None);
    let own = repository.committer();
    for (number, commit) in commits.iter().enumerate() {
        let is_wanted = match which {
            Commits::All => true,
            Commits::Authored => !is_merge(repository, &commit.info)?,
        };
        let is_of_others = if is_wanted {
            let (mut one, is_of_others) = judge_one(commit, keys, own.as_ref().map(|own| own.email.as_str()));
            if matches!(one.fault, Some(CommitFault::Forge { .. })) {
                match vouchers.vouch(commit)? {
                    Some(signers) => (one.fault, one.signed_for) = (None, signed_for(&signers, &commit.info)),
                    None => one.because = vouchers.untried(),
                }
            }
            vouchers.note(&one.commit_id, one.fault.is_none() || one.passes);
            judged.push(one);
            is_of_others
        } else {
            // Nobody knows whose it is.
            commit.info.signature.is_some()
        };
        if is_of_others {
            last_of_others = Some(number);
        }
    }
    let merges_left_out = match which {
        Commits::All => None,
        Commits::Authored => Some(commits.len() - judged.len()),
    };
    let tied = last_of_others.map(|last| tied(commits, last)).unwrap_or_default();
    Ok(JudgedCommits { judged, merges_left_out, tied })
}

/// Lists the commits that cannot be rewritten without another: those before it, or where histories join, where it may lie beside
/// them, all.
fn tied(commits: &[RangeCommit], last: usize) -> BTreeSet<CommitId> {
    let is_one_line = commits.iter().all(|commit| commit.info.parents.len() < 2);
    let before = if is_one_line { last } else { commits.len() };
    commits.iter().take(before).map(|commit| commit.commit_id.clone()).collect()
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

/// Judges a commit, and tells whether its signature is not judged, or that of somebody else than the person with the address `own`.
fn judge_one(
    RangeCommit { commit_id, info }: &RangeCommit,
    keys: &TrustedKeys,
    own: Option<&str>,
) -> (JudgedCommit, bool) {
    let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
    let (armored, payload) = match &info.signature {
        Some(signature) => (Some(signature.armored.as_str()), signature.payload.as_slice()),
        None => (None, &[][..]),
    };
    let subject = info.message.lines().next().unwrap_or_default().chars().take(SUBJECT).collect();
    let (fault, signed_for, is_of_others) = match keys.judge_commit(armored, payload, at) {
        Ok(signatory) => (
            None,
            signed_for(slice::from_ref(&signatory), info),
            own.is_some_and(|own| is_of_somebody_else(&signatory, own)),
        ),
        Err(fault) => {
            let is_of_others = fault.not_judged().is_some() || matches!(fault, CommitFault::Forge { .. });
            (Some(fault), None, is_of_others)
        }
    };
    let is_root = info.parents.is_empty();
    let passes = fault.as_ref().is_some_and(|fault| keys.policy().lets_pass(fault));
    let commit_id = commit_id.clone();
    (JudgedCommit { commit_id, subject, is_root, fault, passes, because: None, signed_for }, is_of_others)
}

/// Compares a signer with an address. A principal without `@` is not an address and proves nothing.
fn is_of_somebody_else(signatory: &Signatory, email: &str) -> bool {
    signatory.principals.iter().any(|principal| principal.contains('@')) && !signatory.is_principal(email)
}

/// Compares the author with the signers by whom the commit counts, by address: the key that signed it, or those of the commits that it
/// squashes. The author is one of them, or the name is only a claim.
fn signed_for(signers: &[Signatory], info: &CommitInfo) -> Option<SignedFor> {
    let author = &info.author.identity;
    if signers.is_empty() || signers.iter().any(|signatory| !is_of_somebody_else(signatory, &author.email)) {
        return None;
    }
    let author = format!("{} <{}>", author.name, author.email);
    let names: BTreeSet<String> = signers.iter().map(|signatory| signatory.principals.join(",")).collect();
    Some(SignedFor { signer: Vec::from_iter(names).join("`, `"), author })
}

/// Returns the digits by which people name a commit.
pub(super) fn short(commit_id: &CommitId) -> &str {
    &commit_id.as_str()[..12]
}
