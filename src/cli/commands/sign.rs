//! `rye sign`

use clap::Args;
use clap::error::ErrorKind;

use super::{person, tell_of_left_out, warn_of_key, warn_of_signed};
use crate::cli::args::{self, Named};
use crate::cli::consent;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{ItemId, ItemType};
use crate::keys::{KeyName, KeyStore, SIGNING_KEY, known_person};
use crate::ops::sign::{self, Outcome, Status};
use crate::project::Project;
use crate::trust::{Signer, SigningKey};

/// Says why nothing was signed.
const ONLY_SKILLS: &str = "nothing to sign; to sign the skills of the project, run `rye sign skill --all`";

/// Check items, then sign them with your key
///
/// Never signs an invalid item. Skips an item that you have signed, unless you say `--again`. Lists items that another person
/// signed or an agent wrote, with their changes, and asks once on the terminal; without a terminal it signs none of them,
/// unless `--yes` says that you reviewed them. Never replaces a good signature of another person: `--detached` adds yours.
/// Makes your key if you have none; `RYE_SIGNING_KEY` or `--key` names another one. A passphrase is asked for on the
/// terminal, unless your ssh-agent has the key: then the ssh-agent signs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye sign directive demo/greet
  rye sign tool .ai/tools/demo/echo.py
  rye sign tool 'demo/*'
  rye sign directive demo/greet demo/part 'deploy/*'
  rye sign --all
  rye sign directive demo/greet --detached
  rye sign skill .claude/skills/review
  rye sign --agent-files
  rye sign --all --check              exit with 1 if an item needs signing")]
pub(in crate::cli) struct SignArgs {
    /// The type of item
    #[arg(value_name = "TYPE", value_parser = args::item_type())]
    item_type: Option<ItemType>,

    /// Ids, paths of files, or patterns of ids in which `*` matches anything
    #[arg(value_name = "ID", value_parser = args::name())]
    ids: Vec<String>,

    /// Every item of the project, or every one of TYPE. Skills are included once one is signed; sign the first with `rye sign skill --all`
    #[arg(long, conflicts_with = "ids")]
    all: bool,

    /// The files that instruct agents (`CLAUDE.md`, `AGENTS.md`, commands, settings): sign the list of them, `.ai/agent-files.sig`
    #[arg(long, conflicts_with_all = ["item_type", "ids", "all", "detached"])]
    agent_files: bool,

    /// Sign with the key in this file: a private key, or the public half of a key in your ssh-agent
    #[arg(long, value_name = "FILE", allow_hyphen_values = true, value_parser = args::name())]
    key: Option<String>,

    /// Countersign: leave the file unchanged, and add your signature as a git note to the committed item
    #[arg(long)]
    detached: bool,

    /// Also sign items that your key signed before, with the current time: use it to go back to an older text
    #[arg(long)]
    again: bool,

    /// Change nothing, and exit with 1 if an item needs signing
    #[arg(long)]
    check: bool,
}

impl SignArgs {
    /// Tells whether nothing is signed.
    pub(in crate::cli) const fn only_looks(&self) -> bool {
        self.check
    }

    /// Tells whether the signatures go into notes.
    pub(in crate::cli) const fn is_detached(&self) -> bool {
        self.detached
    }

    /// Returns the ids and patterns; a path means the id of its item.
    fn patterns(&self, project: &Project) -> Result<Vec<String>, Error> {
        let id = |text: &String| match text.parse::<Named>() {
            Ok(named @ Named::Path(_)) if !text.contains(['*', '?']) => {
                named.id(project, self.item_type).map(|id| id.to_string())
            }
            Ok(_) | Err(_) => Ok(text.clone()),
        };
        self.ids.iter().map(id).collect()
    }

