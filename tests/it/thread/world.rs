//! A folder with a home, a project and scripted answers, and what every thread in it must hold to.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rye::context::{Context, Surroundings};
use rye::event::{Event, EventData};
use rye::id::ThreadId;
use rye::item::Limits;
use rye::keys::{KeyName, KeyStore};
use rye::ops::execute::Given;
use rye::ops::sign;
use rye::process::CancelFlag;
use rye::project::Project;
use rye::session::Session;
use rye::thread::{self, Error, Observer, Outcome, ReplayStatus, RunOptions};
use serde_json::{Value, json};

use crate::support::inside;
use crate::support::template::{self, Template, all_files};

/// A provider that answers from a file.
pub(crate) const SCRIPTED: &str = "rye/agent/providers/scripted";

/// The content of `<permissions>` when a test does not care.
pub(crate) const FILES: &str = "<execute><tool>rye.file-system.*</tool></execute>";

/// The files of a project's first commit, and its date.
const FIRST_FILES: [[&str; 2]; 3] = [["README.md", "# hello\n"], ["src/a.txt", "a\n"], [".gitignore", "/target\n"]];
const FIRST_DATE: &str = "2026-03-17T01:41:08Z";

/// One test's world.
pub(crate) struct World {
    dir: tempfile::TempDir,
    /// Whether the test starts processes itself. It may kill them, and what is left is looked for once in a process.
    has_processes: AtomicBool,
    /// The project's folder, relative to the world.
    pub(crate) project: &'static str,
}

/// What must not change while a thread runs.
#[derive(Debug, PartialEq)]
pub(crate) struct Untouched {
    index: Option<Vec<u8>>,
    head: Vec<u8>,
    status: String,
    branches: String,
}

/// Keeps the events that were seen, and calls back for each.
pub(crate) struct Seen<F: FnMut(&Event)>(pub(super) Vec<Event>, pub(super) F);

impl<F: FnMut(&Event)> Observer for Seen<F> {
    fn event(&mut self, event: &Event) {
        (self.1)(event);
        self.0.push(event.clone());
    }
}

impl World {
    /// A world without a project.
    pub(crate) fn bare() -> Self {
        // In memory where there is such a place: none of these tests is about a disk's speed.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for folder in ["home", "tmp"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        crate::support::surveyed::seed(&dir.path().join("home"), None);
        Self { dir, has_processes: AtomicBool::new(false), project: "project" }
    }

    /// A world whose project has a repository, and nothing in it.
    pub(crate) fn unborn(init: &[&str]) -> Self {
        let world = Self::bare();
        world.git_in(".", &[&["init", "-q", "-b", "main"], init, &["project"]].concat());
        world.git(&["config", "user.name", "Ada"]);
        world.git(&["config", "user.email", "ada@example.org"]);
        world
    }

    /// A world whose project has one commit: `README.md`, `src/a.txt` and a `.gitignore` that names `target/`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// As [`World::new`], with further arguments for `git init`.
    pub(crate) fn with(init: &[&str]) -> Self {
        let template = Template::of("world", &[FIRST_FILES.as_flattened(), init].concat(), &[&template::git()]);
        let world = Self::bare();
        if template.copy_to(world.dir.path()) {
            // The index names the inodes and times of files.
            world.git(&["update-index", "-q", "--refresh"]);
            return world;
        }
        let world = Self::made_with(init);
        template.keep(world.dir.path());
        world
    }

    fn made_with(init: &[&str]) -> Self {
        let world = Self::unborn(init);
        for [name, text] in FIRST_FILES {
            world.write(name, text);
        }
        world.git(&["add", "-A"]);
        let mut git = Command::new("git");
        git.args(["commit", "-q", "-m", "first"]).current_dir(world.in_project("")).env_clear().envs(world.variables());
        git.envs([("GIT_AUTHOR_DATE", FIRST_DATE), ("GIT_COMMITTER_DATE", FIRST_DATE)]);
        assert!(git.status().unwrap().success());
        world
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(relative)
    }

    /// A path in the project.
    pub(crate) fn in_project(&self, relative: &str) -> PathBuf {
        self.path(self.project).join(relative)
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, relative: &str, text: &str) {
        self.write_at(&self.in_project(relative), text);
    }

    /// Has scripts run without a sandbox: those that meet the test outside of the tree, or do what the sandbox forbids so that the
    /// next defence is tested.
    pub(crate) fn unconfined(self) -> Self {
        self.write_at(&self.path("home/.config/rye/config.toml"), "sandbox = \"off\"\n");
        self
    }

