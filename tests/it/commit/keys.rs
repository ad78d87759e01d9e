//! Whatever holds the key, items and commit are signed alike, and the key is opened once.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{assert_clean, assert_verifies};
use crate::support::{Sandbox, has, on_terminal, ssh_keygen};

#[test]
fn a_key_behind_a_passphrase_is_opened_once_for_items_and_commit() {
    if !has("python3") || !has("ssh-keygen") {
        return;
    }
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let key = sandbox.path("config/rye/keys/person").display().to_string();
    ssh_keygen(&sandbox.path("tmp"), &["-q", "-p", "-f", &key, "-P", "", "-N", "open sesame"]);
    let rye = crate::support::RYE;
    let (seen, code) =
        on_terminal(&sandbox, &[("Passphrase for ", "open sesame\n")], &[rye, "commit", "--yes", "-m", "first"]);
    assert!(code == 0 && seen.matches("Passphrase").count() == 1, "{seen}");
    assert_verifies(&sandbox, "HEAD");
    assert_clean(&sandbox);
    // Without a terminal it cannot ask: nothing is signed, nothing is committed.
    sandbox.edit(super::NOTES, "short", "changed");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "second"]).transcript();
    assert!(seen.contains("is protected by a passphrase") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "1\n");
}

#[test]
fn a_key_that_is_only_in_a_variable_signs_the_commit_too() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let key = fs::read_to_string(sandbox.path("config/rye/keys/person")).unwrap();
    fs::rename(sandbox.path("config/rye/keys"), sandbox.path("elsewhere")).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "first"]).env("RYE_SIGNING_KEY", &key).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    fs::rename(sandbox.path("elsewhere"), sandbox.path("config/rye/keys")).unwrap();
    assert_verifies(&sandbox, "HEAD");
    sandbox.edit(super::NOTES, "short", "by file");
    let file = sandbox.path("config/rye/keys/person").display().to_string();
    sandbox.rye(&["commit", "--yes", "-qm", "second", "--key", &file]).succeeds();
    assert_verifies(&sandbox, "HEAD");
}

/// Who reaches the socket has commits signed, so the umask does not say who can.
#[test]
fn the_socket_that_signs_commits_is_the_person_s_alone_whatever_the_umask_is() {
    let sandbox = Sandbox::with_items();
    let (modes, temp) = (sandbox.path("modes"), sandbox.path("tmp"));
    let hook = format!("#!/bin/sh\nstat -c %a \"{}\"/rye-* >\"{}\"\n", temp.display(), modes.display());
    let path = sandbox.project().join(".git/hooks/pre-commit");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, hook).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 000; exec \"$@\"", "sh", crate::support::RYE, "commit", "--yes", "-qm", "first"]);
    let output = command.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(&modes).unwrap(), "700\n");
}
