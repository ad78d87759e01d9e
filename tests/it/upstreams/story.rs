//! The short story: a skill pulled from a repository, unsigned and signed, and what the lock says of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{
    BOB, at_up, commit, fingerprint, here, json, lock, pull, pull_from, says, signed_world, skill, source, world, write,
};
use crate::support::on_terminal;

#[test]
fn an_unsigned_skill_is_pulled_and_signed_by_whoever_agrees() {
    let sandbox = world();
    let first = at_up(&sandbox, &["rev-parse", "HEAD"]).trim().to_owned();
    let source = source(&sandbox, "@main");
    let seen = says(&sandbox, &["pull", &source, "--yes"], &["Pulled skill pdf in .claude/skills/pdf at "], 0);
    assert!(seen.contains("+ script scripts/run.sh") && seen.contains("+ executable scripts/run.sh"), "{seen}");
    assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
    let mode = fs::metadata(here(&sandbox, "scripts/run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "{mode:o}");
    let signature = fs::read_to_string(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    let pinned = format!("source {}\n", super::source(&sandbox, &format!("@{first}")));
    assert!(signature.starts_with("# rye:signed:") && signature.contains(&pinned), "{signature}");
    let lock = lock(&sandbox);
    for line in ["format = 3", "origin = \"git\"", "rev = \"main\"", "upstream = \"unsigned\"", &first] {
        assert!(lock.contains(line), "{line}: {lock}");
    }
    says(&sandbox, &["verify"], &[], 0);
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf\t.claude/skills/pdf"], 0);
    let again = json(&sandbox.rye(&["pull", &source, "--json"]).stdout());
    let skill = &again["skills"][0];
    assert_eq!((&skill["status"], &skill["verdict"]), (&"unchanged".into(), &"good".into()), "{again}");
    assert_eq!(super::lock(&sandbox), lock);
}

#[test]
fn without_a_yes_an_unsigned_skill_stays_unsigned_and_is_not_used() {
    let sandbox = world();
    let seen = says(&sandbox, &["pull", &source(&sandbox, "")], &["skill `pdf` is unsigned: Rye does not use it"], 0);
    assert!(seen.contains("hint") || seen.contains("rye sign skill pdf"), "{seen}");
    assert!(!sandbox.project().join(".ai/skills/pdf.sig").exists());
    assert!(!lock(&sandbox).contains("signer"), "{}", lock(&sandbox));
    let seen = sandbox.rye(&["execute", "skill", "pdf"]).transcript();
    assert!(!seen.ends_with("[exit 0]\n"), "{seen}");
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
    sandbox.rye(&["sign", "skill", "pdf", "-q"]).succeeds();
    says(&sandbox, &["verify"], &[], 0);
    says(&sandbox, &["sync", "--adopt"], &["adopted\tpdf"], 0);
    says(&sandbox, &["sync", "--check"], &["unchanged\tpdf"], 0);
}

#[test]
fn the_signature_of_a_source_is_taken_over_and_its_signer_asked_about() {
    let sandbox = signed_world();
    let (key, source) = (fingerprint(&sandbox, &BOB), source(&sandbox, "@main"));
    let new = format!("skill pdf is signed by dev@example.org, as its source says, with the key {key}");
    let hint = format!("--accept-signer {key}");
    for args in [&["pull", source.as_str()][..], &["pull", source.as_str(), "--yes"]] {
        says(&sandbox, args, &[&new, "trusting it needs your confirmation", &hint], 3);
        assert!(!here(&sandbox, "SKILL.md").exists() && lock(&sandbox).is_empty());
    }
    says(&sandbox, &["pull", &source, "--accept-signer", &key], &["Pulled skill pdf", ", good"], 0);
    let there = fs::read(super::up(&sandbox, ".ai/skills/pdf.sig")).unwrap();
    assert_eq!(fs::read(sandbox.project().join(".ai/skills/pdf.sig")).unwrap(), there, "the signature stays");
    let lock = lock(&sandbox);
    assert!(lock.contains(&format!("signer = \"{key}\"")) && lock.contains("upstream = \"signed\""), "{lock}");
    says(&sandbox, &["verify"], &[], 0);
    // It is known now, and only for this skill.
    says(&sandbox, &["pull", &source], &["Unchanged skill pdf"], 0);
    let seen = says(&sandbox, &["trust", "list"], &[&key], 0);
    assert!(seen.contains("skill `pdf`"), "{seen}");
}

#[test]
fn a_skill_below_a_namespace_keeps_its_id() {
    let sandbox = world();
    super::sign_as(&sandbox, &BOB, "pdf");
    let path = sandbox.path("up").display().to_string();
    let listed = fs::read_dir(super::up(&sandbox, ".ai/skills")).unwrap().count();
    assert_eq!(listed, 1);
    // The same manifest under another id is not a signature of it.
    fs::create_dir_all(super::up(&sandbox, ".ai/skills/acme")).unwrap();
    fs::rename(super::up(&sandbox, ".ai/skills/pdf.sig"), super::up(&sandbox, ".ai/skills/acme/pdf.sig")).unwrap();
    commit(&sandbox, "moved");
    let seen = says(&sandbox, &["pull", &source(&sandbox, ""), "--yes"], &["its manifest is that of `pdf`"], 3);
    assert!(seen.contains(".ai/skills/acme/pdf.sig"), "{path}: {seen}");
}

#[test]
fn a_skill_goes_into_the_folder_of_the_client_that_is_named() {
    let sandbox = world();
    let source = source(&sandbox, "");
    says(&sandbox, &["pull", &source, "--to", "agents", "--yes"], &["in .agents/skills/pdf"], 0);
    assert!(sandbox.project().join(".agents/skills/pdf/SKILL.md").exists());
    says(&sandbox, &["pull", &source, "--yes"], &["Unchanged skill pdf in .agents/skills/pdf"], 0);
    says(&sandbox, &["pull", &source, "--to", "claude"], &["lies in `.agents/skills/pdf` already"], 1);
    // Before the source is asked.
    for source in [&source, "git+https://127.0.0.1:1/none//skills/pdf"] {
        says(&sandbox, &["pull", source, "--to", "nowhere"], &["`nowhere` is not in `skills.paths`"], 2);
    }
    says(&sandbox, &["remove", "pdf"], &["Removed skill pdf in .agents/skills/pdf"], 0);
    assert!(!sandbox.project().join(".agents/skills/pdf").exists());
    assert!(!sandbox.project().join(".ai/skills/pdf.sig").exists() && !lock(&sandbox).contains("[[skill]]"));
}

#[test]
fn a_branch_a_tag_a_commit_and_another_form_of_the_url_are_followed() {
    let sandbox = world();
    let first = at_up(&sandbox, &["rev-parse", "HEAD"]).trim().to_owned();
    at_up(&sandbox, &["tag", "-a", "v1", "-m", "one"]);
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read more."));
    commit(&sandbox, "second");
    for rev in ["@v1".to_owned(), format!("@{first}"), "@refs/tags/v1".to_owned()] {
        pull(&sandbox, &rev);
        assert!(lock(&sandbox).contains(&first), "{rev}");
        assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read.").as_bytes());
        sandbox.rye(&["remove", "pdf", "-q"]).succeeds();
    }
    for url in ["../up".to_owned(), format!("file://{}", sandbox.path("up").display())] {
        sandbox.rye(&["pull", &format!("git+{url}//skills/pdf"), "--yes", "-q"]).succeeds();
        assert_eq!(fs::read(here(&sandbox, "SKILL.md")).unwrap(), skill("Read more.").as_bytes());
        sandbox.rye(&["remove", "pdf", "-q"]).succeeds();
    }
    says(&sandbox, &["pull", &source(&sandbox, "@nothing")], &["unknown revision `nothing`", "git ls-remote"], 1);
    at_up(&sandbox, &["branch", "v1", "main"]);
    let seen = says(&sandbox, &["pull", &source(&sandbox, "@v1")], &["is a branch and a tag"], 1);
    assert!(seen.contains("hint:"), "{seen}");
}

#[test]
fn a_whole_repository_can_be_a_skill_and_an_agent_client_asks() {
    let sandbox = world();
    let path = sandbox.path("pdf");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("SKILL.md"), skill("Alone.")).unwrap();
    let path = path.display().to_string();
    for args in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "-m", "one"]] {
        sandbox.git(&[&["-C", &path], args].concat());
    }
    let source = format!("git+{path}//");
    let seen = sandbox.rye(&["pull", &source, "--yes"]).env("CLAUDECODE", "1").transcript();
    assert!(seen.contains("refused to pull 1 skill") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert!(!here(&sandbox, "SKILL.md").exists());
    says(&sandbox, &["pull", &source, "--yes"], &["Pulled skill pdf"], 0);
}

#[test]
fn whoever_clones_a_project_is_asked_on_the_terminal_about_who_signed_its_skills() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    // The decision is the person's, not the project's.
    fs::remove_dir_all(sandbox.path("config/rye/trust/namespaces")).unwrap();
    let source = source(&sandbox, "");
    let hint = format!("run `rye pull {source}` to see who signed it");
    let seen = sandbox.rye(&["execute", "skill", "pdf"]).transcript();
    let hint = sandbox.redacted(&hint);
    assert!(seen.contains(&hint) && seen.ends_with("[exit 3]\n"), "{seen}");
    says(&sandbox, &["sync"], &["unchanged\tpdf"], 0);
    let rye = crate::support::RYE;
    let question = "trust this key for skill `pdf`?";
    let (seen, code) = on_terminal(&sandbox, &[(question, "n\n")], &[rye, "pull", &source]);
    assert!(seen.contains("nothing was pulled") && code == 5, "{code} {seen}");
    let (seen, code) = on_terminal(&sandbox, &[(question, "y\n")], &[rye, "pull", &source]);
    let key = fingerprint(&sandbox, &BOB);
    assert!(seen.contains(&key) && seen.contains("Unchanged skill pdf") && code == 0, "{code} {seen}");
    says(&sandbox, &["execute", "skill", "pdf"], &["Read."], 0);
}

