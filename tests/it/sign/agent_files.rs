//! `rye sign --agent-files`: the list of the files that instruct agents, and all that looks at it.

mod history;

use serde_json::Value;

use super::*;

const LIST: &str = ".ai/agent-files.sig";

fn json(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    serde_json::from_slice(&sandbox.rye(&args).stdout()).unwrap()
}

/// Returns the rules and paths of the findings.
fn found(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, String)> {
    let outcome = json(sandbox, &[&["verify"], args].concat());
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let findings = outcome["findings"].as_array().unwrap_or_else(|| panic!("{outcome}"));
    findings.iter().map(|finding| (text(finding, "rule"), text(finding, "path"))).collect()
}

fn assert_found(sandbox: &Sandbox, args: &[&str], expected: &[(&str, &str)]) {
    let found = found(sandbox, args);
    let mut found: Vec<(&str, &str)> = found.iter().map(|(rule, path)| (rule.as_str(), path.as_str())).collect();
    let mut expected = expected.to_vec();
    // What git tracks is judged before what it does not.
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{args:?}");
}

/// Makes a project with one file of each kind, all of them tracked.
fn with_files() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put("AGENTS.md", "Be kind.\n");
    sandbox.put("deep/er/CLAUDE.md", "Tests come first.\n");
    sandbox.put(".claude/settings.json", "{}\n");
    sandbox.put(".claude/commands/review.md", "Review $ARGUMENTS.\n");
    sandbox.put(".cursor/rules/a.mdc", "Rule.\n");
    sandbox.put(".github/copilot-instructions.md", "Say it.\n");
    sandbox.put(".mcp.json", "{}\n");
    sandbox.put("README.md", "Not for agents alone.\n");
    sandbox.put(".gitignore", "CLAUDE.local.md\n");
    sandbox.put("CLAUDE.local.md", "Mine.\n");
    std::os::unix::fs::symlink("AGENTS.md", sandbox.project().join("CLAUDE.md")).unwrap();
    sandbox.git(&["add", "--all"]);
    sandbox
}

fn signed() -> Sandbox {
    let sandbox = with_files();
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    sandbox.git(&["add", "--all"]);
    sandbox.commit("first");
    sandbox
}

#[test]
fn the_list_has_every_tracked_file_of_the_table_and_stock_tools_check_it() {
    let sandbox = with_files();
    sandbox.put("docs/GEMINI.md", "Not added.\n");
    let seen = sandbox.rye(&["sign", "--agent-files"]).transcript();
    assert!(seen.contains("new      AGENTS.md") && seen.contains("8 files"), "{seen}");
    assert!(seen.contains("git ignores it: `CLAUDE.local.md`"), "{seen}");
    assert!(seen.contains("git does not track it: `docs/GEMINI.md`"), "{seen}");
    let list = fs::read_to_string(sandbox.project().join(LIST)).unwrap();
    let (text, envelope) = list.split_at(list.find("-----BEGIN").unwrap());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["rye-agent-files-v1", "signed-at 2026-03-17T01:41:08Z"]);
    let files: Vec<&str> = lines[2..].iter().map(|line| &line[65..]).collect();
    assert_eq!(
        files,
        [
            "100644 .claude/commands/review.md",
            "100644 .claude/settings.json",
            "100644 .cursor/rules/a.mdc",
            "100644 .github/copilot-instructions.md",
            "100644 .mcp.json",
            "100644 AGENTS.md",
            "120000 CLAUDE.md",
            "100644 deep/er/CLAUDE.md",
        ]
    );
    if has("ssh-keygen") {
        fs::write(sandbox.path("list.sig"), envelope).unwrap();
        let mut check = std::process::Command::new("ssh-keygen");
        check.args(["-Y", "check-novalidate", "-n", "rye", "-s"]).arg(sandbox.path("list.sig"));
        fs::write(sandbox.path("list"), text).unwrap();
        let checked = check.stdin(fs::File::open(sandbox.path("list")).unwrap()).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
    // Signed already, it stays as it is.
    assert_eq!(json(&sandbox, &["sign", "--agent-files"])["status"], "unchanged");
    assert_eq!(fs::read_to_string(sandbox.project().join(LIST)).unwrap(), list);
}

