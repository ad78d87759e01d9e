//! The call by which a model searches: what it may say, and what is refused.

use std::fmt;

use rye_plugin_abi::provider::ToolSpec;
use serde_json::{Map, Value, json};

use crate::capability::{Capability, Primary};
use crate::id::{ItemType, Space};
use crate::ops::search::Sort;

/// Everything a search can say.
const NAMES: [&str; 7] = ["query", "item_type", "space", "max", "offset", "sort", "fuzzy"];

/// The most results of one call: more would fill a model's context with what it did not ask for.
const MOST: usize = 50;

/// What a model looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The query.
    pub query: String,
    /// Only items of this type.
    pub item_type: Option<ItemType>,
    /// Only items of this space.
    pub space: Option<Space>,
    /// How many results at most.
    pub max: Option<usize>,
    /// How many of the best to pass by.
    pub offset: usize,
    /// The order of the results.
    pub sort: Sort,
    /// Whether words that are nearly the same fit too.
    pub fuzzy: bool,
}

impl Search {
    /// Returns the capability that would cover all it can find.
    pub(super) fn needed(&self) -> String {
        match self.item_type {
            Some(item_type) => format!("rye.search.{item_type}.*"),
            None => Capability::all_of(Primary::Search).to_string(),
        }
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item_type {
            Some(item_type) => write!(f, "search {item_type}"),
            None => f.pad("search"),
        }
    }
}

/// Returns the tool as a model is offered it.
pub(super) fn spec() -> ToolSpec {
    let number = json!({"type": "integer", "minimum": 0});
    let properties = json!({
        "query": {"type": "string", "description": "Words, \"phrases\", prefix*, AND OR NOT, field:value"},
        "item_type": {"type": "string", "enum": ItemType::ALL},
        "space": {"type": "string", "enum": Space::ALL},
        "max": number,
        "offset": number,
        "sort": {"type": "string", "enum": Sort::ALL},
        "fuzzy": {"type": "boolean"},
    });
    let schema = json!({"type": "object", "properties": properties, "required": ["query"]});
    super::offer::spec("rye_search", "Finds directives, tools and knowledge by what they say.", schema)
}

/// Reads a search.
pub(super) fn parse(input: &Map<String, Value>) -> Result<Search, String> {
    // What cannot be done must not look as if it had been.
    if let Some(name) = input.keys().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(format!("`rye_search` takes no `{name}`; it takes {}", NAMES.join(", ")));
    }
    Ok(Search {
        query: word(input, "query")?.ok_or("`query` is missing")?.to_owned(),
        item_type: word(input, "item_type")?.map(str::parse).transpose().map_err(|error| format!("{error}"))?,
        space: word(input, "space")?.map(str::parse).transpose().map_err(|error| format!("{error}"))?,
        max: number(input, "max")?.map(|max| max.min(MOST)),
        offset: number(input, "offset")?.unwrap_or_default(),
        sort: word(input, "sort")?.map(str::parse).transpose().map_err(|error| format!("{error}"))?.unwrap_or_default(),
        fuzzy: match given(input, "fuzzy") {
            None => false,
            Some(value) => {
                value.as_bool().or_else(|| value.as_str()?.parse().ok()).ok_or("`fuzzy` must be true or false")?
            }
        },
    })
}

fn given<'a>(input: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    input.get(name).filter(|value| !value.is_null())
}

fn word<'a>(input: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    let text = |value: &'a Value| value.as_str().ok_or_else(|| format!("`{name}` must be a string"));
    given(input, name).map(text).transpose()
}

/// Reads a number; a directive's step can only write it as text.
fn number(input: &Map<String, Value>, name: &str) -> Result<Option<usize>, String> {
    let read = |value: &Value| match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64().and_then(|number| usize::try_from(number).ok()),
    };
    let number = |value: &Value| read(value).ok_or_else(|| format!("`{name}` must be a number, 0 or more"));
    given(input, name).map(number).transpose()
}
