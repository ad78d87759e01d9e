//! `rye commit`

use clap::Args;

use super::{person, warn_of_key, warn_of_signed};
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::commit::{self, Prepared};
use crate::ops::locate::Session;
use crate::process::{self, CancelFlag};
use crate::trust::Signer as _;

/// Sign what changed below `.ai/`, and commit it
///
/// Signs items that are new and those that you signed last, stages them, and has git commit them with whatever else is
/// staged: your editor, hooks and templates work as always. The commit is signed too, with the same key. What somebody
/// else or the agent signed last, or a thread wrote, waits for your yes. Last come the notes: each item's signatures
/// beside its blob, so that they survive squashing and rebasing, and a line for each item beside the commit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye commit -m 'Greet in two languages'
  rye commit .ai/tools/demo -m 'Say it louder'
  rye commit --amend
  git log --notes=rye --show-signature -1")]
pub(in crate::cli) struct CommitArgs {
    /// Only these files and folders, as they are in the work tree
    #[arg(value_name = "PATHS", value_parser = args::name())]
    paths: Vec<String>,

    /// The message; several are paragraphs. Without it, git opens your editor
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,

    /// Put the changes into the last commit
    #[arg(long)]
    amend: bool,

    /// Sign with the key in this file: a private one, or the public half of one that your ssh-agent holds
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, value_parser = args::name())]
    key: Option<String>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &CommitArgs) -> Result<Exit, Error> {
    let key = person(ctx, output, args.key.as_deref())?;
    let session = Session::open(ctx)?;
    warn_of_key(output, &session, &key.public());
    let options = commit::Options { message: args.message.clone(), amend: args.amend, paths: args.paths.clone() };
    let prepared = commit::prepare(&session, &options, key.public()).inspect_err(|error| {
        if let commit::Error::Invalid { failures } = error {
            output.on_stderr(|page| text::sign::write_failures(page, failures));
        }
    })?;
    for path in &prepared.plan().left {
        output.note(&format!("`{path}` is signed by somebody else and not staged: it is left as it is"));
    }
    for why in &prepared.plan().unreadable {
        output.warn(&format!("{why}: it is not staged and is left as it is"));
    }
    agreed(output, &prepared)?;
    let outcome = prepared.commit(&key)?;
    output.outcome(&outcome, |page| text::commit::write(page, &outcome))?;
    outcome.items.iter().for_each(|item| warn_of_signed(output, item));
    let on = outcome.branch.as_deref().map_or("a detached `HEAD`", |name| name.trim_start_matches("refs/heads/"));
    output.note(&format!("commit {} on {on}", outcome.commit_id));
    if let Some(error) = &outcome.notes_missing {
        output.warn(&format!("its notes are not written yet: {error}; the next `rye commit` writes them"));
    }
    Ok(Exit::Done)
}

/// Asks about what is not this person's to sign without a yes.
fn agreed(output: &mut Output, prepared: &Prepared<'_>) -> Result<(), Error> {
    let doubts = prepared.plan().doubtful();
    if doubts.is_empty() {
        return Ok(());
    }
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    output.status(|page| text::commit::write_doubts(page, &doubts));
    let question = format!("sign {} as yours?", text::count(doubts.len(), "item"));
    if output.agrees(&question, &cancel) { Ok(()) } else { Err(commit::Error::Doubtful { doubts }.into()) }
}
