//! What `pull`, `update` and `sync` do with skills from git repositories: who is asked, and about what.

use serde::Serialize;

use crate::capability::{ProjectPath, skill_agents, skill_folder_of};
use crate::cli::commands::{git_terminal, person};
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::{GitSource, Space};
use crate::keys::PersonKey;
use crate::ops::pull::registry::Pulled;
use crate::ops::pull::upstream::{
    self, Consent, How, PlannedSkill, PullOptions, Signing, SkillOutcome, SkillPlan, perform_skills,
};
use crate::ops::pull::{self, Status};
use crate::process::Answer;
use crate::session::Session;
use crate::trust::Signer;

/// How often another program may pull in between.
const ATTEMPTS: u32 = 16;

/// What a command line says about skills.
#[derive(Debug, Clone, Default)]
pub(super) struct SkillFlags {
    pub(super) accept_signer: Option<String>,
    pub(super) allow_rollback: bool,
    pub(super) force: bool,
    pub(super) is_offline: bool,
}

impl SkillFlags {
    pub(super) fn how(&self, output: &Output, space: Space) -> How {
        How {
            space,
            accept_signer: self.accept_signer.clone(),
            allow_rollback: self.allow_rollback,
            force: self.force,
            is_offline: self.is_offline,
            terminal: git_terminal(output),
        }
    }
}

/// The question before skills are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// About signers that are new, and whether to sign what is not signed.
    Signers,
    /// About every change, too.
    Changes,
}

/// Pulls skills from git repositories.
pub(super) fn pull(
    ctx: &Context,
    output: &mut Output,
    session: &Session,
    sources: &[String],
    to: Option<&str>,
    flags: &SkillFlags,
    space: Space,
) -> Result<Exit, Error> {
    let sources = parsed(output, sources)?;
    let to = to.map(folder).transpose()?;
    let options = PullOptions { sources, to, how: flags.how(output, space) };
    let plan = |_: &Session| upstream::plan_skills(session, &options);
    let outcome = repeated(ctx, output, session, plan, Asks::Signers, flags)?;
    output.outcome(&outcome, |page| text::skills::write_pulled(page, &outcome))?;
    tell(output, &outcome);
    Ok(Exit::Done)
}

/// Reads sources, and prints each in full before anything is fetched.
fn parsed(output: &mut Output, sources: &[String]) -> Result<Vec<GitSource>, Error> {
    let parse = |text: &String| text.parse::<GitSource>().map_err(upstream::Error::from);
    let sources = sources.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    sources.iter().for_each(|source| output.note(&format!("from {source}")));
    Ok(sources)
}

/// Lists the skills of git repositories.
pub(super) fn list(
    output: &mut Output,
    session: &Session,
    sources: &[String],
    is_offline: bool,
) -> Result<Exit, Error> {
    let sources = parsed(output, sources)?;
    let how = SkillFlags { is_offline, ..SkillFlags::default() }.how(output, Space::Project);
    let outcome = upstream::list_skills(session, &sources, &how)?;
    output.outcome(&outcome, |page| {
        outcome.skills.iter().for_each(|skill| page.line(text::one_line(&skill.address)));
    })?;
    if outcome.skills.is_empty() {
        output.note("no folder there has a `SKILL.md`");
    }
    Ok(Exit::Done)
}

/// Returns the folder of skills that a client's name, or a path, means.
pub(super) fn folder(text: &str) -> Result<ProjectPath, Error> {
    let known = skill_folder_of(text).unwrap_or(text);
    let not_one = || {
        let known = skill_agents().map(|name| format!("`{name}`")).collect();
        pull::Error::NotSkillFolder { path: text.to_owned(), known }
    };
    Ok(known.parse::<ProjectPath>().map_err(|_| not_one())?)
}

/// Plans, asks and performs; from the beginning where another program pulled meanwhile.
pub(super) fn repeated(
    ctx: &Context,
    output: &mut Output,
    session: &Session,
    plan: impl Fn(&Session) -> Result<SkillPlan, upstream::Error>,
    asks: Asks,
    flags: &SkillFlags,
) -> Result<SkillOutcome, Error> {
    for attempt in 1..=ATTEMPTS {
        let planned = plan(session)?;
        let agreed = agree(ctx, output, &planned, asks, flags)?;
        let signer = agreed.signer.as_ref().map(|key| key as &dyn Signer);
        match perform_skills(session.project(), &planned, Consent { trusts: agreed.trusts, signer }) {
            Err(upstream::Error::Pull(pull::Error::LockMoved { .. })) if attempt < ATTEMPTS => {
                output.note("another program changed `rye.lock` meanwhile; looking at it again");
            }
            performed => return Ok(performed?),
        }
    }
    unreachable!("because the last attempt returns")
}

