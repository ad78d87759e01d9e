//! A tool's header, read without running anything.
//!
//! Python: module constants that are literals. YAML: top keys. JavaScript and TypeScript: constants that are literals,
//! and comments. Every other language: `key: value` comments at the top of the file.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::literal::Syntax;
use super::{comments, companions, constants, provider};
use crate::format::header::{Header, mapping};
use crate::format::span::Findings;
use crate::format::{Anchors, Span, no_effect, rules, schema};
use crate::id::Extension;
use crate::item::{Item, Tool};

/// The key of the schema of the parameters, then its other name.
pub(in crate::format) const CURRENT_SCHEMA_KEYS: [&str; 2] = ["parameters", "schema"];
/// Names that key had once.
pub(in crate::format) const FORMER_SCHEMA_KEYS: [&str; 2] = ["config_schema", "input_schema"];

/// Reads a tool's header.
pub(in crate::format) fn read(
    text: &str,
    extension: &Extension,
    findings: &mut Findings<'_>,
) -> (Option<Item>, Anchors) {
    let whole = Span::new(0, text.lines().next().map_or(0, str::len));
    let keys = match extension.as_str() {
        "yaml" | "yml" => mapping(text, Span::new(0, text.len()), findings),
        "py" => Some(constants::read(text, Syntax::Python, findings)),
        "js" | "mjs" | "cjs" | "ts" | "mts" => Some(script(text, extension, findings)),
        _ => Some(comments::read(text, extension.comment(), findings)),
    };
    carriage_return(text, extension, findings);
    let Some((keys, places)) = keys else { return (None, Anchors::default()) };
    let header = Header { keys, places, whole, rule: &rules::TOOL_VALUE, findings };
    let anchors = Anchors::new(text, whole, header.place("tool_id"), header.place("category"));
    (Some(Item::Tool(Box::new(tool(header)))), anchors)
}

/// Warns of carriage returns that a shell takes for a part of its words. Other interpreters skip them.
fn carriage_return(text: &str, extension: &Extension, findings: &mut Findings<'_>) {
    let first = text.lines().next().unwrap_or_default();
    let is_shell = matches!(extension.as_str(), "sh" | "bash" | "zsh" | "ksh" | "dash" | "fish")
        || first.starts_with("#!") && first.trim_end().ends_with("sh");
    if let (true, Some(at)) = (is_shell, text.find("\r\n")) {
        let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
        let message = "this line ends with a carriage return, which a shell takes for a part of its last word";
        let hint = "end lines with a line feed alone: `sed -i 's/\\r$//' FILE`";
        findings.at(&rules::TOOL_CARRIAGE_RETURN, Span::new(start, at), message, hint);
    }
}

/// Reads constants and comments; each key is in one of both.
fn script(
    text: &str,
    extension: &Extension,
    findings: &mut Findings<'_>,
) -> (Map<String, Value>, BTreeMap<String, Span>) {
    let (mut keys, mut places) = comments::read(text, extension.comment(), findings);
    let (constants, constant_places) = constants::read(text, Syntax::Script, findings);
    for (key, value) in constants {
        let place = constant_places.get(&key).copied().unwrap_or_default();
        if keys.insert(key.clone(), value).is_some() {
            let message = format!("the header key `{key}` is in a comment and in a constant");
            findings.at(&rules::TOOL_REPEATED, place, message, "keep one of them");
        }
        places.insert(key, place);
    }
    for (key, place) in constant_places {
        places.entry(key).or_insert(place);
    }
    (keys, places)
}

fn tool(mut header: Header<'_, '_>) -> Tool {
    match header.keys.get("tool_type").and_then(Value::as_str) {
        Some("provider") => provider::check(&mut header),
        Some(_) | None => no_effect::tool(&mut header),
    }
    if !header.is_unread("version") && header.keys.get("version").is_none_or(Value::is_null) {
        let hint = "add a version such as `1.0.0`: `__version__ = \"1.0.0\"` (Python), `version: \"1.0.0\"` (YAML), `# version: 1.0.0` (shell)";
        header.findings.at(&rules::TOOL_VERSION, header.whole, "the tool has no version", hint);
    }
    let version = header.parsed("version", &rules::TOOL_VERSION, "write three numbers such as `1.0.0`");
    let is_unread = header.is_unread("description");
    let description = header.text("description").unwrap_or_default();
    if description.is_empty() && !is_unread {
        let hint = "add a description: it is how people and models find the tool";
        header.findings.at(&rules::TOOL_DESCRIPTION, header.whole, "the tool does not say what it does", hint);
    }
    let name = header.text("tool_id");
    let config = header.keys.remove("config").unwrap_or_default();
    Tool {
        name,
        version,
        description,
        category: header.text("category"),
        tool_type: header.text("tool_type"),
        executor_id: header.text("executor_id"),
        schema: parameters(&mut header),
        fixed_params: header.map("fixed_params"),
        params_key: header.text("params_key"),
        config,
        env: environment(&mut header),
        companions: companions::take(&mut header),
        rest: header.keys,
    }
}

const SCHEMA_HINT: &str = "mend the schema; it is JSON Schema 2020-12, all in this file, such as `{type: object, properties: {text: {type: string}}}`";

/// Takes the schema of the parameters under any of its keys; a second one stays among the other keys.
fn parameters(header: &mut Header<'_, '_>) -> Option<Value> {
    let keys = CURRENT_SCHEMA_KEYS.into_iter().chain(FORMER_SCHEMA_KEYS);
    let mut there = keys.filter(|key| header.keys.get(*key).is_some_and(|value| !value.is_null()));
    let (key, second) = (there.next()?, there.next());
    let place = header.place(key);
    if let Some(second) = second {
        let message = format!("`{key}` and `{second}` are two names of one key");
        header.findings.at(&rules::TOOL_REPEATED, header.place(second), message, "keep one of them");
    }
    if FORMER_SCHEMA_KEYS.contains(&key) {
        let message = format!("`{key}` is an older name");
        header.findings.at(&rules::TOOL_LEGACY_KEY, place, message, "name the key `parameters`, or run `rye migrate`");
    }
    let schema = header.keys.remove(key)?;
    let fault = match &schema {
        Value::Object(_) => schema::schema_fault(&schema).map(|fault| fault.message),
        _ => Some("a schema is a map such as `{type: object, properties: {…}}`".to_owned()),
    };
    if let Some(message) = fault {
        header.findings.at(&rules::TOOL_SCHEMA, place, message, SCHEMA_HINT);
    }
    Some(schema)
}

fn environment(header: &mut Header<'_, '_>) -> BTreeMap<String, String> {
    let place = header.place("env");
    let map: Map<String, Value> = header.map("env");
    let mut environment = BTreeMap::new();
    for (name, value) in map {
        match value {
            Value::String(value) => drop(environment.insert(name, value)),
            other => {
                let message = format!("the variable `{name}` is {other}, which is not text");
                header.findings.at(&rules::TOOL_VALUE, place, message, "put the value in quotes");
            }
        }
    }
    environment
}
