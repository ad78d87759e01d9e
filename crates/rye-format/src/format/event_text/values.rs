//! A value of JSON for people: a short one as `name value`, a long one or one with lines as a block of its own; and a
//! count in words. Pure.

use serde_json::Value;

/// The longest text that is shown with its name, in characters.
const SHORT: usize = 80;

/// How deep objects and lists are taken apart; deeper ones are shown as JSON.
const DEPTH: usize = 8;

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which part: names and numbers, joined by dots. Empty for a value that has no parts.
    pub name: String,
    /// The text: a string as it is, anything else as JSON.
    pub text: String,
    /// Whether it needs lines of its own.
    pub is_block: bool,
}

/// Tells of requests that were sent and not answered.
#[must_use]
pub fn maybe_billed(requests: u32) -> Option<String> {
    match requests {
        0 => None,
        1 => Some("1 request was sent and not answered; it may have been billed".to_owned()),
        more => Some(format!("{more} requests were sent and not answered; they may have been billed")),
    }
}

/// Takes a value apart, in its own order.
#[must_use]
pub fn parts(value: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    take_apart(String::new(), value, DEPTH, &mut parts);
    parts
}

fn take_apart(name: String, value: &Value, depth: usize, parts: &mut Vec<Part>) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::String(text) => {
            let is_block = text.contains('\n') || text.chars().nth(SHORT).is_some();
            parts.push(Part { name, text: text.clone(), is_block });
        }
        // A small value reads best as it is, unless it escapes the ends of lines.
        Value::Object(_) | Value::Array(_) if depth == 0 || (is_short(value) && !is_top(&name, value)) => {
            let text = value.to_string();
            let is_block = text.chars().nth(SHORT).is_some();
            parts.push(Part { name, text, is_block });
        }
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| take_apart(below(key), value, depth - 1, parts));
        }
        Value::Array(items) if !items.is_empty() => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(number, value)| take_apart(below(&number.to_string()), value, depth - 1, parts));
        }
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            parts.push(Part { name, text: value.to_string(), is_block: false });
        }
    }
}

/// The fields of the value itself are shown one by one, however short they are.
fn is_top(name: &str, value: &Value) -> bool {
    name.is_empty() && value.is_object()
}

fn is_short(value: &Value) -> bool {
    let text = value.to_string();
    text.chars().nth(SHORT).is_none() && !text.contains("\\n")
}

/// Returns at most `most` characters of a text, and how many more there are.
#[must_use]
pub fn abridged(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}
