//! Reads fields of JSON that a server sent: a field of another type counts as absent.

use serde_json::Value;

/// How deeply a value from a server may be nested. The JSON around it, in answers and in the record, adds some levels,
/// and readers stop at 128.
const NESTING_LIMIT: usize = 64;

/// Whether a value is nested more deeply than readers of the record can follow.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    is_deeper(value, NESTING_LIMIT)
}

fn is_deeper(value: &Value, limit: usize) -> bool {
    let inner = |value: &Value| limit == 0 || is_deeper(value, limit - 1);
    match value {
        Value::Array(values) => values.iter().any(inner),
        Value::Object(fields) => fields.values().any(inner),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A text; empty if missing.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list; none if there is no list.
pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A value that is there and not null.
pub(crate) fn present<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.get(field).filter(|value| !value.is_null())
}
