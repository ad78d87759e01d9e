//! How much of a repository is fetched for a skill, and the addresses that people have.

use std::fs;
use std::path::Path;

use super::{at_up, commit, here, json, lock, pull, says, skill, source, world, write};
use crate::support::Sandbox;

/// A repository whose other files and history are large.
fn large_world(offers: bool) -> Sandbox {
    let sandbox = world();
    for name in ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"] {
        at_up(&sandbox, &["config", name, if offers { "true" } else { "false" }]);
    }
    for number in 0..4_u32 {
        let mut seed = number + 1;
        let mut noise = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'!' + u8::try_from(seed >> 24).unwrap() % 90)
        };
        write(&sandbox, "other/big.txt", &(0..2_000_000).map(|_| noise()).collect::<String>());
        commit(&sandbox, "more");
    }
    sandbox
}

/// The address by which git asks a server, and does not look into the folder.
fn served(sandbox: &Sandbox, rest: &str) -> String {
    format!("git+file://{}//{rest}", sandbox.path("up").display())
}

/// The bytes in the cache of the person.
fn cached(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => cached(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

fn all_cached(sandbox: &Sandbox) -> u64 {
    ["cache", "home/.cache"].iter().map(|name| cached(&sandbox.path(name))).sum()
}

/// All history was fetched: 58 MB for a skill of 1 KB.
#[test]
fn a_small_skill_of_a_large_repository_is_a_small_download() {
    let sandbox = large_world(true);
    sandbox.rye(&["pull", &served(&sandbox, "skills/pdf"), "--yes", "-q"]).succeeds();
    assert!(here(&sandbox, "scripts/run.sh").exists());
    assert!(all_cached(&sandbox) < 1_000_000, "{} bytes", all_cached(&sandbox));
    // History is fetched for a comparison, and still no other file.
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
    commit(&sandbox, "newer");
    says(&sandbox, &["update", "--yes"], &["Updated skill pdf"], 0);
    assert!(all_cached(&sandbox) < 1_000_000, "{} bytes", all_cached(&sandbox));
    at_up(&sandbox, &["reset", "-q", "--hard", "HEAD~1"]);
    let said = says(&sandbox, &["update", "--yes"], &["which is older"], 3);
    assert!(all_cached(&sandbox) < 1_000_000, "{said}");
}

/// A server without filters sends the files of one commit.
#[test]
fn a_repository_that_offers_no_filter_is_pulled_from_all_the_same() {
    let sandbox = large_world(false);
    sandbox.rye(&["pull", &served(&sandbox, "skills/pdf"), "--yes", "-q"]).succeeds();
    assert!(here(&sandbox, "SKILL.md").exists());
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
    commit(&sandbox, "newer");
    says(&sandbox, &["update", "--yes"], &["Updated skill pdf"], 0);
}

/// The beginning of a commit's id is enough, of a tip and of its history; the lock has the whole.
#[test]
fn a_short_commit_is_found_and_locked_in_full() {
    for address in [served as fn(&Sandbox, &str) -> String, |sandbox, rest| {
        format!("git+{}//{rest}", sandbox.path("up").display())
    }] {
        let sandbox = world();
        let old = at_up(&sandbox, &["rev-parse", "HEAD"]).trim().to_owned();
        write(&sandbox, "skills/pdf/SKILL.md", &skill("Newer."));
        let new = commit(&sandbox, "newer");
        for id in [new, old] {
            let short = &id[..9];
            says(&sandbox, &["pull", &address(&sandbox, &format!("skills/pdf@{short}")), "--yes"], &[&id], 0);
            assert!(lock(&sandbox).contains(&id), "{}", lock(&sandbox));
        }
        says(
            &sandbox,
            &["pull", &address(&sandbox, "skills/pdf@0000000"), "--yes"],
            &["unknown revision `0000000`"],
            1,
        );
    }
}

/// A wrong folder said only that it is missing.
#[test]
fn an_address_that_misses_names_the_skills() {
    let sandbox = world();
    write(&sandbox, "skills/docx/SKILL.md", &skill("Read.").replace("pdf", "docx"));
    commit(&sandbox, "another");
    let up = sandbox.path("up").display().to_string();
    for address in [format!("git+{up}//skills/pfd"), format!("git+{up}//"), format!(" git+{up} ")] {
        let seen = says(&sandbox, &["pull", &address, "--yes"], &["`skills/docx`, `skills/pdf`"], 1);
        assert!(seen.contains("note: from git+[SANDBOX]/up//"), "{seen}");
    }
    let list = sandbox.rye(&["pull", "--list", &format!("git+{up}"), "--json"]).stdout();
    let addresses: Vec<String> = json(&list)["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["address"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(addresses, [format!("git+{up}//skills/docx"), format!("git+{up}//skills/pdf")]);
    assert!(lock(&sandbox).is_empty());
    // What is listed can be pulled.
    sandbox.rye(&["pull", &addresses[1], "--yes", "-q"]).succeeds();
    pull(&sandbox, "");
    assert!(lock(&sandbox).contains(&source(&sandbox, "")), "{}", lock(&sandbox));
}

/// What a browser shows, and `owner/repo`, are told in full before anything is fetched.
#[test]
fn what_people_have_is_told_in_full_first() {
    let sandbox = world();
    for (text, full) in [
        (
            "https://github.com/acme/skills/tree/main/skills/pdf",
            "note: from git+https://github.com/acme/skills//skills/pdf@main\n",
        ),
        (" acme/skills ", "note: from git+https://github.com/acme/skills//\n"),
        ("acme/skills/skills/pdf", "note: from git+https://github.com/acme/skills//skills/pdf\n"),
    ] {
        // Nothing was fetched, so nothing is there offline.
        let seen = sandbox.rye(&["pull", text, "--offline"]).transcript();
        assert!(seen.contains(full) && seen.contains("was not fetched yet"), "{seen}");
    }
    // With a requirement, a type or a registry an item is meant.
    for args in [&["pull", "acme/skills@^1.2"][..], &["pull", "acme/skills", "--type", "tool"]] {
        let seen = sandbox.rye(args).transcript();
        assert!(!seen.contains("github.com"), "{seen}");
    }
}

/// Collections name their skills with a prefix that the folders do not have.
#[test]
fn a_skill_is_pulled_by_the_name_that_it_gives_itself() {
    let sandbox = world();
    write(&sandbox, "skills/react/SKILL.md", &skill("Read.").replace("name: pdf", "name: acme-react"));
    write(&sandbox, "skills/Odd_Folder/SKILL.md", &skill("Read.").replace("name: pdf", "name: even"));
    write(&sandbox, "skills/nameless/SKILL.md", &skill("Read.").replace("name: pdf", "name: No Name"));
    commit(&sandbox, "others");
    let up = sandbox.path("up").display().to_string();
    for (folder, name) in [("react", "acme-react"), ("Odd_Folder", "even"), ("nameless", "nameless")] {
        says(&sandbox, &["pull", &format!("git+{up}//skills/{folder}"), "--yes"], &[&format!("skill {name}")], 0);
        assert!(sandbox.project().join(format!(".claude/skills/{name}/SKILL.md")).exists(), "{name}");
        assert!(lock(&sandbox).contains(&format!("git+{up}//skills/{folder}")), "{}", lock(&sandbox));
    }
    sandbox.rye(&["verify"]).succeeds();
    // The name stays through updates and restores.
    write(&sandbox, "skills/react/SKILL.md", &skill("Newer.").replace("name: pdf", "name: acme-react"));
    commit(&sandbox, "newer");
    says(&sandbox, &["update", "--yes"], &["Updated skill acme-react"], 0);
    fs::remove_dir_all(sandbox.project().join(".claude/skills/acme-react")).unwrap();
    says(&sandbox, &["sync", "--yes"], &["acme-react"], 0);
    assert!(!sandbox.project().join(".claude/skills/react").exists());
    // It takes the place of no other skill.
    write(&sandbox, "skills/thief/SKILL.md", &skill("Read.").replace("name: pdf", "name: acme-react"));
    commit(&sandbox, "thief");
    says(&sandbox, &["pull", &format!("git+{up}//skills/thief"), "--yes"], &["acme-react"], 3);
}

/// The signature of a skill that did not change names the commit that it was made at: the lock moved on, and the skill was tampered.
#[test]
fn an_update_that_changes_no_file_leaves_the_skill_good() {
    let sandbox = world();
    pull(&sandbox, "");
    write(&sandbox, "README.md", "More.\n");
    commit(&sandbox, "more");
    says(&sandbox, &["update", "--yes"], &["Unchanged skill pdf"], 0);
    sandbox.rye(&["verify"]).succeeds();
    says(&sandbox, &["sync", "--yes"], &["unchanged"], 0);
}
