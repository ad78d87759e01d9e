//! `rye migrate`

use clap::Args;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::locate::Locator;
use crate::ops::migrate::{self, Outcome, Status};

/// Rewrite legacy forms of the project's items as current ones
///
/// Prints what would change as a diff; `--write` changes it, keeping everything else byte for byte. What changes loses
/// its signature line: look at it, then sign it again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye migrate                         show what would change
  rye migrate --write                 change it
  rye migrate .ai/directives demo/greet
  rye migrate --check                 exit with 1 if anything is to change")]
pub(in crate::cli) struct MigrateArgs {
    /// Ids, files or folders, also capability documents; without any, every item
    #[arg(value_name = "ID|PATH")]
    only: Vec<String>,

    /// Write what is to change
    #[arg(long, conflicts_with = "check")]
    write: bool,

    /// Only look: exit with 1 if anything is to change
    #[arg(long)]
    check: bool,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &MigrateArgs) -> Result<Exit, Error> {
    let locator = Locator::open(ctx)?;
    let outcome = migrate::migrate(&locator, &migrate::Options { only: args.only.clone(), write: args.write })?;
    let diffs = !args.write && !args.check;
    output.outcome(&outcome, |page| text::migrate::write(page, &outcome, diffs))?;
    tell(output, &outcome);
    Ok(if args.check && outcome.status == Status::Pending { Exit::Failed } else { Exit::Done })
}

fn tell(output: &mut Output, outcome: &Outcome) {
    for file in &outcome.files {
        for remark in &file.remarks {
            output.warn(&format!("`{}:{}`: {}", file.path, remark.line, text::one_line(&remark.message)));
        }
    }
    let files = text::count(outcome.files.iter().filter(|file| !file.changes.is_empty()).count(), "file");
    match outcome.status {
        Status::Unchanged => output.note("there is nothing to migrate"),
        Status::Pending => output.note(&format!("{files} to change: {}", hints::MIGRATE.fill(&[]))),
        Status::Migrated => {
            output.note(&format!("{files} changed"));
            for item in &outcome.sign {
                let hint = hints::SIGN_MIGRATED.fill(&[("type", &item.item_type), ("id", &item.item_id)]);
                output.note(&format!("{} `{}` lost its signature: {hint}", item.item_type, item.item_id));
            }
        }
    }
}
