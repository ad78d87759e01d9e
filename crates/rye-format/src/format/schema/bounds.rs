//! What a schema may cost: the engine runs to its end, so what goes in is bounded.
//!
//! A schema is weighed with every reference written out, so one that doubles itself level by level is as heavy as it is
//! slow. Where it refers to itself, that is one part: a value is finite, and `recursion` counts what checking it takes. A part that
//! refers to itself without going down in the value is refused. A value is weighed by its parts and the length of its
//! texts; a check takes no longer than the product of both.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::measure::{decoded, size};
use super::recursion;

/// The greatest weight of a schema.
const MOST_WEIGHT: u64 = 10_000;

/// How deep a schema may be nested, references included.
const MOST_NESTING: usize = 96;

/// What a regular expression weighs more than another text: it is compiled, and tried at each place.
const PATTERN: u64 = 50;

/// The greatest product of the weights of a schema and a value.
const MOST_WORK: u64 = 4_000_000;

/// Keywords that give a part of a schema another name or base: what they refer to cannot be weighed.
const NAMED: [&str; 5] = ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"];

/// Weighs a schema.
///
/// # Errors
///
/// Says why it cannot be checked in a bounded time.
pub(super) fn weigh(schema: &Value) -> Result<Weight, String> {
    let mut scales =
        Scales { root: schema, known: BTreeMap::new(), open: Vec::new(), descents: 0, is_recursive: false };
    let parts = scales.value(schema, 0)?;
    Ok(Weight { parts, is_recursive: scales.is_recursive })
}

/// What a schema weighs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    parts: u64,
    /// Whether it refers to itself.
    is_recursive: bool,
}

/// Makes sure that a value can be held against a schema of this weight.
///
/// # Errors
///
/// Says so when it cannot.
pub(super) fn check_value(schema: &Value, weight: Weight, value: &Value) -> Result<(), String> {
    let is_too_much = match weight.is_recursive {
        true => recursion::work(schema, value)? > MOST_WORK,
        false => size(value).saturating_mul(weight.parts) > MOST_WORK,
    };
    if is_too_much {
        return Err("the value is too large for this schema: give less, or make the schema simpler".to_owned());
    }
    Ok(())
}

struct Scales<'s> {
    root: &'s Value,
    /// Known targets of references.
    known: BTreeMap<&'s str, u64>,
    /// The references that are being followed, each with how far down in the value it began.
    open: Vec<(&'s str, usize)>,
    /// How many keywords on the way lead down in the value.
    descents: usize,
    /// Whether the schema refers to itself.
    is_recursive: bool,
}

/// Keywords that lead to parts of the value.
pub(super) const DESCENTS: [&str; 8] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "contains",
    "propertyNames",
    "unevaluatedItems",
];

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
        let mut weight = 1_u64;
        for (key, value) in map {
            let is_descent = DESCENTS.contains(&key.as_str());
            self.descents += usize::from(is_descent);
            let below = self.value(value, depth + 1);
            self.descents -= usize::from(is_descent);
            weight = weight.saturating_add(below?);
            if weight > MOST_WEIGHT {
                break;
            }
        }
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
        if let Some((_, began)) = self.open.iter().find(|(open, _)| *open == target) {
            if *began == self.descents {
                return Err(format!("`{target}` refers to itself, without a part of the value between"));
            }
            self.is_recursive = true;
            return Ok(1);
        }
        if let Some(weight) = self.known.get(target) {
            return Ok(*weight);
        }
        let root = self.root;
        let pointer = target.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
        let Some(pointer) = pointer else { return Err(unnamed("$anchor")) };
        // The engine reports a dangling reference.
        let Some(value) = root.pointer(&decoded(pointer)) else { return Ok(0) };
        let was_recursive = std::mem::take(&mut self.is_recursive);
        self.open.push((target, self.descents));
        let weight = self.value(value, depth + 1)?;
        self.open.pop();
        // What leads back depends on the way to it.
        if !self.is_recursive {
            self.known.insert(target, weight);
        }
        self.is_recursive |= was_recursive;
        Ok(weight)
    }
}

fn unnamed(keyword: &str) -> String {
    format!("`{keyword}` is not supported: refer to a part by its path, such as `#/$defs/part`")
}
