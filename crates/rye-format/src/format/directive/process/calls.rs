//! Calls written in backticks: `rye_execute(item_type="tool", item_id="a/b", parameters={"x": 1})`.
//!
//! Named arguments only: texts in single or double quotes, and one JSON object. Placeholders may be parts of texts. An
//! unreadable call, such as an example with `parameters={...}`, is text: the caller says so as advice.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::capability::Primary;
use crate::item::Action;

/// Attributes that a call may have in addition to those of the item.
const EXTRA: [&str; 8] = super::EXTRA;

/// Reads a call, from its name to its closing parenthesis.
///
/// # Errors
///
/// Returns what keeps it from being read.
pub(super) fn read(code: &str) -> Result<Action, String> {
    let code = code.trim();
    let (name, rest) = code.split_once('(').ok_or("the call has no parenthesis")?;
    let primary: Primary = name.trim_start_matches("rye_").parse().map_err(|error| format!("{error}"))?;
    let arguments = rest.strip_suffix(')').ok_or("nothing may follow the call's closing parenthesis")?;
    let mut action =
        Action { primary, item_type: None, item_id: None, attributes: BTreeMap::new(), params: Vec::new() };
    let arguments = quoted(arguments);
    let mut rest = arguments.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').ok_or_else(|| format!("`{}` has no `=`", shown(rest)))?;
        let (value, after) = value(after.trim_start())?;
        set(&mut action, name.trim(), value)?;
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if rest.is_empty() => rest,
            None => return Err(format!("a comma is missing before `{}`", shown(rest))),
        };
    }
    let item_type = action.item_type.map(crate::id::ItemType::as_str);
    let query = action.attributes.get("query").map(String::as_str);
    let attribute = |(name, value): (&String, &String)| super::attribute_fault(name, value);
    let fault = super::action_fault(primary, item_type, action.item_id.as_deref(), query)
        .or_else(|| action.attributes.iter().find_map(attribute));
    fault.map_or(Ok(action), |(message, _)| Err(message))
}

/// Puts placeholders that are a whole value, as in `{"n": {input:count}}`, into quotes.
fn quoted(arguments: &str) -> String {
    let mut whole = String::with_capacity(arguments.len());
    let (mut done, mut quotes) = (0, 0);
    for found in crate::format::directive::template::placeholders(arguments) {
        let (before, after) = (&arguments[done..found.span.start], &arguments[found.span.end..]);
        quotes += before.matches('"').count();
        let is_value =
            before.trim_end().ends_with([':', '[', ',', '=']) && after.trim_start().starts_with([',', '}', ']', ')']);
        let is_bare = is_value && quotes % 2 == 0;
        whole.push_str(before);
        let placeholder = found.span.of(arguments);
        if is_bare {
            whole.push('"');
            whole.push_str(placeholder);
            whole.push('"');
        } else {
            whole.push_str(placeholder);
        }
        done = found.span.end;
    }
    whole.push_str(&arguments[done..]);
    whole
}

fn set(action: &mut Action, name: &str, value: Value) -> Result<(), String> {
    match (name, value) {
        ("item_type", Value::String(word)) => {
            action.item_type = Some(word.parse().map_err(|error| format!("{error}"))?);
        }
        ("item_id", Value::String(id)) => action.item_id = Some(id),
        ("parameters" | "inputs", Value::Object(object)) => {
            action.params.extend(object.into_iter().map(|(name, value)| (name, as_text(value))));
        }
        (name, value) if EXTRA.contains(&name) => {
            action.attributes.insert(name.to_owned(), as_text(value));
        }
        (name, _) => return Err(format!("`{}` is not an argument of this call", shown(name))),
    }
    Ok(())
}

/// Reads one value; returns it with what follows.
fn value(text: &str) -> Result<(Value, &str), String> {
    if let Some(inner) = text.strip_prefix('\'') {
        let (value, rest) = inner.split_once('\'').ok_or("a quote is not closed")?;
        return Ok((Value::String(value.to_owned()), rest));
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, &text[stream.byte_offset()..])),
        _ => Err(format!("`{}` is neither quoted text nor JSON", shown(text))),
    }
}

fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
