//! Whether the record has what its events say was left out of later requests: results that became pointers, turns that a summary
//! replaced.

use std::collections::BTreeSet;

use crate::event::{EventData, TurnRange};

/// Says which of it is missing among events, each with the turn whose file has it. Turns up to `inherited` are in the record of
/// the thread that is continued.
pub(super) fn missing(events: &[(u32, &EventData)], inherited: Option<u32>) -> Vec<String> {
    let turns: BTreeSet<u32> = events.iter().map(|(turn, _)| *turn).collect();
    let results: BTreeSet<(u32, &str)> = events.iter().filter_map(|(turn, event)| result(*turn, event)).collect();
    let is_inherited = |turn: u32| inherited.is_some_and(|last| turn <= last);
    let mut missing = Vec::new();
    for (at, event) in events {
        match event {
            EventData::ResultsCleared { results: cleared } => {
                let is_lost = |turn: u32, id: &str| !is_inherited(turn) && !results.contains(&(turn, id));
                let lost = cleared.iter().filter(|one| is_lost(one.turn, &one.call_id));
                missing.extend(lost.map(|one| {
                    let (id, turn) = (&one.call_id, one.turn);
                    format!("turn {at} leaves the result of call `{id}` out, and turn {turn} does not have it")
                }));
            }
            EventData::Summary { turns: TurnRange { first, last }, .. } => {
                let is_there = |number: &u32| is_inherited(*number) || turns.contains(number);
                if first > last || last >= at || !is_there(first) || !is_there(last) {
                    missing
                        .push(format!("turn {at} summarises turns {first} to {last}, which the record does not have"));
                }
            }
            _ => {}
        }
    }
    missing
}

fn result<'a>(turn: u32, event: &&'a EventData) -> Option<(u32, &'a str)> {
    match event {
        EventData::ToolCallResult { call_id, .. } => Some((turn, call_id.as_str())),
        _ => None,
    }
}
