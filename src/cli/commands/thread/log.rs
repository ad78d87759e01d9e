//! `rye thread log`

use clap::Args;
use serde::Serialize;

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::ThreadId;
use crate::session::Session;
use crate::thread::{self, History, Standing, Verb};

/// Print a thread's transcript
///
/// Prints Markdown from the events on the thread's branch. Warns when you do not trust the signatures of its commits.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread log @latest
  rye thread log @latest --json")]
pub(in crate::cli) struct LogArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,
}

/// A transcript for programs.
#[derive(Debug, Serialize)]
struct LogOutcome {
    thread_id: ThreadId,
    transcript: String,
    signatures: Standing,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &LogArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let history = History::read(&session, &thread::find_for(&session, &args.thread, Verb::Log)?)?;
    let outcome = LogOutcome {
        thread_id: history.outcome.thread_id.clone(),
        transcript: history.transcript(),
        signatures: history.standing(&session),
        unreadable: history.warnings,
    };
    tell_of_faults(output, &outcome.signatures, &outcome.unreadable);
    output.outcome(&outcome, |page| page.foreign(&outcome.transcript))?;
    Ok(Exit::Done)
}

/// Warns of a record that does not count here, or is damaged.
pub(super) fn tell_of_faults(output: &mut Output, standing: &Standing, unreadable: &[String]) {
    if !standing.verified {
        output.warn(&format!("this thread is not verified: {}", text::review::sentences(standing).0));
        text::review::without_use(&standing.without_use).iter().for_each(|hint| output.note(hint));
    }
    unreadable.iter().for_each(|sentence| output.warn(sentence));
}
