//! `rye hook`: stock `git commit` and `git push` with the hooks in place.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::commit::{ECHO, GREET, NOTES, assert_clean, note};
use crate::support::{Person, Sandbox, has};

/// A signed project with both hooks, whose person is not asked about changes to their own items.
fn hooked() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox
}

fn put_script(sandbox: &Sandbox, path: &str, text: &str, mode: u32) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

fn verified(sandbox: &Sandbox) {
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

#[test]
fn what_is_staged_is_signed_inside_of_git_commit() {
    let sandbox = hooked();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["add", ECHO]);
    let (code, said) = sandbox.try_git(&["commit", "-m", "second"]);
    assert!(code == 0 && said.contains("signed\ttool\tdemo/echo\t.ai/tools/demo/echo.sh\n"), "{said}");
    verified(&sandbox);
    assert_clean(&sandbox);
    let key = sandbox.rye(&["key", "list", "--json"]).stdout();
    let key: serde_json::Value = serde_json::from_slice(&key).unwrap();
    let key = key["keys"][0]["key_id"].as_str().unwrap().to_owned();
    assert_eq!(note(&sandbox, "HEAD"), [format!("tool demo/echo: signed by {key}")], "the hook wrote the notes");
    // What changes no item is not looked at, and nothing is printed.
    sandbox.put("README.md", "# hello\n");
    sandbox.git(&["add", "README.md"]);
    let (code, said) = sandbox.try_git(&["commit", "-qm", "third"]);
    assert_eq!((code, said.as_str()), (0, ""));
}

/// What the command says makes git sign the commits, too.
#[test]
fn git_signs_the_commits_as_the_command_says() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = hooked();
    let seen = sandbox.rye(&["hook", "install"]).transcript();
    let told = seen.split("run `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    let told = told.replace("[SANDBOX]", &sandbox.path("").display().to_string());
    for command in told.split(" && ") {
        sandbox.git(&command.split(' ').skip(1).collect::<Vec<_>>());
    }
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["commit", "-qam", "signed by git"]);
    crate::commit::assert_verifies(&sandbox, "HEAD");
    assert!(!sandbox.rye(&["hook", "install"]).transcript().contains("git does not sign"));
}

#[test]
fn all_ways_to_commit_leave_a_clean_work_tree() {
    let sandbox = hooked();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["commit", "-qam", "everything"]);
    verified(&sandbox);
    assert_clean(&sandbox);

    sandbox.edit(ECHO, "category ", "category  ");
    sandbox.edit(NOTES, "short", "staged");
    sandbox.git(&["add", NOTES]);
    sandbox.git(&["commit", "-qm", "one file", ECHO]);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!("M  {NOTES}\n"));
    assert_eq!(sandbox.git(&["diff", "--cached", "--name-only"]).trim(), NOTES);
    verified(&sandbox);
    sandbox.git(&["commit", "-qm", "the staged one"]);
    verified(&sandbox);
    assert_clean(&sandbox);

    sandbox.git(&["checkout", "-qb", "side"]);
    sandbox.put("a.txt", "a\n");
    sandbox.edit(NOTES, "staged", "side");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "side"]);
    sandbox.edit(NOTES, "side", "amended");
    sandbox.git(&["commit", "-qa", "--amend", "--no-edit"]);
    verified(&sandbox);
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    verified(&sandbox);
    assert_clean(&sandbox);
    // Who goes around the hook goes around it.
    sandbox.edit(NOTES, "amended", "unsigned");
    sandbox.git(&["commit", "-qam", "unsigned", "--no-verify"]);
    assert!(sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).transcript().ends_with("[exit 3]\n"));
}

