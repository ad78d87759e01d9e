//! `rye thread run`

use std::path::PathBuf;

use clap::Args;

use super::options::{FormatArgs, LimitArgs, ModelArgs, PatienceArgs, watched};
use crate::cli::args;
use crate::cli::commands::warn_of_caller;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::given::InputArgs;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::ItemType;
use crate::ops::permissions::Caller;
use crate::session::Session;
use crate::thread::{self, RunOptions};

/// Run a directive as a thread
///
/// The directive runs under the permissions and limits it declares; permissions and limits given here only narrow them. Its tools work in a
/// private work tree of the last commit, with the items of `.ai/` as they are in yours. Their changes are on the thread's branch. Exits
/// with 4 when a required call of a step was denied, with 5 when a limit or a signal stopped the thread, and with 6 when the provider
/// failed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread run rye/guides/first_thread
  rye thread run rye/guides/first_thread -i topic=permissions
  rye thread run demo/triage --permissions readonly.yaml
  rye thread run demo/triage --limit turns=4 --limit spend=0.05 --json
  rye thread run demo/triage --format jsonl | jq -r 'select(.type == \"assistant_text\").data.text'")]
pub(in crate::cli) struct RunArgs {
    /// The directive's id, or the path of its file
    #[arg(value_name = "DIRECTIVE")]
    directive: args::Named,

    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    asked: ModelArgs,

    /// Also restrict calls to this capability document
    #[arg(long, value_name = "FILE")]
    permissions: Option<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    patience: PatienceArgs,

    /// Begin with your uncommitted changes and untracked files, as the thread's first commit
    #[arg(long)]
    with_changes: bool,

    /// Work in your own work tree: files with uncommitted changes are not written
    #[arg(long, conflicts_with = "with_changes")]
    in_place: bool,

    #[command(flatten)]
    output: FormatArgs,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &RunArgs) -> Result<Exit, Error> {
    // Inputs may come from stdin, where Ctrl-C ends the program.
    let given = args.inputs.read(ctx)?;
    let caller = args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?;
    warn_of_caller(output, caller.as_ref());
    let options = |session: &Session, _: &mut Output| {
        Ok(RunOptions {
            directive: args.directive.id(session.project(), Some(ItemType::Directive))?,
            given,
            provider: args.asked.provider.clone(),
            model: args.asked.model.clone(),
            script: args.asked.script.clone(),
            limits: args.limits.joined(),
            patience: args.patience.patience,
            caller,
            granted: None,
            with_changes: args.with_changes,
            rerun_of: None,
            words_of: None,
            in_place: args.in_place,
        })
    };
    watched(ctx, output, &args.output, options, thread::run)
}
