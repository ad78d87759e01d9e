//! Ctrl-C at every question about registries: it answers no, and nothing changes.

use super::{publish, shared, write};
use crate::support::{Person, on_terminal};

const BOB: Person = Person::new("bob");

#[test]
fn ctrl_c_answers_the_questions_of_publish_pull_update_and_owner() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    let stops = |args: &[&str], question: &str, sentence: &str| {
        let rye = [&[crate::support::RYE], args].concat();
        let (seen, code) = on_terminal(&sandbox, &[(question, "\u{3}")], &rye);
        assert!(code == 5 && seen.ends_with(&format!(" {sentence}\n")), "{args:?}: {code} {seen}");
    };
    let key = sandbox.path("config-bob/rye/keys/person.pub").display().to_string();
    stops(&["registry", "owner", "add", "team", &key], "to the owners of `team`?", "nothing was changed");
    write(&sandbox, "team/runbook", "2.0.0", "Two.");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    stops(&["publish", "knowledge", "team/runbook"], "[y/N]", "nothing was published");
    sandbox.rye(&["publish", "knowledge", "team/runbook", "--yes", "-q"]).succeeds();
    std::fs::remove_file(sandbox.project().join(".ai/knowledge/team/runbook.md")).unwrap();
    sandbox.rye(&["pull", "team/runbook@1.0.0", "--yes", "-q"]).succeeds();
    stops(&["update", "team/runbook@2"], "change 1 item?", "nothing was updated");
    let info = sandbox.rye(&["registry", "info", "team"]).transcript();
    assert_eq!(info.matches("SHA256:").count(), 1, "{info}");
}

#[test]
fn whoever_owns_nothing_is_told_before_the_question() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    let key = sandbox.path("config-bob/rye/keys/person.pub").display().to_string();
    let bobs = |args: &[&str]| super::as_bob(&sandbox, &BOB, args).transcript();
    let seen = bobs(&["registry", "renew", "team"]);
    assert!(seen.contains("error: your key SHA256:") && seen.contains(" owns no namespace in `team`\n"), "{seen}");
    assert!(seen.contains("hint: ask an owner") && !seen.contains("RYE-R014"), "{seen}");
    assert!(seen.ends_with("[exit 3]\n"), "{seen}");
    // Without a terminal and `--yes` the question would be what is told.
    let seen = bobs(&["registry", "owner", "add", "team", &key]);
    assert!(seen.contains("does not own the namespace `team`") && !seen.contains("confirm"), "{seen}");
}
