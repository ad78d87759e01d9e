//! Which versions go together: every item of the lock has a say, and nothing becomes older unless somebody asked for it.

use std::fs;

use super::{another, as_bob, publish, write};
use crate::support::{Person, Sandbox};

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

/// The local name of a registry is private: the lock of a project is shared.
#[test]
fn a_lock_works_for_whoever_calls_the_registry_something_else() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../team.git", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "work", "../team.git", "-q"]).succeeds();
    publish(&sandbox, "team/base", "1.0.0", "One.");
    publish(&sandbox, "team/second", "1.0.0", "One.");
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/base", "-q"]).succeeds();
    let lock = fs::read_to_string(sandbox.path("other/rye.lock")).unwrap();
    assert!(lock.contains("format = 2\n") && lock.contains("registry = \"team\"\nregistry_key = \"SHA256:"), "{lock}");
    fs::create_dir_all(sandbox.path("bob")).unwrap();
    another(&sandbox, "bob");
    fs::write(sandbox.path("bob/rye.lock"), &lock).unwrap();
    let bob = Person::new("bob");
    sandbox.key_id(&bob);
    let bobs = |args: &[&str]| as_bob(&sandbox, &bob, args).transcript();
    as_bob(&sandbox, &bob, &["registry", "init", "../team/team.git", "-q"]).succeeds();
    as_bob(&sandbox, &bob, &["registry", "add", "team", "../team/team.git", "-q"]).succeeds();
    let seen = bobs(&["pull", "--locked"]);
    let said = "`rye.lock` has `team/base` from the registry `team` with the first key SHA256:";
    assert!(seen.contains(said) && seen.ends_with("[exit 3]\n"), "another one of the same name: {seen}");
    as_bob(&sandbox, &bob, &["registry", "add", "shared", "../team.git", "-q"]).succeeds();
    let seen = bobs(&["pull", "--locked"]);
    assert!(seen.contains("Pulled team/base 1.0.0 from shared") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!(fs::read_to_string(sandbox.path("bob/rye.lock")).unwrap(), lock);
    assert!(bobs(&["outdated"]).contains("team/base\t1.0.0\t1.0.0\tshared"), "{}", bobs(&["outdated"]));
    // The form that was written before is read, and written anew with the next pull.
    let before: Vec<&str> = lock.lines().filter(|line| !line.starts_with("registry_key")).collect();
    let before = before.join("\n").replace("format = 2", "format = 1").replace("\"team\"", "\"work\"");
    fs::write(sandbox.path("other/rye.lock"), before).unwrap();
    sandbox.rye(&["-C", &other, "pull", "--frozen", "-q"]).succeeds();
    sandbox.rye(&["-C", &other, "pull", "team/second", "-q"]).succeeds();
    let after = fs::read_to_string(sandbox.path("other/rye.lock")).unwrap();
    assert_eq!(after.matches("registry_key = ").count(), 2, "{after}");
    let newer = after.replace("format = 2", "format = 4\nmore = 1");
    fs::write(sandbox.path("other/rye.lock"), newer).unwrap();
    let seen = sandbox.rye(&["-C", &other, "pull", "--locked"]).transcript();
    assert!(seen.contains("it has the newer format 4 (this version of rye reads format 3)"), "{seen}");
}

