//! Carries out a directive's calls in order, without a model.
//!
//! - `results`: what the conversation says about the calls made so far.
//! - `outputs`: how declared outputs are filled from them.
//!
//! Each request is answered by one step: its text, then all its calls. Steps without calls are told together with the
//! next step that has some. After the last step the declared outputs are returned through the tool `directive_return`;
//! where none are declared, and when asked once more, the turn ends. A call that failed or was refused is told and does
//! not stop the rest. Deterministic; the state carries the next step. Deliberately judges nothing a step says.

use rye_plugin_abi::provider::{
    Answer, CallBrief, EncodeRequest, EncodeResponse, ModelEvent, Provider, StepBrief, StopReason, ToolCall, Usage,
};
use rye_plugin_abi::{Description, Failure};
use serde::{Deserialize, Serialize};

mod outputs;
mod results;

use results::Results;

rye_plugin_abi::export_provider!(rye_provider_steps, "steps", Steps);

/// The provider.
#[derive(Debug)]
pub struct Steps;

/// The tool through which a directive returns its outputs.
const DIRECTIVE_RETURN: &str = "directive_return";

#[derive(Default, Serialize, Deserialize)]
struct State {
    /// The index of the step that comes next.
    next_step: usize,
    /// Whether the outputs have been returned.
    returned: bool,
}

/// A turn before it is put into events.
struct Turn {
    paragraphs: Vec<String>,
    calls: Vec<ToolCall>,
    state: State,
}

impl Provider for Steps {
    fn describe() -> Description {
        Description::new("steps", env!("CARGO_PKG_VERSION"), &[])
    }

    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure> {
        let state: Option<State> = Option::deserialize(&request.state).map_err(|problem| Failure::state(&problem))?;
        let turn = next_turn(&request, state.unwrap_or_default());
        let state = serde_json::to_value(&turn.state).map_err(|problem| Failure::state(&problem))?;
        Ok(EncodeResponse { state, answer: Answer::Events { events: events(turn) } })
    }
}

fn next_turn(request: &EncodeRequest, state: State) -> Turn {
    let results = Results::of(&request.messages);
    let mut turn = Turn { paragraphs: results.latest_failures(), calls: Vec::new(), state };
    let steps = &request.directive.steps;
    while let Some(step) = steps.get(turn.state.next_step) {
        turn.state.next_step += 1;
        turn.paragraphs.push(text_of(step));
        if !step.calls.is_empty() {
            turn.calls = calls_of(step, turn.state.next_step);
            return turn;
        }
    }
    finish(request, &results, &mut turn);
    turn
}

/// Returns the outputs, or ends when there are none or they were returned before.
fn finish(request: &EncodeRequest, results: &Results, turn: &mut Turn) {
    let filled = outputs::fill(&request.directive, results);
    turn.paragraphs.extend(filled.problems);
    if !request.directive.outputs.is_empty() && !turn.state.returned {
        turn.state.returned = true;
        let call_id = DIRECTIVE_RETURN.replace('_', "-");
        turn.calls = vec![ToolCall { call_id, name: DIRECTIVE_RETURN.to_owned(), input: filled.values.into() }];
    }
    if turn.paragraphs.is_empty() {
        turn.paragraphs.push("All steps are done.".to_owned());
    }
}

fn text_of(step: &StepBrief) -> String {
    match step.text.trim() {
        "" => step.name.clone(),
        text => text.to_owned(),
    }
}

/// A step's calls, with ids made of the step's number and their own.
fn calls_of(step: &StepBrief, number: usize) -> Vec<ToolCall> {
    let call = |(index, call): (usize, &CallBrief)| ToolCall {
        call_id: call_id(number, index + 1),
        name: call.tool.clone(),
        input: call.input.clone(),
    };
    step.calls.iter().enumerate().map(call).collect()
}

/// The id of a call by its step's number and its own, both counted from 1.
fn call_id(step: usize, call: usize) -> String {
    format!("step-{step}-{call}")
}

fn events(turn: Turn) -> Vec<ModelEvent> {
    let reason = if turn.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let mut events = vec![ModelEvent::Text { text: turn.paragraphs.join("\n\n") }];
    events.extend(turn.calls.into_iter().map(ModelEvent::ToolCall));
    events.push(ModelEvent::Usage(Usage::default()));
    events.push(ModelEvent::Stop { reason });
    events
}
