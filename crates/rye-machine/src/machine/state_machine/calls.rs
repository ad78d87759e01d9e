//! The part of the machine that takes an answer in and decides each of its calls.
//!
//! Calls without work (faults, denials, outputs) are answered at once; only a permitted action becomes an effect.

use rye_plugin_abi::provider::{Message, ModelEvent, StopReason as WireStop, ToolCall};
use serde_json::{Map, Value, json};

use super::{Answer, Effect, Machine, Pending, Performed, Phase, answered, refusal, resource};
use crate::action::{Action, Resolved};
use crate::event::{CallStatus, CallingStep, EventData};
use crate::id::ItemType;
use crate::item::HookEvent;

impl Machine {
    pub(super) fn answer(&mut self, Answer { events, state, model }: Answer) -> Vec<Effect> {
        self.turn.state = state;
        self.turn.model = model;
        self.turn.is_open = false;
        let mut effects = Vec::new();
        let (mut text, mut calls) = (String::new(), Vec::new());
        let (mut step, mut steps) = (None, Vec::new());
        for event in events {
            match event {
                ModelEvent::Text { text: more } => text.push_str(&more),
                ModelEvent::Reasoning { text } => {
                    effects.push(Effect::Record(EventData::AssistantReasoning { text }));
                }
                ModelEvent::Step { name, on_error } => {
                    step = Some(CallingStep { name, on_error });
                }
                ModelEvent::ToolCall(call) => {
                    calls.push(self.unique(call, &calls));
                    steps.push(step.clone());
                }
                ModelEvent::Declined { text } => {
                    self.turn.declined = Some(text.clone());
                    effects.push(Effect::Record(EventData::AnswerDeclined { reason: text }));
                }
                ModelEvent::Usage(usage) => self.turn.usage = self.turn.usage.plus(usage.into()),
                ModelEvent::Stop { reason } => self.turn.stop = Some(reason),
            }
        }
        if !text.is_empty() {
            effects.push(Effect::Record(EventData::AssistantText { text: text.clone() }));
        }
        self.turn.said = !text.trim().is_empty();
        self.turn.called = !calls.is_empty();
        self.repeats.begin(&calls);
        let said = Message::Assistant { text, calls: calls.clone(), state: self.turn.state.clone() };
        self.messages.push(said, self.setup.harness.number());
        self.phase = Phase::Calling;
        self.start_calls(calls.into_iter().zip(steps), &mut effects);
        self.fold(effects)
    }

    /// Gives a call an id of its own if the model reused one: every result must answer exactly one call.
    fn unique(&mut self, mut call: ToolCall, earlier: &[ToolCall]) -> ToolCall {
        while call.call_id.is_empty() || self.is_taken(&call.call_id, earlier) {
            self.calls += 1;
            call.call_id = format!("call-{}", self.calls);
        }
        call
    }

    fn is_taken(&self, id: &str, earlier: &[ToolCall]) -> bool {
        earlier.iter().any(|one| one.call_id == id) || self.messages.has_answered(id)
    }

    /// Starts the calls of a turn, each with the step that makes it.
    pub(super) fn start_calls(
        &mut self,
        calls: impl Iterator<Item = (ToolCall, Option<CallingStep>)>,
        effects: &mut Vec<Effect>,
    ) {
        for (call, step) in calls {
            let resolved = self.setup.toolbox.resolve(&call);
            effects.push(Effect::Record(EventData::ToolCallStart {
                call_id: call.call_id.clone(),
                tool: call.name.clone(),
                item_id: match &resolved {
                    Resolved::Action(action) => action.item_id().cloned(),
                    _ => None,
                },
                input: call.input.clone(),
                step: step.clone(),
            }));
            let in_words = match &resolved {
                Resolved::Action(action) => Some(action.to_string()),
                _ => None,
            };
            let takes_in = match &resolved {
                Resolved::Action(Action::TakeIn { item_type: ItemType::Directive, id, .. }) => Some(id.clone()),
                _ => None,
            };
            let mut what = match &resolved {
                Resolved::Action(action) => action.needed(),
                _ => call.name.clone(),
            };
            let result = self.decide(&call, resolved, &mut what, effects);
            let step = step.map(|step| (step, in_words.unwrap_or_else(|| call.name.clone())));
            self.pending.push(Pending { call, what, step, takes_in, result });
        }
    }

    /// Answers what needs no performing: returns, faults and denials. The rest becomes an effect.
    fn decide(
        &mut self,
        call: &ToolCall,
        resolved: Resolved,
        what: &mut String,
        effects: &mut Vec<Effect>,
    ) -> Option<Performed> {
        let call_id = call.call_id.clone();
        if let Some((code, message)) = self.not_made(call) {
            return Some(refusal(call_id, CallStatus::Error, code, message));
        }
        match resolved {
            Resolved::Fault { code, message } => Some(refusal(call_id, CallStatus::Error, code, &message)),
            Resolved::Return(outputs) => Some(self.take_outputs(call_id, outputs, effects)),
            Resolved::Recall(recall) => {
                effects.push(Effect::Recall { call_id, recall: self.within_context(recall) });
                None
            }
            Resolved::Deviation { kind, message } => {
                effects.push(Effect::Record(EventData::Deviation { kind: kind.clone(), message: message.clone() }));
                self.fire(HookEvent::Deviation, Some((kind, message)), effects);
                Some(answered(call_id, json!({"noted": true})))
            }
            Resolved::Action(action) => {
                let asked = action.to_string();
                match action.permit(&self.setup.chain) {
                    Ok(permitted) => {
                        self.fire(HookEvent::BeforeTool, None, effects);
                        effects.push(Effect::Perform { call_id, permitted });
                        None
                    }
                    Err(denial) => {
                        *what = resource(&denial, &asked);
                        let message = denial.to_string();
                        let event = EventData::PermissionDenied {
                            call_id: call_id.clone(),
                            call: asked,
                            message: denial.for_people(),
                        };
                        effects.push(Effect::Record(event));
                        Some(Performed::denied(call_id, &message))
                    }
                }
            }
        }
    }

    /// Tells why a call is not made, whatever it asks for: the answer that holds it ended before it was meant.
    fn not_made(&self, call: &ToolCall) -> Option<(&'static str, &'static str)> {
        match self.turn.stop? {
            WireStop::Refusal => Some(("refusal", "the call was not made: the answer was declined")),
            WireStop::MaxTokens if !call.input.is_object() => Some((
                "cut_off",
                "the call was not made: the answer reached its greatest length in it; make it again with less in it, or in several calls",
            )),
            WireStop::MaxTokens
            | WireStop::EndTurn
            | WireStop::ToolUse
            | WireStop::Pause
            | WireStop::ContextExceeded
            | WireStop::Other => None,
        }
    }

    fn take_outputs(&mut self, call_id: String, outputs: Map<String, Value>, effects: &mut Vec<Effect>) -> Performed {
        match self.setup.returns.accept(&outputs) {
            Ok(()) => {
                effects.push(Effect::Record(EventData::DirectiveReturn { outputs: outputs.clone() }));
                self.outputs = Some(outputs);
                self.fire(HookEvent::DirectiveReturn, None, effects);
                answered(call_id, json!({"returned": true}))
            }
            Err(message) => refusal(call_id, CallStatus::Error, "missing_outputs", &message),
        }
    }
}
