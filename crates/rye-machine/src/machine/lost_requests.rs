//! Requests that were sent to a model and not answered: the provider may have billed them, so they count against the limits of
//! all that follows in their thread.

use super::effect::{Input, Question};
use super::harness::LimitReached;
use crate::event::{Event, EventData, Usage};

/// Counts the recorded ones. The facts of the last resumption are in the journal still, if nothing was committed since.
pub fn on_record(events: &[Event]) -> u32 {
    let (mut known, mut in_journal) = (0_u32, 0);
    for event in events {
        if let EventData::ThreadResumed { unanswered, .. } = event.what {
            in_journal = unanswered;
            continue;
        }
        known = known.saturating_add(std::mem::take(&mut in_journal));
        if let EventData::RequestsUnanswered { count } = event.what {
            known = known.saturating_add(count);
        }
    }
    known
}

/// Returns the output tokens that limits leave to a question, as if each of `sent` requests was billed for the same input.
///
/// # Errors
///
/// Returns what ends the thread where they leave none.
pub fn room_after(sent: u32, question: &Question) -> Result<u64, Input> {
    if sent == 0 {
        return Ok(question.max_output_tokens);
    }
    let room = question.allowance.output_after(Usage::default(), sent);
    room.map(|room| room.min(question.max_output_tokens)).map_err(|LimitReached { limit, value, .. }| {
        let sent = if sent == 1 { "1 request was".to_owned() } else { format!("{sent} requests were") };
        let message = format!(
            "the limit on {limit} ({value}) leaves no room: {sent} sent and not answered, and may have been billed"
        );
        Input::OutOfRoom { limit: limit.to_owned(), value, message }
    })
}
