//! What checking a value takes where the schema refers to itself: each pair of a part of the schema and a part of the value is counted
//! once, with how often it is come to. Where a pair leads to itself the check would not end, and is refused.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::measure::{decoded, size};

/// The most pairs that are looked at.
const MOST_PAIRS: usize = 100_000;
/// The deepest that a check goes, in pairs.
const MOST_DEPTH: usize = 512;

/// Keywords that the same part of the value is checked by: a schema, or a list of them.
const SAME: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Keywords that are no part of a check.
const SILENT: [&str; 8] =
    ["$defs", "definitions", "title", "description", "default", "examples", "$comment", "$schema"];
/// Keywords that check a part again after others did: how often is not counted.
const REFUSED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

type Pair = (*const Value, *const Value);

struct Counter<'s> {
    root: &'s Value,
    /// What pairs take; none for one under way.
    known: BTreeMap<Pair, Option<u64>>,
}

/// Counts what checking a value takes, at most.
///
/// # Errors
///
/// Says why it has no bound.
pub(super) fn work(schema: &Value, value: &Value) -> Result<u64, String> {
    let mut counter = Counter { root: schema, known: BTreeMap::new() };
    // A fault is looked for again at each level above it.
    Ok(counter.pair(schema, value, 0)?.saturating_mul(depth(value)))
}

fn depth(value: &Value) -> u64 {
    1 + match value {
        Value::Array(values) => values.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => members.values().map(depth).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

impl<'s> Counter<'s> {
    fn pair(&mut self, schema: &'s Value, value: &Value, depth: usize) -> Result<u64, String> {
        let Value::Object(keywords) = schema else { return Ok(1) };
        let key: Pair = (schema, value);
        match self.known.get(&key) {
            Some(Some(work)) => return Ok(*work),
            Some(None) => return Err("it refers to itself, without a part of the value between".to_owned()),
            None if depth > MOST_DEPTH || self.known.len() > MOST_PAIRS => {
                return Err("the value is too large for this schema, which refers to itself".to_owned());
            }
            None => drop(self.known.insert(key, None)),
        }
        let mut work = 1_u64;
        for (keyword, part) in keywords {
            work = work.saturating_add(self.keyword(keywords, keyword, part, value, depth + 1)?);
        }
        self.known.insert(key, Some(work));
        Ok(work)
    }

    fn keyword(
        &mut self,
        keywords: &'s Map<String, Value>,
        keyword: &str,
        part: &'s Value,
        value: &Value,
        depth: usize,
    ) -> Result<u64, String> {
        let mut work = 0_u64;
        let mut checked: Vec<(&'s Value, &Value)> = Vec::new();
        match (keyword, part, value) {
            ("$ref", Value::String(target), _) => checked.extend(self.target(target).map(|schema| (schema, value))),
            (keyword, Value::Array(schemas), _) if SAME.contains(&keyword) => {
                checked.extend(schemas.iter().map(|schema| (schema, value)));
            }
            (keyword, schema, _) if SAME.contains(&keyword) => checked.push((schema, value)),
            ("dependentSchemas" | "dependencies", Value::Object(schemas), _) => {
                checked.extend(schemas.values().map(|schema| (schema, value)));
            }
            ("properties", Value::Object(schemas), Value::Object(members)) => {
                checked.extend(schemas.iter().filter_map(|(name, schema)| Some((schema, members.get(name)?))));
            }
            ("patternProperties", Value::Object(schemas), Value::Object(members)) => {
                work = (schemas.len() as u64).saturating_mul(50).saturating_mul(size(value));
                checked
                    .extend(schemas.values().flat_map(|schema| members.values().map(move |member| (schema, member))));
            }
            ("additionalProperties", schema, Value::Object(members)) => {
                // Those that `properties` names are not checked by it.
                let named = keywords.get("properties").and_then(Value::as_object);
                let others = members.iter().filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name)));
                checked.extend(others.map(|(_, member)| (schema, member)));
            }
            ("prefixItems", Value::Array(schemas), Value::Array(elements)) => {
                checked.extend(schemas.iter().zip(elements));
            }
            ("items", Value::Array(schemas), Value::Array(elements)) => checked.extend(schemas.iter().zip(elements)),
            ("items" | "contains" | "additionalItems", schema, Value::Array(elements)) => {
                checked.extend(elements.iter().map(|element| (schema, element)));
            }
            ("propertyNames", schema, Value::Object(members)) => {
                // A name is a text: no part of it is checked by another one.
                work = size(schema).saturating_mul(members.len() as u64);
            }
            (keyword, _, _) if REFUSED.contains(&keyword) => {
                return Err(format!("`{keyword}` is not supported in a schema that refers to itself"));
            }
            (keyword, _, _) if SILENT.contains(&keyword) => {}
            ("pattern", _, _) => work = size(value).saturating_mul(50),
            // Such as `enum` and `const`, which are compared with the whole.
            (_, other, _) => work = size(other).saturating_add(size(value)),
        }
        for (schema, value) in checked {
            work = work.saturating_add(self.pair(schema, value, depth)?);
        }
        Ok(work)
    }

    fn target(&self, target: &str) -> Option<&'s Value> {
        self.root.pointer(&decoded(target.strip_prefix('#')?))
    }
}
