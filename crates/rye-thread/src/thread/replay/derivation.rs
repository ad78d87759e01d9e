//! Derives threads from their records: one after the other, each machine made of what the record holds.

use std::collections::BTreeMap;

use super::answers::{Answers, Depth};
use super::difference::{Difference, Stop};
use super::resumption::resume;
use super::segment::Segment;
use crate::capability::{Authority as _, Capabilities, Claims, Token, TokenChain};
use crate::event::EventData;
use crate::git::{Identity, Repository};
use crate::machine::{Fork, Machine, Origin};
use crate::thread::error::Error;
use crate::thread::record::{Beginning, Branch, People, Record, branch, signer};
use crate::thread::run::Course;

/// What a record comes to.
pub(in crate::thread) struct Derived {
    /// The course after the last commit.
    pub(in crate::thread) course: Course,
    /// What may be done.
    pub(in crate::thread) chain: TokenChain,
    /// Whether the thread ended.
    pub(in crate::thread) has_ended: bool,
}

/// Derives a thread behind those that it continues. `commits` counts those that were derived.
///
/// # Errors
///
/// Stops at the first difference, and where the repository cannot be read.
pub(in crate::thread) fn derive(
    repository: &Repository,
    segments: &[Segment],
    depth: Depth,
    commits: &mut usize,
) -> Result<Derived, Stop> {
    let repository = repository.in_memory();
    let mut before: Option<Derived> = None;
    for segment in segments {
        before = Some(derive_one(&repository, segment, before, depth, commits)?);
    }
    before.ok_or(Stop::Over)
}

fn derive_one(
    repository: &Repository,
    segment: &Segment,
    before: Option<Derived>,
    depth: Depth,
    commits: &mut usize,
) -> Result<Derived, Stop> {
    let Segment { thread_id, start, setup, .. } = segment;
    let first = &segment.commits[0];
    let chain = chain(segment, before.as_ref())?.under(setup.policy.clone());
    let rules = chain.path_rules();
    let machine = machine(segment, before, &chain)?;
    let record = Record::new(beginning(segment), machine.harness());
    let committer = first.info.committer.identity.clone();
    let people = People { author: Identity::new(&start.model, &committer.email), committer };
    let parent = start.forked_from.as_ref().map(|fork| fork.commit_id.clone()).or_else(|| start.base.clone());
    let branch = Branch::new(repository.clone(), String::new(), thread_id.clone(), parent, people)?;
    let mut answers = Answers {
        repository,
        segment,
        branch,
        rules,
        depth,
        cursor: 0,
        derived: 0,
        noted: Vec::new(),
        until: 0,
        reissued: None,
        artifacts: BTreeMap::new(),
    };
    let mut course = Course::new(machine, record);
    let followed = follow(&mut course, &mut answers, chain);
    *commits += answers.derived;
    let chain = followed?;
    if let Some(commit) = segment.commits.get(answers.derived) {
        return Err(commit.at(thread_id).wrong("nothing in the record leads to this commit").into());
    }
    let has_ended = segment.events.last().is_some_and(|event| event.what.is_terminal());
    Ok(Derived { course, chain, has_ended })
}

/// Makes the machine that the thread began with: its own, or that of the thread that it continues.
fn machine(segment: &Segment, before: Option<Derived>, chain: &TokenChain) -> Result<Machine, Stop> {
    let Segment { start, setup, .. } = segment;
    match before {
        None => {
            let context = segment.events.iter().skip(1).map(|event| &event.what).take_while(|what| {
                matches!(
                    what,
                    EventData::ContextInjected { .. } | EventData::ProjectFile { .. } | EventData::ChangesTaken { .. }
                )
            });
            let follows = setup.follows;
            let setup = setup.setup(&start.inputs, chain.clone(), context.cloned().collect());
            let machine = Machine::new(setup.map_err(Error::from)?);
            Ok(if follows { machine.following(start.directive.id.clone()) } else { machine })
        }
        Some(before) => {
            let origin = start.forked_from.clone().ok_or(Stop::Over)?;
            let origin =
                Origin { thread_id: origin.thread_id, turn: origin.turn, commit_id: origin.commit_id.to_string() };
            let fork = Fork {
                origin,
                chain: chain.clone(),
                ceilings: setup.limits.clone(),
                price: setup.price.clone(),
                max_output_tokens: setup.max_output_tokens,
                compaction: setup.compaction,
                now_ms: 0,
                used_ms: 0,
            };
            let answers = before.course.record();
            let is_another = (&answers.provider, &answers.model) != (&start.provider, &start.model);
            let mut machine = before.course.machine;
            if is_another {
                machine.forget_states();
            }
            Ok(machine.forked(fork).map_err(Error::from)?)
        }
    }
}

