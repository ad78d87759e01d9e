//! `rye thread accept`

use clap::Args;
use serde::Serialize;

use super::{person, warn_of_signed};
use crate::cli::args;
use crate::cli::consent::{self, Signs};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::keys::{KeyStore, known_person};
use crate::ops::commit::{self, Prepared};
use crate::ops::locate::Session;
use crate::thread::{self, AcceptOptions, Acceptance};
use crate::trust::PublicKey;

/// Bring what a thread changed onto your branch, as one commit of yours
///
/// The changes are merged three-way with your branch, committed by your git with its hooks, and signed by your key; trailers
/// name the thread, so `git blame` leads to it. Other uncommitted work is not touched. Files that you have changed and not
/// committed are refused, unless the thread began with them (`--with-changes`): then they change and stay uncommitted.
/// Items below `.ai/` are listed and asked about before they are signed as yours. Files that run code on your machine
/// (settings of editors, agents, pipelines and git) are left out unless you ask for them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread accept @latest
  rye thread accept @latest --only src -m 'Sort the imports'
  rye thread accept first_thread-20260317-014108-aaaqea77 --yes")]
pub(in crate::cli) struct AcceptArgs {
    /// The thread: its id, the beginning of it, its branch, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Only this file or folder, from the top of the work tree
    #[arg(long, value_name = "PATH", value_parser = args::name())]
    only: Vec<String>,

    /// The message; several are paragraphs. Without it, the directive is named
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,

    /// Take files that run code on your machine, too
    #[arg(long)]
    include_code: bool,

    /// Sign with the key in this file: a private one, or the public half of one that your ssh-agent holds
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, value_parser = args::name())]
    key: Option<String>,
}

/// What was accepted.
#[derive(Debug, Serialize)]
struct Accepted<'a> {
    #[serde(flatten)]
    acceptance: &'a Acceptance,
    /// The commit; none where all of it stays uncommitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<commit::Outcome>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &AcceptArgs) -> Result<Exit, Error> {
    let own = known_person(ctx, &KeyStore::new(ctx)?, args.key.as_deref())?;
    let session = Session::open(ctx)?;
    let thread_id = thread::find(&session, &args.thread)?;
    let paths = args.only.iter().map(|path| path.trim_end_matches('/').to_owned()).collect();
    let options = AcceptOptions { thread_id, paths, with_code: args.include_code };
    thread::recover_accept(&session)?;
    let acceptance = thread::acceptance(&session, &options)?;
    output.status(|page| text::thread::write_acceptance(page, &acceptance));
    let commit = match acceptance.paths.is_empty() {
        true => None,
        false => Some(committed(ctx, output, args, &session, &acceptance, own)?),
    };
    acceptance.finish(&session)?;
    let accepted = Accepted { acceptance: &acceptance, commit };
    output.outcome(&accepted, |page| accepted.commit.iter().for_each(|commit| text::commit::write(page, commit)))?;
    if let Some(commit) = &accepted.commit {
        commit.items.iter().for_each(|item| warn_of_signed(output, item));
        output.note(&format!("commit {} has what thread {} changed", commit.commit_id, acceptance.thread.thread_id));
    }
    Ok(Exit::Done)
}

/// Applies, asks, signs and commits; whatever fails in between is taken back.
fn committed(
    ctx: &Context,
    output: &mut Output,
    args: &AcceptArgs,
    session: &Session,
    acceptance: &Acceptance,
    own: Option<PublicKey>,
) -> Result<commit::Outcome, Error> {
    acceptance.apply(session)?;
    let root = session.project_root()?;
    let paths = acceptance.paths.iter().map(|path| root.join(path).display().to_string()).collect();
    let options = commit::Options { message: acceptance.message(&args.message), amend: false, paths };
    let agreed = commit::prepare(session, &options, own)
        .map_err(Error::from)
        .and_then(|prepared| sign(ctx, output, args, &prepared));
    if agreed.is_err() {
        acceptance.take_back(session)?;
    }
    agreed
}

fn sign(
    ctx: &Context,
    output: &mut Output,
    args: &AcceptArgs,
    prepared: &Prepared<'_>,
) -> Result<commit::Outcome, Error> {
    if let Some(pending) = consent::refuses(ctx, output, prepared.plan(), Signs::Commit)? {
        return Err(commit::Error::NotAgreed { pending }.into());
    }
    let key = person(ctx, output, args.key.as_deref())?;
    Ok(prepared.commit(&key)?)
}
