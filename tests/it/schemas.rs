//! The schemas for editors are what is written in docs/schemas, and agree with what reads the files.

mod config;
mod items;

use std::collections::BTreeSet;
use std::path::Path;

use rye::context::Config;
use rye::format::{Severity, capabilities, parse, schema};
use rye::id::ItemType;
use serde_json::{Value, json};

use config::config_json_schema;
use items::{capabilities_json_schema, tool_json_schema};

fn schemas() -> [(&'static str, Value); 3] {
    [
        ("tool.json", tool_json_schema()),
        ("capabilities.json", capabilities_json_schema()),
        ("config.json", config_json_schema()),
    ]
}

#[test]
fn docs_schemas_are_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    for (name, schema) in schemas() {
        let generated = format!("{schema:#}\n");
        if std::env::var_os("RYE_UPDATE_DOCS").is_some() {
            std::fs::write(folder.join(name), &generated).unwrap();
        }
        let written = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(written == generated, "docs/schemas/{name} is out of date: run the test again with RYE_UPDATE_DOCS=1");
        assert_eq!(schema::schema_fault(&schema), None, "{name}");
    }
}

/// Reads a tool, tells whether it has errors, and whether the schema takes it.
fn tool(text: &str, value: &Value) -> (bool, bool) {
    let parsed = parse(ItemType::Tool, &"yaml".parse().unwrap(), text);
    let reads = parsed.findings.iter().all(|finding| finding.severity != Severity::Error);
    (reads, schema::check(&tool_json_schema(), value).is_ok())
}

/// JSON is YAML: what the reader takes the schema takes, and what one refuses the other refuses.
#[test]
fn the_schema_of_tools_agrees_with_their_reader() {
    let good = json!({
        "version": "1.0.0", "description": "d", "tool_id": "x", "category": "", "tool_type": "t", "executor_id": null,
        "parameters": {"type": "object"}, "fixed_params": {"a": 1}, "params_key": "k", "config": [1], "env": {"A": "b"},
        "companions": [{"path": "a/b.py", "sha256": "ab".repeat(32)}], "more": {"of": "it"},
    });
    assert_eq!(tool(&good.to_string(), &good), (true, true));
    let with = |key: &str, value: Value| {
        let mut tool = good.clone();
        tool[key] = value;
        tool
    };
    let mut wrong: Vec<Value> = ["version", "description", "tool_id", "category", "tool_type", "params_key"]
        .iter()
        .map(|key| with(key, json!(1)))
        .collect();
    wrong.extend(["parameters", "fixed_params", "env", "companions"].iter().map(|key| with(key, json!("text"))));
    wrong.extend([
        with("version", json!("1.0")),
        with("version", json!("01.0.0")),
        with("env", json!({"A": 1})),
        with("companions", json!([{"path": "../a", "sha256": "ab".repeat(32)}])),
        with("companions", json!([{"path": "a", "sha256": "AB".repeat(32)}])),
        with("companions", json!([{"path": "a"}])),
        with("companions", json!([{"path": "a", "sha256": "ab".repeat(32), "mode": 1}])),
        json!({"description": "d"}),
    ]);
    for value in wrong {
        assert_eq!(tool(&value.to_string(), &value), (false, false), "{value}");
    }
    // Every key that the reader takes out is in the schema.
    let read = serde_json::to_value(parse(ItemType::Tool, &"yaml".parse().unwrap(), &good.to_string()).item).unwrap();
    let of_reader: BTreeSet<String> = read
        .as_object()
        .unwrap()
        .keys()
        .map(|key| match key.as_str() {
            "name" => "tool_id".to_owned(),
            "schema" => "parameters".to_owned(),
            key => key.to_owned(),
        })
        .filter(|key| key != "rest")
        .collect();
    let schema = tool_json_schema();
    let known: BTreeSet<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    assert!(of_reader.is_subset(&known), "{of_reader:?} {known:?}");
}

#[test]
fn the_schema_of_capability_documents_agrees_with_their_reader() {
    let cases = [
        (json!([]), true),
        (json!([{"primary": "execute", "item_type": "tool", "specifics": "a.*"}, "rye.load.*"]), true),
        (json!([{"primary": "sign"}, {"primary": "load", "item_type": "*"}]), true),
        (json!("rye.*"), false),
        (json!(["mcp.x"]), false),
        (json!([{"item_type": "tool"}]), false),
        (json!([{"primary": "run"}]), false),
        (json!([{"primary": "sign", "item_type": "tools"}]), false),
        (json!([{"primary": "sign", "specific": "*"}]), false),
        (json!([{"primary": "sign", "specifics": 1}]), false),
    ];
    for (list, fits) in cases {
        let document = json!({"capabilities": list});
        let read = capabilities(&document.to_string());
        assert_eq!(read.findings.iter().all(|finding| finding.severity != Severity::Error), fits, "{document}");
        assert_eq!(schema::check(&capabilities_json_schema(), &document).is_ok(), fits, "{document}");
    }
    assert!(schema::check(&capabilities_json_schema(), &json!({"capabilities": [], "more": 1})).is_err());
}

/// The keys of each table are those that its type names when it meets an unknown one.
#[test]
fn the_schema_of_the_configuration_has_the_keys_of_its_types() {
    let schema = config_json_schema();
    let keys = |value: &Value| value["properties"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let expected = |key: &str| {
        let error = Config::parse(Path::new("config.toml"), "", &[format!("{key}=1")]).unwrap_err().to_string();
        let (_, list) = error.split_once("expected ").unwrap();
        list.lines().next().unwrap().split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    assert_eq!(keys(&schema), expected("zzz"));
    for table in ["threads", "items", "capabilities", "permissions"] {
        assert_eq!(keys(&schema["properties"][table]), expected(&format!("{table}.zzz")), "{table}");
    }
    let cases = [
        (
            json!({"threads": {"prefix": "a/b"}, "items": {"shadow_reserved": true}, "interpreters": {"sh": "/bin/sh"}}),
            true,
        ),
        (json!({"permissions": {"deny": ["rye.sign.*"], "ask": []}}), true),
        (json!({"capabilities": {"offered": ["docker-runtime", "subagent"]}}), true),
        (json!({"capabilities": {"offered": ["a/b"]}}), false),
        (json!({"capabilities": {"offered": ["a.b"]}}), false),
        (json!({"capabilities": {"offered": "subagent"}}), false),
        (json!({"threads": {"prefix": "a b"}}), false),
        (json!({"items": {"shadow_reserved": 1}}), false),
        (json!({"interpreters": {"sh": "bin/sh"}}), false),
        (json!({"interpreters": {"ruby": "/usr/bin/ruby"}}), false),
        (json!({"permissions": {"deny": ["x"]}}), false),
        (json!({"more": {}}), false),
    ];
    for (value, fits) in cases {
        let overrides: Vec<String> = value
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(table, keys)| {
                keys.as_object().unwrap().iter().map(move |(key, value)| format!("{table}.{key}={value}"))
            })
            .collect();
        let overrides = if overrides.is_empty() { vec!["more=1".to_owned()] } else { overrides };
        assert_eq!(Config::parse(Path::new("config.toml"), "", &overrides).is_ok(), fits, "{value}");
        assert_eq!(schema::check(&schema, &value).is_ok(), fits, "{value}");
    }
}
