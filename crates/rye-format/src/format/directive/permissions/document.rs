//! Capability documents: permissions as YAML, for files next to directives and for callers.
//!
//! One format with two shapes of entry, which may be mixed in one list: `primary`, `item_type` and `specifics` spelled
//! out, or the whole capability as one text (legacy: read with a warning that shows the other).

use serde_json::{Map, Value};

use super::legacy;
use crate::capability::{Capabilities, Capability, Primary};
use crate::format::header::mapping;
use crate::format::span::Findings;
use crate::format::{Finding, Span, no_effect, rules};
use crate::id::{ItemType, nearest};

const KEYS: [&str; 3] = ["primary", "item_type", "specifics"];

/// A capability document, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapabilityDocument {
    /// What it permits: whatever could be read, for showing only when there are errors.
    pub capabilities: Capabilities,
    /// The findings, in the order of the text.
    pub findings: Vec<Finding>,
}

/// Reads a capability document.
#[must_use]
pub fn capabilities(text: &str) -> CapabilityDocument {
    let mut findings = Findings::about(text);
    let whole = Span::new(0, text.lines().next().map_or(0, str::len));
    let keys = mapping(text, Span::new(0, text.len()), &mut findings);
    let calls = keys.map(|(keys, places)| {
        for key in keys.keys().filter(|key| *key != "capabilities") {
            let message = format!("`{}` is not a key of a capability document", shortened(key));
            let span = places.get(key).copied().unwrap_or(whole);
            findings.at(&rules::UNKNOWN_KEY, span, message, "remove it: the document contains `capabilities`");
        }
        let at = places.get("capabilities").copied().unwrap_or(whole);
        list(keys.get("capabilities"), at, text, &mut findings)
    });
    let capabilities = Capabilities { calls: calls.unwrap_or_default(), ..Capabilities::default() };
    CapabilityDocument { capabilities, findings: findings.into_list() }
}

fn list(value: Option<&Value>, at: Span, text: &str, findings: &mut Findings<'_>) -> Vec<Capability> {
    let Some(Value::Array(entries)) = value else {
        let hint = "write `capabilities:` and below it one entry per line that begins with `- `";
        findings.at(&rules::CAPABILITY_LIST, at, "the document has no list `capabilities`", hint);
        return Vec::new();
    };
    let places = entry_places(text, at);
    let mut calls = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        // A list on one line has no lines of its own.
        let span = if places.len() == entries.len() { places[number] } else { at };
        let read = match entry {
            Value::String(whole) => flat(whole, span, findings),
            Value::Object(keys) => spelled(keys, span, findings),
            other => {
                let message = format!("`{}` is not a capability", shortened(&other.to_string()));
                findings.at(&rules::CAPABILITY_LIST, span, message, HINT);
                None
            }
        };
        if let Some(capability) = &read {
            no_effect::capability(capability, span, findings);
        }
        calls.extend(read);
    }
    calls
}

const HINT: &str = "write `- primary: execute`, and below it `item_type: tool` and `specifics: \"pattern\"`";

fn flat(text: &str, span: Span, findings: &mut Findings<'_>) -> Option<Capability> {
    let capability: Capability = text
        .trim()
        .parse()
        .map_err(|error: crate::capability::CapabilityError| {
            findings.at(&rules::BAD_PATTERN, span, error.to_string(), HINT);
        })
        .ok()?;
    let hint = match capability.parts() {
        Some((primary, None)) => format!("write `- primary: {primary}` with `specifics: \"*\"`"),
        Some((primary, Some((item_type, specifics)))) => {
            format!("write `- primary: {primary}` with `item_type: {item_type}` and `specifics: \"{specifics}\"`")
        }
        None => legacy::replacement(&capability),
    };
    let message = format!("`{capability}` is written in the legacy form");
    findings.at(&rules::LEGACY_CAPABILITY, span, message, hint);
    Some(capability)
}

fn spelled(keys: &Map<String, Value>, span: Span, findings: &mut Findings<'_>) -> Option<Capability> {
    for key in keys.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let message = format!("`{}` is not a part of a capability", shortened(key));
        let near = nearest(&shortened(key), KEYS).map(|near| format!("did you mean `{near}`?"));
        findings.at(&rules::CAPABILITY_LIST, span, message, near.unwrap_or_else(|| HINT.to_owned()));
    }
    let primary: Primary = word(keys, "primary", span, findings)?;
    let specifics = keys.get("specifics").map_or(Some("*"), Value::as_str);
    let Some(specifics) = specifics else {
        findings.at(&rules::CAPABILITY_LIST, span, "`specifics` must be a string", "write it in quotes");
        return None;
    };
    if matches!(keys.get("item_type").map(Value::as_str), None | Some(Some("*"))) {
        if specifics.trim() == "*" {
            return Some(Capability::all_of(primary));
        }
        let message = format!("`{}` does not say of which type of item", shortened(specifics));
        findings.at(&rules::CAPABILITY_LIST, span, message, "add `item_type: tool`, `directive` or `knowledge`");
        return None;
    }
    let item_type: ItemType = word(keys, "item_type", span, findings)?;
    Capability::of(primary, item_type, specifics)
        .map_err(|error| findings.at(&rules::BAD_PATTERN, span, error.to_string(), HINT))
        .ok()
}

/// Reads one of the words of an entry.
fn word<T>(keys: &Map<String, Value>, key: &str, span: Span, findings: &mut Findings<'_>) -> Option<T>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let Some(text) = keys.get(key).and_then(Value::as_str) else {
        findings.at(&rules::CAPABILITY_LIST, span, format!("the capability has no `{key}`"), HINT);
        return None;
    };
    text.trim()
        .parse()
        .map_err(|error: T::Err| findings.at(&rules::CAPABILITY_LIST, span, shortened(&error.to_string()), HINT))
        .ok()
}

/// Finds the lines on which the entries of the list below `at` begin.
fn entry_places(text: &str, at: Span) -> Vec<Span> {
    let mut places = Vec::new();
    let (mut start, mut margin) = (at.end, None);
    for line in text[at.end..].split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if (content.starts_with("- ") || content == "-") && margin.is_none_or(|margin| margin == indent) {
            margin = Some(indent);
            places.push(Span::new(start + indent, start + indent + content.len()));
        }
        start += line.len();
    }
    places
}

/// Keeps hostile texts out of messages.
fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
