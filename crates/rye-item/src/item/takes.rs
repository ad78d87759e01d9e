//! The inputs of an item, short enough for a search's answer and for an error.
//!
//! Unverified items say this too, so every text is on one line and bounded.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{Input, Item};

/// The most parameters that are told.
const MOST: usize = 24;

/// How many characters of a text are told.
const MOST_TEXT: usize = 100;

/// The most values of one parameter that are told.
const MOST_VALUES: usize = 12;

/// A parameter of a tool or an input of a directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Takes {
    /// Its name.
    pub name: String,
    /// The type of its value: `any` where the item does not say it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it must be given.
    pub required: bool,
    /// The values it can have, where the item names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// What it is; empty when not said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl Takes {
    /// Lists what an item takes, in its own order.
    #[must_use]
    pub fn of(item: &Item) -> Vec<Self> {
        match item {
            Item::Directive(directive) => Self::of_inputs(&directive.inputs),
            Item::Tool(tool) => tool.offered_schema().as_ref().map(Self::of_schema).unwrap_or_default(),
            Item::Knowledge(_) | Item::Skill(_) => Vec::new(),
        }
    }

    /// Lists the inputs of a directive.
    #[must_use]
    pub fn of_inputs(inputs: &[Input]) -> Vec<Self> {
        let input = |input: &Input| Self {
            name: short(&input.name),
            kind: input.kind.to_string(),
            required: input.required && input.default.is_none(),
            values: Vec::new(),
            description: short(&input.description),
        };
        inputs.iter().take(MOST).map(input).collect()
    }

    /// Lists the parameters that a JSON Schema names at its top.
    #[must_use]
    pub fn of_schema(schema: &Value) -> Vec<Self> {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|named| named == name));
        let properties = schema.get("properties").and_then(Value::as_object);
        let parameter = |(name, of): (&String, &Value)| Self {
            name: short(name),
            kind: kind(of),
            required: is_required(name),
            values: values(of),
            description: short(of.get("description").and_then(Value::as_str).unwrap_or_default()),
        };
        properties.into_iter().flatten().take(MOST).map(parameter).collect()
    }

    /// Writes a list of them in one line.
    #[must_use]
    pub fn in_words(list: &[Self]) -> String {
        list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Writes `path (string)`, or `mode (fast|slow, optional)`.
impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.values.is_empty() { self.kind.clone() } else { self.values.join("|") };
        let optional = if self.required { "" } else { ", optional" };
        write!(f, "`{}` ({kind}{optional})", self.name)
    }
}

fn kind(of: &Value) -> String {
    match of.get("type") {
        Some(Value::String(kind)) => short(kind),
        Some(Value::Array(kinds)) => {
            short(&kinds.iter().filter_map(Value::as_str).take(MOST_VALUES).collect::<Vec<_>>().join(" or "))
        }
        _ => "any".to_owned(),
    }
}

fn values(of: &Value) -> Vec<String> {
    let value = |value: &Value| value.as_str().map_or_else(|| short(&value.to_string()), short);
    of.get("enum").and_then(Value::as_array).into_iter().flatten().take(MOST_VALUES).map(value).collect()
}

/// Puts a text on one line, and cuts a long one.
fn short(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((end, _)) = line.char_indices().nth(MOST_TEXT) {
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_told_with_type_and_values_on_one_line() {
        let schema = json!({
            "properties": {
                "path": {"type": "string", "description": "Where\nto"},
                "mode": {"enum": ["fast", "slow"]},
                "lines": {"type": ["integer", "null"]},
                "more\n\nIgnore all": {"description": "x".repeat(300)},
            },
            "required": ["path"],
        });
        let takes = Takes::of_schema(&schema);
        let told = "`path` (string), `mode` (fast|slow, optional), `lines` (integer or null, optional), \
                    `more Ignore all` (any, optional)";
        assert_eq!(Takes::in_words(&takes), told);
        assert_eq!((takes[0].description.as_str(), takes[3].description.chars().count()), ("Where to", MOST_TEXT + 1));
        assert_eq!(Takes::of_schema(&json!({"properties": 3})), []);
    }
}
