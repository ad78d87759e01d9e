//! `rye registry`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::registry_change::{change, owners_key};
use super::registry_owner::{self, OwnerCommand};
use super::{git_terminal, person};
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::format::registry_files::Claims;
use crate::id::{Age, ItemType, Segment, Version};
use crate::ops::registry::{self, Change, InitOptions};
use crate::process::{self, CancelFlag};
use crate::project::Project;
use crate::session::Session;
use crate::trust::Signer as _;

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

/// Create a registry in a folder
///
/// A bare git repository with one commit, signed by your key. Put it where your team can push to: a shared folder, or a
/// server, with `git push`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye registry init ../team.git
  rye registry init ../team.git --claims owners
  rye registry init ../team.git --max-age 30d")]
pub(in crate::cli) struct InitArgs {
    /// The folder, which does not exist yet or is empty
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// The registry's own name (default: that of the folder)
    #[arg(long)]
    name: Option<Segment>,

    /// Who may claim a namespace: `open` for whoever publishes in it first, `owners` for your key only
    #[arg(long, value_name = "WHO", default_value = "open")]
    claims: Claims,

    /// Refuse the registry as stale after this time without a new line, such as `30d`; `rye registry renew` adds a line
    #[arg(long, value_name = "AGE")]
    max_age: Option<Age>,
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

/// Stop using a registry
///
/// Forgets its last seen state, its namespaces, and the keys that you trusted for them. The registry itself stays, and so do the files that
/// you pulled; these are untrusted until you trust their keys again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye registry remove team")]
pub(in crate::cli) struct RemoveArgs {
    /// Your name for it
    #[arg(value_name = "NAME")]
    name: Segment,
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

/// Show the checkpoint of a registry, or compare it with another person's
///
/// Prints the signed checkpoint: the number of lines and the root of the tree over them. A host could show each person a different history;
/// comparing checkpoints reveals it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye registry checkpoint team
  rye registry checkpoint team --compare bobs.checkpoint")]
pub(in crate::cli) struct CheckpointArgs {
    /// Your name for it (default: the only one)
    #[arg(value_name = "NAME")]
    name: Option<Segment>,

    /// A file with the other person's checkpoint
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

/// Exclude a version from new pulls
///
/// It stays in the registry, and `rye pull --locked` still takes it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye registry yank team/runbook 1.2.0
  rye registry unyank team/runbook 1.2.0")]
pub(in crate::cli) struct YankArgs {
    /// The item's id or path
    #[arg(value_name = "ID")]
    item_id: args::Named,

    /// The version
    #[arg(value_name = "VERSION")]
    version: Version,

    #[command(flatten)]
    place: PlaceArgs,
}

/// Deprecate an item
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye registry deprecate team/runbook 'use team/guide'
  rye registry deprecate team/runbook ''            recommend it again")]
pub(in crate::cli) struct DeprecateArgs {
    /// The item's id or path
    #[arg(value_name = "ID")]
    item_id: args::Named,

    /// Why, or what to use instead; an empty message takes it back
    #[arg(value_name = "MESSAGE")]
    message: String,

