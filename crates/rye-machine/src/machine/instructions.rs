//! What a model is told when it executes a directive: its instructions, for the thread that is running.
//!
//! The result of the call holds them; a message says that they are to be followed, because models take the content of a
//! result for data. Tools have the names of this thread, and so have outputs: what the directive declares to return is
//! its result for the model to keep, not what the thread returns.

use serde_json::{Value, json};

use super::prompt;
use crate::action::Toolbox;
use crate::execute::DirectiveOutcome;
use crate::id::ItemId;

/// Makes the result of executing a directive.
pub fn result(directive: &DirectiveOutcome, toolbox: &Toolbox) -> Value {
    json!({
        "item_type": directive.item_type,
        "item_id": directive.item_id,
        "name": directive.name,
        "version": directive.version,
        "description": directive.description,
        "inputs": directive.inputs,
        "instructions": prompt::taken_in(directive, toolbox),
    })
}

/// Returns the instructions in the result of a call.
pub(super) fn told(output: &Value) -> String {
    output.get("instructions").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Tells the model to follow the instructions that it was given.
pub(super) fn notice(item_id: &ItemId) -> String {
    format!(
        "Follow the instructions of directive `{item_id}` now. They are in the result of your call, and they were verified."
    )
}