/// Returns what the record begins with.
fn beginning(Segment { thread_id, start, .. }: &Segment) -> Beginning {
    Beginning {
        thread_id: thread_id.clone(),
        directive: start.directive.clone(),
        inputs: start.inputs.clone(),
        model: start.model.clone(),
        provider: start.provider.clone(),
        base: start.base.clone(),
        forked_from: start.forked_from.clone(),
        rerun_of: start.rerun_of.clone(),
        in_place: start.in_place,
        set_up: start.set_up.clone(),
        now: start.started_at,
    }
}

/// Follows a thread to the end of its record, as often as it was taken up again. Returns what may be done then.
fn follow(course: &mut Course, answers: &mut Answers<'_>, mut chain: TokenChain) -> Result<TokenChain, Stop> {
    loop {
        answers.begin_run();
        match course.run(answers) {
            Err(Stop::Over) => {}
            Err(stop) => return Err(stop),
            Ok(()) => {
                let segment = answers.segment;
                let next = segment.commits.get(answers.derived).unwrap_or(&segment.commits[0]);
                return Err(next.at(&segment.thread_id).wrong("the thread ended with the commit before").into());
            }
        }
        let Some(event) = answers.resumed() else { return Ok(chain) };
        chain = resume(course, answers, &chain, event)?;
    }
}

/// Checks the tokens of a thread: signed by the key that signed its first commit, minted for it, and as narrow as those of
/// the thread that it continues.
fn chain(segment: &Segment, before: Option<&Derived>) -> Result<TokenChain, Stop> {
    let first = &segment.commits[0];
    let wrong = |message: String| {
        let path = Some(branch::path(&segment.thread_id, "token.json"));
        Stop::from(Difference { path, ..first.at(&segment.thread_id).wrong(message) })
    };
    let Some(key) = signer(&first.info) else {
        return Err(wrong("the commit has no good signature, so the token cannot be verified".to_owned()));
    };
    let chain = TokenChain::verify(segment.tokens.clone(), &key, segment.start.started_at);
    let chain = chain.map_err(|error| wrong(error.to_string()))?;
    let limits = segment.setup.limits.as_text();
    for Claims { thread_id, limits: claimed, .. } in chain.tokens().iter().map(Token::claims) {
        if *thread_id != segment.thread_id {
            return Err(wrong(format!("the token was minted for thread `{thread_id}`")));
        }
        if *claimed != limits {
            return Err(wrong("the token has other limits than `setup.json`".to_owned()));
        }
    }
    let leaf = chain.tokens().last().map(Token::claims);
    if leaf.map(|leaf| &leaf.directive) != Some(&segment.start.directive) {
        return Err(wrong("the token was minted for another directive".to_owned()));
    }
    let leaf_grants = leaf.map(|leaf| Capabilities {
        calls: leaf.capabilities.clone(),
        paths: leaf.paths.clone(),
        hosts: leaf.hosts.clone(),
    });
    if let (Some(granted), Some(leaf)) = (&segment.setup.granted, leaf_grants)
        && !granted.covers(&leaf)
    {
        return Err(wrong("the token allows other things than the flags of its person".to_owned()));
    }
    let inherited = before.map_or(&[][..], |before| before.chain.tokens());
    let is_same = |(one, other): (&Token, &Token)| one.claims().grants_as(other.claims());
    if chain.tokens().len() < inherited.len() || !inherited.iter().zip(chain.tokens()).all(is_same) {
        return Err(wrong("the token is wider than that of the thread that is continued".to_owned()));
    }
    Ok(chain)
}
