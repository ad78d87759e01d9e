//! `rye thread rerun`

use std::path::PathBuf;

use clap::Args;

use super::options::{FormatArgs, LimitArgs, ModelArgs, PatienceArgs, watched};
use crate::cli::args;
use crate::cli::commands::warn_of_caller;
use crate::cli::consent;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::ops::execute::Given;
use crate::ops::permissions::Caller;
use crate::session::Session;
use crate::thread::{self, RunOptions, Verb};

/// Run the directive of a thread again, with the same inputs
///
/// Runs live, as a new thread: today's directive, tools and knowledge, on the last commit. Provider and model are the
/// recorded ones, unless others are given. The caller's permissions of the old thread (`--permissions`) still narrow
/// it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread rerun @latest
  rye thread rerun @latest --limit turns=4 --json
  rye thread diff first_thread-20260317-014108-aaaqea77 @latest")]
pub(in crate::cli) struct RerunArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

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

    #[command(flatten)]
    output: FormatArgs,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &RerunArgs) -> Result<Exit, Error> {
    let options = |session: &Session, output: &mut Output| {
        let name = thread::find_for(session, &args.thread, Verb::Rerun)?;
        let given = RunOptions {
            // The record names it.
            directive: thread::show(session, &name)?.directive,
            given: Given::default(),
            provider: args.asked.provider.clone(),
            model: args.asked.model.clone(),
            script: args.asked.script.clone(),
            limits: args.limits.joined(),
            patience: args.patience.patience,
            caller: args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?,
            granted: None,
            with_changes: args.with_changes,
            rerun_of: None,
            words_of: None,
            in_place: false,
        };
        warn_of_caller(output, given.caller.as_ref());
        let options = thread::rerun_options(session, &name, given)?;
        consent::to_grant(ctx, output, options.granted.as_ref())?;
        Ok(options)
    };
    watched(ctx, output, &args.output, options, thread::run)
}
