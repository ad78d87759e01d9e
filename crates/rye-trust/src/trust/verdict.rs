//! Verdicts: what can be said of the signature of an item or a commit, and why.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use super::coverage::listed;
use super::{KeyId, Uncovered};
use crate::id::Timestamp;

/// What the check of one item or commit came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Signed by a trusted key, and unchanged.
    Good,
    /// Byte for byte an item that is compiled into the program.
    Builtin,
    /// Signed by a trusted key in version 1, which does not cover all of it.
    Legacy,
    /// It carries no signature.
    Unsigned,
    /// Of a commit alone: its signature is of a kind that is not judged here, and counts no more than none.
    NotJudged,
    /// It was changed after it was signed, or its signature line is damaged.
    Tampered,
    /// Signed by a key that is not trusted here.
    Untrusted,
    /// Signed by a key whose validity had ended, or not begun, at the time the signature claims.
    Retired,
    /// Signed by a key that is revoked.
    Revoked,
    /// Signed before what the base has in its place, or before the base removed it.
    RolledBack,
    /// Signed by fewer people than the policy demands.
    MissingCountersignature,
    /// Removed, so that another item of the same id takes effect.
    Unshadowed,
}

impl Verdict {
    /// Every verdict that an item can have.
    pub const OF_ITEMS: [Self; 11] = [
        Self::Good,
        Self::Builtin,
        Self::Legacy,
        Self::Unsigned,
        Self::Tampered,
        Self::Untrusted,
        Self::Retired,
        Self::Revoked,
        Self::RolledBack,
        Self::MissingCountersignature,
        Self::Unshadowed,
    ];

    /// Every verdict that the signature of a commit can have, besides good.
    pub const OF_COMMITS: [Self; 6] =
        [Self::Unsigned, Self::NotJudged, Self::Tampered, Self::Untrusted, Self::Retired, Self::Revoked];

    /// Returns the word for this verdict.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Builtin => "builtin",
            Self::Legacy => "legacy",
            Self::Unsigned => "unsigned",
            Self::NotJudged => "not_judged",
            Self::Tampered => "tampered",
            Self::Untrusted => "untrusted",
            Self::Retired => "retired",
            Self::Revoked => "revoked",
            Self::RolledBack => "rolled_back",
            Self::MissingCountersignature => "missing_countersignature",
            Self::Unshadowed => "unshadowed",
        }
    }

    /// Tells whether an item with this verdict may be used.
    #[must_use]
    pub const fn is_accepted(self) -> bool {
        matches!(self, Self::Good | Self::Builtin)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why an item was not accepted. Each has a rule id that never changes its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Fault {
    /// RYE-S001.
    #[error("it is not signed")]
    Unsigned,
    /// RYE-S002.
    #[error("its signature line is malformed: {reason}")]
    MalformedLine { reason: &'static str },
    /// RYE-S003.
    #[error("it has a second signature line")]
    SecondLine,
    /// RYE-S004.
    #[error("it was changed after it was signed")]
    Changed,
    /// RYE-S005.
    #[error("it was moved, renamed or re-dated after it was signed")]
    Misplaced,
    /// RYE-S006.
    #[error("it is signed by the key `{key_id}`, which is not trusted here")]
    UntrustedKey { key_id: KeyId },
    /// RYE-S007.
    #[error("it was signed by an agent, whose signature counts only inside the thread that made it")]
    AgentSigned,
    /// RYE-S008.
    #[error("the key `{key_id}` was not valid at the time its signature claims")]
    OutsideValidity { key_id: KeyId },
    /// RYE-S009.
    #[error("the key `{key_id}` signed it in version 1, which does not cover: {}", listed(.uncovered))]
    Legacy {
        /// The key that signed it.
        key_id: KeyId,
        /// What may have been changed since, by anyone.
        uncovered: Vec<Uncovered>,
    },
    /// RYE-S010.
    #[error("it is signed by the key `{key_id}`, which is revoked")]
    Revoked { key_id: KeyId },
    /// RYE-S011.
    #[error("it was signed at {claimed}, before the other content that {than} has in its place (signed at {known})")]
    RolledBack {
        /// What has the other content.
        than: Predecessor,
        /// When that was signed.
        known: Timestamp,
        /// When this one was signed, as its line says.
        claimed: Timestamp,
    },
    /// RYE-S011, of an item that was removed.
    #[error("it was signed at {claimed}, before {by} removed it (at {removed})")]
    BroughtBack {
        /// What removed it.
        by: Predecessor,
        removed: Timestamp,
        /// When it was signed, as its line says.
        claimed: Timestamp,
    },
    /// RYE-S012.
    #[error("{have} of the {need} people who must sign it have signed it")]
    MissingCountersignatures { have: usize, need: usize },
    /// RYE-S013.
    #[error("it was removed, and now another item of the same id takes effect")]
    Unshadowed,
    /// RYE-S014.
    #[error("its signature is of version 1, and it had one of version 2 before")]
    Downgraded,
}

/// What came before an item under judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predecessor {
    /// The trust root.
    Base,
    /// An earlier commit of the range, or one that the range builds on.
    Commit,
}

impl fmt::Display for Predecessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Base => "the base",
            Self::Commit => "an earlier commit",
        })
    }
}

impl Fault {
    /// Tells whether other line ends than those that were signed can be its cause.
    #[must_use]
    pub const fn may_be_line_ends(&self) -> bool {
        matches!(self, Self::MalformedLine { .. } | Self::Changed)
    }

    /// Returns the rule's stable id.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Unsigned => "RYE-S001",
            Self::MalformedLine { .. } => "RYE-S002",
            Self::SecondLine => "RYE-S003",
            Self::Changed => "RYE-S004",
            Self::Misplaced => "RYE-S005",
            Self::UntrustedKey { .. } => "RYE-S006",
            Self::AgentSigned => "RYE-S007",
            Self::OutsideValidity { .. } => "RYE-S008",
            Self::Legacy { .. } => "RYE-S009",
            Self::Revoked { .. } => "RYE-S010",
            Self::RolledBack { .. } | Self::BroughtBack { .. } => "RYE-S011",
            Self::MissingCountersignatures { .. } => "RYE-S012",
            Self::Unshadowed => "RYE-S013",
            Self::Downgraded => "RYE-S014",
        }
    }

    /// Returns the verdict this fault comes to.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Unsigned => Verdict::Unsigned,
            Self::MalformedLine { .. } | Self::SecondLine | Self::Changed | Self::Misplaced => Verdict::Tampered,
            Self::UntrustedKey { .. } | Self::AgentSigned => Verdict::Untrusted,
            Self::OutsideValidity { .. } => Verdict::Retired,
            Self::Legacy { .. } => Verdict::Legacy,
            Self::Revoked { .. } => Verdict::Revoked,
            Self::RolledBack { .. } | Self::BroughtBack { .. } => Verdict::RolledBack,
            Self::MissingCountersignatures { .. } => Verdict::MissingCountersignature,
            Self::Unshadowed => Verdict::Unshadowed,
            Self::Downgraded => Verdict::Legacy,
        }
    }
}
