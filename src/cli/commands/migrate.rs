//! `rye migrate`

use clap::Args;

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints::{self, Hint};
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::ItemType;
use crate::item::Node;
use crate::ops::migrate::{self, Failure, File, Outcome, State, Status};
use crate::project::Project;

/// Rewrite legacy forms of the project's items as current ones
///
/// Prints a diff; `--write` applies it and keeps everything else byte for byte. A changed item loses its signature line: review it, then
/// sign it again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye migrate                         show the changes
  rye migrate --write                 write the changes
  rye migrate .ai/directives demo/greet
  rye migrate --check                 exit with 1 if an item has a legacy form")]
pub(in crate::cli) struct MigrateArgs {
    /// Ids, files or folders, also capability documents (default: every item)
    #[arg(value_name = "ID|PATH", value_parser = args::name())]
    only: Vec<String>,

    /// Write the changes
    #[arg(long, conflicts_with = "check")]
    write: bool,

    /// Change nothing, and exit with 1 if an item has a legacy form
    #[arg(long)]
    check: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &MigrateArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let outcome = migrate::migrate(&project, &migrate::Options { only: args.only.clone(), write: args.write })?;
    let diffs = !args.write && !args.check;
    output.outcome(&outcome, |page| text::migrate::write(page, &outcome, diffs))?;
    tell(output, &outcome);
    let stays = outcome.files.iter().any(|file| file.remarks.iter().any(|remark| remark.stays));
    let found = args.check && (outcome.status == Status::Pending || stays);
    match outcome.failure {
        Some(_) if output.is_json() => Ok(Exit::Failed),
        Some(failure) => Err(stopped(failure, &outcome.files)),
        None => Ok(if found { Exit::Failed } else { Exit::Done }),
    }
}

/// Says how far it came before it stopped.
fn stopped(failure: Failure, files: &[File]) -> Error {
    let count = |states: &[State]| files.iter().filter(|file| states.contains(&file.state)).count();
    let (changed, left) = (count(&[State::Changed, State::Unmoved]), count(&[State::Left]));
    let Failure { path, source } = failure;
    migrate::Error::Write { path, changed, left, source }.into()
}

fn tell(output: &mut Output, outcome: &Outcome) {
    for file in &outcome.files {
        for remark in &file.remarks {
            output.warn(&format!("`{}:{}`: {}", file.path, remark.line, text::one_line(&remark.message)));
        }
    }
    let files = |state: State| text::count(outcome.files.iter().filter(|file| file.state == state).count(), "file");
    match outcome.status {
        Status::Unchanged => output.note("nothing to migrate"),
        Status::Pending => output.note(&format!("{} to change: {}", files(State::Pending), hints::MIGRATE.fill(&[]))),
        Status::Migrated => output.note(&format!("{} changed", files(State::Changed))),
        Status::Failed => {}
    }
    tell_of_git(output, &outcome.uncommitted);
    if outcome.status != Status::Pending {
        let hint = if outcome.failure.is_some() { hints::SIGN_AFTER } else { hints::SIGN_MIGRATED };
        tell_what_to_sign(output, &outcome.sign, hint);
    } else if !outcome.sign.is_empty() {
        output.note(&format!("{} will have to be signed again", text::count(outcome.sign.len(), "item")));
    }
}

fn tell_of_git(output: &mut Output, uncommitted: &[String]) {
    if let [first, others @ ..] = uncommitted {
        let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        output.note(&format!("no commit contains `{first}`{others} as it is now: commit first to be able to go back"));
    }
}

/// Gives one command for each type.
fn tell_what_to_sign(output: &mut Output, sign: &[Node], hint: Hint) {
    for item_type in ItemType::ALL {
        let ids: Vec<&str> =
            sign.iter().filter(|node| node.item_type == item_type).map(|node| node.item_id.as_str()).collect();
        if !ids.is_empty() {
            let hint = hint.fill(&[("type", &item_type), ("id", &ids.join(" "))]);
            output.note(&format!("changed files are not signed any more: {hint}"));
        }
    }
}
