//! `rye outdated`

use clap::Args;

use crate::cli::args;
use crate::cli::commands::git_terminal;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::Space;
use crate::ops::pull::outdated;
use crate::process::{self, CancelFlag};
use crate::session::Session;

/// List pulled items that have a newer version
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye outdated
  rye outdated --space user
  rye outdated --json")]
pub(in crate::cli) struct OutdatedArgs {
    /// The space to look at
    #[arg(long, value_name = "SPACE", value_parser = args::writable_space(), default_value = "project")]
    space: Space,

    /// Use the last fetched state, without network
    #[arg(long)]
    offline: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &OutdatedArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let outcome = outdated(&session, args.space, args.offline, git_terminal(output))?;
    output.outcome(&outcome, |page| text::registry::write_outdated(page, &outcome))?;
    if outcome.items.is_empty() && outcome.skills.is_empty() {
        output.note("nothing was pulled yet");
    }
    Ok(Exit::Done)
}
