//! How long a thread takes when the model takes no time: as a whole, and per turn when it has grown long.
//!
//! Run with `cargo bench --bench threads`; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;
#[path = "common/turns.rs"]
mod turns;

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use common::{RYE, Workspace, head, measure, row};
use rye::event::{Event, EventData};
use rye::git::{NewCommit, TreeEdit};
use rye::item::Limits;
use rye::keys::{KeyName, KeyStore};
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{self, ForkOptions, Observer, Outcome, RunOptions, Status};
use rye::trust::Namespace;
use turns::{Turn, Turns};

const RUNS: usize = 51;
/// Turns of the long thread, and how many at its beginning and end are compared.
const TURNS: usize = 1_000;
const WINDOW: usize = 20;
/// Threads that are listed.
const THREADS: usize = 10_000;
/// Bytes that a turn writes to one file, about.
const WRITTEN: usize = 3_000;
const SCRIPTED: &str = "rye/agent/providers/scripted";
const SENTENCE: &str = "What came to mind. ";

const DIRECTIVE: &str = r#"# Long

```xml
<directive name="long" version="1.0.0">
  <metadata>
    <description>Write a note again and again</description>
    <category></category>
    <author>bench</author>
    <model tier="scripted" />
    <limits turns="1000" tokens="1000000000000" duration="3600" />
    <permissions>
      <execute><tool>rye.file-system.*</tool></execute>
      <read resource="filesystem" path="notes/**" />
      <write resource="filesystem" path="notes/**" />
    </permissions>
  </metadata>
</directive>
```

<process>
  <step name="write">
    Write what comes to mind to notes/, turn by turn.
  </step>
</process>
"#;

fn main() {
    let workspace = Workspace::new();
    workspace.write(".ai/directives/long.md", DIRECTIVE);
    workspace.write("short.jsonl", &script(1));
    workspace.write("long.jsonl", &script(TURNS - 1));
    workspace.rye(&["sign", "--all"]);
    let tidy = |_| ();

    head("a whole thread");
    let run = |program: &str, args: &[&str]| measure(RUNS, tidy, |_| workspace.command(program, args));
    let provider = ["--provider", SCRIPTED];
    let short = [&["thread", "run", "long", "--script", "short.jsonl"], &provider[..]].concat();
    row("`git commit --allow-empty`, one", run("git", &["commit", "--quiet", "--allow-empty", "--message", "empty"]));
    row("two turns, one of them a write", run(RYE, &short));
    row("the guide, six turns", run(RYE, &["thread", "run", "rye/guides/first_thread"]));

    for files in [100, 10_000, 50_000] {
        trees(files);
    }
    list();

    fork(&workspace);

    head("turns of one long thread, each with a write of 3,000 bytes");
    let turns = long_thread(&workspace);
    assert_eq!(turns.len(), TURNS);
    for last in [WINDOW, 200, TURNS - 1] {
        let window = &turns[last - WINDOW..last];
        let from = last - WINDOW + 1;
        row(&format!("turns {from} to {last}"), window.iter().map(|turn| turn.whole).collect());
        let without = window.iter().map(|turn| turn.whole - turn.asking).collect();
        row(&format!("turns {from} to {last}, without the provider"), without);
    }
}

/// Turns of the thread that is forked.
const FORKED: u32 = 10_000;

/// Forks a thread of many turns at its last one: until the new branch is there, and of that what its first commit takes.
fn fork(workspace: &Workspace) {
    workspace.write(
        ".ai/directives/wide.md",
        &DIRECTIVE.replace("\"long\"", "\"wide\"").replace("1000\" tokens", "99999\" tokens"),
    );
    // A call of a tool that is not there is answered by the machine itself.
    workspace.write("wide.jsonl", "{\"calls\": [{\"name\": \"nope\", \"input\": {}}]}\n");
    workspace.rye(&["sign", "directive", "wide"]);
    let ctx = turns::context(workspace, &[]);
    let session = Session::open(&ctx).unwrap();
    let options = RunOptions { script: Some("wide.jsonl".into()), ..turns::options("wide", SCRIPTED) };
    let thread = thread::run(&session, &options, &CancelFlag::new(), &mut Turns::default()).unwrap();
    grow(workspace, &session, &thread);
    workspace.write("wide.jsonl", &("{}\n".repeat(FORKED as usize) + "{\"text\": \"Done.\"}\n"));
    let options = ForkOptions {
        thread_id: thread.thread_id,
        turn: FORKED,
        provider: None,
        model: None,
        script: Some("wide.jsonl".into()),
        limits: Limits::default(),
        patience: None,
    };
    head(&format!("the fork of a thread of {FORKED} turns"));
    let (mut whole, mut commits) = (Vec::new(), Vec::new());
    for _ in 0..11 {
        let (begun, mut fork) = (Instant::now(), Forked::default());
        thread::fork(&session, &options, &CancelFlag::new(), &mut fork).unwrap();
        whole.push(fork.asked.unwrap() - begun);
        commits.push(fork.asked.unwrap() - fork.forked.unwrap());
    }
    row("until the model is asked", whole);
    row("of that: the first commit and the new branch", commits);
}

