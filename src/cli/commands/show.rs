//! `rye show`

use clap::Args;

use super::git_terminal;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemIdError, ItemType, Requirement, Segment, Version};
use crate::ops::show::{self, Options, Place};
use crate::process::{self, CancelFlag};
use crate::session::Session;

/// Show an item: its inputs, permissions, signers and versions
///
/// Shows a local item as it is, with the versions of the last fetch of your registries. Looks up other items, and a version that you name,
/// in the registries. Pulls nothing. Each line begins with its key.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye show rye/guides/first_thread
  rye show team/runbook@1.2.0
  rye show team/runbook --registry team
  rye show team/runbook --json")]
pub(in crate::cli) struct ShowArgs {
    /// The item's id or path; an id may have a version of a registry: `1.2.3`, or a requirement as for `rye pull`
    #[arg(value_name = "ID[@VERSION]", value_parser = wanted)]
    item: (args::Named, Option<Requirement>),

    /// The type of item, if several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// Look in this registry
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<Segment>,

    /// Use the last fetched state, without network
    #[arg(long)]
    offline: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &ShowArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let (named, requirement) = args.item.clone();
    let (item_type, item_id) = named.typed(session.project(), args.item_type)?;
    let card = show::show(
        &session,
        &Options {
            item_id,
            item_type,
            requirement,
            registry: args.registry.clone(),
            is_offline: args.offline,
            terminal: git_terminal(output),
        },
    )?;
    output.outcome(&card, |page| text::show::write(page, &card))?;
    if let Some(message) = &card.deprecated {
        output.warn(&format!("{} `{}` is deprecated: {}", card.item_type, card.item_id, text::one_line(message)));
    }
    if let Place::Registry { registry, .. } = &card.place {
        let version = card.version.filter(|_| args.item.1.is_some());
        let wanted = version.map_or_else(|| card.item_id.to_string(), |version| format!("{}@={version}", card.item_id));
        output.note(&hints::SHOW_PULL.fill(&[("id", &wanted), ("name", registry)]));
    }
    Ok(Exit::Done)
}

/// Reads an id and what may follow it: a whole version is that one, anything else what a pull would take.
fn wanted(text: &str) -> Result<(args::Named, Option<Requirement>), String> {
    let Some((_, after)) = text.split_once('@') else {
        return text.parse().map(|named| (named, None)).map_err(|error: ItemIdError| error.to_string());
    };
    let (named, requirement) = super::pull::named_wanted(text)?;
    let exactly = after.parse::<Version>().ok().map(Requirement::exactly);
    Ok((named, Some(exactly.unwrap_or(requirement))))
}