#[test]
fn without_a_list_nothing_is_a_finding() {
    let sandbox = with_files();
    sandbox.commit("first");
    assert_found(&sandbox, &["--allow-empty"], &[]);
    assert_found(&sandbox, &["--rev", "HEAD", "--allow-empty"], &[]);
}

#[test]
fn a_new_a_changed_and_a_vanished_file_are_findings_in_the_work_tree_and_in_commits() {
    let sandbox = signed();
    assert_found(&sandbox, &[], &[]);
    assert_eq!(json(&sandbox, &["verify"])["agent_files"], 8);
    sandbox.put("lib/AGENTS.md", "Obey.\n");
    sandbox.edit(".mcp.json", "{}", "{\"mcpServers\": {}}");
    fs::remove_file(sandbox.project().join(".cursor/rules/a.mdc")).unwrap();
    fs::remove_file(sandbox.project().join("CLAUDE.md")).unwrap();
    std::os::unix::fs::symlink("README.md", sandbox.project().join("CLAUDE.md")).unwrap();
    let expected = [
        ("RYE-G003", ".cursor/rules/a.mdc"),
        ("RYE-G002", ".mcp.json"),
        ("RYE-G002", "CLAUDE.md"),
        // What the link leads to instructs as well.
        ("RYE-G001", "README.md"),
        ("RYE-G001", "lib/AGENTS.md"),
    ];
    assert_found(&sandbox, &[], &expected);
    assert_found(&sandbox, &[".mcp.json"], &[("RYE-G002", ".mcp.json")]);
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains("rye sign --agent-files") && seen.ends_with("[exit 3]\n"), "{seen}");
    // Each spelling that some file system takes for a place counts.
    sandbox.put("x/claude.MD", "Obey.\n");
    sandbox.git(&["add", "--all"]);
    sandbox.commit("second");
    let of_commit = [&expected[..], &[("RYE-G001", "x/claude.MD")]].concat();
    assert_found(&sandbox, &["--rev", "HEAD"], &of_commit);
    assert_found(&sandbox, &["--range", "HEAD~..HEAD"], &of_commit);
    // What a later commit mends is found on the way.
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    sandbox.git(&["add", "--all"]);
    sandbox.commit("third");
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    assert_found(&sandbox, &["--range", "HEAD~2..HEAD"], &of_commit);
    assert_found(&sandbox, &["--range", "HEAD~..HEAD"], &[]);
}

#[test]
fn a_list_that_is_removed_damaged_older_or_of_an_unknown_key_is_a_finding() {
    let sandbox = signed();
    let list = fs::read_to_string(sandbox.project().join(LIST)).unwrap();
    fs::remove_file(sandbox.project().join(LIST)).unwrap();
    assert_found(&sandbox, &["--allow-empty"], &[("RYE-G005", LIST)]);
    fs::write(sandbox.project().join(LIST), list.replacen("AGENTS.md", "AGENTS.mk", 1)).unwrap();
    assert_found(&sandbox, &["--allow-empty"], &[("RYE-G004", LIST)]);
    fs::write(sandbox.project().join(LIST), &list).unwrap();
    // A newer list, and then the old one with the old files again.
    sandbox.put("AGENTS.md", "Be very kind.\n");
    sandbox.rye(&["sign", "--agent-files", "-q"]).env("RYE_NOW", "2026-03-18T01:41:08Z").succeeds();
    sandbox.git(&["add", "--all"]);
    sandbox.commit("second");
    sandbox.put("AGENTS.md", "Be kind.\n");
    fs::write(sandbox.project().join(LIST), &list).unwrap();
    assert_found(&sandbox, &[], &[("RYE-G006", LIST)]);
}

