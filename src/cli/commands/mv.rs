//! `rye mv`

use clap::Args;

use super::{drafted, keep, warn_of_key};
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::ItemType;
use crate::ops::mv::{self, Outcome, Plan};
use crate::project::Project;
use crate::trust::Signer as _;

/// Rename an item, and update all references to it
///
/// Moves the item's file, and a tool's companions, writes its new name and category into it, and renames every reference to it in your
/// items of the same space. Shows the changes, asks, and signs again the items that you had signed. Unsigned files stay unsigned; an item
/// of another signer is refused without --sign. Skills cannot be moved: rename the folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye mv knowledge runbook team/runbook          move it into a namespace
  rye mv directive team/greet team/welcome --dry-run
  rye mv tool team/deploy ops/deploy --yes")]
pub(in crate::cli) struct MvArgs {
    /// The type of item
    #[arg(value_name = "TYPE", value_parser = args::item_type())]
    item_type: ItemType,

    /// The current id, or the path of its file
    #[arg(value_name = "OLD")]
    from: args::Named,

    /// The new id or path, which must be unused
    #[arg(value_name = "NEW")]
    to: args::Named,

    /// Also sign changed items of other signers, and unsigned ones, as yours
    #[arg(long)]
    sign: bool,

    /// Show the changes, but do not make them
    #[arg(long)]
    dry_run: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &MvArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let MvArgs { item_type, from, to, sign, .. } = args;
    let id = |named: &args::Named| named.id(&project, Some(*item_type));
    let options = mv::Options { item_type: *item_type, from: id(from)?, to: id(to)?, sign: *sign };
    let key = drafted(ctx, output, None)?;
    let plan = mv::plan(&project, &options, &key.public())?;
    let dry_run = plan.dry_run();
    if args.dry_run {
        output.outcome(&dry_run, |page| text::moves::write(page, &dry_run))?;
        warn(output, &dry_run);
        return Ok(Exit::Done);
    }
    warn_of_key(output, &project, &key.public());
    ask(ctx, output, &plan, &dry_run)?;
    let key = if plan.signatures() == 0 { key } else { keep(ctx, output, key)? };
    let outcome = mv::mv(&project, &plan, &key)?;
    output.outcome(&outcome, |page| text::moves::write(page, &outcome))?;
    warn(output, &outcome);
    output.note(&hints::COMMIT_MOVED.fill(&[]));
    Ok(Exit::Done)
}

/// Shows what changes, and asks.
fn ask(ctx: &Context, output: &mut Output, plan: &Plan, shown: &Outcome) -> Result<(), Error> {
    let what = match plan.signatures() {
        0 => format!("move `{}` to `{}`", shown.from, shown.to),
        many => format!("move `{}` to `{}` and sign {} as yours", shown.from, shown.to, text::count(many, "item")),
    };
    let answer = match ctx.agent_client() {
        Some(client) => agreed(output, Some(client), |page| text::moves::write(page, shown), &what)?,
        None => {
            output.before_question(|page| text::moves::write(page, shown));
            output.agrees(&format!("{what}?"))
        }
    };
    Ok(Refusal::unless(answer, || Question::Move)?)
}

/// Tells of what a person has to look at.
fn warn(output: &mut Output, outcome: &Outcome) {
    for mention in &outcome.mentions {
        let (path, lines) = (&mention.path, text::moves::lines(&mention.lines));
        output.note(&format!("`{path}`, {lines}: names `{}` outside of a reference and stays as it is", outcome.from));
    }
    for pulled in &outcome.pulled {
        let (path, lines) = (&pulled.path, text::moves::lines(&pulled.lines));
        output.warn(&format!("`{path}`, {lines}: names `{}`, was pulled and stays as it is", outcome.from));
    }
    outcome.warnings.iter().for_each(|warning| output.warn(warning));
}