    pub(crate) fn write_at(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        std::fs::read_to_string(self.in_project(relative)).unwrap()
    }

    /// Commits everything in the project.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let home = self.path("home").display().to_string();
        [
            ("HOME", home.as_str()),
            ("TMPDIR", &self.path("tmp").display().to_string()),
            ("PATH", &std::env::var("PATH").unwrap()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CEILING_DIRECTORIES", &self.path("").display().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    pub(crate) fn try_git_in(&self, relative: &str, args: &[&str]) -> Output {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.path(relative)).env_clear().envs(self.variables()).output().unwrap()
    }

    /// Runs git; it must succeed. Returns what it prints.
    pub(crate) fn git_in(&self, relative: &str, args: &[&str]) -> String {
        let output = self.try_git_in(relative, args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs git in the project; it must succeed. Returns what it prints, without the last line break.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(self.project, args).trim_end().to_owned()
    }

    /// The program, to be run in the project. From now on every run is a process.
    pub(crate) fn rye(&self, args: &[&str]) -> Command {
        self.has_processes.store(true, Ordering::Relaxed);
        self.process(args)
    }

    fn process(&self, args: &[&str]) -> Command {
        let mut rye = Command::new(crate::support::RYE);
        rye.args(args).current_dir(self.path(self.project)).env_clear().envs(self.variables());
        rye
    }

    /// Runs the program on a terminal of its own, and answers its questions: the output, and the exit code.
    pub(crate) fn on_terminal(&self, dialogue: &[(&str, &str)], args: &[&str]) -> (String, i32) {
        let mut python = Command::new("python3");
        python.env_clear().envs(self.variables()).env("NO_COLOR", "1").current_dir(self.in_project(""));
        let dialogue = serde_json::to_string(dialogue).unwrap();
        python.args(["-I", "-c", include_str!("../support/terminal.py"), &dialogue, crate::support::RYE]);
        let output = python.args(args).stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        (format!("{}{errors}", String::from_utf8_lossy(&output.stdout)), output.status.code().unwrap())
    }

    /// Runs the program in the project with `--json`: its exit code and the object it prints.
    pub(crate) fn rye_json(&self, args: &[&str]) -> (i32, Value) {
        let (code, stdout, stderr) = self.ended(&[args, &["--json"]].concat());
        let shown = String::from_utf8_lossy(&stderr).into_owned();
        let value = serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("no JSON for {args:?}: {shown}"));
        (code.unwrap_or(-1), value)
    }

    /// Runs the program, in this process where that makes no difference.
    fn ended(&self, args: &[&str]) -> (Option<i32>, Vec<u8>, Vec<u8>) {
        let words: Vec<String> = args.iter().map(|&word| word.to_owned()).collect();
        if !self.has_processes.load(Ordering::Relaxed)
            && let Some(ran) = inside::run(&self.in_project(""), &self.variables(), &words)
        {
            return (Some(ran.code.into()), ran.stdout, ran.stderr);
        }
        let output = self.process(args).output().unwrap();
        (output.status.code(), output.stdout, output.stderr)
    }

    pub(crate) fn context(&self, overrides: &[&str]) -> Context {
        let surroundings = Surroundings {
            current_dir: self.path(self.project),
            program: crate::support::RYE.into(),
            variables: self.variables(),
        };
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        Context::new(surroundings, None, &overrides).unwrap()
    }

    /// Signs an item of the project with a key of the home.
    pub(crate) fn sign(&self, key: KeyName, id: &str) {
        let ctx = self.context(&[]);
        let (key, _) = KeyStore::new(&ctx).unwrap().find_or_create(&ctx, key).unwrap();
        let options =
            sign::Options { item_type: None, patterns: vec![id.to_owned()], again: false, check: false, version: None };
        let outcome = sign::sign(&Project::open(&ctx).unwrap(), &options, &key).unwrap();
        assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    }

    /// Writes a directive `demo/work` of the project, signed by its person.
    pub(crate) fn directive(&self, permissions: &str, limits: &str, outputs: &str) {
        self.write(".ai/directives/demo/work.md", &directive("work", permissions, limits, outputs));
        self.sign(KeyName::Person, "demo/work");
    }

    /// Writes a shell tool of the project, signed by its person.
    pub(crate) fn tool(&self, id: &str, script: &str) {
        self.write(&format!(".ai/tools/{id}.sh"), &tool(script));
        self.sign(KeyName::Person, id);
    }

    /// Writes the scripted answers, outside the project.
    pub(crate) fn script(&self, turns: &[Value]) -> PathBuf {
        let path = self.path("script.jsonl");
        std::fs::write(&path, turns.iter().map(|turn| format!("{turn}\n")).collect::<String>()).unwrap();
        path
    }

    /// Runs `demo/work` by scripted answers.
    pub(crate) fn run(&self, turns: &[Value]) -> Outcome {
        self.try_run(&self.options(turns)).unwrap()
    }

    pub(crate) fn options(&self, turns: &[Value]) -> RunOptions {
        RunOptions {
            directive: "demo/work".parse().unwrap(),
            given: Given::default(),
            provider: Some(SCRIPTED.parse().unwrap()),
            model: None,
            script: Some(self.script(turns)),
            limits: Limits::default(),
            patience: None,
            caller: None,
            granted: None,
            with_changes: false,
            rerun_of: None,
            words_of: None,
            in_place: false,
        }
    }

    pub(crate) fn try_run(&self, options: &RunOptions) -> Result<Outcome, Error> {
        self.try_run_with(options, &[], &CancelFlag::new(), |_| ())
    }

    /// Runs a thread, and holds it to what holds for every thread.
    pub(crate) fn try_run_with(
        &self,
        options: &RunOptions,
        overrides: &[&str],
        cancel: &CancelFlag,
        each: impl FnMut(&Event),
    ) -> Result<Outcome, Error> {
        let ctx = self.context(overrides);
        let mut seen = Seen(Vec::new(), each);
        let before = (self.untouched(), self.persons_files());
        let outcome = thread::run(&Session::open(&ctx)?, options, cancel, &mut seen)?;
        assert_eq!((self.untouched(), self.persons_files()), before, "what is the person's is as it was");
        assert_eq!(self.trees(), Vec::<String>::new(), "the thread's tree is gone");
        assert_eq!(seen.0, self.events(&outcome), "the observer sees the log");
        self.check(&outcome);
        Ok(outcome)
    }

    /// Shows the thread of an outcome that the program printed.
    pub(crate) fn shown(&self, printed: &Value) -> Outcome {
        let ctx = self.context(&[]);
        let thread_id: ThreadId = printed["thread_id"].as_str().unwrap().parse().unwrap();
        thread::show(&Session::open(&ctx).unwrap(), &thread_id).unwrap()
    }

    /// Adds a commit of somebody to a thread's branch, with these files of the thread's own folder.
    pub(crate) fn tamper(&self, outcome: &Outcome, files: &[(&str, &str)], message: &str) {
        let branch = outcome.branch.trim_start_matches("refs/heads/");
        self.git(&["worktree", "add", "-q", "../tampered", branch]);
        for (name, text) in files {
            let folder = self.path("tampered/.ai/threads").join(outcome.thread_id.as_str());
            self.write_at(&folder.join(name), text);
        }
        self.git_in("tampered", &["add", "--force", "--all"]);
        self.git_in("tampered", &["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["worktree", "remove", "--force", "../tampered"]);
    }

    /// A person's files in the repository outside of threads.
    pub(crate) fn untouched(&self) -> Untouched {
        let git_dir = PathBuf::from(self.git(&["rev-parse", "--absolute-git-dir"]));
        let heads = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        Untouched {
            status: self.git(&["--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored"]),
            index: std::fs::read(git_dir.join("index")).ok(),
            head: std::fs::read(git_dir.join("HEAD")).unwrap(),
            branches: heads
                .lines()
                .filter(|line| !line.contains("/threads/") && !line.starts_with("refs/rye/archive/"))
                .collect(),
        }
    }

    /// The log of record, parsed.
    pub(crate) fn events(&self, outcome: &Outcome) -> Vec<Event> {
        self.events_of(&outcome.thread_id)
    }

    pub(crate) fn events_of(&self, thread_id: &ThreadId) -> Vec<Event> {
        let common = PathBuf::from(self.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]));
        let path = common.join("rye/threads").join(thread_id.as_str()).join("events.jsonl");
        parsed(&std::fs::read_to_string(path).unwrap())
    }

    /// The commits of a thread, oldest first, in a format of `git log`.
    pub(crate) fn log(&self, outcome: &Outcome, format: &str) -> Vec<String> {
        let format = format!("--format={format}");
        let mut args = vec!["log", "--reverse", &format, &outcome.branch];
        let not = outcome.base.as_ref().map(|base| format!("^{base}"));
        args.extend(not.as_deref());
        self.git(&args).lines().map(str::to_owned).collect()
    }

    /// The paths each commit of a thread changed, without those of the thread's own folder.
    pub(crate) fn changed(&self, outcome: &Outcome) -> Vec<Vec<String>> {
        let own = format!(".ai/threads/{}/", outcome.thread_id);
        let paths = |commit: &String| {
            let shown = self.git(&["show", "--root", "--format=", "--name-only", commit]);
            shown.lines().filter(|path| !path.starts_with(&own)).map(str::to_owned).collect()
        };
        self.log(outcome, "%H").iter().map(paths).collect()
    }

    /// A file of the project as a thread left it; `None` if missing.
    pub(crate) fn in_thread(&self, outcome: &Outcome, path: &str) -> Option<String> {
        let output = self.try_git_in(self.project, &["show", &format!("{}:{path}", outcome.branch)]);
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    /// Every file of the project but git's own, with its bytes and mode: the person's, which no thread may change.
    pub(crate) fn persons_files(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.in_project("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let found = path.symlink_metadata().unwrap();
                if path.file_name().is_some_and(|name| name == ".git") {
                    continue;
                } else if found.is_dir() {
                    folders.push(path);
                } else if found.is_symlink() {
                    let target = std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                    files.insert(path, (found.permissions().mode(), target));
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    files.insert(path, (found.permissions().mode(), bytes));
                }
            }
        }
        files
    }

    /// The trees of threads that are there.
    pub(crate) fn trees(&self) -> Vec<String> {
        let listed = self.git(&["worktree", "list", "--porcelain"]);
        listed.lines().filter(|line| line.contains("/rye/trees/")).map(str::to_owned).collect()
    }

    /// A file of the thread's own folder at the branch's tip.
    pub(crate) fn thread_file(&self, outcome: &Outcome, name: &str) -> String {
        self.git_in(self.project, &["show", &format!("{}:.ai/threads/{}/{name}", outcome.branch, outcome.thread_id)])
    }

    /// Holds an ended thread to what docs/formats.md, section 6, promises of every one.
    pub(crate) fn check(&self, outcome: &Outcome) {
        check_events(&self.events(outcome));
        self.check_record(outcome);
    }

    /// Holds an ended fork to it: its turns go on counting.
    pub(crate) fn check_fork(&self, outcome: &Outcome) {
        check_events_from(&self.events(outcome), outcome.forked_from.as_ref().unwrap().turn);
        self.check_record(outcome);
    }

    /// Holds the branch of an ended thread to its log and to its replay.
    pub(crate) fn check_record(&self, outcome: &Outcome) {
        let events = self.events(outcome);
        let folder = format!(".ai/threads/{}/turns/", outcome.thread_id);
        let names = self.git(&["ls-tree", "-r", "--name-only", &outcome.branch, &folder]);
        let names: Vec<String> = names.lines().map(|path| format!("{}:{path}", outcome.branch)).collect();
        let show = [&["show"], &names.iter().map(String::as_str).collect::<Vec<_>>()[..]];
        assert_eq!(parsed(&self.git(&show.concat())), events, "the branch holds the log");
        let record: Value = serde_json::from_str(&self.thread_file(outcome, "thread.json")).unwrap();
        assert_eq!(record["status"], json!(outcome.status));
        assert_eq!(record["usage"], json!(outcome.usage));
        assert_eq!(record["spend"], json!(outcome.spend));
        let fsck = self.try_git_in(self.project, &["fsck", "--strict", "--no-dangling"]);
        assert!(fsck.status.success() && fsck.stdout.is_empty(), "{}", String::from_utf8_lossy(&fsck.stderr));
        self.verify_commits(outcome, &[&outcome.branch]);
        self.replays(outcome);
    }

    /// Holds every ended thread to the law that its record equals the derived one.
    pub(crate) fn replays(&self, outcome: &Outcome) {
        let prefix = outcome.branch.trim_start_matches("refs/heads/").split("/threads/").next().unwrap();
        let ctx = self.context(&[]);
        assert_eq!(ctx.config().threads.prefix, prefix);
        let replay = thread::replay(&Session::open(&ctx).unwrap(), &outcome.thread_id).unwrap();
        assert_eq!(replay.status, ReplayStatus::Same, "{replay:#?}");
        assert!(replay.has_ended && replay.derived == replay.commits, "{replay:#?}");
    }

    /// Has stock git verify commits by the file the thread names.
    pub(crate) fn verify_commits(&self, outcome: &Outcome, commits: &[&str]) {
        let signers = outcome.allowed_signers.as_ref().unwrap().display().to_string();
        let signers = format!("gpg.ssh.allowedSignersFile={signers}");
        if crate::support::has("ssh-keygen") {
            self.git(&[&["-c", &signers, "verify-commit"], commits].concat());
        }
    }
}

/// The JSON of a turn that calls tools.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls.iter().map(|(name, input)| json!({"name": name, "input": input})).collect();
    json!({ "calls": calls })
}

