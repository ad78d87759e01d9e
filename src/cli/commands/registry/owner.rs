//! `rye registry owner`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::change::{change, owners_key};
use crate::cli::commands::git_terminal;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::Segment;
use crate::ops::registries::{self, Change, OwnerChange};
use crate::session::Session;
use crate::trust::Signer as _;

/// Change who owns a namespace
///
/// Each change is a line of the log, signed by a current owner of the namespace.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye registry owner add team bob.pub
  rye registry owner transfer team bob.pub")]
pub(in crate::cli) enum OwnerCommand {
    /// Let another key publish in a namespace
    #[command(after_help = "Examples:\n  rye registry owner add team bob.pub")]
    Add(OwnerArgs),
    /// Remove a key from the owners of a namespace
    #[command(after_help = "Examples:\n  rye registry owner remove team bob.pub")]
    Remove(OwnerArgs),
    /// Transfer a namespace to another key, as its only owner
    #[command(after_help = "Examples:\n  rye registry owner transfer team bob.pub")]
    Transfer(OwnerArgs),
    /// Replace your own key; the old key signs the change
    #[command(after_help = "Examples:\n  rye registry owner rotate team new_key.pub")]
    Rotate(OwnerArgs),
}

/// Which namespace and whose key.
#[derive(Debug, Args)]
pub(in crate::cli) struct OwnerArgs {
    /// The namespace
    #[arg(value_name = "NAMESPACE")]
    namespace: Segment,

    /// A file with the public key, as OpenSSH writes it
    #[arg(value_name = "FILE")]
    key: PathBuf,

    /// The registry (default: the only one)
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<Segment>,
}

/// Shows the whole fingerprint, and asks.
pub(super) fn run(ctx: &Context, output: &mut Output, session: &Session, command: &OwnerCommand) -> Result<(), Error> {
    let (OwnerCommand::Add(args)
    | OwnerCommand::Remove(args)
    | OwnerCommand::Transfer(args)
    | OwnerCommand::Rotate(args)) = command;
    let key = registries::read_owner(session.project(), &args.key)?;
    let wanted = match command {
        OwnerCommand::Add(_) => OwnerChange::Add(key),
        OwnerCommand::Remove(_) => OwnerChange::Remove(key),
        OwnerCommand::Transfer(_) => OwnerChange::Transfer(key),
        OwnerCommand::Rotate(_) => OwnerChange::Rotate(key),
    };
    let wanted = Change::Owner { namespace: args.namespace.clone(), change: wanted };
    let (registry, key) = (args.registry.as_ref(), owners_key(ctx, output)?);
    registries::check(session, registry, &wanted, &key.public(), git_terminal(output))?;
    let what = wanted.in_words();
    let answer = match ctx.agent_client() {
        Some(client) => agreed(output, Some(client), |_| {}, &what)?,
        None => output.agrees(&format!("{what}?")),
    };
    Refusal::unless(answer, || Question::Owner)?;
    change(output, session, registry, &wanted, &key)
}
