//! `rye thread push`

use clap::Args;

use crate::cli::args;
use crate::cli::commands::{allowed, git_terminal};
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{self, Verb};

/// Share threads with a remote
///
/// Lists what becomes public and asks on the terminal; then your git pushes all branches or none. Everyone who can read the remote can read
/// everything that the models read and wrote, including tool results. The hook of `rye hook install` stops a push of threads by other
/// commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread push origin @latest
  rye thread push origin first_thread-20260317-014108-aaaqea77 --yes")]
pub(in crate::cli) struct PushArgs {
    /// The remote
    #[arg(value_name = "REMOTE", value_parser = args::name())]
    remote: String,

    /// The threads: ids, prefixes of ids, branches, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name(), required = true)]
    threads: Vec<String>,

    #[command(flatten)]
    secrets: args::AllowSecret,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &PushArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let find = |name: &String| Ok(thread::find_for(&session, name, Verb::Push)?.thread_id);
    let threads = args.threads.iter().map(find).collect::<Result<Vec<_>, thread::Error>>()?;
    let push = thread::pushable(
        &session,
        &args.remote,
        &threads,
        &allowed(ctx, output, &args.secrets)?,
        git_terminal(output),
    )?;
    let client = ctx.agent_client();
    let what = format!("push {} to `{}`", text::count(push.threads.len(), "thread"), push.remote);
    let is_answered = client.is_none() && output.is_agreed();
    if !is_answered {
        let answer = agreed(output, client, |page| text::remote::write_push(page, &push), &what)?;
        Refusal::unless(answer, || Question::Push)?;
    }
    let terminal = git_terminal(output);
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let pushed = thread::push(&session, &push, terminal)?;
    output.outcome(&pushed, |page| text::remote::write_pushed(page, &pushed))?;
    Ok(Exit::Done)
}
