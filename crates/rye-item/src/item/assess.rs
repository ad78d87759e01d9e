//! How dangerous a permission is.
//!
//! A pattern has the tier of the most dangerous call it covers, wherever its wildcards are.

use super::{Builtin, Risk};
use crate::capability::{Call, Capability, Primary};
use crate::id::{ItemId, ItemType};

/// What reaches beyond the project's files: shell, network, the registry, MCP servers, and any signing.
const ELEVATED: [&str; 6] = [
    "rye.execute.tool.rye.shell.*",
    "rye.execute.tool.rye.network.*",
    "rye.execute.tool.rye.web.*",
    "rye.execute.tool.rye.registry.*",
    // The configuration decides the reach of a server, not a directive.
    "rye.execute.tool.mcp.*",
    "rye.sign.*",
];
/// Tools of the program's own that are commands. Tests run whatever the project has.
const COMMANDS: [(&str, Risk); 2] =
    [("rye.execute.tool.rye.git.*", Risk::Safe), ("rye.execute.tool.rye.test.*", Risk::Write)];
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
            let called = Builtin::ALL.into_iter().filter(|builtin| calls(capability, *builtin)).map(Builtin::risk);
            // A script writes where the path rules let it, and without a rule in the whole tree.
            let scripts = runs_scripts(capability).then_some(Self::Write);
            let commands = COMMANDS.into_iter().filter(|(pattern, _)| reaches(&[pattern])).map(|(_, risk)| risk);
            called.chain(scripts).chain(commands).max().unwrap_or(Self::Safe)
        }
    }
}

fn overlaps(capability: &Capability, pattern: &str) -> bool {
    // A pattern of this file that cannot be read covers everything.
    pattern.parse().map_or(true, |pattern| capability.overlaps(&pattern))
}

/// Tells whether a capability lets a built-in tool be called, also under a name it had before.
fn calls(capability: &Capability, builtin: Builtin) -> bool {
    let exact = format!("rye.execute.tool.{}", builtin.id().replace('/', "."));
    overlaps(capability, &exact) || executes(capability, builtin.id())
}

/// Tells whether a capability lets other tools be called than those of the program.
fn runs_scripts(capability: &Capability) -> bool {
    overlaps(capability, "rye.execute.tool.*") && !capability.to_string().starts_with("rye.execute.tool.rye.")
}

fn executes(capability: &Capability, id: &str) -> bool {
    let call = |id: ItemId| capability.covers(&Call::on(Primary::Execute, ItemType::Tool, id));
    id.parse().is_ok_and(call)
}

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
            ("rye.execute.tool.q*", Risk::Write),
            ("rye.execute.tool.demo.one", Risk::Write),
            ("rye.*.tool.demo.one", Risk::Elevated),
            ("rye.execute.tool.r*", Risk::Elevated),
            ("rye.execute.tool.rye.she??.docker", Risk::Elevated),
            ("rye.execute.tool.*.docker", Risk::Elevated),
            ("rye.execute.tool.rye.registry.publish", Risk::Elevated),
            ("rye.sign.knowledge.demo.one", Risk::Elevated),
            ("rye.*.knowledge.demo.one", Risk::Elevated),
            ("rye.execute.tool.rye.file-system.*", Risk::Write),
            ("rye.execute.tool.rye.file-system.fs_*", Risk::Write),
            ("rye.execute.tool.rye.file-system.read", Risk::Safe),
            ("rye.execute.tool.rye.git.*", Risk::Safe),
            ("rye.execute.tool.rye.test.run", Risk::Write),
            ("rye.execute.directive.*", Risk::Safe),
            ("rye.search.*", Risk::Safe),
            ("rye.load.tool.rye.shell.*", Risk::Safe),
        ] {
            assert_eq!(Risk::of(&pattern.parse().unwrap()), risk, "{pattern}");
        }
    }
}
