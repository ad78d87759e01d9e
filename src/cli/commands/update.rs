//! `rye update`

use clap::Args;

use super::{git_terminal, pull as pulling};
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemId, ItemType, Requirement, Space};
use crate::ops::pull::{self, Mode, Plan, Status};
use crate::process::CancelFlag;

/// Bring what was pulled to its newest version
///
/// Shows what changes, permissions first, and asks. Without an id, everything that you asked for is brought up to date, and
/// what it needs as far as it must.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye update
  rye update team/runbook --preview
  rye update team/runbook@^1.2 --yes")]
pub(in crate::cli) struct UpdateArgs {
    /// The item's id, and which versions will do
    #[arg(value_name = "ID[@REQ]", value_parser = pulling::wanted)]
    wanted: Option<(ItemId, Requirement)>,

    /// The type of item, where several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// The space that it is in
    #[arg(long, value_name = "SPACE", value_parser = args::writable_space(), default_value = "project")]
    space: Space,

    /// Show what would change, and change nothing
    #[arg(long)]
    preview: bool,

    /// Overwrite what was changed here
    #[arg(long)]
    force: bool,

    /// Fetch nothing: take what was fetched before
    #[arg(long)]
    offline: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &UpdateArgs) -> Result<Exit, Error> {
    let session = pulling::begin(ctx)?;
    let wanted = pull::updatable(&session, args.space, pulling::named(args.wanted.as_ref(), args.item_type))?;
    if wanted.is_empty() {
        output.outcome(&pull::Outcome::nothing(args.space), |_| {})?;
        output.note("nothing was pulled yet");
        return Ok(Exit::Done);
    }
    let options = pull::Options {
        wanted,
        space: args.space,
        registry: None,
        force: args.force,
        mode: Mode { is_locked: false, is_offline: args.offline },
        terminal: git_terminal(output),
    };
    if args.preview {
        let plan = pull::plan(&session, &options)?;
        show(output, &plan);
        let outcome = plan.preview();
        output.outcome(&outcome, |page| text::registry::write_preview(page, &outcome))?;
        return Ok(Exit::Done);
    }
    let outcome = pulling::repeated(output, &session, &options, |output, plan| agree(ctx, output, plan))?;
    output.outcome(&outcome, |page| text::registry::write_pulled(page, &outcome))?;
    pulling::tell(output, &outcome);
    Ok(Exit::Done)
}

/// Shows what changes, and returns how many items do.
fn show(output: &mut Output, plan: &Plan) -> usize {
    let changes = plan.items.iter().filter(|item| item.target.status != Status::Unchanged).count();
    if changes > 0 {
        output.before_question(|page| text::registry::write_changes(page, plan));
    }
    changes
}

/// Shows what changes and asks; tells whether new keys count from now on.
fn agree(ctx: &Context, output: &mut Output, plan: &Plan) -> Result<bool, Error> {
    let changes = show(output, plan);
    let trusts = pulling::ask(ctx, output, plan)?;
    // A question about a key was answered with the changes in sight.
    if changes > 0 && !trusts {
        let what = format!("change {}", text::count(changes, "item"));
        let answer = match ctx.agent_client() {
            Some(client) => agreed(output, Some(client), |page| text::registry::write_changes(page, plan), &what)?,
            None => output.agrees(&format!("{what}?"), &CancelFlag::new()),
        };
        Refusal::unless(answer, || Question::Update)?;
    }
    Ok(trusts)
}
