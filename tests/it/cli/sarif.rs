//! Findings for code scanning: every log is valid by the schema of the standard.

use serde_json::{Value, json};
use snapbox::str;

use super::lint::untidy;
use crate::support::{Sandbox, assert_seen};

#[test]
fn code_scanning_gets_sarif() {
    let sandbox = untidy();
    let log: Value = serde_json::from_slice(&sandbox.rye(&["lint", "--format", "sarif"]).stdout()).unwrap();
    assert_seen(
        format!("{log:#}\n"),
        str![[r#"
{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {
      "tool": {
        "driver": {
          "name": "rye",
          "semanticVersion": "0.1.0",
          "rules": [
            {
              "id": "RYE-P012",
              "shortDescription": {
                "text": "A permission is not covered by another one already."
              },
              "defaultConfiguration": {
                "level": "note"
              }
            },
            {
              "id": "RYE-T001",
              "shortDescription": {
                "text": "A tool declares its version as three numbers."
              },
              "defaultConfiguration": {
                "level": "error"
              }
            },
            {
              "id": "RYE-S020",
              "shortDescription": {
                "text": "A file in the folder of a type is an item of that type."
              },
              "defaultConfiguration": {
                "level": "warning"
              }
            }
          ]
        }
      },
      "columnKind": "unicodeCodePoints",
      "invocations": [
        {
          "executionSuccessful": true
        }
      ],
      "results": [
        {
          "ruleId": "RYE-P012",
          "level": "note",
          "message": {
            "text": "`rye.execute.tool.demo.echo` is covered by `rye.execute.tool.demo.*` already\nHint: remove the wider one if this suffices, else this one"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": ".ai/directives/demo/greet.md",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "startLine": 12,
                  "startColumn": 41,
                  "endLine": 12,
                  "endColumn": 50
                }
              }
            }
          ],
          "partialFingerprints": {
            "ryeFinding/v1": "50b07d8baaff36eeb4deb44b76f91cb5d8737f32a42e795cc39dbb1ff65bb48a"
          },
          "ruleIndex": 0
        },
        {
          "ruleId": "RYE-S020",
          "level": "warning",
          "message": {
            "text": "this file is not an item: `demo/v1.2` is not an item id: it contains a dot (an id has no extension)\nHint: rename it or move it out of the folder"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": ".ai/knowledge/demo/v1.2.md",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "startLine": 1,
                  "startColumn": 1
                }
              }
            }
          ],
          "partialFingerprints": {
            "ryeFinding/v1": "abfb9df965865bf25f4a956cb947a69f3761e68f524bad1ad652452492d76f64"
          },
          "ruleIndex": 2
        },
        {
          "ruleId": "RYE-T001",
          "level": "error",
          "message": {
            "text": "`one` is not a version (expected three numbers like `1.0.0`)\nHint: write three numbers such as `1.0.0`"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": ".ai/tools/demo/echo.sh",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "startLine": 1,
                  "startColumn": 1,
                  "endLine": 1,
                  "endColumn": 15
                }
              }
            }
          ],
          "partialFingerprints": {
            "ryeFinding/v1": "96d0b96d3cf953ad7b7538bb94e96df24bacf22dfbc9ab9551a926d4cac68a71"
          },
          "ruleIndex": 1
        }
      ]
    }
  ]
}

"#]],
    );
}

/// Asserts that the standard's own schema finds nothing in a log, and returns the log.
pub(crate) fn assert_sarif(log: &[u8]) -> Value {
    // One pattern of it has a bracket that strict regular expressions want to be escaped.
    let schema = include_str!("../../schemas/sarif-schema-2.1.0.json").replace("{2}]?$", r"{2}\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft7)
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let log: Value = serde_json::from_slice(log).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(&log).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{log:#}");
    // It does look: a run names its tool.
    assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{"results": []}]})));
    log
}

#[test]
fn every_sarif_log_is_valid_by_the_schema_of_the_standard() {
    let sarif = |sandbox: &Sandbox| assert_sarif(&sandbox.rye(&["lint", "--format", "sarif"]).stdout());
    let results = |log: &Value| log["runs"][0]["results"].as_array().unwrap().len();
    let untidy = untidy();
    // Paths that an address cannot hold as they are, and more findings than a file may show.
    untidy.put(".ai/knowledge/demo/50% of: ü #1?.md", "Nothing.\n");
    untidy.put(".ai/directives/demo/torn.md", "```xml\n<directive name=\"torn\">\n");
    untidy.put(".ai/tools/demo/large.sh", &"x".repeat(1 << 21));
    let wrong = "  <nonsense />\n".repeat(200);
    untidy.edit(".ai/directives/demo/greet.md", "</metadata>", &format!("{wrong}</metadata>"));
    let log = sarif(&untidy);
    assert!(results(&log) > 100, "{log:#}");
    let addresses = log.to_string();
    assert!(addresses.contains(".ai/knowledge/demo/50%25%20of%3A%20%C3%BC%20%231%3F.md"), "{addresses}");
    assert_eq!(results(&sarif(&Sandbox::signed())), 0);
    let empty = Sandbox::empty();
    empty.git(&["init", "-q"]);
    assert_eq!(results(&sarif(&empty)), 0);
    // Without a project the user's own items are looked at: their files have whole addresses.
    let alone = Sandbox::empty();
    let home = alone.path("home/.ai/tools/mine/echo.sh");
    std::fs::create_dir_all(home.parent().unwrap()).unwrap();
    std::fs::write(home, "# version: one\n").unwrap();
    let log = sarif(&alone);
    let artifact = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert!(artifact["uri"].as_str().unwrap().starts_with("file:///"), "{artifact}");
    assert_eq!(artifact["uriBaseId"], Value::Null);
}

/// A finding that only moved is the same finding; two that say the same of one file are two.
#[test]
fn a_finding_is_known_again_when_its_line_moves() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "</metadata>", "<new /><new />\n</metadata>");
    let marks = || {
        let log = assert_sarif(&sandbox.rye(&["lint", "--format", "sarif"]).stdout());
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        let mark = |result: &Value| {
            let line = result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
            (line, result["partialFingerprints"]["ryeFinding/v1"].as_str().unwrap().to_owned())
        };
        results.iter().map(mark).collect::<Vec<_>>()
    };
    let before = marks();
    assert_eq!(before.len(), 2);
    assert!(before[0].0 == before[1].0 && before[0].1 != before[1].1, "{before:?}");
    sandbox.edit(".ai/directives/demo/greet.md", "# Greet", "\n\n# Greet");
    let moved: Vec<_> = before.into_iter().map(|(line, mark)| (line + 2, mark)).collect();
    assert_eq!(marks(), moved);
}
