//! What no skill may hold and no source may say: each is refused with a sentence, and nothing is written.

use std::fs;
use std::os::unix::fs::symlink;

use super::{at_up, commit, here, lock, says, skill, source, up, world, write};
use crate::support::Sandbox;

/// Asserts that the skill is refused with these sentences, and nothing is written.
#[track_caller]
fn refused(sandbox: &Sandbox, sentences: &[&str]) {
    says(sandbox, &["pull", &source(sandbox, ""), "--yes"], sentences, 3);
    assert!(!here(sandbox, "SKILL.md").exists() && lock(sandbox).is_empty());
    assert!(!sandbox.project().join(".ai/skills").exists());
}

#[test]
fn links_and_submodules_are_refused() {
    let sandbox = world();
    symlink("/etc/passwd", up(&sandbox, "skills/pdf/secrets")).unwrap();
    commit(&sandbox, "link");
    refused(&sandbox, &["`secrets`", "RYE-A030"]);
    fs::remove_file(up(&sandbox, "skills/pdf/secrets")).unwrap();
    let head = at_up(&sandbox, &["rev-parse", "HEAD"]).trim().to_owned();
    at_up(&sandbox, &["update-index", "--add", "--cacheinfo", &format!("160000,{head},skills/pdf/sub")]);
    at_up(&sandbox, &["commit", "-q", "-m", "submodule"]);
    refused(&sandbox, &["`sub`", "RYE-A034"]);
}

#[test]
fn pointers_of_git_lfs_are_refused() {
    let sandbox = world();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12345\n";
    write(&sandbox, "skills/pdf/model.bin", pointer);
    commit(&sandbox, "pointer");
    refused(&sandbox, &["`model.bin`", "Git LFS", "RYE-A035"]);
}

#[test]
fn names_that_are_one_on_another_file_system_are_refused() {
    let sandbox = world();
    write(&sandbox, "skills/pdf/Notes.md", "a");
    write(&sandbox, "skills/pdf/notes.md", "b");
    commit(&sandbox, "case");
    refused(&sandbox, &["RYE-A032"]);
    let sandbox = world();
    write(&sandbox, "skills/pdf/\u{e9}.md", "a");
    write(&sandbox, "skills/pdf/e\u{301}.md", "b");
    commit(&sandbox, "unicode");
    refused(&sandbox, &["RYE-A032"]);
}

#[test]
fn trees_that_lead_out_or_hold_a_repository_are_refused() {
    for name in ["..", ".git", ".GIT", "a\\..\\b"] {
        let sandbox = world();
        let blob = at_up(&sandbox, &["rev-parse", "HEAD:skills/pdf/SKILL.md"]).trim().to_owned();
        // Git itself does not write such a tree.
        let evil = raw_tree(&sandbox, &[("100644", "SKILL.md", &blob), ("100644", name, &blob)]);
        let skills = raw_tree(&sandbox, &[("40000", "pdf", &evil)]);
        let root = raw_tree(&sandbox, &[("40000", "skills", &skills)]);
        let made = at_up(&sandbox, &["commit-tree", root.trim(), "-m", "evil"]).trim().to_owned();
        at_up(&sandbox, &["update-ref", "refs/heads/main", &made]);
        refused(&sandbox, &["is refused"]);
        assert!(!sandbox.project().join(".claude/skills/SKILL.md").exists());
    }
}

/// Writes a tree object unchanged.
fn raw_tree(sandbox: &Sandbox, entries: &[(&str, &str, &str)]) -> String {
    let mut entries = entries.to_vec();
    entries.sort_by_key(|(_, name, _)| (*name).to_owned());
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        bytes.extend((0..id.len() / 2).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()));
    }
    let file = sandbox.path("tree");
    fs::write(&file, bytes).unwrap();
    let file = file.display().to_string();
    at_up(sandbox, &["hash-object", "-t", "tree", "-w", "--literally", &file]).trim().to_owned()
}

