//! The keys of a provider document, and which of them its plugin reads.

use serde_json::{Map, Value};

use super::fault::{ProviderError, joined};
use crate::format::no_effect::{RUN_KEYS, TOOL_KEYS};
use crate::id::nearest;

/// Keys in addition to those of every tool.
const OWN: [&str; 15] = [
    "plugin",
    "tiers",
    "pricing",
    "models",
    "limits",
    "prompts",
    "url",
    "url_variable",
    "auth",
    "headers",
    "retry",
    "params",
    "cache",
    "stream",
    "wire",
];
const MAX_TOKENS_FIELD: &str = "max_tokens_field";

/// The keys of each map.
const INSIDE: [(&str, &[&str]); 4] = [
    ("auth", &["secret", "header", "prefix"]),
    ("limits", &["max_output_tokens"]),
    ("prompts", &["system_template"]),
    ("retry", &["attempts", "seconds"]),
];

/// The keys of each map in a map by model.
const BY_MODEL: [(&str, &[&str]); 2] = [
    (
        "pricing",
        &[
            "input_per_million",
            "output_per_million",
            "cache_read_per_million",
            "cache_write_per_million",
            "cache_write_1h_per_million",
            "currency",
        ],
    ),
    ("models", &["context", "max_output_tokens", "params"]),
];

/// Settings of a tool that is run.
const SETTINGS: [&str; 3] = ["config", "env", "capabilities"];

/// Keys under names that people expect.
const EXPECTED: [(&str, &str); 6] = [
    ("mapping", "`max_tokens_field` names the field that bounds an answer, `params` adds and removes others"),
    ("fields", "`max_tokens_field` names the field that bounds an answer, `params` adds and removes others"),
    ("limits.context_window", "write it as `models.MODEL.context`"),
    ("limits.context", "write it as `models.MODEL.context`"),
    ("context", "write it as `models.MODEL.context`"),
    ("base_url", "did you mean `url`?"),
];

/// Keys of a plugin that asks a server.
const OF_SERVERS: [&str; 8] = ["url", "url_variable", "auth", "headers", "retry", "params", "cache", "stream"];

/// Tells whether a plugin of this program answers without a server.
pub(super) fn asks_no_server(plugin: &str) -> bool {
    matches!(plugin, "steps" | "scripted")
}

/// Tells whether a document is about a server: its plugin asks one, or another key says how. An installed plugin may ask none.
pub(super) fn asks_a_server(plugin: &str, keys: &Map<String, Value>) -> bool {
    matches!(plugin, "anthropic" | "openai") || OF_SERVERS.iter().any(|key| keys.contains_key(*key))
}

/// Returns the keys that nothing reads, in the order of the document.
pub(super) fn unknown(keys: &Map<String, Value>) -> Vec<ProviderError> {
    let mut found = Vec::new();
    let known: Vec<&str> = OWN.into_iter().chain([MAX_TOKENS_FIELD]).chain(TOOL_KEYS).collect();
    for (key, value) in keys {
        if !known.contains(&key.as_str()) {
            found.push(not_a_key(key, &known));
        }
        for (_, inside) in INSIDE.iter().filter(|(map, _)| map == key) {
            found.extend(unknown_in(key, value, inside));
        }
        for (_, inside) in BY_MODEL.iter().filter(|(map, _)| map == key) {
            let models = value.as_object().into_iter().flatten();
            found.extend(models.flat_map(|(model, value)| unknown_in(&joined(key, model), value, inside)));
        }
    }
    found
}

/// Refuses what a document says to another plugin than its own.
///
/// # Errors
///
/// Names the first such key.
pub(super) fn of_others(keys: &Map<String, Value>, plugin: &str) -> Result<(), ProviderError> {
    let refused =
        |key: &str, reason| ProviderError::OfOthers { key: key.to_owned(), plugin: plugin.to_owned(), reason };
    let there = |names: &[&'static str]| names.iter().copied().find(|name| keys.contains_key(*name));
    if asks_no_server(plugin) {
        let models = keys.get("models").and_then(Value::as_object).into_iter().flatten();
        let of_a_model = models.filter(|(_, sizes)| sizes.get("params").is_some());
        let of_a_model = of_a_model.map(|(model, _)| joined(&joined("models", model), "params")).next();
        if let Some(key) = there(&OF_SERVERS).map(str::to_owned).or(of_a_model) {
            return Err(refused(&key, "it asks no server"));
        }
    }
    match there(&["wire", MAX_TOKENS_FIELD]) {
        Some(key) if plugin == "anthropic" || asks_no_server(plugin) => {
            Err(refused(key, "only the plugin `openai` has it"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the other keys of a map.
fn unknown_in(path: &str, value: &Value, known: &[&str]) -> Vec<ProviderError> {
    let keys = value.as_object().map(Map::keys).into_iter().flatten();
    keys.filter(|key| !known.contains(&key.as_str())).map(|key| not_a_key(&joined(path, key), known)).collect()
}

fn not_a_key(key: &str, known: &[&str]) -> ProviderError {
    // Hostile names stay out of messages, and the edit distance short.
    let key: String = key.chars().take(80).collect();
    let last = key.rsplit('.').next().unwrap_or_default();
    let expected = EXPECTED.iter().find(|(name, _)| *name == key).map(|(_, instead)| (*instead).to_owned());
    let instead = expected.unwrap_or_else(|| match nearest(last, known.iter().copied()) {
        _ if RUN_KEYS.into_iter().chain(SETTINGS).any(|name| name == key) => {
            "remove it: a provider document is not run".to_owned()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => "remove it".to_owned(),
    });
    ProviderError::Unknown { key, instead }
}
