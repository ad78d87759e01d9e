//! The part of the machine that tells the model what is left of its budget, where it is asked again.

use rye_plugin_abi::provider::StopReason as WireStop;

use super::Machine;
use crate::project_words::Left;

impl Machine {
    /// Tells the model what is left, if that is news.
    pub(super) fn tell_budget(&mut self) {
        let goes_on = self.outputs.is_none() && self.turn.stop != Some(WireStop::Pause) && self.broke_off().is_none();
        if !self.setup.tells_budget || !goes_on || self.setup.returns.exhausted().is_some() {
            return;
        }
        let harness = &self.setup.harness;
        let (limits, spend) = (harness.ceilings(), harness.spend());
        let left = Left {
            turns: (limits.turns.saturating_sub(harness.turns()), limits.turns),
            tokens: (limits.tokens.saturating_sub(harness.tokens()), limits.tokens),
            spend: (limits.spend.minus(spend).filter(|left| left.nano() > 0), &limits.spend),
        };
        self.injected.extend(self.budget.news(&left, limits.as_text()));
    }
}
