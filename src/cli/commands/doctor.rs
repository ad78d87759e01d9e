//! `rye doctor`

use clap::Args;

use crate::cli::doctor::{self, State};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;

/// Look at what rye needs here, and say how to mend what is missing
///
/// Looks at git, the project, its configuration, your keys, whom you trust, the sandbox, providers, plugins and registries. Changes nothing and reaches
/// no network. In a pipe, a line holds state, part, what was found and what helps, separated by tabs. Exits with 1 where something has to be mended.
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