    #[command(flatten)]
    place: PlaceArgs,
}

/// Which registry and which item.
#[derive(Debug, Args)]
pub(in crate::cli) struct PlaceArgs {
    /// The type of item, if several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// The registry (default: the only one)
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<Segment>,
}

impl InitArgs {
    /// Returns the folder as it was given.
    pub(in crate::cli) fn dir(&self) -> String {
        self.dir.display().to_string()
    }
}

impl AddArgs {
    /// Returns the name.
    pub(in crate::cli) const fn name(&self) -> &Segment {
        &self.name
    }
}

impl RemoveArgs {
    /// Returns the name.
    pub(in crate::cli) const fn name(&self) -> &Segment {
        &self.name
    }
}

impl YankArgs {
    fn change(&self, project: &Project, undo: bool) -> Result<Change, Error> {
        let (item_type, item_id) = self.item_id.typed(project, self.place.item_type)?;
        Ok(Change::Yank { item_type, item_id, version: self.version, undo })
    }
}

impl DeprecateArgs {
    fn change(&self, project: &Project) -> Result<Change, Error> {
        let (item_type, item_id) = self.item_id.typed(project, self.place.item_type)?;
        Ok(Change::Deprecate { item_type, item_id, message: self.message.clone() })
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &RegistryCommand) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let terminal = git_terminal(output);
    match command {
        RegistryCommand::Init(args) => init(ctx, output, session.project(), args)?,
        RegistryCommand::List => {
            let outcome = registry::list(session.project())?;
            output.outcome(&outcome, |page| text::registry::write_list(page, &outcome))?;
            if outcome.registries.is_empty() {
                output.note("no registry is configured: `rye publish` makes one, `rye registry add` adds one");
            }
        }
        RegistryCommand::Add(args) => {
            let outcome = registry::add(&session, &args.name, &args.url, terminal)?;
            output.outcome(&outcome, |page| text::registry::write_known(page, "added", &outcome))?;
        }
        RegistryCommand::Remove(args) => {
            let outcome = registry::remove(session.project(), &args.name)?;
            output.outcome(&outcome, |page| text::registry::write_known(page, "removed", &outcome))?;
            if !outcome.ended.is_empty() {
                let namespaces = outcome.ended.iter().map(|name| format!("`{name}/**`"));
                let namespaces = namespaces.collect::<Vec<_>>().join(", ");
                output.note(&format!("the keys that you trusted for {namespaces} of it no longer count"));
            }
        }
        RegistryCommand::Info(args) => {
            let outcome = registry::info(&session, args.name.as_ref(), terminal)?;
            output.outcome(&outcome, |page| text::registry::write_info(page, &outcome))?;
        }
        RegistryCommand::Verify(args) => {
            let outcome = registry::verify(&session, args.name.as_ref(), terminal)?;
            output.outcome(&outcome, |page| text::registry::write_verified(page, &outcome))?;
        }
        RegistryCommand::Checkpoint(args) => {
            let outcome = registry::checkpoint(&session, args.name.as_ref(), args.compare.as_deref(), terminal)?;
            output.outcome(&outcome, |page| text::registry::write_checkpoint(page, &outcome))?;
            if let Some(size) = outcome.compared {
                output.note(&format!("the registry `{}` continues that checkpoint of {size} lines", outcome.registry));
            }
        }
        RegistryCommand::Yank(args) => {
            item(ctx, output, &session, &args.place, &args.change(session.project(), false)?)?
        }
        RegistryCommand::Unyank(args) => {
            item(ctx, output, &session, &args.place, &args.change(session.project(), true)?)?
        }
        RegistryCommand::Deprecate(args) => item(ctx, output, &session, &args.place, &args.change(session.project())?)?,
        RegistryCommand::Renew(args) => {
            let key = owners_key(ctx)?;
            change(output, &session, args.name.as_ref(), &Change::Renew, &key)?;
        }
        RegistryCommand::Owner(command) => registry_owner::run(ctx, output, &session, command)?,
    }
    Ok(Exit::Done)
}

fn init(ctx: &Context, output: &mut Output, project: &Project, args: &InitArgs) -> Result<(), Error> {
    let options =
        InitOptions { dir: args.dir.clone(), name: args.name.clone(), claims: args.claims, max_age: args.max_age };
    let key = person(ctx, output, None)?;
    let outcome = registry::init(project, &options, &key)?;
    output.outcome(&outcome, |page| text::registry::write_init(page, &outcome))?;
    let (name, path) = (&outcome.name, text::quoted(&args.dir()));
    output.note(&format!("to use it, run `rye registry add {name} {path}`"));
    Ok(())
}

/// Changes what the registry says of an item.
fn item(
    ctx: &Context,
    output: &mut Output,
    session: &Session,
    place: &PlaceArgs,
    wanted: &Change,
) -> Result<(), Error> {
    // The question names the item by its id, which a path alone does not say.
    let (registry, key) = (place.registry.as_ref(), owners_key(ctx)?);
    if let Some(client) = ctx.agent_client() {
        registry::check(session, registry, wanted, &key.public(), git_terminal(output))?;
        let answer = agreed(output, Some(client), |_| {}, &wanted.in_words())?;
        Refusal::unless(answer, || Question::Authority)?;
    }
    change(output, session, registry, wanted, &key)
}
