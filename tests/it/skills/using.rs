//! Using skills: listing, loading, searching, executing, linting.

use super::*;

#[test]
fn a_skill_is_executed_only_as_it_was_signed() {
    let sandbox = with_skill();
    let refused = sandbox.rye(&["execute", "skill", "read-pdf"]).transcript();
    assert!(!refused.contains("Run `scripts") && !refused.ends_with("[exit 0]\n"), "{refused}");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    let outcome = json(&sandbox, &["execute", "skill", "read-pdf"]);
    assert_eq!(outcome["instructions"], "# PDF\n\nRun `scripts/read.sh FILE`; see `notes/form.md`.");
    assert_eq!((&outcome["folder"], &outcome["item_type"]), (&PDF.into(), &"skill".into()));
    let files: Vec<&str> =
        outcome["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["notes/form.md", "scripts/read.sh"]);
    for path in ["SKILL.md", "scripts/read.sh", "new.sh"] {
        let sandbox = signed();
        sandbox.put(&format!("{PDF}/{path}"), "changed\n");
        let refused = sandbox.rye(&["execute", "skill", "read-pdf"]).transcript();
        assert!(
            refused.contains("skill `read-pdf` is refused") && refused.ends_with("[exit 3]\n"),
            "{path}: {refused}"
        );
    }
    let refused = sandbox.rye(&["execute", "skill", "read-pdf", "--input", "x=1"]).transcript();
    assert!(refused.ends_with("[exit 2]\n"), "{refused}");
}

#[test]
fn skills_are_listed_with_what_they_are_worth() {
    let sandbox = with_skill();
    let verdict = |sandbox: &Sandbox| {
        let listed = json(sandbox, &["list", "skill"]);
        let skill = &listed["items"][0];
        assert_eq!(skill["item_id"], "read-pdf", "{listed:#}");
        assert_eq!(skill["description"], "Reads PDF files. Use it when a PDF is named.");
        skill["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(&sandbox), "unsigned");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_eq!(verdict(&sandbox), "good");
    sandbox.put(&format!("{PDF}/notes/form.md"), "changed\n");
    assert_eq!(verdict(&sandbox), "tampered");
    let loaded = json(&sandbox, &["load", "skill", "read-pdf"]);
    assert_eq!((&loaded["verdict"], &loaded["path"]), (&"tampered".into(), &format!("{PDF}/SKILL.md").into()));
    assert!(loaded["content"].as_str().unwrap().starts_with("---\nname: read-pdf\n"), "{loaded:#}");
}

#[test]
fn skills_are_found_by_what_their_instructions_say() {
    let sandbox = with_skill();
    let hits = |sandbox: &Sandbox| {
        let found = json(sandbox, &["search", "pdf files type:skill"]);
        let hits = found["results"].as_array().unwrap().clone();
        hits.iter()
            .map(|hit| (hit["item_id"].as_str().unwrap().to_owned(), hit["verdict"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(hits(&sandbox), [("read-pdf".to_owned(), "unsigned".to_owned())]);
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_eq!(hits(&sandbox), [("read-pdf".to_owned(), "good".to_owned())]);
    sandbox.edit(&format!("{PDF}/SKILL.md"), "# PDF", "# Portable documents");
    assert_eq!(hits(&sandbox), [("read-pdf".to_owned(), "tampered".to_owned())]);
}

#[test]
fn a_new_skill_lints_without_a_finding_and_can_be_signed() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    sandbox.rye(&["new", "skill", "release-notes", "-q"]).succeeds();
    assert!(sandbox.project().join(".claude/skills/release-notes/SKILL.md").is_file());
    let linted = json(&sandbox, &["lint"]);
    assert_eq!((&linted["status"], linted["findings"].as_array().unwrap().len()), (&"ok".into(), 0), "{linted:#}");
    sandbox.rye(&["sign", "skill", "release-notes", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    for (name, code) in [("release-notes", 1), ("Release", 2), ("a/b", 2)] {
        let refused = sandbox.rye(&["new", "skill", name]).transcript();
        assert!(refused.ends_with(&format!("[exit {code}]\n")), "{refused}");
    }
}

/// A person's own skills are theirs, and no business of the project.
#[test]
fn a_persons_own_skills_are_not_judged_in_a_project() {
    let sandbox = signed();
    let own = sandbox.path("home/.claude/skills/mine");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("SKILL.md"), "---\nname: mine\ndescription: Mine.\n---\n\nDo it.\n").unwrap();
    assert_found(&sandbox, &[], &[]);
    let listed = json(&sandbox, &["list", "skill"]);
    assert_eq!(
        (&listed["items"][1]["item_id"], &listed["items"][1]["space"]),
        (&"mine".into(), &"user".into()),
        "{listed:#}"
    );
}

/// A skill that only some client reads, or that cannot be signed, is named with the reason.
#[test]
fn lint_names_what_is_taken_for_a_skill_and_cannot_be_one() {
    for (folder, rule, path) in [
        (".claude/skills/Evil", "RYE-A026", ".claude/skills/Evil"),
        (".claude/skills/group/evil", "RYE-A028", ".claude/skills/group"),
        (".Claude/skills/evil", "RYE-A032", ".Claude"),
    ] {
        let sandbox = with_skill();
        put_skill(&sandbox, folder);
        for args in [&["lint"][..], &["lint", path]] {
            let linted = json(&sandbox, args);
            let findings = linted["findings"].as_array().unwrap();
            let found: Vec<_> = findings.iter().map(|it| (it["rule"].as_str(), it["path"].as_str())).collect();
            assert_eq!(found, [(Some(rule), Some(path))], "{args:?}: {linted:#}");
        }
        let linted = json(&sandbox, &["lint", "read-pdf"]);
        assert_eq!(linted["findings"].as_array().unwrap().len(), 0, "{linted:#}");
    }
}
