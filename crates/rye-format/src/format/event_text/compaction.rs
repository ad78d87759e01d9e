//! What later requests leave out of a conversation, in words.

use crate::event::{ClearedResult, TurnRange};

/// Names turns: `turns 1 to 37`.
#[must_use]
pub fn turns(TurnRange { first, last }: TurnRange) -> String {
    if first == last { format!("turn {first}") } else { format!("turns {first} to {last}") }
}

/// Says which results became pointers: `12 results of turns 1 to 9 (34567 bytes)`.
#[must_use]
pub fn cleared(results: &[ClearedResult]) -> String {
    let numbers = || results.iter().map(|result| result.turn);
    let of = numbers().min().zip(numbers().max()).map_or_else(String::new, |(first, last)| {
        let bytes: u64 = results.iter().map(|result| result.bytes).fold(0, u64::saturating_add);
        format!(" of {} ({bytes} bytes)", turns(TurnRange { first, last }))
    });
    let word = if results.len() == 1 { "result" } else { "results" };
    format!("{} {word}{of}", results.len())
}
