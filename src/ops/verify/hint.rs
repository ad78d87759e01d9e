//! What to do about a finding: a command that works as pasted, or a change that does.

use super::outcome::short;
use crate::git::CommitId;
use crate::trust::{CommitFault, Fault, Subject};

/// Says what to do about an item's fault.
#[must_use]
pub fn item(subject: &Subject, fault: &Fault) -> String {
    let Subject { item_type, item_id, .. } = subject;
    let sign = format!("`rye sign {item_type} {item_id}`");
    match fault {
        Fault::Unsigned => format!("review it, then run {sign}"),
        Fault::UntrustedKey { .. } => {
            "if you trust whoever holds that key, save their public key and run `rye trust add their_key.pub`"
                .to_owned()
        }
        Fault::AgentSigned => format!("review what the agent wrote, then run {sign}"),
        Fault::OutsideValidity { .. } => format!("have it signed again by a key that is valid now: {sign}"),
        Fault::Legacy { .. } => format!("review the whole file, then run {sign}"),
        Fault::Revoked { .. } => {
            format!("whoever held that key may not have signed this: review it, then sign with another key: {sign}")
        }
        Fault::RolledBack { .. } => {
            format!("restore the newer one; if the older is wanted, review it, then run {sign}")
        }
        Fault::MissingCountersignatures { .. } => {
            "ask somebody else whose signature counts to review it and to sign it too".to_owned()
        }
        Fault::Unshadowed => format!("put it back, or look at what takes effect now: `rye load {item_type} {item_id}`"),
        Fault::MalformedLine { .. } | Fault::SecondLine | Fault::Changed | Fault::Misplaced | Fault::Downgraded => {
            format!("review the change, then run {sign}")
        }
    }
}

/// Says what to do about content that the trust root has too, signed by a key that was revoked since.
pub(super) fn pinned(subject: &Subject) -> String {
    let Subject { item_type, item_id, .. } = subject;
    format!("the trust root has it like this; review it again, then run `rye sign {item_type} {item_id}`")
}

/// Says what to do about what a commit of a range has, and its end has not.
pub(super) fn mended(commit_id: &CommitId) -> String {
    format!("the end of the range no longer has it; fold the commits into one: `git rebase -i {commit_id}~`")
}

/// Says what to do about trust files that cannot follow those of a revision.
pub(super) fn trust(base: &CommitId) -> String {
    format!("restore them: `git restore --source {base} --staged --worktree -- .ai/trust`")
}

/// Says what to do about a commit whose signature does not count.
pub(super) fn commit(commit_id: &CommitId, is_root: bool, fault: &CommitFault) -> String {
    if let CommitFault::Untrusted { .. } = fault {
        return "if you trust whoever holds that key, save their public key and run `rye trust add their_key.pub`"
            .to_owned();
    }
    let from = if is_root { "--root".to_owned() } else { format!("{commit_id}~") };
    let sign = format!("git -c gpg.format=ssh rebase --exec 'git commit --amend --no-edit -S' {from}");
    format!("look at it with `git show {}`; then sign it and what follows: `{sign}`", short(commit_id))
}

/// Says what to do about a file that is no item.
pub(super) fn stray() -> String {
    "rename it or move it out of the folder".to_owned()
}
