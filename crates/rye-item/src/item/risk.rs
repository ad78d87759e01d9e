//! Tiers of risk.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Tiers of risk, the safest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// Searching and loading.
    Safe,
    /// Writing files of the project.
    Write,
    /// Shell, network, signing.
    Elevated,
    /// Everything, or all execution.
    Unrestricted,
}

/// A word that names no tier of risk.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown risk tier `{word}` (expected safe, write, elevated or unrestricted)")]
pub struct RiskError {
    /// The word as given.
    pub word: String,
}

impl Risk {
    /// Returns the word for this tier.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Write => "write",
            Self::Elevated => "elevated",
            Self::Unrestricted => "unrestricted",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Risk {
    type Err = RiskError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Safe, Self::Write, Self::Elevated, Self::Unrestricted]
            .into_iter()
            .find(|risk| risk.as_str() == word)
            .ok_or_else(|| RiskError { word: word.to_owned() })
    }
}

crate::id::serde_as_text!(Risk);
