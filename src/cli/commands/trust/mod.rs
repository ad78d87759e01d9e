//! `rye trust`: adding keys, proposing and accepting what a project trusts, and `edit`, the changes of a key that is known.

mod accept;
mod add;
mod edit;
mod propose;

use clap::Subcommand;

use self::accept::AcceptArgs;
use self::add::AddArgs;
use self::edit::{RemoveArgs, RetireArgs, RevokeArgs};
use self::propose::ProposeArgs;
use crate::cli::commands::tell_of_proposal;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::decisions::{self, ListOutcome};
use crate::project::Project;

/// Manage whom you trust
///
/// Your own configuration stores whom you trust. The trust files of a project have no effect until you accept them, and then for that
/// project only.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye trust list
  rye trust add ~/.ssh/id_ed25519.pub
  rye trust accept")]
pub(in crate::cli) enum TrustCommand {
    /// List trusted keys, their uses, and the files that name them
    #[command(after_help = "Examples:\n  rye trust list\n  rye trust list --json")]
    List,
    Add(AddArgs),
    Propose(ProposeArgs),
    Accept(AcceptArgs),
    Retire(RetireArgs),
    Revoke(RevokeArgs),
    Remove(RemoveArgs),
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &TrustCommand) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    match command {
        TrustCommand::List => {
            project.keys().warnings().iter().for_each(|warning| output.warn(&text::one_line(warning)));
            list(output, &decisions::list(&project)?)?;
        }
        TrustCommand::Add(args) => add::run(output, &project, args)?,
        TrustCommand::Propose(args) => propose::run(ctx, output, &project, args)?,
        TrustCommand::Accept(args) => accept::run(ctx, output, &project, args)?,
        TrustCommand::Retire(args) => edit::retire(output, &project, args)?,
        TrustCommand::Revoke(args) => edit::revoke(output, &project, args)?,
        TrustCommand::Remove(args) => edit::remove(output, &project, args)?,
    }
    Ok(Exit::Done)
}

fn list(output: &mut Output, outcome: &ListOutcome) -> Result<(), Error> {
    output.outcome(outcome, |page| text::trust::write_list(page, outcome))?;
    if outcome.keys.is_empty() {
        output.note("no key is trusted yet");
    }
    if let Some(project) = &outcome.project {
        tell_of_proposal(output, project, true);
    }
    if outcome.git_allowed_signers.exists() {
        output.note(&text::trust::git_commands(outcome));
    }
    Ok(())
}
