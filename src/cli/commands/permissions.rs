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
use crate::ops::locate::Session;
use crate::ops::permissions::{self, Caller};

/// Show what a directive may do in the end, and which line grants it
///
/// Each grant with its risk, and what your configuration leaves of it: `permissions.deny` and `permissions.ask` beat
/// every grant. With a capability document, what is left when a thread is run under it. The directive need not be signed. In a pipe, a line holds what is left (`allowed`, `asked`, `partly`,
/// `denied`), the grant, its risk, its line and what cuts it, separated by tabs.
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

    /// Show what this capability document leaves
    #[arg(long, value_name = "FILE")]
    permissions: Option<PathBuf>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &PermissionsArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let caller = args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?;
    warn_of_caller(output, caller.as_ref());
    let outcome =
        permissions::permissions(&session, &args.directive.id(&session, Some(ItemType::Directive))?, caller.as_ref())?;
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
