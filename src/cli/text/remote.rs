//! Threads and remotes: what a fetch brought and whose they are, and what a push shares.

use super::{Cell, Page, Table, count, one_line};
use crate::id::ThreadId;
use crate::thread::{FetchStatus, Fetched, FetchedList, ListedFetched, Push, Pushed, Shared, Signer};

/// Writes what became of fetched threads.
pub(in crate::cli) fn write(page: &mut Page<'_>, fetched: &Fetched) {
    let mut table = Table::new(vec!["STATUS", "THREAD"]).with_whole_last();
    for thread in &fetched.threads {
        let status = thread.status;
        table.row(vec![
            Cell::with(word(status), move |paint, text| match status {
                FetchStatus::Rewritten => paint.red(text),
                FetchStatus::New | FetchStatus::Updated => paint.green(text),
                FetchStatus::Unchanged => text.to_owned(),
            }),
            Cell::new(&thread.name),
        ]);
    }
    page.table(&table);
}

const fn word(status: FetchStatus) -> &'static str {
    match status {
        FetchStatus::New => "new",
        FetchStatus::Updated => "updated",
        FetchStatus::Unchanged => "unchanged",
        FetchStatus::Rewritten => "rewritten",
    }
}

/// Writes one row for each fetched thread: the keys that signed it, whether they count here, and whose they are. Where they do not
/// count, only the claim of the last commit is known.
pub(in crate::cli) fn write_list(page: &mut Page<'_>, list: &FetchedList) {
    let mut table = Table::new(vec!["THREAD", "STATUS", "SIGNATURES", "KEY", "BY", "DIRECTIVE"]);
    for ListedFetched { name, outcome, claimed_committer, keys, signatures } in &list.threads {
        let is_verified = signatures.verified;
        let keys = keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(",");
        table.row(vec![
            Cell::with(name, |paint, text| paint.bold(text)),
            Cell::new(outcome.ending.as_str()),
            Cell::with(if is_verified { "verified" } else { "not verified" }, move |paint, text| match is_verified {
                true => paint.green(text),
                false => paint.red(text),
            }),
            Cell::new(if keys.is_empty() { "none".to_owned() } else { keys }),
            Cell::new(one_line(&match claimed_committer {
                Some(claimed) => format!("claims {claimed}"),
                None => signers(&signatures.signers),
            })),
            Cell::new(&outcome.directive),
        ]);
    }
    page.table(&table);
}

/// Names who signed, by the names of their keys.
fn signers(signers: &[Signer]) -> String {
    let name = |signer: &Signer| match signer {
        Signer::Agent(_) => "your own agent".to_owned(),
        Signer::AgentOf(names) | Signer::Person(names) => names.clone(),
    };
    signers.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Writes the threads that were pushed.
pub(in crate::cli) fn write_pushed(page: &mut Page<'_>, pushed: &Pushed) {
    let mut table = Table::new(vec!["STATUS", "THREAD", "BRANCH"]).with_whole_last();
    let row = |id: &ThreadId, branch: &str| vec![Cell::new("pushed"), Cell::new(id), Cell::new(branch)];
    pushed.threads.iter().for_each(|thread| table.row(row(&thread.thread_id, &thread.branch)));
    page.table(&table);
}

/// Writes what a push would make public.
pub(in crate::cli) fn write_push(page: &mut Page<'_>, push: &Push) {
    page.line(format!("Readers of `{}` will see all that these threads read and wrote:", one_line(&push.remote)));
    for Shared { thread, commits, others } in &push.threads {
        page.line(format!("  {}  {}, {}", thread.thread_id, thread.directive, count(*commits, "commit")));
        if *others > 0 {
            page.line(format!("    with {} that the remote does not have yet", count(*others, "earlier commit")));
        }
    }
}
