//! Skills as text: the manifest that is signed, and the `SKILL.md` that the public format asks for.

mod change;
mod document;
mod faults;
mod manifest;
mod tools;

pub use change::{FileChange, SkillChange, SkillFiles};
pub use document::{SkillDocument, document, front_matter_fields};
pub use faults::{SKILL_RULES, fault_finding, fault_hint, ignored_finding, stray_hint};
pub use manifest::manifest_text;
pub(super) use manifest::read;
pub(super) use tools::{entries as allowed_entries, is_wide as is_wide_tool};
