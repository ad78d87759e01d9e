//! Repository states, git's own hooks and editor: what people know from `git commit` holds.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{ECHO, NOTES, assert_clean, assert_verifies, note};
use crate::support::{Sandbox, has};

fn script(sandbox: &Sandbox, name: &str, text: &str) -> String {
    let path = sandbox.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn nothing_to_commit_is_no_success() {
    let sandbox = Sandbox::signed();
    // The commit was made by git alone, so its notes come now.
    let seen = sandbox.rye(&["commit", "--yes", "-m", "nothing"]).transcript();
    assert!(seen.contains("nothing to commit; wrote missing notes of the last commits"), "{seen}");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "nothing"]).transcript();
    assert!(seen.contains("error: nothing to commit\nhint: run `git status`"), "{seen}");
    assert!(seen.ends_with("[exit 1]\n"), "{seen}");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "1\n");
}

/// Before anything is signed, and in words of git's own guides.
#[test]
fn a_git_without_a_name_is_told_first() {
    let sandbox = Sandbox::with_items();
    let nameless = |args: &[&str]| {
        let run = sandbox.rye(args).env("EMAIL", "").env("GIT_CONFIG_COUNT", "1");
        let run = run.env("GIT_CONFIG_KEY_0", "user.useConfigOnly").env("GIT_CONFIG_VALUE_0", "true");
        ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
            .into_iter()
            .fold(run, |run, name| run.env(name, ""))
            .transcript()
    };
    let seen = nameless(&["commit", "--yes", "-m", "first"]);
    assert!(seen.contains("error: git does not know your name and address, which each commit has\n"), "{seen}");
    assert!(seen.contains("hint: run `git config --global user.name ") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(!sandbox.path("config/rye/keys/person").exists(), "{seen}");
}

/// What git warns of is not why nothing is committed.
#[test]
fn nothing_to_commit_is_told_where_git_converts_line_ends() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.git(&["rm", "-q", "--cached", "--ignore-unmatch", ".gitattributes"]);
    sandbox.put("notes.txt", "one\n");
    sandbox.git(&["add", "notes.txt"]);
    sandbox.git(&["commit", "-qm", "notes"]);
    let touched = std::fs::File::options().append(true).open(sandbox.project().join("notes.txt")).unwrap();
    touched.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "x", "--", "notes.txt"]).transcript();
    assert!(seen.contains("error: nothing to commit") && !seen.contains("warning: "), "{seen}");
}

#[test]
fn no_key_is_made_where_nothing_is_to_commit() {
    let sandbox = Sandbox::with_items();
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["commit", "--quiet", "--message", "unsigned"]);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "nothing"]).transcript();
    assert!(seen.contains("error: nothing to commit") && !seen.contains("made the person key"), "{seen}");
    assert!(!sandbox.path("config/rye/keys/person").exists());
}

#[test]
fn hooks_and_editor_work_and_do_not_see_the_key() {
    let sandbox = Sandbox::with_items();
    let key = fs::read_to_string({
        sandbox.rye(&["key", "generate", "-q"]).succeeds();
        sandbox.path("config/rye/keys/person")
    })
    .unwrap();
    let seen = sandbox.path("seen").display().to_string();
    script(&sandbox, "project/.git/hooks/pre-commit", &format!("env >{seen}; git diff --cached --name-only >>{seen}"));
    script(&sandbox, "project/.git/hooks/commit-msg", "echo 'Reviewed-by: nobody' >>\"$1\"");
    let editor = script(&sandbox, "editor", "echo 'from the editor' >\"$1\"");
    let own = "[secrets.MY_KEY]\nhosts = [\"example.org\"]\nitems = [\"my/server\"]\n";
    fs::write(sandbox.path("config/rye/config.toml"), own).unwrap();
    let mut commit = sandbox.rye(&["commit", "--yes"]).env("GIT_EDITOR", &editor).env("RYE_SIGNING_KEY", &key);
    commit = commit.env("MY_KEY", "own secret").env("OTHER", "kept");
    let transcript = commit.transcript();
    assert!(transcript.ends_with("[exit 0]\n"), "{transcript}");
    assert_eq!(sandbox.git(&["log", "-1", "--format=%B"]).trim(), "from the editor\nReviewed-by: nobody");
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.contains(ECHO) && !seen.contains("PRIVATE KEY") && !seen.contains("RYE_SIGNING_KEY"), "{seen}");
    assert!(!seen.contains("MY_KEY") && !seen.contains("own secret") && seen.contains("OTHER=kept"), "{seen}");
    assert_verifies(&sandbox, "HEAD");
    assert_eq!(fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0, "the socket is gone");
}

#[test]
fn a_hook_that_says_no_keeps_the_commit_from_being_made() {
    let sandbox = Sandbox::with_items();
    script(&sandbox, "project/.git/hooks/pre-commit", "echo 'not today' >&2; exit 1");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).transcript();
    assert!(seen.contains("not today\n") && seen.contains("error: git made no commit\n"), "{seen}");
    assert!(seen.contains("hint: signed items stay signed and staged") && seen.ends_with("[exit 1]\n"), "{seen}");
    let staged = sandbox.git(&["show", &format!(":{ECHO}")]);
    assert!(staged.starts_with("# rye:signed:"), "{staged}");
    fs::remove_file(sandbox.project().join(".git/hooks/pre-commit")).unwrap();
    sandbox.rye(&["commit", "--yes", "-qm", "yes"]).succeeds();
    assert_clean(&sandbox);
}

