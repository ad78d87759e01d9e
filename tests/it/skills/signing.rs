//! Signing a skill: new files, unchanged ones, and refusals.

use super::*;

#[test]
fn what_is_signed_is_a_manifest_beside_and_no_byte_of_the_folder() {
    let sandbox = with_skill();
    let before = contents(&sandbox);
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_eq!(contents(&sandbox), before);
    let manifest = fs::read_to_string(sandbox.project().join(MANIFEST)).unwrap();
    let mut lines = manifest.lines();
    assert!(lines.next().unwrap().starts_with("# rye:signed:2026-03-17T01:41:08Z:"), "{manifest}");
    let rest: Vec<&str> = lines.collect();
    assert_eq!(rest[..2], ["rye-skill-manifest-v1", "id read-pdf"]);
    let files: Vec<(&str, &str)> = rest[2..].iter().map(|line| (&line[65..], &line[..8])).collect();
    let sizes: Vec<&str> = files.iter().map(|(rest, _)| *rest).collect();
    assert_eq!(sizes, ["138 100644 SKILL.md", "19 100644 notes/form.md", "19 100755 scripts/read.sh"]);
    let attributes = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
    assert!(attributes.contains("/.claude/skills/** -text -filter -ident -working-tree-encoding\n"), "{attributes}");
    assert_found(&sandbox, &[], &[]);
    let summary = json(&sandbox, &["verify"]);
    assert_eq!((summary["checked"].as_u64(), summary["summary"]["good"].as_u64()), (Some(1), Some(1)));
    // Signed already, it stays as it is.
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_eq!(fs::read_to_string(sandbox.project().join(MANIFEST)).unwrap(), manifest);
    // The same signature is one that stock tools take apart.
    assert_eq!(json(&sandbox, &["sign", "skill", "read-pdf"])["status"], "unchanged");
}

/// Git compares every path of a project with every line.
#[test]
fn the_skills_of_a_folder_share_one_line_of_attributes() {
    const KEEPING: &str = "-text -filter -ident -working-tree-encoding";
    let sandbox = with_skill();
    let lines = || fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap_or_default();
    let skill = fs::read_to_string(sandbox.project().join(PDF).join("SKILL.md")).unwrap();
    for name in ["one", "two", "three"] {
        let path = format!(".claude/skills/{name}/SKILL.md");
        sandbox.put(&path, &skill.replace("name: read-pdf", &format!("name: {name}")));
    }
    // A line that an earlier version wrote counts as it is.
    let earlier = format!("{}/.claude/skills/one/** {KEEPING}\n", lines());
    fs::write(sandbox.project().join(".gitattributes"), &earlier).unwrap();
    sandbox.rye(&["sign", "skill", "one", "-q"]).succeeds();
    assert!(lines().starts_with(&earlier) && !lines().contains("/.claude/skills/**"), "{}", lines());
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    let of_skills: Vec<String> = lines().lines().filter(|line| line.contains("skills")).map(str::to_owned).collect();
    assert_eq!(of_skills, [format!("/.claude/skills/one/** {KEEPING}"), format!("/.claude/skills/** {KEEPING}")]);
    sandbox.rye(&["verify"]).succeeds();
    // A later line that changes bytes is a finding.
    fs::write(sandbox.project().join(".gitattributes"), format!("{}*.md eol=crlf\n", lines())).unwrap();
    assert_found(&sandbox, &[], &[("RYE-A029", ".gitattributes")]);
}

fn contents(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let read = |name: &str| fs::read(sandbox.project().join(PDF).join(name)).unwrap();
    ["SKILL.md", "notes/form.md", "scripts/read.sh"].map(read).into()
}

#[test]
fn a_skill_is_named_by_its_name_and_by_the_path_of_its_folder() {
    for name in ["read-pdf", PDF, "./.claude/skills/../skills/read-pdf", ".claude/skills/read-pdf/"] {
        let sandbox = with_skill();
        sandbox.rye(&["sign", "skill", name, "-q"]).succeeds();
        assert_found(&sandbox, &[name], &[]);
    }
    let sandbox = with_skill();
    let transcript = sandbox.rye(&["sign", "skill", "read-pfd"]).transcript();
    assert!(transcript.contains("unknown skill `read-pfd`") && transcript.ends_with("[exit 1]\n"), "{transcript}");
}

