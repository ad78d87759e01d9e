//! Calls that the end of a thread cut off, and whether they are made again.

use rye_plugin_abi::provider::ToolCall;

use crate::event::CallingStep;

/// The calls of the last answer that the thread's end cut off.
#[derive(Debug, Clone, Default)]
pub(super) struct CutOff {
    calls: Vec<CutCall>,
    again: Again,
}

/// A call that was cut off.
#[derive(Debug, Clone)]
pub(super) struct CutCall {
    pub(super) call: ToolCall,
    /// The step that makes it, where no model does.
    pub(super) step: Option<CallingStep>,
    pub(super) had_begun: bool,
}

/// Whether cut calls are made again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Again {
    #[default]
    No,
    /// When the resumption is committed.
    Next,
    Now,
}

impl CutOff {
    /// Takes a call that was cut off.
    pub(super) fn note(&mut self, call: ToolCall, step: Option<CallingStep>, had_begun: bool) {
        self.calls.push(CutCall { call, step, had_begun });
    }

    /// Returns the calls.
    pub(super) fn calls(&self) -> &[CutCall] {
        &self.calls
    }

    /// Forgets the calls and returns those that are to be made again, if that is next.
    pub(super) fn take_next(&mut self) -> Option<Vec<CutCall>> {
        let Self { calls, again } = std::mem::take(self);
        let is_next = again == Again::Next;
        if is_next {
            self.again = Again::Now;
        }
        is_next.then_some(calls)
    }

    /// Forgets the calls, or has them made again.
    pub(super) fn resume(&mut self, retaken: bool) {
        match retaken {
            true => self.again = Again::Next,
            false => *self = Self::default(),
        }
    }

    /// Tells whether the calls are made again now.
    pub(super) const fn is_now(&self) -> bool {
        matches!(self.again, Again::Now)
    }
}
