//! What a model gets of a file in which the project instructs agents.

use serde::{Deserialize, Serialize};

/// What a model gets of a file in which the project instructs agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToldAs {
    /// Its text as instructions: it is in a signed list that counts.
    Instructions,
    /// Its text as data.
    Data,
    /// Nothing of it.
    LeftOut,
}

impl ToldAs {
    /// Returns the words for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Data => "data",
            Self::LeftOut => "left out",
        }
    }
}
