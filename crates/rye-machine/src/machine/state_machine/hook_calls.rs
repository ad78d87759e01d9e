//! The part of the machine that lets hooks fire and waits for them.
//!
//! The action of a hook becomes an effect at once; the turn (or the thread) ends only after all of them are answered.
//! Instructions and knowledge that a hook brings reach the model with the next request.

use serde_json::Value;

use super::wait::{Then, Told, Waiting};
use super::{Effect, Machine, Performed, Phase};
use crate::action::Action;
use crate::capability::{Denial, OfHook};
use crate::event::{CallStatus, EventData};
use crate::item::HookEvent;
use crate::machine::hooks::{Firing, Moment};

impl Machine {
    /// Lets the hooks of an event fire.
    pub(super) fn fire(&mut self, event: HookEvent, about: Option<(String, String)>, effects: &mut Vec<Effect>) {
        let moment = Moment {
            event,
            spend: self.setup.harness.spend().clone(),
            limit: self.setup.harness.ceilings().spend.clone(),
            turns: (self.setup.harness.turns(), self.setup.harness.ceilings().turns),
            tokens: (self.setup.harness.tokens(), self.setup.harness.ceilings().tokens),
            loop_count: self.repeats.of_calls(),
            about,
        };
        for Firing { hook, action } in self.setup.hooks.at(&moment) {
            let effect = match action {
                Ok(action) => self.begin_hook(hook, event, action),
                Err(message) => refused(hook, event, String::new(), CallStatus::Error, &message),
            };
            effects.push(effect);
        }
    }

    fn begin_hook(&mut self, hook: usize, event: HookEvent, action: Action) -> Effect {
        let call = action.to_string();
        let told = match &action {
            Action::TakeIn { item_type: crate::id::ItemType::Directive, id, .. } => {
                Some(Told::Directive(id.to_string()))
            }
            Action::TakeIn { id, .. } => Some(Told::Knowledge(id.to_string())),
            _ => None,
        };
        let chain = &self.setup.chain;
        let permitted = if self.setup.hooks.declare() { action.permit(&OfHook(chain)) } else { action.permit(chain) };
        match permitted {
            Ok(permitted) => {
                self.hooked += 1;
                let call_id = format!("hook-{}", self.hooked);
                self.waiting.push(Waiting { call_id: call_id.clone(), hook, event, call, told });
                Effect::Hook { call_id, permitted }
            }
            Err(denial) => refused(hook, event, call, CallStatus::Denied, &denial.to_string()),
        }
    }

    /// Takes the result of a hook's action.
    pub(super) fn hook_performed(&mut self, performed: Performed) -> Vec<Effect> {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.call_id == performed.call_id) else {
            return Vec::new();
        };
        let Waiting { hook, event, call, told, .. } = self.waiting.remove(at);
        let event = match told {
            Some(Told::Continuation(continuing)) => self.continued(continuing, performed),
            told => {
                if let (CallStatus::Ok, Some(told)) = (performed.status, told) {
                    self.injected.extend(injection(event, &told, &performed.output));
                }
                let Performed { status, output, artifact, .. } = performed;
                EventData::HookTriggered { hook, event, call, status, result: output, artifact }
            }
        };
        let effects = vec![Effect::Record(event)];
        match self.then.take_if(|_| self.waiting.is_empty()) {
            Some(then) => self.settle(effects, then),
            None => effects,
        }
    }

    /// Does what follows, now or when the last hook is answered.
    pub(super) fn settle(&mut self, mut effects: Vec<Effect>, then: Then) -> Vec<Effect> {
        if !self.waiting.is_empty() {
            self.phase = Phase::Hooking;
            self.then = Some(then);
            return effects;
        }
        match then {
            Then::Commit => {
                for text in std::mem::take(&mut self.injected) {
                    self.say(text.clone());
                    effects.push(Effect::Record(EventData::UserMessage { text }));
                }
                self.phase = Phase::Committing;
                effects.push(Effect::Commit);
                effects
            }
            Then::End(last) => self.end(effects, last),
        }
    }

    /// Lets the hooks of a call's result fire.
    pub(super) fn fire_for_result(&mut self, call: &str, result: &Performed, effects: &mut Vec<Effect>) {
        let code = result.output.pointer("/error/code").and_then(Value::as_str).unwrap_or("failed").to_owned();
        let message = result.output.pointer("/error/message").and_then(Value::as_str).unwrap_or_default().to_owned();
        match result.status {
            CallStatus::Denied => self.fire(HookEvent::PermissionDenied, Some((code, call.to_owned())), effects),
            CallStatus::Ok => self.fire(HookEvent::AfterTool, None, effects),
            CallStatus::Error => {
                self.fire(HookEvent::AfterTool, None, effects);
                let deviation = match code.as_str() {
                    "bad_arguments" => Some("schema_mismatch"),
                    "missing_outputs" => Some("output_mismatch"),
                    _ => None,
                };
                self.fire(HookEvent::Error, Some((code, call.to_owned())), effects);
                if let Some(kind) = deviation {
                    self.fire(HookEvent::Deviation, Some((kind.to_owned(), message)), effects);
                }
            }
        }
    }
}

/// Names what a denied call lacks: the capability or the path.
pub(super) fn resource(denial: &Denial, call: &str) -> String {
    match denial {
        Denial::Call { needed, .. } | Denial::Caller { needed, .. } => needed.clone(),
        Denial::Path { path, .. } | Denial::CodePlace { path, .. } => path.to_string(),
        Denial::Elsewhere { .. } => call.to_owned(),
        Denial::Following { denial, .. } => resource(denial, call),
        Denial::Configured { .. }
        | Denial::NotAgreed { .. }
        | Denial::NotAskable { .. }
        | Denial::NotShown { .. }
        | Denial::TooLong { .. } => call.to_owned(),
    }
}

fn refused(hook: usize, event: HookEvent, call: String, status: CallStatus, message: &str) -> Effect {
    let code = if status == CallStatus::Denied { "permission_denied" } else { "bad_arguments" };
    let result = serde_json::json!({"error": {"code": code, "message": message}});
    Effect::Record(EventData::HookTriggered { hook, event, call, status, result, artifact: None })
}

/// Tells the model what a hook brings; an abridged result is told as it is.
fn injection(event: HookEvent, told: &Told, output: &Value) -> Option<String> {
    let text =
        |member: &str| output.get(member).and_then(Value::as_str).map_or_else(|| output.to_string(), str::to_owned);
    match told {
        Told::Directive(id) => {
            Some(format!("At `{event}`, follow the instructions of directive `{id}`:\n\n{}", text("instructions")))
        }
        Told::Knowledge(id) => {
            Some(format!("At `{event}`, take knowledge `{id}` into account:\n\n{}", text("content")))
        }
        Told::Continuation(_) => None,
    }
}
