//! `rye doctor`: what it finds where all is well, and where something is missing.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Sandbox, has, on_terminal};

/// Returns the exit code, the status, and the findings: part, state, message, fix.
fn examined(sandbox: &Sandbox, variables: &[(&str, &str)]) -> (i32, String, BTreeMap<String, Value>) {
    let run = variables.iter().fold(sandbox.rye(&["doctor", "--json"]), |run, (name, value)| run.env(name, value));
    let output = run.into_command().output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = found["checks"].as_array().unwrap().iter();
    let checks = checks.map(|check| (check["part"].as_str().unwrap().to_owned(), check.clone())).collect();
    (output.status.code().unwrap(), found["status"].as_str().unwrap().to_owned(), checks)
}

#[test]
fn a_signed_workspace_is_well_and_what_is_worth_knowing_is_told() {
    let sandbox = Sandbox::signed();
    let (code, status, checks) = examined(&sandbox, &[("ANTHROPIC_API_KEY", "sk-ant-of-a-test")]);
    assert_eq!(code, 0, "{checks:#?}");
    let parts: Vec<&str> = checks.keys().map(String::as_str).collect();
    let all = ["configuration", "git", "keys", "plugins", "project", "providers", "registries", "sandbox", "trust"];
    assert_eq!(parts, all);
    for (part, words) in [
        ("git", "git version 2."),
        ("project", "is a workspace"),
        ("keys", "you sign with the key "),
        ("providers", "`rye/agent/providers/anthropic_messages`"),
        ("registries", "none; your first"),
    ] {
        assert_eq!(checks[part]["state"], "ok", "{checks:#?}");
        assert!(checks[part]["message"].as_str().unwrap().contains(words), "{part}: {checks:#?}");
        assert!(checks[part]["fix"].is_null());
    }
    assert!(["ok", "note"].contains(&status.as_str()));
    assert!(!format!("{checks:?}").contains("sk-ant-of-a-test"), "a secret is told");
    let lines = String::from_utf8(sandbox.rye(&["doctor"]).stdout()).unwrap();
    assert_eq!(lines.lines().count(), 9, "{lines}");
    assert!(lines.lines().all(|line| line.split('\t').count() == 4), "{lines}");
}

#[test]
fn what_is_missing_comes_with_a_command_that_helps() {
    let sandbox = Sandbox::empty();
    let (code, status, checks) = examined(&sandbox, &[]);
    assert_eq!((code, status.as_str()), (0, "note"), "{checks:#?}");
    for (part, fix) in [("project", "rye init"), ("keys", "rye key generate"), ("providers", "rye provider list")] {
        assert_eq!(checks[part]["state"], "note", "{checks:#?}");
        assert!(checks[part]["fix"].as_str().unwrap().contains(fix), "{part}: {checks:#?}");
    }
    let (code, status, checks) = examined(&sandbox, &[("PATH", "/none")]);
    assert_eq!((code, status.as_str(), &checks["git"]["state"]), (1, "problem", &"problem".into()), "{checks:#?}");
    assert!(checks["git"]["fix"].as_str().unwrap().starts_with("install git 2.34"));
}

/// Before the first commit, not after `git commit` failed.
#[test]
fn a_git_without_a_name_is_told() {
    let sandbox = Sandbox::signed();
    let nameless = [("GIT_COMMITTER_NAME", ""), ("GIT_COMMITTER_EMAIL", "")];
    let (code, _, checks) = examined(&sandbox, &nameless);
    assert_eq!((code, &checks["git"]["state"]), (0, &"note".into()), "{checks:#?}");
    assert!(checks["git"]["fix"].as_str().unwrap().contains("git config --global user.name"), "{checks:#?}");
}

/// On a terminal each fix is a line of its own below the table, and not in the table.
#[test]
fn a_fix_is_told_once() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::empty();
    let (seen, code) = on_terminal(&sandbox, &[], &[crate::support::RYE, "doctor"]);
    assert_eq!((code, seen.matches("rye key generate").count()), (0, 1), "{seen}");
    assert!(seen.contains("hint: keys: ") && !seen.contains("FIX"), "{seen}");
}

#[test]
fn a_configuration_that_cannot_be_used_is_a_problem() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/config.toml", "permissions = 3\n");
    let (code, status, checks) = examined(&sandbox, &[]);
    assert_eq!(
        (code, status.as_str(), &checks["configuration"]["state"]),
        (1, "problem", &"problem".into()),
        "{checks:#?}"
    );
    assert!(checks["configuration"]["message"].as_str().unwrap().contains("config.toml"), "{checks:#?}");
    assert_eq!(checks["keys"]["state"], "ok", "the other parts are looked at all the same");
}
