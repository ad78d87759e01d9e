//! `rye trust`

use std::convert::Infallible;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::tell_of_proposal;
use super::trust_propose::{self, ProposeArgs};
use crate::cli::args;
use crate::cli::consent;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::{Context, bounded};
use crate::id::Timestamp;
use crate::keys::KeyName;
use crate::ops::trust::{
    self, AcceptStatus, AddOptions, AddOutcome, EditOutcome, EditStatus, Input, ListOutcome, SharedName,
};
use crate::project::Project;
use crate::trust::MAX_TRUST_FILE_BYTES;

/// Manage whom you trust
///
/// Your own configuration stores whom you trust. The trust files of a project have no effect until you accept them, and then for that
/// project only.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye trust list
  rye trust add ~/.ssh/id_ed25519.pub
  rye trust accept")]
pub(in crate::cli) enum TrustCommand {
    /// List trusted keys, their uses, and the files that name them
    #[command(after_help = "Examples:\n  rye trust list\n  rye trust list --json")]
    List,
    Add(AddArgs),
    Propose(ProposeArgs),
    Accept(AcceptArgs),
    Retire(RetireArgs),
    Revoke(RevokeArgs),
    Remove(RemoveArgs),
}

/// Trust the public keys in a file
///
/// Trusts a plain key for everything, and a line of allowed_signers for the uses that it names. With --project, writes the keys to
/// `.ai/trust/allowed_signers` for a root to propose: a plain key for items and commits. A key needs a name: the address in its comment, or
/// --principal. A key that is trusted already gets the name that --principal gives.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust add ~/.ssh/id_ed25519.pub --principal ada@example.org
  rye trust add .ai/trust/allowed_signers
  rye trust add colleague.pub --project")]
pub(in crate::cli) struct AddArgs {
    /// OpenSSH public keys, a public key as PEM, or lines of allowed_signers; `-` for stdin
    #[arg(value_name = "FILE|-")]
    file: PathBuf,

    /// The name of the key's holder, also a new one; without it, the address in the key's comment
    #[arg(long)]
    principal: Option<String>,

    /// Refused: `rye pull` asks about namespaces
    #[arg(long, value_name = "REGISTRY/NAMESPACE", value_parser = namespace, hide = true)]
    namespace: Option<Infallible>,

    /// Write it to the trust files of this project
    #[arg(long)]
    project: bool,
}

impl AddArgs {
    /// Returns the file as it was given.
    pub(in crate::cli) fn file(&self) -> String {
        self.file.display().to_string()
    }
}

/// Accept the trust files of this project
///
/// Shows the changes and asks. Copies what you accept into your own configuration, for this project at this path only. A later change of
/// the files has no effect until you accept it, too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust accept
  rye trust accept --yes
  rye trust accept --withdraw")]
pub(in crate::cli) struct AcceptArgs {
    /// Withdraw what you accepted: then the trust files of this project have no effect
    #[arg(long)]
    withdraw: bool,
}

impl AcceptArgs {
    /// Tells whether nothing is accepted.
    pub(in crate::cli) const fn only_withdraws(&self) -> bool {
        self.withdraw
    }
}

/// End the validity of a key
///
/// Its earlier signatures stay good. If the key may be stolen, use `rye trust revoke`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust retire ada@example.org
  rye trust retire ada@example.org --at 2026-03-31
  rye trust retire ada@example.org --project")]
pub(in crate::cli) struct RetireArgs {
    /// The key: its id or fingerprint, the beginning of one, its holder or a file
    #[arg(value_parser = args::name())]
    key: String,

    /// The end of its validity, in UTC (default: now)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<Timestamp>,

    /// In the trust files of this project
    #[arg(long)]
    project: bool,
}

/// Make every signature of a key bad, whatever date it claims
///
/// Works for an untrusted key and for your own, too. Use it when a key may be stolen.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust revoke ada@example.org --reason 'laptop stolen'
  rye trust revoke stranger.pub
  rye trust revoke ada@example.org --project")]
pub(in crate::cli) struct RevokeArgs {
    /// The key: its id or fingerprint, the beginning of one, its holder or a file
    #[arg(value_parser = args::name())]
    key: String,

    /// The reason, for readers of the list
    #[arg(long)]
    reason: Option<String>,

    /// In the trust files of this project
    #[arg(long)]
    project: bool,
}

/// Stop trusting a key
///
/// Its signatures become untrusted, as if you had never added it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust remove ada@example.org
  rye trust remove ada@example.org --project")]
pub(in crate::cli) struct RemoveArgs {
    /// The key: its id or fingerprint, the beginning of one, its holder or a file
    #[arg(value_parser = args::name())]
    key: String,

