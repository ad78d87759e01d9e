//! What every hint keeps to: commands that parse, and none that tells a model how to lift a refusal.
#![expect(clippy::unwrap_used, reason = "tests")]

use clap::Parser as _;

use super::*;
use crate::cli::command::Cli;
use crate::id::ItemType;
use crate::ops::verify;
use crate::trust::{Fault, KeyId, Predecessor, Subject};

const SAMPLES: &[(&str, &dyn Display)] = &[
    ("input", &"1.00"),
    ("output", &"2.00"),
    ("host", &"api.example.org"),
    ("type", &"directive"),
    ("id", &"demo/greet"),
    ("space", &"user"),
    ("path", &"/tmp/a.md"),
    ("ids", &"one two"),
    ("folder", &"docs"),
    ("name", &"python3"),
    ("namespace", &"team"),
    ("limit", &"turns"),
    ("most", &"8"),
    ("version", &"1.0.0"),
    ("query", &"greeting"),
    ("mend", &"run `rm x && git checkout -- x`"),
    ("detail", &"unknown field"),
    ("paths", &"`skills/a` and `skills/b`"),
    ("address", &"git+https://example.org/skills.git//skills/a"),
    ("all", &"git+https://example.org/skills.git"),
    ("lines", &"[mcp_servers.files]"),
];

/// Every hint.
fn all() -> impl Iterator<Item = &'static Hint> {
    [
        accept::ALL,
        commit::ALL,
        general::ALL,
        git::ALL,
        items::ALL,
        keys::ALL,
        mcp::ALL,
        place::ALL,
        plugin::ALL,
        provider::ALL,
        pull::ALL,
        registry::ALL,
        thread::ALL,
        tools::ALL,
        trust::ALL,
    ]
    .into_iter()
    .flatten()
}

fn ops_hints() -> Vec<String> {
    let subject =
        Subject { item_type: ItemType::Tool, item_id: "demo/echo".parse().unwrap(), extension: "py".parse().unwrap() };
    let key_id: KeyId = "0123456789abcdef".parse().unwrap();
    let moment = crate::id::Timestamp::from_milliseconds(0);
    let faults = [
        Fault::Unsigned,
        Fault::MalformedLine { reason: "" },
        Fault::SecondLine,
        Fault::Changed,
        Fault::Misplaced,
        Fault::UntrustedKey { key_id: key_id.clone() },
        Fault::AgentSigned,
        Fault::OutsideValidity { key_id: key_id.clone() },
        Fault::Legacy { key_id: key_id.clone(), uncovered: Vec::new() },
        Fault::Revoked { key_id },
        Fault::RolledBack { than: Predecessor::Base, known: moment, claimed: moment },
        Fault::BroughtBack { by: Predecessor::Base, removed: moment, claimed: moment },
        Fault::MissingCountersignatures { have: 1, need: 2 },
        Fault::Unshadowed,
        Fault::Downgraded,
    ];
    faults.iter().map(|fault| verify::hint(&subject, fault)).collect()
}

/// Returns the commands between backticks that run this program.
fn commands(hint: &str) -> Vec<&str> {
    hint.split('`').skip(1).step_by(2).filter(|quoted| quoted.starts_with("rye ")).collect()
}

#[test]
fn every_command_in_a_hint_parses() {
    let filled: Vec<String> = all().map(|hint| hint.fill(SAMPLES)).chain(ops_hints()).collect();
    let mut parsed = 0;
    for hint in &filled {
        for command in commands(hint) {
            match Cli::try_parse_from(command.split(' ')) {
                Err(error) if error.use_stderr() => panic!("{command}: {error}"),
                _ => parsed += 1,
            }
        }
    }
    assert!(parsed > 15, "{parsed} commands were found");
}

/// A message for a model contains no command of this program, or of another one, and no setting.
#[test]
fn no_hint_tells_a_model_how_to_lift_a_refusal() {
    let told: Vec<String> = all().filter_map(|hint| hint.fill_for_model(SAMPLES)).collect();
    assert!(told.len() > 30);
    for hint in &told {
        assert_eq!(commands(hint), Vec::<&str>::new(), "{hint}");
        let quoted: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
        assert!(quoted.iter().all(|quoted| !quoted.contains(' ')), "a command: {hint}");
        let settings = ["permissions.", "interpreters.", "threads.", "capabilities.", "RYE_", "XDG_", "--"];
        assert!(!settings.iter().any(|setting| hint.contains(setting)), "a setting: {hint}");
    }
}

#[test]
fn every_place_is_filled_in() {
    let told = |hint: &Hint| [Some(hint.fill(SAMPLES)), hint.fill_for_model(SAMPLES)];
    for filled in all().flat_map(told).flatten() {
        assert!(!filled.contains('{') || filled.contains("'{\""), "{filled}");
    }
}
