//! The changes of a key that is known: `rye trust retire`, `revoke` and `remove`

use clap::Args;

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::id::Timestamp;
use crate::keys::KeyName;
use crate::ops::decisions::{self, EditOutcome, EditStatus};
use crate::project::Project;

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

pub(super) fn retire(output: &mut Output, project: &Project, args: &RetireArgs) -> Result<(), Error> {
    edited(output, &decisions::retire(project, &args.key, args.at, args.project)?, "retired")
}

pub(super) fn revoke(output: &mut Output, project: &Project, args: &RevokeArgs) -> Result<(), Error> {
    let outcome = decisions::revoke(project, &args.key, args.reason.as_deref(), args.project)?;
    edited(output, &outcome, "revoked")?;
    tell_of_own(output, &outcome);
    Ok(())
}

pub(super) fn remove(output: &mut Output, project: &Project, args: &RemoveArgs) -> Result<(), Error> {
    edited(output, &decisions::remove(project, &args.key, args.project)?, "removed")
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

/// Reads a time, or a day for its first second.
fn moment(text: &str) -> Result<Timestamp, String> {
    let day = format!("{text}T00:00:00Z");
    let wrong = |_| "write it as `2026-03-17` or `2026-03-17T01:41:08Z`".to_owned();
    text.parse().or_else(|_| day.parse()).map_err(wrong)
}
