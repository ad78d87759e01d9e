//! `rye list`

use clap::Args;

use super::{tell_of_left_out, warn_of_project_config};
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemType, Space};
use crate::ops::list;
use crate::project::Project;

/// List items and the verdicts on their signatures
///
/// Exits with 1 when a file cannot be read as an item, and outside of a git repository when there is nothing to list. In a
/// pipe, each line has type, id, version, space, verdict and description, separated by tabs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye list
  rye list directive
  rye list tool --space system")]
pub(in crate::cli) struct ListArgs {
    /// Only this type of item
    #[arg(value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// Only this space
    #[arg(long, value_parser = args::space())]
    space: Option<Space>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &ListArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let outcome = list::list(&project, &list::Options { item_type: args.item_type, space: args.space })?;
    let is_empty = outcome.items.is_empty() && outcome.documents.is_empty();
    // Outside of a project the person's and the program's items are listed; an empty list there is a mistake.
    if args.space.is_none()
        && let Err(error) = project.require_repository()
    {
        if is_empty {
            return Err(error.into());
        }
        output.note(&outside(&project));
    }
    output.outcome(&outcome, |page| text::list::write(page, &outcome))?;
    output.status(|page| text::list::write_strays(page, &outcome));
    if args.item_type == Some(ItemType::Skill) && args.space.is_none_or(|space| space == Space::Project) {
        let paths = project.unlisted_skill_paths()?;
        if !paths.is_empty() {
            let paths: Vec<String> = paths.iter().map(|path| format!("{path:?}")).collect();
            output.note(&hints::SKILLS_ELSEWHERE.fill(&[("paths", &text::one_line(&paths.join(", ")))]));
        }
    }
    warn_of_project_config(output, &project);
    tell_of_left_out(output, &project)?;
    if is_empty {
        output.note("nothing to list");
    }
    Ok(if outcome.is_partial() { Exit::Failed } else { Exit::Done })
}

/// Says what is listed outside of a project.
fn outside(project: &Project) -> String {
    let dir = project.context().current_dir().display();
    format!(
        "`{dir}` is not in a git repository: these are the user's and the system's items; name a project with `-C DIR`"
    )
}
