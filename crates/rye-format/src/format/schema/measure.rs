//! How large a value is, and where a reference in a schema leads.

use serde_json::Value;

/// So many bytes of a text weigh as much as a number.
const BYTES: usize = 64;

/// Weighs a value; values are nested no deeper than their readers allow.
pub(super) fn size(value: &Value) -> u64 {
    let text = |text: &str| (text.len() / BYTES) as u64;
    1 + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(string) => text(string),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| text(key) + size(value)).sum(),
    }
}

/// Takes the percent signs out of a pointer in a reference.
pub(super) fn decoded(pointer: &str) -> String {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.filter(|_| first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
