//! `rye trust`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::trust;

/// Whom you trust
///
/// Decisions are yours and lie in your own configuration; nothing a project brings counts.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye trust list
  rye trust add ~/.ssh/id_ed25519.pub")]
pub(in crate::cli) enum TrustCommand {
    /// Show whose signatures count
    #[command(after_help = "Examples:\n  rye trust list")]
    List,
    Add(AddArgs),
}

/// Trust the public keys in a file
///
/// A plain key is trusted for everything; lines of allowed_signers are trusted as far as they say.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust add ~/.ssh/id_ed25519.pub --principal ada@example.org
  rye trust add .ai/trust/allowed_signers")]
pub(in crate::cli) struct AddArgs {
    /// An OpenSSH public key, or lines of allowed_signers
    file: PathBuf,

    /// The name of the key's holder; without it, the key's comment
    #[arg(long)]
    principal: Option<String>,
}

pub(super) fn run(ctx: &Context, output: &mut Output, command: &TrustCommand) -> Result<Exit, Error> {
    let outcome = match command {
        TrustCommand::List => trust::list(ctx)?,
        TrustCommand::Add(args) => trust::add(ctx, &args.file, args.principal.as_deref())?,
    };
    output.outcome(&outcome, |page| text::keys::write_trusted(page, &outcome))?;
    match command {
        TrustCommand::List if outcome.keys.is_empty() => output.note("no key is trusted yet"),
        TrustCommand::Add(_) if outcome.keys.is_empty() => output.note("every key of the file was trusted already"),
        TrustCommand::Add(_) => output.note(&format!("written to `{}`", outcome.path.display())),
        TrustCommand::List => {}
    }
    Ok(Exit::Done)
}
