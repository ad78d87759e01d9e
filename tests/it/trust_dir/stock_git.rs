//! What git makes of the files that are generated for it.

use std::fs;
use std::process::Command;

use super::{clone_of, hand_over, proposing, run, somebody, trust_below};
use crate::support::{Sandbox, has};

/// Commits something in the project, signed by another person's key.
fn commit_signed_by(sandbox: &Sandbox, person: &Sandbox) {
    let key = person.path("config/rye/keys/person").display().to_string();
    let signing = format!("user.signingkey={key}");
    sandbox.git(&["-c", "gpg.format=ssh", "-c", &signing, "commit", "-q", "-S", "--allow-empty", "-m", "signed"]);
}

/// Tells whether git accepts the last commit by files of the folder of trust.
fn accepts(sandbox: &Sandbox, signers: &str, revoked: Option<&str>) -> bool {
    let path = |name: &str| sandbox.path("config/rye/trust").join(name).display().to_string();
    let mut git = Command::new("git");
    git.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    git.args(["-c", &format!("gpg.ssh.allowedSignersFile={}", path(signers))]);
    if let Some(revoked) = revoked {
        git.args(["-c", &format!("gpg.ssh.revocationFile={}", path(revoked))]);
    }
    git.args(["verify-commit", "HEAD"]).output().unwrap().status.success()
}

#[test]
fn git_accepts_the_commits_of_trusted_keys_and_no_others() {
    if !has("ssh-keygen") {
        return;
    }
    let (sandbox, friend) = (Sandbox::signed(), somebody("friend"));
    let key = hand_over(&friend, &sandbox, "friend.pub");
    let judge = || {
        let both = accepts(&sandbox, "git_allowed_signers", Some("git_revoked"));
        assert_eq!(both, accepts(&sandbox, "git_allowed_signers", None));
        both
    };
    sandbox.rye(&["init", "-q"]).succeeds();
    commit_signed_by(&sandbox, &sandbox);
    assert!(judge(), "one's own");
    commit_signed_by(&sandbox, &friend);
    assert!(!judge(), "a stranger's");
    trust_below(&sandbox, "main/demo", "friend", &key);
    sandbox.rye(&["init", "-q"]).succeeds();
    assert!(!judge(), "trusted below a namespace");
    sandbox.rye(&["trust", "add", "friend.pub", "-q"]).succeeds();
    assert!(judge(), "trusted");
    let trusting = fs::read_to_string(sandbox.path("config/rye/trust/git_allowed_signers")).unwrap();
    sandbox.rye(&["trust", "retire", "friend", "--at", "2026-04-01", "-q"]).succeeds();
    assert!(judge(), "made before the key was retired");
    sandbox.rye(&["trust", "retire", "friend", "--at", "2026-03-01", "-q"]).succeeds();
    assert!(!judge(), "made after the key was retired");
    sandbox.rye(&["trust", "remove", "friend", "-q"]).succeeds();
    sandbox.rye(&["trust", "add", "friend.pub", "-q"]).succeeds();
    assert!(judge(), "trusted again");
    sandbox.rye(&["trust", "revoke", "friend", "-q"]).succeeds();
    assert!(!judge(), "revoked");
    // The list alone is enough, whatever else git is told.
    fs::write(sandbox.path("config/rye/trust/trusting"), trusting).unwrap();
    assert!(accepts(&sandbox, "trusting", None) && !accepts(&sandbox, "trusting", Some("git_revoked")));
}

#[test]
fn git_knows_a_key_that_the_first_signature_made() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let export = sandbox.rye(&["key", "export"]).stdout();
    let key = String::from_utf8(export).unwrap().split(' ').nth(1).unwrap().to_owned();
    let git = fs::read_to_string(sandbox.path("config/rye/trust/git_allowed_signers")).unwrap();
    assert!(git.contains(&key), "{git}");
}

#[test]
fn git_gets_files_for_each_project_that_was_accepted() {
    if !has("ssh-keygen") {
        return;
    }
    let author = proposing();
    commit_signed_by(&author, &author);
    let victim = clone_of(&author, "victim");
    victim.rye(&["trust", "accept", "--yes", "-q"]).succeeds();
    let (_, seen) = run(&victim, &["trust", "list", "--json"]);
    let name = seen.split(r#""git_allowed_signers":"[SANDBOX]/config/rye/trust/"#).nth(1).unwrap();
    let name = name.split('"').next().unwrap();
    assert!(name.starts_with("projects/") && name.ends_with("/git_allowed_signers"), "{name}");
    assert!(accepts(&victim, name, None), "for this project");
    assert!(!accepts(&victim, "git_allowed_signers", None), "and for no other");
    victim.rye(&["trust", "revoke", "ada@example.org", "-q"]).succeeds();
    assert!(!accepts(&victim, name, None), "revoked by the person, whatever the project says");
}
