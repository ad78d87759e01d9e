//! Tool and knowledge headers, provider documents, schemas.

use rye::format::{Profile, ProviderError, provider, schema, validate};
use rye::id::ItemType;
use rye::item::Money;
use serde_json::{Value, json};

use super::{Places, knowledge, places, read, tool};

const PYTHON: &str = r#"#!/usr/bin/env python3
"""Docs.

__version__ = "9.9.9"
"""
__version__: str = "1.0.0"  # comment
__tool_type__ = 'python'
__executor_id__ = None
__category__ = "demo"
__tool_description__ = r"C:\new \"x\""
CONFIG_SCHEMA = {
    "type": "object",  # a comment
    "properties": {"n": {'type': "integer", "default": -1_0, "x": [1.5, True, None, ("é\n\u00e9",)]}},
}
other = """
__version__ = "8.8.8"
"""


def execute(params):
    __version__ = "7.7.7"
    return {"__version__": params}
"#;

fn rules(item_type: ItemType, extension: &str, text: &str, id: &str) -> Vec<(String, usize, usize)> {
    let found = validate(&read(item_type, extension, text), &id.parse().expect("an id"), Profile::Reference);
    places(&found).into_iter().map(|(rule, line, column)| (rule.to_owned(), line, column)).collect()
}

#[test]
fn python_constants_are_read_as_literals() {
    assert_eq!(rules(ItemType::Tool, "py", PYTHON, "demo/echo"), vec![]);
    assert_eq!(
        serde_json::to_value(tool("py", PYTHON)).expect("plain data"),
        json!({
            "name": null, "version": "1.0.0", "description": "C:\\new \\\"x\\\"", "category": "demo", "tool_type": "python",
            "executor_id": null, "params_key": null, "fixed_params": {}, "config": null, "env": {}, "rest": {},
            "schema": {"type": "object", "properties": {
                "n": {"type": "integer", "default": -10, "x": [1.5, true, null, ["é\né"]]},
            }},
        })
    );
}

#[test]
fn what_is_no_literal_is_a_finding_and_never_run() {
    let cases: &[(&str, &str, &str, usize, usize)] = &[
        ("__version__: str = \"1.0.0\"", "__version__ = version()", "RYE-T002", 6, 15),
        ("__version__: str = \"1.0.0\"", "__version__ = \"1\" + \"2\"", "RYE-T002", 6, 19),
        ("__version__: str = \"1.0.0\"", "__version__ = f\"1\"", "RYE-T002", 6, 15),
        ("__version__: str = \"1.0.0\"", "__version__ = \"one\"", "RYE-T001", 6, 1),
        ("__tool_type__ = 'python'", "__version__ = '2.0.0'", "RYE-T004", 7, 1),
        ("__category__ = \"demo\"", "__category__ = \"x\"", "RYE-T006", 9, 1),
        ("__category__ = \"demo\"", "__category__ = 3", "RYE-T002", 9, 1),
        ("\"type\": \"object\",", "\"type\": \"objet\",", "RYE-T003", 11, 1),
        ("\"type\": \"object\",", "\"$ref\": \"https://x.example/s\",", "RYE-T003", 11, 1),
    ];
    for (from, to, rule, line, column) in cases {
        assert!(PYTHON.contains(from), "{from}");
        let found = rules(ItemType::Tool, "py", &PYTHON.replacen(from, to, 1), "demo/echo");
        assert!(found.contains(&((*rule).to_owned(), *line, *column)), "{to}: {found:?}");
    }
}

#[test]
fn yaml_tools_keep_every_key() {
    let text = "# a comment\nversion: \"1.0.0\"\ntool_id: demo/fetch\ndescription: 'Fetch: it'\ncategory: demo\n\
                executor_id: rye/http\nparameters: {type: object}\nfixed_params: {a: 1}\nparams_key: body\n\
                config: {url: x}\nenv: {LANG: C}\nmapping: [1, yes]\n";
    assert_eq!(rules(ItemType::Tool, "yaml", text, "demo/fetch"), vec![]);
    let fetch = tool("yaml", text);
    assert_eq!(fetch.fixed_params["a"], json!(1));
    assert_eq!((fetch.params_key.as_deref(), fetch.config), (Some("body"), json!({"url": "x"})));
    assert_eq!((Value::Object(fetch.rest), fetch.env["LANG"].as_str()), (json!({"mapping": [1, "yes"]}), "C"));
    let wrong = [
        ("category: demo\n", "category: demo\ncategory: b\n", ("RYE-F006", 6, 1)),
        ("version: \"1.0.0\"", "version: 1.0", ("RYE-T002", 2, 1)),
        ("{type: object}", "[a]", ("RYE-T003", 7, 1)),
        ("{LANG: C}", "{LANG: 1}", ("RYE-T002", 11, 1)),
        ("demo/fetch", "fech", ("RYE-T007", 3, 1)),
        ("{a: 1}", "{a: 1", ("RYE-F006", 9, 1)),
    ];
    for (from, to, (rule, line, column)) in wrong {
        let found = rules(ItemType::Tool, "yaml", &text.replacen(from, to, 1), "demo/fetch");
        let hit = found.iter().any(|found| found.0 == rule && found.1.abs_diff(line) <= 1 && found.2 >= column);
        assert!(hit, "{to}: {found:?}");
    }
}

