//! `rye thread fork`

use std::path::PathBuf;

use clap::Args;

use super::limit;
use super::thread_progress::{FORMATS, Progress};
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::ItemId;
use crate::ops::locate::Session;
use crate::process::{self, CancelFlag};
use crate::thread::{self, ForkOptions};

/// Continue a thread from one of its turns, as a new thread
///
/// The new thread has its own id and branch, which starts at the commit of the turn. The conversation up to the turn is
/// read from the record; every commit up to it must be signed by your agent key. Permissions are those of the old thread,
/// narrowed by the directive's, which must be unchanged. Limits count what was used up to the turn.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread fork @latest --turn 2
  rye thread fork first_thread-20260317-014108-aaaqea77 --turn 0 --limit turns=4")]
pub(in crate::cli) struct ForkArgs {
    /// The thread: its id, the beginning of it, its branch, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Continue after this turn; 0 is the start
    #[arg(long, value_name = "N")]
    turn: u32,

    /// Use this provider document instead of the thread's
    #[arg(long, value_name = "ID")]
    provider: Option<ItemId>,

    /// Use this model instead of the thread's
    #[arg(long, value_parser = args::name())]
    model: Option<String>,

    /// The file that a scripted provider answers from
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,

    /// A stricter limit: turns, tokens, spend (like `0.10` or `0.10USD`), duration (seconds) or complexity (simple, moderate or complex)
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit::parse)]
    limit: Vec<limit::Limit>,

    /// Print text for people, one JSON object at the end, or every event as it is recorded, a line of JSON each
    #[arg(long, value_parser = args::formats(FORMATS), default_value = "human")]
    format: Format,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ForkArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let options = ForkOptions {
        thread_id: thread::find(&session, &args.thread)?,
        turn: args.turn,
        provider: args.provider.clone(),
        model: args.model.clone(),
        script: args.script.clone(),
        limits: limit::joined(&args.limit),
    };
    let mut progress = Progress::new(ctx, output, &cancel, args.format);
    let outcome = thread::fork(&session, &options, &cancel, &mut progress)?;
    progress.tell(&session, &outcome)
}
