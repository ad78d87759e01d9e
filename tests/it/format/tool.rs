//! Tool and knowledge headers, provider documents, schemas.

use rye::format::{Profile, ProviderError, provider, schema, validate};
use rye::id::ItemType;
use rye::item::Money;
use serde_json::{Value, json};

use super::{places, read, tool};

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
    // Kept, and but for `env` said to have no effect.
    let idle = [("RYE-U018", 10), ("RYE-T010", 12)].map(|(rule, line)| (rule.to_owned(), line, 1));
    assert_eq!(rules(ItemType::Tool, "yaml", text, "demo/fetch"), idle);
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
    let idle = ("RYE-U018".to_owned(), 10, 1);
    assert_eq!(rules(ItemType::Tool, "sh", text, "count"), std::slice::from_ref(&idle));
    let count = tool("sh", text);
    assert_eq!(
        (count.version.map(|version| version.to_string()), count.description),
        (Some("1.2.3".to_owned()), "Count: words".to_owned())
    );
    assert_eq!(count.schema, Some(json!({"type": "object", "properties": {"path": {"type": "string"}}})));
    assert_eq!(count.config, json!({"a": 1}));
    let twice = text.replace("# note: this is prose", "# version: 2.0.0");
    assert_eq!(rules(ItemType::Tool, "sh", &twice, "count"), vec![("RYE-T004".to_owned(), 9, 1), idle]);
    assert_eq!(
        rules(ItemType::Tool, "sh", "echo\n", "count"),
        vec![("RYE-T001".to_owned(), 1, 1), ("RYE-T005".to_owned(), 1, 1)]
    );
}

