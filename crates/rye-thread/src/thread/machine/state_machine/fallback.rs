//! The part of the machine that goes on with another model, after the one before failed for good.
//!
//! The turn is the same one: it has no answer. Parts that only the former model understands are not sent to the next
//! one.

use serde_json::Value;

use super::{Effect, Machine, Question, Replacement};
use crate::event::EventData;
use crate::thread::machine::allowance::Allowance;

impl Machine {
    /// Asks another model the same. The limits are checked anew, at its price.
    pub(super) fn fall_back(&mut self, replacement: Replacement, now_ms: u64) -> Vec<Effect> {
        let Replacement { provider, model, reason, price, max_output_tokens } = replacement;
        self.messages.forget_states();
        self.turn.state = Value::Null;
        self.setup.max_output_tokens = max_output_tokens;
        let event = EventData::Fallback { provider, model, reason, price: Box::new(price.clone()), max_output_tokens };
        let changed = Effect::Record(event);
        if let Err(mismatch) = self.setup.harness.change_price(price) {
            return self.fail(vec![changed], "price", mismatch.to_string());
        }
        let size = self.size();
        match self.setup.harness.before_same_call(size, max_output_tokens, now_ms) {
            Ok(max_output_tokens) => {
                let allowance = Box::new(Allowance::new(&self.setup.harness, size, max_output_tokens));
                let messages = self.messages.shared();
                vec![changed, Effect::Ask(Question { messages, max_output_tokens, allowance })]
            }
            Err(limit) => {
                let mut effects = vec![changed];
                effects.extend(self.stop_at(limit));
                effects
            }
        }
    }

    /// Forgets what only the model of the thread before understands.
    pub(in crate::thread) fn forget_states(&mut self) {
        self.messages.forget_states();
        self.turn.state = Value::Null;
    }
}
