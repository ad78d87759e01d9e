//! A tool's header, read without running anything.
//!
//! Python: module constants that are literals. YAML: top keys. Every other language: `key: value` comments at the top
//! of the file. Constants of JavaScript and TypeScript are known and not interpreted by this version.

use serde_json::{Map, Value};

use super::header::{Header, mapping};
use super::span::Findings;
use super::{Anchors, Span, comments, python, rules, schema};
use crate::id::Extension;
use crate::item::{Item, Tool};

/// Reads a tool's header.
pub(super) fn read(text: &str, extension: &Extension, findings: &mut Findings<'_>) -> (Option<Item>, Anchors) {
    let whole = Span::new(0, text.lines().next().map_or(0, str::len));
    let keys = match extension.as_str() {
        "yaml" | "yml" => mapping(text, Span::new(0, text.len()), findings),
        "py" => Some(python::read(text, findings)),
        "js" | "mjs" | "cjs" | "ts" | "mts" => {
            constants(text, findings);
            Some(comments::read(text, extension.comment(), findings))
        }
        _ => Some(comments::read(text, extension.comment(), findings)),
    };
    let Some((keys, places)) = keys else { return (None, Anchors::default()) };
    let header = Header { keys, places, whole, rule: &rules::TOOL_VALUE, findings };
    let anchors = Anchors::new(text, whole, header.place("tool_id"), header.place("category"));
    (Some(Item::Tool(Box::new(tool(header)))), anchors)
}

fn tool(mut header: Header<'_, '_>) -> Tool {
    if !header.keys.contains_key("version") {
        let hint = "add a version such as `1.0.0`: `__version__ = \"1.0.0\"` (Python), `version: \"1.0.0\"` (YAML), `# version: 1.0.0` (shell)";
        header.findings.at(&rules::TOOL_VERSION, header.whole, "the tool has no version", hint);
    }
    let version = header.parsed("version", &rules::TOOL_VERSION, "write three numbers such as `1.0.0`");
    let description = header.text("description").unwrap_or_default();
    if description.is_empty() {
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
        rest: header.keys,
    }
}

/// Takes the schema of the parameters under either of its keys.
fn parameters(header: &mut Header<'_, '_>) -> Option<Value> {
    let key = if header.keys.contains_key("parameters") { "parameters" } else { "schema" };
    let schema = header.keys.remove(key).filter(|schema| !schema.is_null())?;
    let place = header.place(key);
    if header.keys.contains_key("schema") {
        let message = "`parameters` and `schema` are two names of one key";
        header.findings.at(&rules::TOOL_REPEATED, place, message, "keep one of them");
    }
    let fault = match &schema {
        Value::Object(_) => schema::schema_fault(&schema).map(|fault| fault.message),
        _ => Some("a schema is a map such as `{type: object, properties: {…}}`".to_owned()),
    };
    if let Some(message) = fault {
        header.findings.at(&rules::TOOL_SCHEMA, place, message, "write JSON Schema 2020-12, all in this file");
    }
    Some(schema)
}

fn environment(header: &mut Header<'_, '_>) -> std::collections::BTreeMap<String, String> {
    let place = header.place("env");
    let map: Map<String, Value> = header.map("env");
    let mut environment = std::collections::BTreeMap::new();
    for (name, value) in map {
        match value {
            Value::String(value) => drop(environment.insert(name, value)),
            other => {
                let message = format!("the variable `{name}` is {other}, which is no text");
                header.findings.at(&rules::TOOL_VALUE, place, message, "put the value in quotes");
            }
        }
    }
    environment
}

/// Says that constants which other versions read are not read here.
fn constants(text: &str, findings: &mut Findings<'_>) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let words =
            line.split([' ', '=', ':']).filter(|word| !matches!(*word, "export" | "const" | "let" | "var" | ""));
        if words.into_iter().next().is_some_and(|word| python::KEYS.iter().any(|(name, _)| *name == word)) {
            let message = "header constants of this language are not supported by this version";
            let hint = "write the header as comments at the top of the file: `// version: 1.0.0`";
            let span = Span::new(offset, offset + line.trim_end().len());
            return findings.at(&rules::SCRIPT_CONSTANTS, span, message, hint);
        }
        offset += line.len();
    }
}
