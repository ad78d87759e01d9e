//! The short story: one person, two projects, and nothing configured.

use std::fs;

use super::{another, json, publish, write};
use crate::support::{Person, Sandbox};

const BOB: Person = Person::new("bob");

fn project() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox
}

#[test]
fn what_is_published_in_one_project_is_pulled_in_another_with_nothing_configured() {
    let sandbox = project();
    write(&sandbox, "team/runbook", "1.2.0", "Restart it.");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    let seen = sandbox.rye(&["publish", "knowledge", "team/runbook", "--yes"]).transcript();
    assert!(seen.contains("Published team/runbook 1.2.0 to local (seq 2)\n"), "{seen}");
    assert!(seen.contains("under your key SHA256:") && seen.contains("the namespace `team` becomes yours"), "{seen}");
    let made = "note: made the registry `local` in `[SANDBOX]/home/.local/share/rye/registries/local`";
    assert!(seen.contains(made) && seen.ends_with("[exit 0]\n"), "{seen}");
    let other = another(&sandbox, "other");
    let seen = sandbox.rye(&["-C", &other, "pull", "team/runbook"]).transcript();
    assert!(seen.contains("Pulled team/runbook 1.2.0 from local\n[exit 0]\n"), "{seen}");
    let file = ".ai/knowledge/team/runbook.md";
    let published = fs::read(sandbox.project().join(file)).unwrap();
    assert_eq!(fs::read(sandbox.path("other").join(file)).unwrap(), published, "the signature stays");
    let outcome = json(&sandbox.rye(&["-C", &other, "pull", "team/runbook", "--json"]).stdout());
    assert_eq!(outcome["lock"], "rye.lock");
    let pulled = &outcome["pulled"][0];
    assert_eq!(
        (&pulled["status"], &pulled["verdict"], &pulled["space"]),
        (&"unchanged".into(), &"good".into(), &"project".into())
    );
    let seen = sandbox.rye(&["-C", &other, "execute", "knowledge", "team/runbook"]).transcript();
    assert!(seen.contains("Restart it."), "{seen}");
    let fsck = sandbox.git(&["-C", "../home/.local/share/rye/registries/local", "fsck", "--strict", "--no-dangling"]);
    assert_eq!(fsck, "");
    let seen = sandbox.rye(&["registry", "verify"]).transcript();
    assert!(seen.contains("ok\tlocal\t3 lines\t1 version\n[exit 0]"), "{seen}");
}

#[test]
fn a_published_version_stays_as_it_is() {
    let sandbox = project();
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    let outcome = json(&sandbox.rye(&["publish", "knowledge", "team/runbook", "--json"]).stdout());
    assert_eq!((&outcome["status"], &outcome["seq"]), (&"unchanged".into(), &2.into()));
    write(&sandbox, "team/runbook", "1.0.0", "Two.");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    let seen = sandbox.rye(&["publish", "knowledge", "team/runbook", "--yes"]).transcript();
    assert!(
        seen.contains("error: knowledge `team/runbook` 1.0.0 is published in `local` already, with other content"),
        "{seen}"
    );
    assert!(seen.contains("hint: give it a new version in its header") && seen.ends_with("[exit 1]\n"), "{seen}");
    publish(&sandbox, "team/runbook", "1.1.0", "Two.");
    let outcome = json(&sandbox.rye(&["publish", "knowledge", "team/runbook", "--json"]).stdout());
    assert_eq!(
        (&outcome["status"], &outcome["seq"], &outcome["version"]),
        (&"unchanged".into(), &3.into(), &"1.1.0".into())
    );
}

