//! `rye thread`: one file per verb, and what several of them share. `task` is `rye run`, and `saving` its flag.
//!
//! `options` and `progress` belong to the verbs that run a thread, `epilogue` to what follows a run.

mod accept;
mod diff;
mod epilogue;
mod export;
mod fetch;
mod fork;
mod limit;
mod list;
mod log;
mod options;
mod progress;
mod push;
mod replay;
mod rerun;
mod resume;
mod rm;
mod run;
mod saving;
mod share;
mod show;
mod tail;
pub(in crate::cli) mod task;

use clap::Subcommand;

use self::accept::AcceptArgs;
use self::diff::DiffArgs;
use self::export::ExportArgs;
use self::fetch::FetchArgs;
use self::fork::ForkArgs;
use self::list::ListArgs;
use self::log::LogArgs;
pub(in crate::cli) use self::progress::FORMATS;
use self::push::PushArgs;
use self::replay::ReplayArgs;
use self::rerun::RerunArgs;
use self::resume::ResumeArgs;
use self::rm::RmArgs;
use self::run::RunArgs;
use self::share::ShareArgs;
use self::show::ShowArgs;
use self::tail::TailArgs;
use crate::cli::args::Format;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;

/// Run directives as threads, and review them
///
/// A thread's branch is its transcript: one signed commit for each turn, which stock git shows and verifies. A thread works in a private
/// work tree of the last commit. Your files, index and branches stay as they are. Git commands of a tool can read your history and not
/// change it.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye thread run rye/guides/first_thread
  rye thread list")]
pub(in crate::cli) enum ThreadCommand {
    Run(RunArgs),
    List(ListArgs),
    Show(ShowArgs),
    Log(LogArgs),
    Tail(TailArgs),
    Diff(DiffArgs),
    Accept(AcceptArgs),
    Push(PushArgs),
    Fetch(FetchArgs),
    Resume(ResumeArgs),
    Fork(ForkArgs),
    Rerun(RerunArgs),
    Replay(ReplayArgs),
    Export(ExportArgs),
    Rm(RmArgs),
    Share(ShareArgs),
}

impl ThreadCommand {
    /// Returns the forms of output this command has.
    pub(in crate::cli) const fn formats(&self) -> &'static [Format] {
        match self {
            Self::Tail(_) => tail::FORMATS,
            Self::Export(_) => export::FORMATS,
            Self::Run(_) | Self::Resume(_) | Self::Fork(_) | Self::Rerun(_) => FORMATS,
            Self::List(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Diff(_)
            | Self::Accept(_)
            | Self::Push(_)
            | Self::Fetch(_)
            | Self::Replay(_)
            | Self::Rm(_)
            | Self::Share(_) => &[Format::Human, Format::Json],
        }
    }

    /// Tells whether the command is about its process: it runs what is stopped by signals, or hands streams to git.
    pub(in crate::cli) const fn needs_process(&self) -> bool {
        match self {
            Self::Run(_)
            | Self::Resume(_)
            | Self::Fork(_)
            | Self::Rerun(_)
            | Self::Tail(_)
            | Self::Diff(_)
            | Self::Accept(_) => true,
            Self::List(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Push(_)
            | Self::Fetch(_)
            | Self::Replay(_)
            | Self::Export(_)
            | Self::Rm(_)
            | Self::Share(_) => false,
        }
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &ThreadCommand) -> Result<Exit, Error> {
    match command {
        ThreadCommand::Run(args) => run::run(ctx, output, args),
        ThreadCommand::List(args) => list::run(ctx, output, args),
        ThreadCommand::Show(args) => show::run(ctx, output, args),
        ThreadCommand::Log(args) => log::run(ctx, output, args),
        ThreadCommand::Tail(args) => tail::run(ctx, output, args),
        ThreadCommand::Export(args) => export::run(ctx, output, args),
        ThreadCommand::Diff(args) => diff::run(ctx, output, args),
        ThreadCommand::Accept(args) => accept::run(ctx, output, args),
        ThreadCommand::Push(args) => push::run(ctx, output, args),
        ThreadCommand::Fetch(args) => fetch::run(ctx, output, args),
        ThreadCommand::Resume(args) => resume::run(ctx, output, args),
        ThreadCommand::Fork(args) => fork::run(ctx, output, args),
        ThreadCommand::Rerun(args) => rerun::run(ctx, output, args),
        ThreadCommand::Replay(args) => replay::run(ctx, output, args),
        ThreadCommand::Rm(args) => rm::run(ctx, output, args),
        ThreadCommand::Share(args) => share::run(ctx, output, args),
    }
}
