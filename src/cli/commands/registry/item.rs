//! What a registry says of an item: `rye registry yank`, `unyank` and `deprecate`

use clap::Args;

use super::change::{change, owners_key};
use crate::cli::args;
use crate::cli::commands::git_terminal;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::{ItemType, Segment, Version};
use crate::ops::registries::{self, Change};
use crate::project::Project;
use crate::session::Session;
use crate::trust::Signer as _;

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
    pub(super) place: PlaceArgs,
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
    pub(super) place: PlaceArgs,
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

impl YankArgs {
    pub(super) fn change(&self, project: &Project, undo: bool) -> Result<Change, Error> {
        let (item_type, item_id) = self.item_id.typed(project, self.place.item_type)?;
        Ok(Change::Yank { item_type, item_id, version: self.version, undo })
    }
}

impl DeprecateArgs {
    pub(super) fn change(&self, project: &Project) -> Result<Change, Error> {
        let (item_type, item_id) = self.item_id.typed(project, self.place.item_type)?;
        Ok(Change::Deprecate { item_type, item_id, message: self.message.clone() })
    }
}

/// Changes what the registry says of an item.
pub(super) fn run(
    ctx: &Context,
    output: &mut Output,
    session: &Session,
    place: &PlaceArgs,
    wanted: &Change,
) -> Result<(), Error> {
    // The question names the item by its id, which a path alone does not say.
    let (registry, key) = (place.registry.as_ref(), owners_key(ctx, output)?);
    if let Some(client) = ctx.agent_client() {
        registries::check(session, registry, wanted, &key.public(), git_terminal(output))?;
        let answer = agreed(output, Some(client), |_| {}, &wanted.in_words())?;
        Refusal::unless(answer, || Question::Authority)?;
    }
    change(output, session, registry, wanted, &key)
}
