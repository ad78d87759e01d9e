//! Running git itself: pushing, fetching, committing, staging.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt as _, path::PathBuf};

use rye::git::{Error, Git, InWorkTree, IndexEdit, Mode, PushStatus, PushedRef, StagedEntry};
use rye::redact::{Cleared, Inspector};

use super::{Sandbox, variables};

/// Says that nothing was there to look at.
fn cleared() -> Cleared {
    Inspector::default().finish().unwrap()
}

impl Sandbox {
    fn runner(&self, extra: &[(&str, &str)]) -> Git {
        let text = |(name, value): (&str, std::ffi::OsString)| (name.to_owned(), value.into_string().unwrap());
        let mut environment: BTreeMap<_, _> = variables(&self.path("home")).into_iter().map(text).collect();
        environment.extend(extra.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        Git::new(&git_program(), &self.open(), &environment)
    }

    /// Puts a bare remote `origin` next to the repository.
    fn with_remote() -> Self {
        let sandbox = Self::with_commit(&[]);
        sandbox.git_in(".", ["clone", "-q", "--bare", "repo", "remote.git"]);
        sandbox.git(["remote", "add", "origin", "../remote.git"]);
        sandbox
    }

    fn hook(&self, folder: &str, name: &str, script: &str) {
        let path = format!("{folder}/hooks/{name}");
        self.write(&path, &format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(self.path(&path), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn git_program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join("git")).find(|program| program.is_file()).unwrap()
}

fn pushed(name: &str, status: PushStatus) -> PushedRef {
    PushedRef { name: name.to_owned(), status }
}

const NOTES: &str = "refs/notes/rye";

#[test]
fn a_push_tells_what_became_of_each_ref() {
    let sandbox = Sandbox::with_remote();
    sandbox.git(["notes", "--ref=rye", "add", "-m", "one"]);
    sandbox.git(["tag", "-a", "-m", "t", "v1"]);
    sandbox.git(["config", "push.followTags", "true"]);
    let git = sandbox.runner(&[]);
    let push = |refspecs: &[&str]| git.push("origin", refspecs, &cleared()).unwrap();
    assert_eq!(push(&[NOTES]), [pushed(NOTES, PushStatus::Created)]);
    assert_eq!(push(&[NOTES]), [pushed(NOTES, PushStatus::Unchanged)]);
    sandbox.git(["notes", "--ref=rye", "append", "-m", "two"]);
    let mixed = push(&[NOTES, "refs/heads/main:refs/heads/copy"]);
    assert_eq!(mixed, [pushed(NOTES, PushStatus::Updated), pushed("refs/heads/copy", PushStatus::Created)]);
    assert_eq!(sandbox.git_in("remote.git", ["tag"]), "", "nothing else is pushed");

    // Another process was faster: nothing moves, and the reason says what to do.
    sandbox.git_in("remote.git", ["notes", "--ref=rye", "add", "-f", "-m", "other"]);
    sandbox.git(["notes", "--ref=rye", "append", "-m", "three"]);
    let refused = push(&[NOTES, "refs/heads/main:refs/heads/third"]);
    assert!(refused.iter().all(|it| !it.is_fine()), "{refused:?}");
    assert!(refused.iter().any(PushedRef::is_behind), "{refused:?}");
    assert_eq!(sandbox.git_in("remote.git", ["branch", "--list", "third"]), "");
}

#[test]
fn a_push_that_a_hook_refuses_says_so() {
    let sandbox = Sandbox::with_remote();
    sandbox.hook("remote.git", "update", "exit 1");
    let refused = sandbox.runner(&[]).push("origin", &["main:refs/heads/x"], &cleared()).unwrap();
    let reason = "[remote rejected] (hook declined)".to_owned();
    assert_eq!(refused, [pushed("refs/heads/x", PushStatus::Rejected { reason })]);
    assert!(!refused[0].is_behind());
    sandbox.hook("repo/.git", "pre-push", "echo 'not on my watch' >&2; exit 1");
    let refused = sandbox.runner(&[]).push("origin", &["main:refs/heads/x"], &cleared()).unwrap_err().to_string();
    assert!(refused.starts_with("`git push origin` ended with 1: not on my watch; "), "{refused}");
}

#[test]
fn a_fetch_brings_exactly_what_is_asked_for() {
    let sandbox = Sandbox::with_remote();
    sandbox.git_in("remote.git", ["notes", "--ref=rye", "add", "-m", "theirs"]);
    sandbox.git_in("remote.git", ["tag", "v1"]);
    sandbox.git(["config", "fetch.prune", "true"]);
    sandbox.git(["update-ref", "refs/notes/remotes/origin/rye-old", "HEAD"]);
    let git = sandbox.runner(&[]);
    git.fetch("origin", &["+refs/notes/rye*:refs/notes/remotes/origin/rye*"]).unwrap();
    let refs = sandbox.git(["for-each-ref", "--format=%(refname)"]);
    assert_eq!(
        refs.lines().collect::<Vec<_>>(),
        ["refs/heads/main", "refs/notes/remotes/origin/rye", "refs/notes/remotes/origin/rye-old"]
    );
    let refused = git.fetch("nowhere", &["main"]).unwrap_err().to_string();
    assert!(refused.starts_with("`git fetch nowhere` ended with 128: fatal: 'nowhere' does not appear"), "{refused}");
}

#[test]
fn what_comes_from_outside_is_no_option() {
    let sandbox = Sandbox::with_remote();
    let git = sandbox.runner(&[]);
    let touched = sandbox.path("touched");
    let option = format!("--upload-pack=touch {}", touched.display());
    assert!(git.fetch(&option, &["main"]).is_err());
    assert!(git.fetch("origin", &[&option]).is_err());
    let option = format!("--receive-pack=touch {}", touched.display());
    assert!(git.push(&option, &["main"], &cleared()).is_err());
    assert!(git.push("origin", &[&option], &cleared()).is_err());
    assert!(!touched.exists());
}

#[test]
fn a_commit_is_stock_gits_with_hooks_but_without_the_signing_key() {
    let sandbox = Sandbox::with_commit(&[]);
    let secret = [("RYE_SIGNING_KEY", "secret"), ("GIT_DIR", "/nowhere"), ("GIT_INDEX_FILE", "/nowhere")];
    let git = sandbox.runner(&secret);
    sandbox.hook("repo/.git", "pre-commit", "env > ../seen");
    sandbox.write("repo/new", "n");
    git.add(&["new"]).unwrap();
    git.commit(&[("user.name", "Grace")], &["--quiet", "--no-status", "-m", "by rye"], &cleared()).unwrap();
    assert_eq!(sandbox.git(["log", "-1", "--format=%s %cn", "--", "new"]), "by rye Ada");
    let seen = std::fs::read_to_string(sandbox.path("seen")).unwrap();
    assert!(seen.contains("GIT_INDEX_FILE=") && !seen.contains("secret") && !seen.contains("/nowhere"), "{seen}");
    sandbox.hook("repo/.git", "pre-commit", "exit 1");
    let refused = git.commit(&[], &["--quiet", "--allow-empty", "-m", "no"], &cleared()).unwrap_err();
    assert_eq!(refused.to_string(), "`git commit` ended with 1");
}

#[test]
fn without_git_the_error_names_the_program() {
    let sandbox = Sandbox::with_commit(&[]);
    let git = Git::new(&sandbox.path("bin/git"), &sandbox.open(), &BTreeMap::new());
    let refused = git.add(&["README.md"]).unwrap_err();
    assert!(matches!(refused, Error::Start { program, .. } if program == sandbox.path("bin/git")));
}

fn entry(sandbox: &Sandbox, path: &str, text: &[u8], in_work_tree: InWorkTree) -> StagedEntry {
    let blob_id = sandbox.open().blob_id_of(text);
    StagedEntry { path: path.to_owned(), mode: Mode::File, blob_id, stage: 0, in_work_tree }
}

#[test]
fn what_is_staged_is_told_beside_what_is_in_the_works() {
    let sandbox = Sandbox::with_commit(&[]);
    for (path, text) in [("same", "s"), ("changed", "staged"), ("gone", "g"), ("announced", "a"), ("link", "l")] {
        sandbox.write(&format!("repo/.ai/tools/{path}"), text);
    }
    sandbox.write("repo/.aide/x", "not below");
    sandbox.git(["add", "--intent-to-add", ".ai/tools/announced"]);
    for path in ["same", "changed", "gone", "link"] {
        sandbox.git(["add", &format!(".ai/tools/{path}")]);
    }
    sandbox.git(["add", ".aide"]);
    sandbox.write("repo/.ai/tools/changed", "in the works");
    for path in ["gone", "link"] {
        std::fs::remove_file(sandbox.path(&format!("repo/.ai/tools/{path}"))).unwrap();
    }
    sandbox.write("target", "l");
    std::os::unix::fs::symlink(sandbox.path("target"), sandbox.path("repo/.ai/tools/link")).unwrap();
    let expected = [
        entry(&sandbox, ".ai/tools/changed", b"staged", InWorkTree::Different),
        entry(&sandbox, ".ai/tools/gone", b"g", InWorkTree::Absent),
        entry(&sandbox, ".ai/tools/link", b"l", InWorkTree::Different),
        entry(&sandbox, ".ai/tools/same", b"s", InWorkTree::Same),
    ];
    let repo = sandbox.open();
    assert_eq!(repo.staged_below(".ai", None).unwrap(), expected);
    assert_eq!(repo.staged_below("", None).unwrap().len(), 7);
    assert_eq!(repo.staged_below(".ai", Some(&sandbox.path("no-index"))).unwrap(), []);
    sandbox.write("bad-index", "DIRC");
    assert!(matches!(repo.staged_below("", Some(&sandbox.path("bad-index"))), Err(Error::ReadIndex { .. })));
}

#[test]
fn a_conflict_has_an_entry_for_each_side() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.write("repo/README.md", "side\n");
    sandbox.git(["commit", "-qam", "side"]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.write("repo/README.md", "main\n");
    sandbox.git(["commit", "-qam", "main"]);
    assert!(!sandbox.try_git_in("repo", ["merge", "-q", "side"]).status.success());
    let staged = sandbox.open().staged_below("", None).unwrap();
    let stages: Vec<_> = staged.iter().filter(|entry| entry.path == "README.md").map(|entry| entry.stage).collect();
    assert_eq!(stages, [1, 2, 3]);
}

#[test]
fn the_staged_version_is_replaced_in_the_index_that_is_named() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.write("repo/README.md", "in the works\n");
    std::fs::copy(sandbox.path("repo/.git/index"), sandbox.path("other-index")).unwrap();
    let repo = sandbox.open();
    let mut writer = repo.writer();
    let blob_id = writer.blob(b"signed\n").unwrap();
    writer.sync().unwrap();
    let edit = IndexEdit { path: "README.md".into(), mode: Mode::File, blob_id: blob_id.clone() };
    let other = sandbox.path("other-index");
    sandbox.runner(&[]).with_index_file(&other).update_index(std::slice::from_ref(&edit)).unwrap();
    let staged = |index| repo.staged_below("", index).unwrap().remove(0);
    assert_eq!(staged(Some(&other)).blob_id, blob_id);
    assert_eq!(staged(None).blob_id, repo.blob_id_of(b"hello\n"));
    sandbox.runner(&[]).update_index(&[edit]).unwrap();
    assert_eq!(staged(None).blob_id, blob_id);
    assert_eq!(std::fs::read_to_string(sandbox.path("repo/README.md")).unwrap(), "in the works\n");
}
