//! `rye pull`; beside it the verbs for what was pulled, and `skills`, what several of them do with skills.

pub(in crate::cli) mod outdated;
pub(in crate::cli) mod remove;
mod skills;
pub(in crate::cli) mod sync;
pub(in crate::cli) mod update;

use clap::Args;

use self::skills::SkillFlags;
use crate::cli::args;
use crate::cli::commands::git_terminal;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemId, ItemType, Requirement, Segment, Space, git_address, github_address};
use crate::ops::pull::registry::{self, Mode, Options, Outcome, Plan, Wanted};
use crate::ops::pull::{self, Status};
use crate::ops::registries;
use crate::process::{self, CancelFlag};
use crate::session::Session;

/// How often another program may pull in between.
const ATTEMPTS: u32 = 16;

/// Pull items from a registry, or skills from git
///
/// Takes the newest version of each item that was not yanked, or the newest that fits the requirement, with the items that it needs;
/// verifies them and records them in `rye.lock`. An item keeps its author's signature: if you do not trust that key yet, Rye shows it and
/// asks; your approval applies to that namespace only. Does not overwrite your changes.
///
/// `git+URL//PATH@REV` pulls the skill in a folder of a git repository, at a branch, a tag or a commit. The address that a browser shows
/// and, where no registry is configured, `owner/repo` for a repository at github.com are taken too; Rye prints what they mean first. If the repository signs it
/// (`.ai/skills/NAME.sig`, with the key in `.ai/trust/allowed_signers`), Rye keeps that signature, and asks about a new signer. If it does
/// not, Rye asks whether to sign the skill as yours.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye pull team/runbook
  rye pull team/runbook@^1.2 team/deploy
  rye pull team/runbook@=1.2.0 --space user
  rye pull --locked                   exactly the versions in `rye.lock`
  rye pull git+https://github.com/acme/skills//skills/pdf@v1.0.0
  rye pull git+https://github.com/acme/skills//skills/pdf --to agents
  rye pull https://github.com/acme/skills/tree/main/skills/pdf
  rye pull --list acme/skills         the skills of a repository")]
pub(in crate::cli) struct PullArgs {
    /// Ids of items or addresses of skills, with accepted versions: `1.2.3` and `^1.2` (compatible), `~1.2.3`, `=1.2.3` or `*`
    #[arg(value_name = "ID[@REQ]|git+URL//PATH[@REV]", value_parser = target)]
    wanted: Vec<Target>,

    /// The type of item, if several have the id
    #[arg(long = "type", value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// The space to pull into
    #[arg(long, value_name = "SPACE", value_parser = args::writable_space(), default_value = "project")]
    space: Space,

    /// The registry (default: the one that the namespace first came from, or the only one that has it)
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<Segment>,

    /// The client whose folder gets the skill (`claude`, `agents`, `codex`, `gemini`, `github`, `cursor`, `opencode`, `roo`, `kiro`
    /// and others), or a folder of `skills.paths`; without it, the first of `skills.paths`
    #[arg(long, value_name = "CLIENT")]
    to: Option<String>,

    /// The fingerprint of the key that may sign a skill and is new here
    #[arg(long, value_name = "FINGERPRINT")]
    accept_signer: Option<String>,

    /// Let a skill go back to an older commit, version or signature
    #[arg(long)]
    allow_rollback: bool,

    /// Overwrite your changes
    #[arg(long)]
    force: bool,

    /// Pull exactly what `rye.lock` lists; trust no new key, and ask nothing
    #[arg(long)]
    locked: bool,

    /// List the skills of git repositories, and pull nothing
    #[arg(long, requires = "wanted", conflicts_with_all = ["locked", "frozen", "force", "to", "accept_signer", "allow_rollback"])]
    list: bool,

    /// Use the last fetched state, without network
    #[arg(long)]
    offline: bool,

    /// The same as --locked --offline
    #[arg(long)]
    frozen: bool,
}

/// The items to pull.
#[derive(Debug, Clone)]
enum Target {
    Item((ItemId, Requirement), String),
    /// The text of a git source. It is read where an error does not repeat it: it may hold a password.
    Git(String),
}