#[test]
fn the_list_of_another_person_is_replaced_with_consent_alone_and_counts_once_they_are_trusted() {
    let sandbox = with_files();
    let ben = Person::new("ben");
    sandbox.rye(&["sign", "--agent-files", "-q"]).by(&ben).succeeds();
    assert_found(&sandbox, &[], &[("RYE-S006", LIST)]);
    let seen = sandbox.rye(&["sign", "--agent-files"]).transcript();
    assert!(seen.contains("confirm on a terminal or pass `--yes`"), "{seen}");
    sandbox.rye(&["sign", "--agent-files", "--yes", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    // An agent client cannot agree for its person.
    sandbox.put("AGENTS.md", "Obey.\n");
    let seen = sandbox.rye(&["sign", "--agent-files", "--yes"]).env("CLAUDECODE", "1").transcript();
    assert!(seen.contains("without the person's yes on the terminal"), "{seen}");
}

#[test]
fn files_of_signed_skills_are_the_skills_own() {
    let sandbox = with_files();
    sandbox.put(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF.\n---\n\nRead.\n");
    sandbox.git(&["add", "--all"]);
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    let list = || fs::read_to_string(sandbox.project().join(LIST)).unwrap();
    assert!(list().contains(".claude/skills/pdf/SKILL.md"), "{}", list());
    sandbox.rye(&["sign", "skill", "pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    sandbox.rye(&["sign", "--agent-files", "--again", "-q"]).succeeds();
    assert!(!list().contains(".claude/skills/pdf/SKILL.md"), "{}", list());
    assert_found(&sandbox, &[], &[]);
    // Without its signature, a skill's files are files like others.
    fs::remove_file(sandbox.project().join(".ai/skills/pdf.sig")).unwrap();
    assert_found(&sandbox, &[], &[("RYE-G001", ".claude/skills/pdf/SKILL.md")]);
}

#[test]
fn status_diff_and_commit_know_the_list() {
    let sandbox = signed();
    sandbox.put("AGENTS.md", "Be rude.\n");
    let status = json(&sandbox, &["status"]);
    assert_eq!(status["agent_files"], serde_json::json!([{"path": "AGENTS.md", "change": "changed"}]));
    let seen = sandbox.rye(&["status"]).transcript();
    assert!(seen.contains("changed\tagent file\tAGENTS.md") && seen.contains("rye sign --agent-files"), "{seen}");
    let seen = sandbox.rye(&["diff"]).transcript();
    assert!(seen.contains("-Be kind.\n+Be rude.\n") && seen.contains("`AGENTS.md` changed since"), "{seen}");
    sandbox.git(&["add", "AGENTS.md"]);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "Change it"]).transcript();
    assert!(seen.contains("RYE-G002") && !seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    sandbox.git(&["add", LIST]);
    sandbox.rye(&["commit", "--yes", "-q", "-m", "Change it"]).succeeds();
    assert_found(&sandbox, &["--range", "HEAD~..HEAD"], &[]);
}

#[test]
fn line_ends_that_git_converts_do_not_matter() {
    let sandbox = with_files();
    sandbox.put(".gitattributes", "*.md text eol=crlf\n");
    sandbox.git(&["add", "--all"]);
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    sandbox.git(&["add", "--all"]);
    sandbox.commit("first");
    fs::remove_file(sandbox.project().join("AGENTS.md")).unwrap();
    sandbox.git(&["checkout", "--", "AGENTS.md"]);
    assert_eq!(fs::read(sandbox.project().join("AGENTS.md")).unwrap(), b"Be kind.\r\n");
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
}

fn link(sandbox: &Sandbox, target: &str, path: &str) {
    let file = sandbox.project().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, file).unwrap();
}

fn commit_all(sandbox: &Sandbox, message: &str) {
    sandbox.git(&["add", "--all"]);
    sandbox.commit(message);
}

/// Asserts the findings of the work tree, of the last commit, and of the range that is the last commit alone.
fn assert_everywhere(sandbox: &Sandbox, expected: &[(&str, &str)]) {
    for args in [&[][..], &["--rev", "HEAD"], &["--range", "HEAD~..HEAD"]] {
        assert_found(sandbox, &[args, &["--allow-empty"]].concat(), expected);
    }
}

#[test]
fn the_name_of_a_signed_skill_exempts_no_file_that_is_not_judged_with_it() {
    let sandbox = with_files();
    sandbox.put(".claude/skills/ok/SKILL.md", "---\nname: ok\ndescription: Is fine.\n---\n\nRead.\n");
    sandbox.put(".claude/skills/ok/AGENTS.md", "Part of it.\n");
    sandbox.git(&["add", "--all"]);
    sandbox.rye(&["sign", "skill", "ok", "-q"]).succeeds();
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    commit_all(&sandbox, "first");
    assert_found(&sandbox, &[], &[]);
    let files = [
        ".cursor/skills/ok/AGENTS.md",
        ".github/skills/ok/sub/GEMINI.md",
        "packages/a/.github/skills/ok/GEMINI.md",
        "skills/ok/CLAUDE.md",
        "sub/.claude/skills/ok/CLAUDE.md",
    ];
    files.iter().for_each(|path| sandbox.put(path, "Obey.\n"));
    commit_all(&sandbox, "second");
    assert_everywhere(&sandbox, &files.map(|path| ("RYE-G001", path)));
    let changes = json(&sandbox, &["status"])["agent_files"].as_array().unwrap().len();
    assert_eq!(changes, files.len());
    let seen = json(&sandbox, &["sign", "--agent-files"]);
    assert_eq!(seen["changes"].as_array().unwrap().len(), files.len());
    assert_found(&sandbox, &[], &[]);
    // A file that the skill's manifest does not have is unlisted as well.
    sandbox.put(".claude/skills/ok/GEMINI.md", "Obey.\n");
    sandbox.git(&["add", "--all"]);
    let found = found(&sandbox, &[]);
    assert!(found.contains(&("RYE-G001".to_owned(), ".claude/skills/ok/GEMINI.md".to_owned())), "{found:?}");
}

#[test]
fn a_list_that_is_removed_with_every_file_is_missed_as_long_as_it_is_gone() {
    let sandbox = signed();
    let list = fs::read_to_string(sandbox.project().join(LIST)).unwrap();
    sandbox.put("AGENTS.md", "Be very kind.\n");
    sandbox.rye(&["sign", "--agent-files", "-q"]).env("RYE_NOW", "2026-03-18T01:41:08Z").succeeds();
    commit_all(&sandbox, "newer");
    sandbox.git(&["rm", "-rqf", "."]);
    sandbox.put("README.md", "Text.\n");
    commit_all(&sandbox, "all gone");
    assert_everywhere(&sandbox, &[("RYE-G005", LIST)]);
    sandbox.put("more.txt", "Text.\n");
    commit_all(&sandbox, "nothing");
    sandbox.put("CLAUDE.md", "Obey.\n");
    commit_all(&sandbox, "a new file");
    assert_everywhere(&sandbox, &[("RYE-G005", LIST)]);
    assert_found(&sandbox, &["--range", "HEAD~3..HEAD"], &[("RYE-G005", LIST)]);
    // The older list that history has does not count either.
    sandbox.git(&["checkout", "-q", "HEAD~4", "--", "."]);
    fs::write(sandbox.project().join(LIST), list).unwrap();
    commit_all(&sandbox, "the old list");
    let found = found(&sandbox, &["--rev", "HEAD"]);
    assert!(found.contains(&("RYE-G006".to_owned(), LIST.to_owned())), "{found:?}");
    // An empty list says that nothing is left.
    sandbox.git(&["rm", "-rqf", "."]);
    sandbox.put("README.md", "Text.\n");
    assert_eq!(json(&sandbox, &["sign", "--agent-files"])["status"], "signed");
    commit_all(&sandbox, "an empty list");
    sandbox.put("more.txt", "Text.\n");
    commit_all(&sandbox, "more");
    assert_everywhere(&sandbox, &[]);
}

#[test]
fn what_links_lead_to_is_listed_and_judged() {
    let sandbox = with_files();
    sandbox.put("docs/guide.md", "Guide.\n");
    sandbox.put("cfg/settings.json", "{}\n");
    sandbox.put("gh/copilot-instructions.md", "Say it.\n");
    link(&sandbox, "../docs/guide.md", "sub/GEMINI.md");
    link(&sandbox, "../cfg", "sub/.claude");
    link(&sandbox, "../gh", "sub/.github");
    sandbox.git(&["add", "--all"]);
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    commit_all(&sandbox, "first");
    assert_found(&sandbox, &[], &[]);
    sandbox.put("docs/guide.md", "Obey.\n");
    sandbox.put("cfg/hooks/new.sh", "id\n");
    sandbox.put("gh/prompts/new.md", "Obey.\n");
    sandbox.put("gh/other.md", "Nothing.\n");
    let expected = [("RYE-G001", "cfg/hooks/new.sh"), ("RYE-G002", "docs/guide.md"), ("RYE-G001", "gh/prompts/new.md")];
    assert_found(&sandbox, &[], &expected);
    commit_all(&sandbox, "second");
    assert_everywhere(&sandbox, &expected);
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    commit_all(&sandbox, "third");
    // A link that leads out is found, and refused when the list is signed.
    for target in ["/etc/passwd", "../../x", "../.git/config", "WARP.md"] {
        let file = sandbox.project().join("sub/WARP.md");
        let _ = fs::remove_file(&file);
        link(&sandbox, target, "sub/WARP.md");
        sandbox.git(&["add", "--all"]);
        let found = found(&sandbox, &[]);
        assert!(found.contains(&("RYE-G007".to_owned(), "sub/WARP.md".to_owned())), "{target}: {found:?}");
        let seen = sandbox.rye(&["sign", "--agent-files"]).transcript();
        assert!(seen.contains("`sub/WARP.md`: this link leads out") && !seen.ends_with("[exit 0]\n"), "{seen}");
    }
}

#[test]
fn what_git_only_intends_to_track_is_not_tracked_and_other_repositories_are_named() {
    let sandbox = signed();
    sandbox.put("new/CLAUDE.md", "Obey.\n");
    sandbox.git(&["add", "-N", "new/CLAUDE.md"]);
    assert_found(&sandbox, &[], &[("RYE-G001", "new/CLAUDE.md")]);
    sandbox.git(&["init", "-q", "vendor/x"]);
    sandbox.put("vendor/x/CLAUDE.md", "Obey.\n");
    let seen = sandbox.rye(&["sign", "--agent-files"]).transcript();
    assert!(seen.contains("git does not track it: `new/CLAUDE.md`"), "{seen}");
    assert!(seen.contains("a repository that git does not track: `vendor/x`"), "{seen}");
}

#[test]
fn bytes_that_git_would_store_otherwise_than_agents_read_them_are_found() {
    let sandbox = with_files();
    sandbox.put(".gitattributes", "GEMINI.md ident\nWARP.md working-tree-encoding=UTF-16LE\n");
    sandbox.put("GEMINI.md", "$Id$\n");
    fs::write(sandbox.project().join("WARP.md"), b"a\0\n\0").unwrap();
    sandbox.git(&["add", "--all"]);
    let seen = sandbox.rye(&["sign", "--agent-files"]).transcript();
    assert!(seen.contains("cannot sign `WARP.md`") && seen.contains("`working-tree-encoding`"), "{seen}");
    sandbox.put(".gitattributes", "GEMINI.md ident\n");
    sandbox.git(&["add", "--all"]);
    sandbox.rye(&["sign", "--agent-files", "-q"]).succeeds();
    commit_all(&sandbox, "first");
    assert_found(&sandbox, &[], &[]);
    sandbox.put("GEMINI.md", "$Id: EVIL $\n");
    assert_found(&sandbox, &[], &[("RYE-G002", "GEMINI.md")]);
}

#[test]
fn the_summary_of_a_list_by_an_unknown_key_does_not_say_that_all_is_as_signed() {
    let sandbox = with_files();
    sandbox.rye(&["sign", "--agent-files", "-q"]).by(&Person::new("ben")).succeeds();
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains("1 finding in agent files") && !seen.contains("as signed"), "{seen}");
}
