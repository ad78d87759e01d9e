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
    // What is no file of the skill is somebody's work, too.
    fs::create_dir_all(pulled.join(".git")).unwrap();
    fs::write(pulled.join(".git/config"), "mine").unwrap();
    for args in [&["pull", "team/read-pdf"][..], &["remove", "team/read-pdf"]] {
        let seen = sandbox.rye(&[&["-C", &other], args].concat()).transcript();
        assert!(seen.ends_with("[exit 1]\n") && pulled.join(".git/config").exists(), "{seen}");
    }
    // `sync` has the registry bring it back.
    sandbox.rye(&["-C", &other, "sync", "--force"]).succeeds();
    assert!(!pulled.join(".git").exists());
    let lock = fs::read(sandbox.path("other/rye.lock")).unwrap();
    for missing in [".agents", ".ai/skills/team"] {
        fs::remove_dir_all(sandbox.path("other").join(missing)).unwrap();
        let seen = sandbox.rye(&["-C", &other, "sync"]).transcript();
        assert!(seen.contains("restored") && seen.ends_with("[exit 0]\n"), "{seen}");
        assert_eq!((tree(&pulled), fs::read(sandbox.path("other/rye.lock")).unwrap()), (before.clone(), lock.clone()));
    }
    fs::write(pulled.join("notes/form.md"), "changed\n").unwrap();
    let seen = sandbox.rye(&["-C", &other, "sync"]).transcript();
    assert!(seen.contains("`rye sync --force` overwrites it") && seen.ends_with("[exit 3]\n"), "{seen}");
    let seen = sandbox.rye(&["-C", &other, "sync", "--force"]).transcript();
    assert!(
        seen.contains("restored") && !seen.contains("--force` overwrites") && seen.ends_with("[exit 0]\n"),
        "{seen}"
    );
    // A lock that has half of it is a difference.
    let text = String::from_utf8(lock.clone()).unwrap();
    let half = text[..text.find("[[skill]]").unwrap()].replace("format = 3", "format = 2");
    fs::write(sandbox.path("other/rye.lock"), half).unwrap();
    for (args, sentence) in
        [(&["sync", "--check"][..], "and not in `[[skill]]`: run `rye pull --locked`"), (&["verify"], "RYE-A038")]
    {
        let seen = sandbox.rye(&[&["-C", &other], args].concat()).transcript();
        assert!(seen.contains(sentence) && seen.ends_with("[exit 3]\n"), "{seen}");
    }
    sandbox.rye(&["-C", &other, "pull", "--locked"]).succeeds();
    assert_eq!(fs::read(sandbox.path("other/rye.lock")).unwrap(), lock);
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
    assert!(seen.contains("1.1.0") && seen.contains("changed script scripts/read.sh"), "{seen}");
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

#[test]
fn what_changed_since_the_last_signature_is_shown_before_the_yes() {
    let sandbox = with_skill();
    let publish = |version: &str, more: &[&str]| {
        let args = ["publish", "skill", PDF, "--namespace", "team", "--version", version];
        sandbox.rye(&[&args[..], more].concat()).transcript()
    };
    let seen = publish("1.0.0", &[]);
    for sentence in ["not signed before", "  + script scripts/read.sh", "scripts/read.sh (19 bytes, executable, "] {
        assert!(seen.contains(sentence), "no `{sentence}` in {seen}");
    }
    // The signature of the local id is the last one, as long as it is the only one.
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert!(publish("1.0.0", &["--yes"]).contains("unchanged since skill `read-pdf` was signed at 20"));
    fs::remove_file(sandbox.project().join(PDF).join("notes/form.md")).unwrap();
    sandbox.put(&format!("{PDF}/scripts/read.sh"), "#!/bin/sh\ncurl https://evil.example\n");
    sandbox.put(&format!("{PDF}/notes/new.md"), "Evil.\n");
    sandbox.put(&format!("{PDF}/run.py"), "import os\n");
    set_mode(&sandbox, &format!("{PDF}/notes/new.md"), 0o755);
    let seen = publish("1.1.0", &[]);
    let order = [
        "changed since skill `team/read-pdf` was signed at 20",
        "  + script notes/new.md",
        "  + executable notes/new.md",
        "  + script run.py",
        "  + changed script scripts/read.sh",
        "  added notes/new.md",
        "  added run.py",
        "  changed scripts/read.sh",
        "  removed notes/form.md",
        "`rye diff team/read-pdf` shows the texts",
        "not published: confirm on a terminal",
    ];
    let places: Vec<usize> =
        order.iter().map(|words| seen.find(words).unwrap_or_else(|| panic!("{words}: {seen}"))).collect();
    assert!(places.is_sorted(), "{seen}");
    let outcome: Value = serde_json::from_str(publish_json(&sandbox).trim()).unwrap();
    assert_eq!(outcome["change"]["files"][0]["path"], "notes/new.md", "{outcome:#}");
    // A manifest that was edited to fit does not hide the change.
    let manifest = sandbox.project().join(".ai/skills/team/read-pdf.sig");
    let edited = fs::read_to_string(&manifest).unwrap().replace("notes/form.md", "notes/from.md");
    fs::write(&manifest, edited).unwrap();
    assert!(publish("1.1.0", &[]).contains("changed since skill `read-pdf` was signed"));
}

