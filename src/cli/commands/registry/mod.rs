//! `rye registry`: a file per verb that has more to do than to call, and `change`, what the verbs share that change a registry.

mod change;
mod checkpoint;
mod init;
mod item;
mod owner;
mod remove;

use clap::{Args, Subcommand};

use self::change::{change, owners_key};
use self::checkpoint::CheckpointArgs;
use self::init::InitArgs;
use self::item::{DeprecateArgs, YankArgs};
use self::owner::OwnerCommand;
use self::remove::RemoveArgs;
use crate::cli::args;
use crate::cli::commands::git_terminal;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::Segment;
use crate::ops::registries::{self, Change};
use crate::process::{self, CancelFlag};
use crate::session::Session;

/// Manage registries, where items are published
///
/// A registry is a git repository that anyone can host. Its log is append-only: each line is signed, and every client notices when a line
/// that it saw before was changed or removed. Your own configuration lists the registries that you use.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye registry init ../team.git
  rye registry add team ../team.git
  rye registry info team")]
pub(in crate::cli) enum RegistryCommand {
    Init(InitArgs),
    /// Show the registries you use, and which namespaces come from them
    #[command(after_help = "Examples:\n  rye registry list\n  rye registry list --json")]
    List,
    Add(AddArgs),
    Remove(RemoveArgs),
    Info(NameArgs),
    Verify(VerifyArgs),
    Checkpoint(CheckpointArgs),
    Yank(YankArgs),
    /// Include a yanked version in new pulls again
    Unyank(YankArgs),
    Deprecate(DeprecateArgs),
    Renew(RenewArgs),
    #[command(subcommand)]
    Owner(OwnerCommand),
}

/// Add a line to a registry, so that it is not stale
///
/// Clients refuse a registry made with --max-age whose last line is older, because its host could hide newer lines. Any owner of a
/// namespace may renew it, for example a scheduled pipeline.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye registry renew\n  rye registry renew team")]
pub(in crate::cli) struct RenewArgs {
    /// Your name for it (default: the only one)
    #[arg(value_name = "NAME")]
    name: Option<Segment>,
}

/// Use a registry
///
/// Fetches and verifies all of it. From then on its log may only grow.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye registry add team ../team.git
  rye registry add team git@example.org:team.git
  rye registry add team https://example.org/team.git
  rye registry add team static+https://example.org/team")]
pub(in crate::cli) struct AddArgs {
    /// Your name for it
    #[arg(value_name = "NAME")]
    name: Segment,

    /// A folder, an address for git over `ssh` or `https`, or `static+https://…` for files of a web server
    #[arg(value_name = "URL", value_parser = args::name())]
    url: String,
}

/// Show the contents of a registry
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye registry info\n  rye registry info team --json")]
pub(in crate::cli) struct NameArgs {
    /// Your name for it (default: the only one)
    #[arg(value_name = "NAME")]
    name: Option<Segment>,
}

/// Verify a whole registry
///
/// Verifies every line and its signature, the tree over them and its checkpoint, that the log continues what you last saw, and every file
/// of every version.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye registry verify\n  rye registry verify team --json")]
pub(in crate::cli) struct VerifyArgs {
    /// Your name for it (default: the only one)
    #[arg(value_name = "NAME")]
    name: Option<Segment>,
}

impl AddArgs {
    /// Returns the name.
    pub(in crate::cli) const fn name(&self) -> &Segment {
        &self.name
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &RegistryCommand) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let terminal = git_terminal(output);
    match command {
        RegistryCommand::Init(args) => init::run(ctx, output, session.project(), args)?,
        RegistryCommand::List => {
            let outcome = registries::list(session.project())?;
            output.outcome(&outcome, |page| text::registry::write_list(page, &outcome))?;
            if outcome.registries.is_empty() {
                output.note("no registry is configured: `rye publish` makes one, `rye registry add` adds one");
            }
        }
        RegistryCommand::Add(args) => {
            let outcome = registries::add(&session, &args.name, &args.url, terminal)?;
            output.outcome(&outcome, |page| text::registry::write_known(page, "added", &outcome))?;
        }
        RegistryCommand::Remove(args) => remove::run(output, session.project(), args)?,
        RegistryCommand::Info(args) => {
            let outcome = registries::info(&session, args.name.as_ref(), terminal)?;
            output.outcome(&outcome, |page| text::registry::write_info(page, &outcome))?;
        }
        RegistryCommand::Verify(args) => {
            let outcome = registries::verify(&session, args.name.as_ref(), terminal)?;
            output.outcome(&outcome, |page| text::registry::write_verified(page, &outcome))?;
        }
        RegistryCommand::Checkpoint(args) => checkpoint::run(output, &session, args)?,
        RegistryCommand::Yank(args) => {
            item::run(ctx, output, &session, &args.place, &args.change(session.project(), false)?)?
        }
        RegistryCommand::Unyank(args) => {
            item::run(ctx, output, &session, &args.place, &args.change(session.project(), true)?)?
        }
        RegistryCommand::Deprecate(args) => {
            item::run(ctx, output, &session, &args.place, &args.change(session.project())?)?
        }
        RegistryCommand::Renew(args) => {
            let key = owners_key(ctx, output)?;
            change(output, &session, args.name.as_ref(), &Change::Renew, &key)?;
        }
        RegistryCommand::Owner(command) => owner::run(ctx, output, &session, command)?,
    }
    Ok(Exit::Done)
}