#[test]
fn nothing_is_judged_before_something_is_signed() {
    let sandbox = with_skill();
    let told = "error: nothing to verify\nhint: review the skills, then run `rye sign skill --all`; pass `--allow-empty` to \
                accept that\n[exit 7]\n";
    let transcript = sandbox.rye(&["verify"]).transcript();
    assert!(transcript.ends_with(told), "{transcript}");
    let told = "note: nothing to sign; to sign the skills of the project, run `rye sign skill --all`\n[exit 0]\n";
    let transcript = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(transcript.ends_with(told) && !sandbox.project().join(MANIFEST).exists(), "{transcript}");
    let told = "error: skill `read-pdf` is not signed\nhint: review it, then run `rye sign skill read-pdf`, or `rye sign skill \
                --all` for every skill\n[exit 3]\n";
    for name in ["read-pdf", PDF, "./.claude/skills/read-pdf/SKILL.md"] {
        let transcript = sandbox.rye(&["verify", name]).transcript();
        assert!(transcript.ends_with(told), "{transcript}");
    }
    let transcript = sandbox.rye(&["verify", "read-pfd"]).transcript();
    assert!(transcript.contains("no item of the project matches `read-pfd`"), "{transcript}");
    // A project that names folders of skills asks for signatures, too.
    sandbox.put(".ai/config.toml", "[skills]\npaths = [\"agents/skills\"]\n");
    assert_found(&sandbox, &[], &[("RYE-S001", PDF)]);
    put_skill(&sandbox, "agents/skills/other");
    assert_found(&sandbox, &[], &[("RYE-S001", "agents/skills/other"), ("RYE-S001", PDF)]);
    sandbox.rye(&["sign", "skill", "other", "read-pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
}

#[test]
fn signing_all_takes_the_skills_along_once_one_is_signed() {
    let sandbox = with_skill();
    sandbox.put(".ai/knowledge/demo/notes.md", include_str!("../support/items/notes.md"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert!(!sandbox.project().join(MANIFEST).exists());
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    put_skill(&sandbox, ".agents/skills/second");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert!(sandbox.project().join(".ai/skills/second.sig").exists());
    assert_found(&sandbox, &[], &[]);
}

#[test]
fn a_folder_that_is_no_skill_is_not_signed() {
    for (path, text, rule) in [
        ("scripts/READ.sh", "x", "RYE-A032"),
        ("data.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "RYE-A035"),
        ("a\u{202e}b", "x", "RYE-A033"),
        (".git/config", "x", "RYE-A034"),
    ] {
        let sandbox = with_skill();
        sandbox.put(&format!("{PDF}/{path}"), text);
        let transcript = sandbox.rye(&["sign", "skill", "read-pdf"]).transcript();
        assert!(transcript.contains(rule) && transcript.ends_with("[exit 2]\n"), "{path}: {transcript}");
        assert!(!sandbox.project().join(MANIFEST).exists(), "{path}");
    }
}

/// Where the file system does not know who may execute a file, what git says of it is signed and compared.
#[test]
fn executables_are_those_of_git_where_the_file_system_knows_none() {
    let sandbox = signed();
    sandbox.git(&["config", "core.fileMode", "false"]);
    let script = format!("{PDF}/scripts/read.sh");
    set_mode(&sandbox, &script, 0o644);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_found(&sandbox, &[], &[]);
    let new = format!("{PDF}/scripts/new.sh");
    sandbox.put(&new, "#!/bin/sh\n");
    set_mode(&sandbox, &new, 0o755);
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    let manifest = fs::read_to_string(sandbox.project().join(MANIFEST)).unwrap();
    assert!(manifest.contains("100755 scripts/read.sh") && manifest.contains("100644 scripts/new.sh"), "{manifest}");
    sandbox.git(&["add", "-A"]);
    sandbox.rye(&["commit", "--yes", "-qm", "signed"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}

#[test]
fn folders_of_one_name_that_differ_are_not_signed() {
    let sandbox = with_skill();
    put_skill(&sandbox, ".agents/skills/read-pdf");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    sandbox.put(".agents/skills/read-pdf/notes/form.md", "Other.\n");
    assert_found(
        &sandbox,
        &[],
        &[("RYE-A022", ".agents/skills/read-pdf/notes/form.md"), ("RYE-A025", ".claude/skills/read-pdf")],
    );
    let both = "`.claude/skills/read-pdf`: this folder and `.agents/skills/read-pdf` have the same name and different \
                files: `notes/form.md`";
    for args in [&["execute", "skill", "read-pdf"][..], &["sign", "skill", "read-pdf"]] {
        let transcript = sandbox.rye(args).transcript();
        assert!(transcript.contains(both), "{transcript}");
    }
    for args in [&["verify"][..], &["lint"]] {
        let transcript = sandbox.rye(args).transcript();
        assert!(transcript.contains(both.split_once(": ").unwrap().1), "{transcript}");
        assert!(transcript.contains("[RYE-A025]\n  --> .claude/skills/read-pdf"), "{transcript}");
    }
    let transcript = sandbox.rye(&["sign", "skill", "read-pdf"]).transcript();
    assert!(transcript.ends_with("[exit 2]\n"), "{transcript}");
}

#[test]
fn a_version_is_the_one_that_the_metadata_names() {
    let sandbox = with_skill();
    sandbox.edit(&format!("{PDF}/SKILL.md"), "\n---\n\n# PDF", "\nmetadata:\n  version: \"1.2.3\"\n---\n\n# PDF");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    let manifest = fs::read_to_string(sandbox.project().join(MANIFEST)).unwrap();
    assert!(manifest.contains("\nid read-pdf\nversion 1.2.3\n"), "{manifest}");
}

#[test]
fn whoever_changed_a_skill_signs_it_again() {
    let sandbox = signed();
    sandbox.put(&format!("{PDF}/notes/form.md"), "Forms have many fields.\n");
    assert_found(&sandbox, &[], &[("RYE-A022", ".claude/skills/read-pdf/notes/form.md")]);
    let check = sandbox.rye(&["sign", "--all", "--check"]).transcript();
    assert!(check.contains("to sign") && check.ends_with("[exit 1]\n"), "{check}");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
}

/// Umasks differ from machine to machine; what counts is the owner's executable bit.
#[test]
fn the_umask_makes_no_difference() {
    let sandbox = signed();
    for (path, mode) in [("SKILL.md", 0o600), ("notes/form.md", 0o664), ("scripts/read.sh", 0o700)] {
        set_mode(&sandbox, &format!("{PDF}/{path}"), mode);
    }
    assert_found(&sandbox, &[], &[]);
}

#[test]
fn a_skill_is_not_moved_and_told_how_it_gets_another_name() {
    let sandbox = signed();
    for (to, hint) in [
        ("pdf", "rename its folder and `name` in its `SKILL.md`, remove `.ai/skills/read-pdf.sig`"),
        ("acme/read-pdf", "remove `.ai/skills/read-pdf.sig`, then run `rye sign skill acme/read-pdf`"),
    ] {
        let seen = sandbox.rye(&["mv", "skill", "read-pdf", to, "--yes"]).transcript();
        let sentence = "error: cannot move skill `read-pdf`: its folder and its `SKILL.md` have its name\n";
        assert!(seen.contains(sentence) && seen.contains(hint), "{seen}");
        assert!(seen.matches("error:").count() == 1 && seen.ends_with("[exit 1]\n"), "{seen}");
    }
    // What the hint says works.
    fs::remove_file(sandbox.project().join(MANIFEST)).unwrap();
    sandbox.rye(&["sign", "skill", "acme/read-pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
}

/// A person's own skill is signed where it is; a project's of the same name comes first.
#[test]
fn a_skill_in_the_home_folder_is_signed_there() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    let own = sandbox.path("home/.claude/skills/mine");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("SKILL.md"), "---\nname: mine\ndescription: Mine.\n---\n\nDo it.\n").unwrap();
    sandbox.rye(&["sign", "skill", "mine", "-q"]).succeeds();
    assert!(sandbox.path("home/.ai/skills/mine.sig").is_file());
    assert!(!sandbox.project().join(".ai").exists() && !sandbox.project().join(".gitattributes").exists());
    let outcome = json(&sandbox, &["execute", "skill", "mine"]);
    assert_eq!((&outcome["folder"], &outcome["instructions"]), (&"~/.claude/skills/mine".into(), &"Do it.".into()));
    put_skill(&sandbox, ".claude/skills/mine");
    sandbox.rye(&["sign", "skill", "mine", "-q"]).succeeds();
    assert!(sandbox.project().join(".ai/skills/mine.sig").is_file());
}
