//! `execute`: follow a directive, run a tool, take in knowledge — only ever from a verified item.
//!
//! A directive is never run as a thread here: executing one returns the instructions to follow now. With `dry_run`
//! everything happens but the effect.

mod bounds;
mod builtin;
mod confinement;
mod directive;
mod error;
mod file_system;
mod git_command;
mod hosts;
mod http;
mod in_project;
mod inputs;
mod knowledge;
mod mcp;
mod page_text;
mod patch;
mod reason;
mod said;
mod script;
mod set_up;
mod shared_folders;
mod shell;
mod skill;
mod start;
mod status;
mod tool;
mod tool_chains;
mod tree_set_up;
mod web;

use serde::Serialize;

use super::extends;
use super::locate::{Checked, LocateError, Located, Purpose};
use crate::format::schema::SchemaFault;
use crate::format::{Finding, Profile};
use crate::id::{ItemId, ItemType};
use crate::item::{self, Item};
use crate::project::Project;
use crate::session::Session;
use crate::trust::{Signed, Verified};

pub use crate::workspace::{CopiedBack, NotCopied};
pub use bounds::{Bounds, Registries};
pub use confinement::check_sandbox;
pub use directive::{DirectiveOutcome, RenderedAction, RenderedStep, render};
pub use error::Error;
pub(crate) use file_system::holds_private_key;
pub use inputs::{Given, as_run, takes_of_builtin};
pub use knowledge::KnowledgeOutcome;
pub use reason::reason_of as failure_reason;
pub use shared_folders::{NewTree, NotShared, SharedFolder, share};
pub use skill::{SkillFileOutcome, SkillOutcome};
pub use status::ToolStatus;
use tool::ToolRun;
pub use tool::{PlannedRequest, PlannedRun, ToolOutcome};
pub use tree_set_up::{SetUpBase, TreeSetUp};

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

/// What executing came to.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// Instructions to follow now.
    Directive(Box<DirectiveOutcome>),
    /// Something to know.
    Knowledge(Box<KnowledgeOutcome>),
    /// A skill to follow.
    Skill(Box<SkillOutcome>),
    /// A tool's result.
    Tool(Box<ToolOutcome>),
    /// What running the tool would do.
    Planned(Box<PlannedRun>),
}

/// The outcome with notes for the person.
#[derive(Debug)]
pub struct Executed {
    /// The outcome.
    pub outcome: Outcome,
    /// Items of the same id that were passed over because the id is reserved.
    pub passed_over: Vec<std::path::PathBuf>,
    /// Warnings and advice of the item's validation.
    pub findings: Vec<Finding>,
}

/// Executes an item.
///
/// # Errors
///
/// Fails when the item cannot be used, its inputs are wrong, or it cannot be run at all. A tool that ran and failed is
/// an outcome.
pub fn execute(session: &Session, options: &Options, bounds: &Bounds<'_>) -> Result<Executed, Error> {
    let project = session.project();
    let options = &meant(options)?;
    let located = project.locate(options.item_type, &options.item_id, None, Purpose::Use);
    let located = located.map_err(|error| project.of_unsigned_skill(error))?;
    let passed_over = located.passed_over.clone();
    let verified = verified(project, located)?;
    let mut findings = verified.content().findings.clone();
    let outcome = match &verified.content().item {
        Item::Directive(_) => {
            let chain = extends::resolve(project, verified)?;
            let context = chain.context_items(project)?;
            Outcome::Directive(Box::new(render(&chain, context, &options.given)?))
        }
        Item::Knowledge(knowledge) => {
            no_inputs(options)?;
            Outcome::Knowledge(Box::new(KnowledgeOutcome::new(&options.item_id, knowledge)))
        }
        Item::Skill(_) => {
            no_inputs(options)?;
            let skill = project.verified_skill(&verified)?;
            findings.extend(skill.findings.iter().cloned());
            Outcome::Skill(Box::new(SkillOutcome::new(&options.item_id, verified.content().space, skill)))
        }
        Item::Tool(_) => run_tool(session, verified, options, bounds)?,
    };
    Ok(Executed { outcome, passed_over, findings })
}

/// Makes sure that nothing is given to what declares no inputs.
fn no_inputs(options: &Options) -> Result<(), Error> {
    item::resolve(&[], &options.given.as_text()).map(drop).map_err(|source| Error::Inputs {
        item_type: options.item_type,
        item_id: options.item_id.clone(),
        takes: Vec::new(),
        source,
    })
}

/// Takes a call of a program's own id as one of the tool that runs programs.
fn meant(options: &Options) -> Result<Options, Error> {
    match options.item_type {
        ItemType::Directive | ItemType::Knowledge | ItemType::Skill => Ok(options.clone()),
        ItemType::Tool => {
            let Options { item_type, item_id, given, dry_run } = options.clone();
            let wrong = |message| Error::Parameters {
                item_id: item_id.clone(),
                faults: vec![SchemaFault { path: String::new(), message }],
                takes: takes_of_builtin(&item_id),
            };
            let (item_id, given) = as_run(item_id.clone(), given).map_err(wrong)?;
            Ok(Options { item_type, item_id, given, dry_run })
        }
    }
}

/// Verifies, parses and validates an item for direct use.
///
/// # Errors
///
/// As [`Project::verified`].
pub fn verified(project: &Project, located: Located) -> Result<Signed<Checked, Verified>, LocateError> {
    project.verified(located, Profile::Reference)
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
