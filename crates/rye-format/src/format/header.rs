//! Header keys of tools and knowledge: taking them out of a map with findings for values of another type.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::{Map, Value};

use super::Span;
use super::rules::Rule;
use super::span::Findings;
use super::syntax::yaml;

/// A header's keys, being taken out one by one.
pub(super) struct Header<'t, 'f> {
    pub(super) keys: Map<String, Value>,
    /// Where each key stands; the header as a whole for keys that are not listed.
    pub(super) places: BTreeMap<String, Span>,
    pub(super) whole: Span,
    /// The rule that a value of another kind breaks.
    pub(super) rule: &'static Rule,
    pub(super) findings: &'f mut Findings<'t>,
}

impl Header<'_, '_> {
    pub(super) fn place(&self, key: &str) -> Span {
        self.places.get(key).copied().unwrap_or(self.whole)
    }

    /// Tells whether a key has a value that could not be read, which is a finding already.
    pub(super) fn is_unread(&self, key: &str) -> bool {
        self.places.contains_key(key) && !self.keys.contains_key(key)
    }

    /// Takes a key that holds text; `null` counts as absent.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.keys.remove(key)? {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => {
                let mut text = other.to_string().replace('"', "");
                if key == "version" && other.is_number() {
                    text.push_str(&".0".repeat(2_usize.saturating_sub(text.matches('.').count())));
                }
                // As it is written there: a constant's name, or the key.
                let written = self.place(key).of(self.findings.source());
                let hint = match written.split_once('=').map(|(name, _)| name.trim()) {
                    Some(name) if !name.contains([':', '"', '#']) => format!("write `{name} = \"{text}\"`, in quotes"),
                    Some(_) | None => format!("write `{key}: \"{text}\"`, in quotes"),
                };
                self.wrong(key, "a string", &other, &hint);
                None
            }
        }
    }

    /// Takes a key that holds text of a known form.
    pub(super) fn parsed<T>(&mut self, key: &str, rule: &Rule, hint: &str) -> Option<T>
    where
        T: FromStr<Err: std::fmt::Display>,
    {
        let text = self.text(key)?;
        text.parse().map_err(|error: T::Err| self.findings.at(rule, self.place(key), error.to_string(), hint)).ok()
    }

    /// Takes a key that holds a list of texts; one text is a list of one.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let list = match self.keys.remove(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::String(text)) => return vec![text],
            Some(Value::Array(list)) => list,
            Some(other) => {
                self.wrong(key, "a list of strings", &other, "write one entry per line: `- entry`");
                return Vec::new();
            }
        };
        let mut texts = Vec::new();
        for entry in list {
            match entry {
                Value::String(text) => texts.push(text),
                other => self.wrong(key, "a list of strings", &other, "put the entry in quotes"),
            }
        }
        texts
    }

    /// Takes a key that holds a map.
    pub(super) fn map(&mut self, key: &str) -> Map<String, Value> {
        match self.keys.remove(key) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(map)) => map,
            Some(other) => {
                self.wrong(key, "a map", &other, "write `key: value` entries below it");
                Map::new()
            }
        }
    }

    fn wrong(&mut self, key: &str, wanted: &str, found: &Value, hint: &str) {
        let shown: String = found.to_string().chars().take(60).collect();
        let message = format!("`{key}` must be {wanted}, not `{shown}`");
        self.findings.at(self.rule, self.place(key), message, hint);
    }
}

/// Reads a YAML mapping in `zone` of `text`, with the places of its top keys.
pub(super) fn mapping(
    text: &str,
    zone: Span,
    findings: &mut Findings<'_>,
) -> Option<(Map<String, Value>, BTreeMap<String, Span>)> {
    match yaml::parse(zone.of(text)) {
        Ok(Value::Object(keys)) => {
            let places = key_places(text, zone);
            Some((keys, places))
        }
        Ok(_) => {
            let hint = "write `key: value` lines";
            findings.at(&super::rules::MALFORMED_YAML, zone, "the yaml contains no keys", hint);
            None
        }
        Err(fault) => {
            let span = Span::new(zone.start + fault.span.start, zone.start + fault.span.end);
            let message = format!("the yaml cannot be read: {}", fault.message);
            findings.at(&super::rules::MALFORMED_YAML, span, message, fault.hint);
            None
        }
    }
}

/// Finds the lines that start with a plain key.
fn key_places(text: &str, zone: Span) -> BTreeMap<String, Span> {
    let mut places = BTreeMap::new();
    let mut start = zone.start;
    for line in zone.of(text).split_inclusive('\n') {
        let name = line.split(':').next().unwrap_or("");
        if name.len() < line.len() && !name.is_empty() && !name.starts_with([' ', '#', '-', '\t']) {
            places.entry(name.trim_end().to_owned()).or_insert(Span::new(start, start + line.trim_end().len()));
        }
        start += line.len();
    }
    places
}
