//! A call's parameters, with the results of earlier steps filled in.
//!
//! The host says where results stand, so a value is never scanned for placeholders. A result that is the whole value
//! keeps its type; within a text a string is put in as it is and any other value as JSON.

use rye_plugin_abi::provider::{CallBrief, Part, StepBrief, Use};
use serde_json::Value;

use crate::results::Results;
use crate::selected::select;

/// Fills a call's parameters in.
///
/// # Errors
///
/// Says which result, or which part of it, does not exist, and what there is.
pub(crate) fn fill(call: &CallBrief, steps: &[StepBrief], results: &Results<'_>) -> Result<Value, String> {
    let mut input = call.input.clone();
    for Use { at, parts } in &call.uses {
        let value = match parts.as_slice() {
            [Part::Result { step, path }] => used(step, path, steps, results)?.clone(),
            parts => Value::String(text(parts, steps, results)?),
        };
        let place = input.pointer_mut(at).ok_or_else(|| format!("the call has no parameter at `{at}`"))?;
        *place = value;
    }
    Ok(input)
}

fn text(parts: &[Part], steps: &[StepBrief], results: &Results<'_>) -> Result<String, String> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(as_is) => text.push_str(as_is),
            Part::Result { step, path } => match used(step, path, steps, results)? {
                Value::String(value) => text.push_str(value),
                value => text.push_str(&value.to_string()),
            },
        }
    }
    Ok(text)
}

fn used<'a>(step: &str, path: &str, steps: &[StepBrief], results: &Results<'a>) -> Result<&'a Value, String> {
    let index = steps.iter().position(|one| one.name == step).ok_or_else(|| format!("unknown step `{step}`"))?;
    select(&steps[index], index + 1, path, results)
}