#[test]
fn nothing_is_published_without_a_yes_a_namespace_and_a_signature_of_ones_own() {
    let sandbox = project();
    let refused = |args: &[&str], sentence: &str, exit: u8| {
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains(sentence) && seen.ends_with(&format!("[exit {exit}]\n")), "{seen}");
        assert!(!sandbox.path("home/.local/share/rye/registries").exists(), "{seen}");
    };
    write(&sandbox, "team/runbook", "1.0.0", "One.");
    refused(&["publish", "knowledge", "team/runbook", "--yes"], "it needs your own signature, and it is not signed", 3);
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    refused(&["publish", "knowledge", "team/runbook"], "not published: confirm on a terminal or pass `--yes`", 3);
    refused(&["publish", "knowledge", "team/runbook", "--dry-run"], "Would publish team/runbook 1.0.0 to local", 0);
    let client = sandbox.rye(&["publish", "knowledge", "team/runbook", "--yes"]).env("CLAUDECODE", "1").transcript();
    assert!(
        client.contains("refused to publish to `local` without the person's yes") && client.ends_with("[exit 3]\n"),
        "{client}"
    );
    for (id, sentence, exit) in [
        ("runbook", "`runbook` has no namespace", 2),
        ("user/runbook", "the namespace `user` is reserved", 3),
        ("rye/runbook", "the namespace `rye` is reserved", 3),
    ] {
        write(&sandbox, id, "1.0.0", "One.");
        sandbox.rye(&["sign", "knowledge", id, "-q"]).succeeds();
        refused(&["publish", "knowledge", id, "--yes"], sentence, exit);
    }
    sandbox.edit(".ai/knowledge/team/runbook.md", "One.", "Two.");
    refused(&["publish", "knowledge", "team/runbook", "--yes"], "it was changed after it was signed", 3);
}

#[test]
fn what_is_wrong_with_a_command_is_told_with_the_one_that_helps() {
    let sandbox = project();
    publish(&sandbox, "ops/z", "1.0.0", "One.");
    let other = another(&sandbox, "other");
    let said = |args: &[&str], sentences: &[&str], exit: u8| {
        let seen = sandbox.rye(&[&["-C", &other], args].concat()).transcript();
        assert!(sentences.iter().all(|it| seen.contains(it)) && seen.ends_with(&format!("[exit {exit}]\n")), "{seen}");
    };
    said(&["pull"], &["expected the id of an item, or `--locked`", "run `rye pull --locked` for all that"], 2);
    said(&["pull", "--locked"], &["`rye.lock` does not exist", "hint: pull an item first"], 1);
    fs::write(sandbox.path("other/rye.lock"), "format = 2\n").unwrap();
    said(&["pull", "--locked"], &["note: `rye.lock` lists no items"], 0);
    let other_type = "`ops/z` in `local` has the type knowledge, not tool";
    said(&["pull", "ops/z", "--type", "tool"], &[other_type, "name the type: `rye pull ops/z --type knowledge`"], 2);
    write(&sandbox, "Ops/x", "1.0.0", "Two.");
    sandbox.rye(&["sign", "knowledge", "Ops/x", "-q"]).succeeds();
    let seen = sandbox.rye(&["publish", "knowledge", "Ops/x", "--yes"]).transcript();
    let sentence = "error: cannot add to the registry `local`: `Ops` and `ops` differ only in upper and lower case";
    assert!(seen.contains(sentence) && seen.contains("hint: choose an id") && seen.ends_with("[exit 1]\n"), "{seen}");
    // A registry of a later version of the program is not an attack.
    let registry = sandbox.path("home/.local/share/rye/registries/local").display().to_string();
    sandbox.git(&["clone", "-q", &registry, "../later"]);
    let config = sandbox.path("later/config.toml");
    let text = fs::read_to_string(&config).unwrap().replace("format = 1", "format = 2\nmore = true");
    fs::write(&config, text).unwrap();
    sandbox.git(&["-C", "../later", "commit", "-qam", "later"]);
    sandbox.git(&["-C", "../later", "push", "-q", "origin", "HEAD:main"]);
    let newer = "it has the newer format 2 (this version of rye reads format 1)";
    said(&["pull", "ops/z"], &[newer, "hint: install a newer version of Rye"], 3);
}

