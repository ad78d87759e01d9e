//! What items are once they are read: directives, tools, knowledge, skills, and the small values they hold.
//!
//! Pure typed data. Reading them from text is `format`'s part; nothing here looks at a file, a clock or a key.
//! Docs: docs/formats.md, sections 2 and 3.

mod assess;
mod builtin;
mod condition;
mod context;
mod directive;
mod files;
mod hook;
mod hook_event;
mod input;
mod knowledge;
mod limits;
mod links;
mod money;
mod needs;
mod offered_schema;
mod person_grant;
mod process;
mod provider;
mod rates;
mod risk;
mod skill;
mod takes;
mod tool;

use serde::Serialize;

use crate::id::ItemType;

pub use builtin::{Builtin, FileTool, Parameter, Touch};
pub use condition::{Condition, Expression, Function, Operator, Variables};
pub use context::{ContextPosition, DirectiveContext, ProjectFiles};
pub use directive::{Acknowledge, Directive, Messages, Model, Output};
pub use files::{FileEntry, ItemFiles};
pub use hook::{Hook, HookAction};
pub use hook_event::{HookEvent, HookEventError};
pub use input::{Input, InputError, InputKind, InputKindError, Inputs, resolve, typed};
pub use knowledge::Knowledge;
pub use limits::{Cost, CurrencyMismatch, Limits, Usage};
pub use links::{Graph, Known, Link, LinkKind, Node, Target, normal};
pub use money::{Money, MoneyError};
pub use needs::{Named, meant};
pub use person_grant::{GrantFlags, PersonGrant, PersonGrantError, TASK};
pub use process::{Action, OnError, Step};
pub use provider::{Auth, Billed, ModelSizes, Price, ProviderDocument, Reach, Retry};
pub use rates::Rates;
pub use risk::{Risk, RiskError};
pub use skill::{
    ATTRIBUTES, AttributesFile, EntryKind, MOST_ATTRIBUTE_BYTES, MOST_BYTES, MOST_DEPTH, MOST_FILE_BYTES, MOST_FILES,
    SKILL_FILE, SkillAttributes, SkillContent, SkillEntry, SkillFault, SkillFile, SkillFolder, SkillManifest,
    attributes_line, files_digest, is_code_name, is_dependency, is_environment, is_git_folder, is_script_name,
    is_skill_name, is_taken_for_attributes, is_unchecked_bytecode, keeping_lines, python_source, resolve_link,
    unusable_path,
};
pub use takes::Takes;
pub use tool::{Companion, CompanionPath, CompanionPathError, Tool};

/// An item of any type, read from its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Item {
    /// A workflow.
    Directive(Box<Directive>),
    /// Something that runs.
    Tool(Box<Tool>),
    /// Something to know.
    Knowledge(Box<Knowledge>),
    /// A folder of instructions and scripts.
    Skill(Box<SkillManifest>),
}

impl Item {
    /// Returns the type of this item.
    #[must_use]
    pub const fn item_type(&self) -> ItemType {
        match self {
            Self::Directive(_) => ItemType::Directive,
            Self::Tool(_) => ItemType::Tool,
            Self::Knowledge(_) => ItemType::Knowledge,
            Self::Skill(_) => ItemType::Skill,
        }
    }

    /// Returns the version the item declares, when it declares one that is a version.
    #[must_use]
    pub fn version(&self) -> Option<crate::id::Version> {
        match self {
            Self::Directive(directive) => Some(directive.version),
            Self::Tool(tool) => tool.version,
            Self::Knowledge(knowledge) => Some(knowledge.version),
            Self::Skill(manifest) => manifest.version,
        }
    }

    /// Returns one line that says what the item is for; empty when it says nothing.
    #[must_use]
    pub fn summary(&self) -> &str {
        match self {
            Self::Directive(directive) => &directive.description,
            Self::Tool(tool) => &tool.description,
            Self::Knowledge(knowledge) => &knowledge.title,
            // A skill's description is in its folder.
            Self::Skill(_) => "",
        }
    }
}
