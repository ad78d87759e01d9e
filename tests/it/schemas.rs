//! The schemas for editors equal docs/schemas, and agree with the readers of the files.

mod config;
mod items;
mod provider;

use std::collections::BTreeSet;
use std::path::Path;

use rye::context::Config;
use rye::format::{Severity, capabilities, parse, schema};
use rye::id::ItemType;
use rye::item::Item;
use serde_json::{Value, json};

use config::config_json_schema;
use items::{capabilities_json_schema, tool_json_schema};
use provider::provider_json_schema;

fn schemas() -> [(&'static str, Value); 4] {
    [
        ("tool.json", tool_json_schema()),
        ("provider.json", provider_json_schema()),
        ("capabilities.json", capabilities_json_schema()),
        ("config.json", config_json_schema()),
    ]
}

#[test]
fn docs_schemas_are_generated() {
    let folder = Path::new(crate::support::ROOT).join("docs/schemas");
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

/// Tells whether the reader takes a provider document, with what it says, and whether the schema takes it.
fn provider(value: &Value) -> (bool, bool, String) {
    let parsed = parse(ItemType::Tool, &"yaml".parse().unwrap(), &value.to_string());
    let errors: Vec<&str> = parsed
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.message.as_str())
        .collect();
    // Whoever uses the document reads it a second time, with the same result.
    if let Some(Item::Tool(tool)) = &parsed.item {
        let is_ours = parsed.findings.iter().any(|finding| finding.rule == "RYE-T011");
        assert!(errors.is_empty() || is_ours || errors.iter().all(|error| !error.contains("provider")), "{errors:?}");
        assert!(!errors.is_empty() || rye::format::provider(tool).is_ok(), "{value}");
    }
    (errors.is_empty(), schema::check(&provider_json_schema(), value).is_ok(), errors.join("; "))
}

/// The documents of the program, and those that docs/providers.md shows.
fn provider_documents() -> Vec<(String, Value)> {
    let root = Path::new(crate::support::ROOT);
    let mut texts: Vec<(String, String)> = std::fs::read_dir(root.join(".ai/tools/rye/agent/providers"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    assert!(texts.len() >= 6, "{texts:?}");
    let guide = std::fs::read_to_string(root.join("docs/providers.md")).unwrap();
    let shown = guide.split("```yaml\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned());
    texts.extend(shown.map(|text| ("docs/providers.md".to_owned(), text)));
    assert!(texts.len() >= 8, "{texts:?}");
    texts.into_iter().map(|(name, text)| (name, serde_saphyr::from_str(&text).unwrap())).collect()
}

#[test]
fn the_schema_of_providers_takes_every_document_there_is() {
    for (name, document) in provider_documents() {
        assert_eq!(provider(&document), (true, true, String::new()), "{name}");
    }
}

/// Every place of documents is changed in many ways: what the reader refuses the schema refuses, and the other way round.
#[test]
fn the_schema_of_providers_agrees_with_their_reader() {
    let openai = json!({
        "version": "1.0.0", "description": "d", "tool_id": "x", "category": "", "tool_type": "provider", "plugin": "openai",
        "wire": "chat", "max_tokens_field": "max_tokens", "url": "https://a.example", "url_variable": "A_URL",
        "auth": {"secret": "A_KEY", "header": "x-a", "prefix": "P "}, "headers": {"x-team": "a b", "anthropic-beta": "b"},
        "retry": {"attempts": 2, "seconds": 7}, "params": {"a": {"b": null}}, "cache": false, "stream": false,
        "tiers": {"low": "m"}, "limits": {"max_output_tokens": 10}, "prompts": {"system_template": "t"},
        "pricing": {"m": {"input_per_million": "0.1", "output_per_million": 2, "cache_read_per_million": 0.5,
            "cache_write_per_million": "1", "cache_write_1h_per_million": "1", "currency": "EUR"}, "*": {"input_per_million": 0, "output_per_million": 0}},
        "models": {"m": {"context": 100, "max_output_tokens": 10}},
    });
    let steps = json!({"version": "1.0.0", "description": "d", "tool_type": "provider", "plugin": "steps", "tiers": {"steps": "steps"}});
    let values = [
        json!(null),
        json!(0),
        json!(1),
        json!(-1),
        json!(6),
        json!(31),
        json!(1.5),
        json!(true),
        json!(""),
        json!("text"),
        json!("a\u{7}"),
        json!(" a"),
        json!("1.0.0"),
        json!("0.1234567891"),
        json!("EUR"),
        json!("eur"),
        json!([]),
        json!({}),
        json!({"a": 1}),
        json!(["a"]),
        json!("responses"),
        json!("steps"),
        json!("anthropic"),
        json!("scripted"),
    ];
    let names = [
        "mapping",
        "x-good",
        "authorization",
        "x-api-key",
        "host",
        "content-length",
        "X-Big",
        "a b",
        "-a",
        "auth",
        "x-auth-token",
        "context",
        "context_window",
        "parameters",
        "env",
        "url",
        "wire",
        "retry",
        "*",
        "n",
    ];
    let mut judged = 0;
    let mut agree = |document: &Value| {
        let (reads, fits, why) = provider(document);
        assert_eq!(reads, fits, "the reader says `{why}`: {document}");
        judged += usize::from(!reads);
    };
    for document in [openai, steps] {
        assert_eq!(provider(&document), (true, true, String::new()));
        for pointer in pointers(&document) {
            // The type of the tool decides which schema is meant; `params` is the server's own.
            if pointer == "/tool_type" || pointer.starts_with("/params/") {
                continue;
            }
            for value in &values {
                let mut changed = document.clone();
                *changed.pointer_mut(&pointer).unwrap() = value.clone();
                agree(&changed);
            }
            let (around, last) = pointer.rsplit_once('/').unwrap();
            let mut changed = document.clone();
            changed.pointer_mut(around).and_then(Value::as_object_mut).unwrap().remove(last).unwrap();
            agree(&changed);
            for name in names {
                let mut changed = document.clone();
                let map = changed.pointer_mut(around).and_then(Value::as_object_mut).unwrap();
                map.insert(name.to_owned(), json!("text"));
                agree(&changed);
            }
        }
    }
    assert!(judged > 500, "{judged}");
}

/// The places in a value, but not its root.
fn pointers(value: &Value) -> Vec<String> {
    let inside = |(key, value): (&String, &Value)| {
        let below = pointers(value).into_iter().map(move |pointer| format!("/{key}{pointer}"));
        std::iter::once(format!("/{key}")).chain(below).collect::<Vec<_>>()
    };
    value.as_object().into_iter().flatten().flat_map(inside).collect()
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
    for table in ["threads", "context", "items", "capabilities", "permissions"] {
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
        (json!({"interpreters": {"cobol": "/usr/bin/cobol"}}), false),
        (json!({"permissions": {"deny": ["x"]}}), false),
        (json!({"more": {}}), false),
    ];
    for (value, fits) in cases {
        let lines: Vec<String> = value
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(table, keys)| {
                keys.as_object().unwrap().iter().map(move |(key, value)| format!("{table}.{key}={value}"))
            })
            .collect();
        let text = if lines.is_empty() { "more=1".to_owned() } else { lines.join("\n") };
        assert_eq!(Config::parse(Path::new("config.toml"), &text, &[]).is_ok(), fits, "{value}");
        assert_eq!(schema::check(&schema, &value).is_ok(), fits, "{value}");
    }
}
