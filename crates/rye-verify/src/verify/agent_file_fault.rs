//! What can be wrong with the files that instruct agents and with the list of them, and how it is told.

use super::super::locate::AgentFileChange;
use super::hint;
use super::outcome::{Finding, Outcome, plain};
use crate::format::Severity;
use crate::git::CommitId;
use crate::id::Timestamp;
use crate::trust::{ContentHash, Fault, Verdict};

/// A fault at a path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct At {
    pub(super) path: String,
    pub(super) fault: ListFault,
    /// What the file holds there.
    pub(super) digest: Option<ContentHash>,
}

/// What is wrong with a file or with the list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ListFault {
    File(AgentFileChange),
    /// An untracked file that git would take.
    Untracked,
    /// A link that leads to what cannot be listed.
    LedOut,
    Unread(String),
    Signature(Fault),
    /// What came before has a list.
    Removed,
    /// What came before has another list that was signed later.
    Older {
        claimed: Timestamp,
        known: Timestamp,
    },
}

impl ListFault {
    /// Tells whether the whole list is at fault.
    pub(super) const fn is_of_list(&self) -> bool {
        match self {
            Self::Unread(_) | Self::Signature(_) | Self::Removed | Self::Older { .. } => true,
            Self::File(_) | Self::Untracked | Self::LedOut => false,
        }
    }

    /// Says in a few words why a file does not count as signed.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::File(AgentFileChange::Unlisted) => "the signed list of agent files does not have it".to_owned(),
            Self::File(AgentFileChange::Changed) => {
                "it was changed after the list of agent files was signed".to_owned()
            }
            Self::File(AgentFileChange::Missing) => "the commit does not have it".to_owned(),
            Self::Untracked => "git does not track it".to_owned(),
            Self::LedOut => "it is a link that leads to no file of the project".to_owned(),
            Self::Unread(reason) => format!("the list of agent files cannot be used: {reason}"),
            Self::Signature(fault) => format!("the list of agent files: {fault}"),
            Self::Removed => "the list of agent files was removed".to_owned(),
            Self::Older { .. } => "an older list of agent files was put back".to_owned(),
        }
    }
}

/// What signs the list.
const SIGN: &str = "rye sign --agent-files";

/// Returns the finding about a fault, which a later commit of the range may have mended.
pub(super) fn finding(At { path, fault, .. }: At, mended_in: Option<&CommitId>, outcome: &Outcome) -> Finding {
    let sign = |what: &str| format!("{what}, then run `{SIGN}`");
    let (rule, verdict, message, hint) = match &fault {
        ListFault::File(AgentFileChange::Unlisted) => {
            let hint = sign("review it");
            (
                "RYE-G001",
                Some(Verdict::Unsigned),
                "this file instructs an agent, and is not in the signed list of such files".to_owned(),
                hint,
            )
        }
        ListFault::Untracked => {
            let hint = sign("review it and `git add` it");
            let message = "this file instructs an agent, and git does not track it".to_owned();
            ("RYE-G001", Some(Verdict::Unsigned), message, hint)
        }
        ListFault::File(AgentFileChange::Changed) => {
            let message = "this file instructs an agent, and was changed after it was signed".to_owned();
            ("RYE-G002", Some(Verdict::Tampered), message, sign("review the change (`rye diff`)"))
        }
        ListFault::File(AgentFileChange::Missing) => {
            let message = "this file instructed an agent, and was removed after it was signed".to_owned();
            ("RYE-G003", Some(Verdict::Tampered), message, sign("put it back, or agree"))
        }
        ListFault::LedOut => {
            let message =
                "this link instructs an agent, and leads out of the project, in a circle, or through too many \
                           links: what it leads to cannot be listed"
                    .to_owned();
            ("RYE-G007", Some(Verdict::Unsigned), message, sign("let it lead to a tracked file, or remove it"))
        }
        ListFault::Unread(reason) => {
            let message = format!("the list of agent files cannot be used: {reason}");
            ("RYE-G004", Some(Verdict::Tampered), message, sign("restore it, or review the files"))
        }
        ListFault::Removed => {
            let message = "the list of agent files was removed".to_owned();
            ("RYE-G005", Some(Verdict::Unsigned), message, sign("restore it, or review the files"))
        }
        ListFault::Older { claimed, known } => {
            let message = format!(
                "the list of agent files was signed at {claimed}, before the other one that came before it (signed at \
                 {known})"
            );
            ("RYE-G006", Some(Verdict::RolledBack), message, sign("restore the newer one, or review the files"))
        }
        ListFault::Signature(fault) => {
            let hint = match fault {
                Fault::UntrustedKey { key_id } => outcome.decided.untrusted(key_id, Some(&format!("`{SIGN}`"))),
                _ => sign("review the files"),
            };
            (fault.rule(), Some(fault.verdict()), format!("the list of agent files: {fault}"), hint)
        }
    };
    let hint = mended_in.map_or(hint, hint::mended);
    Finding { verdict, hint, severity: Severity::Error, ..plain(rule, path, 1, message) }
}
