//! `rye thread replay`

use clap::Args;

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::session::Session;
use crate::thread::{self, ReplayStatus, Verb};

/// Derive a thread from its record again, and compare
///
/// Derives every event, file and commit of the thread from the recorded answers and results, without network, tools, provider or
/// configuration, and compares them with the record. Prints the first difference. Also verifies the signature of every commit. Exits with 1
/// on a difference, and with 3 when a signature is bad or untrusted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread replay @latest
  rye thread replay first_thread-20260317-014108-aaaqea77 --json")]
pub(in crate::cli) struct ReplayArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ReplayArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let replay = thread::replay(&session, &thread::find_for(&session, &args.thread, Verb::Replay)?)?;
    output.outcome(&replay, |page| text::replay::write(page, &replay))?;
    text::replay::without_use(&replay).iter().for_each(|hint| output.note(hint));
    Ok(match replay.status {
        ReplayStatus::Same => Exit::Done,
        ReplayStatus::Different => Exit::Failed,
        ReplayStatus::Untrusted => Exit::Refused,
    })
}
