//! The part of the machine that knows steps and directives: the step of a call, and the followed directive.

use super::{Machine, Pending, Performed, TakenIn};
use crate::event::{CallStatus, CallingStep, EventData};
use crate::id::ItemId;
use crate::item::OnError;
use crate::machine::current_directive::Following;
use crate::machine::instructions;

impl Machine {
    /// Has each event name the directive that is followed at that moment, beginning with the thread's own, and the model
    /// told to follow a directive that it executes.
    #[must_use]
    pub fn following(mut self, own: ItemId) -> Self {
        self.following = Some(Following::new(own));
        self
    }

    /// Returns the directive that an event belongs to, which is about to be written down; none for the thread's own.
    pub fn directive_of(&mut self, what: &EventData) -> Option<ItemId> {
        self.following.as_mut().map(|following| following.directive_of(what))
    }

    /// Returns the directive being followed, where events name it.
    pub fn directive_now(&self) -> Option<&ItemId> {
        self.following.as_ref().map(Following::now)
    }

    /// Takes in what a result means for the directive being followed.
    pub(super) fn take_result(&mut self, pending: &Pending, result: &Performed) {
        self.judge_step(pending, result);
        if let (Some(item_id), CallStatus::Ok, Some(_)) = (&pending.takes_in, result.status, &self.following) {
            self.injected.push(instructions::notice(item_id));
            self.taken_in = Some(TakenIn {
                call_id: result.call_id.clone(),
                turn: self.setup.harness.number(),
                id: item_id.clone(),
                instructions: instructions::told(&result.output),
            });
        }
    }

    /// Returns the call that brought the instructions that are followed, if the model took them in.
    pub(super) fn followed_call(&self) -> Option<String> {
        self.followed().map(|taken_in| taken_in.call_id.clone())
    }

    /// Returns the followed directive with its instructions, if the model took them in up to a turn.
    pub(super) fn followed_until(&self, turn: u32) -> Option<(ItemId, String)> {
        let taken_in = self.followed().filter(|taken_in| taken_in.turn <= turn)?;
        Some((taken_in.id.clone(), taken_in.instructions.clone()))
    }

    fn followed(&self) -> Option<&TakenIn> {
        let now = self.directive_now()?;
        self.taken_in.as_ref().filter(|taken_in| taken_in.id == *now)
    }

    /// Notes a call that failed or was denied, and that its step does not go on without.
    fn judge_step(&mut self, pending: &Pending, result: &Performed) {
        let Some((CallingStep { name, on_error: OnError::End }, call)) = &pending.step else { return };
        let (code, message) = match result.status {
            CallStatus::Ok => return,
            CallStatus::Error => ("step_failed", format!("step `{name}`: `{call}` failed: {}", result.reason())),
            // The code says that it was denied.
            CallStatus::Denied => ("denied", format!("step `{name}`: {}", result.reason())),
        };
        self.turn.failed.get_or_insert((code, message));
    }
}
