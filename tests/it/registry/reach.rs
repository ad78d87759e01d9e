//! Registries that cannot be reached, and folders that cannot be written: one sentence and what to do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{as_bob, publish, shared, write};
use crate::support::users::User;
use crate::support::{Person, Sandbox, has};

#[test]
fn a_registry_that_is_not_reached_is_told_in_one_sentence_with_a_hint() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let mut urls = vec![
        (
            "https://registry.invalid/team.git",
            "unknown host, or no network",
            "check the name of the host in the address",
        ),
        ("https://localhost:1/team.git", "the server does not answer", "git ls-remote https://localhost:1/team.git"),
        ("file:///no/such/place", "no git repository there", "check the address `file:///no/such/place`"),
    ];
    if has("ssh") {
        urls.push((
            "ssh://git@registry.invalid/team.git",
            "unknown host, or no network",
            "check the name of the host in the address",
        ));
        urls.push((
            "git@registry.invalid:team.git",
            "unknown host, or no network",
            "check the name of the host in the address",
        ));
        urls.push((
            "ssh://git@localhost:1/team.git",
            "the server does not answer",
            "git ls-remote ssh://git@localhost:1",
        ));
    }
    for (url, why, hint) in urls {
        let seen = sandbox.rye(&["registry", "add", "team", url]).transcript();
        let sentence = format!("error: cannot reach the registry `team` at `{url}`: {why}\n");
        assert!(seen.contains(&sentence) && seen.contains(hint), "{seen}");
        assert_eq!(seen.matches('\n').count(), 5, "{seen}");
        assert!(seen.ends_with("[exit 6]\n") && !seen.contains("rye registry list"), "{seen}");
        // It is not used.
        assert!(sandbox.rye(&["registry", "list"]).stdout().is_empty());
    }
}

#[test]
fn a_file_address_is_a_registry_like_its_folder() {
    let bob = Person::new("bob");
    let (sandbox, _) = shared(&bob);
    let url = format!("file://{}", sandbox.path("team.git").display());
    sandbox.rye(&["registry", "add", "files", &url, "-q"]).succeeds();
    write(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", "team/runbook", "--registry", "files", "--yes", "-q"]).succeeds();
    as_bob(&sandbox, &bob, &["pull", "team/runbook", "--yes", "-q"]).succeeds();
    sandbox.rye(&["registry", "verify", "files"]).succeeds();
}

#[test]
fn a_registry_that_this_user_cannot_write_names_what_its_owner_can_do() {
    for user in User::all().into_iter().filter(|user| !user.is_super()) {
        user.does(cannot_write);
    }
}

fn cannot_write() {
    let bob = Person::new("bob");
    let (sandbox, _) = shared(&bob);
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    let registry = sandbox.path("team.git");
    let mode = |mode| fs::set_permissions(registry.join("objects"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    for (name, prefix) in [("folder", ""), ("files", "file://")] {
        let url = format!("{prefix}{}", registry.display());
        sandbox.rye(&["registry", "add", name, &url, "-q"]).succeeds();
        write(&sandbox, "team/runbook", "1.1.0", "Ring it twice.");
        sandbox.rye(&["sign", "--all", "-q"]).succeeds();
        let args = ["publish", "knowledge", "team/runbook", "--registry", name, "--yes"];
        let seen = sandbox.rye(&args).transcript();
        let sentence = format!("no permission to write to the registry `{name}` in `[SANDBOX]/team.git`");
        assert!(seen.contains(&sentence) && seen.ends_with("[exit 1]\n"), "{seen}");
        assert!(seen.contains("core.sharedRepository group"), "{seen}");
    }
    mode(0o755);
    sandbox.rye(&["registry", "verify", "team"]).succeeds();
}
