//! Publishing a skill in a registry, and pulling it where a client reads it.

use super::*;
use crate::support::Person;

const BOB: Person = Person::new("bob");

/// Makes another project in the same home, so that the same registry is known there.
fn another(sandbox: &Sandbox, name: &str) -> String {
    let folder = sandbox.path(name);
    fs::create_dir(&folder).unwrap();
    let folder = folder.display().to_string();
    sandbox.git(&["-C", &folder, "init", "-q", "-b", "main"]);
    folder
}

/// Returns path, mode and bytes of each file of a folder, in order.
fn tree(folder: &std::path::Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let name = entry.strip_prefix(folder).unwrap().display().to_string();
                let mode = fs::metadata(&entry).unwrap().permissions().mode() & 0o100;
                found.push((name, mode, fs::read(&entry).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_skill_is_published_and_pulled_into_the_folder_of_a_client() {
    let sandbox = with_skill();
    let before = tree(&sandbox.project().join(PDF));
    let args = ["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0"];
    let seen = sandbox.rye(&[&args[..], &["--yes"]].concat()).transcript();
    assert!(seen.contains("Published team/read-pdf 1.0.0 to local") && seen.ends_with("[exit 0]\n"), "{seen}");
    let manifest = fs::read(sandbox.project().join(".ai/skills/team/read-pdf.sig")).unwrap();
    assert_eq!(tree(&sandbox.project().join(PDF)), before);
    let other = another(&sandbox, "other");
    let seen = sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "--to", "agents"]).transcript();
    assert!(seen.contains("Pulled team/read-pdf 1.0.0 from local") && seen.ends_with("[exit 0]\n"), "{seen}");
    let pulled = sandbox.path("other/.agents/skills/read-pdf");
    assert_eq!(tree(&pulled), before, "bytes and executable bits");
    assert_eq!(fs::read(sandbox.path("other/.ai/skills/team/read-pdf.sig")).unwrap(), manifest);
    for args in [&["verify"][..], &["sync", "--check"], &["execute", "skill", "team/read-pdf"]] {
        sandbox.rye(&[&["-C", &other], args].concat()).succeeds();
    }
    let again = sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "--json"]).stdout();
    let again: Value = serde_json::from_slice(&again).unwrap();
    assert_eq!(again["pulled"][0]["status"], "unchanged", "{again:#}");
    // A byte is changed: sync says so, the lock brings it back.
    fs::write(pulled.join("notes/form.md"), "changed\n").unwrap();
    let seen = sandbox.rye(&["-C", &other, "sync", "--check"]).transcript();
    assert!(seen.contains(".agents/skills/read-pdf") && seen.ends_with("[exit 3]\n"), "{seen}");
    let seen = sandbox.rye(&["-C", &other, "pull", "team/read-pdf"]).transcript();
    assert!(seen.ends_with("[exit 1]\n"), "{seen}");
    sandbox.rye(&["-C", &other, "pull", "--locked", "--force"]).succeeds();
    assert_eq!(tree(&pulled), before);
    sandbox.rye(&["-C", &other, "remove", "team/read-pdf"]).succeeds();
    assert!(!pulled.exists() && !sandbox.path("other/.ai/skills/team/read-pdf.sig").exists());
}

#[test]
fn a_newer_version_takes_the_place_of_an_older_one() {
    let sandbox = with_skill();
    let publish = |version: &str| {
        sandbox.rye(&["publish", "skill", "read-pdf", "--namespace", "team", "--version", version, "--yes"]).succeeds();
    };
    publish("1.0.0");
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/read-pdf"]).succeeds();
    fs::remove_file(sandbox.project().join(PDF).join("notes/form.md")).unwrap();
    sandbox.put(&format!("{PDF}/scripts/read.sh"), "#!/bin/sh\nhead \"$1\"\n");
    publish("1.1.0");
    let seen = sandbox.rye(&["-C", &other, "update"]).transcript();
    assert!(seen.contains("1.1.0") && seen.contains("executable scripts/read.sh"), "{seen}");
    sandbox.rye(&["-C", &other, "pull", "team/read-pdf"]).succeeds();
    let pulled = sandbox.path("other/.claude/skills/read-pdf");
    assert_eq!(tree(&pulled), tree(&sandbox.project().join(PDF)));
    sandbox.rye(&["-C", &other, "verify"]).succeeds();
}

#[test]
fn nothing_is_signed_before_the_yes() {
    let sandbox = with_skill();
    let args = ["publish", "skill", "read-pdf", "--namespace", "team", "--version", "1.0.0"];
    for (more, client, exit) in [(&[][..], None, 3), (&["--yes"], Some("CLAUDECODE"), 3), (&["--dry-run"], None, 0)] {
        let run = sandbox.rye(&[&args[..], more].concat());
        let run = match client {
            Some(client) => run.env(client, "1"),
            None => run,
        };
        let seen = run.transcript();
        assert!(seen.ends_with(&format!("[exit {exit}]\n")), "{seen}");
        assert!(!sandbox.project().join(".ai").exists(), "{seen}");
    }
}

#[test]
fn a_version_that_the_metadata_contradicts_is_refused() {
    let sandbox = with_skill();
    sandbox.edit(&format!("{PDF}/SKILL.md"), "\n---\n\n# PDF", "\nmetadata:\n  version: \"2.0.0\"\n---\n\n# PDF");
    let args = ["publish", "skill", "read-pdf", "--namespace", "team", "--version", "1.0.0", "--yes"];
    let seen = sandbox.rye(&args).transcript();
    assert!(seen.contains("names version 2.0.0") && seen.ends_with("[exit 2]\n"), "{seen}");
    let seen = sandbox.rye(&["publish", "skill", "read-pdf", "--yes"]).transcript();
    assert!(seen.contains("has no namespace") && seen.ends_with("[exit 2]\n"), "{seen}");
}

#[test]
fn another_person_decides_about_the_publishers_key() {
    let sandbox = with_skill();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../team.git", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes"]).succeeds();
    let (folder, home) = (another(&sandbox, "bobs"), sandbox.path("home-bob"));
    fs::create_dir(&home).unwrap();
    let home = home.display().to_string();
    sandbox.key_id(&BOB);
    let as_bob =
        |args: &[&str]| sandbox.rye(&[&["-C", &folder], args].concat()).by(&BOB).env("HOME", &home).transcript();
    assert!(as_bob(&["registry", "add", "team", "../team.git", "-q"]).ends_with("[exit 0]\n"));
    let seen = as_bob(&["pull", "team/read-pdf"]);
    assert!(seen.contains("SHA256:") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert!(!sandbox.path("bobs/.claude").exists() && !sandbox.path("bobs/rye.lock").exists(), "{seen}");
    let seen = as_bob(&["pull", "team/read-pdf", "--yes"]);
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    let seen = as_bob(&["verify"]);
    assert!(seen.contains("1 good") && seen.ends_with("[exit 0]\n"), "{seen}");
    // A lock that was edited grants nothing: the manifest decides.
    let lock = fs::read_to_string(sandbox.path("bobs/rye.lock")).unwrap();
    fs::write(sandbox.path("bobs/.claude/skills/read-pdf/notes/form.md"), "evil\n").unwrap();
    fs::write(sandbox.path("bobs/rye.lock"), lock.replace("digest = \"", "digest = \"0")).unwrap();
    assert!(!as_bob(&["verify"]).ends_with("[exit 0]\n"));
}
