//! `rye trust propose`: sign a project's trust files, commit them, and let them count here.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args;
use crate::cli::commands::{drafted, keep};
use crate::cli::consent;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::git::CommitId;
use crate::keys::PersonKey;
use crate::ops::commit;
use crate::ops::decisions::{self, Draft, ProposeOptions, ProposeOutcome, ProposeStatus};
use crate::process::{self, Answer, CancelFlag};
use crate::project::Project;
use crate::trust::Signer as _;

/// Sign the trust files of this project, so that others can accept them
///
/// Shows the changes, asks, and signs the current files of `.ai/trust/`, with a new version if they changed. Accepts them for
/// you at once; without a terminal it only signs them, unless you pass --yes. Your key must be a root: its line names
/// `rye-trust`. In a project without trust files, your key becomes the first root. If the policy requires several roots, each
/// of them runs this on the same files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust propose
  rye trust propose --principal ada@example.org
  rye trust propose --author bob.pub --commit
  rye trust propose --root bob.pub")]
pub(in crate::cli) struct ProposeArgs {
    /// Your name in a new file (default: git's e-mail address)
    #[arg(long, value_name = "PRINCIPAL")]
    principal: Vec<String>,

    /// A further root: a file with their public key
    #[arg(long, value_name = "FILE")]
    root: Vec<PathBuf>,

    /// A further author of items and commits: a file with their public key
    #[arg(long, value_name = "FILE")]
    author: Vec<PathBuf>,

    /// Commit the trust files, too, with your signature
    #[arg(long)]
    commit: bool,

    /// The message of that commit
    #[arg(short, long, value_name = "MSG", requires = "commit")]
    message: Vec<String>,

    /// The key to sign with: a file, or `person`
    #[arg(long, value_parser = args::name())]
    key: Option<String>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, project: &Project, args: &ProposeArgs) -> Result<(), Error> {
    let chosen = drafted(ctx, output, args.key.as_deref())?;
    let options =
        ProposeOptions { principals: args.principal.clone(), roots: args.root.clone(), authors: args.author.clone() };
    let draft = decisions::draft(project, &options, chosen.public())?;
    draft.warning().iter().for_each(|warning| output.warn(&text::one_line(warning)));
    let is_agreed = is_agreed(ctx, output, &draft, args.commit)?;
    let chosen = keep(ctx, output, chosen)?;
    let mut outcome = draft.sign(&chosen)?;
    if let Err(error) = finish(project, args, &chosen, is_agreed, &mut outcome) {
        output.note("the trust files are signed; mend this, then run the command again");
        return Err(error);
    }
    output.outcome(&outcome, |page| text::trust::write_proposed(page, &outcome))?;
    tell(output, &outcome, has_commit(project));
    Ok(())
}

/// Tells whether the project can be known by its first commit.
fn has_commit(project: &Project) -> bool {
    project.repository().is_some_and(|repository| repository.head().is_ok_and(|head| head.commit_id().is_some()))
}

/// Shows what changes and asks; tells whether it is to count here. Without a terminal it is signed, as its person asked, and
/// accepted another time.
fn is_agreed(ctx: &Context, output: &mut Output, draft: &Draft<'_>, is_committed: bool) -> Result<bool, Error> {
    if draft.status() == ProposeStatus::Unchanged && draft.is_accepted() {
        return Ok(true);
    }
    let signed = if draft.status() == ProposeStatus::Unchanged { "" } else { "sign and " };
    let committed = if is_committed { ", and commit it" } else { "" };
    let what = format!("{signed}accept version {} for this project{committed}", draft.version());
    let answer = if let Some(client) = ctx.agent_client() {
        consent::agreed(output, Some(client), |page| text::trust::write_changes(page, draft.changes()), &what)?
    } else {
        output.before_question(|page| text::trust::write_changes(page, draft.changes()));
        output.agrees(&format!("{what}?"))
    };
    match answer {
        Answer::NoTerminal => Ok(false),
        Answer::Yes => Ok(true),
        Answer::No | Answer::Stopped => {
            let is_signed = draft.status() == ProposeStatus::Unchanged;
            let question = || if is_signed { Question::Proposal } else { Question::Propose };
            Ok(Refusal::unless(answer, question).map(|()| false)?)
        }
    }
}

/// Commits the signed files, then accepts them: that needs a commit to know the project by.
fn finish(
    project: &Project,
    args: &ProposeArgs,
    key: &PersonKey,
    is_agreed: bool,
    outcome: &mut ProposeOutcome,
) -> Result<(), Error> {
    if args.commit {
        outcome.commit_id = committed(project, args, key, outcome)?;
    }
    if is_agreed && outcome.missing.is_none() && has_commit(project) {
        decisions::review(project)?.accept(project)?;
        outcome.accepted = true;
    }
    Ok(())
}

fn committed(
    project: &Project,
    args: &ProposeArgs,
    key: &PersonKey,
    outcome: &ProposeOutcome,
) -> Result<Option<CommitId>, Error> {
    let message = if args.message.is_empty() {
        vec![format!("Trust files, version {}", outcome.version)]
    } else {
        args.message.clone()
    };
    let paths = outcome.places.iter().filter_map(|path| path.to_str()).map(str::to_owned).collect();
    let options = commit::Options { message, amend: false, allow_secrets: Vec::new(), paths };
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let prepared = commit::prepare(project, &options, Some(key.public()))?;
    match prepared.commit(&prepared.clear()?, key, &cancel) {
        Ok(made) => Ok(Some(made.commit_id)),
        Err(commit::Error::Nothing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn tell(output: &mut Output, outcome: &ProposeOutcome, has_commit: bool) {
    if let Some(commit_id) = &outcome.commit_id {
        output.note(&format!("commit {commit_id}"));
    }
    if let Some(missing) = &outcome.missing {
        output.warn(&format!("it cannot be accepted yet: {missing}"));
        return;
    }
    if !has_commit {
        output.note(
            "the project has no commit yet: run `rye trust propose --commit` to commit it and to accept it yourself",
        );
        return;
    }
    if !outcome.accepted {
        output.note("run `rye trust accept` to accept it yourself");
    }
    if outcome.commit_id.is_none() && !outcome.files.is_empty() {
        output.note("run `rye commit -m 'Say whom to trust'` to commit it");
    }
    if outcome.commit_id.is_some() || !outcome.files.is_empty() {
        output.note("others accept it with `rye trust accept`");
    }
}
