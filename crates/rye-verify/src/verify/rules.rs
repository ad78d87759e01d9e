//! The rules of a verification in one line each, for programs that show them with findings.
//!
//! Their full meaning is in docs/formats.md, section 4; the ids themselves are given by the faults in `trust`.

use crate::format::rules::{NOT_AN_ITEM, SKILL_MANIFEST, UNUSABLE_ITEM};
use crate::format::{Rule, SKILL_RULES, Severity};

/// The rule of an item whose bytes attributes change.
pub(super) const CHANGED_BY_ATTRIBUTES: &str = "RYE-S015";

/// Every rule that a finding of a verification may name, those about skills last.
#[must_use]
pub fn rules() -> Vec<Rule> {
    RULES.iter().chain([&SKILL_MANIFEST]).chain(SKILL_RULES).copied().collect()
}

/// The rules about items, commits and trust files, in the order of the ids.
pub const RULES: &[Rule] = &[
    rule("RYE-S001", "An item is signed."),
    rule("RYE-S002", "A signature line is written as the format says."),
    rule("RYE-S003", "An item has one signature line."),
    rule("RYE-S004", "An item is unchanged since it was signed."),
    rule("RYE-S005", "A signature fits the item's type, id, extension and time."),
    rule("RYE-S006", "An item is signed by a key that is trusted."),
    rule("RYE-S007", "An item is signed by a person."),
    rule("RYE-S008", "A key signs only while it is valid."),
    rule("RYE-S009", "An item is signed in version 2."),
    rule("RYE-S010", "An item is signed by a key that is not revoked."),
    rule("RYE-S011", "An item is not older than what the trust root has in its place, or than its removal there."),
    rule("RYE-S012", "An item is signed by as many people as the policy demands."),
    rule("RYE-S013", "An item that is removed lets no other one take effect."),
    rule("RYE-S014", "An item signed in version 2 stays so."),
    rule(CHANGED_BY_ATTRIBUTES, "No attributes of git change the bytes of an item in a checkout."),
    NOT_AN_ITEM,
    UNUSABLE_ITEM,
    rule("RYE-C001", "A commit is signed."),
    rule("RYE-C002", "A commit's signature is a single one, well-formed and of a known kind."),
    rule("RYE-C003", "A commit's signature fits the commit."),
    rule("RYE-C004", "A commit is signed by a key that is trusted for commits."),
    rule("RYE-C005", "A commit is signed by a key that was valid when it was made."),
    rule("RYE-C006", "A commit is signed by a key that is not revoked."),
    Rule { id: "RYE-C007", severity: Severity::Warning, summary: "A commit is signed by its author." },
    rule("RYE-C008", "A commit's signature is of a kind that is judged."),
    rule("RYE-C009", "A commit that a forge signed merges verified commits into a verified one."),
    rule("RYE-G001", "A file that instructs an agent is in the signed list of these files, once there is a list."),
    rule("RYE-G002", "A file that instructs an agent is unchanged since the list was signed."),
    rule("RYE-G003", "A file of the list exists."),
    rule("RYE-G004", "The list of agent files is written as the format says, and its signature fits."),
    rule("RYE-G005", "The list of agent files is not removed."),
    rule("RYE-G006", "The list of agent files is not older than what came before it."),
    rule("RYE-G007", "A link that instructs an agent leads to files of the project."),
    rule("RYE-M001", "Trust files have a manifest."),
    rule("RYE-M002", "The manifest is written as the format says."),
    rule("RYE-M003", "Every trust file can be read in full."),
    rule("RYE-M004", "Every trust file is the one that the manifest names."),
    rule("RYE-M005", "Every signature of the manifest fits."),
    rule("RYE-M006", "Enough roots signed the manifest."),
    rule("RYE-M007", "No revoked root is needed for the manifest."),
    rule("RYE-M008", "The version of trust files grows with each change."),
    rule("RYE-M009", "Trust files are not signed earlier than those before."),
    rule("RYE-M010", "A change of trust files is announced by a manifest."),
    rule("RYE-M011", "Trust files that are changed had a manifest before."),
    rule("RYE-M012", "A manifest covers the project's configuration."),
    rule("RYE-M013", "A manifest was signed for this project."),
];

const fn rule(id: &'static str, summary: &'static str) -> Rule {
    Rule { id, severity: Severity::Error, summary }
}
