//! `rye status`

use clap::Args;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::status::StatusOutcome;
use crate::cli::text;
use crate::context::Context;
use crate::ops::locate::Session;

/// Show what waits for you: items to sign or commit, keys to decide about, threads to take up again
///
/// In a pipe, a line holds what waits, its kind, its name and where it is, separated by tabs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye status
  rye status --json")]
pub(in crate::cli) struct StatusArgs {}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, _: &StatusArgs) -> Result<Exit, Error> {
    let outcome = StatusOutcome::of(&Session::open(ctx)?)?;
    output.outcome(&outcome, |page| text::status::write(page, &outcome))?;
    for hint in text::status::hints(&outcome) {
        output.note(&hint);
    }
    if outcome.is_empty() {
        output.note("nothing waits for you");
    }
    Ok(Exit::Done)
}
