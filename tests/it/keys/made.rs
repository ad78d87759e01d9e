//! When the person's key is made: as something is about to be signed, and not by a plan.

use std::fs;

use rye::keys::{Ask, KeyName, KeysError, drafted_person};
use rye::trust::NoPassphrase;

use super::Place;
use crate::support::Sandbox;

/// A project without keys: an unsigned knowledge entry and a skill.
fn project() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let entry =
        "```yaml\nname: \"bell\"\ntitle: \"Bell\"\ncategory: \"team\"\nversion: \"1.0.0\"\n```\n\n# Bell\n\nRing it.\n";
    sandbox.put(".ai/knowledge/team/bell.md", entry);
    sandbox.put(".claude/skills/notes/SKILL.md", "---\nname: notes\ndescription: Writes notes.\n---\n\nWrite notes.\n");
    sandbox
}

/// Runs a command, and returns what it printed and whether the person has a key afterwards.
fn run(sandbox: &Sandbox, args: &[&str]) -> (String, bool) {
    let seen = sandbox.rye(args).transcript();
    (seen, sandbox.path("config/rye/keys/person").exists())
}

#[test]
fn a_plan_and_a_refusal_make_no_key() {
    let sandbox = project();
    let publish = ["publish", "skill", "notes", "--namespace", "team", "--version", "1.0.0"];
    for (args, told, exit) in [
        (&["mv", "knowledge", "team/bell", "team/gong", "--dry-run"][..], "Would move", 0),
        (&["mv", "knowledge", "team/bell", "team/gong"], "confirm on a terminal or pass `--yes`", 3),
        (&["mv", "knowledge", "team/bell", "team/gong", "--yes"], "Moved", 0),
        (&[&publish[..], &["--dry-run"]].concat(), "under your own key, which Rye makes then\n", 0),
        (&publish, "confirm on a terminal or pass `--yes`", 3),
        (&["publish", "knowledge", "team/gong", "--yes"], "it needs your own signature, and it is not signed", 3),
        (&["registry", "yank", "team/gong", "1.0.0", "--yes"], "you have no key yet", 1),
    ] {
        let (seen, has_key) = run(&sandbox, args);
        assert!(seen.contains(told) && seen.ends_with(&format!("[exit {exit}]\n")), "{args:?}: {seen}");
        assert!(!has_key && !seen.contains("made the person key"), "{args:?}: {seen}");
    }
    let (seen, has_key) = run(&sandbox, &[&publish[..], &["--yes"]].concat());
    assert!(has_key && seen.contains("note: made the person key") && seen.contains("Published team/notes"), "{seen}");
    sandbox.rye(&["verify", "team/notes", "-q"]).succeeds();
    let named = fs::read_to_string(sandbox.path("config/rye/keys/person.pub")).unwrap();
    let log =
        sandbox.git(&["-C", "../home/.local/share/rye/registries/local", "grep", "-hF", named[..60].trim(), "HEAD"]);
    assert_ne!(log, "", "the log names the key that was kept");
}

#[test]
fn moving_signs_with_a_key_made_after_the_question() {
    let sandbox = project();
    let (seen, has_key) = run(&sandbox, &["mv", "knowledge", "team/bell", "team/gong", "--sign", "--yes"]);
    assert!(has_key && seen.contains("note: made the person key"), "{seen}");
    sandbox.rye(&["verify", "team/gong", "-q"]).succeeds();
}

/// The key that another program made in the meantime stays.
#[test]
fn a_drafted_key_replaces_none() {
    let place = Place::new();
    let (ctx, store) = (place.context(), place.store());
    let ask: Ask = Box::new(|_| Err(NoPassphrase::Nobody));
    let drafted = drafted_person(&ctx, &store, None, ask).unwrap();
    assert!(drafted.is_draft() && !store.path(KeyName::Person).exists());
    let made = store.create(&ctx, KeyName::Person).unwrap();
    assert!(matches!(drafted.keep(&store), Err(KeysError::MadeMeanwhile)));
    assert_eq!(store.find_public(KeyName::Person).unwrap(), Some(made.public()));
}
