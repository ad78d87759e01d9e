//! The door to git against temporary repositories; stock `git` makes the states and judges the results.
//!
//! Each test has its own folder with a home that holds no configuration; no variable of the caller reaches git.

#![expect(clippy::unwrap_used, reason = "tests")]

mod branches;
mod commands;
mod concurrency;
mod discovery;
mod history;
mod merges;
mod notes;
mod reading;
mod revisions;
mod states;
mod tools_config;
mod work_tree;
mod writing;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use rye::git::{BranchUpdate, CommitId, GitEnvironment, NewCommit, Repository, Signature, TreeEdit};

/// 2026-01-01T00:00:00Z.
const NOW: i64 = 1_767_225_600;

/// A branch as threads have it.
const THREAD: &str = "refs/heads/rye/threads/a";

/// A folder for one test.
struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    /// A sandbox with a repository at `repo` that has one commit: `README.md` and `src/a.txt`, on `main`.
    fn with_commit(init: &[&str]) -> Self {
        let sandbox = Self::new();
        sandbox.git_in(".", [&["init", "-q", "-b", "main"], init, &["repo"]].concat());
        sandbox.write("repo/README.md", "hello\n");
        sandbox.write("repo/src/a.txt", "a\n");
        sandbox.git(["add", "."]);
        sandbox.git(["commit", "-q", "-m", "first"]);
        sandbox
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn environment(&self) -> GitEnvironment {
        GitEnvironment {
            home: Some(self.path("home")),
            ceiling_directories: vec![self.path("")],
            ..GitEnvironment::default()
        }
    }

    fn open(&self) -> Repository {
        self.open_at("repo")
    }

    fn open_at(&self, relative: &str) -> Repository {
        Repository::discover(&self.path(relative), &self.environment()).unwrap().unwrap()
    }

    /// Runs git in `repo`; it must succeed. Returns what it prints, trimmed.
    fn git<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> String {
        self.git_in("repo", args)
    }

    fn git_in<A: AsRef<OsStr>>(&self, relative: &str, args: impl IntoIterator<Item = A>) -> String {
        let output = self.try_git_in(relative, args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn try_git_in<A: AsRef<OsStr>>(&self, relative: &str, args: impl IntoIterator<Item = A>) -> Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.path(relative)).env_clear().envs(variables(&self.path("home")));
        command.output().unwrap()
    }

    fn head(&self) -> CommitId {
        CommitId::parse(&self.git(["rev-parse", "HEAD"])).unwrap()
    }

    /// `git fsck --strict` reports nothing; dangling objects are not a fault.
    fn assert_sound(&self) {
        let output = self.try_git_in("repo", ["fsck", "--strict", "--no-dangling"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let said = said.lines().filter(|line| !line.starts_with("notice: ")).collect::<Vec<_>>();
        assert!(output.status.success() && said.is_empty(), "{said:?}");
    }
}

fn variables(home: &Path) -> Vec<(&'static str, std::ffi::OsString)> {
    let fixed = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ("GIT_AUTHOR_DATE", "1767225600 +0000"),
        ("GIT_COMMITTER_DATE", "1767225600 +0000"),
        ("LC_ALL", "C"),
    ];
    let inherited = [("HOME", home.into()), ("PATH", std::env::var_os("PATH").unwrap_or_default())];
    fixed.map(|(name, value)| (name, value.into())).into_iter().chain(inherited).collect()
}

fn ada() -> Signature {
    Signature::new("Ada", "ada@example.org", NOW)
}

/// Writes a commit on top of `parent` that puts `text` at `path`.
fn commit(writer: &mut rye::git::Writer<'_>, parent: Option<&CommitId>, path: &str, text: &str) -> CommitId {
    let base = parent.map(|parent| writer.repository().tree_of(parent).unwrap());
    let blob_id = writer.blob(text.as_bytes()).unwrap();
    let edit = TreeEdit::Upsert { path: path.into(), executable: false, blob_id };
    let tree_id = writer.tree(base.as_ref(), &[edit]).unwrap();
    let new = NewCommit {
        tree_id,
        parents: parent.into_iter().cloned().collect(),
        author: ada(),
        committer: ada(),
        message: format!("put {path}\n"),
    };
    writer.commit(&new, None).unwrap()
}

/// Calls `move_branch` with an update of `name` to `commit_id`.
fn update<'a>(name: &'a str, commit_id: &'a CommitId, committer: &'a Signature) -> BranchUpdate<'a> {
    BranchUpdate { name, commit_id, message: "test: move", committer }
}

/// Creates a branch with one commit on top of `parent` and returns that commit.
fn start_branch(repo: &Repository, name: &str, parent: Option<&CommitId>) -> CommitId {
    let mut writer = repo.writer();
    let commit_id = commit(&mut writer, parent, "turn.txt", "0\n");
    writer.create_branch(update(name, &commit_id, &ada())).unwrap();
    commit_id
}
