//! `rye registry checkpoint`

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::git_terminal;
use crate::cli::error::Error;
use crate::cli::output::Output;
use crate::cli::text;
use crate::id::Segment;
use crate::ops::registries;
use crate::session::Session;

/// Show the checkpoint of a registry, or compare it with another person's
///
/// Prints the signed checkpoint: the number of lines and the root of the tree over them. A host could show each person a different history;
/// comparing checkpoints reveals it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye registry checkpoint team
  rye registry checkpoint team --compare bobs.checkpoint")]
pub(in crate::cli) struct CheckpointArgs {
    /// Your name for it (default: the only one)
    #[arg(value_name = "NAME")]
    name: Option<Segment>,

    /// A file with the other person's checkpoint
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

pub(super) fn run(output: &mut Output, session: &Session, args: &CheckpointArgs) -> Result<(), Error> {
    let terminal = git_terminal(output);
    let outcome = registries::checkpoint(session, args.name.as_ref(), args.compare.as_deref(), terminal)?;
    output.outcome(&outcome, |page| text::registry::write_checkpoint(page, &outcome))?;
    if let Some(size) = outcome.compared {
        output.note(&format!("the registry `{}` continues that checkpoint of {size} lines", outcome.registry));
    }
    Ok(())
}