/// The JSON of a turn that calls one tool.
pub(crate) fn call(name: &str, input: Value) -> Value {
    calls(&[(name, input)])
}

/// The JSON of a turn that writes a file.
pub(crate) fn write(path: &str, content: &str) -> Value {
    call("rye_file_system_write", json!({"path": path, "content": content}))
}

/// The JSON of a turn that only speaks.
pub(crate) fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// The content of `<permissions>` without grants: an empty element is an error.
pub(crate) const NOTHING: &str = "<read resource=\"filesystem\" path=\"nothing\" />";

pub(crate) fn directive(name: &str, permissions: &str, limits: &str, outputs: &str) -> String {
    let permissions = if permissions.is_empty() { NOTHING } else { permissions };
    let outputs = if outputs.is_empty() { String::new() } else { format!("<outputs>{outputs}</outputs>") };
    format!(
        "# Work\n\n```xml\n<directive name=\"{name}\" version=\"1.0.0\">\n  <metadata>\n    <description>Work</description>\n    \
         <category>demo</category>\n    <author>ada</author>\n    <model tier=\"scripted\" />\n    <limits {limits} />\n    \
         <permissions>{permissions}</permissions>\n  </metadata>\n  {outputs}\n</directive>\n```\n\n\
         <process>\n  <step name=\"work\">Work.</step>\n</process>\n"
    )
}

