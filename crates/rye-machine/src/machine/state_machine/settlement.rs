//! What a turn used, settled by the provider's figures: its end on record, and the limits that it passed.

use rye_plugin_abi::provider::StopReason as WireStop;

use super::{Effect, Machine};
use crate::event::{EventData, StopReason, Usage};
use crate::machine::harness::LimitPassed;

/// Returns the recorded word for why a model stopped.
pub(super) const fn recorded(stop: WireStop) -> StopReason {
    match stop {
        WireStop::EndTurn => StopReason::EndTurn,
        WireStop::ToolUse => StopReason::ToolUse,
        WireStop::MaxTokens => StopReason::MaxTokens,
        WireStop::Pause => StopReason::Pause,
        WireStop::Refusal => StopReason::Refusal,
        WireStop::ContextExceeded => StopReason::ContextExceeded,
        WireStop::Other => StopReason::Other,
    }
}

impl Machine {
    /// Ends a turn that was answered.
    pub(super) fn step_finish(&mut self, effects: &mut Vec<Effect>) {
        let usage = self.turn.usage;
        let spend = self.setup.harness.add(usage).to_string();
        let called = if self.turn.called { WireStop::ToolUse } else { WireStop::EndTurn };
        let stop_reason = recorded(self.turn.stop.unwrap_or(called));
        let (state, model) = (self.turn.state.clone(), self.turn.model.clone());
        effects.push(Effect::Record(EventData::StepFinish { usage, spend, stop_reason, model, state }));
        self.tell_of_passed_limits(effects);
    }

    /// Takes what attempts used that brought no answer. The turn goes on.
    pub(super) fn attempts_failed(&mut self, usage: Usage) -> Vec<Effect> {
        let spend = self.setup.harness.add_failed(usage).to_string();
        let mut effects = vec![Effect::Record(EventData::AttemptsFailed { usage, spend })];
        self.tell_of_passed_limits(&mut effects);
        effects
    }

    /// Puts on record by how much a limit was passed, each time that it grows.
    pub(super) fn tell_of_passed_limits(&mut self, effects: &mut Vec<Effect>) {
        let passed = self.setup.harness.passed();
        for one in passed.iter().filter(|one| !self.passed.contains(one)) {
            let LimitPassed { limit, value, by } = one.clone();
            effects.push(Effect::Record(EventData::LimitPassed { limit, value, by }));
        }
        self.passed = passed;
    }

    /// Tells that the model goes round in a loop: the same calls with the same results, too often in a row.
    pub(super) fn goes_round(&self) -> Option<String> {
        let rounds = self.repeats.of_rounds();
        let most = self.setup.harness.ceilings().repeats?;
        (rounds >= most).then(|| format!("the model made the same calls with the same results {rounds} times in a row"))
    }
}