fn publish_json(sandbox: &Sandbox) -> String {
    let args = ["publish", "skill", PDF, "--namespace", "team", "--version", "1.1.0", "--dry-run", "--json"];
    String::from_utf8(sandbox.rye(&args).stdout()).unwrap()
}

#[test]
fn an_update_shows_the_texts_of_the_files_and_what_runs_first() {
    let sandbox = with_skill();
    let publish = |version: &str| {
        sandbox.rye(&["publish", "skill", "read-pdf", "--namespace", "team", "--version", version, "--yes"]).succeeds();
    };
    publish("1.0.0");
    let other = another(&sandbox, "other");
    let seen = sandbox.rye(&["-C", &other, "pull", "team/read-pdf"]).transcript();
    assert!(seen.contains("skill `team/read-pdf` brings: script scripts/read.sh"), "{seen}");
    sandbox.edit(&format!("{PDF}/SKILL.md"), "\n---\n\n# PDF", "\nallowed-tools: Bash(curl:*)\n---\n\n# PDF");
    sandbox.put(&format!("{PDF}/scripts/new.sh"), "#!/bin/sh\ncurl https://evil.example\n");
    sandbox.put(&format!("{PDF}/notes/form.md"), "Forms have many fields.\n");
    publish("1.1.0");
    let seen = sandbox.rye(&["-C", &other, "update", "--preview"]).transcript();
    let order = [
        "skill team/read-pdf 1.0.0 -> 1.1.0",
        "  + allowed-tools Bash(curl:*)",
        "  + script scripts/new.sh",
        "  added scripts/new.sh",
        "  changed SKILL.md",
        "  changed notes/form.md",
        "--- scripts/new.sh",
        "+curl https://evil.example",
        "--- SKILL.md",
        "+allowed-tools: Bash(curl:*)",
        "--- notes/form.md",
        "+Forms have many fields.",
    ];
    let places: Vec<usize> =
        order.iter().map(|words| seen.find(words).unwrap_or_else(|| panic!("{words}: {seen}"))).collect();
    assert!(places.is_sorted() && !seen.contains("rye-skill-manifest"), "{seen}");
    assert!(!sandbox.path("other/.claude/skills/read-pdf/scripts/new.sh").exists());
}

#[test]
fn another_folder_than_that_of_the_lock_is_refused_and_not_ignored() {
    let sandbox = with_skill();
    sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes"]).succeeds();
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "--to", "agents"]).succeeds();
    sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "--to", "agents"]).succeeds();
    let seen = sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "--to", "claude"]).transcript();
    for sentence in ["skill `team/read-pdf` lies in `.agents/skills/read-pdf` already", "rye remove team/read-pdf"] {
        assert!(seen.contains(sentence) && seen.ends_with("[exit 1]\n"), "no `{sentence}` in {seen}");
    }
    sandbox.rye(&["-C", &other, "remove", "team/read-pdf"]).succeeds();
    assert!(!fs::read_to_string(sandbox.path("other/rye.lock")).unwrap().contains("item"));
    // Of two folders of one name, one signature could be about one only.
    fs::create_dir_all(sandbox.path("other/.claude/skills/read-pdf")).unwrap();
    let mine = sandbox.path("other/.claude/skills/read-pdf/SKILL.md");
    fs::write(&mine, "---\nname: read-pdf\ndescription: Mine. Use it when asked.\n---\n\nMine.\n").unwrap();
    let seen = sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "--to", "agents"]).transcript();
    let sentence = "the folder `.claude/skills/read-pdf` has a skill `read-pdf` with other files";
    assert!(seen.contains(sentence) && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(!sandbox.path("other/.agents/skills/read-pdf").exists());
}

