//! Rounds that repeat: how often in a row the model made the same calls, and with the same results.

use rye_plugin_abi::provider::ToolCall;
use serde_json::Value;

use super::Performed;
use crate::event::CallStatus;

/// The last round, and for how long it has been the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Repeats {
    calls: Vec<(String, Value)>,
    results: Vec<(CallStatus, Value)>,
    /// The results of the round that goes on.
    coming: Vec<(CallStatus, Value)>,
    /// How often in a row the calls were made.
    of_calls: u64,
    /// How often in a row they were made with the same results.
    of_rounds: u32,
}

impl Repeats {
    /// Begins a round with the model's calls.
    pub(super) fn begin(&mut self, calls: &[ToolCall]) {
        let these: Vec<(String, Value)> = calls.iter().map(|call| (call.name.clone(), call.input.clone())).collect();
        let again = !these.is_empty() && these == self.calls;
        self.of_calls = if again { self.of_calls + 1 } else { u64::from(!these.is_empty()) };
        if !again {
            self.results.clear();
            self.of_rounds = 0;
        }
        self.calls = these;
        self.coming.clear();
    }

    /// Takes the result of one of its calls.
    pub(super) fn result(&mut self, result: &Performed) {
        self.coming.push((result.status, result.output.clone()));
    }

    /// Ends the round.
    pub(super) fn end(&mut self) {
        let again = self.of_rounds > 0 && self.coming == self.results;
        self.of_rounds = if again { self.of_rounds + 1 } else { u32::from(!self.calls.is_empty()) };
        self.results = std::mem::take(&mut self.coming);
    }

    /// Returns how often in a row the model made the same calls.
    pub(super) const fn of_calls(&self) -> u64 {
        self.of_calls
    }

    /// Returns how many rounds in a row had the same calls with the same results.
    pub(super) const fn of_rounds(&self) -> u32 {
        self.of_rounds
    }
}
