//! `rye thread rm`

use clap::Args;

use crate::cli::args;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::Age;
use crate::ops::locate::Session;
use crate::process::{self, CancelFlag};
use crate::thread::{self, Ending, RemoveOptions};

/// Remove threads: branch, log and work tree
///
/// Names threads by id, by the beginning of an id, by branch or as `@latest`; or selects them by age and status. Running
/// threads are not removed. The commits stay in the repository until `git gc` removes what nothing leads to; copies that
/// were pushed stay where they are.
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
    let named = args.threads.iter().map(|name| thread::find(&session, name)).collect::<Result<_, _>>()?;
    let before = args.older_than.map(|age| ctx.now().plus_seconds(-age.seconds()));
    let threads = thread::removable(&session, &RemoveOptions { threads: named, before, ending: args.status })?;
    if threads.is_empty() {
        output.note("no thread is selected");
    } else {
        let cancel = CancelFlag::new();
        process::install(&cancel)?;
        output.status(|page| text::thread::write_list(page, &threads));
        let answer = output.agrees(&format!("remove {}?", text::count(threads.len(), "thread")), &cancel);
        Refusal::unless(answer, || Question::Remove)?;
    }
    let removed = thread::remove(&session, &threads)?;
    output.outcome(&removed, |page| removed.threads.iter().for_each(|id| page.line(format!("removed\t{id}"))))?;
    if !removed.leftovers.is_empty() {
        output.note(&format!("removed {} that belonged to no thread", text::count(removed.leftovers.len(), "log")));
    }
    Ok(Exit::Done)
}
