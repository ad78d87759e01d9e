//! The part of the machine that ends a thread: by a limit, an unusable answer, a failure, or a stop.

use rye_plugin_abi::provider::StopReason as WireStop;

use super::wait::Then;
use super::{Effect, Machine, Performed, Phase};
use crate::event::EventData;
use crate::item::HookEvent;
use crate::machine::ending::{CONTEXT, LIMIT, MAX_TOKENS, declined};
use crate::machine::harness::LimitReached;

impl Machine {
    pub(super) fn stop_at(&mut self, reached: LimitReached) -> Vec<Effect> {
        let message = reached.sentence();
        let LimitReached { limit, value, .. } = reached;
        self.stop_with(limit.to_owned(), value, message)
    }

    pub(super) fn stop_with(&mut self, limit: String, value: String, message: String) -> Vec<Effect> {
        let mut effects = vec![Effect::Record(EventData::LimitReached { limit, value })];
        self.fire(HookEvent::Limit, None, &mut effects);
        self.settle(effects, Then::End(EventData::ThreadError { code: LIMIT.to_owned(), message }))
    }

    /// Tells why the thread cannot continue after the model's answer, as a stable word and a sentence.
    pub(super) fn broke_off(&self) -> Option<(&'static str, String)> {
        if let Some(failed) = &self.turn.failed {
            return Some(failed.clone());
        }
        match self.turn.stop? {
            WireStop::MaxTokens if self.turn.called || self.turn.goes_on => None,
            WireStop::MaxTokens if self.continued => Some((
                MAX_TOKENS,
                "the model's answer was cut at its greatest length, and so was its continuation, without a call"
                    .to_owned(),
            )),
            WireStop::MaxTokens => {
                Some((MAX_TOKENS, "the model's answer was cut at its greatest length, without a call".to_owned()))
            }
            WireStop::Refusal => Some(("refusal", declined(self.turn.declined.as_deref()))),
            WireStop::ContextExceeded => Some((CONTEXT, "the conversation no longer fits the model".to_owned())),
            WireStop::EndTurn | WireStop::ToolUse | WireStop::Pause | WireStop::Other => None,
        }
    }

    /// Ends the thread in error.
    pub(super) fn fail(&mut self, mut effects: Vec<Effect>, code: &str, message: String) -> Vec<Effect> {
        self.fire(HookEvent::Error, Some((code.to_owned(), "thread".to_owned())), &mut effects);
        self.settle(effects, Then::End(EventData::ThreadError { code: code.to_owned(), message }))
    }

    /// Ends the thread. Calls still open are answered first, and a turn that was answered is counted (hole 14).
    pub(super) fn end(&mut self, mut effects: Vec<Effect>, last: EventData) -> Vec<Effect> {
        for pending in std::mem::take(&mut self.pending) {
            if pending.result.is_none() {
                self.note_cut_off(&pending, false);
            }
            let result = pending.result.unwrap_or_else(|| Performed::cancelled(pending.call.call_id.clone()));
            effects.push(self.record_result(pending.call, result));
        }
        if self.phase == Phase::Calling && !self.cut_off.is_now() {
            self.step_finish(&mut effects);
        }
        self.phase = Phase::Ended;
        effects.push(Effect::Record(last));
        effects.push(Effect::End);
        effects
    }
}