#[test]
fn a_partially_staged_file_is_signed_as_it_is_staged() {
    let sandbox = hooked();
    sandbox.edit(NOTES, "short", "staged");
    sandbox.git(&["add", NOTES]);
    sandbox.edit(NOTES, "staged", "worked on");
    let worked_on = fs::read(sandbox.project().join(NOTES)).unwrap();
    sandbox.git(&["commit", "-qm", "part"]);
    assert_eq!(fs::read(sandbox.project().join(NOTES)).unwrap(), worked_on);
    let committed = sandbox.git(&["show", &format!("HEAD:{NOTES}")]);
    assert!(committed.contains("staged") && !committed.contains("worked on"), "{committed}");
    verified(&sandbox);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M {NOTES}\n"));
    // Signed by hand after it was staged: that signature is taken, and no second one made.
    sandbox.git(&["add", NOTES]);
    sandbox.rye(&["sign", "knowledge", "demo/notes", "-q"]).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
    let by_hand = fs::read(sandbox.project().join(NOTES)).unwrap();
    sandbox.git(&["commit", "-qm", "rest"]);
    assert_eq!(fs::read(sandbox.project().join(NOTES)).unwrap(), by_hand);
    verified(&sandbox);
    assert_clean(&sandbox);
}

#[test]
fn what_would_need_a_yes_stops_the_commit() {
    let sandbox = hooked();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["add", ECHO]);
    let config = sandbox.path("config-bob").display().to_string();
    sandbox.key_id(&Person::new("bob"));
    let mut git = sandbox.git_command(&["commit", "-qm", "Bob's"]);
    let output = git.env("XDG_CONFIG_HOME", config).env("RYE_SEED", "bob").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains(&format!(
            "error: not committed: staged items need your confirmation before they are signed: `{ECHO}` (last signed by"
        )),
        "{said}"
    );
    assert!(said.contains("hint: review them with `git diff --cached -- .ai`"), "{said}");
    assert!(!sandbox.git(&["show", &format!(":{ECHO}")]).starts_with("# rye:signed:2026-03-17T01:41:08Z:x"));
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "1\n");
    sandbox.edit(GREET, "</directive>\n", "");
    sandbox.git(&["add", GREET]);
    let (code, said) = sandbox.try_git(&["commit", "-qm", "not valid"]);
    assert!(
        code == 1 && said.contains("greet.md:") && said.contains("error: cannot sign: 1 item is invalid"),
        "{said}"
    );
}

#[test]
fn a_hook_that_was_there_runs_first_and_comes_back_byte_for_byte() {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    let log = sandbox.path("log").display().to_string();
    // As hook managers have it: it finds its own files by the name and folder it was called by.
    let text = format!("#!/bin/sh -e\n. \"$(dirname \"$0\")/helper\"\necho \"$(basename \"$0\") $*\" >>{log}\n\n\n");
    put_script(&sandbox, "project/.git/hooks/pre-commit", &text, 0o750);
    put_script(&sandbox, "project/.git/hooks/helper", &format!("echo helped >>{log}\n"), 0o644);
    put_script(&sandbox, "project/.git/hooks/pre-push", &format!("#!/usr/bin/env bash\ncat >>{log}\n"), 0o755);
    let seen = sandbox.rye(&["hook", "install"]).transcript();
    assert!(
        seen.contains("installed\tpre-commit\t.git/hooks/pre-commit\t.git/hooks/pre-commit.before-rye\n"),
        "{seen}"
    );
    let again = sandbox.rye(&["hook", "install"]).transcript();
    assert_eq!(again.matches("unchanged\t").count(), 3, "{again}");
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["commit", "-qam", "second"]);
    verified(&sandbox);
    assert_eq!(fs::read_to_string(&log).unwrap(), "helped\npre-commit \n");
    sandbox.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.edit(ECHO, "category ", "category  ");
    sandbox.git(&["commit", "-qam", "third"]);
    sandbox.git(&["push", "-q", "origin", "main"]);
    let pushed = fs::read_to_string(&log).unwrap();
    assert!(pushed.contains("\nrefs/heads/main ") && pushed.ends_with('\n'), "{pushed}");

    // The hook that was there still decides.
    put_script(&sandbox, "project/.git/hooks/helper", "echo 'no tests, no commit' >&2; exit 7\n", 0o644);
    sandbox.edit(ECHO, "category  ", "category ");
    let (code, said) = sandbox.try_git(&["commit", "-qam", "no"]);
    assert!(code == 1 && said.contains("no tests, no commit"), "{said}");
    let seen = sandbox.rye(&["hook", "remove"]).transcript();
    assert_eq!(seen.matches("restored\t").count(), 2, "{seen}");
    let back = sandbox.project().join(".git/hooks/pre-commit");
    assert_eq!(fs::read_to_string(&back).unwrap(), text);
    assert_eq!(fs::metadata(&back).unwrap().permissions().mode() & 0o777, 0o750);
    assert!(!sandbox.project().join(".git/hooks/pre-commit.before-rye").exists());
    let seen = sandbox.rye(&["hook", "remove"]).transcript();
    assert_eq!(seen.matches("absent\t").count(), 3, "{seen}");
}

