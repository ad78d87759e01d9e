//! A place of its own for the program: an empty environment, private folders, a fixed clock and fixed randomness.
//!
//! So keys, signatures and commit ids are the same on every machine and can be in snapshots. Paths of the sandbox are
//! shown as `[SANDBOX]`.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::run::Run;
use super::template::{Template, all_files};

/// The fixed time, also in seconds since 1970.
const NOW: &str = "2026-03-17T01:41:08Z";
const NOW_SECONDS: u64 = 1_773_711_668;

/// The items of a project, each with its path.
const ITEMS: [[&str; 2]; 4] = [
    [".ai/directives/demo/greet.md", include_str!("items/greet.md")],
    [".ai/tools/demo/echo.sh", include_str!("items/echo.sh")],
    [".ai/tools/demo/fail.sh", include_str!("items/fail.sh")],
    [".ai/knowledge/demo/notes.md", include_str!("items/notes.md")],
];

/// A project in a private home.
pub(crate) struct Sandbox {
    folder: TempDir,
    /// Whether the test starts processes itself. It may kill them, and what is left is looked for once in a process.
    has_processes: AtomicBool,
}

/// Another person than the owner of the sandbox: another home, other keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Person(pub(super) &'static str);

impl Person {
    /// Names a person.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }
}

impl Sandbox {
    /// Makes a sandbox whose project is an empty folder: no repository, no keys.
    pub(crate) fn empty() -> Self {
        let folder = super::users::folder();
        for name in ["project", "home", "config", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        super::surveyed::seed(&folder.path().join("home"), Some(NOW_SECONDS));
        Self { folder, has_processes: AtomicBool::new(false) }
    }

    /// Makes a sandbox whose project is a workspace of four unsigned items.
    pub(crate) fn with_items() -> Self {
        let template = Template::of("items", &ITEMS.concat(), &[&super::template::git()]);
        Self::copied(&template).unwrap_or_else(|| Self::made_with_items().offered(&template))
    }

    /// Makes a sandbox whose project's items are signed and committed.
    pub(crate) fn signed() -> Self {
        let programs = [super::template::git(), super::RYE.into()];
        let template = Template::of("signed", &ITEMS.concat(), &programs.each_ref().map(PathBuf::as_path));
        Self::copied(&template).inspect(Self::refresh_index).unwrap_or_else(|| Self::made_signed().offered(&template))
    }

    fn made_with_items() -> Self {
        let sandbox = Self::empty();
        sandbox.git(&["init", "-q", "-b", "main"]);
        for [name, text] in ITEMS {
            sandbox.put(name, text);
        }
        sandbox
    }

    fn made_signed() -> Self {
        let sandbox = Self::made_with_items();
        sandbox.rye(&["sign", "--all", "-q"]).succeeds();
        sandbox.commit("first");
        sandbox
    }

    /// Makes a sandbox by a template, if there is one.
    fn copied(template: &Template) -> Option<Self> {
        let sandbox = Self::empty();
        template.copy_to(sandbox.folder.path()).then_some(sandbox)
    }

    /// Has later tests begin with what this one begins with.
    fn offered(self, template: &Template) -> Self {
        template.keep(self.folder.path());
        self
    }

    /// Has the index know the files that were copied: it names their inodes and times.
    fn refresh_index(&self) {
        self.git(&["update-index", "-q", "--refresh"]);
    }

    /// Has scripts run without a sandbox: those that meet the test in the project.
    pub(crate) fn unconfined(self) -> Self {
        fs::create_dir_all(self.path("config/rye")).unwrap();
        fs::write(self.path("config/rye/config.toml"), "sandbox = \"off\"\n").unwrap();
        self
    }

    /// Adds to the person's configuration.
    pub(crate) fn configure(&self, text: &str) {
        fs::create_dir_all(self.path("config/rye")).unwrap();
        let file = self.path("config/rye/config.toml");
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(file, before + text).unwrap();
    }

    /// Has the person's configuration sign changes to their own items without a question, where no agent wrote anything
    /// yet.
    pub(crate) fn signs_own(&self) {
        let state = self.path("home/.local/state/rye");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("agent_written"), "").unwrap();
        fs::create_dir_all(self.path("config/rye")).unwrap();
        fs::write(self.path("config/rye/config.toml"), "[commit]\nsign = \"own\"\n").unwrap();
    }

