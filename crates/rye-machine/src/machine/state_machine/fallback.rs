//! The part of the machine that goes on with another model, after the one before failed for good.
//!
//! The turn is the same one: it has no answer. Parts that only the former model understands are not sent to the next
//! one.

use serde_json::Value;

use super::{Effect, Machine, Question, Replacement};
use crate::event::EventData;
use crate::machine::allowance::Allowance;

impl Machine {
    /// Asks another model the same. The limits are checked anew, at its price.
    pub(super) fn fall_back(&mut self, replacement: Replacement, now_ms: u64) -> Vec<Effect> {
        let Replacement { provider, model, reason, price, max_output_tokens, window } = replacement;
        self.messages.forget_states();
        self.turn.state = Value::Null;
        self.setup.max_output_tokens = max_output_tokens;
        if let Some(compaction) = &mut self.setup.compaction {
            compaction.window = window;
        }
        let price_now = Box::new(price.clone());
        let event = EventData::Fallback { provider, model, reason, price: price_now, max_output_tokens, window };
        let changed = Effect::Record(event);
        if let Err(mismatch) = self.setup.harness.change_price(price) {
            return self.fail(vec![changed], "price", mismatch.to_string());
        }
        let mut effects = vec![changed];
        if let Some(asked) = self.ask_again_for_summary(now_ms) {
            effects.extend(asked);
            return effects;
        }
        self.shorten_for_fallback(&mut effects);
        let size = self.size();
        match self.setup.harness.before_same_call(size, max_output_tokens, now_ms) {
            Ok(max_output_tokens) => {
                let allowance = Box::new(Allowance::new(&self.setup.harness, size, max_output_tokens));
                let messages = self.messages.shared();
                effects.push(Effect::Ask(Question { messages, max_output_tokens, allowance, summary: None }));
            }
            Err(limit) => {
                effects.extend(self.stop_at(limit));
            }
        }
        effects
    }

    /// Forgets what only the model of the thread before understands.
    pub fn forget_states(&mut self) {
        self.messages.forget_states();
        self.turn.state = Value::Null;
    }
}