#[test]
fn what_is_too_large_or_too_deep_is_refused() {
    let sandbox = world();
    fs::write(up(&sandbox, "skills/pdf/big"), vec![b'x'; 16 * 1024 * 1024 + 1]).unwrap();
    commit(&sandbox, "big");
    refused(&sandbox, &["`big`", "RYE-A036"]);
    let sandbox = world();
    for number in 0..2_001 {
        write(&sandbox, &format!("skills/pdf/many/{number}"), "x");
    }
    commit(&sandbox, "many");
    refused(&sandbox, &["RYE-A036"]);
    let sandbox = world();
    write(&sandbox, &format!("skills/pdf/{}x", "d/".repeat(17)), "x");
    commit(&sandbox, "deep");
    refused(&sandbox, &["deep", "RYE-A033"]);
    let sandbox = world();
    for number in 0..5 {
        let mut bytes = vec![b'x'; 15 * 1024 * 1024];
        bytes[0] = b'0' + number;
        fs::write(up(&sandbox, &format!("skills/pdf/{number}")), bytes).unwrap();
    }
    commit(&sandbox, "much");
    refused(&sandbox, &["RYE-A036"]);
}

#[test]
fn a_folder_that_is_no_skill_is_refused() {
    let sandbox = world();
    fs::remove_file(up(&sandbox, "skills/pdf/SKILL.md")).unwrap();
    commit(&sandbox, "no SKILL.md");
    refused(&sandbox, &["RYE-A027"]);
    write(&sandbox, "skills/pdf/SKILL.md", "no front matter\n");
    commit(&sandbox, "no front matter");
    says(&sandbox, &["pull", &source(&sandbox, ""), "--yes"], &["RYE-A003"], 2);
    let nowhere = source(&sandbox, "").replace("skills/pdf", "skills/none");
    says(&sandbox, &["pull", &nowhere], &["has no folder `skills/none`"], 1);
    let gone = format!("git+file://{}//skills/pdf", sandbox.path("none").display());
    let seen = says(&sandbox, &["pull", &gone], &["check the URL, or ask its host"], 6);
    assert!(!seen.contains("rye registry list"), "{seen}");
    let odd = source(&sandbox, "").replace("skills/pdf", "skills/PDF");
    write(&sandbox, "skills/PDF/SKILL.md", &skill("Read.").replace("name: pdf", "name: PDF"));
    commit(&sandbox, "an odd name");
    says(&sandbox, &["pull", &odd], &["`PDF` cannot be the name of a skill"], 2);
}

#[test]
fn options_programs_and_credentials_are_refused_and_not_repeated() {
    let sandbox = world();
    for (text, sentence) in [
        ("git+--upload-pack=touch pwned//x", "invalid git source"),
        ("git+--upload-pack=x//skills/pdf", "begins with `-`"),
        ("git+ext::sh%20-c%20x//skills/pdf", "names a program"),
        ("git+https://ada:hunter2@example.org/x//skills/pdf", "let git ask for it"),
        ("git+https://hunter2@example.org/x//skills/pdf", "let git ask for it"),
        ("git+https://example.org/x?token=hunter2//skills/pdf", "has a query"),
        ("git+../up//skills/pdf@--upload-pack=x", "begins with `-`"),
        ("git+../up//../x", "has `..`"),
        ("git+../up///etc", "absolute"),
    ] {
        let seen = sandbox.rye(&["pull", text, "--yes"]).transcript();
        let (_, said) = seen.split_once('\n').unwrap();
        assert!(said.contains(sentence) && !said.contains("hunter2") && said.ends_with("[exit 2]\n"), "{seen}");
        let said = sandbox.rye(&["pull", text, "--yes", "--json"]).stdout();
        assert!(!String::from_utf8_lossy(&said).contains("hunter2"));
    }
    assert!(lock(&sandbox).is_empty() && !sandbox.path("project/pwned").exists());
}

#[test]
fn flags_that_have_no_effect_are_refused() {
    let sandbox = world();
    let source = source(&sandbox, "");
    says(&sandbox, &["pull", &source, "--registry", "team"], &["`--registry` does not go with a git source"], 2);
    says(&sandbox, &["pull", &source, "--locked"], &["`--locked` does not go with a git source"], 2);
    says(&sandbox, &["pull", &source, "team/x"], &["does not go with a git source"], 2);
}

#[test]
fn what_was_changed_here_is_not_overwritten() {
    let sandbox = world();
    sandbox.put(".claude/skills/pdf/SKILL.md", &skill("Mine."));
    let source = source(&sandbox, "");
    let changed = "the folder `.claude/skills/pdf` of skill `pdf` was changed here";
    says(&sandbox, &["pull", &source, "--yes"], &[changed, "--force"], 1);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Mine.").as_bytes());
    says(&sandbox, &["pull", &source, "--yes", "--force"], &["Updated skill pdf"], 0);
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
    sandbox.put(".claude/skills/pdf/extra.md", "mine");
    says(&sandbox, &["remove", "pdf"], &[changed], 1);
    assert!(here(&sandbox, "extra.md").exists());
}
