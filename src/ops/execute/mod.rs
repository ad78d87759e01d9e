//! `execute`: follow a directive, run a tool, take in knowledge — only ever from a verified item.
//!
//! A directive is never run as a thread here: executing one returns the instructions to follow now. With `dry_run`
//! everything happens but the effect.

mod bounds;
mod builtin;
mod directive;
mod knowledge;
mod tool;

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use super::extends;
use super::locate::{Checked, LocateError, Located, Purpose, Session};
use crate::format::schema::SchemaFault;
use crate::format::template::TemplateError;
use crate::format::{Finding, Profile};
use crate::id::{ItemId, ItemType};
use crate::item::{self, CompanionPath, InputError, Item};
use crate::plugin;
use crate::process;
use crate::trust::{Signed, Verified};
use crate::workspace;

pub use bounds::Bounds;
pub use directive::{DirectiveOutcome, RenderedAction, RenderedStep, render};
pub use knowledge::KnowledgeOutcome;
use tool::ToolRun;
pub use tool::{PlannedRun, ToolOutcome, ToolStatus, typed_by_schema};

/// What to execute.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The inputs or parameters.
    pub given: Given,
    /// Do all but the effect.
    pub dry_run: bool,
}

/// Inputs as they were given, before anything is known of their types.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// A whole JSON object.
    pub object: Map<String, Value>,
    /// Single values as text: each is typed by its declaration and beats the object's.
    pub pairs: Vec<(String, String)>,
}

/// What executing came to.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// Instructions to follow now.
    Directive(Box<DirectiveOutcome>),
    /// Something to know.
    Knowledge(Box<KnowledgeOutcome>),
    /// A tool's result.
    Tool(Box<ToolOutcome>),
    /// What running the tool would do.
    Planned(Box<PlannedRun>),
}

/// The outcome with what a person should be told beside it.
#[derive(Debug)]
pub struct Executed {
    /// The outcome.
    pub outcome: Outcome,
    /// Items of the same id that were passed over because the id is reserved.
    pub passed_over: Vec<std::path::PathBuf>,
    /// Warnings and advice of the item's validation.
    pub findings: Vec<Finding>,
}

/// Why an item cannot be executed.
#[derive(Debug, Error)]
pub enum Error {
    /// It cannot be found or used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// What it extends or names cannot be used.
    #[error(transparent)]
    Extends(#[from] extends::Error),
    /// Its inputs are wrong.
    #[error("the inputs of {item_type} `{item_id}` are wrong")]
    Inputs {
        /// The type.
        item_type: ItemType,
        /// The id.
        item_id: ItemId,
        /// What is wrong.
        #[source]
        source: InputError,
    },
    /// A placeholder has no value.
    #[error("the text of directive `{item_id}` cannot be filled in")]
    Template {
        /// The id.
        item_id: ItemId,
        /// What is wrong.
        #[source]
        source: TemplateError,
    },
    /// A tool's parameters do not fit its schema.
    #[error("the parameters of tool `{item_id}` are wrong: {}", shown(faults))]
    Parameters {
        /// The id.
        item_id: ItemId,
        /// What is wrong, each with its place.
        faults: Vec<SchemaFault>,
    },
    /// Nothing can run the tool.
    #[error("tool `{item_id}` cannot be run: {reason}")]
    NoKind {
        /// The id.
        item_id: ItemId,
        /// Why not.
        reason: String,
    },
    /// A file that the tool needs beside it is not what its header says.
    #[error("the companion `{path}` of tool `{item_id}` is not the file its header names")]
    Companion {
        /// The id.
        item_id: ItemId,
        /// The path from the tool's folder.
        path: CompanionPath,
        /// Why it cannot be read; none when its digest is another one.
        #[source]
        source: Option<workspace::Error>,
    },
    /// A plugin failed.
    #[error("tool `{item_id}` cannot be run")]
    Plugin {
        /// The id.
        item_id: ItemId,
        /// Why not.
        #[source]
        source: plugin::Error,
    },
    /// The child process could not be run.
    #[error("tool `{item_id}` cannot be run")]
    Process {
        /// The id.
        item_id: ItemId,
        /// Why not.
        #[source]
        source: process::Error,
    },
}

impl Given {
    /// Joins both forms; `typed` reads one value's text by its declaration.
    pub fn join(&self, typed: impl Fn(&str, &str) -> Value) -> Map<String, Value> {
        let mut joined = self.object.clone();
        for (name, text) in &self.pairs {
            joined.insert(name.clone(), typed(name, text));
        }
        joined
    }

    /// Joins both forms, with single values as the text they were given as.
    #[must_use]
    pub fn as_text(&self) -> Map<String, Value> {
        self.join(|_, text| text.into())
    }
}

impl From<Map<String, Value>> for Given {
    fn from(object: Map<String, Value>) -> Self {
        Self { object, pairs: Vec::new() }
    }
}

/// Executes an item.
///
/// # Errors
///
/// Fails when the item cannot be used, its inputs are wrong, or it cannot be run at all. A tool that ran and failed is
/// an outcome.
pub fn execute(session: &Session, options: &Options, bounds: &Bounds<'_>) -> Result<Executed, Error> {
    let located = session.locate(options.item_type, &options.item_id, None, Purpose::Use)?;
    let passed_over = located.passed_over.clone();
    let verified = verified(session, located)?;
    let findings = verified.content().findings.clone();
    let outcome = match &verified.content().item {
        Item::Directive(_) => {
            let chain = extends::resolve(session, verified)?;
            let context = chain.context_items(session)?;
            Outcome::Directive(Box::new(render(&chain, context, &options.given)?))
        }
        Item::Knowledge(knowledge) => {
            // It declares none, so any is one too many.
            item::resolve(&[], &options.given.as_text()).map_err(|source| Error::Inputs {
                item_type: options.item_type,
                item_id: options.item_id.clone(),
                source,
            })?;
            Outcome::Knowledge(Box::new(KnowledgeOutcome::new(&options.item_id, knowledge)))
        }
        Item::Tool(_) => run_tool(session, verified, options, bounds)?,
    };
    Ok(Executed { outcome, passed_over, findings })
}

/// Verifies, parses and validates an item for direct use.
///
/// # Errors
///
/// As [`Session::verified`].
pub fn verified(session: &Session, located: Located) -> Result<Signed<Checked, Verified>, LocateError> {
    session.verified(located, Profile::Reference)
}

fn run_tool(
    session: &Session,
    verified: Signed<Checked, Verified>,
    options: &Options,
    bounds: &Bounds<'_>,
) -> Result<Outcome, Error> {
    let run = ToolRun::new(session, verified, &options.given)?;
    if options.dry_run {
        return Ok(Outcome::Planned(Box::new(run.plan()?)));
    }
    Ok(Outcome::Tool(Box::new(run.perform(bounds)?)))
}

fn shown(faults: &[SchemaFault]) -> String {
    let sentence = |fault: &SchemaFault| match fault.path.as_str() {
        "" => fault.message.clone(),
        path => format!("{path}: {}", fault.message),
    };
    faults.iter().map(sentence).collect::<Vec<_>>().join("; ")
}
