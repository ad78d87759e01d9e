//! What can happen in a thread that hooks wait for.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

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
#[error("unknown thread event `{word}`")]
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
