//! What a server answers.
//!
//! - `event`: the events of a stream, as the wire format has them.
//! - `block`: a content block that grows by deltas.
//! - `turn`: a message, streamed or not, as the turn's events and state.
//! - `stream`: a list of events as a turn.
//! - `failure`: HTTP errors and error events by class.

use rye_plugin_abi::numbers;
use rye_plugin_abi::provider::{
    Body, Counted, DecodeResponse, Decoded, Delta as Seen, FailureClass, PeekResponse, ServerEvent,
};
use serde_json::Value;

mod block;
mod event;
mod failure;
mod stream;
mod turn;

use event::{Delta, Event, Message};
use failure::Refused;
use turn::Turn;

/// Translates a whole response.
pub(crate) fn decode(status: u16, body: &Body) -> DecodeResponse {
    let turn = match (status, body) {
        (200..=299, Body::Events { events, is_whole }) => stream::read(events, *is_whole),
        (200..=299, Body::Text { text }) => message(text),
        (_, Body::Events { events, .. }) => Err(stream::refused(status, events)),
        (_, Body::Text { text }) => Err(Refused::by_body(status, text)),
    };
    match turn {
        Ok(turn) => turn.into_response(),
        Err(Refused { class, message, usage }) => {
            DecodeResponse { state: Value::Null, decoded: Decoded::Failed { class, message, usage }, model: None }
        }
    }
}

/// Reads how many tokens the server counted.
pub(crate) fn counted(status: u16, body: &Body) -> Counted {
    let Body::Text { text } = body else { return Counted::default() };
    let body: Value = serde_json::from_str(text).unwrap_or_default();
    let input_tokens = body.get("input_tokens").and_then(Value::as_u64);
    Counted { input_tokens: input_tokens.filter(|_| (200..300).contains(&status)) }
}

/// Reads a JSON body. A body that was cut is JSON that ends too soon.
fn message(text: &str) -> Result<Turn, Refused> {
    let unreadable = |problem: serde_json::Error| {
        let class = if problem.is_eof() { FailureClass::CutShort } else { FailureClass::Unreadable };
        Refused::new(class, format!("cannot read the response: {problem}"))
    };
    let body = numbers::parse(text).map_err(unreadable)?;
    if body.get("type").is_some_and(|kind| kind == "error") {
        return Err(Refused::by_error(None, &body["error"]));
    }
    serde_json::from_value::<Message>(body).map(Turn::whole).map_err(unreadable)
}

/// Reads an event as it arrives.
pub(crate) fn peek(event: &ServerEvent) -> PeekResponse {
    let Ok(event) = event::read(event) else { return PeekResponse::default() };
    let deltas = seen(&event).into_iter().filter(|seen| !is_empty(seen)).collect();
    PeekResponse { deltas, is_last: matches!(event, Event::MessageStop | Event::Error { .. }) }
}

fn seen(event: &Event) -> Option<Seen> {
    match event {
        Event::ContentBlockStart { content_block, .. } => {
            let word = |key: &str| content_block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            match word("type").as_str() {
                "text" => Some(Seen::Text { text: word("text") }),
                "thinking" => Some(Seen::Reasoning { text: word("thinking") }),
                "tool_use" => Some(Seen::Call { name: word("name") }),
                _ => None,
            }
        }
        Event::ContentBlockDelta { delta: Delta::Text { text }, .. } => Some(Seen::Text { text: text.clone() }),
        Event::ContentBlockDelta { delta: Delta::Thinking { thinking }, .. } => {
            Some(Seen::Reasoning { text: thinking.clone() })
        }
        Event::ContentBlockDelta {
            delta: Delta::Signature { .. } | Delta::InputJson { .. } | Delta::Citations { .. } | Delta::Other,
            ..
        }
        | Event::MessageStart { .. }
        | Event::MessageDelta { .. }
        | Event::MessageStop
        | Event::Error { .. }
        | Event::Other => None,
    }
}

const fn is_empty(seen: &Seen) -> bool {
    match seen {
        Seen::Text { text } | Seen::Reasoning { text } => text.is_empty(),
        Seen::Call { .. } => false,
    }
}
