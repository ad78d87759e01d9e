//! `rye init`

use std::path::{Path, PathBuf};

use clap::Args;

use super::tell_of_new_keys;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::output_path::output_path;
use crate::context::Context;
use crate::ops::init;
use crate::project::{self, Project};
use crate::workspace;

/// Turn a folder into a workspace
///
/// Creates `.ai/` with a folder for each type of item, the ignore and attribute lines that keep git from changing signed bytes, and, if
/// they are missing, your keys and a git repository. In a clone, `git fetch` also fetches notes from then on; `git push` pushes the same
/// refs as before. A second run changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye init
  rye init work/agents
  rye init --user")]
pub(in crate::cli) struct InitArgs {
    /// The folder; without it, the current one
    dir: Option<PathBuf>,

    /// Create your user space, whose items every project sees
    #[arg(long, conflicts_with = "dir")]
    user: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &InitArgs) -> Result<Exit, Error> {
    if !args.user {
        judge(ctx, args.dir.as_deref())?;
    }
    let options = init::Options { dir: args.dir.clone(), user: args.user };
    let outcome = init::init(ctx, &options)?;
    tell_of_new_keys(output, &outcome.keys);
    let since = if outcome.created.is_empty() { "already" } else { "now" };
    output.outcome(&outcome, |page| {
        for created in &outcome.created {
            page.line(format!("{} {created}", page.paint().green("created")));
        }
    })?;
    for remote in &outcome.notes_from {
        output.note(&format!("`git fetch` brings the notes of `{remote}` from now on"));
    }
    output.note(&format!("`{}` is a workspace {since}", outcome.root.display()));
    Ok(Exit::Done)
}

/// Judges the folder to turn into a workspace. Without `DIR` it is the current one, which `-C` may have named: a part of a project is
/// refused by the name of the project around it, as every command does.
fn judge(ctx: &Context, dir: Option<&Path>) -> Result<(), Error> {
    let opened = Project::open(ctx);
    if dir.is_none()
        && let Err(project::Error::Workspace(workspace::Error::PartOfProject { .. })) = &opened
    {
        opened?;
    }
    output_path(ctx, dir.unwrap_or(Path::new(".")))?;
    Ok(())
}
