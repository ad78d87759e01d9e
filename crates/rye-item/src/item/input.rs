//! What a directive takes, and the values it was given, checked.
//!
//! A value given wins over a declared default. Unknown names, missing required inputs and values of another type are
//! errors that name what would be right. `null` counts as not given, and a required text must not be empty.
//! Deliberately no coercion: the text `"3"` is not an integer, except on the command line, where [`typed`] reads it by
//! the declaration first.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use rye_plugin_abi::numbers;
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

/// The type of an input or output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A JSON object.
    Object,
    /// A JSON array.
    Array,
}

/// An input that a directive declares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: InputKind,
    /// Whether it must be given when it has no default.
    pub required: bool,
    /// The value when it is not given, of the declared type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What it is.
    pub description: String,
}

/// Checked values for the inputs of one directive, ready for its templates.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Inputs {
    values: Map<String, Value>,
    #[serde(skip)]
    declared: BTreeSet<String>,
}

/// Why given values do not fit the declared inputs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum InputError {
    /// An undeclared name.
    #[error("unknown input `{name}`{}; {}", meant(suggestion.as_deref()), declared_list(declared))]
    Unknown {
        name: String,
        /// The declared name that was probably meant.
        suggestion: Option<String>,
        declared: Vec<String>,
    },
    /// Required inputs without a value.
    #[error("missing required input {}; {}", list(names), declared_list(declared))]
    Missing {
        /// The names that lack a value.
        names: Vec<String>,
        declared: Vec<String>,
    },
    /// A required input with a text of no characters.
    #[error("required input `{name}` is empty")]
    Empty { name: String },
    /// A value of another type.
    #[error("input `{name}` must be {}, but {} was given", kind.with_article(), given)]
    WrongType { name: String, kind: InputKind, given: String },
    /// The inputs together are not an object.
    #[error("`parameters` must be a JSON object")]
    NotAnObject,
}

/// Checks `given` against the declaration and fills in defaults.
///
/// The older wrapper `{"directive_name": …, "inputs": {…}}` is unwrapped.
///
/// # Errors
///
/// Fails on an unknown name, on a value of another type, and on required inputs without default that have no value or an empty text.
pub fn resolve(declared: &[Input], given: &Map<String, Value>) -> Result<Inputs, InputError> {
    let names: Vec<String> = declared.iter().map(|input| input.name.clone()).collect();
    let given = unwrapped(declared, given);
    if let Some(name) = given.keys().find(|name| !names.contains(name)) {
        let suggestion = crate::id::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        return Err(InputError::Unknown { name: name.clone(), suggestion, declared: names });
    }
    let mut values = Map::new();
    let mut missing = Vec::new();
    for input in declared {
        match given.get(&input.name).filter(|value| !value.is_null()).or(input.default.as_ref()) {
            Some(value) => drop(values.insert(input.name.clone(), input.checked(value)?)),
            None if input.required => missing.push(input.name.clone()),
            None => {}
        }
    }
    if missing.is_empty() {
        Ok(Inputs { values, declared: names.into_iter().collect() })
    } else {
        Err(InputError::Missing { names: missing, declared: names })
    }
}

/// Reads a value of the command line as the declared type.
///
/// A text that is not such a value stays a text, and [`resolve`] then names the expected type.
#[must_use]
pub fn typed(kind: InputKind, text: &str) -> Value {
    let as_text = || Value::String(text.to_owned());
    match kind {
        InputKind::String => as_text(),
        _ => numbers::parse(text).ok().filter(|value| kind.fits(value)).unwrap_or_else(as_text),
    }
}

fn unwrapped<'a>(declared: &[Input], given: &'a Map<String, Value>) -> &'a Map<String, Value> {
    let is_wrapper = given.len() == 2 && given.contains_key("directive_name");
    match given.get("inputs") {
        Some(Value::Object(inner)) if is_wrapper && declared.iter().all(|input| input.name != "directive_name") => {
            inner
        }
        _ => given,
    }
}

impl Input {
    fn checked(&self, value: &Value) -> Result<Value, InputError> {
        if self.kind.fits(value) {
            let is_empty = value.as_str().is_some_and(|text| text.trim().is_empty());
            return match is_empty && self.required && self.default.is_none() {
                true => Err(InputError::Empty { name: self.name.clone() }),
                false => Ok(value.clone()),
            };
        }
        Err(InputError::WrongType { name: self.name.clone(), kind: self.kind, given: described(value) })
    }
}

impl Inputs {
    /// Returns the value of an input, given or by default.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Tells whether the directive declares an input of this name.
    #[must_use]
    pub fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// Returns every value there is.
    #[must_use]
    pub const fn values(&self) -> &Map<String, Value> {
        &self.values
    }
}

impl InputKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Object, Self::Array];

    /// Returns the word for this kind, as JSON Schema has it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
        }
    }

    /// Tells whether `value` is of this kind.
    #[must_use]
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
        }
    }

    fn with_article(self) -> String {
        let article = if matches!(self, Self::Integer | Self::Object | Self::Array) { "an" } else { "a" };
        format!("{article} {self}")
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no type of input.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown input type `{word}` (expected string, integer, number, boolean, object or array)")]
pub struct InputKindError {
    /// The word as given.
    pub word: String,
}

impl FromStr for InputKind {
    type Err = InputKindError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| InputKindError { word: word.to_owned() })
    }
}

crate::id::serde_as_text!(InputKind);

fn described(value: &Value) -> String {
    let text = value.to_string();
    let shown: String = text.chars().take(60).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    let kind = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "the boolean",
        Value::Number(_) => "the number",
        Value::String(text) if numbers::is_wide(text) => "the integer of more than 64 bits",
        Value::String(_) => "the string",
        Value::Array(_) => "the array",
        Value::Object(_) => "the object",
    };
    format!("{kind} `{shown}{dots}`")
}

fn meant(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn declared_list(declared: &[String]) -> String {
    if declared.is_empty() { "no input is declared".to_owned() } else { format!("declared are {}", list(declared)) }
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
