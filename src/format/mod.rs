//! Items as text: reading them, and every finding about how they are written.
//!
//! The only door to XML, CommonMark, YAML, CEL, JSON Schema and text diffs. Nothing here panics or takes more than
//! linear time, whatever the text; nothing that is read is dropped silently: the unknown, and what this version does
//! not interpret, is a finding. Formats: docs/formats.md, sections 2 and 3.

mod budget;
mod calls;
mod capabilities;
mod comments;
mod companions;
pub mod condition;
mod constants;
mod context;
mod declarations;
mod diff;
mod directive;
mod elements;
mod fence;
mod grants;
mod header;
mod hooks;
mod knowledge;
mod legacy;
mod links;
mod literal;
mod markdown;
mod migrate;
mod parse;
mod permissions;
mod placeholders;
mod practice;
mod process;
mod prose;
mod provider;
mod pure_xml;
mod relations;
pub mod rules;
pub mod schema;
mod span;
mod tags;
pub mod template;
mod tool;
mod trust_pin;
mod trust_policy;
mod validate;
mod xml;
mod yaml;

pub use capabilities::{CapabilityDocument, capabilities};
pub use diff::unified_diff;
pub use grants::grants;
pub use links::{findings as link_findings, links};
pub use migrate::{Migration, Remark, Renames, Scope, migrate, migrate_document, snake_id};
pub use parse::{MOST_BYTES, Parsed, parse, parse_bytes};
pub use permissions::{Grant, Granted, print_permissions};
pub use provider::{ProviderError, provider};
pub use relations::{Relation, relations};
pub use rules::Rule;
pub use span::{Finding, Position, Severity, Span, excerpt, has_errors};
pub use trust_pin::{trust_pin, trust_pin_text};
pub use trust_policy::trust_policy;
pub use validate::{Accepted, Profile, accept, validate};

use parse::Anchors;