    /// Returns the project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Returns a path of the sandbox.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file of the project.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces a text in a file of the project.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.project().join(name)).unwrap();
        assert!(text.contains(from), "`{name}` holds no `{from}`");
        self.put(name, &text.replace(from, to));
    }

    /// Prepares a run in the project.
    pub(crate) fn rye(&self, args: &[&str]) -> Run<'_> {
        Run::new(self, args)
    }

    /// Returns the id of a person's key.
    pub(crate) fn key_id(&self, person: &Person) -> String {
        self.rye(&["key", "generate", "-q"]).by(person).succeeds();
        let keys = self.rye(&["key", "list", "--json"]).by(person).stdout();
        let keys: serde_json::Value = serde_json::from_slice(&keys).unwrap();
        keys["keys"][0]["key_id"].as_str().unwrap().to_owned()
    }

    /// Prepares git in the project.
    pub(crate) fn git_command(&self, args: &[&str]) -> std::process::Command {
        let mut git = std::process::Command::new("git");
        git.env_clear().envs(self.environment()).current_dir(self.project()).args(args);
        git
    }

    /// Runs git in the project, whatever comes of it, and returns its exit code and all it says.
    pub(crate) fn try_git(&self, args: &[&str]) -> (i32, String) {
        let output = self.git_command(args).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), self.redacted(&String::from_utf8_lossy(&said)))
    }

    /// Runs git in the project and returns what it says.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.git_command(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Commits everything in the project.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Returns the environment of every program in the sandbox, for one that the test starts itself. From now on runs are processes, too.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        self.has_processes.store(true, Ordering::Relaxed);
        self.environment()
    }

    /// Tells whether the test started processes itself.
    pub(super) fn has_processes(&self) -> bool {
        self.has_processes.load(Ordering::Relaxed)
    }

    /// Returns the environment of every program in the sandbox.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let folder = |name: &str| self.path(name).display().to_string();
        let fixed = [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_AUTHOR_DATE", NOW),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_DATE", NOW),
            ("RYE_NOW", NOW),
            ("RYE_SEED", "sandbox"),
        ];
        let mut variables: Vec<(String, String)> =
            fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        for (name, value) in [("HOME", "home"), ("XDG_CONFIG_HOME", "config"), ("TMPDIR", "tmp")] {
            variables.push((name.to_owned(), folder(value)));
        }
        variables.push(("GIT_CEILING_DIRECTORIES".to_owned(), self.root().display().to_string()));
        variables.push(("PATH".to_owned(), std::env::var("PATH").unwrap()));
        variables
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Shows paths of the sandbox as `[SANDBOX]`.
    pub(crate) fn redacted(&self, text: &str) -> String {
        text.replace(&self.root().display().to_string(), "[SANDBOX]")
    }
}

#[test]
fn a_copied_sandbox_is_the_one_that_was_made() {
    for (copied, made) in [
        (Sandbox::with_items as fn() -> Sandbox, Sandbox::made_with_items as fn() -> Sandbox),
        (Sandbox::signed, Sandbox::made_signed),
    ] {
        // The second is copied, whoever is first.
        drop(copied());
        let (copied, made) = (copied(), made());
        let files = all_files(copied.folder.path());
        assert_eq!(files, all_files(made.folder.path()));
        let path = copied.root().display().to_string();
        for (name, (_, bytes)) in files {
            assert!(!String::from_utf8_lossy(&bytes).contains(&path), "`{}` names its place", name.display());
        }
        for args in [&["ls-files", "--stage"][..], &["status", "--porcelain", "--ignored"]] {
            assert_eq!(copied.git(args), made.git(args));
        }
        // Without a look into the files: the index knows their inodes and times.
        copied.git(&["diff-files", "--quiet"]);
    }
}