    /// Reports the signed items.
    pub(in crate::cli) fn in_words(&self) -> String {
        let verb = if self.detached { "countersign" } else { "sign" };
        let item_type = self.item_type.map(|item_type| format!(" {item_type}")).unwrap_or_default();
        match self.ids.as_slice() {
            [] => format!("{verb} every{} of the project", if item_type.is_empty() { " item" } else { &item_type }),
            ids => format!("{verb}{item_type} {} as yours", ids.join(", ")),
        }
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &SignArgs) -> Result<Exit, Error> {
    if args.agent_files {
        return agent_files(ctx, output, args);
    }
    if args.ids.is_empty() && !args.all {
        let sentence = "missing item: run `rye sign --all`, or name one: `rye sign tool demo/greet`\n";
        return Err(Error::Usage(clap::Error::raw(ErrorKind::MissingRequiredArgument, sentence)));
    }
    let project = Project::open(ctx)?;
    let options = sign::Options {
        item_type: args.item_type,
        patterns: args.patterns(&project)?,
        again: args.again,
        check: args.check,
        version: None,
    };
    let outcome = if args.detached {
        let signer = signer(ctx, output, args)?;
        warn_of_key(output, &project, &signer.public());
        sign::countersign(&project, &options, &*signer)?
    } else {
        in_place(ctx, output, args, &project, &options)?
    };
    output.on_stderr(|page| text::sign::write_failed(page, &outcome));
    output.outcome(&outcome, |page| text::sign::write(page, &outcome, args.check))?;
    for (path, fault) in sign::skipped_skills(&project, &options, &outcome)? {
        output.warn(&format!("skipped `{path}`: {fault}"));
    }
    if outcome.items.is_empty() && outcome.unreadable.is_empty() {
        let leaves_skills_out = args.item_type.is_none() && sign::has_unsigned_skills(&project)?;
        output.note(if leaves_skills_out { ONLY_SKILLS } else { "nothing to sign" });
    }
    if args.all && args.item_type == Some(ItemType::Skill) {
        tell_of_offered(output, &project)?;
    }
    outcome.items.iter().for_each(|item| warn_of_signed(output, item));
    if args.ids.is_empty() {
        tell_of_left_out(output, &project)?;
    }
    Ok(exit(&outcome, args.check))
}

/// Puts signatures into the files, after the person's consent to the replaced ones.
fn in_place(
    ctx: &Context,
    output: &mut Output,
    args: &SignArgs,
    project: &Project,
    options: &sign::Options,
) -> Result<Outcome, Error> {
    let own = known_person(ctx, &KeyStore::new(ctx)?, args.key.as_deref())?;
    own.iter().for_each(|own| warn_of_key(output, project, own));
    let prepared = sign::prepare(project, options, own)?;
    if !args.check && !prepared.is_empty() {
        consent::to_replace(ctx, output, &prepared.pending(), args.in_words())?;
    }
    let signer = signer(ctx, output, args)?;
    Ok(prepared.sign(&*signer)?)
}

/// The most skills that one command names.
const MOST_OFFERED: usize = 20;

/// Says how the skills are signed that the project only offers to others: by name.
fn tell_of_offered(output: &mut Output, project: &Project) -> Result<(), Error> {
    let offered = sign::offered_unsigned(project)?;
    if !offered.is_empty() {
        let names: Vec<&str> = offered.iter().take(MOST_OFFERED).map(ItemId::as_str).collect();
        output.note(&hints::SIGN_OFFERED.fill(&[("ids", &names.join(" "))]));
    }
    Ok(())
}

/// Signs the list of the files that instruct agents, after it was shown what changed in them.
fn agent_files(ctx: &Context, output: &mut Output, args: &SignArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let own = known_person(ctx, &KeyStore::new(ctx)?, args.key.as_deref())?;
    own.iter().for_each(|own| warn_of_key(output, &project, own));
    let draft = sign::draft_agent_files(&project, own, args.again)?;
    let is_new = draft.outcome().status == Status::Signed;
    let outcome = if is_new && !args.check {
        consent::to_sign_agent_files(ctx, output, &draft)?;
        let signer = signer(ctx, output, args)?;
        draft.sign(&*signer)?
    } else {
        draft.outcome().clone()
    };
    output.outcome(&outcome, |page| text::sign::write_agent_files(page, &outcome, args.check))?;
    text::sign::agent_files_notes(&outcome).iter().for_each(|note| output.note(note));
    Ok(if is_new && args.check { Exit::Failed } else { Exit::Done })
}

fn exit(outcome: &Outcome, check: bool) -> Exit {
    match outcome.status {
        Status::Failed if outcome.unreadable.is_empty() && outcome.failures.iter().all(is_by_another) => Exit::Refused,
        // An item that cannot be written is valid.
        Status::Failed if outcome.unreadable.is_empty() && outcome.failures.iter().all(is_unwritable) => Exit::Failed,
        Status::Failed => Exit::Invalid,
        Status::Signed if check => Exit::Failed,
        Status::Signed | Status::Unchanged => Exit::Done,
    }
}

fn is_by_another(failure: &sign::Error) -> bool {
    matches!(failure, sign::Error::SignedByAnother { .. })
}

fn is_unwritable(failure: &sign::Error) -> bool {
    matches!(failure, sign::Error::Write { .. })
}

/// Picks the key and tells if it was made. Looking makes no key: an absent key signed nothing yet.
fn signer(ctx: &Context, output: &mut Output, args: &SignArgs) -> Result<Box<dyn Signer>, Error> {
    let store = KeyStore::new(ctx)?;
    let own = args.key.is_none() && ctx.variable(SIGNING_KEY).is_none();
    if args.check && own && store.stored(KeyName::Person)?.is_none() {
        return Ok(Box::new(SigningKey::from_seed(&ctx.random()?)));
    }
    Ok(Box::new(person(ctx, output, args.key.as_deref())?))
}
