//! What lies in a skill's folder and is not one of its files: told by `sync` as by `verify`, and never removed unasked.

use std::fs;
use std::os::unix::fs::symlink;

use super::{BOB, commit, here, pull, pull_from, says, sign_as, signed_world, skill, source, world, write};
use crate::support::Sandbox;

type Put = fn(&Sandbox);

/// What no skill may have, each with its rule and the path that is left.
const ODD: [(&str, &str, Put); 3] = [
    ("RYE-A030", "out", |sandbox| symlink("/etc", here(sandbox, "out")).unwrap()),
    ("RYE-A036", "big", |sandbox| fs::write(here(sandbox, "big"), vec![b'x'; 17 * 1024 * 1024]).unwrap()),
    ("RYE-A034", ".git/hooks/x", |sandbox| {
        fs::create_dir_all(here(sandbox, ".git/hooks")).unwrap();
        fs::write(here(sandbox, ".git/hooks/x"), "mine").unwrap();
    }),
];

#[test]
fn a_folder_that_verify_refuses_is_refused_by_sync_and_made_again_with_force() {
    for (rule, path, put) in ODD {
        let sandbox = signed_world();
        pull_from(&sandbox, &BOB, "@main");
        put(&sandbox);
        says(&sandbox, &["verify"], &[rule], 3);
        says(&sandbox, &["sync", "--check"], &["refused\tpdf", rule], 3);
        says(&sandbox, &["pull", &source(&sandbox, "@main")], &["was changed here"], 1);
        says(&sandbox, &["sync"], &["refused\tpdf", rule], 3);
        assert!(here(&sandbox, path).symlink_metadata().is_ok());
        says(&sandbox, &["sync", "--force"], &["restored\tpdf"], 0);
        assert!(here(&sandbox, path).symlink_metadata().is_err());
        says(&sandbox, &["verify"], &[], 0);
    }
}

#[test]
fn what_is_no_file_of_a_skill_is_somebodys_work() {
    for (_, path, put) in ODD {
        let sandbox = signed_world();
        pull_from(&sandbox, &BOB, "@main");
        put(&sandbox);
        write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
        sign_as(&sandbox, &BOB, "pdf");
        commit(&sandbox, "newer");
        for args in [&["update", "--yes"][..], &["remove", "pdf"]] {
            says(&sandbox, args, &["was changed here", "--force"], 1);
            assert!(here(&sandbox, path).symlink_metadata().is_ok());
            assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
        }
        says(&sandbox, &["remove", "pdf", "--force"], &["Removed skill pdf"], 0);
    }
}

#[test]
fn what_clients_may_take_for_a_skill_is_a_row() {
    let sandbox = world();
    pull(&sandbox, "@main");
    let at = |path: &str| sandbox.project().join(".claude/skills").join(path);
    let copy = sandbox.project().join(".agents/skills/pdf");
    let puts: [(&str, &dyn Fn()); 5] = [
        ("refused\tevil\t.claude/skills/evil", &|| symlink("/etc", at("evil")).unwrap()),
        ("refused\tBad_Name\t.claude/skills/Bad_Name", &|| sandbox.put(".claude/skills/Bad_Name/SKILL.md", "x")),
        ("refused\tno id\t.claude/skills/no id", &|| sandbox.put(".claude/skills/no id/SKILL.md", "x")),
        ("refused\tx\t.claude/skills/x", &|| sandbox.put(".claude/skills/x/y/SKILL.md", "x")),
        ("refused\tpdf\t.agents/skills/pdf", &|| {
            fs::create_dir_all(copy.join("scripts")).unwrap();
            for file in ["SKILL.md", "scripts/run.sh"] {
                fs::copy(here(&sandbox, file), copy.join(file)).unwrap();
            }
            says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
            symlink("/etc", copy.join("out")).unwrap();
        }),
    ];
    for (row, put) in puts {
        put();
        says(&sandbox, &["sync", "--check"], &[row, "unchanged\tpdf"], 3);
        drop(fs::remove_file(at("evil")));
        for folder in [at("Bad_Name"), at("no id"), at("x"), copy.clone()] {
            drop(fs::remove_dir_all(folder));
        }
    }
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
    // The folder itself is a link out.
    fs::rename(here(&sandbox, ""), sandbox.path("away")).unwrap();
    symlink(sandbox.path("away"), at("pdf")).unwrap();
    for args in [&["sync", "--check"][..], &["sync", "--force"]] {
        says(&sandbox, args, &["refused\tpdf", "RYE-A030"], 3);
    }
}

#[test]
fn equal_copies_are_adopted_once() {
    let sandbox = world();
    let text = "---\nname: doc\ndescription: Documents. Use when asked.\n---\n\nDo.\n";
    sandbox.put(".claude/skills/doc/SKILL.md", text);
    sandbox.put(".agents/skills/doc/SKILL.md", text);
    sandbox.rye(&["sign", "skill", "doc", "-q"]).succeeds();
    let seen = sandbox.rye(&["sync", "--adopt"]).env("CLAUDECODE", "1").transcript();
    assert!(seen.contains("add 1 skill to `rye.lock`") && seen.ends_with("[exit 3]\n"), "{seen}");
    let seen = says(&sandbox, &["sync", "--adopt"], &["adopted\tdoc\t.agents/skills/doc"], 0);
    assert_eq!(seen.matches("adopted").count(), 1, "{seen}");
    says(&sandbox, &["sync", "--check"], &["unchanged\tdoc"], 0);
}
