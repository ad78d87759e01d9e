//! `rye thread fetch`

use clap::Args;

use crate::cli::args;
use crate::cli::commands::git_terminal;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{self, FetchStatus, Fetched};

/// Fetch the threads that others pushed to a remote
///
/// Your git fetches the branches of threads to `refs/remotes/REMOTE/`, the newest 1000 or those that you name. Your own threads are not
/// touched. A branch that the remote removed or rewrote stays as it was fetched. The verbs that read take a fetched thread as
/// `REMOTE/ID`, such as `rye thread show origin/ID`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread fetch
  rye thread fetch origin
  rye thread fetch origin first_thread-20260317-014108-aaaqea77")]
pub(in crate::cli) struct FetchArgs {
    /// The remote (default: that of the current branch, the only one, or `origin`)
    #[arg(value_name = "REMOTE", value_parser = args::name())]
    remote: Option<String>,

    /// Only these threads: ids or prefixes of ids
    #[arg(value_name = "THREAD", value_parser = args::name())]
    threads: Vec<String>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &FetchArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let terminal = git_terminal(output);
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let fetched = thread::fetch(&session, args.remote.as_deref(), &args.threads, terminal)?;
    output.outcome(&fetched, |page| text::remote::write(page, &fetched))?;
    let is_rewritten = tell(output, &fetched);
    Ok(if is_rewritten { Exit::Refused } else { Exit::Done })
}

/// Tells what did not come; returns whether the remote rewrote a thread.
fn tell(output: &mut Output, fetched: &Fetched) -> bool {
    let Fetched { remote, threads, left_out, no_threads } = fetched;
    if threads.is_empty() {
        output.note(&format!("`{remote}` has no threads"));
    }
    if *left_out > 0 {
        let older = text::count(*left_out, "older thread");
        output.note(&format!("`{remote}` has {older}: name those that you want, `rye thread fetch {remote} ID`"));
    }
    if *no_threads > 0 {
        let skipped = text::count(*no_threads, "branch");
        output
            .warn(&format!("skipped {skipped} of `{remote}` below the threads' folder whose names are not thread ids"));
    }
    let rewritten = threads.iter().filter(|thread| thread.status == FetchStatus::Rewritten);
    let mut is_rewritten = false;
    for thread in rewritten {
        is_rewritten = true;
        output.warn(&format!(
            "`{remote}` rewrote thread `{}`: it stays as it was fetched before; `git update-ref -d {}` drops it",
            thread.name.thread_id, thread.branch
        ));
    }
    is_rewritten
}
