//! What a tool's result looks like to the model. Neither wire format has a field for errors, so an error is an object
//! with an `error` field; anything else is text, or JSON as text.

use serde_json::{Value, json};

/// Renders a tool's result, with what it wrote to standard error marked as that.
pub(crate) fn render(output: &Value, is_error: bool, stderr: Option<&str>) -> String {
    let text = result_text(output, is_error);
    match stderr {
        Some(said) => format!("{text}\n\n[stderr]\n{said}"),
        None => text,
    }
}

fn result_text(output: &Value, is_error: bool) -> String {
    match output {
        Value::String(text) if !is_error => text.clone(),
        output if is_error && output.get("error").is_none() => json!({ "error": output }).to_string(),
        output => output.to_string(),
    }
}