/// What a person agreed to.
struct Agreed {
    trusts: bool,
    signer: Option<PersonKey>,
}

/// Asks about signers that are new, about what changes where that is asked, and whether to sign what its source does not sign.
fn agree(
    ctx: &Context,
    output: &mut Output,
    plan: &SkillPlan,
    asks: Asks,
    flags: &SkillFlags,
) -> Result<Agreed, Error> {
    let new: Vec<&PlannedSkill> = plan.skills.iter().filter(|skill| skill.new_signer().is_some()).collect();
    let unsigned: Vec<&PlannedSkill> =
        plan.skills.iter().filter(|skill| matches!(skill.signing, Signing::Unsigned)).collect();
    let changed = plan.skills.iter().filter(|skill| skill.status != Status::Unchanged).count();
    if let Some(client) = ctx.agent_client() {
        if new.is_empty() && unsigned.is_empty() && changed == 0 {
            return Ok(Agreed { trusts: false, signer: None });
        }
        let what = text::skills::whole_question(plan);
        let answer = agreed(output, Some(client), |page| text::skills::write_plan(page, plan), &what)?;
        Refusal::unless(answer, || Question::Pull)?;
        let signer = if unsigned.is_empty() { None } else { Some(person(ctx, output, None)?) };
        return Ok(Agreed { trusts: !new.is_empty(), signer });
    }
    let is_rewritten = plan.skills.iter().any(PlannedSkill::is_rewritten);
    let is_shown = asks == Asks::Changes && changed > 0 || is_rewritten || !unsigned.is_empty();
    if is_shown {
        output.before_question(|page| text::skills::write_changes(page, plan));
    }
    let trusts = !new.is_empty();
    if let Some(first) = new.first().and_then(|skill| skill.new_signer()) {
        output.on_stderr(|page| text::skills::write_signers(page, plan));
        // The plan refuses a signer that has another fingerprint.
        if flags.accept_signer.is_none() {
            let question = text::skills::signer_question(plan);
            let answer = output.agrees_now(&format!("{question}?"));
            let fingerprint = first.fingerprint.clone();
            Refusal::unless(answer, || Question::Signer { fingerprint })?;
        }
    }
    if asks == Asks::Changes && changed > 0 && (!trusts || flags.accept_signer.is_some()) {
        let what = format!("change {}", text::count(changed, "skill"));
        Refusal::unless(output.agrees(&format!("{what}?")), || Question::Update)?;
    }
    let signer = if unsigned.is_empty() { None } else { to_sign(ctx, output, plan)? };
    Ok(Agreed { trusts, signer })
}

/// Asks whether the person signs what its source does not sign; a no leaves it unsigned.
fn to_sign(ctx: &Context, output: &mut Output, plan: &SkillPlan) -> Result<Option<PersonKey>, Error> {
    let question = text::skills::sign_question(plan);
    match output.agrees(&format!("{question}?")) {
        Answer::Yes => Ok(Some(person(ctx, output, None)?)),
        Answer::No | Answer::NoTerminal => Ok(None),
        Answer::Stopped => Ok(Refusal::unless(Answer::Stopped, || Question::Pull).map(|()| None)?),
    }
}

/// Reports facts about the pulled skills.
pub(super) fn tell(output: &mut Output, outcome: &SkillOutcome) {
    for skill in &outcome.skills {
        let id = &skill.item_id;
        if !skill.change.gained.is_empty() {
            let gained = text::one_line(&skill.change.gained.join(", "));
            output.warn(&format!("skill `{id}` brings: {gained}"));
        }
        if !skill.verdict.is_accepted() {
            output.warn(&format!("skill `{id}` is {}: Rye does not use it", skill.verdict));
            output.note(&hints::SKILL_SIGN.fill(&[("id", id)]));
        }
    }
}

/// What `rye update` did to items of registries and to skills.
#[derive(Debug, Serialize)]
pub(super) struct Updated {
    pub(super) pulled: Vec<Pulled>,
    #[serde(flatten)]
    pub(super) skills: SkillOutcome,
}