/// Sees when a fork is recorded, and when its model is asked.
#[derive(Default)]
struct Forked {
    forked: Option<Instant>,
    asked: Option<Instant>,
}

impl Observer for Forked {
    fn event(&mut self, event: &Event) {
        match event.what {
            EventData::ThreadForked { .. } => self.forked = Some(Instant::now()),
            EventData::StepStart { .. } => self.asked = Some(Instant::now()),
            _ => {}
        }
    }
}

/// Puts further turns like the first one on a thread's branch, signed by the agent.
fn grow(workspace: &Workspace, session: &Session, thread: &Outcome) {
    let repository = session.project().require_repository().unwrap();
    let (key, _) = KeyStore::new(session.context()).unwrap().find_or_create(session.context(), KeyName::Agent).unwrap();
    let mut commit_id = repository.resolve(&format!("{}~1", thread.branch)).unwrap();
    let first = repository.commit_info(&commit_id).unwrap();
    let folder = format!(".ai/threads/{}/turns", thread.thread_id);
    let events = repository.file_at(&commit_id, &format!("{folder}/00/0001.jsonl")).unwrap().unwrap();
    let events: Vec<serde_json::Value> =
        String::from_utf8(events).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sign = |bytes: &[u8]| Ok(key.sign_armored(Namespace::Git, bytes));
    let mut tree_id = first.tree_id.clone();
    let mut writer = repository.writer();
    for turn in 2..=FORKED {
        let mut lines = String::new();
        for event in &events {
            let mut event = event.clone();
            event["seq"] = (event["seq"].as_u64().unwrap() + u64::from(turn - 1) * events.len() as u64).into();
            event["turn"] = turn.into();
            let data = event["data"].as_object_mut().unwrap();
            for (name, value) in [
                ("turn", turn.into()),
                ("call_id", format!("call-{turn}-1").into()),
                ("state", serde_json::json!({"turns": turn})),
            ] {
                if let Some(old) = data.get_mut(name) {
                    *old = value;
                }
            }
            lines += &format!("{event}\n");
        }
        let path = format!("{folder}/{:02}/{turn:04}.jsonl", turn / 100);
        let edit = TreeEdit::Upsert { path, executable: false, blob_id: writer.blob(lines.as_bytes()).unwrap() };
        tree_id = writer.tree(Some(&tree_id), &[edit]).unwrap();
        let new = NewCommit {
            tree_id: tree_id.clone(),
            parents: vec![commit_id],
            author: first.author.clone(),
            committer: first.committer.clone(),
            message: first.message.replace("Rye-Turn: 1\n", &format!("Rye-Turn: {turn}\n")),
        };
        commit_id = writer.commit(&new, Some(&sign)).unwrap();
    }
    workspace.git(&["update-ref", &thread.branch, commit_id.as_str()]);
}

