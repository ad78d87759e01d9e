//! Answers from a file: the model of the tests.
//!
//! - `script`: the file's format and how it is read.
//! - `conversation`: what every request must fulfil.
//!
//! Each request is answered by the script's next turn, after the conversation has been checked and the turn's own
//! expectations have been met. Reads no file: the host hands over the text. The state is the number of turns answered.

use rye_plugin_abi::provider::{Answer, EncodeRequest, EncodeResponse, ModelEvent, Provider, StopReason, ToolCall};
use rye_plugin_abi::{Description, Failure};
use serde::{Deserialize, Serialize};

mod conversation;
mod script;

use script::Turn;

rye_plugin_abi::export_provider!(rye_provider_scripted, "scripted", Scripted);

/// The provider.
#[derive(Debug)]
pub struct Scripted;

#[derive(Default, Serialize, Deserialize)]
struct State {
    /// How many turns have been answered.
    turns: usize,
}

impl Provider for Scripted {
    fn describe() -> Description {
        Description::new("scripted", env!("CARGO_PKG_VERSION"), &[])
    }

    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure> {
        let State { turns } = state(&request)?;
        let number = turns + 1;
        conversation::check(&request.messages)?;
        let turn = next_turn(&request, number)?;
        turn.expect.check(&request, number)?;
        let state = serde_json::to_value(State { turns: number }).map_err(|problem| Failure::state(&problem))?;
        Ok(EncodeResponse { state, answer: Answer::Events { events: events(turn, number) } })
    }
}

fn state(request: &EncodeRequest) -> Result<State, Failure> {
    Option::deserialize(&request.state).map(Option::unwrap_or_default).map_err(|problem| Failure::state(&problem))
}

fn next_turn(request: &EncodeRequest, number: usize) -> Result<Turn, Failure> {
    let text = request.script.as_deref();
    let text = text.ok_or_else(|| Failure::new("script_missing", "the request contains no script to answer from"))?;
    let mut turns = script::parse(text)?;
    if number > turns.len() {
        let message = format!("turn {number} was asked for, but the script ends after turn {}", turns.len());
        return Err(Failure::new("script_exhausted", message));
    }
    Ok(turns.swap_remove(number - 1))
}

fn events(turn: Turn, number: usize) -> Vec<ModelEvent> {
    let stop = if turn.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let calls = turn.calls.into_iter().enumerate().map(|(index, call)| {
        let call_id = call.call_id.unwrap_or_else(|| format!("call-{number}-{}", index + 1));
        ModelEvent::ToolCall(ToolCall { call_id, name: call.name, input: call.input })
    });
    let mut events = Vec::new();
    events.extend(turn.reasoning.map(|text| ModelEvent::Reasoning { text }));
    events.extend(turn.text.map(|text| ModelEvent::Text { text }));
    events.extend(calls);
    events.push(ModelEvent::Usage(turn.usage));
    events.push(ModelEvent::Stop { reason: turn.stop.unwrap_or(stop) });
    events
}
