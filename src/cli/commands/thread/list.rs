//! `rye thread list`

use clap::Args;

use super::epilogue;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{Age, Timestamp};
use crate::session::Session;
use crate::thread::{self, Ending, ListOptions};
use crate::trust::KeyId;

/// Show the threads of this repository, the newest first
///
/// With --remote, shows the threads that `rye thread fetch` brought: the keys that signed them, and whether these count here.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread list
  rye thread list -n 20 --status limit
  rye thread list --directive 'demo/*' --since 7d
  rye thread list --archived
  rye thread list --remote
  rye thread list --json")]
pub(in crate::cli) struct ListArgs {
    /// Maximum number of threads
    #[arg(short = 'n', long = "max", value_name = "N", value_parser = args::number::<usize>)]
    most: Option<usize>,

    /// Only threads with this status: running, completed, cancelled, interrupted, or what ended them: limit, denied,
    /// provider, outputs, or error for anything else
    #[arg(long, value_name = "STATUS", value_parser = args::ending)]
    status: Option<Ending>,

    /// Only threads of this directive; `*` matches any text
    #[arg(long, value_name = "ID", value_parser = args::name())]
    directive: Option<String>,

    /// Only threads that started since a date, a time, or an age such as `2h` or `7d`
    #[arg(long, value_name = "WHEN", value_parser = when)]
    since: Option<When>,

    /// Show archived threads instead
    #[arg(long)]
    archived: bool,

    /// Show the threads fetched from this remote instead; without a name, from all (the newest 100 unless -n says more)
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, require_equals = true, conflicts_with = "archived", value_parser = args::name())]
    remote: Option<Option<String>>,
}

/// A time, or how long ago it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    At(Timestamp),
    /// In seconds.
    Ago(i64),
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ListArgs) -> Result<Exit, Error> {
    let since = args.since.map(|when| match when {
        When::At(time) => time,
        When::Ago(seconds) => ctx.now().plus_seconds(-seconds),
    });
    let (most, ending, directive) = (args.most, args.status, args.directive.clone());
    let session = Session::open(ctx)?;
    let options = ListOptions { most, ending, directive, since, archived: args.archived };
    if let Some(remote) = &args.remote {
        return list_fetched(output, &session, remote.as_deref(), &options);
    }
    let outcome = thread::select(&session, &options)?;
    output.outcome(&outcome, |page| text::thread::write_list(page, &outcome.threads))?;
    for thread_id in &outcome.unreadable {
        output.warn(&format!("`thread.json` of `{thread_id}` cannot be read"));
    }
    epilogue::tell_of_interrupted(output, &outcome.threads);
    if outcome.threads.is_empty() {
        let is_filtered = args.most.is_some() || ending.is_some() || args.directive.is_some() || since.is_some();
        output.note(match (is_filtered, args.archived) {
            (true, _) => "no thread is selected",
            (false, true) => "no archived threads",
            (false, false) => "no threads yet",
        });
        if !is_filtered {
            tell_of_remotes(output, &session)?;
        }
    }
    Ok(Exit::Done)
}

/// Says how the threads of others are read, where there are remotes.
fn tell_of_remotes(output: &mut Output, session: &Session) -> Result<(), Error> {
    let has_remote = session.project().require_repository()?.default_remote().is_some();
    if thread::has_fetched(session)? {
        output.note("threads of others were fetched; `rye thread list --remote` lists them");
    } else if has_remote {
        output.note("`rye thread fetch` fetches the threads that others pushed");
    }
    Ok(())
}

fn list_fetched(
    output: &mut Output,
    session: &Session,
    remote: Option<&str>,
    options: &ListOptions,
) -> Result<Exit, Error> {
    let list = thread::list_fetched(session, remote, options)?;
    output.outcome(&list, |page| text::remote::write_list(page, &list))?;
    if let Some(first) = list.unreadable.first() {
        let counted = text::count(list.unreadable.len(), "fetched branch");
        output.warn(&format!("no record of a thread can be read on {counted}, such as `{first}`"));
    }
    let mut without_use: Vec<KeyId> =
        list.threads.iter().flat_map(|thread| thread.signatures.without_use.clone()).collect();
    without_use.sort();
    without_use.dedup();
    text::review::without_use(&without_use).iter().for_each(|hint| output.note(hint));
    if list.more > 0 {
        output.note(&format!("{} not shown; `-n N` shows more", text::count(list.more, "older thread")));
    }
    if list.threads.is_empty() && list.more == 0 {
        output.note(match (list.remotes.is_empty(), thread::has_fetched(session)?) {
            (true, _) => "this repository has no remotes",
            (false, true) => "no fetched thread is selected",
            (false, false) => "no threads were fetched; `rye thread fetch` fetches those that others pushed",
        });
    }
    Ok(Exit::Done)
}

fn when(text: &str) -> Result<When, String> {
    let day = format!("{text}T00:00:00Z");
    let time = text.parse().or_else(|_| day.parse()).map(When::At);
    time.or_else(|_| text.parse().map(|age: Age| When::Ago(age.seconds()))).map_err(|_| {
        format!("expected a date such as `2026-03-17`, a time such as `2026-03-17T01:41:08Z` or an age such as `7d`, found `{text}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_a_time_or_an_age() {
        let at = |milliseconds| Ok(When::At(Timestamp::from_milliseconds(milliseconds)));
        assert_eq!(when("2026-03-17"), at(1_773_705_600_000));
        assert_eq!(when("2026-03-17T01:41:08Z"), at(1_773_711_668_000));
        assert_eq!(when("7d"), Ok(When::Ago(604_800)));
        for wrong in ["", "yesterday", "2026-13-01", "7", "-7d"] {
            assert!(when(wrong).is_err(), "{wrong}");
        }
    }
}
