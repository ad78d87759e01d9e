//! `rye thread diff`

use clap::Args;

use super::log::tell_of_faults;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text::{self, Patch};
use crate::context::Context;
use crate::git::Pages;
use crate::id::ThreadName;
use crate::ops::commit::from_the_top;
use crate::session::Session;
use crate::thread::{self, History, Verb};

/// Show what a thread changed, or compare two threads
///
/// Leaves out the threads' own records. Your git and its pager show the changes of one thread; on a terminal, control characters in
/// files are replaced. Compares two threads by their outputs, the files of their last trees, their calls in order, and their cost; with `--stat`, by the files only.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread diff @latest
  rye thread diff @latest --stat
  rye thread diff @latest --current --json
  rye thread diff first_thread-20260317-014108-aaaqea77 @latest
  rye thread diff first_thread-20260317-014108-aaaqea77 @latest --stat")]
pub(in crate::cli) struct DiffArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Another thread to compare it with
    #[arg(value_name = "OTHER", value_parser = args::name(), conflicts_with = "current")]
    other: Option<String>,

    /// List the changed files with the number of changed lines
    #[arg(long)]
    stat: bool,

    /// Compare with the current branch instead of the thread's first tree
    #[arg(long)]
    current: bool,

    /// Only these files and folders
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &DiffArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let name = thread::find_for(&session, &args.thread, Verb::Diff)?;
    tell_of_signatures(output, &session, &name)?;
    let paths = from_the_top(session.project(), &args.paths)?;
    let Some(other) = &args.other else {
        let diff = thread::diff(&session, &name, args.current, &paths)?;
        if output.is_json() {
            output.json(&diff)?;
        } else {
            in_pages(output, |pages| thread::show_diff(&session, &diff, args.stat, pages))?;
        }
        if diff.changes.is_empty() {
            output.note(if paths.is_empty() { "no changes" } else { "no changes in these paths" });
        }
        return Ok(Exit::Done);
    };
    let other = thread::find_for(&session, other, Verb::Diff)?;
    tell_of_signatures(output, &session, &other)?;
    let comparison = thread::compare(&session, &name, &other, &paths)?;
    if !args.stat || output.is_json() {
        output.outcome(&comparison, |page| text::compare::write(page, &comparison))?;
        return Ok(Exit::Done);
    }
    in_pages(output, |pages| thread::show_stat(&session, &comparison, pages))?;
    if comparison.files.is_empty() {
        output.note("no file differs");
    }
    Ok(Exit::Done)
}

/// Shows what git writes: on a terminal as lines of a patch that control nothing, elsewhere byte for byte.
fn in_pages(
    output: &mut Output,
    show: impl FnOnce(Option<Pages<'_>>) -> Result<(), thread::Error>,
) -> Result<(), thread::Error> {
    if !output.is_on_terminal() {
        return show(None);
    }
    let mut patch = Patch::new(output.stdout_paint());
    show(Some(Pages { show: &mut |line| patch.line(line), width: output.stdout_width() }))
}

/// Warns of a thread whose commits do not count here: what it changed is shown all the same.
fn tell_of_signatures(output: &mut Output, session: &Session, name: &ThreadName) -> Result<(), Error> {
    tell_of_faults(output, &History::read(session, name)?.standing(session), &[]);
    Ok(())
}
