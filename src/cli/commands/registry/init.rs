//! `rye registry init`

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::person;
use crate::cli::error::Error;
use crate::cli::output::Output;
use crate::cli::output_path::repository_path;
use crate::cli::text;
use crate::context::Context;
use crate::format::registry_files::Claims;
use crate::id::{Age, Segment};
use crate::ops::registries::{self, InitOptions};
use crate::project::Project;

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

impl InitArgs {
    /// Returns the folder as it was given.
    pub(in crate::cli) fn dir(&self) -> String {
        self.dir.display().to_string()
    }
}

pub(super) fn run(ctx: &Context, output: &mut Output, project: &Project, args: &InitArgs) -> Result<(), Error> {
    repository_path(ctx, &args.dir)?;
    let options =
        InitOptions { dir: args.dir.clone(), name: args.name.clone(), claims: args.claims, max_age: args.max_age };
    let key = person(ctx, output, None)?;
    let outcome = registries::init(project, &options, &key)?;
    output.outcome(&outcome, |page| text::registry::write_init(page, &outcome))?;
    let (name, path) = (&outcome.name, text::quoted(&args.dir()));
    output.note(&format!("to use it, run `rye registry add {name} {path}`"));
    Ok(())
}