impl PullArgs {
    /// Tells whether nothing says that items of a registry are meant.
    fn may_be_source(&self) -> bool {
        let are_items = self.wanted.iter().all(|target| matches!(target, Target::Item(..)));
        are_items && self.item_type.is_none() && self.registry.is_none() && !self.locked && !self.frozen
    }

    /// Returns the git sources, if they are meant.
    ///
    /// # Errors
    ///
    /// Fails on what goes with items of registries alone, or with git sources alone.
    fn sources(&self, has_registries: bool) -> Result<Vec<String>, Error> {
        let git = |target: &Target| match target {
            Target::Git(text) => Some(text.clone()),
            Target::Item(_, text) if self.list => github_address(text),
            // Without a registry it cannot be an item.
            Target::Item(_, text) if !has_registries && self.may_be_source() && !text.contains('@') => {
                github_address(text)
            }
            Target::Item(..) => None,
        };
        let sources: Vec<String> = self.wanted.iter().filter_map(git).collect();
        let (what, flags): (_, [(&'static str, bool); 5]) = if sources.is_empty() {
            let flags = [
                ("", false),
                ("--accept-signer", self.accept_signer.is_some()),
                ("--allow-rollback", self.allow_rollback),
                ("", false),
                ("", false),
            ];
            ("items of a registry", flags)
        } else {
            let flags = [
                ("the id of an item", sources.len() < self.wanted.len()),
                ("--type", self.item_type.is_some_and(|item_type| item_type != ItemType::Skill)),
                ("--registry", self.registry.is_some()),
                ("--locked", self.locked),
                ("--frozen", self.frozen),
            ];
            ("a git source", flags)
        };
        match flags.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(pull::Error::Flag { flag, what }.into()),
            None => Ok(sources),
        }
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &PullArgs) -> Result<Exit, Error> {
    let session = begin(ctx)?;
    let sources = args.sources(!registries::list(session.project())?.registries.is_empty())?;
    if args.list {
        return skills::list(output, &session, &sources, args.offline);
    }
    if !sources.is_empty() {
        let flags = SkillFlags {
            accept_signer: args.accept_signer.clone(),
            allow_rollback: args.allow_rollback,
            force: args.force,
            is_offline: args.offline,
        };
        return skills::pull(ctx, output, &session, &sources, args.to.as_deref(), &flags, args.space);
    }
    let wanted = args.wanted.iter().filter_map(|target| match target {
        Target::Item(wanted, _) => named(Some(wanted), args.item_type),
        Target::Git(_) => None,
    });
    let mode = Mode { is_locked: args.locked || args.frozen, is_offline: args.offline || args.frozen };
    let options = Options {
        wanted: wanted.collect(),
        space: args.space,
        registry: args.registry.clone(),
        to: args.to.as_deref().map(skills::folder).transpose()?,
        force: args.force,
        mode,
        terminal: git_terminal(output),
    };
    let outcome = repeated(output, &session, &options, |output, plan| {
        let trusts = ask(ctx, output, plan)?;
        agree_in_client(ctx, output, plan, trusts)?;
        Ok(trusts)
    })?;
    output.outcome(&outcome, |page| text::registry::write_pulled(page, &outcome))?;
    if outcome.pulled.is_empty() {
        output.note(&format!("`{}` lists no items", outcome.lock));
    }
    tell(output, &outcome);
    Ok(Exit::Done)
}

/// Opens the session of a command that runs git, to which an interrupt is passed on.
pub(super) fn begin(ctx: &Context) -> Result<Session, Error> {
    let session = Session::open(ctx)?;
    process::install(&CancelFlag::new())?;
    Ok(session)
}

/// Returns the item that was named on the command line, if one was.
pub(super) fn named(wanted: Option<&(ItemId, Requirement)>, item_type: Option<ItemType>) -> Option<Wanted> {
    let (item_id, requirement) = wanted?.clone();
    Some(Wanted { item_id, item_type, requirement })
}

/// Plans, has `agree` ask, and performs; from the beginning where another program pulled meanwhile.
pub(super) fn repeated(
    output: &mut Output,
    session: &Session,
    options: &Options,
    agree: impl Fn(&mut Output, &Plan) -> Result<bool, Error>,
) -> Result<Outcome, Error> {
    for _ in 1..ATTEMPTS {
        let plan = registry::plan(session, options)?;
        let trusts = agree(output, &plan)?;
        match registry::perform(session.project(), &plan, trusts) {
            Err(registry::Error::Pull(pull::Error::LockMoved { path })) => {
                output.note(&format!("another program changed `{path}` meanwhile; looking at it again"));
            }
            performed => return Ok(performed?),
        }
    }
    let plan = registry::plan(session, options)?;
    let trusts = agree(output, &plan)?;
    Ok(registry::perform(session.project(), &plan, trusts)?)
}

/// Asks about changes if an agent client may have started this: a person agrees also to files whose keys count already.
fn agree_in_client(ctx: &Context, output: &mut Output, plan: &Plan, trusts: bool) -> Result<(), Error> {
    let changes = plan.items.iter().filter(|item| item.target.status != Status::Unchanged).count();
    let Some(client) = ctx.agent_client().filter(|_| changes > 0 && !trusts && !plan.is_locked) else { return Ok(()) };
    let what = format!("pull {}", text::count(changes, "item"));
    let answer = agreed(output, Some(client), |page| text::registry::write_changes(page, plan), &what)?;
    Ok(Refusal::unless(answer, || Question::Pull)?)
}

/// Asks whether to trust the keys that are new here; tells whether they count from now on.
pub(super) fn ask(ctx: &Context, output: &mut Output, plan: &Plan) -> Result<bool, Error> {
    if plan.trust.is_empty() || plan.is_locked {
        return Ok(false);
    }
    let what = text::registry::trust_question(plan);
    let answer = match ctx.agent_client() {
        Some(client) => agreed(output, Some(client), |page| text::registry::write_trust(page, plan), &what)?,
        None => {
            output.before_question(|page| text::registry::write_trust(page, plan));
            output.agrees(&format!("{what}?"))
        }
    };
    Refusal::unless(answer, || Question::Pull)?;
    Ok(true)
}

/// Reports facts about the pulled items.
pub(super) fn tell(output: &mut Output, outcome: &Outcome) {
    for pulled in &outcome.pulled {
        let (item_type, item_id) = (pulled.item_type, &pulled.item_id);
        if let Some(message) = &pulled.deprecated {
            output.warn(&format!("{item_type} `{item_id}` is deprecated: {}", text::one_line(message)));
        }
        if pulled.yanked {
            output.warn(&format!("{item_type} `{item_id}` {} was yanked", pulled.version));
        }
        if !pulled.gained.is_empty() {
            let gained = text::one_line(&pulled.gained.join(", "));
            output.warn(&match item_type {
                ItemType::Skill => format!("skill `{item_id}` brings: {gained}"),
                ItemType::Directive | ItemType::Tool | ItemType::Knowledge => {
                    format!("{item_type} `{item_id}` wants more than the version before: {gained}")
                }
            });
        }
        if !pulled.verdict.is_accepted() {
            output.warn(&format!("{item_type} `{item_id}` is {}: `rye execute` refuses it", pulled.verdict));
            output.note(&hints::PULL_TRUST.fill(&[("id", item_id)]));
        }
    }
}

fn target(text: &str) -> Result<Target, String> {
    match git_address(text) {
        Some(source) => Ok(Target::Git(source)),
        None => {
            let text = text.trim();
            wanted(text).map(|wanted| Target::Item(wanted, text.to_owned()))
        }
    }
}

pub(super) fn wanted(text: &str) -> Result<(ItemId, Requirement), String> {
    let (id, requirement) = text.split_once('@').unwrap_or((text, "*"));
    let id = id.parse().map_err(|error: crate::id::ItemIdError| error.to_string())?;
    Ok((id, requirement.parse().map_err(|error: crate::id::RequirementError| error.to_string())?))
}

/// Reads an item that is here, by its id or path, and a requirement.
pub(super) fn named_wanted(text: &str) -> Result<(args::Named, Requirement), String> {
    match text.split_once('@') {
        Some((path, requirement)) if args::is_path(path) => {
            let requirement = requirement.parse().map_err(|error: crate::id::RequirementError| error.to_string())?;
            Ok((args::Named::Path(path.to_owned()), requirement))
        }
        Some(_) => wanted(text).map(|(id, requirement)| (args::Named::Id(id), requirement)),
        None => {
            let named = text.parse().map_err(|error: crate::id::ItemIdError| error.to_string())?;
            Ok((named, Requirement::ANY))
        }
    }
}
