//! `rye sync`

use clap::Args;

use super::skills::SkillFlags;
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::Space;
use crate::ops::pull::upstream::{SyncOptions, SyncOutcome, SyncState, Synced, perform_sync, plan_sync};

/// Restore the folders of skills from `rye.lock`
///
/// Fetches missing skills from the commit in the lock, or from their registry, and compares their digests with the lock. Does not fetch a
/// skill whose files match. Without --force, keeps your changes and reports them as differences. Trusts no new key.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye sync
  rye sync --check                    for CI: exit code 3 and a line for each difference
  rye sync --adopt                    add existing skills to the lock")]
pub(in crate::cli) struct SyncArgs {
    /// The space to look at
    #[arg(long, value_name = "SPACE", value_parser = args::writable_space(), default_value = "project")]
    space: Space,

    /// Change nothing, and exit with 3 if a skill differs from the lock
    #[arg(long, conflicts_with_all = ["adopt", "prune", "force"])]
    check: bool,

    /// Add skills to the lock that it does not have
    #[arg(long, conflicts_with = "prune")]
    adopt: bool,

    /// Remove skills that the lock does not have, if the committed lock has their files
    #[arg(long)]
    prune: bool,

    /// Overwrite your changes; with --prune, also remove files that exist nowhere else
    #[arg(long)]
    force: bool,

    /// Use the last fetched state, without network
    #[arg(long)]
    offline: bool,
}

impl SyncArgs {
    /// Tells whether nothing is written.
    pub(in crate::cli) const fn only_looks(&self) -> bool {
        self.check
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &SyncArgs) -> Result<Exit, Error> {
    let session = super::begin(ctx)?;
    let flags = SkillFlags { force: args.force, is_offline: args.offline, ..SkillFlags::default() };
    let how = flags.how(output, args.space);
    let options = SyncOptions { how, check: args.check, adopt: args.adopt, prune: args.prune };
    let plan = plan_sync(&session, &options)?;
    if args.check {
        return finish(output, args, &plan.now());
    }
    let client = ctx.agent_client();
    if !plan.pruned().is_empty() || client.is_some() && plan.is_changing() {
        let what = text::skills::sync_question(&plan);
        let answer = match client {
            Some(client) => agreed(output, Some(client), |page| text::skills::write_sync(page, &plan), &what)?,
            None => {
                output.before_question(|page| text::skills::write_sync(page, &plan));
                output.agrees(&format!("{what}?"))
            }
        };
        Refusal::unless(answer, || Question::Sync)?;
    }
    let outcome = perform_sync(session.project(), plan)?;
    finish(output, args, &outcome)
}

fn finish(output: &mut Output, args: &SyncArgs, outcome: &SyncOutcome) -> Result<Exit, Error> {
    output.outcome(outcome, |page| text::skills::write_synced(page, outcome))?;
    if outcome.skills.is_empty() {
        output.note(&format!("`{}` lists no skills, and this project has none", outcome.lock));
    }
    let has = |status| outcome.skills.iter().any(|skill| skill.status == status);
    if has(Synced::Changed) && args.force {
        output.note("`rye diff` shows the change; undo it, or sign the skill again and run `rye sync --adopt`");
    } else if has(Synced::Changed) {
        output.note("what was changed here stays; `rye diff` shows it, and `rye sync --force` overwrites it");
    }
    if has(Synced::Unlisted) {
        output.note("`rye sync --adopt` adds other skills to the lock, and `rye sync --prune` removes them");
    }
    Ok(match outcome.status {
        SyncState::Synced => Exit::Done,
        SyncState::Differs => Exit::Refused,
    })
}