#[test]
fn requirements_choose_among_the_versions_and_local_changes_stay() {
    let sandbox = project();
    for version in ["1.0.0", "1.2.0", "1.2.3", "2.0.0"] {
        publish(&sandbox, "team/runbook", version, &format!("Text of {version}."));
    }
    sandbox.rye(&["registry", "yank", "team/runbook", "2.0.0"]).succeeds();
    let other = another(&sandbox, "other");
    let pull = |wanted: &str| sandbox.rye(&["-C", &other, "pull", wanted]).transcript();
    for (wanted, version) in [
        ("team/runbook", "1.2.3"),
        ("team/runbook@=1.0.0", "1.0.0"),
        ("team/runbook@~1.2.0", "1.2.3"),
        ("team/runbook@^1.0", "1.2.3"),
        ("team/runbook@*", "1.2.3"),
    ] {
        let seen = pull(wanted);
        assert!(seen.contains(&format!("team/runbook {version} from local\n")), "{wanted}: {seen}");
    }
    let seen = pull("team/runbook@2");
    assert!(
        seen.contains("every version of knowledge `team/runbook` in `local` that matches `^2` is yanked"),
        "{seen}"
    );
    sandbox.rye(&["registry", "unyank", "team/runbook", "2.0.0"]).succeeds();
    let file = sandbox.path("other/.ai/knowledge/team/runbook.md");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "Mine.\n").unwrap();
    let seen = pull("team/runbook");
    assert!(
        seen.contains("error: knowledge `team/runbook` in the project space was changed here")
            && seen.ends_with("[exit 1]\n"),
        "{seen}"
    );
    assert!(fs::read_to_string(&file).unwrap().ends_with("Mine.\n"));
    let seen = sandbox.rye(&["-C", &other, "pull", "team/runbook", "--force"]).transcript();
    assert!(seen.contains("Updated team/runbook 2.0.0 from local\n"), "{seen}");
    let seen = sandbox.rye(&["pull", "team/runbook", "--space", "user"]).transcript();
    assert!(seen.contains("Pulled team/runbook 2.0.0"), "{seen}");
    assert!(sandbox.path("home/.ai/knowledge/team/runbook.md").exists() && sandbox.path("home/.ai/rye.lock").exists());
    for (wanted, sentence, exit) in [
        ("team/runbok", "hint: did you mean `team/runbook`?", 1),
        ("runbook", "`runbook` has no namespace", 2),
        ("team/runbook@9.x", "`9.x` is not a version requirement", 2),
        ("team/runbook@=9.9.9", "hint: run `rye registry info local` to see its items", 1),
        ("other/thing", "unknown item `other/thing` in `local`", 1),
    ] {
        let seen = pull(wanted);
        assert!(seen.contains(sentence) && seen.ends_with(&format!("[exit {exit}]\n")), "{seen}");
    }
}

/// A project can carry its registry along: `registry-index/` of the repository, which holds other things too.
#[test]
fn a_registry_may_be_a_folder_of_a_repository_that_holds_more() {
    let sandbox = project();
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    let local = sandbox.path("home/.local/share/rye/registries/local").display().to_string();
    let host = another(&sandbox, "host");
    fs::create_dir(sandbox.path("host/registry-index")).unwrap();
    let index = sandbox.path("host/registry-index").display().to_string();
    sandbox.git(&["--git-dir", &local, "--work-tree", &index, "checkout", "-q", "main", "--", "."]);
    // A file that only has the name of a registry's part belongs to the host.
    fs::write(sandbox.path("host/config.toml"), "[site]\n").unwrap();
    fs::write(sandbox.path("host/registry-index/README.md"), "# The registry\n").unwrap();
    sandbox.git(&["-C", &host, "add", "--all"]);
    sandbox.git(&["-C", &host, "commit", "-q", "-m", "carry a registry"]);
    let bare = sandbox.path("host.git").display().to_string();
    sandbox.git(&["clone", "-q", "--bare", &host, &bare]);

    sandbox.key_id(&BOB);
    let home = sandbox.path("home-other").display().to_string();
    fs::create_dir(&home).unwrap();
    let other = another(&sandbox, "other");
    let elsewhere = |args: &[&str]| {
        let args: Vec<&str> = ["-C", &other].into_iter().chain(args.iter().copied()).collect();
        sandbox.rye(&args).by(&BOB).env("HOME", &home).transcript()
    };
    assert!(elsewhere(&["registry", "add", "host", &bare]).ends_with("[exit 0]\n"));
    let seen = elsewhere(&["pull", "team/runbook", "--yes"]);
    assert!(seen.contains("Pulled team/runbook 1.0.0 from host"), "{seen}");
    let seen = elsewhere(&["registry", "verify", "host"]);
    assert!(seen.contains("ok\thost\t3 lines\t1 version"), "{seen}");

    // Publishing adds a commit that changes nothing but the folder.
    sandbox.rye(&["registry", "add", "host", &bare, "-q"]).succeeds();
    write(&sandbox, "team/runbook", "1.1.0", "Two.");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", "team/runbook", "--registry", "host", "--yes", "-q"]).succeeds();
    let changed = sandbox.git(&["--git-dir", &bare, "diff", "--name-only", "main~1", "main"]);
    assert!(!changed.is_empty() && changed.lines().all(|path| path.starts_with("registry-index/")), "{changed}");
    assert!(elsewhere(&["update"]).contains("1.1.0"));
}