const SCRIPT: &str = r#"#!/usr/bin/env node
/* __version__ is told below
export const __version__ = "9.9.9";
*/
import { a } from "./a.js"; // it's
export const __version__: string = "1.0.0"; // comment
export const __tool_type__ = 'javascript' as const;
const __executor_id__ = null
export let __category__ = `demo`;
var __tool_description__ = "Caf\u{e9} \x41\
!";
export const CONFIG_SCHEMA: Record<string, () => void> = {
  type: "object", /* one */
  'properties': { n: { type: "integer", "default": -10, x: [1.5, true, null, ["é"],], }, },
} satisfies Schema;
const quote = /["'`/]/.test(a) ? 1 / 2 : `${a ? `"${"}"}` : '`'}`;
function f() {
const __version__ = "8.8.8";
}
const other = `
export const __version__ = "7.7.7";
`;
const __version__s = "6.6.6";
const __companions__ = [{ path: "lib/a.js", sha256: "DIGEST" }];
"#;

#[test]
fn script_constants_are_read_as_literals() {
    let digest = "ab".repeat(32);
    let text = SCRIPT.replace("DIGEST", &digest);
    for extension in ["js", "ts", "mjs", "cjs", "mts"] {
        assert_eq!(rules(ItemType::Tool, extension, &text, "demo/echo"), vec![]);
    }
    assert_eq!(
        serde_json::to_value(tool("ts", &text)).expect("plain data"),
        json!({
            "name": null, "version": "1.0.0", "description": "Café A!", "category": "demo", "tool_type": "javascript",
            "executor_id": null, "params_key": null, "fixed_params": {}, "config": null, "env": {}, "rest": {},
            "companions": [{"path": "lib/a.js", "sha256": digest}],
            "schema": {"type": "object", "properties": {
                "n": {"type": "integer", "default": -10, "x": [1.5, true, null, ["é"]]},
            }},
        })
    );
}

#[test]
fn what_is_no_literal_of_a_script_is_a_finding() {
    let text = SCRIPT.replace("DIGEST", &"ab".repeat(32));
    let cases: &[(&str, &str, &str, usize, usize)] = &[
        ("\"1.0.0\"; //", "version(); //", "RYE-T002", 6, 36),
        ("\"1.0.0\"; //", "\"1\" + \"2\"; //", "RYE-T002", 6, 40),
        ("`demo`", "`${demo}`", "RYE-T002", 9, 28),
        ("type: \"object\",", "type: Object,", "RYE-T002", 13, 9),
        ("type: \"object\",", "[type]: 1,", "RYE-T002", 13, 4),
        ("type: \"object\",", "type: \"objet\",", "RYE-T003", 12, 1),
        ("var __tool_description__", "var __version__", "RYE-T004", 10, 1),
        ("/* __version__ is told below", "// version: 1.0.0\n/*", "RYE-T004", 7, 1),
        ("lib/a.js", "../a.js", "RYE-T008", 24, 1),
    ];
    for (from, to, rule, line, column) in cases {
        assert!(text.contains(from), "{from}");
        let found = rules(ItemType::Tool, "ts", &text.replacen(from, to, 1), "demo/echo");
        assert!(found.contains(&((*rule).to_owned(), *line, *column)), "{to}: {found:?}");
    }
}

#[test]
fn brackets_and_adjoining_strings_are_python() {
    let text = "__version__ = ('1.0.' '0')\n__tool_description__ = (\n  'One '  # a\n  r'\\two'\n)\n\
                CONFIG_SCHEMA = {'enum': [(1,), (2), ()]}\n";
    let read = tool("py", text);
    assert_eq!(
        (read.version.map(|version| version.to_string()), read.description.as_str()),
        (Some("1.0.0".into()), "One \\two")
    );
    assert_eq!(read.schema, Some(json!({"enum": [[1], 2, []]})));
}

#[test]
fn companions_are_paths_and_digests() {
    let digest = "ab".repeat(32);
    let good = format!("version: \"1.0.0\"\ndescription: d\ncompanions:\n  - {{path: a/b.py, sha256: {digest}}}\n");
    assert_eq!(rules(ItemType::Tool, "yaml", &good, "demo/x"), vec![]);
    let comments =
        format!("# version: 1.0.0\n# description: d\n# companions:\n#   - path: a/b.py\n#     sha256: {digest}\n");
    assert_eq!(tool("sh", &comments).companions, tool("yaml", &good).companions);
    assert_eq!(tool("sh", &comments).companions.len(), 1);
    let wrong = [
        ("a/b.py", "/a/b.py", "it is empty, absolute, or has an empty segment"),
        ("a/b.py", "a/../b.py", "a segment must not start with `.` or `-`"),
        ("a/b.py", "'a\\b.py'", "only letters"),
        ("a/b.py", "x.sh", "a file of the tool's own name"),
        ("ab\"}", "AB\"}", "not 64 lowercase"),
        ("path:", "file:", "no key `file`"),
        ("  - {", "  - {x: 1, ", "no key `x`"),
        ("companions:\n  -", "companions:", "not a list"),
    ];
    for (from, to, message) in wrong {
        let text = good.replace("ab}", "ab\"}").replace("sha256: ab", "sha256: \"ab").replacen(from, to, 1);
        let found =
            validate(&read(ItemType::Tool, "yaml", &text), &"demo/x".parse().expect("an id"), Profile::Reference);
        let hit = found.iter().any(|found| found.rule == "RYE-T008" && found.message.contains(message));
        assert!(hit, "{to}: {found:?}");
    }
    let twice = format!("{good}  - {{path: A/b.py, sha256: {digest}}}\n");
    assert_eq!(rules(ItemType::Tool, "yaml", &twice, "demo/x"), vec![("RYE-T008".to_owned(), 3, 1)]);
}

#[test]
fn older_names_of_the_schema_are_read_with_a_warning() {
    let text = "version: \"1.0.0\"\ndescription: d\nconfig_schema: {type: object}\n";
    assert_eq!(rules(ItemType::Tool, "yaml", text, "x"), vec![("RYE-T009".to_owned(), 3, 1)]);
    assert_eq!(tool("yaml", text).schema, Some(json!({"type": "object"})));
    let both = format!("{text}parameters: {{type: object}}\n");
    assert_eq!(rules(ItemType::Tool, "yaml", &both, "x"), vec![("RYE-T004".to_owned(), 3, 1)]);
}

#[test]
fn provider_documents_are_read_exactly() {
    let text = "version: \"1.0.0\"\ndescription: d\nplugin: steps\ntiers: {steps: s1, low: s1}\n\
                pricing:\n  s1: {input_per_million: 0.1, output_per_million: \"15.00\"}\n  s2: {input_per_million: 3, output_per_million: 4.0}\n\
                limits: {max_output_tokens: 100}\nprompts:\n  system_template: |\n    You are {directive_name}.\n";
    let document = provider(&tool("yaml", text)).expect("a provider");
    assert_eq!(document.plugin, "steps");
    assert_eq!(document.tiers["low"], "s1");
    assert_eq!(document.max_output_tokens, Some(100));
    assert_eq!(document.system_template, "You are {directive_name}.\n");
    assert_eq!(document.pricing["s1"].of(1, 0), Money::from_nano(100, "USD").expect("money"));
    assert_eq!(document.pricing["s1"].of(1_000_000, 2_000_000).to_string(), "30.10 USD");
    assert_eq!(document.pricing["s2"].output_per_million.to_string(), "4.00 USD");
    assert_eq!(provider(&tool("yaml", "version: \"1.0.0\"\n")), Err(ProviderError::NoPlugin));
    let error = provider(&tool("yaml", &text.replace("0.1,", "-1,"))).expect_err("a negative price");
    assert_eq!(error.to_string(), "the price `pricing.s1.input_per_million` of the provider document is not an amount");
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
