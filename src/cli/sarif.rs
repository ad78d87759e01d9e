//! Findings as a SARIF 2.1.0 log (OASIS), for code scanning.
//!
//! Every check reports a [`Noted`]; this module is independent of the checks. Columns count characters. Files of the
//! project are relative to `%SRCROOT%`; others are `file:` addresses. A fingerprint is of rule, path and sentence, so
//! that a finding stays the same one when lines are put in above it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::format::{Position, Rule, Severity};
use crate::trust::ContentHash;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name of the fingerprint, with the version of what it is made of.
const FINGERPRINT: &str = "ryeFinding/v1";

/// One finding, whoever found it.
#[derive(Debug, Clone)]
pub(super) struct Noted<'a> {
    /// The rule's stable id.
    pub(super) rule: &'a str,
    /// How much it matters.
    pub(super) severity: Severity,
    /// The fault, one sentence.
    pub(super) message: &'a str,
    /// What to do.
    pub(super) hint: Option<&'a str>,
    /// The file: relative to the project, or absolute.
    pub(super) path: &'a str,
    /// Where it begins.
    pub(super) start: Position,
    /// Where it ends, when it is more than a place.
    pub(super) end: Option<Position>,
}

/// How a run ended, whatever it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It checked what it was to check.
    Well,
    /// There was nothing to check. A run without results is not a success then.
    WithoutCheck,
}

/// Makes the log of one run; `rules` are those that it may have found to be broken.
pub(super) fn log(rules: &[Rule], findings: &[Noted<'_>], ended: Ended) -> Value {
    let is_broken = |rule: &&Rule| findings.iter().any(|noted| noted.rule == rule.id);
    let broken: Vec<&Rule> = rules.iter().filter(is_broken).collect();
    let mut seen = BTreeMap::new();
    let results: Vec<Value> = findings.iter().map(|noted| result(noted, &broken, &mut seen)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "rye",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": broken.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": ended == Ended::Well}],
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

fn result<'a>(noted: &Noted<'a>, broken: &[&Rule], seen: &mut BTreeMap<[&'a str; 3], usize>) -> Value {
    let hint = noted.hint.map(|hint| format!("\nHint: {hint}")).unwrap_or_default();
    let mut result = json!({
        "ruleId": noted.rule,
        "level": level(noted.severity),
        "message": {"text": format!("{}{hint}", noted.message)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact(noted.path), "region": region(noted)}}],
        "partialFingerprints": {FINGERPRINT: fingerprint(noted, seen)},
    });
    if let Some(index) = broken.iter().position(|rule| rule.id == noted.rule) {
        result["ruleIndex"] = index.into();
    }
    result
}

fn region(noted: &Noted<'_>) -> Value {
    let mut region = json!({"startLine": noted.start.line, "startColumn": noted.start.column});
    if let Some(end) = noted.end {
        region["endLine"] = end.line.into();
        region["endColumn"] = end.column.into();
    }
    region
}

/// Tells findings apart without their lines: equal findings in one file are told apart by their order.
fn fingerprint<'a>(noted: &Noted<'a>, seen: &mut BTreeMap<[&'a str; 3], usize>) -> String {
    let key = [noted.rule, noted.path, noted.message];
    let turn = seen.entry(key).and_modify(|turn| *turn += 1).or_insert(1);
    ContentHash::of(format!("{}\0{turn}", key.join("\0")).as_bytes()).to_string()
}

fn artifact(path: &str) -> Value {
    match path.strip_prefix('/') {
        Some(_) => json!({"uri": format!("file://{}", encoded(path))}),
        None => json!({"uri": encoded(path), "uriBaseId": "%SRCROOT%"}),
    }
}

/// Writes a path as part of an address (RFC 3986): other bytes than unreserved ones and slashes become `%XX`.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~');
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
