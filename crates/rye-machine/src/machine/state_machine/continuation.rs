//! The part of the machine that goes on with another directive when turns were summarised: the one that its own directive names as
//! its continuation, with the summary as input.
//!
//! It is taken in as a hook takes one in: declared in a signed directive, under the permissions of the thread, which do not
//! change. Where it cannot be taken in, the summary alone takes the place of the turns.

use serde_json::{Map, Value};

use super::conversation::Cut;
use super::wait::{Continuing, Told, Waiting};
use super::{Effect, Machine, Performed};
use crate::action::action;
use crate::capability::{OfHook, Primary};
use crate::event::{CallStatus, EventData};
use crate::execute::Given;
use crate::id::ItemType;
use crate::item::HookEvent;
use crate::machine::{instructions, notes};

/// The input of a continuation that gets the summary.
const SUMMARY: &str = "summary";

impl Machine {
    /// Replaces the turns before a cut: by the directive that continues this one, or else by the summary.
    pub(super) fn continue_with(&mut self, cut: Cut, summary: String) -> Option<Effect> {
        let Some(id) = self.setup.continuation.clone() else {
            self.summarize(cut, &summary);
            return None;
        };
        let object = Map::from_iter([(SUMMARY.to_owned(), Value::String(summary.clone()))]);
        let given = Given { object, ..Given::default() };
        let wanted = action(Primary::Execute, ItemType::Directive, id.clone(), given);
        let permitted = wanted.and_then(|action| {
            let call = action.to_string();
            let permitted = action.permit(&OfHook(&self.setup.chain));
            permitted.map(|permitted| (call, permitted)).map_err(|denial| denial.to_string())
        });
        let continuing = Continuing { id, cut, summary };
        match permitted {
            Ok((call, permitted)) => {
                self.hooked += 1;
                let call_id = format!("hook-{}", self.hooked);
                let told = Some(Told::Continuation(continuing));
                let event = HookEvent::ContextPressure;
                self.waiting.push(Waiting { call_id: call_id.clone(), hook: 0, event, call, told });
                Some(Effect::Hook { call_id, permitted })
            }
            Err(message) => {
                let refused = Performed::denied(String::new(), &message);
                Some(Effect::Record(self.continued(continuing, refused)))
            }
        }
    }

    /// Takes the instructions of the continuation, or puts the summary in the place of the turns without them.
    pub(super) fn continued(&mut self, continuing: Continuing, performed: Performed) -> EventData {
        let Continuing { id, cut, summary } = continuing;
        let Performed { status, output, artifact, .. } = performed;
        match status {
            CallStatus::Ok => {
                let told = instructions::told(&output);
                let returns = self.setup.returns.schema().is_some();
                let text = notes::continuation(&id, cut.turns, &told, &summary, self.can_recall(), returns);
                self.messages.begin_anew(cut, text, self.setup.harness.number());
                self.taken_in = None;
            }
            CallStatus::Error | CallStatus::Denied => self.summarize(cut, &summary),
        }
        EventData::ContinuationStart { item_id: id, status, result: output, artifact }
    }
}
