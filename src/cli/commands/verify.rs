//! `rye verify`

use std::path::PathBuf;

use clap::Args;

use super::tell_of_proposal;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::locate::Locator;
use crate::ops::trust;
use crate::ops::verify::{self, Status};

/// Check the signature of every item of the project
///
/// Exits with 3 when any item is unsigned, changed, signed in version 1 or by someone who is not trusted, and with 7 when there is
/// no item at all: a check of nothing is no success.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye verify
  rye verify .ai/tools demo/greet
  rye verify --rev HEAD --allowed-signers .ai/trust/allowed_signers")]
pub(in crate::cli) struct VerifyArgs {
    /// Ids, files or folders; without any, everything
    #[arg(value_name = "ID|PATH")]
    only: Vec<String>,

    /// A commit instead of the work tree
    #[arg(long)]
    rev: Option<String>,

    /// Trust the keys of this file and no others
    #[arg(long, value_name = "FILE")]
    allowed_signers: Option<PathBuf>,

    /// Judge every item anew, also those an earlier run found good
    #[arg(long)]
    no_cache: bool,
    /// Only warn of items signed in version 1, whose signatures leave much uncovered
    #[arg(long)]
    allow_legacy: bool,

    /// Exit with 0 when there is no item
    #[arg(long)]
    allow_empty: bool,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &VerifyArgs) -> Result<Exit, Error> {
    let locator = Locator::open(ctx)?;
    let options = verify::Options {
        only: args.only.clone(),
        rev: args.rev.clone(),
        allowed_signers: args.allowed_signers.clone(),
        no_cache: args.no_cache,
        allow_legacy: args.allow_legacy,
    };
    let outcome = verify::verify(&locator, &options)?;
    output.outcome(&outcome, |page| text::verify::write(page, &outcome))?;
    if options.allowed_signers.is_none()
        && let Some(state) = trust::project_state(&locator)?
    {
        tell_of_proposal(output, &state, false);
    }
    match outcome.status {
        Status::Ok => Ok(Exit::Done),
        Status::Findings => Ok(Exit::Refused),
        Status::Empty if args.allow_empty => Ok(Exit::Done),
        Status::Empty => {
            output.status(|page| text::verify::write_empty(page, &hints::SIGN_ALL.fill(&[])));
            Ok(Exit::Nothing)
        }
    }
}
