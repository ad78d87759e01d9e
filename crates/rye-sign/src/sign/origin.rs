//! Whose work an item is that would be signed, as its person is told.

use std::fmt;

use serde::Serialize;

use crate::trust::KeyId;

/// Whose work an item is that would be signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum Origin {
    /// A change to what this person signed and committed.
    Own,
    /// A change to what this person signed and committed, and nothing is known yet of what agents write here.
    Unchecked,
    /// No base has an item of this name.
    New,
    /// Another person signed it last.
    Others {
        /// With this key.
        key_id: KeyId,
    },
    /// The agent signed it last.
    Agent,
    /// An agent wrote just this.
    Written,
    /// A thread wrote just this.
    Thread {
        /// Its branch.
        branch: String,
    },
    /// A branch, a tag, the stash or a fetch has just this, and is not part of the history of `HEAD`.
    Elsewhere {
        /// Its name.
        name: String,
    },
    /// A branch, a tag, the stash or a fetch that is not part of the history of `HEAD` has another text of it, which this
    /// person did not sign: git may have mixed it in.
    Shared {
        /// Its name.
        name: String,
    },
    /// It was committed before without any signature.
    NeverSigned,
    /// It was committed with a signature that does not fit it any more.
    Changed,
    /// Its line names this person's key and is not by it, or is damaged.
    Unproven,
    /// It cannot be told what agents wrote, or what other branches have.
    Unknown {
        /// Why not.
        why: String,
    },
}

impl Origin {
    /// Tells whether `sign` asks its person about an item that they named: another person signed or wrote it.
    pub(super) const fn is_of_others(&self) -> bool {
        match self {
            Self::Own | Self::Unchecked | Self::New | Self::NeverSigned => false,
            Self::Others { .. }
            | Self::Agent
            | Self::Written
            | Self::Thread { .. }
            | Self::Elsewhere { .. }
            | Self::Shared { .. }
            | Self::Changed
            | Self::Unproven
            | Self::Unknown { .. } => true,
        }
    }

    /// Tells whether a model may sign an item with the agent key: no person's signature is replaced.
    pub(super) const fn is_for_a_model(&self) -> bool {
        match self {
            Self::Own | Self::Unchecked | Self::New | Self::NeverSigned | Self::Agent | Self::Written => true,
            Self::Others { .. }
            | Self::Thread { .. }
            | Self::Elsewhere { .. }
            | Self::Shared { .. }
            | Self::Changed
            | Self::Unproven
            | Self::Unknown { .. } => false,
        }
    }
}

/// For people.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => f.write_str("yours"),
            Self::Unchecked => f.write_str("yours; this clone has no record of what agents wrote"),
            Self::New => f.write_str("new"),
            Self::Others { key_id } => write!(f, "last signed by {key_id}"),
            Self::Agent => f.write_str("last signed by the agent"),
            Self::Written => f.write_str("written by an agent"),
            Self::Thread { branch } => {
                write!(f, "written by the thread {}", branch.rsplit('/').next().unwrap_or(branch))
            }
            Self::Elsewhere { name } => write!(f, "comes from {}", short(name)),
            Self::Shared { name } => write!(f, "changed on {} too", short(name)),
            Self::NeverSigned => f.write_str("committed before and never signed"),
            Self::Changed => f.write_str("committed after an unsigned change"),
            Self::Unproven => f.write_str("its signature line is not yours"),
            Self::Unknown { why } => write!(f, "origin unknown: {why}"),
        }
    }
}

/// A ref's name as people write it.
pub(super) fn short(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/tags/", "refs/"];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}
