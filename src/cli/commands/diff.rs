//! `rye diff`

use clap::Args;

use super::tell_of_left_out;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::ItemType;
use crate::ops::diff::{self, Options};
use crate::project::Project;

/// Show changes of items since they were signed
///
/// Compares with the newest version in the history of HEAD whose signature fits. Without an id, shows every changed item of the project,
/// and the files that differ from the signed list of agent files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye diff
  rye diff deploy/staging
  rye diff deploy/staging --json")]
pub(in crate::cli) struct DiffArgs {
    /// The item's id, or the path of its file
    #[arg(value_name = "ID")]
    item_id: Option<args::Named>,

    /// The type of item, if several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &DiffArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let item_id = args.item_id.as_ref().map(|named| named.id(&project, args.item_type)).transpose()?;
    let options = Options { item_id, item_type: args.item_type };
    let outcome = diff::diff(&project, &options)?;
    output.outcome(&outcome, |page| text::diff::write(page, &outcome))?;
    for item in &outcome.items {
        output.note(&text::diff::sentence(item));
    }
    for file in &outcome.agent_files {
        output.note(&text::diff::agent_file(file));
    }
    if outcome.items.is_empty() && outcome.agent_files.is_empty() {
        output.note("nothing changed since it was signed");
    }
    if args.item_id.is_none() {
        tell_of_left_out(output, &project)?;
    }
    Ok(Exit::Done)
}
