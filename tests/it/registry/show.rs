//! One item for people, here and in a registry.

use super::{another, json, publish, shared, write};
use crate::support::{Person, Sandbox};

const BOB: Person = Person::new("bob");

fn facts(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let seen = sandbox.rye(args).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    seen.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_directive_says_what_it_takes_returns_and_may_do() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let facts = facts(&sandbox, &["show", "rye/guides/first_thread"]);
    let has = |fact: &str| assert!(facts.iter().any(|line| line.starts_with(fact)), "{fact}: {facts:#?}");
    has("directive: rye/guides/first_thread ");
    has("what: Walk through a first thread");
    has("from: the system space, ");
    has("signed: builtin");
    has("model: steps");
    has("limits: 8 turns, 200000 tokens, ");
    has("input: topic (string, \"signing\" if not given): What to look up");
    has("output: note (string, required): ");
    has("may: rye.execute.tool.rye.file-system.*");
    has("may: read README.md");
    has("may: write notes/**");
    let card = json(&sandbox.rye(&["show", "rye/file-system/read", "--json"]).stdout());
    assert_eq!((&card["item_type"], &card["space"]), (&"tool".into(), &"system".into()));
    let path = card["inputs"].as_array().unwrap().iter().find(|input| input["name"] == "path").unwrap();
    assert_eq!((&path["type"], &path["required"]), (&"string".into(), &true.into()));
}

#[test]
fn an_item_is_looked_up_in_the_registries_where_it_is_not_here() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let seen = sandbox.rye(&["show", "team/runbook"]).transcript();
    assert!(seen.contains("error: unknown item `team/runbook`, and no registry is configured"), "{seen}");
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    publish(&sandbox, "team/runbook", "1.1.0", "Two.");
    let here = facts(&sandbox, &["show", "team/runbook"]);
    assert!(
        here[0] == "knowledge: team/runbook 1.1.0" && here[2].starts_with("from: the project space, "),
        "{here:#?}"
    );
    let versions: Vec<_> = here.iter().filter(|line| line.starts_with("version: ")).collect();
    assert!(versions[0].starts_with("version: 1.1.0 in local (seq 3), by SHA256:"), "{versions:?}");
    assert!(versions[1].starts_with("version: 1.0.0 in local (seq 2), by SHA256:"), "{versions:?}");
    // From another project, nothing is pulled.
    let other = another(&sandbox, "other");
    let seen = sandbox.rye(&["-C", &other, "show", "team/runbook@1.0.0"]).transcript();
    assert!(
        seen.contains("knowledge: team/runbook 1.0.0\n") && seen.contains("from: the registry `local` (seq 2)\n"),
        "{seen}"
    );
    assert!(seen.contains("run `rye pull team/runbook@=1.0.0 --registry local`"), "{seen}");
    assert!(!sandbox.path("other/.ai").exists() && !sandbox.path("other/rye.lock").exists());
    let newest = sandbox.rye(&["-C", &other, "show", "team/runbook", "--offline"]).transcript();
    assert!(newest.contains("knowledge: team/runbook 1.1.0\n"), "{newest}");
    // A yanked version is marked, and shown only if no other matches.
    sandbox.rye(&["registry", "yank", "team/runbook", "1.1.0", "--yes", "-q"]).succeeds();
    let seen = sandbox.rye(&["-C", &other, "show", "team/runbook"]).transcript();
    assert!(
        seen.contains("knowledge: team/runbook 1.0.0\n") && seen.contains("1.1.0 in local (seq 3), yanked, by SHA256:"),
        "{seen}"
    );
    let seen = sandbox.rye(&["-C", &other, "show", "team/runbook@2"]).transcript();
    assert!(seen.contains("error: no version of knowledge `team/runbook` in `local` matches `^2`"), "{seen}");
    let seen = sandbox.rye(&["-C", &other, "show", "team/runbok"]).transcript();
    assert!(
        seen.contains("unknown item `team/runbok`, here and in `local`") && seen.contains("team/runbook"),
        "{seen}"
    );
}

/// The signer is told, trusted or not; a name is only a decision's.
#[test]
fn the_key_of_a_stranger_is_shown_as_such() {
    let (sandbox, _) = shared(&BOB);
    write(&sandbox, "team/guide", "1.0.0", "One.");
    sandbox.rye(&["sign", "knowledge", "team/guide", "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", "team/guide", "--registry", "team", "--yes", "-q"]).succeeds();
    let seen = super::as_bob(&sandbox, &BOB, &["show", "team/guide", "--json"]).stdout();
    let card = json(&seen);
    assert_eq!((&card["verdict"], &card["registry"]), (&"untrusted".into(), &"team".into()));
    assert!(card["signer"]["key_id"].is_string() && card["signer"]["principals"].is_null(), "{card}");
}
