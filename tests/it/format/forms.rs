//! The tree of `tests/forms`: small items of our own, one for each form that the published items and the original documents
//! have. The meaning of each and its findings are in `tests/forms/meaning.json`.
//!
//! `cli/migrate/forms.rs` migrates the same tree.

use std::path::Path;

use rye::action::{Action, OfferedTool, Resolved, Toolbox};
use rye::capability::Primary;
use rye::format::{Profile, parse_bytes, validate};
use rye::id::{Extension, ItemId, ItemType};
use rye::item::Item;
use rye::trust::{LineState, split};
use rye_plugin_abi::provider::ToolCall;
use serde_json::{Map, Value, json};

use crate::support::{assert_seen, beside::files};

/// Reads an item: its signature line, its value, and rule and place of each finding.
fn meaning(item_type: ItemType, id: &str, extension: &str, text: &[u8]) -> Value {
    let (Ok(id), Ok(extension)) = (id.parse::<ItemId>(), extension.parse::<Extension>()) else {
        return json!("not an item");
    };
    let parsed = parse_bytes(item_type, &extension, text);
    let value = match &parsed.item {
        Some(Item::Directive(directive)) => serde_json::to_value(directive),
        Some(Item::Tool(tool)) => serde_json::to_value(tool),
        Some(Item::Knowledge(knowledge)) => serde_json::to_value(knowledge),
        Some(Item::Skill(manifest)) => serde_json::to_value(manifest),
        None => panic!("{id}: {:?}", parsed.findings),
    };
    let found = validate(&parsed, &id, Profile::Reference);
    let found: Vec<String> = found
        .iter()
        .map(|finding| format!("{} {:?} {}:{}", finding.rule, finding.severity, finding.line, finding.column))
        .collect();
    let line = match split(item_type, extension.comment(), text).line {
        LineState::Absent => "absent",
        LineState::Present(_) => "present",
        LineState::Legacy => "of an older program",
        LineState::Malformed { .. } => "malformed",
        LineState::Doubled => "doubled",
    };
    declared(json!({"signature": line, "found": found, "value": value.unwrap()}))
}

/// Leaves out undeclared values.
fn declared(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(declared).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, declared(value)));
            let is_empty = |value: &Value| [json!(null), json!(""), json!([]), json!({})].contains(value);
            Value::Object(members.filter(|(_, value)| !is_empty(value)).collect())
        }
        other => other,
    }
}

#[test]
fn every_form_means_what_it_did() {
    let top = Path::new(crate::support::ROOT).join("tests/forms/items");
    let mut seen = Map::new();
    for item_type in [ItemType::Directive, ItemType::Tool, ItemType::Knowledge] {
        let folder = top.join(item_type.folder());
        for path in files(&folder) {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
            let (stem, extension) = name.rsplit_once('.').unwrap();
            let read = meaning(item_type, stem, extension, &std::fs::read(&path).unwrap());
            seen.insert(format!("{}/{name}", item_type.folder()), read);
        }
    }
    assert_seen(serde_json::to_string_pretty(&seen).unwrap() + "\n", snapbox::file!["../../forms/meaning.json"]);
}

/// The calls of a model: of each primary action by its JSON, of tools by their names.
#[test]
fn the_calls_of_a_model_mean_what_they_say() {
    let offered = ["mcp/weather/station/ask", "rye/file-system/write"].map(|id| OfferedTool {
        id: id.parse().unwrap(),
        description: String::new(),
        schema: json!({}),
    });
    let toolbox = Toolbox::new(&offered, &Primary::ALL, None);
    let resolved = |name: &str, input: &Value| {
        let call = ToolCall { call_id: String::new(), name: name.to_owned(), input: input.clone() };
        let Resolved::Action(action) = toolbox.resolve(&call) else { panic!("{name} {input}") };
        let called = action.to_string();
        let parameters = match action {
            Action::Tool { given, .. } | Action::TakeIn { given, .. } => Value::Object(given.as_text()),
            Action::Load { .. } | Action::Sign { .. } => Value::Null,
            Action::Search(search) => json!(search.query),
        };
        (called, parameters)
    };
    let content = json!({"path": "a.md", "content": "A"});
    let inputs = json!({"directive_name": "garden/plan_season", "inputs": {"year": 2026}});
    for (name, input, called, parameters) in [
        (
            "rye_execute",
            json!({"item_type": "tool", "item_id": "rye/file-system/write", "parameters": content}),
            "execute tool rye/file-system/write",
            content.clone(),
        ),
        (
            "rye_execute",
            json!({"item_type": "directive", "item_id": "garden/plan_season", "parameters": inputs}),
            "execute directive garden/plan_season",
            inputs.clone(),
        ),
        (
            "rye_execute",
            json!({"item_type": "knowledge", "item_id": "garden/calendar"}),
            "execute knowledge garden/calendar",
            json!({}),
        ),
        ("rye_search", json!({"item_type": "knowledge", "query": "frost"}), "search knowledge", json!("frost")),
        (
            "rye_load",
            json!({"item_type": "directive", "item_id": "garden/count_pots"}),
            "load directive garden/count_pots",
            json!(null),
        ),
        (
            "rye_sign",
            json!({"item_type": "knowledge", "item_id": "garden/old-notes"}),
            "sign knowledge garden/old-notes",
            json!(null),
        ),
        (
            "mcp_weather_station_ask",
            json!({"at": "noon"}),
            "execute tool mcp/weather/station/ask",
            json!({"at": "noon"}),
        ),
        ("rye_file_system_write", content.clone(), "execute tool rye/file-system/write", content.clone()),
    ] {
        assert_eq!(resolved(name, &input), (called.to_owned(), parameters), "{name} {input}");
    }
}
