//! JSON Schema 2020-12 over parameters, without any remote reference, and bounded (`bounds`).

mod bounds;
mod measure;
mod recursion;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Validator};
use rye_plugin_abi::numbers;
use serde::Serialize;
use serde_json::Value;

/// How many faults of one value are told.
const MOST_FAULTS: usize = 20;

/// How long a sentence about a fault may be, in bytes: it holds the part of the value that is wrong.
const MOST_SENTENCE: usize = 1000;

/// One way in which a value does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaFault {
    /// A JSON pointer to the part of the value that is wrong; empty for the whole.
    pub path: String,
    /// The fault.
    pub message: String,
}

/// Reads a value's text by the type its schema declares.
///
/// Text that is not JSON of that type stays text, so that the schema can say what is wrong.
#[must_use]
pub fn typed(schema: Option<&Value>, name: &str, text: &str) -> Value {
    let declared = schema.and_then(|schema| schema.pointer("/properties")?.get(name)?.get("type")?.as_str());
    match declared {
        None | Some("string") => Value::String(text.to_owned()),
        Some(_) => numbers::parse(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// Checks a value against a schema.
///
/// # Errors
///
/// Returns the first faults; an invalid schema, one that refers to another document, or one too large for
/// the value is a fault of the whole.
pub fn check(schema: &Value, value: &Value) -> Result<(), Vec<SchemaFault>> {
    let (validator, weight) = compile(schema).map_err(|fault| vec![fault])?;
    bounds::check_value(schema, weight, value).map_err(|message| vec![SchemaFault { path: String::new(), message }])?;
    let fault = |error: jsonschema::ValidationError<'_>| SchemaFault {
        path: error.instance_path().to_string(),
        message: shortened(sentence(&error)),
    };
    let faults: Vec<SchemaFault> = validator.iter_errors(value).take(MOST_FAULTS).map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Says what is wrong with a schema itself, if anything is.
#[must_use]
pub fn schema_fault(schema: &Value) -> Option<SchemaFault> {
    compile(schema).err()
}

/// Says what is wrong with a value. Top-level values are parameters, deeper ones are properties of one.
fn sentence(error: &jsonschema::ValidationError<'_>) -> String {
    let noun = if error.instance_path().to_string().is_empty() { "parameter" } else { "property" };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names = unexpected.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!("unknown {noun} {names}")
        }
        ValidationErrorKind::Required { property } => {
            format!("missing {noun} `{}`", property.as_str().unwrap_or_default())
        }
        _ => error.to_string(),
    }
}

/// Says where a schema is wrong; the engine's sentence about a wrong type is about its own rules.
fn invalid(error: &jsonschema::ValidationError<'_>) -> String {
    let (place, value) = (error.instance_path().to_string(), error.instance().to_string());
    if place.ends_with("/type") {
        let types = "string, integer, number, boolean, object, array and null";
        return format!("the schema is not valid: {value} at `{place}` is not a type; there are {types}");
    }
    let place = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
    format!("the schema is not valid{place}: {error}")
}

/// Cuts the middle out of a long sentence: its end says what is wrong.
fn shortened(sentence: String) -> String {
    if sentence.len() <= MOST_SENTENCE {
        return sentence;
    }
    let start = sentence.floor_char_boundary(MOST_SENTENCE / 2);
    let end = sentence.ceil_char_boundary(sentence.len() - MOST_SENTENCE / 2);
    format!("{} … {}", &sentence[..start], &sentence[end..])
}

/// Makes a schema ready for use, and weighs it.
fn compile(schema: &Value) -> Result<(Validator, bounds::Weight), SchemaFault> {
    if let Some(reference) = remote_reference(schema) {
        let message =
            format!("the schema refers to `{reference}`, and only references into itself (`#…`) are followed");
        return Err(SchemaFault { path: String::new(), message });
    }
    let refused = |why| SchemaFault { path: String::new(), message: format!("the schema is refused: {why}") };
    let weight = bounds::weigh(schema).map_err(refused)?;
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        // This engine takes linear time; the default one backtracks.
        .with_pattern_options(PatternOptions::regex().size_limit(1 << 16))
        .build(schema)
        .map_err(|error| SchemaFault { path: String::new(), message: shortened(invalid(&error)) })?;
    Ok((validator, weight))
}

/// Finds a `$ref` or `$dynamicRef` that leaves the document.
fn remote_reference(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(map) => map.iter().find_map(|(key, value)| match value {
            Value::String(target) if matches!(key.as_str(), "$ref" | "$dynamicRef") => {
                (!target.starts_with('#')).then_some(target.as_str())
            }
            _ => remote_reference(value),
        }),
        Value::Array(list) => list.iter().find_map(remote_reference),
        _ => None,
    }
}