#[test]
fn many_pulls_at_once_in_one_project_are_all_noted() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let ids: Vec<String> = (0..6).map(|number| format!("team/item{number}")).collect();
    ids.iter().for_each(|id| publish(&sandbox, id, "1.0.0", "Text."));
    let other = another(&sandbox, "other");
    let started: Vec<_> = ids.iter().map(|id| sandbox.rye(&["-C", &other, "pull", id, "-q"]).spawn()).collect();
    for child in started {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let lock = fs::read_to_string(sandbox.path("other/rye.lock")).unwrap();
    assert!(ids.iter().all(|id| lock.contains(&format!("\"{id}\""))), "{lock}");
    assert!(sandbox.rye(&["-C", &other, "pull", "--frozen"]).transcript().ends_with("[exit 0]\n"));
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

#[test]
fn a_path_names_the_item_to_yank_or_deprecate() {
    let (sandbox, _) = linked();
    let path = ".ai/knowledge/team/base.md";
    let run = |args: &[&str]| sandbox.rye(&[&["registry"], args].concat()).transcript();
    let seen = run(&["yank", path, "1.0.0"]);
    assert!(seen.contains("Yanked team/base 1.0.0 in local") && seen.ends_with("[exit 0]\n"), "{seen}");
    let seen = run(&["unyank", path, "1.0.0"]);
    assert!(seen.contains("Unyanked team/base 1.0.0 in local"), "{seen}");
    let seen = run(&["deprecate", path, "use team/one"]);
    assert!(seen.contains("Deprecated team/base in local"), "{seen}");
    let seen = run(&["yank", path, "1.0.0", "--type", "tool"]);
    assert!(seen.contains("is of type knowledge, not tool") && seen.ends_with("[exit 2]\n"), "{seen}");
    let seen = run(&["deprecate", ".ai/knowledge/team/none.md", "x"]);
    assert!(
        seen.contains("knowledge `team/none` is not published in `local`") && seen.ends_with("[exit 1]\n"),
        "{seen}"
    );
    // An agent client's command asks, and its question has the id.
    for (args, asked) in [
        (&["yank", path, "1.0.0"][..], "yank `team/base` 1.0.0"),
        (&["unyank", path, "1.0.0"], "unyank `team/base` 1.0.0"),
        (&["deprecate", path, "no"], "deprecate `team/base`"),
    ] {
        let args = [&["registry"], args, &["--yes"]].concat();
        let seen = sandbox.rye(&args).env("CLAUDECODE", "1").transcript();
        assert!(seen.contains(&format!("refused to {asked}")) && seen.ends_with("[exit 3]\n"), "{seen}");
    }
    let verified = run(&["verify"]);
    assert!(verified.contains("ok\tlocal\t8 lines"), "{verified}");
}

/// Publishes an entry that needs the `team/base` of the project as it is.
fn needing(sandbox: &Sandbox, id: &str, version: &str) {
    write(sandbox, id, version, "Text.");
    let line = format!("version: \"{version}\"\n");
    sandbox.edit(&format!(".ai/knowledge/{id}.md"), &line, &format!("{line}extends: [team/base]\n"));
    sandbox.rye(&["sign", "knowledge", id, "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", id, "--yes", "-q"]).succeeds();
}

#[test]
fn where_the_newest_versions_do_not_go_together_an_older_one_that_does_is_taken() {
    let (sandbox, other) = linked();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    // `team/one` needs `^1` of `team/base`; `team/two` did, and its newest version needs `^2`.
    publish_as(&sandbox, "1.0.1");
    needing(&sandbox, "team/two", "1.0.0");
    needing(&sandbox, "team/two", "1.1.0");
    publish_as(&sandbox, "2.0.1");
    needing(&sandbox, "team/two", "2.0.0");
    let seen = run(&["pull", "team/one"]);
    assert!(seen.contains("Pulled team/base 1.0.1"), "{seen}");
    let seen = run(&["pull", "team/two"]);
    assert!(seen.contains("Pulled team/two 1.1.0") && seen.contains("Unchanged team/base 1.0.1"), "{seen}");
    let seen = run(&["update", "--yes"]);
    assert!(seen.contains("Unchanged team/two 1.1.0") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert!(run(&["pull", "--frozen"]).ends_with("[exit 0]\n"));
    // The requested item is not given up: no version of the other one matches.
    let seen = run(&["pull", "team/two@2"]);
    let said = "no version of knowledge `team/base` in `local` matches";
    assert!(
        seen.contains(said) && seen.contains("`^1.0.0` of knowledge `team/one`") && seen.ends_with("[exit 1]\n"),
        "{seen}"
    );
    // Named together they are chosen together.
    let both = another(&sandbox, "both");
    let seen = sandbox.rye(&["-C", &both, "pull", "team/one", "team/two"]).transcript();
    assert!(seen.contains("Pulled team/two 1.1.0") && seen.contains("Pulled team/one 1.0.0"), "{seen}");
    let fresh = another(&sandbox, "fresh");
    let seen = sandbox.rye(&["-C", &fresh, "pull", "team/two"]).transcript();
    assert!(seen.contains("Pulled team/two 2.0.0"), "alone the newest: {seen}");
}

fn publish_as(sandbox: &Sandbox, version: &str) {
    publish(sandbox, "team/base", version, &format!("Text of {version}."));
}

#[test]
fn a_version_for_a_later_program_is_passed_over_and_told_where_there_is_no_other() {
    let (sandbox, other) = linked();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    write(&sandbox, "team/base", "2.1.0", "For a later program.");
    sandbox.rye(&["sign", "knowledge", "team/base", "-q"]).succeeds();
    let publish = ["publish", "knowledge", "team/base", "--requires-rye", "99.0.0", "--yes"];
    let seen = sandbox.rye(&publish).transcript();
    assert!(seen.contains(" bytes, for rye 99.0.0 or later:\n"), "{seen}");
    let seen = run(&["pull", "team/base@2.1"]);
    let said = "knowledge `team/base` 2.1.0 in `local` needs rye 99.0.0 or later";
    assert!(seen.contains(said) && seen.contains("install a newer version of Rye"), "{seen}");
    assert!(seen.ends_with("[exit 1]\n") && !sandbox.path("other/rye.lock").exists(), "{seen}");
    let seen = run(&["pull", "team/base"]);
    assert!(seen.contains("Pulled team/base 2.0.0"), "{seen}");
    assert!(run(&["outdated"]).contains("current\tknowledge\tteam/base\t2.0.0\t2.0.0"), "{}", run(&["outdated"]));
    let seen = run(&["show", "team/base@2.1"]);
    assert!(seen.contains("for rye 99.0.0 or later"), "{seen}");
    let found = run(&["search", "later program", "--registry", "-q"]);
    assert!(!found.contains("2.1.0"), "{found}");
    // A lock that has it, written by a later program, is not for this one.
    let lock = fs::read_to_string(sandbox.path("other/rye.lock")).unwrap();
    fs::write(sandbox.path("other/rye.lock"), lock.replace("2.0.0", "2.1.0")).unwrap();
    let seen = run(&["pull", "--locked"]);
    assert!(seen.contains(said) && seen.ends_with("[exit 1]\n"), "{seen}");
    sandbox.rye(&["registry", "verify"]).succeeds();
}
