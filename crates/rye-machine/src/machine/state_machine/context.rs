//! What a machine knows of its model's context, and of a summary that it asked for.

use super::conversation::Cut;
use crate::event::TurnRange;

/// What is known of the context, and of a summary that is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Compacting {
    /// Whether the context was nearly full at the last turn.
    pub(super) is_pressed: bool,
    /// The most tokens of a request, as a model taught that refused a longer one.
    pub(super) taught: Option<u64>,
    /// Where the conversation is cut for the summary that is asked for.
    pub(super) asked: Option<Cut>,
    /// The turns of a summary that was received before the thread was taken up again.
    pub(super) received: Option<TurnRange>,
}

impl Compacting {
    /// Takes up again, with the summary that was received.
    pub(super) const fn resume(&mut self, received: Option<TurnRange>) {
        self.asked = None;
        self.received = received;
    }

    /// Tells whether a summary is asked for.
    pub(super) const fn is_asked(&self) -> bool {
        self.asked.is_some()
    }
}
