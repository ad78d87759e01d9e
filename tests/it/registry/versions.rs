//! Which versions go together: every item of the lock has a say, and nothing becomes older unless somebody asked for it.

use std::fs;

use super::{another, publish, write};
use crate::support::Sandbox;

/// A registry with `team/base` 1.0.0 and 2.0.0, `team/one` that needs `^1.0.0` of it, and a project `other`.
fn linked() -> (Sandbox, String) {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    publish(&sandbox, "team/base", "1.0.0", "One.");
    write(&sandbox, "team/one", "1.0.0", "Text.");
    let version = "version: \"1.0.0\"\n";
    sandbox.edit(".ai/knowledge/team/one.md", version, &format!("{version}extends: [team/base]\n"));
    sandbox.rye(&["sign", "knowledge", "team/one", "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", "team/one", "--yes", "-q"]).succeeds();
    publish(&sandbox, "team/base", "2.0.0", "Two.");
    let other = another(&sandbox, "other");
    (sandbox, other)
}

#[test]
fn a_lock_is_not_written_that_one_of_its_items_does_not_allow() {
    let (sandbox, other) = linked();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    let seen = run(&["pull", "team/one"]);
    assert!(seen.contains("Pulled team/base 1.0.0 from local") && seen.ends_with("[exit 0]\n"), "{seen}");
    let seen = run(&["pull", "team/base"]);
    assert!(seen.contains("Unchanged team/base 1.0.0 from local"), "what `team/one` allows: {seen}");
    let before = fs::read(sandbox.path("other/rye.lock")).unwrap();
    let seen = run(&["pull", "team/base@2"]);
    let said = "no version of knowledge `team/base` in `local` matches `^2` and `^1.0.0` of knowledge `team/one`";
    assert!(seen.contains(said) && seen.ends_with("[exit 1]\n"), "{seen}");
    assert_eq!(fs::read(sandbox.path("other/rye.lock")).unwrap(), before);
    let seen = run(&["pull", "--locked"]);
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    // A version of what needs it that allows the later one brings it.
    sandbox.edit(".ai/knowledge/team/one.md", "version: \"1.0.0\"", "version: \"1.1.0\"");
    sandbox.rye(&["sign", "knowledge", "team/one", "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", "team/one", "--yes", "-q"]).succeeds();
    let seen = run(&["update", "--yes"]);
    assert!(seen.contains("Updated team/base 2.0.0") && seen.contains("Updated team/one 1.1.0"), "{seen}");
    assert!(run(&["pull", "--frozen"]).ends_with("[exit 0]\n"));
}

#[test]
fn nothing_becomes_older_unless_its_version_was_asked_for() {
    let (sandbox, other) = linked();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    let seen = run(&["pull", "team/base"]);
    assert!(seen.contains("Pulled team/base 2.0.0"), "{seen}");
    let before = fs::read(sandbox.path("other/rye.lock")).unwrap();
    let seen = run(&["pull", "team/one", "--yes"]);
    let said = "knowledge `team/base` would be downgraded from 2.0.0 to 1.0.0 by `^1.0.0` of knowledge `team/one`";
    assert!(seen.contains(said) && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(seen.contains("hint: to downgrade it, name the version: `rye pull team/base@=1.0.0`"), "{seen}");
    assert_eq!(fs::read(sandbox.path("other/rye.lock")).unwrap(), before);
    let seen = run(&["pull", "team/base@=1.0.0"]);
    assert!(seen.contains("Downgraded team/base 1.0.0 from local"), "{seen}");
    assert!(run(&["pull", "team/one"]).ends_with("[exit 0]\n"));
}

#[test]
fn a_version_of_the_lock_that_was_yanked_stays_and_holds_up_nothing() {
    let (sandbox, other) = linked();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    publish(&sandbox, "team/third", "1.0.0", "One.");
    assert!(run(&["pull", "team/base", "-q"]).ends_with("[exit 0]\n"));
    assert!(run(&["pull", "team/third", "-q"]).ends_with("[exit 0]\n"));
    for version in ["1.0.0", "2.0.0"] {
        sandbox.rye(&["registry", "yank", "team/base", version]).succeeds();
    }
    publish(&sandbox, "team/third", "1.1.0", "Two.");
    let seen = run(&["update", "--yes"]);
    assert!(seen.contains("Unchanged team/base 2.0.0") && seen.contains("Updated team/third 1.1.0"), "{seen}");
    assert!(seen.contains("warning: knowledge `team/base` 2.0.0 was yanked"), "{seen}");
    let seen = run(&["pull", "team/base@=2.0.0"]);
    assert!(seen.contains("Unchanged team/base 2.0.0") && seen.ends_with("[exit 0]\n"), "{seen}");
    // An older version that was not yanked is not chosen instead.
    sandbox.rye(&["registry", "unyank", "team/base", "1.0.0"]).succeeds();
    let seen = run(&["update", "--yes"]);
    assert!(seen.contains("Unchanged team/base 2.0.0") && seen.ends_with("[exit 0]\n"), "{seen}");
    publish(&sandbox, "team/base", "2.0.1", "Mended.");
    let seen = run(&["update", "--yes"]);
    assert!(seen.contains("Updated team/base 2.0.1"), "{seen}");
}