#[test]
fn shell_headers_are_comments() {
    let text = "#!/bin/sh\n# rye:signed:x\n# version: 1.2.3\n# description: \"Count: words\"\n# parameters:\n\
                #   type: object\n#   properties:\n#     path: {type: string}\n# note: this is prose\n# config: {\"a\": 1}\n\
                \nset -e\n# version: 9.9.9\n";
    assert_eq!(rules(ItemType::Tool, "sh", text, "count"), vec![]);
    let count = tool("sh", text);
    assert_eq!(
        (count.version.map(|version| version.to_string()), count.description),
        (Some("1.2.3".to_owned()), "Count: words".to_owned())
    );
    assert_eq!(count.schema, Some(json!({"type": "object", "properties": {"path": {"type": "string"}}})));
    assert_eq!(count.config, json!({"a": 1}));
    let twice = text.replace("# note: this is prose", "# version: 2.0.0");
    assert_eq!(rules(ItemType::Tool, "sh", &twice, "count"), vec![("RYE-T004".to_owned(), 9, 1)]);
    assert_eq!(
        rules(ItemType::Tool, "sh", "echo\n", "count"),
        vec![("RYE-T001".to_owned(), 1, 1), ("RYE-T005".to_owned(), 1, 1)]
    );
    let script = "// version: 1.0.0\n// description: x\nexport const __category__ = 'a';\n";
    assert_eq!(rules(ItemType::Tool, "js", script, "x"), vec![("RYE-U011".to_owned(), 3, 1)]);
}

#[test]
fn knowledge_has_a_fenced_header() {
    let text = "<!-- signature -->\n\n```yaml\nname: my-notes\ntitle: Notes\ncategory: demo\nversion: \"1.0.0\"\n\
                tags: [a, b]\nreferences: one\n```\n\n# Notes\n\n```yaml\nx: 1\n```\n";
    assert_eq!(rules(ItemType::Knowledge, "md", text, "demo/my-notes"), vec![]);
    let notes = knowledge("md", text);
    assert_eq!((notes.tags, notes.references), (vec!["a".to_owned(), "b".to_owned()], vec!["one".to_owned()]));
    assert_eq!(notes.body, "# Notes\n\n```yaml\nx: 1\n```");
    let wrong: &[(&str, &str, Places)] = &[
        ("name: my-notes", "name: notes", &[("RYE-K005", 4, 1)]),
        ("category: demo", "category: [x]", &[("RYE-K003", 6, 1)]),
        ("category: demo", "category: other", &[("RYE-K006", 6, 1)]),
        ("title: Notes\n", "", &[("RYE-K002", 4, 1)]),
        ("version: \"1.0.0\"", "version: \"1.0\"", &[("RYE-K003", 7, 1)]),
        ("tags: [a, b]", "tgas: [a, b]", &[("RYE-K004", 8, 1)]),
        ("```yaml\nname", "```yml\nname", &[("RYE-K001", 1, 1)]),
        ("references: one\n```", "references: one", &[]),
        ("<!-- signature -->\n\n```yaml", "---", &[("RYE-U010", 1, 1)]),
    ];
    for (from, to, wanted) in wrong {
        let wanted: Vec<_> = wanted.iter().map(|(rule, line, column)| ((*rule).to_owned(), *line, *column)).collect();
        let found = rules(ItemType::Knowledge, "md", &text.replacen(from, to, 1), "demo/my-notes");
        assert!(if wanted.is_empty() { !found.is_empty() } else { found == wanted }, "{to}: {found:?}");
    }
    let pure = "name: data\ntitle: Data\ncategory: ''\nversion: '1.0.0'\nrows: [1]\n";
    assert_eq!(rules(ItemType::Knowledge, "yaml", pure, "data"), vec![]);
    assert_eq!(knowledge("yaml", pure).body, pure.trim());
}

#[test]
fn provider_documents_are_read_exactly() {
    let text = "version: \"1.0.0\"\ndescription: d\nplugin: steps\ntiers: {steps: s1, low: s1}\n\
                pricing:\n  s1: {input_per_million: 0.1, output_per_million: \"15.00\"}\n  s2: {input_per_million: 3, output_per_million: 4.0}\n\
                limits: {max_output_tokens: 100}\nprompts:\n  system_template: |\n    You are {directive_name}.\n";
    let document = provider(&tool("yaml", text)).expect("a provider");
    assert_eq!(document.plugin, "steps");
    assert_eq!(document.tiers["low"], "s1");
    assert_eq!((document.max_output_tokens, document.context_window), (Some(100), None));
    assert_eq!(document.system_template, "You are {directive_name}.\n");
    assert_eq!(document.pricing["s1"].of(1, 0), Money::from_nano(100, "USD").expect("money"));
    assert_eq!(document.pricing["s1"].of(1_000_000, 2_000_000).to_string(), "30.10 USD");
    assert_eq!(document.pricing["s2"].output_per_million.to_string(), "4.00 USD");
    assert_eq!(provider(&tool("yaml", "version: \"1.0.0\"\n")), Err(ProviderError::NoPlugin));
    let error = provider(&tool("yaml", &text.replace("0.1,", "-1,"))).expect_err("a negative price");
    assert_eq!(error.to_string(), "the price `pricing.s1.input_per_million` of the provider document is no amount");
}

#[test]
fn parameters_are_checked_by_their_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
    assert_eq!(schema::check(&schema, &json!({"n": 1})), Ok(()));
    let faults = schema::check(&schema, &json!({"n": "x", "m": 1})).expect_err("two faults");
    let mut paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, vec!["", "/n"]);
    assert!(faults.iter().any(|fault| fault.message == "\"x\" is not of type \"integer\""), "{faults:?}");
}