#[test]
fn a_hook_that_is_a_link_or_no_script_is_kept_too() {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    let log = sandbox.path("log").display().to_string();
    put_script(&sandbox, "elsewhere", &format!("#!/usr/bin/env -S sh\necho ran >>{log}\n"), 0o755);
    let hook = sandbox.project().join(".git/hooks/pre-commit");
    std::os::unix::fs::symlink("../../../elsewhere", &hook).unwrap();
    put_script(&sandbox, "project/.git/hooks/pre-push", "not executable\n", 0o644);
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["commit", "-qam", "second"]);
    assert_eq!(fs::read_to_string(&log).unwrap(), "ran\n");
    verified(&sandbox);
    sandbox.rye(&["hook", "remove", "-q"]).succeeds();
    assert_eq!(fs::read_link(&hook).unwrap().to_str().unwrap(), "../../../elsewhere");
    let push = sandbox.project().join(".git/hooks/pre-push");
    assert_eq!(fs::metadata(push).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_second_foreign_hook_is_nobodys_to_replace() {
    let sandbox = hooked();
    put_script(&sandbox, "project/.git/hooks/pre-commit.before-rye", "#!/bin/sh\n", 0o755);
    put_script(&sandbox, "project/.git/hooks/pre-commit", "#!/bin/sh\necho theirs\n", 0o755);
    for verb in ["install", "remove"] {
        let seen = sandbox.rye(&["hook", verb]).transcript();
        assert!(seen.contains("error: `[SANDBOX]/project/.git/hooks/pre-commit` is not rye's, and"), "{seen}");
    }
}

#[test]
fn hooks_lie_where_git_looks_for_them() {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    sandbox.git(&["config", "core.hooksPath", "tools/hooks"]);
    let seen = sandbox.rye(&["-C", ".ai", "hook", "install"]).transcript();
    assert!(seen.contains("project/tools/hooks/pre-commit") && seen.contains("note: `core.hooksPath` says"), "{seen}");
    sandbox.edit(ECHO, "category", "category ");
    sandbox.git(&["commit", "-qam", "second"]);
    verified(&sandbox);
    sandbox.git(&["config", "--unset", "core.hooksPath"]);

    sandbox.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
    let linked = sandbox.path("linked").display().to_string();
    let seen = sandbox.rye(&["-C", &linked, "hook", "install"]).transcript();
    assert!(seen.contains("installed\tpre-commit\t[SANDBOX]/project/.git/hooks/pre-commit"), "{seen}");
    let text = fs::read_to_string(sandbox.path("linked").join(NOTES)).unwrap();
    fs::write(sandbox.path("linked").join(NOTES), text.replace("short", "linked")).unwrap();
    // Another project that the person works in by variable is not part of this commit.
    let elsewhere = sandbox.path("tmp").display().to_string();
    let output = sandbox
        .git_command(&["-C", &linked, "commit", "-qam", "linked"])
        .env("RYE_PROJECT", elsewhere)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    sandbox.rye(&["verify", "--rev", "linked", "-q"]).succeeds();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? tools/\n");
}

#[test]
fn a_program_with_windows_runs_the_hook_and_a_missing_program_stops_the_commit() {
    let sandbox = hooked();
    sandbox.edit(ECHO, "category", "category ");
    // No terminal, and a PATH that has git and no rye.
    let output = sandbox.git_command(&["commit", "-qam", "from a window"]).env_remove("TERM").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    verified(&sandbox);
    let hook = sandbox.project().join(".git/hooks/pre-commit");
    let text = fs::read_to_string(&hook).unwrap();
    fs::write(&hook, text.replace(crate::support::RYE, "/gone/rye")).unwrap();
    sandbox.edit(ECHO, "category ", "category  ");
    let (code, said) = sandbox.try_git(&["commit", "-qam", "no"]);
    assert!(
        code == 1 && said.contains("error: the hook `.git/hooks/pre-commit` runs `/gone/rye`, which is not there"),
        "{said}"
    );
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.git(&["commit", "-qam", "yes"]);
    verified(&sandbox);
}

#[test]
fn in_a_repository_without_items_the_hook_does_nothing() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.put("README.md", "# hello\n");
    sandbox.git(&["add", "-A"]);
    assert_eq!(sandbox.try_git(&["commit", "-qm", "first"]), (0, String::new()));
    assert!(!sandbox.path("config/rye/keys").exists(), "no key is made for nothing");
}

