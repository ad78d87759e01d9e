//! How dangerous a permission is.
//!
//! A pattern has the tier of the most dangerous call it covers, whether or not there is such an item today.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::capability::Capability;

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
#[error("`{word}` is no tier of risk (safe, write, elevated or unrestricted)")]
pub struct RiskError {
    /// The word as given.
    pub word: String,
}

/// Calls that reach beyond the project's files.
const ELEVATED: [&str; 4] =
    ["rye.sign.*", "rye.execute.tool.rye.shell.*", "rye.execute.tool.rye.network.*", "rye.execute.tool.rye.web.*"];
/// The call that writes.
const WRITE: &str = "rye.execute.tool.rye.file-system.write";
/// A tool that nobody has: a pattern that covers it covers every tool.
const ANY: &str = "rye.execute.tool.q7x.z9-nobody_has_this";

impl Risk {
    /// Returns the tier of what `capability` allows.
    #[must_use]
    pub fn of(capability: &Capability) -> Self {
        let reaches = |pattern: &&str| capability.overlaps(pattern);
        if reaches(&ANY) {
            Self::Unrestricted
        } else if ELEVATED.iter().any(reaches) {
            Self::Elevated
        } else if reaches(&WRITE) {
            Self::Write
        } else {
            Self::Safe
        }
    }

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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_pattern_is_as_dangerous_as_the_worst_call_it_covers() {
        let risk = |pattern: &str| Risk::of(&pattern.parse().unwrap());
        for pattern in ["rye.*", "rye.execute.*", "rye.execute.tool.*", "rye.execute.tool.????*"] {
            assert_eq!(risk(pattern), Risk::Unrestricted, "{pattern}");
        }
        for pattern in [
            "rye.execute.tool.rye.shell.run",
            "rye.execute.tool.rye.*",
            "rye.execute.tool.*.run",
            "rye.execute.tool.rye.s*n",
            "rye.execute.tool.r?e.web.get",
            "rye.sign.*",
            "rye.sign.directive.demo.one",
        ] {
            assert_eq!(risk(pattern), Risk::Elevated, "{pattern}");
        }
        assert_eq!(risk("rye.execute.tool.rye.file-system.*"), Risk::Write);
        for pattern in ["rye.load.*", "rye.search.*", "rye.execute.knowledge.*", "rye.execute.tool.demo.*"] {
            assert_eq!(risk(pattern), Risk::Safe, "{pattern}");
        }
    }
}
