//! `rye notes`

use clap::{Args, Subcommand};

use super::git_terminal;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::notes::{self, Outcome};
use crate::process::{self, CancelFlag};
use crate::project::Project;

/// Manage signatures in git notes
///
/// Git notes in `refs/notes/rye` record the signers of each item on its blob, and a line per item on commits. Plain `git push` and `git
/// fetch` do not share them.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye notes sync
  git log --notes=rye")]
pub(in crate::cli) enum NotesCommand {
    Sync(SyncArgs),
}

/// Share notes with a remote
///
/// Fetches its notes, merges them with yours without losing a line, and pushes the result without force. Starts again if another push came
/// first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye notes sync
  rye notes sync upstream")]
pub(in crate::cli) struct SyncArgs {
    /// The remote (default: that of the current branch, the only one, or `origin`)
    #[arg(value_name = "REMOTE", value_parser = args::name())]
    remote: Option<String>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &NotesCommand) -> Result<Exit, Error> {
    let NotesCommand::Sync(args) = command;
    let terminal = git_terminal(output);
    let project = Project::open(ctx)?;
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let outcome = notes::sync(&project, &notes::Options { remote: args.remote.clone(), terminal })?;
    output.outcome(&outcome, |_| ())?;
    output.note(&sentence(&outcome));
    Ok(Exit::Done)
}

fn sentence(outcome: &Outcome) -> String {
    let remote = &outcome.remote;
    match (&outcome.commit_id, outcome.received, outcome.sent) {
        (None, ..) => format!("neither `{remote}` nor this repository has notes"),
        (_, true, true) => format!("received notes of `{remote}`, and sent yours"),
        (_, true, false) => format!("received notes of `{remote}`"),
        (_, false, true) => format!("sent notes to `{remote}`"),
        (_, false, false) => format!("`{remote}` has the same notes"),
    }
}