#[test]
fn a_thread_is_not_pushed_with_everything_else() {
    let sandbox = hooked();
    sandbox.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    let thread = "refs/heads/rye/threads/greet-20260101-120000-abcd";
    sandbox.git(&["update-ref", thread, "HEAD"]);
    for args in [&["push", "--all", "origin"][..], &["push", "origin", &format!("{thread}:refs/heads/innocent")]] {
        let (code, said) = sandbox.try_git(args);
        assert!(code == 1 && said.contains(&format!("error: cannot push `{thread}` to `")), "{said}");
        assert!(said.contains(&format!("`rye thread push origin {thread}`")), "{said}");
    }
    assert_eq!(sandbox.git(&["ls-remote", "origin"]).lines().count(), 2);
    sandbox.git(&["push", "-q", "origin", "main"]);
    sandbox.git(&["push", "-q", "--no-verify", "origin", thread]);
    sandbox.git(&["push", "-q", "origin", &format!(":{thread}")]);
}

/// A clone has `refs/remotes/origin/HEAD`, a symbolic ref.
#[test]
fn a_clone_with_hooks_is_pushed_from() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    sandbox.git(&["clone", "-q", "../remote.git", "../clone"]);
    let clone = sandbox.path("clone").display().to_string();
    let git = |args: &[&str]| sandbox.git(&[&["-C", &clone], args].concat());
    assert_eq!(git(&["symbolic-ref", "refs/remotes/origin/HEAD"]), "refs/remotes/origin/main\n");
    sandbox.rye(&["-C", &clone, "hook", "install", "-q"]).succeeds();
    fs::write(sandbox.path("clone/README.md"), "# hello\n").unwrap();
    git(&["add", "README.md"]);
    git(&["commit", "-qm", "second"]);
    git(&["push", "-q", "origin", "main"]);
    git(&["push", "-q", "origin", "main:refs/heads/other"]);
    assert_eq!(git(&["ls-remote", "origin", "main", "other"]).lines().count(), 2);
    sandbox.rye(&["-C", &clone, "notes", "sync", "-q"]).succeeds();
    // The guard still works there.
    let thread = "refs/heads/rye/threads/greet-20260101-120000-abcd";
    git(&["update-ref", thread, "HEAD"]);
    let (code, said) = sandbox.try_git(&["-C", &clone, "push", "origin", thread]);
    assert!(code == 1 && said.contains(&format!("error: cannot push `{thread}` to `")), "{said}");
}

#[test]
fn rye_commit_and_its_hook_sign_once() {
    let sandbox = hooked();
    let other = sandbox.path("other").display().to_string();
    sandbox.key_id(&Person::new("bob"));
    fs::copy(sandbox.path("config-bob/rye/keys/person"), &other).unwrap();
    sandbox.edit(ECHO, "category", "category ");
    let seen = sandbox.rye(&["commit", "-m", "second", "--key", &other, "--yes"]).transcript();
    assert!(seen.ends_with("[exit 0]\n") && seen.matches("signed\ttool").count() == 1, "{seen}");
    assert_clean(&sandbox);
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "second\n");
}
