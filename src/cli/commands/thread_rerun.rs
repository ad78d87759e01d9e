//! `rye thread rerun`

use std::path::PathBuf;

use clap::Args;

use super::thread_progress::{FORMATS, Progress};
use super::{limit, warn_of_caller};
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::ItemId;
use crate::ops::execute::Given;
use crate::ops::locate::Session;
use crate::ops::permissions::Caller;
use crate::process::{self, CancelFlag};
use crate::thread::{self, RunOptions};

/// Run the directive of a thread again, with the same inputs
///
/// Runs live, as a new thread: today's directive, tools and knowledge, on the last commit. Provider and model are the
/// recorded ones, unless others are given. What a caller allowed the old thread (`--permissions`) still narrows it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread rerun @latest
  rye thread rerun @latest --limit turns=4 --json
  rye thread diff first_thread-20260317-014108-aaaqea77 @latest")]
pub(in crate::cli) struct RerunArgs {
    /// The thread: its id, the beginning of it, its branch, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Use this provider document instead of the recorded one
    #[arg(long, value_name = "ID")]
    provider: Option<ItemId>,

    /// Use this model instead of the recorded one
    #[arg(long, value_parser = args::name())]
    model: Option<String>,

    /// The file that a scripted provider answers from
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,

    /// Let it call only what this capability document allows too
    #[arg(long, value_name = "FILE")]
    permissions: Option<PathBuf>,

    /// A stricter limit: turns, tokens, spend (like `0.10` or `0.10USD`), duration (seconds) or complexity (simple, moderate or complex)
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit::parse)]
    limit: Vec<limit::Limit>,

    /// Begin with your uncommitted changes and untracked files, as the thread's first commit
    #[arg(long)]
    with_changes: bool,

    /// Print text for people, one JSON object at the end, or every event as it is recorded, a line of JSON each
    #[arg(long, value_parser = args::formats(FORMATS), default_value = "human")]
    format: Format,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &RerunArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let thread_id = thread::find(&session, &args.thread)?;
    let given = RunOptions {
        // The record names it.
        directive: thread::show(&session, &thread_id)?.directive,
        given: Given::default(),
        provider: args.provider.clone(),
        model: args.model.clone(),
        script: args.script.clone(),
        limits: limit::joined(&args.limit),
        caller: args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?,
        with_changes: args.with_changes,
        rerun_of: None,
        in_place: false,
    };
    warn_of_caller(output, given.caller.as_ref());
    let options = thread::rerun_options(&session, &thread_id, given)?;
    let mut progress = Progress::new(ctx, output, &cancel, args.format);
    let outcome = thread::run(&session, &options, &cancel, &mut progress)?;
    progress.tell(&session, &outcome)
}
