//! `rye commit`

use clap::Args;

use super::{allowed, person, warn_of_key, warn_of_signed};
use crate::cli::args;
use crate::cli::consent::{self, Signs};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::keys::{KeyStore, known_person};
use crate::ops::commit;
use crate::process::{self, CancelFlag};
use crate::project::Project;

/// Sign the changes below `.ai/`, and commit them
///
/// Lists new and changed items with their last signers and their changes, and asks once on the terminal. Then signs and stages
/// them, and has git commit them with whatever else is staged: your editor, hooks and templates work as always. Trust files that a root
/// signed, and `.gitattributes` and `.ai/.gitignore` as `rye init` makes them, go into the commit, too. The commit is signed too, with the
/// same key. Without a terminal nothing is signed, unless `--yes` says that you reviewed it; with `commit.sign = "own"` in your
/// configuration, it signs changes to items that you signed and committed before without asking. At the end it writes git notes: the
/// signatures of each item on its blob, so that they survive squashes and rebases, and a line per item on the commit.
/// A commit that would bring a finding of `rye verify` is not made: the error names what the commit lacks.
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

    /// The message; several become paragraphs. Without it, git opens your editor
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,

    /// Put the changes into the last commit
    #[arg(long)]
    amend: bool,

    #[command(flatten)]
    secrets: args::AllowSecret,

    /// Sign with the key in this file: a private key, or the public half of a key in your ssh-agent
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, value_parser = args::name())]
    key: Option<String>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &CommitArgs) -> Result<Exit, Error> {
    let own = known_person(ctx, &KeyStore::new(ctx)?, args.key.as_deref())?;
    let project = Project::open(ctx)?;
    let options = commit::Options {
        message: args.message.clone(),
        amend: args.amend,
        allow_secrets: allowed(ctx, output, &args.secrets)?,
        paths: args.paths.clone(),
    };
    let prepared = commit::prepare(&project, &options, own).inspect_err(|error| {
        if let commit::Error::Invalid { failures } = error {
            output.on_stderr(|page| text::sign::write_failures(page, failures));
        }
    })?;
    for path in &prepared.plan().left {
        output.note(&format!(
            "`{path}` is skipped: signed by another key and not staged (run `git add -- {path}` to commit it)"
        ));
    }
    for why in &prepared.plan().unreadable {
        output.warn(&format!("{why}: it is not staged and is left as it is"));
    }
    for (path, ends) in &prepared.plan().converted {
        output.warn(&format!("`{path}` is skipped: {}", ends.cause));
        output.note(&ends.mend);
    }
    for why in &prepared.along().unreadable {
        output.warn(&format!("{why}: skipped"));
    }
    if let [first, ..] = prepared.along().unsigned.as_slice() {
        output.warn(&format!("`{first}` is skipped: no root signed it as it is"));
        output.note(&hints::TRUST_PROPOSE.fill(&[]));
    }
    own.iter().for_each(|own| warn_of_key(output, &project, own));
    prepared.check()?;
    let cleared = prepared.clear()?;
    consent::to_sign(ctx, output, prepared.plan(), Signs::Commit)?;
    let key = person(ctx, output, args.key.as_deref())?;
    // A signal that reaches this program alone is passed on to git, which is waited for: a commit is made or not, and nothing
    // is left running.
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let outcome = prepared.commit(&cleared, &key, &cancel).inspect_err(|error| {
        if let commit::Error::Unverified(unverified) | commit::Error::ChangedByHook { unverified } = error {
            output.on_stderr(|page| text::verify::write_findings(page, &unverified.findings));
        }
    })?;
    output.outcome(&outcome, |page| text::commit::write(page, &outcome))?;
    tell(output, &outcome);
    Ok(Exit::Done)
}

fn tell(output: &mut Output, outcome: &commit::Outcome) {
    outcome.items.iter().for_each(|item| warn_of_signed(output, item));
    if !outcome.along.is_empty() {
        output.note(&format!(
            "also in the commit: {}",
            outcome.along.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
        ));
    }
    let on = outcome.branch.as_deref().map_or("a detached `HEAD`", |name| name.trim_start_matches("refs/heads/"));
    output.note(&format!("commit {} on {on}", outcome.commit_id));
    tell_of_proof(output, outcome.proof);
    if outcome.converts {
        output.warn("`.gitattributes` does not keep git from converting the line ends of signed files");
        output.note(&hints::KEEP_BYTES.fill(&[]));
    }
    if let Some(error) = &outcome.notes_missing {
        output.warn(&format!("its notes are not written yet: {error}; the next `rye commit` writes them"));
    }
}

pub(super) fn tell_of_proof(output: &mut Output, proof: commit::Proof) {
    if proof.older > 0 {
        let findings = text::count(proof.older, "older finding");
        output.note(&format!("{findings} of its parents in the commit (`rye verify --rev HEAD` lists them)"));
    }
    if proof.untrusted > 0 {
        let items = text::count(proof.untrusted, "item");
        output.note(&format!("{items} in the commit signed by keys that are not trusted here"));
    }
    if proof.awaited > 0 {
        let items = text::count(proof.awaited, "item");
        output.note(&format!("{items} in the commit without all required countersignatures: `rye sign --detached`"));
    }
}
