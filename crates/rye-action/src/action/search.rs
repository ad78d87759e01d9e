//! The call by which a model searches: one table says what it may say, how it is offered and how it is read.

use std::fmt::Display;
use std::str::FromStr;

use rye_plugin_abi::provider::ToolSpec;
use serde_json::{Map, Value, json};

use super::names::{spec as described, unknown_argument};
use crate::capability::Authority;
use crate::id::{ItemType, Space};
use crate::redact::Redactor;
use crate::search::{self, Sort};

/// The most results of one call: more would fill a model's context with what it did not ask for.
const MOST: usize = 50;

/// How many results there are where a model does not say: each stays in its context. The outcome says how many there are.
const USUAL: usize = 4;

/// What a model looks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// Returns the search to perform; only what `allowed` lets be found is.
    #[must_use]
    pub fn options<'a>(&self, allowed: &'a dyn Authority, secrets: &'a Redactor) -> search::Options<'a> {
        search::Options {
            item_type: self.item_type,
            space: self.space,
            max: self.max.unwrap_or(USUAL),
            offset: self.offset,
            sort: self.sort,
            fuzzy: self.fuzzy,
            allowed: Some(allowed),
            secrets: Some(secrets).filter(|secrets| secrets.looks()),
            ..search::Options::new(self.query.clone())
        }
    }
}

/// An argument of a search.
struct Argument {
    name: &'static str,
    /// Its schema, as a model is offered it.
    schema: fn() -> Value,
    /// Reads a value into the search; gets the name, for what is wrong with the value.
    read: fn(&mut Search, &str, &Value) -> Result<(), String>,
}

/// Everything a search can say.
const ARGUMENTS: [Argument; 7] = [
    Argument {
        name: "query",
        schema: || json!({"type": "string", "description": "Words, \"phrases\", prefix*, AND OR NOT, field:value"}),
        read: |search, name, value| text(name, value).map(|query| search.query = query.to_owned()),
    },
    Argument {
        name: "item_type",
        schema: || json!({"type": "string", "enum": ItemType::ALL}),
        read: |search, name, value| word(name, value).map(|item_type| search.item_type = Some(item_type)),
    },
    Argument {
        name: "space",
        schema: || json!({"type": "string", "enum": Space::ALL}),
        read: |search, name, value| word(name, value).map(|space| search.space = Some(space)),
    },
    Argument {
        name: "max",
        schema: || json!({"type": "integer", "minimum": 0, "description": "How many results; 4 if absent"}),
        read: |search, name, value| number(name, value).map(|max| search.max = Some(max.min(MOST))),
    },
    Argument {
        name: "offset",
        schema: || json!({"type": "integer", "minimum": 0}),
        read: |search, name, value| number(name, value).map(|offset| search.offset = offset),
    },
    Argument {
        name: "sort",
        schema: || json!({"type": "string", "enum": Sort::ALL}),
        read: |search, name, value| word(name, value).map(|sort| search.sort = sort),
    },
    Argument {
        name: "fuzzy",
        schema: || json!({"type": "boolean"}),
        read: |search, name, value| flag(name, value).map(|fuzzy| search.fuzzy = fuzzy),
    },
];

/// Returns the tool as a model is offered it.
pub(super) fn spec() -> ToolSpec {
    let properties = ARGUMENTS.iter().map(|argument| (argument.name.to_owned(), (argument.schema)()));
    let properties: Map<String, Value> = properties.collect();
    let schema = json!({"type": "object", "properties": properties, "required": ["query"]});
    described("rye_search", "Finds directives, tools and knowledge by what they say.", schema)
}

/// Reads a search.
pub(super) fn parse(input: &Map<String, Value>) -> Result<Search, String> {
    let mut search = Search::default();
    for (name, value) in input {
        // An impossible action must not look done.
        let argument = ARGUMENTS.iter().find(|argument| argument.name == name).ok_or_else(|| unknown(name))?;
        if !value.is_null() {
            (argument.read)(&mut search, name, value)?;
        }
    }
    match input.get("query") {
        None | Some(Value::Null) => Err("`query` is missing".to_owned()),
        Some(_) => Ok(search),
    }
}

fn unknown(name: &str) -> String {
    unknown_argument(name, &ARGUMENTS.map(|argument| argument.name))
}

fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| format!("`{name}` must be a string"))
}

fn word<T: FromStr<Err: Display>>(name: &str, value: &Value) -> Result<T, String> {
    text(name, value)?.parse().map_err(|error: T::Err| error.to_string())
}

/// Reads a number; a directive's step can only write it as text.
fn number(name: &str, value: &Value) -> Result<usize, String> {
    let number = match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64().and_then(|number| usize::try_from(number).ok()),
    };
    number.ok_or_else(|| format!("`{name}` must be a number, 0 or more"))
}

/// Reads a yes or no; a directive's step can only write it as text.
fn flag(name: &str, value: &Value) -> Result<bool, String> {
    let flag = value.as_bool().or_else(|| value.as_str()?.parse().ok());
    flag.ok_or_else(|| format!("`{name}` must be true or false"))
}