#[test]
fn the_last_commit_is_amended() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox.edit(NOTES, "short", "amended");
    sandbox.rye(&["commit", "--yes", "--amend", "-qm", "first, amended"]).succeeds();
    assert_eq!(sandbox.git(&["log", "--format=%s"]), "first, amended\n");
    assert_verifies(&sandbox, "HEAD");
    assert_eq!(note(&sandbox, "HEAD").len(), 4);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

#[test]
fn a_detached_head_and_a_linked_work_tree_have_commits_too() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["checkout", "-q", "--detach"]);
    sandbox.edit(NOTES, "short", "detached");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "detached"]).transcript();
    assert!(seen.contains("on a detached `HEAD`\n") && seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
    let linked = sandbox.path("linked");
    let text = fs::read_to_string(linked.join(NOTES)).unwrap();
    fs::write(linked.join(NOTES), text.replace("detached", "linked")).unwrap();
    let seen = sandbox.rye(&["-C", linked.to_str().unwrap(), "commit", "--yes", "-m", "linked"]).transcript();
    assert!(seen.contains("on linked\n") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert_verifies(&sandbox, "linked");
    assert!(!note(&sandbox, "linked").is_empty());
    assert_clean(&sandbox);
}

/// Files that a sparse checkout leaves out were not removed, and do not prevent a commit of the rest.
#[test]
fn what_a_sparse_checkout_leaves_out_stays() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/.ai/tools/"]);
    assert!(!sandbox.project().join(ECHO).exists());
    sandbox.edit(NOTES, "short", "sparse");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "notes"]).transcript();
    assert!(seen.contains("signed\tknowledge\tdemo/notes") && seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.edit(NOTES, "sparse", "very sparse");
    sandbox.rye(&["commit", "--yes", "-qm", "by path", ".ai"]).succeeds();
    assert_eq!(sandbox.git(&["diff", "--name-only", "HEAD~2", "HEAD"]).trim(), NOTES);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();

    // An index that names whole folders, and a work tree without any item.
    sandbox.put("src/main.rs", "");
    sandbox.git(&["add", "src"]);
    sandbox.git(&["commit", "-qm", "source"]);
    sandbox.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    assert!(sandbox.git(&["ls-files", "--sparse"]).starts_with(".ai/\n"));
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.put("src/main.rs", "// by git\n");
    sandbox.git(&["commit", "-qam", "by git"]);
    sandbox.put("src/main.rs", "// by rye\n");
    sandbox.git(&["add", "src"]);
    sandbox.rye(&["commit", "--yes", "-qm", "by rye"]).succeeds();
    assert_eq!(sandbox.git(&["diff", "--name-only", "HEAD~2", "HEAD"]).trim(), "src/main.rs");
    // The name of an item that is left out is taken all the same.
    sandbox.put(".ai/knowledge/demo/notes.yaml", "name: notes\n");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).transcript();
    assert!(seen.contains("notes.yaml") && seen.ends_with("[exit 2]\n"), "{seen}");
}

#[test]
fn sha256_and_a_git_folder_elsewhere_make_no_difference() {
    let ways: [&[&str]; 2] = [&["--object-format=sha256"], &["--separate-git-dir=../elsewhere.git"]];
    for way in ways {
        let sandbox = Sandbox::with_items();
        sandbox.signs_own();
        fs::remove_dir_all(sandbox.project().join(".git")).unwrap();
        sandbox.git(&[&["init", "-q", "-b", "main"], way].concat());
        sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
        sandbox.rye(&["hook", "install", "-q"]).succeeds();
        sandbox.edit(NOTES, "short", "changed");
        sandbox.git(&["commit", "-qam", "second"]);
        sandbox.edit(NOTES, "changed", "changed again");
        sandbox.rye(&["commit", "--yes", "-qm", "third"]).succeeds();
        assert_verifies(&sandbox, "HEAD");
        assert_eq!(note(&sandbox, "HEAD~").len(), 1, "the hook's commit got its notes from the next one");
        sandbox.rye(&["verify", "--range", "HEAD~2..HEAD", "-q"]).succeeds();
        assert_clean(&sandbox);
        sandbox.rye(&["hook", "remove", "-q"]).succeeds();
    }
}

