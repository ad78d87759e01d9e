//! Carries out a directive's calls in order, without a model.
//!
//! - `results`: what the conversation says about the calls made so far.
//! - `selected`: a step's result, and what a path selects in it.
//! - `filled`: parameters with the results of earlier steps.
//! - `outputs`: how declared outputs are filled.
//!
//! Each request is answered by one call, the first of a step with the step's text: a later call of the step is made only
//! when the earlier ones have succeeded. Steps without calls are told together with the next step that has some. After the
//! last step the declared outputs are returned through the tool `directive_return`; where none are declared, and when asked
//! once more, the turn ends. Each call names its step, and the host ends the thread when it fails or is denied, unless the
//! step says otherwise: then the rest of the step is left out, and the next one is done. Deterministic; the state carries
//! the next step. Deliberately judges nothing a step says.

use rye_plugin_abi::message::CODE_STEP_FAILED;
use rye_plugin_abi::provider::{
    Answer, EncodeRequest, EncodeResponse, ModelEvent, OnError, Provider, StepBrief, StopReason, ToolCall, Usage,
};
use rye_plugin_abi::{Description, Failure};
use serde::{Deserialize, Serialize};

mod filled;
mod outputs;
mod results;
mod selected;

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
    /// How many of its calls have been made.
    #[serde(default, skip_serializing_if = "is_zero")]
    made: usize,
    /// Whether the outputs have been returned.
    returned: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A turn before it is put into events.
struct Turn {
    paragraphs: Vec<String>,
    /// The call, with the step that makes it.
    call: Option<(Option<ModelEvent>, ToolCall)>,
    state: State,
}

impl Provider for Steps {
    fn describe() -> Description {
        Description::new("steps", env!("CARGO_PKG_VERSION"), &[])
    }

    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure> {
        let state: Option<State> = Option::deserialize(&request.state).map_err(|problem| Failure::state(&problem))?;
        let turn = next_turn(&request, state.unwrap_or_default())?;
        let state = serde_json::to_value(&turn.state).map_err(|problem| Failure::state(&problem))?;
        Ok(EncodeResponse { state, answer: Answer::Events { events: events(turn) } })
    }
}

fn next_turn(request: &EncodeRequest, state: State) -> Result<Turn, Failure> {
    let results = Results::of(&request.messages);
    let mut turn = Turn { paragraphs: results.latest_failures(), call: None, state };
    let steps = &request.directive.steps;
    while let Some(step) = steps.get(turn.state.next_step) {
        turn.take(step, steps, &results)?;
        if turn.call.is_some() {
            return Ok(turn);
        }
    }
    finish(request, &results, &mut turn);
    Ok(turn)
}

impl Turn {
    /// Makes the next call of a step, or goes on to the next step.
    fn take(&mut self, step: &StepBrief, steps: &[StepBrief], results: &Results<'_>) -> Result<(), Failure> {
        let number = self.state.next_step + 1;
        let made = self.state.made;
        let has_failed = made > 0 && results.of_call(&call_id(number, made)).is_some_and(|last| last.is_error);
        if made == 0 {
            self.paragraphs.push(text_of(step));
        }
        let Some(call) = step.calls.get(made).filter(|_| !has_failed) else {
            self.state.next_step += 1;
            self.state.made = 0;
            return Ok(());
        };
        match filled::fill(call, steps, results) {
            Ok(input) => {
                let is_last = made + 1 == step.calls.len();
                let from = ModelEvent::Step { name: step.name.clone(), on_error: step.on_error };
                let call = ToolCall { call_id: call_id(number, made + 1), name: call.tool.clone(), input };
                self.call = Some((Some(from), call));
                self.state.made = if is_last { 0 } else { made + 1 };
                self.state.next_step += usize::from(is_last);
            }
            Err(reason) => {
                let reason = format!("step `{}` cannot be done: {reason}", step.name);
                match step.on_error {
                    OnError::End => return Err(Failure::new(CODE_STEP_FAILED, reason)),
                    OnError::Continue => self.paragraphs.push(format!("{reason}.")),
                }
                self.state.next_step += 1;
                self.state.made = 0;
            }
        }
        Ok(())
    }
}

/// Returns the outputs, or ends when there are none or they were returned before.
fn finish(request: &EncodeRequest, results: &Results<'_>, turn: &mut Turn) {
    let filled = outputs::fill(&request.directive, results);
    turn.paragraphs.extend(filled.problems);
    if !request.directive.outputs.is_empty() && !turn.state.returned {
        turn.state.returned = true;
        let call_id = DIRECTIVE_RETURN.replace('_', "-");
        turn.call = Some((None, ToolCall { call_id, name: DIRECTIVE_RETURN.to_owned(), input: filled.values.into() }));
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

/// The id of a call by its step's number and its own, both counted from 1.
fn call_id(step: usize, call: usize) -> String {
    format!("step-{step}-{call}")
}

fn events(turn: Turn) -> Vec<ModelEvent> {
    let reason = if turn.call.is_none() { StopReason::EndTurn } else { StopReason::ToolUse };
    let mut events = Vec::new();
    if !turn.paragraphs.is_empty() {
        events.push(ModelEvent::Text { text: turn.paragraphs.join("\n\n") });
    }
    if let Some((step, call)) = turn.call {
        events.extend(step);
        events.push(ModelEvent::ToolCall(call));
    }
    events.push(ModelEvent::Usage(Usage::default()));
    events.push(ModelEvent::Stop { reason });
    events
}