pub(crate) fn tool(script: &str) -> String {
    format!("#!/bin/sh\n# version: 1.0.0\n# description: A tool\n# category: demo\n{script}\n")
}

/// The result of the first call of a turn.
pub(crate) fn result_in_turn(events: &[Event], turn: u32) -> Value {
    let result = |event: &Event| match &event.what {
        EventData::ToolCallResult { status, output, .. } if event.turn == turn => {
            Some(json!({"status": status, "output": output}))
        }
        _ => None,
    };
    events.iter().find_map(result).unwrap()
}

/// The `type` of each event.
pub(crate) fn types(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(name).collect()
}

fn parsed(lines: &str) -> Vec<Event> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Holds a whole log to its promises: no gap, results for all calls in their order, one end and nothing after it.
pub(crate) fn check_events(events: &[Event]) {
    check_events_from(events, 0);
}

/// The same, of a thread whose turns go on from another one's.
fn check_events_from(events: &[Event], first: u32) {
    let (mut open, mut known, mut steps, mut finished) = (Vec::new(), BTreeSet::new(), first, first);
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event.seq, at as u64);
        assert_eq!(event.what.is_terminal(), at + 1 == events.len(), "{event:?}");
        match &event.what {
            EventData::StepStart { turn } => {
                steps += 1;
                assert_eq!((*turn, event.turn), (steps, steps));
            }
            EventData::StepFinish { .. } => finished += 1,
            // A summary has a number of its own, and a request that was too long is made again.
            EventData::SummaryStart { .. } => (steps, finished) = (steps + 1, finished + 1),
            EventData::ContextRefused { .. } => steps -= 1,
            EventData::ToolCallStart { call_id, .. } => {
                assert!(known.insert(call_id.clone()), "{call_id} twice");
                open.push(call_id.clone());
            }
            EventData::ToolCallResult { call_id, .. } => assert_eq!(open.remove(0), *call_id),
            _ => (),
        }
        if matches!(event.what, EventData::StepStart { .. } | EventData::StepFinish { .. }) {
            assert_eq!(open, Vec::<String>::new());
        }
    }
    assert_eq!(open, Vec::<String>::new());
    assert!(finished == steps || finished + 1 == steps, "{finished} of {steps}");
}

#[test]
fn a_copied_world_is_the_one_that_was_made() {
    // The second is copied, whoever is first.
    drop(World::new());
    let (copied, made) = (World::new(), World::made_with(&[]));
    let files = all_files(copied.dir.path());
    assert_eq!(files, all_files(made.dir.path()));
    let path = copied.path("").display().to_string();
    for (name, (_, bytes)) in files {
        assert!(!String::from_utf8_lossy(&bytes).contains(&path), "`{}` names its place", name.display());
    }
    assert_eq!(copied.git(&["ls-files", "--stage"]), made.git(&["ls-files", "--stage"]));
    assert_eq!(copied.untouched().status, made.untouched().status);
    copied.git(&["diff-files", "--quiet"]);
}
