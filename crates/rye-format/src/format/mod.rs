//! Items as text: reading them, and every finding about how they are written.
//!
//! The only door to XML, CommonMark, YAML, CEL, JSON Schema and text diffs. Nothing here panics or takes more than
//! linear time, whatever the text; nothing is dropped silently: unknown parts, and parts that this version does not
//! interpret, are findings. Formats: docs/formats.md, sections 2 and 3.

mod agent_files;
mod anchors;
mod command;
mod diff;
mod directive;
pub mod event_text;
mod header;
mod hidden;
mod knowledge;
mod migrate;
mod no_effect;
mod parse;
pub mod plugin_manifest;
mod prose;
pub mod registry_files;
mod rename;
pub mod rules;
pub mod schema;
mod skill;
mod span;
mod syntax;
mod tool;
mod trust_files;
mod validate;

pub use agent_files::{
    AGENT_FILES, AgentFile, AgentFileKind, AgentFileList, AgentFilesError, MAX_AGENT_FILES_BYTES, SignedAgentFiles,
};
pub use command::{CommandDraft, CommandForm, SlashCommand, command_draft, slash_command};
pub use diff::{aligned, bounded_diff, changed_lines, unified_diff};
pub use directive::permissions::{CapabilityDocument, Grant, Granted, capabilities, grants, print_permissions};
pub use directive::{Mention, Relation, condition, mentions, relations, step_results, template};
pub use hidden::reveal;
pub use knowledge::{link_findings, links};
pub use migrate::{Migration, Remark, Renames, Scope, migrate, migrate_document, snake_id};
pub use parse::{MOST_BYTES, Parsed, parse, parse_bytes, skill_manifest};
pub use prose::{Prose, Shape, prose};
pub use rename::{Reference, Renamed, own_id, references, rename};
pub use rules::{Rule, Severity};
pub use skill::{
    FileChange, SKILL_RULES, SkillChange, SkillDocument, SkillFiles, document as skill_document, fault_finding,
    fault_hint, front_matter_fields as skill_fields, ignored_finding, manifest_text, stray_hint,
};
pub use span::{Finding, Position, Span, excerpt, has_errors};
pub use tool::{
    ProviderError, keys_for_model, knows_no_reasoning, leave_out_of_params, model_text, provider, reasoning_fields,
};
pub use trust_files::{trust_pin, trust_pin_text, trust_policy};
pub use validate::{Accepted, Profile, accept, validate};

use anchors::Anchors;
