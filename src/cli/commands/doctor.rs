//! `rye doctor`

use clap::Args;

use crate::cli::doctor::{self, State};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;

/// Check the installation, and print a fix for each problem
///
/// Checks git, the project, its configuration, your keys, the trusted keys, the sandbox, providers, plugins and registries. Changes
/// nothing and uses no network. In a pipe, each line has state, part, finding and fix, separated by tabs. Exits with 1 if a part needs a
/// fix.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye doctor
  rye doctor --json")]
pub(in crate::cli) struct DoctorArgs {}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, _: &DoctorArgs) -> Result<Exit, Error> {
    let outcome = doctor::examine(ctx);
    output.outcome(&outcome, |page| text::doctor::write(page, &outcome))?;
    if output.is_on_terminal() && !output.is_json() {
        output.status(|page| text::doctor::write_fixes(page, &outcome));
    }
    Ok(match outcome.status {
        State::Ok | State::Note => Exit::Done,
        State::Problem => Exit::Failed,
    })
}