/// A thread in a project of many files of 4 KiB: it works in a tree of its own.
fn trees(files: usize) {
    let workspace = Workspace::new();
    workspace.write(".ai/directives/long.md", DIRECTIVE);
    workspace.write("short.jsonl", &script(1));
    for number in 0..files {
        workspace
            .write(&format!("files/{:03}/{number}.txt", number / 100), &format!("{number}\n").repeat(4_096)[..4_096]);
    }
    workspace.rye(&["sign", "--all"]);
    workspace.git(&["add", "--all"]);
    workspace.git(&["commit", "--quiet", "--message", "files"]);
    let tree = workspace.project().with_file_name("tree").display().to_string();
    let remove = |_| {
        if fs::exists(&tree).unwrap() {
            workspace.git(&["worktree", "remove", "--force", &tree]);
        }
    };
    head(&format!("{files} files of 4 KiB"));
    let runs = if files > 1_000 { 11 } else { RUNS };
    let row = |what: &str, args: &[&str], program: &str| {
        row(what, measure(runs, remove, |_| workspace.command(program, args)));
    };
    row("`git status`", &["status", "--porcelain"], "git");
    row("`git worktree add --detach`", &["worktree", "add", "--detach", &tree, "HEAD"], "git");
    let args = ["thread", "run", "long", "--script", "short.jsonl", "--provider", SCRIPTED];
    row("a thread of two turns, one of them a write", &args, RYE);
    remove(0);
}

/// Many threads, listed: each a branch of one commit with a `thread.json` of its own.
fn list() {
    let workspace = Workspace::new();
    workspace.write(".ai/directives/long.md", DIRECTIVE);
    workspace.write("short.jsonl", &script(1));
    workspace.rye(&["sign", "--all"]);
    workspace.rye(&["thread", "run", "long", "--script", "short.jsonl", "--provider", SCRIPTED, "-q"]);
    let git = |args: &[&str]| {
        let output = workspace.command("git", args).stdout(Stdio::piped()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let id = git(&["for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/rye/threads/"]).trim().to_owned();
    let record = git(&["show", &format!("rye/threads/{id}:.ai/threads/{id}/thread.json")]);
    let mut stream = String::new();
    for number in 0..THREADS {
        let (minute, second) = (number / 60 % 60, number % 60);
        let (day, hour) = (number / 86_400 + 1, number / 3_600 % 24);
        let new = format!("long-202601{day:02}-{hour:02}{minute:02}{second:02}-{number:0>8}");
        let record = record.replace(&id, &new);
        stream +=
            &format!("commit refs/heads/rye/threads/{new}\ncommitter Ada <ada@example.org> {number} +0000\ndata 0\n\n");
        stream += &format!("M 100644 inline .ai/threads/{new}/thread.json\ndata {}\n{record}\n", record.len());
    }
    let mut import = workspace.command("git", &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    head(&format!("{THREADS} threads"));
    let rows = |refs: &str| {
        let measured = |program: &str, args: &[&str]| measure(11, |_| (), |_| workspace.command(program, args));
        row(&format!("`git for-each-ref`, {refs}"), measured("git", &["for-each-ref", "refs/heads/rye/threads/"]));
        row(&format!("`rye thread list -n 20`, {refs}"), measured(RYE, &["thread", "list", "-n", "20"]));
        row(&format!("`rye thread list`, {refs}"), measured(RYE, &["thread", "list"]));
    };
    rows("loose refs");
    workspace.git(&["pack-refs", "--all"]);
    rows("packed refs");
}

/// A script of `writes` turns that write, and one that ends the thread.
fn script(writes: usize) -> String {
    let turn = |number: usize| {
        let content = format!("{number}\n") + &SENTENCE.repeat(WRITTEN / SENTENCE.len());
        let input = serde_json::json!({"path": "notes/note.md", "content": content});
        let call = serde_json::json!({"name": "rye_file_system_write", "input": input});
        serde_json::json!({"text": format!("Writing note {number}."), "calls": [call]}).to_string() + "\n"
    };
    (1..=writes).map(turn).collect::<String>() + "{\"text\": \"All is written.\"}\n"
}

/// Runs the long thread in this process, as nothing outside could tell its turns apart.
fn long_thread(workspace: &Workspace) -> Vec<Turn> {
    let ctx = turns::context(workspace, &[]);
    let session = Session::open(&ctx).unwrap();
    let options = RunOptions { script: Some("long.jsonl".into()), ..turns::options("long", SCRIPTED) };
    let mut turns = Turns::default();
    let outcome = thread::run(&session, &options, &CancelFlag::new(), &mut turns).unwrap();
    assert_eq!((outcome.status, outcome.turns as usize), (Status::Completed, TURNS));
    workspace.git(&["cat-file", "-e", &format!("{}:notes/note.md", outcome.commit_id)]);
    turns.into_turns()
}