/// Two commits at once gave the raw text of git where the other one began a moment later.
#[test]
fn an_index_that_another_program_locks_meanwhile_is_told_in_a_sentence() {
    for command in ["add", "commit --dry-run", "commit --quiet"] {
        let sandbox = Sandbox::signed();
        sandbox.edit(NOTES, "short", "other");
        let lock = sandbox.project().join(".git/index.lock");
        let git = format!(
            "PATH=\"$REST\"; case \" $* \" in *\" {command} \"*) touch {};; esac; exec git \"$@\"",
            lock.display()
        );
        script(&sandbox, "bin/git", &git);
        let rest = sandbox.variables().into_iter().find(|(name, _)| name == "PATH").unwrap().1;
        let path = format!("{}:{rest}", sandbox.path("bin").display());
        let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).env("PATH", &path).env("REST", &rest).transcript();
        assert!(
            seen.contains("error: the index is locked by `[SANDBOX]/project/.git/index.lock`"),
            "{command}: {seen}"
        );
        assert!(seen.contains("hint: end the other git program, or if none runs, run `rm "), "{command}: {seen}");
        assert!(seen.ends_with("[exit 1]\n"), "{command}: {seen}");
        fs::remove_file(lock).unwrap();
        sandbox.rye(&["commit", "--yes", "-m", "yes", "-q"]).succeeds();
    }
}

#[test]
fn where_no_commit_can_be_made_the_reason_is_told_before_anything_is_signed() {
    let sandbox = Sandbox::with_items();
    fs::write(sandbox.project().join(".git/index.lock"), "").unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).transcript();
    assert!(seen.contains("error: the index is locked by `[SANDBOX]/project/.git/index.lock`"), "{seen}");
    assert!(seen.contains("`rm [SANDBOX]/project/.git/index.lock`"), "{seen}");
    fs::remove_file(sandbox.project().join(".git/index.lock")).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).env("GIT_INDEX_FILE", ".git/index").transcript();
    assert!(seen.contains("error: `rye commit` was started inside of a git hook"), "{seen}");
    assert!(seen.contains("`rye hook install`"), "{seen}");
    sandbox.git(&["clone", "-q", "--bare", ".", "../bare"]);
    let bare = sandbox.path("bare");
    let seen = sandbox.rye(&["-C", bare.to_str().unwrap(), "commit", "--yes", "-m", "no"]).transcript();
    assert!(seen.contains("is bare: it has no work tree"), "{seen}");
    let empty = sandbox.path("tmp");
    let seen = sandbox.rye(&["-C", empty.to_str().unwrap(), "commit", "--yes", "-m", "no"]).transcript();
    assert!(seen.contains("is not in a git repository"), "{seen}");
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    assert!(!text.contains("rye:signed"), "{text}");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).env("PATH", "/nowhere").transcript();
    assert!(seen.contains("git") && seen.ends_with("[exit 1]\n"), "{seen}");
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    assert!(!text.contains("rye:signed"), "{text}");
}

#[test]
fn git_gets_signatures_for_commits_only_and_only_from_a_commit_in_progress() {
    let sandbox = Sandbox::with_items();
    fs::write(sandbox.path("data"), "tree 0\n").unwrap();
    let data = sandbox.path("data").display().to_string();
    let refused = |args: &[&str], sentence: &str| {
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains(sentence) && !seen.ends_with("[exit 0]\n"), "{seen}");
        assert!(!sandbox.path("data.sig").exists());
    };
    refused(&["-Y", "sign", "-n", "rye", "-f", "/nowhere", &data], "error: only `rye commit` has this program sign");
    refused(&["-Y", "verify", "-n", "git", "-f", "/nowhere", &data], "error: only `rye commit` has this program sign");
    refused(&["-Y", "sign", "-n", "git", "-f", "/nowhere", &data], "error: the `rye commit` that asked");
    // A hook that asks for something else while a commit is made is refused.
    if !has("ssh-keygen") {
        return;
    }
    let rye = crate::support::RYE;
    let log = sandbox.path("log").display().to_string();
    fs::write(sandbox.path("data"), "object 0\ntype commit\n").unwrap();
    let hook = format!("{rye} -Y sign -n git -f \"$(git config user.signingKey)\" {data} 2>{log}; exit 0");
    script(&sandbox, "project/.git/hooks/pre-commit", &hook);
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    assert_eq!(fs::read_to_string(&log).unwrap(), "error: this is not a commit\n");
    assert!(!sandbox.path("data.sig").exists());
    assert_verifies(&sandbox, "HEAD");
}

/// git said in its own words first that it could not take the lock.
#[test]
fn what_git_says_of_a_locked_index_is_not_repeated() {
    let sandbox = Sandbox::signed();
    sandbox.edit(NOTES, "short", "other");
    let lock = sandbox.project().join(".git/index.lock");
    let after = format!(
        "PATH=\"$REST\"; git \"$@\"; code=$?; case \" $* \" in *\" --dry-run \"*) touch {};; esac; exit $code",
        lock.display()
    );
    script(&sandbox, "bin/git", &after);
    let rest = sandbox.variables().into_iter().find(|(name, _)| name == "PATH").unwrap().1;
    let path = format!("{}:{rest}", sandbox.path("bin").display());
    let seen = sandbox.rye(&["commit", "--yes", "-m", "no"]).env("PATH", &path).env("REST", &rest).transcript();
    assert!(seen.contains("[stderr]\n") && seen.contains("error: the index is locked by `[SANDBOX]"), "{seen}");
    assert!(!seen.contains("fatal:") && !seen.contains("Unable to create"), "{seen}");
}
