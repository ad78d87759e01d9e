//! `rye trust`: what each verb prints, and what it refuses.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

const FRIEND: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUqwd0T/WgoVUGdfMuWFFF6XsfaJNAmT9eGfYafPxbS";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.put("bob.pub", &format!("{FRIEND} bob@example.org\n"));
    sandbox
}

#[test]
fn decisions_are_made_ended_and_taken_back() {
    let sandbox = sandbox();
    assert_seen(sandbox.rye(&["trust", "add", "bob.pub", "--namespace", "main/demo"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "retire", "bob@example.org", "--at", "2026-04-01"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "list"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "retire", "bob@example.org", "--at", "2026-05-01"]).transcript(), str![""]);
    assert_seen(
        sandbox.rye(&["trust", "revoke", "bob@example.org", "--reason", "laptop stolen"]).transcript(),
        str![""],
    );
    assert_seen(sandbox.rye(&["trust", "remove", "bob@example.org"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "list", "--json"]).transcript(), str![""]);
}

#[test]
fn a_proposal_is_made_shown_and_accepted() {
    let sandbox = sandbox();
    assert_seen(sandbox.rye(&["trust", "propose", "--principal", "ada@example.org"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "accept"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "accept", "--yes"]).transcript(), str![""]);
    sandbox.put(
        ".ai/trust/policy.toml",
        "format = 1\nroot_signers = 1\n\n[[require]]\nitems = \"deploy/*\"\ntype = \"directive\"\nsigners = 2\n",
    );
    assert_seen(sandbox.rye(&["trust", "add", "bob.pub", "--project"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "list"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "propose"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "propose", "--json"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["verify"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "accept", "--yes"]).transcript(), str![""]);
    sandbox.rye(&["trust", "retire", "bob@example.org", "--project", "-q"]).succeeds();
    sandbox.rye(&["trust", "revoke", "bob@example.org", "--reason", "left", "--project", "-q"]).succeeds();
    sandbox.put(".ai/trust/policy.toml", "format = 1\n");
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    assert_seen(sandbox.rye(&["trust", "accept", "--yes", "--json"]).transcript(), str![""]);
}

#[test]
fn what_cannot_be_decided_says_why() {
    let sandbox = sandbox();
    sandbox.rye(&["trust", "add", "bob.pub", "-q"]).succeeds();
    assert_seen(sandbox.rye(&["trust", "remove", "bob@example.com"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "retire", "you"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "retire", "bob@example.org", "--at", "soon"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "add", "bob.pub", "--principal", "two words"]).transcript(), str![""]);
    sandbox.rye(&["trust", "revoke", "bob.pub", "-q"]).succeeds();
    assert_seen(sandbox.rye(&["trust", "add", "bob.pub"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "accept"]).transcript(), str![""]);
    sandbox.put(".ai/trust/allowed_signers", &format!("bob@example.org namespaces=\"rye\" {FRIEND}\n"));
    assert_seen(sandbox.rye(&["trust", "accept"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "propose"]).transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "revoke", "you"]).transcript(), str![""]);
}

#[test]
fn a_project_needs_a_name_for_its_first_root() {
    let sandbox = sandbox();
    let nobody = sandbox.rye(&["trust", "propose"]).env("GIT_AUTHOR_EMAIL", "").env("GIT_COMMITTER_EMAIL", "");
    assert_seen(nobody.transcript(), str![""]);
    assert_seen(sandbox.rye(&["trust", "propose"]).transcript(), str![""]);
}
