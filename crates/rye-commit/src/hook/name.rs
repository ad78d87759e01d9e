//! The hooks of git's that this program has a part in, by git's names.

use std::fmt;

use serde::{Serialize, Serializer};

/// A hook of git's that this program has a part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookName {
    /// Signs the staged items.
    PreCommit,
    /// Writes the notes of the commit.
    PostCommit,
    /// Keeps threads from being pushed by accident.
    PrePush,
}

impl HookName {
    pub(super) const ALL: [Self; 3] = [Self::PreCommit, Self::PostCommit, Self::PrePush];

    /// Returns git's name of the hook.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::PostCommit => "post-commit",
            Self::PrePush => "pre-push",
        }
    }
}

impl fmt::Display for HookName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for HookName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
