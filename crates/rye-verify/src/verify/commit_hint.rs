//! What to do about a commit whose signature does not count.
//!
//! Invariant: no hint rewrites a commit that a protected branch is known to have, one whose signature is not judged, or one
//! that somebody else is known to have signed. Any other is rewritten on the condition that no protected branch has it.

use std::collections::BTreeSet;

use super::commits::short;
use super::hint::Decided;
use crate::capability::shell::quoted;
use crate::git::CommitId;
use crate::trust::CommitFault;

/// What is known around the commits that were judged.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    /// Those that a protected branch has already.
    pub(super) kept: BTreeSet<CommitId>,
    /// The last one whose signature is not judged.
    pub(super) last_not_judged: Option<CommitId>,
    /// Those that cannot be rewritten without a commit whose signature is not the person's to replace.
    pub(super) tied: BTreeSet<CommitId>,
    /// The end of the range, as it was written.
    pub(super) end: String,
    /// The file of the person's key, as a word of a command.
    pub(super) key: String,
    /// Whether git knows an SSH key to sign with.
    pub(super) git_has_key: bool,
}

impl Around {
    /// Says what to do about a commit; `is_root`: nothing comes before it.
    pub(super) fn hint(&self, decided: &Decided, commit_id: &CommitId, is_root: bool, fault: &CommitFault) -> String {
        let is_kept = self.kept.contains(commit_id);
        match fault {
            CommitFault::NotJudged { .. } => self.sign_the_next(commit_id),
            CommitFault::Forge { .. } => self.fetch_what_it_merged(commit_id),
            CommitFault::Untrusted { key_id, .. }
            | CommitFault::NotForTurns { key_id, .. }
            | CommitFault::NotOwnAgent { key_id, .. } => {
                let again = (!is_kept).then_some("sign the commit again if no protected branch has it");
                decided.untrusted(key_id, again)
            }
            CommitFault::Unsigned
            | CommitFault::OtherKind { .. }
            | CommitFault::Misfit { .. }
            | CommitFault::OpenPgp { .. }
            | CommitFault::NotOfThread { .. }
            | CommitFault::OutsideValidity { .. }
            | CommitFault::Expired { .. }
            | CommitFault::Revoked { .. } => {
                if is_kept {
                    self.leave(commit_id, "a protected branch has it already")
                } else if self.tied.contains(commit_id) {
                    self.leave(
                        commit_id,
                        "to sign it again would replace signatures of later commits that may not be yours",
                    )
                } else {
                    self.sign_again(commit_id, is_root)
                }
            }
        }
    }

    fn sign_the_next(&self, commit_id: &CommitId) -> String {
        let (key, last) = (&self.key, self.last_not_judged.as_ref().unwrap_or(commit_id));
        let sign =
            format!("git config gpg.format ssh && git config user.signingKey {key} && git config commit.gpgSign true");
        format!(
            "Rye cannot judge this signature, so it is neither good nor bad: sign your next commits with an SSH key, `{sign}`, and start the range after the commits that you trust without: `{}`",
            self.after(last)
        )
    }

    fn fetch_what_it_merged(&self, commit_id: &CommitId) -> String {
        format!(
            "look at it with `git show {}`; if it merges a branch, fetch that branch, whose commits people signed: `git fetch \
             origin '+refs/pull/*/head:refs/remotes/origin/pull/*'`, or name its end with `--merged`; else undo it in a new \
             commit, and start the range after this one, `{}`",
            short(commit_id),
            self.after(commit_id)
        )
    }

    fn leave(&self, commit_id: &CommitId, why: &str) -> String {
        format!(
            "look at it with `git show {}`; {why}, so leave it there: undo what is wrong in a \
             new commit, and start the range after this one, `{}`",
            short(commit_id),
            self.after(commit_id)
        )
    }

    fn sign_again(&self, commit_id: &CommitId, is_root: bool) -> String {
        let from = if is_root { "--root".to_owned() } else { format!("{commit_id}~") };
        let key = if self.git_has_key { String::new() } else { format!(" -c user.signingKey={}", self.key) };
        let sign = format!("git -c gpg.format=ssh{key} rebase --exec 'git commit --amend --no-edit -S' {from}");
        format!(
            "look at it with `git show {}`; if no protected branch has it, sign it and the later commits: `{sign}`",
            short(commit_id)
        )
    }

    fn after(&self, commit_id: &CommitId) -> String {
        format!("--range {}", quoted(&format!("{commit_id}..{}", self.end)))
    }
}
