//! `rye update`

use clap::Args;

use super::skills::{self, Asks, SkillFlags, Updated, repeated};
use crate::cli::args;
use crate::cli::commands::{git_terminal, pull as pulling};
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemId, ItemType, Requirement, Space};
use crate::ops::pull::registry::{self, Mode, Options, Outcome, Plan, Wanted};
use crate::ops::pull::upstream::{UpdateOptions, plan_update, updatable_skills};
use crate::ops::pull::{self, Status};
use crate::project::Project;
use crate::session::Session;

/// Update pulled items to their newest versions
///
/// Shows the changes, permissions first, and asks. Without an id, updates every item that you pulled by name, and the items that these need
/// as far as necessary; a skill from git moves to the commit of its branch or tag.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye update
  rye update team/runbook --preview
  rye update team/runbook@^1.2 --yes")]
pub(in crate::cli) struct UpdateArgs {
    /// The item's id or the path of its file, and which versions are accepted
    #[arg(value_name = "ID[@REQ]", value_parser = pulling::named_wanted)]
    wanted: Option<(args::Named, Requirement)>,

    /// The type of item, if several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// The space that it is in
    #[arg(long, value_name = "SPACE", value_parser = args::writable_space(), default_value = "project")]
    space: Space,

    /// Show the changes, but do not make them
    #[arg(long)]
    preview: bool,

    /// The fingerprint of the key that may sign a skill and is new here
    #[arg(long, value_name = "FINGERPRINT")]
    accept_signer: Option<String>,

    /// Let a skill go back to an older commit, version or signature
    #[arg(long)]
    allow_rollback: bool,

    /// Overwrite your changes
    #[arg(long)]
    force: bool,

    /// Use the last fetched state, without network
    #[arg(long)]
    offline: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &UpdateArgs) -> Result<Exit, Error> {
    let session = pulling::begin(ctx)?;
    let wanted = match &args.wanted {
        Some((named, requirement)) => Some((named.id(session.project(), args.item_type)?, *requirement)),
        None => None,
    };
    let skills = args.skills(session.project(), wanted.as_ref())?;
    let is_skill = |wanted: &(ItemId, Requirement)| skills.contains(&wanted.0);
    let is_only_skill = wanted.as_ref().is_some_and(is_skill);
    let wanted = match is_only_skill {
        true => Vec::new(),
        false => registry::updatable(session.project(), args.space, pulling::named(wanted.as_ref(), args.item_type))?,
    };
    if !skills.is_empty() && (args.wanted.is_none() || is_only_skill) {
        return with_skills(ctx, output, args, &session, wanted, skills.first().filter(|_| is_only_skill));
    }
    if wanted.is_empty() {
        output.outcome(&Outcome::nothing(args.space), |_| {})?;
        output.note("nothing was pulled yet");
        return Ok(Exit::Done);
    }
    let options = args.options(output, wanted);
    if args.preview {
        let plan = registry::plan(&session, &options)?;
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

impl UpdateArgs {
    fn options(&self, output: &Output, wanted: Vec<Wanted>) -> Options {
        Options {
            to: None,
            wanted,
            space: self.space,
            registry: None,
            force: self.force,
            mode: Mode { is_locked: false, is_offline: self.offline },
            terminal: git_terminal(output),
        }
    }

    /// Lists the skills from git that are meant.
    fn skills(&self, project: &Project, wanted: Option<&(ItemId, Requirement)>) -> Result<Vec<ItemId>, Error> {
        let mut ids = updatable_skills(project, self.space)?;
        match wanted {
            Some((id, requirement)) if self.item_type.is_none_or(|item_type| item_type == ItemType::Skill) => {
                ids.retain(|known| known == id);
                if !ids.is_empty() && *requirement != Requirement::ANY {
                    return Err(pull::Error::Flag { flag: "@REQ", what: "a skill from git" }.into());
                }
            }
            Some(_) => ids.clear(),
            None => {}
        }
        let flags = [("--accept-signer", self.accept_signer.is_some()), ("--allow-rollback", self.allow_rollback)];
        match flags.into_iter().find(|(_, is_given)| *is_given && ids.is_empty()) {
            Some((flag, _)) => Err(pull::Error::Flag { flag, what: "items of a registry" }.into()),
            None => Ok(ids),
        }
    }
}

/// Brings skills to their newest commit, after items of registries to their newest versions.
fn with_skills(
    ctx: &Context,
    output: &mut Output,
    args: &UpdateArgs,
    session: &Session,
    wanted: Vec<Wanted>,
    only: Option<&ItemId>,
) -> Result<Exit, Error> {
    let flags = SkillFlags {
        accept_signer: args.accept_signer.clone(),
        allow_rollback: args.allow_rollback,
        force: args.force,
        is_offline: args.offline,
    };
    let options = UpdateOptions { only: only.cloned(), how: flags.how(output, args.space) };
    let has_items = !wanted.is_empty();
    let of_items = args.options(output, wanted);
    let (items, skills) = if args.preview {
        let items = match has_items {
            true => {
                let plan = registry::plan(session, &of_items)?;
                show(output, &plan);
                plan.preview()
            }
            false => Outcome::nothing(args.space),
        };
        let plan = plan_update(session, &options)?;
        output.before_question(|page| text::skills::write_plan(page, &plan));
        (items, plan.preview())
    } else {
        let items = match has_items {
            true => pulling::repeated(output, session, &of_items, |output, plan| agree(ctx, output, plan))?,
            false => Outcome::nothing(args.space),
        };
        let plan = |session: &Session| plan_update(session, &options);
        (items, repeated(ctx, output, session, plan, Asks::Changes, &flags)?)
    };
    let updated = Updated { pulled: items.pulled.clone(), skills };
    output.outcome(&updated, |page| {
        let write = if args.preview { text::registry::write_preview } else { text::registry::write_pulled };
        write(page, &items);
        let write = if args.preview { text::skills::write_preview } else { text::skills::write_pulled };
        write(page, &updated.skills);
    })?;
    if !args.preview {
        pulling::tell(output, &items);
        skills::tell(output, &updated.skills);
    }
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
            None => output.agrees(&format!("{what}?")),
        };
        Refusal::unless(answer, || Question::Update)?;
    }
    Ok(trusts)
}
