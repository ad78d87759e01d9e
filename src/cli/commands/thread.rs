//! `rye thread`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::thread_accept::{self, AcceptArgs};
use super::thread_diff::{self, DiffArgs};
use super::thread_export::{self, ExportArgs};
use super::thread_fork::{self, ForkArgs};
use super::thread_list::{self, ListArgs};
use super::thread_log::{self, LogArgs};
use super::thread_options::{FormatArgs, LimitArgs, ModelArgs, watched};
use super::thread_progress::FORMATS;
use super::thread_push::{self, PushArgs};
use super::thread_replay::{self, ReplayArgs};
use super::thread_rerun::{self, RerunArgs};
use super::thread_resume::{self, ResumeArgs};
use super::thread_rm::{self, RmArgs};
use super::thread_show::{self, ShowArgs};
use super::thread_tail::{self, TailArgs};
use super::warn_of_caller;
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::given::InputArgs;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::ItemType;
use crate::ops::permissions::Caller;
use crate::session::Session;
use crate::thread::{self, RunOptions};

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
    Resume(ResumeArgs),
    Fork(ForkArgs),
    Rerun(RerunArgs),
    Replay(ReplayArgs),
    Export(ExportArgs),
    Rm(RmArgs),
}

impl ThreadCommand {
    /// Returns the forms of output this command has.
    pub(in crate::cli) const fn formats(&self) -> &'static [Format] {
        match self {
            Self::Tail(_) => thread_tail::FORMATS,
            Self::Export(_) => thread_export::FORMATS,
            Self::Run(_) | Self::Resume(_) | Self::Fork(_) | Self::Rerun(_) => FORMATS,
            Self::List(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Diff(_)
            | Self::Accept(_)
            | Self::Push(_)
            | Self::Replay(_)
            | Self::Rm(_) => &[Format::Human, Format::Json],
        }
    }
}

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

    /// Begin with your uncommitted changes and untracked files, as the thread's first commit
    #[arg(long)]
    with_changes: bool,

    /// Work in your own work tree: files with uncommitted changes are not written
    #[arg(long, conflicts_with = "with_changes")]
    in_place: bool,

    #[command(flatten)]
    output: FormatArgs,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &ThreadCommand) -> Result<Exit, Error> {
    match command {
        ThreadCommand::Run(args) => run_thread(ctx, output, args),
        ThreadCommand::List(args) => thread_list::run(ctx, output, args),
        ThreadCommand::Show(args) => thread_show::run(ctx, output, args),
        ThreadCommand::Log(args) => thread_log::run(ctx, output, args),
        ThreadCommand::Tail(args) => thread_tail::run(ctx, output, args),
        ThreadCommand::Export(args) => thread_export::run(ctx, output, args),
        ThreadCommand::Diff(args) => thread_diff::run(ctx, output, args),
        ThreadCommand::Accept(args) => thread_accept::run(ctx, output, args),
        ThreadCommand::Push(args) => thread_push::run(ctx, output, args),
        ThreadCommand::Resume(args) => thread_resume::run(ctx, output, args),
        ThreadCommand::Fork(args) => thread_fork::run(ctx, output, args),
        ThreadCommand::Rerun(args) => thread_rerun::run(ctx, output, args),
        ThreadCommand::Replay(args) => thread_replay::run(ctx, output, args),
        ThreadCommand::Rm(args) => thread_rm::run(ctx, output, args),
    }
}

fn run_thread(ctx: &Context, output: &mut Output, args: &RunArgs) -> Result<Exit, Error> {
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
            caller,
            with_changes: args.with_changes,
            rerun_of: None,
            in_place: args.in_place,
        })
    };
    watched(ctx, output, &args.output, options, thread::run)
}