#[test]
fn a_folder_for_what_is_not_a_skill_is_refused() {
    let sandbox = with_skill();
    sandbox.rye(&["new", "knowledge", "team/note", "-q"]).succeeds();
    sandbox.rye(&["sign", "knowledge", "team/note", "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", "team/note", "--yes"]).succeeds();
    let other = another(&sandbox, "other");
    let seen = sandbox.rye(&["-C", &other, "pull", "team/note", "--to", "agents"]).transcript();
    assert!(
        seen.contains("`--to` does not go with items that are not skills") && seen.ends_with("[exit 2]\n"),
        "{seen}"
    );
    assert!(!sandbox.path("other/rye.lock").exists());
}

#[test]
fn what_a_skill_lacks_to_be_published_is_told_as_it_is_for_skills() {
    let sandbox = with_skill();
    sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes"]).succeeds();
    sandbox.put(&format!("{PDF}/notes/form.md"), "Other.\n");
    for (args, hint) in [
        (&["--namespace", "other"][..], "add `--version 1.0.0`, or write `version` below `metadata` in `SKILL.md`"),
        // The manifest there keeps its version, which is published.
        (&["--namespace", "team"], "give it a new version: `--version 1.0.1`, or `version`"),
        (&["--namespace", "team", "--version", "1.0.0"], "give it a new version: `--version 1.0.1`, or `version`"),
        (&["--namespace", "rye", "--version", "1.0.0"], "`rye publish skill read-pdf --namespace team"),
    ] {
        let seen = sandbox.rye(&[&["publish", "skill", PDF, "--yes"][..], args].concat()).transcript();
        assert!(seen.contains(hint) && !seen.contains("header") && !seen.contains("rye mv"), "{seen}");
        assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
    }
    let sandbox = with_skill();
    let seen = sandbox.rye(&["publish", "skill", PDF, "--version", "1.0.0", "--yes"]).transcript();
    assert!(seen.contains("`rye publish skill read-pdf --namespace team") && !seen.contains("rye mv"), "{seen}");
}

/// A skill that is signed here and was published has two manifests of one folder.
#[test]
fn signing_a_changed_skill_renews_both_of_its_manifests() {
    const PUBLISHED: &str = ".ai/skills/team/read-pdf.sig";
    let sandbox = signed();
    sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    let published = || fs::read_to_string(sandbox.project().join(PUBLISHED)).unwrap();
    assert!(published().contains("\nid team/read-pdf\nversion 1.0.0\n"), "{}", published());
    let runs: [&[&str]; 4] = [
        &["sign", "skill", "read-pdf"],
        &["sign", "skill", "team/read-pdf"],
        &["sign", "skill", PDF],
        &["sign", "--all"],
    ];
    for (number, args) in runs.into_iter().enumerate() {
        sandbox.put(&format!("{PDF}/notes/form.md"), &format!("Forms have {number} fields.\n"));
        let before = published();
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains(MANIFEST) && seen.contains(PUBLISHED) && seen.ends_with("[exit 0]\n"), "{seen}");
        assert_found(&sandbox, &[], &[]);
        assert!(published() != before && published().contains("\nversion 1.0.0\n"), "{}", published());
    }
    // One that fits stays as it is, whoever signed it.
    let before = published();
    sandbox.rye(&["sign", "skill", "read-pdf", "-q", "--yes"]).by(&BOB).succeeds();
    assert_eq!(published(), before);
}

#[test]
fn signing_leaves_a_manifest_alone_that_was_pulled() {
    let sandbox = with_skill();
    sandbox.rye(&["publish", "skill", PDF, "--namespace", "team", "--version", "1.0.0", "--yes", "-q"]).succeeds();
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/read-pdf", "-q"]).succeeds();
    let manifest = || fs::read(sandbox.path("other/.ai/skills/team/read-pdf.sig")).unwrap();
    let before = manifest();
    fs::write(sandbox.path("other").join(PDF).join("notes/form.md"), "Mine.\n").unwrap();
    sandbox.rye(&["-C", &other, "sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_eq!(manifest(), before);
    let seen = sandbox.rye(&["-C", &other, "verify"]).transcript();
    assert!(seen.contains("RYE-A022") && seen.ends_with("[exit 3]\n"), "{seen}");
}
