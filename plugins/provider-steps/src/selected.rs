//! A step's result, and what a path selects in it.
//!
//! The result of a step is that of its last call. A path is names and numbers joined by dots: a number also selects an
//! element of a list. A selection that fails is an error that names the choices.

use rye_plugin_abi::provider::StepBrief;
use serde_json::Value;

use crate::call_id;
use crate::results::Results;

/// How many names of an object an error lists.
const NAMED: usize = 20;

/// Selects a part of the result of the step with this number, from 1.
pub(crate) fn select<'a>(
    step: &StepBrief,
    number: usize,
    path: &str,
    results: &Results<'a>,
) -> Result<&'a Value, String> {
    let name = &step.name;
    let mut value = result(step, number, results)?;
    let mut walked = String::new();
    for field in path.split('.').filter(|_| !path.is_empty()) {
        value = part(value, field).ok_or_else(|| {
            let place = if walked.is_empty() { String::new() } else { format!("`{walked}` in ") };
            format!("{place}the result of step `{name}` has no `{field}` ({})", described(value))
        })?;
        walked = if walked.is_empty() { field.to_owned() } else { format!("{walked}.{field}") };
    }
    Ok(value)
}

fn result<'a>(step: &StepBrief, number: usize, results: &Results<'a>) -> Result<&'a Value, String> {
    let name = &step.name;
    if step.calls.is_empty() {
        return Err(format!("step `{name}` calls nothing"));
    }
    let last = call_id(number, step.calls.len());
    match (1..=step.calls.len()).find(|call| results.of_call(&call_id(number, *call)).is_some_and(|one| one.is_error)) {
        Some(call) if call == step.calls.len() => Err(format!("the last call of step `{name}` did not succeed")),
        Some(call) => Err(format!("call {call} of step `{name}` did not succeed")),
        None => match results.of_call(&last) {
            Some(outcome) => Ok(outcome.output),
            None => Err(format!("the last call of step `{name}` has no result")),
        },
    }
}

fn part<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    match value {
        Value::Array(elements) => elements.get(field.parse::<usize>().ok()?),
        other => other.get(field),
    }
}

/// Says what can be selected in a value.
fn described(value: &Value) -> String {
    match value {
        // The host keeps a large result as an artifact, and hands over its beginning.
        Value::Object(fields) if fields.contains_key("abridged") && fields.contains_key("artifact") => {
            "it is too large for a later step".to_owned()
        }
        Value::Object(fields) if fields.is_empty() => "it is an empty object".to_owned(),
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().take(NAMED).map(|name| format!("`{name}`")).collect();
            let more = if fields.len() > NAMED { " and others" } else { "" };
            format!("it has {}{more}", names.join(", "))
        }
        Value::Array(elements) => match elements.len() {
            0 => "it is an empty list".to_owned(),
            1 => "it has the element 0".to_owned(),
            count => format!("it has the elements 0 to {}", count - 1),
        },
        Value::String(_) => "it is a string".to_owned(),
        Value::Number(_) => "it is a number".to_owned(),
        Value::Bool(_) => "it is a boolean".to_owned(),
        Value::Null => "it is null".to_owned(),
    }
}
