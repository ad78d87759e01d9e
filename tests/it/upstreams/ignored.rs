//! What git ignores in the folder of a pulled skill: no change of it, and never lost.

use std::fs;

use super::{commit, here, lock, pull, says, skill, world, write};
use crate::support::Sandbox;

/// What a person and programs leave in the folder of a skill, and whether it stays.
const LEFT: [(&str, bool); 6] = [
    (".env", true),
    (".DS_Store", true),
    ("scripts/.env", true),
    ("data/cache/deep/one.bin", true),
    ("scripts/__pycache__/run.cpython-311.pyc", false),
    ("notes.local.md", true),
];

/// Makes a project whose pulled skill is committed, and leaves ignored files in its folder.
fn with_ignored() -> Sandbox {
    let sandbox = world();
    write(&sandbox, "skills/pdf/scripts/run.py", "print(1)\n");
    commit(&sandbox, "python");
    sandbox.put(".gitignore", ".env\n.DS_Store\n__pycache__/\ndata/\n*.local.md\n");
    pull(&sandbox, "@main");
    sandbox.commit("pulled");
    for (path, _) in LEFT {
        let place = here(&sandbox, path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, path).unwrap();
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    sandbox
}

/// Demands that the person's files are here as they were.
fn are_kept(sandbox: &Sandbox) {
    for (path, stays) in LEFT {
        let found = fs::read_to_string(here(sandbox, path)).ok();
        assert_eq!(found.as_deref(), stays.then_some(path), "{path}");
    }
    assert!(!here(sandbox, "scripts/__pycache__").exists());
}

fn newer(sandbox: &Sandbox) {
    write(sandbox, "skills/pdf/SKILL.md", &skill("Read with the fix."));
    write(sandbox, "skills/pdf/scripts/run.py", "print(2)\n");
    commit(sandbox, "newer");
}

#[test]
fn ignored_files_are_no_change_and_come_along() {
    let sandbox = with_ignored();
    says(&sandbox, &["sync", "--check"], &[], 0);
    says(&sandbox, &["update", "--yes"], &["Unchanged skill pdf"], 0);
    newer(&sandbox);
    let seen = says(&sandbox, &["outdated"], &[], 0);
    assert!(!seen.contains("changed here"), "{seen}");
    says(&sandbox, &["update", "--yes"], &["Updated skill pdf"], 0);
    are_kept(&sandbox);
    assert_eq!(fs::read_to_string(here(&sandbox, "scripts/run.py")).unwrap(), "print(2)\n");
    says(&sandbox, &["sync", "--check"], &[], 0);
    says(&sandbox, &["verify"], &[], 0);
    let left = fs::read_dir(sandbox.project().join(".claude")).unwrap();
    assert_eq!(left.count(), 1, "a staging folder is left");
}

/// A restored folder, and one that takes the place of what was changed here, have them, too.
#[test]
fn sync_keeps_ignored_files() {
    for changes in [&["SKILL.md"][..], &["SKILL.md", "scripts/run.py", "scripts/run.sh"]] {
        let sandbox = with_ignored();
        fs::remove_dir_all(here(&sandbox, "scripts/__pycache__")).unwrap();
        sandbox.git(&["rm", "-rq", "--cached", ".claude"]);
        if let [only] = changes {
            fs::write(here(&sandbox, only), skill("Mine.")).unwrap();
            says(&sandbox, &["sync", "--yes"], &["changed here"], 3);
            says(&sandbox, &["sync", "--yes", "--force"], &[], 0);
        } else {
            changes.iter().for_each(|path| fs::remove_file(here(&sandbox, path)).unwrap());
            says(&sandbox, &["sync", "--yes"], &[], 0);
        }
        are_kept(&sandbox);
        says(&sandbox, &["sync", "--check"], &[], 0);
    }
}

#[test]
fn remove_leaves_ignored_files_and_pull_takes_the_folder_again() {
    let sandbox = with_ignored();
    says(&sandbox, &["remove", "pdf"], &[], 0);
    are_kept(&sandbox);
    assert!(!here(&sandbox, "SKILL.md").exists() && !lock(&sandbox).contains("pdf"));
    says(&sandbox, &["verify"], &[], 7);
    pull(&sandbox, "@main");
    are_kept(&sandbox);
    says(&sandbox, &["verify"], &[], 0);
}

/// A new version does not take the place of the person's file.
#[test]
fn a_new_file_with_the_name_of_an_ignored_one_is_refused() {
    let sandbox = with_ignored();
    newer(&sandbox);
    write(&sandbox, "skills/pdf/.env", "theirs");
    super::at_up(&sandbox, &["add", "-f", "skills/pdf/.env"]);
    commit(&sandbox, "with settings");
    let before = lock(&sandbox);
    for force in [&[][..], &["--force"]] {
        let args = [&["update", "--yes"], force].concat();
        says(&sandbox, &args, &["git ignores", ".env`", "move `"], 3);
        assert_eq!(lock(&sandbox), before);
        assert_eq!(fs::read_to_string(here(&sandbox, ".env")).unwrap(), ".env");
        assert_eq!(fs::read_to_string(here(&sandbox, "scripts/run.py")).unwrap(), "print(1)\n");
        says(&sandbox, &["sync", "--check"], &[], 0);
    }
    fs::rename(here(&sandbox, ".env"), sandbox.path("mine")).unwrap();
    says(&sandbox, &["update", "--yes"], &["Updated skill pdf"], 0);
    assert_eq!(fs::read_to_string(here(&sandbox, ".env")).unwrap(), "theirs");
}
