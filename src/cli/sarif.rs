//! Findings as a SARIF 2.1.0 log (OASIS), for code scanning.
//!
//! Columns count characters. Files of the project are relative to `%SRCROOT%`; others are `file:` addresses.

use serde_json::{Value, json};

use crate::format::{Finding, Position, Rule, Severity, rules};
use crate::ops::lint::{Found, Outcome};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Makes the log of one run.
pub(super) fn log(outcome: &Outcome) -> Value {
    let used: Vec<&Rule> =
        rules::ALL.iter().filter(|rule| outcome.findings.iter().any(|found| found.finding.rule == rule.id)).collect();
    let results: Vec<Value> = outcome.findings.iter().map(|found| result(found, &used, outcome)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "rye",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": used.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": level(rule.severity)},
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    }
}

fn result(found: &Found, used: &[&Rule], outcome: &Outcome) -> Value {
    let finding = &found.finding;
    let hint = finding.hint.as_ref().map(|hint| format!("\nHint: {hint}")).unwrap_or_default();
    let text = outcome.texts.iter().find(|(path, _)| *path == found.path).map_or("", |(_, text)| text);
    json!({
        "ruleId": finding.rule,
        "ruleIndex": used.iter().position(|rule| rule.id == finding.rule),
        "level": level(finding.severity),
        "message": {"text": format!("{}{hint}", finding.message)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact(&found.path), "region": region(finding, text)}}],
    })
}

fn region(finding: &Finding, text: &str) -> Value {
    let mut region = json!({"startLine": finding.line, "startColumn": finding.column});
    if let Some(span) = finding.span.filter(|span| !text.is_empty() && span.end > span.start) {
        let end = Position::of(text, span.end);
        region["endLine"] = end.line.into();
        region["endColumn"] = end.column.into();
    }
    region
}

fn artifact(path: &str) -> Value {
    match path.strip_prefix('/') {
        Some(_) => json!({"uri": format!("file://{}", encoded(path))}),
        None => json!({"uri": encoded(path), "uriBaseId": "%SRCROOT%"}),
    }
}

/// Writes a path as part of an address (RFC 3986): what is neither unreserved nor a slash becomes `%XX`.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~');
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
