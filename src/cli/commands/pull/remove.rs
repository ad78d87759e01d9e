//! `rye remove`

use clap::Args;

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::{ItemType, Space};
use crate::ops::pull::{remove, remove_skill};
use crate::project::Project;

/// Remove a pulled item
///
/// Removes its file and its entry in `rye.lock` (for a skill its folder and its signature), and the items that came with it and are no
/// longer needed. Without --force, keeps an item that another one needs, and a file that you changed. Keeps companions, which other tools
/// may use.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye remove team/runbook\n  rye remove team/runbook --space user")]
pub(in crate::cli) struct RemoveArgs {
    /// The item's id, or the path of its file
    #[arg(value_name = "ID")]
    item_id: args::Named,

    /// The type of item, if several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// The space that it is in
    #[arg(long, value_name = "SPACE", value_parser = args::writable_space(), default_value = "project")]
    space: Space,

    /// Remove it even if you changed it or another item needs it
    #[arg(long)]
    force: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &RemoveArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let item_id = args.item_id.id(&project, args.item_type)?;
    if args.item_type.is_none_or(|item_type| item_type == ItemType::Skill)
        && let Some(outcome) = remove_skill(&project, &item_id, args.space, args.force)?
    {
        output.outcome(&outcome, |page| {
            page.line(if outcome.kept {
                format!("Took skill {} out of rye.lock; {} stays", outcome.item_id, outcome.folder)
            } else {
                format!("Removed skill {} in {}", outcome.item_id, outcome.folder)
            });
        })?;
        return Ok(Exit::Done);
    }
    let outcome = remove(&project, args.item_type, &item_id, args.space, args.force)?;
    output.outcome(&outcome, |page| {
        page.line(format!("Removed {} {}", outcome.item_id, outcome.version));
        for item in &outcome.unneeded {
            page.line(format!("Removed {} {} (not needed any more)", item.item_id, item.version));
        }
    })?;
    for item in outcome.unneeded.iter().filter(|item| item.is_changed) {
        output.note(&format!("the file of {} `{}` was changed here and stays", item.item_type, item.item_id));
    }
    Ok(Exit::Done)
}
