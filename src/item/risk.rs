//! How dangerous a permission is.
//!
//! A pattern has the tier of the most dangerous call it covers, wherever in it the wildcards stand.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::capability::{Call, Capability, Primary};
use crate::id::{ItemId, ItemType};
use crate::item::Builtin;

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

/// What reaches beyond the project's files: shell, network, the registry, and any signing.
const ELEVATED: [&str; 5] = [
    "rye.execute.tool.rye.shell.*",
    "rye.execute.tool.rye.network.*",
    "rye.execute.tool.rye.web.*",
    "rye.execute.tool.rye.registry.*",
    "rye.sign.*",
];
/// Ids that have nothing in common: a pattern that covers both of them covers every tool.
const ANY: [&str; 2] = ["q7x/z9-nobody_has_this", "B4"];

impl Risk {
    /// Returns the tier of what `capability` allows.
    #[must_use]
    pub fn of(capability: &Capability) -> Self {
        let reaches = |patterns: &[&str]| patterns.iter().any(|pattern| overlaps(capability, pattern));
        if ANY.iter().all(|id| executes(capability, id)) {
            Self::Unrestricted
        } else if reaches(&ELEVATED) {
            Self::Elevated
        } else {
            let called = Builtin::ALL.into_iter().filter(|builtin| calls(capability, *builtin));
            called.map(Builtin::risk).max().unwrap_or(Self::Safe)
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

fn overlaps(capability: &Capability, pattern: &str) -> bool {
    pattern.parse().is_ok_and(|pattern| capability.overlaps(&pattern))
}

/// Tells whether a capability lets a built-in tool be called, also under a name it had before.
fn calls(capability: &Capability, builtin: Builtin) -> bool {
    let exact = format!("rye.execute.tool.{}", builtin.id().replace('/', "."));
    overlaps(capability, &exact) || executes(capability, builtin.id())
}

fn executes(capability: &Capability, id: &str) -> bool {
    let call = |id: ItemId| capability.covers(&Call::on(Primary::Execute, ItemType::Tool, id));
    id.parse().is_ok_and(call)
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
        for (pattern, risk) in [
            ("rye.*", Risk::Unrestricted),
            ("rye.execute.*", Risk::Unrestricted),
            ("rye.execute.tool.?*", Risk::Unrestricted),
            ("rye.execute.tool.q*", Risk::Safe),
            ("rye.execute.tool.r*", Risk::Elevated),
            ("rye.execute.tool.rye.she??.docker", Risk::Elevated),
            ("rye.execute.tool.*.docker", Risk::Elevated),
            ("rye.execute.tool.rye.registry.publish", Risk::Elevated),
            ("rye.sign.knowledge.demo.one", Risk::Elevated),
            ("rye.*.knowledge.demo.one", Risk::Elevated),
            ("rye.execute.tool.rye.file-system.*", Risk::Write),
            ("rye.execute.tool.rye.file-system.fs_*", Risk::Write),
            ("rye.execute.tool.rye.file-system.read", Risk::Safe),
            ("rye.execute.directive.*", Risk::Safe),
            ("rye.search.*", Risk::Safe),
            ("rye.load.tool.rye.shell.*", Risk::Safe),
        ] {
            assert_eq!(Risk::of(&pattern.parse().unwrap()), risk, "{pattern}");
        }
    }
}
