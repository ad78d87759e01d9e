//! `rye thread rm`

use clap::Args;

use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text::{self, Page};
use crate::context::Context;
use crate::id::{Age, ThreadId};
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{self, Ending, Removable, RemoveOptions, Verb};

/// Remove threads: branch, log and work tree
///
/// Takes ids, prefixes of ids, branches or `@latest`; or selects threads by age and status. Never removes a running thread. Removes a log
/// without a branch if you name it, or with `--status interrupted`. The commits stay in the repository until `git gc` prunes them; pushed
/// copies stay on the remote.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread rm @latest
  rye thread rm first_thread-20260317-014108-aaaqea77 --yes
  rye thread rm --older-than 30d
  rye thread rm --status error")]
pub(in crate::cli) struct RmArgs {
    /// The threads
    #[arg(value_name = "THREAD", value_parser = args::name(), required_unless_present_any = ["older_than", "status"])]
    threads: Vec<String>,

    /// Only threads older than this, such as `30m`, `2h`, `7d` or `4w`
    #[arg(long, value_name = "AGE")]
    older_than: Option<Age>,

    /// Only threads with this status: completed, cancelled, interrupted, or what ended them: limit, denied, provider,
    /// outputs, or error for anything else
    #[arg(long, value_name = "STATUS", value_parser = args::past_ending)]
    status: Option<Ending>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &RmArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let (mut named, mut logs) = (Vec::new(), Vec::new());
    for name in &args.threads {
        match thread::find_for(&session, name, Verb::Remove) {
            Err(thread::Error::OnlyLog { thread_id }) => named_once(&mut logs, thread_id),
            found => named_once(&mut named, found?.thread_id),
        }
    }
    let before = args.older_than.map(|age| ctx.now().plus_seconds(-age.seconds()));
    let options = RemoveOptions { threads: named, logs, before, ending: args.status };
    let removable = thread::removable(&session, &options)?;
    let Removable { threads, logs } = &removable;
    if threads.is_empty() && logs.is_empty() {
        output.note("no thread is selected");
    } else {
        process::install(&CancelFlag::new())?;
        let what = format!("remove {}", counted(threads.len(), logs.len()));
        let answer = match ctx.agent_client() {
            // It would remove the record of what it did.
            client @ Some(_) => agreed(output, client, |page| write_selected(page, &removable), &what)?,
            None => {
                output.status(|page| write_selected(page, &removable));
                output.agrees(&format!("{what}?"))
            }
        };
        Refusal::unless(answer, || Question::Remove)?;
    }
    let removed = thread::remove(&session, &removable)?;
    output.outcome(&removed, |page| {
        text::thread::write_removed(page, removed.threads.iter().chain(&removed.leftovers));
    })?;
    Ok(Exit::Done)
}

/// Lists what would be removed.
fn write_selected(page: &mut Page<'_>, Removable { threads, logs }: &Removable) {
    if !threads.is_empty() {
        text::thread::write_list(page, threads);
    }
    text::thread::write_logs(page, logs);
}

/// Takes a thread, which may have been named before by another name.
fn named_once(named: &mut Vec<ThreadId>, thread_id: ThreadId) {
    if !named.contains(&thread_id) {
        named.push(thread_id);
    }
}

/// Says how many threads, and logs without a branch.
fn counted(threads: usize, logs: usize) -> String {
    match (text::count(threads, "thread"), text::count(logs, "log")) {
        (threads, _) if logs == 0 => threads,
        (_, logs) if threads == 0 => format!("{logs} without a branch"),
        (threads, logs) => format!("{threads} and {logs} without a branch"),
    }
}
