//! The commands for a thread in its state. Values, no words.

use crate::context::LimitRules;
use crate::event::{CallStatus, Event, EventData};
use crate::git::Repository;
use crate::item::{Directive, Limits};
use crate::machine::Ending;
use crate::machine::harness::Ceilings;
use crate::thread::continuation::{forkable, is_through};
use crate::thread::error::Error;
use crate::thread::manage::diff;
use crate::thread::record::{Content, History, Outcome, RecordedTurn};

/// A next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Follow it while it runs.
    Follow,
    /// Take it up again.
    Resume,
    /// Take it up again with a limit raised to the most that the directive allows.
    Raise {
        /// The limit.
        limit: String,
        /// The value.
        most: String,
    },
    /// Look at what it changed.
    Diff,
    /// Bring over what it changed.
    Accept,
    /// Run its directive again; a limit of it has to be raised first, if one is named.
    Rerun {
        /// The limit that ended the thread.
        limit: Option<String>,
    },
    /// Go on after a turn, as a new thread.
    Fork {
        /// The turn.
        turn: u32,
    },
}

/// Tells what can be done next, the likeliest first. `directive` is the one that the thread ran, if it is at hand.
pub(super) fn next(
    repository: &Repository,
    history: &History,
    directive: Option<&Directive>,
    rules: &LimitRules,
) -> Result<Vec<Next>, Error> {
    let outcome = &history.outcome;
    let again = || {
        let turn = last_turn(history, directive).map(|turn| Next::Fork { turn });
        [Next::Rerun { limit: None }].into_iter().chain(turn).collect()
    };
    if outcome.remote.is_some() {
        return of_fetched(repository, outcome);
    }
    Ok(match outcome.ending {
        Ending::Running => vec![Next::Follow],
        Ending::Completed if !diff::has_changes(repository, outcome)? => Vec::new(),
        // Its changes are in its person's tree, or in a commit of theirs.
        Ending::Completed if outcome.in_place || diff::is_taken(repository, outcome)? => vec![Next::Diff],
        Ending::Completed => vec![Next::Diff, Next::Accept],
        Ending::Interrupted | Ending::Cancelled => vec![Next::Resume],
        Ending::Error | Ending::Provider if outcome.can_be_resumed() => vec![Next::Resume],
        Ending::Limit => limit(history, directive, rules).map_or_else(again, |next| vec![next]),
        Ending::Error | Ending::Provider | Ending::Denied | Ending::Outputs => again(),
    })
}

/// Tells what can be done next with a thread that was fetched: only the agent that ran it goes on with it.
fn of_fetched(repository: &Repository, outcome: &Outcome) -> Result<Vec<Next>, Error> {
    Ok(match diff::has_changes(repository, outcome)? {
        false => Vec::new(),
        true if diff::is_taken(repository, outcome)? => vec![Next::Diff],
        true => vec![Next::Diff, Next::Accept],
    })
}

/// Tells what can be done about the limit that ended a thread; nothing if no limit of it did.
fn limit(history: &History, directive: Option<&Directive>, rules: &LimitRules) -> Option<Next> {
    let is_last = |event: &&Event| matches!(event.what, EventData::LimitReached { .. });
    let EventData::LimitReached { limit, .. } = &history.events().filter(is_last).last()?.what else { return None };
    let most = directive.and_then(|directive| {
        let most = Ceilings::new(&directive.limits, directive.cost.as_ref(), &Limits::default(), rules).ok()?;
        most.as_text().remove(limit)
    });
    let now = history.limits().get(limit).and_then(|value| value.as_str());
    Some(match most.filter(|most| Some(most.as_str()) != now) {
        Some(most) => Next::Raise { limit: limit.clone(), most: most.replace(' ', "") },
        None => Next::Rerun { limit: Some(limit.clone()) },
    })
}

/// Returns the last turn behind which something is left to do.
fn last_turn(history: &History, directive: Option<&Directive>) -> Option<u32> {
    let steps = directive.map_or(usize::MAX, |directive| directive.steps.len());
    let has_more = |number: &u32| {
        let turn = history.turns.iter().find(|turn| turn.turn == *number);
        turn.is_none_or(|turn| !is_last_step(turn, steps))
    };
    forkable(history).into_iter().rev().filter_map(|commit| commit.turn).find(has_more)
}

fn is_last_step(turn: &RecordedTurn, steps: usize) -> bool {
    let (mut through, mut failed) = (None, false);
    for line in &turn.lines {
        let Content::Event(event) = &line.content else { continue };
        match &event.what {
            EventData::StepFinish { state, .. } => through = Some(state),
            EventData::ToolCallResult { status, .. } => failed = *status != CallStatus::Ok,
            _ => {}
        }
    }
    through.is_some_and(|state| is_through(state, steps, failed))
}
