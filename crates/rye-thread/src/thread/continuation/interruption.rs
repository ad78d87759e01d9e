//! Calls that had begun and not ended when a thread's runner died: which of them matter, and what becomes of them.

use std::collections::BTreeMap;

use super::bounds::{self, Bounds};
use crate::event::{Event, EventData, Then, UnfinishedCall};
use crate::id::ThreadId;
use crate::machine::{Effect, Input, Machine, Resumption};
use crate::thread::error::{Error, ResumeError};
use crate::thread::record::{CallOf, Received};
use crate::thread::run::{Observer, Traces, Undecided};

/// What becomes of calls that had begun and not ended, if they may have left something behind that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The observer is asked about each.
    Ask,
    /// They are made again.
    Repeat,
    /// They failed, as the model is told.
    Fail,
}

/// Returns the calls that had begun, with their words: those that the journal has, those that the log tells of, and those
/// that ran when the thread was stopped.
pub(in crate::thread) fn begun(received: &Received, tail: &[Event], machine: &Machine) -> BTreeMap<CallOf, String> {
    let mut begun = received.begun.clone();
    for (id, words, _) in machine.cut_off().filter(|(.., had_begun)| *had_begun) {
        begun.entry(CallOf::Model(id.to_owned())).or_insert_with(|| words.to_owned());
    }
    for event in tail {
        if let EventData::ToolCallStart { call_id, tool, .. } = &event.what {
            begun.entry(CallOf::Model(call_id.clone())).or_insert_with(|| tool.clone());
        }
    }
    begun
}

/// Lists the calls that began, did not end, and have an unknown effect, with their words. `events` are recorded, `tail`
/// is the rest of the log.
///
/// # Errors
///
/// Fails when a limit would stop the thread again at once.
pub(in crate::thread) fn open(
    bounds: &Bounds<'_>,
    machine: &Machine,
    resumption: &Resumption,
    received: &Received,
    (events, tail): (&[Event], &[Event]),
    shadowed: bool,
) -> Result<Vec<(CallOf, String)>, Error> {
    let begun = begun(received, tail, machine);
    let is_open = |id: &CallOf| begun.contains_key(id) && !received.ended.contains_key(id);
    // Of hooks only those are put down that matter.
    let hooks = received.begun.iter().filter(|(id, _)| matches!(id, CallOf::Hook(_)) && is_open(id));
    let mut open: Vec<(CallOf, String)> = hooks.map(|(id, call)| (id.clone(), call.clone())).collect();
    for effect in ahead(bounds, machine, resumption, received, events)? {
        let Effect::Perform { call_id, permitted } = effect else { continue };
        let id = CallOf::Model(call_id);
        if is_open(&id) && Traces::of(&permitted, shadowed) == Traces::Beyond {
            open.push((id, permitted.described()));
        }
    }
    Ok(open)
}

/// Returns the machine's next steps for the received data.
fn ahead(
    bounds: &Bounds<'_>,
    machine: &Machine,
    resumption: &Resumption,
    received: &Received,
    events: &[Event],
) -> Result<Vec<Effect>, Error> {
    let now_ms = resumption.now_ms;
    let mut probe = machine.clone().resumed(resumption.clone())?;
    probe.step(Input::Begin, now_ms);
    let mut next = probe.step(Input::Committed, now_ms);
    // The provider's counts count; uncounted ones may still come.
    if let (Some(Effect::Count(_)), Some(tokens)) = (next.first(), bounds::counted(events)) {
        next = probe.step(Input::Counted(Some(tokens)), now_ms);
    }
    let reached = next.iter().find_map(|effect| match effect {
        Effect::Record(EventData::LimitReached { limit, value }) => Some((limit.clone(), value.clone())),
        _ => None,
    });
    if let Some((limit, value)) = reached {
        return Err(bounds.stands(limit, value));
    }
    let Some((answer, _)) = received.answer.clone() else { return Ok(next) };
    for (replacement, _) in &received.fell_back {
        probe.step(Input::FellBack(Box::new(replacement.clone())), now_ms);
    }
    Ok(probe.step(Input::Answer(answer), now_ms))
}

/// Decides what becomes of each call.
///
/// # Errors
///
/// Fails without a decision.
pub(in crate::thread) fn decide(
    thread_id: &ThreadId,
    open: &[(CallOf, String)],
    unfinished: Unfinished,
    observer: &mut dyn Observer,
) -> Result<Vec<(CallOf, UnfinishedCall)>, Error> {
    let mut decided = Vec::new();
    for (id, call) in open {
        let then = match unfinished {
            Unfinished::Repeat => Ok(Then::Repeat),
            Unfinished::Fail => Ok(Then::Fail),
            Unfinished::Ask => observer.unfinished(call),
        };
        let then = then.map_err(|undecided| {
            let calls = open.iter().map(|(_, call)| format!("`{call}`")).collect();
            match undecided {
                Undecided::Declined => ResumeError::Declined,
                Undecided::NoTerminal => ResumeError::Unfinished { thread_id: thread_id.clone(), calls },
            }
        })?;
        decided.push((id.clone(), UnfinishedCall { call_id: id.as_str().to_owned(), call: call.clone(), then }));
    }
    Ok(decided)
}
