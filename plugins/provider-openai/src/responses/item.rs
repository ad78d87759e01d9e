//! An item of the output, and what it means for the turn. Items of unknown types mean nothing, and go back all the same.

use rye_plugin_abi::provider::ModelEvent;
use serde_json::{Value, json};

use crate::call::{self, CallIds};
use crate::json::{list, text};

/// Whether an item calls a tool.
pub(super) fn is_call(item: &Value) -> bool {
    text(item, "type") == "function_call"
}

/// Whether an item is reasoning.
pub(super) fn is_reasoning(item: &Value) -> bool {
    text(item, "type") == "reasoning"
}

/// Whether an item says that the model declines.
pub(super) fn is_refusal(item: &Value) -> bool {
    list(item, "content").iter().any(is_declining)
}

/// What an item says to decline; empty if it does not.
pub(super) fn refusal(item: &Value) -> String {
    list(item, "content").iter().filter(|part| is_declining(part)).map(|part| text(part, "refusal")).collect()
}

fn is_declining(part: &Value) -> bool {
    text(part, "type") == "refusal"
}

/// Translates an item. A call gets its id where the server gave none of its own. `is_cut` counts for items without a status.
pub(super) fn translate(item: &mut Value, ids: &mut CallIds, is_cut: bool) -> Vec<ModelEvent> {
    match text(item, "type") {
        "message" => list(item, "content").iter().filter_map(part).collect(),
        "reasoning" => reasoning(item).into_iter().collect(),
        "function_call" => vec![function_call(item, ids, is_cut)],
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Option<ModelEvent> {
    let said = match text(part, "type") {
        "output_text" => text(part, "text"),
        "refusal" => text(part, "refusal"),
        _ => "",
    };
    (!said.is_empty()).then(|| ModelEvent::Text { text: said.to_owned() })
}

/// The summary, or the reasoning itself from servers that show it.
fn reasoning(item: &Value) -> Option<ModelEvent> {
    let parts = |field| list(item, field).iter().map(|part| text(part, "text")).collect::<Vec<_>>().join("\n\n");
    let said = [parts("summary"), parts("content")].into_iter().find(|said| !said.is_empty());
    said.map(|text| ModelEvent::Reasoning { text })
}

fn function_call(item: &mut Value, ids: &mut CallIds, is_cut: bool) -> ModelEvent {
    let name = text(item, "name").to_owned();
    let call_id = ids.take(text(item, "call_id"));
    let is_cut = match text(item, "status") {
        "" => is_cut,
        status => status != "completed",
    };
    let call = call::tool_call(call_id, &name, text(item, "arguments"), is_cut);
    if text(item, "call_id") != call.call_id {
        item["call_id"] = json!(call.call_id);
    }
    ModelEvent::ToolCall(call)
}
