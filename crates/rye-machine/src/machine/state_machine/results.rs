//! The part of the machine that takes the results of calls, in the order of the calls.

use rye_plugin_abi::provider::{Message, ToolCall};

use super::{Effect, Machine, Pending, Performed};
use crate::event::{CallStatus, EventData};

impl Machine {
    pub(super) fn performed(&mut self, performed: Performed) -> Vec<Effect> {
        let waiting = |pending: &&mut Pending| pending.result.is_none() && pending.call.call_id == performed.call_id;
        let Some(pending) = self.pending.iter_mut().find(waiting) else { return Vec::new() };
        pending.result = Some(performed);
        self.fold(Vec::new())
    }

    /// Records results in the order of the calls, as far as they are there, and ends the turn after the last.
    pub(super) fn fold(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        while self.pending.first().is_some_and(|pending| pending.result.is_some()) {
            let mut pending = self.pending.remove(0);
            if let Some(result) = pending.result.take() {
                if result.is_cut_off() {
                    self.note_cut_off(&pending, result.had_begun());
                    effects.push(self.record_result(pending.call, result));
                    continue;
                }
                self.take_result(&pending, &result);
                effects.push(self.record_result(pending.call, result.clone()));
                self.fire_for_result(&pending.what, &result, &mut effects);
            }
        }
        if self.pending.is_empty() { self.finish_turn(effects) } else { effects }
    }

    pub(super) fn record_result(&mut self, call: ToolCall, result: Performed) -> Effect {
        if !self.cut_off.is_now() {
            self.repeats.result(&result);
        }
        let result_message = Message::Tool {
            call_id: call.call_id,
            name: call.name,
            output: result.output.clone(),
            is_error: result.status != CallStatus::Ok,
            stderr: result.stderr.clone(),
        };
        self.messages.take_result(result_message, self.setup.harness.number());
        Effect::Record(EventData::ToolCallResult {
            call_id: result.call_id,
            status: result.status,
            output: result.output,
            artifact: result.artifact,
            stderr: result.stderr,
            hosts: result.hosts,
            duration_ms: result.duration_ms,
        })
    }
}
