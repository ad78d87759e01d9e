//! The part of the machine that goes on after an answer that was cut at its greatest length, without a call.
//!
//! What there is of the answer stays in the conversation, and the model is asked once to continue it. If that is cut too, the
//! thread ends, and goes on so when it is taken up again.

use rye_plugin_abi::provider::StopReason as WireStop;

use super::Machine;

/// What the model is told after a text that was cut.
const AFTER_TEXT: &str = "Your answer was cut at its greatest length. Continue exactly where it stopped, and repeat nothing of it. \
     If you still want to call a tool, call it now.";
/// What the model is told after reasoning that was cut before it said anything.
const AFTER_REASONING: &str = "Your answer reached its greatest length while you were still reasoning, and nothing of it was kept. \
     Reason less, and answer or call a tool now.";

impl Machine {
    /// Tells whether the last answer was cut at its greatest length, without a call.
    pub(super) fn is_cut(&self) -> bool {
        self.turn.stop == Some(WireStop::MaxTokens) && !self.turn.called
    }

    /// Has the model continue an answer that was cut, unless the one before was cut too.
    pub(super) fn continue_once(&mut self) {
        match self.is_cut() {
            true if self.continued || !self.setup.continues => {}
            true => self.continue_answer(),
            false => self.continued = false,
        }
    }

    /// Has the model continue an answer whose cut ended the thread, now that it is taken up again.
    pub(super) fn continue_after_end(&mut self) {
        if self.is_cut() && !self.turn.goes_on {
            self.continue_answer();
        }
    }

    fn continue_answer(&mut self) {
        let told = if self.turn.said { AFTER_TEXT } else { AFTER_REASONING };
        self.injected.push(told.to_owned());
        self.turn.goes_on = true;
        self.continued = true;
    }
}
