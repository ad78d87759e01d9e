//! Ctrl-C at every question about skills from git: it answers no, and nothing changes.

use std::fs;

use super::{BOB, commit, here, lock, pull, pull_from, signed_world, skill, source, world, write};
use crate::support::{Sandbox, on_terminal};

const CTRL_C: &str = "\u{3}";

/// Presses Ctrl-C at a question.
#[track_caller]
fn stops(sandbox: &Sandbox, args: &[&str], question: &str, sentence: &str) {
    let before = lock(sandbox);
    let rye = [&[crate::support::RYE], args].concat();
    let (seen, code) = on_terminal(sandbox, &[(question, CTRL_C)], &rye);
    assert!(code == 5 && seen.ends_with(&format!(" {sentence}\n")), "{code} {seen}");
    assert_eq!(lock(sandbox), before);
}

#[test]
fn ctrl_c_answers_the_questions_of_pull_update_and_sync() {
    let sandbox = world();
    // A no would pull the skill without a signature.
    stops(&sandbox, &["pull", &source(&sandbox, "@main")], "it is pulled unsigned)?", "nothing was pulled");
    assert!(!here(&sandbox, "SKILL.md").exists());
    pull(&sandbox, "@main");
    sandbox.commit("pulled");
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read more."));
    commit(&sandbox, "newer");
    stops(&sandbox, &["update"], "change 1 skill?", "nothing was updated");
    fs::remove_file(sandbox.project().join("rye.lock")).unwrap();
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    stops(&sandbox, &["sync", "--prune"], "[y/N]", "nothing was changed");
    assert!(here(&sandbox, "SKILL.md").exists());
}

#[test]
fn ctrl_c_at_the_question_about_a_signer_trusts_no_key() {
    let sandbox = signed_world();
    stops(&sandbox, &["pull", &source(&sandbox, "")], "trust this key for skill `pdf`?", "nothing was pulled");
    assert!(!sandbox.path("config/rye/trust/namespaces").exists());
    pull_from(&sandbox, &BOB, "");
}
