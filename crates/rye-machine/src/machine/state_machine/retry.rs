//! The part of the machine that makes calls again that the thread's end cut off: the answer that asks for them is paid, so the
//! model is not asked for them again.

use super::{Effect, Machine, Pending, Phase};

impl Machine {
    /// Returns the ids of calls that the thread's end cut off, with their words, and whether they had begun.
    pub fn cut_off(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.cut_off.calls().iter().map(|cut| (cut.call.call_id.as_str(), cut.call.name.as_str(), cut.had_begun))
    }

    /// Notes a call that was cut off.
    pub(super) fn note_cut_off(&mut self, pending: &Pending, had_begun: bool) {
        let step = pending.step.as_ref().map(|(step, _)| step.clone());
        self.cut_off.note(pending.call.clone(), step, had_begun);
    }

    /// Makes the calls again that were cut off, if that is to be done now. Their answer is counted already.
    pub(super) fn make_again(&mut self) -> Option<Vec<Effect>> {
        let calls = self.cut_off.take_next()?;
        self.turn.failed = None;
        self.setup.harness.pass_to(self.setup.harness.number() + 1);
        self.phase = Phase::Calling;
        let mut effects = Vec::new();
        self.start_calls(calls.into_iter().map(|cut| (cut.call, cut.step)), &mut effects);
        Some(self.fold(effects))
    }
}