#[test]
fn a_damaged_cache_is_made_again() {
    let sandbox = world();
    pull(&sandbox, "");
    let cache = sandbox.path("home/.cache/rye/upstreams");
    let objects = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path().join("objects");
    fs::remove_dir_all(&objects).unwrap();
    fs::create_dir_all(&objects).unwrap();
    sandbox.rye(&["remove", "pdf", "-q"]).succeeds();
    pull(&sandbox, "");
    assert!(here(&sandbox, "SKILL.md").exists());
}

#[test]
fn many_pulls_at_once_are_all_noted() {
    let sandbox = world();
    for number in 0..4 {
        let text = skill("Read.").replace("name: pdf", &format!("name: s{number}"));
        write(&sandbox, &format!("skills/s{number}/SKILL.md"), &text);
    }
    commit(&sandbox, "many");
    let sources: Vec<String> =
        (0..4).map(|number| source(&sandbox, "").replace("skills/pdf", &format!("skills/s{number}"))).collect();
    let started: Vec<_> = sources.iter().map(|source| sandbox.rye(&["pull", source, "--yes", "-q"]).spawn()).collect();
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(lock(&sandbox).matches("[[skill]]").count(), 4);
    says(&sandbox, &["sync", "--check"], &["unchanged\ts0", "unchanged\ts3"], 0);
}

#[test]
fn what_was_signed_by_its_source_is_used() {
    let sandbox = signed_world();
    pull_from(&sandbox, &BOB, "");
    let seen = says(&sandbox, &["load", "skill", "pdf"], &[], 0);
    assert!(seen.contains("Reads PDF files"), "{seen}");
    fs::write(here(&sandbox, "SKILL.md"), skill("Do evil.")).unwrap();
    says(&sandbox, &["verify"], &["pdf"], 3);
}
