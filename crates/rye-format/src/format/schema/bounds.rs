//! What a schema may cost: the engine runs to its end, so what goes in is bounded.
//!
//! A schema is weighed with every reference written out, so one that doubles itself level by level is as heavy as it is
//! slow. One that refers to itself has no weight and is refused. A value is weighed by its parts and the length of its
//! texts; a check takes no longer than the product of both.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The greatest weight of a schema.
const MOST_WEIGHT: u64 = 10_000;

/// How deep a schema may be nested, references included.
const MOST_NESTING: usize = 96;

/// What a regular expression weighs more than another text: it is compiled, and tried at each place.
const PATTERN: u64 = 50;

/// So many bytes of a text weigh as much as a number.
const BYTES: usize = 64;

/// The greatest product of the weights of a schema and a value.
const MOST_WORK: u64 = 4_000_000;

/// Keywords that give a part of a schema another name or base: what they refer to cannot be weighed.
const NAMED: [&str; 5] = ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"];

/// Weighs a schema.
///
/// # Errors
///
/// Says why it cannot be checked in a bounded time.
pub(super) fn weigh(schema: &Value) -> Result<u64, String> {
    let mut scales = Scales { root: schema, known: BTreeMap::new(), open: Vec::new() };
    scales.value(schema, 0)
}

/// Makes sure that a value can be held against a schema of this weight.
///
/// # Errors
///
/// Says so when it cannot.
pub(super) fn check_value(weight: u64, value: &Value) -> Result<(), String> {
    if size(value).saturating_mul(weight) > MOST_WORK {
        return Err("the value is too large for this schema: give less, or make the schema simpler".to_owned());
    }
    Ok(())
}

/// Weighs a value; values are nested no deeper than their readers allow.
fn size(value: &Value) -> u64 {
    let text = |text: &str| (text.len() / BYTES) as u64;
    1 + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(string) => text(string),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| text(key) + size(value)).sum(),
    }
}

struct Scales<'s> {
    root: &'s Value,
    /// Known targets of references.
    known: BTreeMap<&'s str, u64>,
    /// The references that are being followed.
    open: Vec<&'s str>,
}

impl<'s> Scales<'s> {
    fn value(&mut self, value: &'s Value, depth: usize) -> Result<u64, String> {
        if depth > MOST_NESTING {
            return Err(format!("it is nested more than {MOST_NESTING} deep, references included"));
        }
        let weight = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => size(value),
            Value::Array(list) => self.sum(list, depth)?,
            Value::Object(map) => self.object(map, depth)?,
        };
        if weight > MOST_WEIGHT {
            return Err(format!("it has more than {MOST_WEIGHT} parts with its references written out"));
        }
        Ok(weight)
    }

    fn sum(&mut self, values: impl IntoIterator<Item = &'s Value>, depth: usize) -> Result<u64, String> {
        let mut weight = 1_u64;
        for value in values {
            weight = weight.saturating_add(self.value(value, depth + 1)?);
            if weight > MOST_WEIGHT {
                break;
            }
        }
        Ok(weight)
    }

    fn object(&mut self, map: &'s Map<String, Value>, depth: usize) -> Result<u64, String> {
        let mut weight = self.sum(map.values(), depth)?;
        for (key, value) in map {
            weight = weight.saturating_add(match (key.as_str(), value) {
                ("$ref", Value::String(target)) => self.target(target, depth)?,
                ("$id", Value::String(_)) if depth > 0 => return Err(unnamed(key)),
                (name, Value::String(_)) if NAMED.contains(&name) => return Err(unnamed(key)),
                ("pattern", Value::String(_)) => PATTERN,
                ("patternProperties", Value::Object(patterns)) => (patterns.len() as u64).saturating_mul(PATTERN),
                _ => 0,
            });
        }
        Ok(weight)
    }

    fn target(&mut self, target: &'s str, depth: usize) -> Result<u64, String> {
        if self.open.contains(&target) {
            return Err(format!("`{target}` refers to itself"));
        }
        if let Some(weight) = self.known.get(target) {
            return Ok(*weight);
        }
        let root = self.root;
        let pointer = target.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
        let Some(pointer) = pointer else { return Err(unnamed("$anchor")) };
        // The engine reports a dangling reference.
        let Some(value) = root.pointer(&decoded(pointer)) else { return Ok(0) };
        self.open.push(target);
        let weight = self.value(value, depth + 1)?;
        self.open.pop();
        self.known.insert(target, weight);
        Ok(weight)
    }
}

fn unnamed(keyword: &str) -> String {
    format!("`{keyword}` is not supported: refer to a part by its path, such as `#/$defs/part`")
}

/// Takes the percent signs out of a pointer in a reference.
fn decoded(pointer: &str) -> String {
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
