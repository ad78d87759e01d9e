//! Events become a turn.
//!
//! Items are taken from `response.output_item.done`, whose reasoning is complete; from the final response if there were
//! no such events, or no events at all. A turn is over at `response.completed` or `response.incomplete`.

use rye_plugin_abi::provider::{
    Body, DecodeResponse, Decoded, Delta, ModelEvent, PeekResponse, ServerEvent, StopReason,
};
use serde_json::Value;

use super::item;
use crate::call::CallIds;
use crate::json::{list, present, text};
use crate::server_error::Failed;
use crate::state::{Responses, State};
use crate::stream::{self, Data};
use crate::{refusal, server_error, usage};

/// Reads a response.
///
/// # Errors
///
/// Why there is no turn.
pub(crate) fn turn(body: Body, ids: CallIds) -> Result<DecodeResponse, Failed> {
    let (items, response) = match body {
        Body::Text { text } => (Vec::new(), stream::whole(&text)?),
        Body::Events { events, is_whole } => read(events, is_whole)?,
    };
    let items = if items.is_empty() { list(&response, "output").to_vec() } else { items };
    conclude(items, &response, ids)
}

/// The items of a stream, and its final response.
fn read(events: Vec<ServerEvent>, is_whole: bool) -> Result<(Vec<Value>, Value), Failed> {
    let mut items = Vec::new();
    for event in events {
        match stream::read(&event) {
            Data::Object(event) => match Kind::of(&event) {
                Kind::Item => items.push((event["output_index"].as_u64(), event["item"].clone())),
                Kind::Response => return Ok((in_order(items), event["response"].clone())),
                Kind::Error => return Err(server_error::of_error(&event)),
                Kind::Other => {}
            },
            Data::Done => break,
            Data::Skipped => {}
            Data::Unreadable if is_whole => return Err(Failed::unreadable("an event is not JSON")),
            Data::Unreadable => break,
        }
    }
    Err(Failed::cut_short())
}

/// What an event is to the turn.
enum Kind {
    Item,
    Response,
    Error,
    Other,
}

impl Kind {
    fn of(event: &Value) -> Self {
        match text(event, "type") {
            "response.output_item.done" => Self::Item,
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => Self::Response,
            "error" => Self::Error,
            "" if present(event, "error").is_some() => Self::Error,
            _ => Self::Other,
        }
    }
}

fn in_order(mut items: Vec<(Option<u64>, Value)>) -> Vec<Value> {
    items.sort_by_key(|(index, _)| index.unwrap_or(u64::MAX));
    items.into_iter().map(|(_, item)| item).collect()
}

/// Tells what an event says.
pub(crate) fn peek(event: &Value) -> PeekResponse {
    let delta = || text(event, "delta").to_owned();
    let said = match text(event, "type") {
        "response.output_text.delta" | "response.refusal.delta" => Some(Delta::Text { text: delta() }),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            Some(Delta::Reasoning { text: delta() })
        }
        "response.output_item.added" => {
            let name = |item: &Value| Delta::Call { name: text(item, "name").to_owned() };
            event.get("item").filter(|item| item::is_call(item)).map(name)
        }
        _ => None,
    };
    let is_last = matches!(Kind::of(event), Kind::Response | Kind::Error);
    PeekResponse { deltas: said.into_iter().collect(), is_last }
}

fn conclude(mut items: Vec<Value>, response: &Value, mut ids: CallIds) -> Result<DecodeResponse, Failed> {
    let used = response.get("usage").and_then(usage::read);
    let ending = ending(response).map_err(|failed| failed.after(used))?;
    items.retain(Value::is_object);
    let count = items.len();
    let mut events = Vec::new();
    for (index, item) in items.iter_mut().enumerate() {
        let is_cut = ending == Some(StopReason::MaxTokens) && index + 1 == count;
        events.extend(item::translate(item, &mut ids, is_cut));
    }
    let reason = ending.unwrap_or_else(|| stop_reason(&items));
    events.extend(used.map(ModelEvent::Usage));
    if reason == StopReason::Refusal {
        let said: String = items.iter().map(item::refusal).collect();
        events.push(ModelEvent::Declined { text: refusal::reason(&said, &[]) });
    }
    events.push(ModelEvent::Stop { reason });
    let state = State::Responses(Responses { items });
    let model = Some(text(response, "model").to_owned()).filter(|name| !name.is_empty());
    Ok(DecodeResponse { state: state.into_value()?, decoded: Decoded::Events { events }, model })
}

/// Why the response ended, if its items do not say it.
fn ending(response: &Value) -> Result<Option<StopReason>, Failed> {
    if let Some(error) = present(response, "error") {
        return Err(server_error::of_error(error));
    }
    match text(response, "status") {
        "completed" => Ok(None),
        "incomplete" => Ok(Some(incomplete(response))),
        "failed" => Err(Failed::server("the server stopped with an error")),
        "cancelled" => Err(Failed::server("the server cancelled the response")),
        "" => Err(Failed::unreadable("the response has no status")),
        status => Err(Failed::unreadable(&format!("the response is still `{status}`"))),
    }
}

fn incomplete(response: &Value) -> StopReason {
    match response.get("incomplete_details").map(|details| text(details, "reason")) {
        Some("max_output_tokens") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::Refusal,
        Some(_) | None => StopReason::Other,
    }
}

fn stop_reason(items: &[Value]) -> StopReason {
    if items.iter().any(item::is_call) {
        StopReason::ToolUse
    } else if items.iter().any(item::is_refusal) {
        StopReason::Refusal
    } else {
        StopReason::EndTurn
    }
}
