//! `rye publish`

use clap::Args;
use clap::error::ErrorKind;

use super::{allowed, drafted, git_terminal, keep};
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemId, ItemIdError, ItemType, Segment, Version};
use crate::ops::locate::item_at;
use crate::ops::publish::{self, Plan};
use crate::ops::sign;
use crate::process::{self, CancelFlag};
use crate::project::Project;
use crate::session::Session;
use crate::trust::Signer as _;

/// Publish a version of an item in a registry
///
/// Shows what becomes public, where, and under which key, and asks. Publishes the items that it needs, too. The first segment of the id is
/// the namespace: whoever publishes in it first owns it. A published version never changes: to change an item, publish a new version.
/// Creates a registry in your user space if you have none.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye publish knowledge team/runbook
  rye publish knowledge team/runbook --dry-run
  rye publish tool team/deploy --registry team --yes
  rye publish skill .claude/skills/review --namespace team --version 1.0.0
  rye publish directive team/review --requires-rye 0.2.0")]
pub(in crate::cli) struct PublishArgs {
    /// The type of item
    #[arg(value_name = "TYPE", value_parser = args::item_type())]
    item_type: ItemType,

    /// The item's id, whose first segment is the namespace, or the path of its file. Of a skill also its name, or the path of its folder
    #[arg(value_name = "ID", value_parser = args::name())]
    item: String,

    /// The namespace of a skill that is named without one: its manifest is signed anew for it
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<Segment>,

    /// The version of a skill whose `metadata` names none
    #[arg(long, value_name = "VERSION")]
    version: Option<Version>,

    /// The registry (default: that of the namespace, or the only one)
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<Segment>,

    /// The oldest version of Rye that the item works with; older ones pull an earlier version
    #[arg(long, value_name = "VERSION")]
    requires_rye: Option<Version>,

    #[command(flatten)]
    secrets: args::AllowSecret,

    /// Check and show everything, but publish nothing
    #[arg(long)]
    dry_run: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &PublishArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    // Passed on to git.
    process::install(&CancelFlag::new())?;
    let item_id = item_id(session.project(), args)?;
    let options = publish::Options {
        item_type: args.item_type,
        item_id: item_id.clone(),
        registry: args.registry.clone(),
        requires_rye: args.requires_rye,
        allow_secrets: allowed(ctx, output, &args.secrets)?,
        skill: None,
        terminal: git_terminal(output),
    };
    let key = drafted(ctx, output, None)?;
    // Signed in memory: nothing is written before the person agreed.
    let skill = match args.item_type {
        ItemType::Skill => Some(sign::signed_skill(session.project(), &item_id, args.version, &key)?),
        ItemType::Directive | ItemType::Tool | ItemType::Knowledge => None,
    };
    let options = publish::Options { skill: skill.clone(), ..options };
    let plan = publish::plan(&session, &options, &key.public())?;
    if args.dry_run {
        output.status(|page| text::registry::write_plan(page, &plan, key.is_draft()));
        let outcome = plan.dry_run();
        output.outcome(&outcome, |page| text::registry::write_published(page, &outcome))?;
        return Ok(Exit::Done);
    }
    if !plan.is_empty() {
        ask(ctx, output, &plan, key.is_draft())?;
    }
    let signs_nothing = plan.is_empty() && skill.is_none();
    let key = if signs_nothing { key } else { keep(ctx, output, key)? };
    if let Some(skill) = &skill {
        skill.write(session.project())?;
    }
    let outcome = publish::publish(&session, &options, &plan, &key)?;
    if let Some(path) = plan.new_registry() {
        output.note(&format!("made the registry `{}` in `{}`", plan.registry, path.display()));
    }
    output.outcome(&outcome, |page| text::registry::write_published(page, &outcome))?;
    Ok(Exit::Done)
}

/// Reads which item is meant.
fn item_id(project: &Project, args: &PublishArgs) -> Result<ItemId, Error> {
    let is_skill = args.item_type == ItemType::Skill;
    if !is_skill && (args.namespace.is_some() || args.version.is_some()) {
        let sentence = "`--namespace` and `--version` are for skills";
        return Err(Error::Usage(clap::Error::raw(ErrorKind::ArgumentConflict, sentence)));
    }
    if is_skill {
        let found = if args::is_path(&args.item) { item_at(project, &args.item)? } else { None };
        let name = found.map_or_else(|| args.item.clone(), |(_, id)| id.to_string());
        return Ok(sign::published_id(project, &name, args.namespace.as_ref())?);
    }
    if args::is_path(&args.item) {
        return args::Named::Path(args.item.clone()).id(project, Some(args.item_type));
    }
    args.item
        .parse()
        .map_err(|error: ItemIdError| Error::Usage(clap::Error::raw(ErrorKind::ValueValidation, error.to_string())))
}

/// Shows what becomes public, and asks.
fn ask(ctx: &Context, output: &mut Output, plan: &Plan, is_draft: bool) -> Result<(), Error> {
    let what = format!("publish to `{}`", plan.registry);
    let answer = match ctx.agent_client() {
        Some(client) => agreed(output, Some(client), |page| text::registry::write_plan(page, plan, is_draft), &what)?,
        None => {
            output.before_question(|page| text::registry::write_plan(page, plan, is_draft));
            output.agrees(&format!("{what}?"))
        }
    };
    Ok(Refusal::unless(answer, || Question::Publish)?)
}
