//! What a directive may do: capabilities, sets of them, path rules, and the signed tokens that carry them.
//!
//! A capability is `rye.<primary>.<item type>.<id with / as .>`, a pattern over such names (docs/formats.md, section
//! 2). Nothing declared, nothing allowed. A set only ever narrows: a chain of sets allows only what *every* one of them
//! allows, unless a person's own policy forbids it.

mod agent_file;
pub mod aliases;
mod call;
mod code_place;
mod folding;
mod following;
mod git_names;
mod glyph;
mod grant;
mod hosts;
pub mod path_patterns;
mod paths;
mod pattern;
mod place_table;
mod policy;
pub mod programs;
pub mod raw_name;
mod reach;
mod set;
pub mod shell;
mod skill_folder;
mod standpoint;
mod token;

pub use agent_file::AgentFiles;
pub use call::{Call, Primary, PrimaryError};
pub use code_place::{LONGEST_PLACE, is_code_place, leads_to_code_place};
pub use folding::{folded, is_ignorable, is_taken_for, short_stem};
pub use following::Following;
pub use git_names::GitNames;
pub use glyph::Glyphs;
pub use grant::{Authority, Grant, OfHook};
pub use hosts::{HostRule, HostRuleError, HostRules, NamedBy};
pub use paths::{Access, PathRules, PathRulesError, ProjectPath, ProjectPathError};
pub use pattern::{ALWAYS_ASKED, Capability, CapabilityError};
pub use place_table::{PLACE_TABLE, PlaceGroup, PlaceRole};
pub use policy::{Consent, Policy};
pub use reach::{Reach, outermost, reach};
pub use set::{Capabilities, Denial, check_path, check_path_from};
pub use skill_folder::{TableFolder, leads_to_skills, skill_agents, skill_folder_of, skill_folders, skill_folders_at};
pub use standpoint::Standpoint;
pub use token::{Claims, Token, TokenChain, TokenDirective, TokenError};