    /// In the trust files of this project
    #[arg(long)]
    project: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &TrustCommand) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    match command {
        TrustCommand::List => list(output, &trust::list(&project)?)?,
        TrustCommand::Add(args) => {
            let outcome = trust::add(&project, &add_options(args)?)?;
            output.outcome(&outcome, |page| text::trust::write_added(page, &outcome))?;
            tell_of_added(output, &outcome);
        }
        TrustCommand::Propose(args) => trust_propose::run(ctx, output, &project, args)?,
        TrustCommand::Accept(AcceptArgs { withdraw: true }) => {
            let outcome = trust::withdraw(&project)?;
            output.outcome(&outcome, |page| text::trust::write_accepted(page, &outcome))?;
        }
        TrustCommand::Accept(AcceptArgs { withdraw: false }) => accept(ctx, output, &project)?,
        TrustCommand::Retire(args) => {
            edited(output, &trust::retire(&project, &args.key, args.at, args.project)?, "retired")?;
        }
        TrustCommand::Revoke(args) => {
            let outcome = trust::revoke(&project, &args.key, args.reason.as_deref(), args.project)?;
            edited(output, &outcome, "revoked")?;
            tell_of_own(output, &outcome);
        }
        TrustCommand::Remove(args) => edited(output, &trust::remove(&project, &args.key, args.project)?, "removed")?,
    }
    Ok(Exit::Done)
}

fn list(output: &mut Output, outcome: &ListOutcome) -> Result<(), Error> {
    output.outcome(outcome, |page| text::trust::write_list(page, outcome))?;
    if outcome.keys.is_empty() {
        output.note("no key is trusted yet");
    }
    if let Some(project) = &outcome.project {
        tell_of_proposal(output, project, true);
    }
    if outcome.git_allowed_signers.exists() {
        output.note(&text::trust::git_commands(outcome));
    }
    Ok(())
}

fn add_options(args: &AddArgs) -> Result<AddOptions, Error> {
    let input = if args.file.as_os_str() == "-" {
        Input::Text(bounded::read_stdin(MAX_TRUST_FILE_BYTES as u64).map_err(trust::Error::from)?)
    } else {
        Input::File(args.file.clone())
    };
    Ok(AddOptions { input, principal: args.principal.clone(), project: args.project })
}

fn tell_of_added(output: &mut Output, outcome: &AddOutcome) {
    let is_changed = !outcome.keys.is_empty() || !outcome.renamed.is_empty();
    match (is_changed, outcome.project) {
        (true, _) => output.note(&format!("written to `{}`", outcome.path.display())),
        (false, true) => output.note("the project's file has every one of these keys already"),
        (false, false) => output.note("every key of the file was trusted already"),
    }
    for SharedName { principal, key_ids } in &outcome.shared {
        let ids = key_ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
        output.warn(&format!("`{principal}` has {} keys ({ids}); for a policy they are one person", key_ids.len()));
    }
    if outcome.project && is_changed {
        output.note("it has no effect until a root signs it: `rye trust propose`");
    }
}

/// Shows the changes, asks, and accepts them.
fn accept(ctx: &Context, output: &mut Output, project: &Project) -> Result<(), Error> {
    let review = trust::review(project)?;
    let version = review.outcome().version.unwrap_or_default();
    if review.outcome().status == AcceptStatus::Proposed {
        let changes = &review.outcome().changes;
        let what = format!("accept version {version} for this project");
        let answer = if let Some(client) = ctx.agent_client() {
            consent::agreed(output, Some(client), |page| text::trust::write_changes(page, changes), &what)?
        } else {
            output.on_stderr(|page| text::trust::write_changes(page, changes));
            output.agrees(&format!("{what}?"))
        };
        Refusal::unless(answer, || Question::Proposal)?;
    }
    let outcome = review.accept(project)?;
    output.outcome(&outcome, |page| text::trust::write_accepted(page, &outcome))?;
    Ok(())
}

/// Says what follows from a revoked key of one's own.
fn tell_of_own(output: &mut Output, outcome: &EditOutcome) {
    let Some(name) = outcome.own.filter(|_| !outcome.project) else { return };
    output.warn(&format!("what your {name} key signed is bad from now on, and so is what it will sign"));
    let hint = if name == KeyName::Agent.as_str() { hints::AGENT_REPLACE } else { hints::KEY_RENEW };
    output.note(&hint.fill(&[]));
}

fn edited(output: &mut Output, outcome: &EditOutcome, done: &'static str) -> Result<(), Error> {
    output.outcome(outcome, |page| text::trust::write_edited(page, outcome, done))?;
    for path in &outcome.files {
        output.note(&format!("written to `{}`", path.display()));
    }
    if outcome.status == EditStatus::Unchanged {
        output.note("it was so already");
    } else if outcome.project {
        output.note("it has no effect until a root signs it: `rye trust propose`");
    }
    Ok(())
}

/// Refuses every namespace of a registry.
fn namespace(_: &str) -> Result<Infallible, &'static str> {
    Err("`rye pull` shows the key of a namespace and asks whether to trust it")
}

/// Reads a time, or a day for its first second.
fn moment(text: &str) -> Result<Timestamp, String> {
    let day = format!("{text}T00:00:00Z");
    let wrong = |_| "write it as `2026-03-17` or `2026-03-17T01:41:08Z`".to_owned();
    text.parse().or_else(|_| day.parse()).map_err(wrong)
}
