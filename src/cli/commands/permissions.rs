//! `rye permissions`

use std::path::PathBuf;

use clap::Args;

use super::warn_of_caller;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::ItemType;
use crate::ops::permissions::{self, Caller};
use crate::project::Project;

/// Show the effective permissions of a directive, and the line that grants each
///
/// Lists each grant with its risk and its effect under your configuration: `permissions.deny` and `permissions.ask` override grants. With a
/// capability document, shows the effect in a thread that runs under it. The directive needs no signature. In a pipe, each line has the
/// effect (`allowed`, `asked`, `partly`, `denied`), the grant, its risk, its line and what restricts it, separated by tabs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye permissions rye/guides/first_thread
  rye permissions demo/deploy --permissions readonly.yaml
  rye permissions demo/deploy --json")]
pub(in crate::cli) struct PermissionsArgs {
    /// The directive's id, or the path of its file
    #[arg(value_name = "DIRECTIVE")]
    directive: args::Named,

    /// Show the effect under this capability document
    #[arg(long, value_name = "FILE")]
    permissions: Option<PathBuf>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &PermissionsArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let caller = args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?;
    warn_of_caller(output, caller.as_ref());
    let outcome =
        permissions::permissions(&project, &args.directive.id(&project, Some(ItemType::Directive))?, caller.as_ref())?;
    output.outcome(&outcome, |page| text::permissions::write(page, &outcome))?;
    for item_id in &outcome.in_error {
        output.warn(&format!("`{item_id}` has errors and cannot be used as it is: run `rye lint {item_id}`"));
    }
    if outcome.calls.is_empty() {
        let declares = if outcome.declared { "permits no call" } else { "declares no permissions" };
        output.note(&format!("it {declares}, so a thread of it may call nothing"));
    } else if outcome.paths.is_empty() {
        output.note("it declares no paths, so its tools may touch the whole project");
    }
    Ok(Exit::Done)
}
