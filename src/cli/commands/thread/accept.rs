//! `rye thread accept`

use clap::Args;

use crate::cli::args;
use crate::cli::commands::{allowed, person, warn_of_key, warn_of_signed};
use crate::cli::consent;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::keys::{KeyStore, known_person};
use crate::ops::sign::{Pending, TakenItem};
use crate::process::{self, Answer, CancelFlag};
use crate::session::Session;
use crate::thread::{self, AcceptError, AcceptOptions, Acceptance, Accepted, Accepting, Recovered, Verb};

/// Commit what a thread changed to your branch, signed by you
///
/// Merges the thread's changes with the current branch, runs the repository's commit hooks, and makes one commit with your signature; its
/// trailers name the thread, so `git blame` leads to it. Lists the files first and asks on the terminal. Does not touch your other
/// uncommitted work: it refuses a file that you changed, unless the thread started with it (`--with-changes`); then the file changes in the
/// work tree and is not committed. Lists items of `.ai/` and signs them for you, or leaves them out. Leaves out files that run code on your
/// machine (settings of editors, agents, pipelines and git) unless you name them. Lists conflicts and changes nothing; with `--merge` it
/// leaves them in the work tree, as git does.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread accept @latest
  rye thread accept @latest src -m 'Sort the imports'
  rye thread accept @latest --commit .vscode/tasks.json
  rye thread accept first_thread-20260317-014108-aaaqea77 --yes --json")]
pub(in crate::cli) struct AcceptArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Only these files and folders
    #[arg(value_name = "PATH", value_parser = args::name())]
    paths: Vec<String>,

    /// Also commit this file or folder, which is left out by default
    #[arg(long, value_name = "PATH", value_parser = args::name())]
    commit: Vec<String>,

    /// The message; several become paragraphs (default: the directive's id)
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,

    /// Leave conflicts in the work tree and the index, and commit nothing
    #[arg(long)]
    merge: bool,

    #[command(flatten)]
    secrets: args::AllowSecret,

    /// Sign with the key in this file: a private key, or the public half of a key in your ssh-agent
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, value_parser = args::name())]
    key: Option<String>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &AcceptArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let own = known_person(ctx, &KeyStore::new(ctx)?, args.key.as_deref())?;
    let session = Session::open(ctx)?;
    let options = AcceptOptions {
        thread: thread::find_for(&session, &args.thread, Verb::Accept)?,
        paths: args.paths.clone(),
        commit: args.commit.clone(),
        allow_secrets: allowed(ctx, output, &args.secrets)?,
        message: args.message.clone(),
        merge: args.merge,
    };
    let (accepting, recovered) = Accepting::begin(&session, &options.thread.thread_id)?;
    recovered.iter().for_each(|recovered| tell_of_recovered(output, recovered));
    let mut acceptance = accepting.plan(&options)?;
    own.iter().for_each(|own| warn_of_key(output, session.project(), own));
    agree(ctx, output, &mut acceptance)?;
    let key = person(ctx, output, args.key.as_deref())?;
    let accepted = accepting.perform(acceptance, &key, &cancel)?;
    output.outcome(&accepted, |page| text::accept::write(page, &accepted))?;
    tell(output, &accepted);
    Ok(if accepted.conflicts.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Lists the planned changes, and asks: about the items that are signed, then about all of it.
fn agree(ctx: &Context, output: &mut Output, acceptance: &mut Acceptance) -> Result<(), Error> {
    let (client, thread_id) = (ctx.agent_client(), acceptance.thread_id().clone());
    let is_answered = client.is_none() && output.is_agreed();
    let pending: Vec<Pending> = acceptance.items().iter().map(TakenItem::pending).collect();
    if acceptance.is_empty() {
        output.status(|page| text::accept::write_plan(page, acceptance));
        return Err(AcceptError::nothing(acceptance).into());
    }
    if is_answered {
        // The taken changes are reported as the outcome.
        output.progress(|page| text::accept::write_left_out(page, &acceptance.left_out));
        output.progress(|page| text::commit::write_pending(page, &pending));
        return Ok(());
    }
    let mut answer = Answer::NoTerminal;
    if !pending.is_empty() {
        let question = format!(
            "sign {} of the thread as yours, instead of leaving {} out",
            text::count(pending.len(), "item"),
            if pending.len() == 1 { "it" } else { "them" }
        );
        answer = consent::agreed(output, client, |page| text::commit::write_pending(page, &pending), &question)?;
        if answer != Answer::Yes {
            acceptance.leave_items();
        }
    }
    let question = text::accept::question(acceptance);
    if !acceptance.is_empty() {
        answer = consent::agreed(output, client, |page| text::accept::write_plan(page, acceptance), &question)?;
    }
    Ok(Refusal::unless(answer, || Question::Accept { thread_id })?)
}

fn tell(output: &mut Output, accepted: &Accepted) {
    accepted.items.iter().for_each(|item| warn_of_signed(output, item));
    let on = accepted.branch.as_deref().map_or("a detached `HEAD`", |name| name.trim_start_matches("refs/heads/"));
    if !accepted.by_hooks.is_empty() {
        output.warn(&format!("hooks changed {} of the commit:", text::count(accepted.by_hooks.len(), "file")));
        output.status(|page| text::accept::write_by_hooks(page, &accepted.by_hooks));
    }
    if let Some(commit_id) = &accepted.commit_id {
        output.note(&format!("commit {commit_id} on {on}"));
    }
    if !accepted.conflicts.is_empty() {
        output.note(
            "resolve the conflicts, run `git add` on the files, then `git commit`; the message and its trailers are prepared",
        );
    }
    if let Some(error) = &accepted.index_missing {
        output.warn(&format!("the index is not updated yet: {error}; the next `rye thread accept` does it"));
    }
    if let Some(error) = &accepted.notes_missing {
        output.warn(&format!("its notes are not written yet: {error}; the next `rye commit` writes them"));
    }
}

fn tell_of_recovered(output: &mut Output, recovered: &Recovered) {
    let Recovered { thread_id, commit_id, left_conflicts, kept } = recovered;
    output.note(&match (commit_id, left_conflicts) {
        (Some(commit_id), _) => {
            format!("finished the accept of thread {thread_id} that was killed: it had made commit {commit_id}")
        }
        (None, true) => format!("the accept of thread {thread_id} that was killed had left its conflicts"),
        (None, false) => format!("undid the accept of thread {thread_id} that was killed"),
    });
    for path in kept {
        output.warn(&format!("`{}` was changed since and is kept as it is", text::one_line(path)));
    }
}
