//! What of a conversation is left out of later requests, and what takes its place.

use serde::{Deserialize, Serialize};

/// Turns of a thread, by their numbers: from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRange {
    /// The number of the first one.
    pub first: u32,
    /// The number of the last one.
    pub last: u32,
}

/// A result that later requests carry as a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearedResult {
    /// The turn whose record has it.
    pub turn: u32,
    /// The call.
    pub call_id: String,
    /// How long it is, in bytes of JSON.
    pub bytes: u64,
}
