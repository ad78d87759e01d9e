//! Hooks: what a thread does by itself when something happens.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

use super::Condition;
use crate::capability::Primary;
use crate::id::{ItemId, ItemType};

/// One hook, in either of its written forms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hook {
    /// The event it waits for; `None` when its condition alone decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<HookEvent>,
    /// What must hold; `None` when the event alone decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// What is done.
    pub action: HookAction,
    /// Inputs or parameters in order; values may hold `${variable}`.
    pub inputs: Vec<(String, String)>,
}

/// What a hook does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookAction {
    /// The action.
    pub primary: Primary,
    /// To an item of which type.
    pub item_type: ItemType,
    /// To which item: its id, or its last segment alone where that is unique.
    pub item_id: ItemId,
}

/// What can happen in a thread that hooks wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    /// The thread began.
    ThreadStarted,
    /// A permitted call is about to be made.
    BeforeTool,
    /// A call has its result.
    AfterTool,
    /// A round trip ended.
    AfterStep,
    /// A limit stops the thread.
    Limit,
    /// A call failed, or the thread is about to end in error.
    Error,
    /// A call was refused.
    PermissionDenied,
    /// The model makes the same calls again and again.
    LoopDetected,
    /// The work left the declared way.
    Deviation,
    /// The context is nearly full.
    ContextPressure,
    /// The declared outputs were returned.
    DirectiveReturn,
    /// The thread is about to end well.
    ThreadCompleted,
}

/// A word that names no event.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{word}` is no event of a thread")]
pub struct HookEventError {
    /// The word as given.
    pub word: String,
}

impl HookEvent {
    /// Every event.
    pub const ALL: [Self; 12] = [
        Self::ThreadStarted,
        Self::BeforeTool,
        Self::AfterTool,
        Self::AfterStep,
        Self::Limit,
        Self::Error,
        Self::PermissionDenied,
        Self::LoopDetected,
        Self::Deviation,
        Self::ContextPressure,
        Self::DirectiveReturn,
        Self::ThreadCompleted,
    ];

    /// Returns the word for this event.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ThreadStarted => "thread_started",
            Self::BeforeTool => "before_tool",
            Self::AfterTool => "after_tool",
            Self::AfterStep => "after_step",
            Self::Limit => "limit",
            Self::Error => "error",
            Self::PermissionDenied => "permission_denied",
            Self::LoopDetected => "loop_detected",
            Self::Deviation => "deviation",
            Self::ContextPressure => "context_pressure",
            Self::DirectiveReturn => "directive_return",
            Self::ThreadCompleted => "thread_completed",
        }
    }

    /// Tells whether variables below `root` are there when this happens: `error` and `deviation` belong to their events.
    #[must_use]
    pub fn brings(self, root: &str) -> bool {
        match root {
            "error" => matches!(self, Self::Error | Self::PermissionDenied),
            "deviation" => self == Self::Deviation,
            _ => true,
        }
    }
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

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for HookEvent {
    type Err = HookEventError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|event| event.as_str() == word)
            .ok_or_else(|| HookEventError { word: word.to_owned() })
    }
}

crate::id::serde_as_text!(HookEvent);
