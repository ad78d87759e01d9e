//! `rye thread resume`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limit;
use super::options::{FormatArgs, PatienceArgs, watched};
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text::quoted;
use crate::context::Context;
use crate::session::Session;
use crate::thread::{self, ResumeOptions, Unfinished, Verb};

/// Continue a thread that was interrupted, stopped, or ended by its provider
///
/// Continues from its last commit, on its own branch, with everything that it had received: it does not ask for an answer again, and does
/// not repeat a finished call. It repeats an unfinished call if that can have changed only the thread's own files, and asks you about any
/// other. Every commit must be signed by your agent key, and the directive must be unchanged.
///
/// Works for threads that were interrupted, cancelled, stopped by a limit that you raise, or ended by their provider. To continue from any
/// other, use `rye thread fork`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread resume @latest
  rye thread resume first_thread-20260317-014108-aaaqea77 --limit turns=12
  rye thread resume @latest --unfinished fail --json")]
pub(in crate::cli) struct ResumeArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// What to do with an unfinished call that may have had its effect
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = UnfinishedArg::Ask)]
    unfinished: UnfinishedArg,

    /// The file that a scripted provider answers from
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,

    /// A limit that replaces the thread's: turns, tokens, spend (like `0.10` or `0.10USD`) or duration (seconds)
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit::parse)]
    limit: Vec<limit::Limit>,

    #[command(flatten)]
    patience: PatienceArgs,

    #[command(flatten)]
    output: FormatArgs,
}

impl ResumeArgs {
    /// Tells whether it allows more than the thread was allowed, or answers what a person is asked.
    pub(in crate::cli) fn widens(&self) -> bool {
        !self.limit.is_empty() || matches!(self.unfinished, UnfinishedArg::Repeat)
    }

    /// Names the act, for the question to the person.
    pub(in crate::cli) fn in_words(&self) -> String {
        let what = match (self.limit.is_empty(), self.unfinished) {
            (true, _) => "repeat unfinished calls",
            (false, UnfinishedArg::Repeat) => "set other limits and repeat unfinished calls",
            (false, UnfinishedArg::Ask | UnfinishedArg::Fail) => "set other limits",
        };
        format!("{what} in the thread {}", quoted(&self.thread))
    }
}

/// What becomes of an unfinished call.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum UnfinishedArg {
    /// Ask; without a terminal, do not resume
    Ask,
    /// Repeat the call
    Repeat,
    /// Tell the model that the result is unknown
    Fail,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ResumeArgs) -> Result<Exit, Error> {
    let options = |session: &Session, _: &mut Output| {
        Ok(ResumeOptions {
            thread_id: thread::find_for(session, &args.thread, Verb::Resume)?.thread_id,
            script: args.script.clone(),
            limits: limit::joined(&args.limit),
            patience: args.patience.patience,
            unfinished: match args.unfinished {
                UnfinishedArg::Ask => Unfinished::Ask,
                UnfinishedArg::Repeat => Unfinished::Repeat,
                UnfinishedArg::Fail => Unfinished::Fail,
            },
        })
    };
    watched(ctx, output, &args.output, options, thread::resume)
}
