//! Hooks: what a thread does by itself when something happens.

use serde::{Deserialize, Serialize};

use super::{Condition, HookEvent};
use crate::capability::Primary;
use crate::id::{ItemId, ItemType};

/// One hook, in either of its written forms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hook {
    /// The event it waits for; `None` when its condition alone decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<HookEvent>,
    /// The condition; `None` when the event alone decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// The action.
    pub action: HookAction,
    /// Inputs or parameters in order; values may hold `${variable}`.
    pub inputs: Vec<(String, String)>,
}

/// What a hook does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookAction {
    /// The action.
    pub primary: Primary,
    /// To an item of which type.
    pub item_type: ItemType,
    /// To which item: its id, or its last segment alone where that is unique.
    pub item_id: ItemId,
}

impl Hook {
    /// Tells whether there is an event at which the hook may fire: one it waits for, at which its condition can hold.
    #[must_use]
    pub fn can_fire(&self) -> bool {
        let may_fire = |event: &HookEvent| {
            self.event.is_none_or(|own| own == *event) && self.when.as_ref().is_none_or(|when| when.can_hold(*event))
        };
        HookEvent::ALL.iter().any(may_fire)
    }

    /// Tells whether the hook may fire at `event`: it waits for it, names it, or reads what only it brings.
    #[must_use]
    pub fn listens_to(&self, event: HookEvent) -> bool {
        let reads = |condition: &Condition| condition.names(event) || condition.reads(event.as_str());
        self.event == Some(event) || self.when.as_ref().is_some_and(reads)
    }
}
