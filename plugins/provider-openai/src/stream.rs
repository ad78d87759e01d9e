//! The data of a server-sent event.

use rye_plugin_abi::numbers;
use rye_plugin_abi::provider::ServerEvent;
use serde_json::Value;

use crate::server_error::Failed;

/// The data of an event.
pub(crate) enum Data {
    /// `[DONE]`: the end of the stream.
    Done,
    /// A JSON object.
    Object(Value),
    /// Not part of the turn: an empty event, or text under its own name such as `ping`.
    Skipped,
    /// Text that should be JSON.
    Unreadable,
}

/// Reads an event.
pub(crate) fn read(event: &ServerEvent) -> Data {
    let data = event.data.trim();
    if data == "[DONE]" {
        return Data::Done;
    }
    match numbers::parse(data) {
        Ok(value @ Value::Object(_)) => Data::Object(value),
        Ok(_) => Data::Skipped,
        Err(_) if data.is_empty() || is_named(&event.event) => Data::Skipped,
        Err(_) => Data::Unreadable,
    }
}

/// Chat Completions gives events no name, Responses the name of their `type`.
fn is_named(event: &str) -> bool {
    !matches!(event, "" | "message" | "error") && !event.starts_with("response.")
}

/// Reads the body of a response without events.
///
/// # Errors
///
/// If it is cut off, or no JSON object.
pub(crate) fn whole(body: &str) -> Result<Value, Failed> {
    match numbers::parse(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Failed::unreadable("the body is not a JSON object")),
        Err(problem) if problem.is_eof() => Err(Failed::cut_short()),
        Err(_) => Err(Failed::unreadable("the body is not JSON")),
    }
}
