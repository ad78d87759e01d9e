//! The hooks that the machine waits for, and what follows when it need not wait any more.

use super::conversation::Cut;
use crate::event::EventData;
use crate::id::ItemId;
use crate::item::HookEvent;

/// What follows when every hook has its answer.
#[derive(Debug, Clone)]
pub(super) enum Then {
    /// The turn is committed.
    Commit,
    /// The thread ends with this event.
    End(EventData),
}

/// A hook whose action is being performed.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) call_id: String,
    pub(super) hook: usize,
    pub(super) event: HookEvent,
    pub(super) call: String,
    /// What to tell the model of the result; none for a tool's.
    pub(super) told: Option<Told>,
}

/// What a hook's result is to the model.
#[derive(Debug, Clone)]
pub(super) enum Told {
    Directive(String),
    Knowledge(String),
    /// The directive that goes on when turns were summarised.
    Continuation(Continuing),
}

/// The directive that goes on when turns were summarised, while it is taken in.
#[derive(Debug, Clone)]
pub(super) struct Continuing {
    pub(super) id: ItemId,
    pub(super) cut: Cut,
    pub(super) summary: String,
}
