//! `rye thread fork`

use clap::Args;

use super::options::{FormatArgs, LimitArgs, ModelArgs, PatienceArgs, watched};
use crate::cli::args;
use crate::cli::consent;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::session::Session;
use crate::thread::{self, ForkOptions, History, Verb};

/// Continue a thread from one of its turns, as a new thread
///
/// The new thread has its own id and branch, which starts at the commit of the turn. The conversation up to the turn is
/// read from the record; every commit up to it must be signed by your agent key. Permissions are those of the old thread,
/// narrowed by the directive's, which must be unchanged. Limits include the usage up to the turn.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread fork @latest --turn 2
  rye thread fork first_thread-20260317-014108-aaaqea77 --turn 0 --limit turns=4")]
pub(in crate::cli) struct ForkArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Continue after this turn; 0 is the start
    #[arg(long, value_name = "N", value_parser = args::number::<u32>)]
    turn: u32,

    #[command(flatten)]
    asked: ModelArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    patience: PatienceArgs,

    #[command(flatten)]
    output: FormatArgs,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ForkArgs) -> Result<Exit, Error> {
    let options = |session: &Session, output: &mut Output| {
        let thread_id = thread::find_for(session, &args.thread, Verb::Fork)?.thread_id;
        consent::to_grant(ctx, output, History::read(session, thread_id.clone())?.granted())?;
        Ok(ForkOptions {
            thread_id,
            turn: args.turn,
            provider: args.asked.provider.clone(),
            model: args.asked.model.clone(),
            script: args.asked.script.clone(),
            limits: args.limits.joined(),
            patience: args.patience.patience,
        })
    };
    watched(ctx, output, &args.output, options, thread::fork)
}
