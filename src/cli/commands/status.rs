//! `rye status`

use clap::Args;

use super::tell_of_left_out;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::status::StatusOutcome;
use crate::cli::text;
use crate::context::Context;
use crate::session::Session;

/// Show pending work: items to sign or commit, keys to accept, threads to resume or accept
///
/// Lists threads that run, that were interrupted, cancelled or failed, and completed ones whose changes are not accepted yet.
///
/// In a pipe, each line has the state, kind, name and place of one entry, separated by tabs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye status
  rye status --json")]
pub(in crate::cli) struct StatusArgs {}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, _: &StatusArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let outcome = StatusOutcome::of(&session)?;
    output.outcome(&outcome, |page| text::status::write(page, &outcome))?;
    for hint in text::status::hints(&outcome) {
        output.note(&hint);
    }
    if outcome.is_empty() {
        output.note(match outcome.has_items {
            true => "nothing to do",
            false => "this project has no items yet; run `rye new directive demo/hello` to write one",
        });
    }
    tell_of_left_out(output, session.project())?;
    Ok(Exit::Done)
}
