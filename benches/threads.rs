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

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use common::{RYE, Workspace, head, measure, row};
use rye::context::{Context, Surroundings};
use rye::event::{Event, EventData};
use rye::item::Limits;
use rye::ops::execute::Given;
use rye::ops::locate::Session;
use rye::process::CancelFlag;
use rye::thread::{self, Observer, RunOptions, Status};

const RUNS: usize = 51;
/// Turns of the long thread, and how many at its beginning and end are compared.
const TURNS: usize = 1_000;
const WINDOW: usize = 20;
/// Bytes that a turn writes to one file, about.
const WRITTEN: usize = 3_000;
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
    let provider = ["--provider", "rye/agent/providers/scripted"];
    let short = [&["thread", "run", "long", "--script", "short.jsonl"], &provider[..]].concat();
    row("`git commit --allow-empty`, one", run("git", &["commit", "--quiet", "--allow-empty", "--message", "empty"]));
    row("two turns, one of them a write", run(RYE, &short));
    row("the guide, six turns", run(RYE, &["thread", "run", "rye/guides/first_thread"]));

    for files in [100, 10_000, 50_000] {
        trees(files);
    }

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
    let args = ["thread", "run", "long", "--script", "short.jsonl", "--provider", "rye/agent/providers/scripted"];
    row("a thread of two turns, one of them a write", &args, RYE);
    remove(0);
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

/// What a turn took.
struct Turn {
    whole: Duration,
    /// From the request to the first event of the answer: this provider reads its whole script and all messages.
    asking: Duration,
}

/// Sees when each turn begins, and when its answer is there; the terminal event counts as one more turn.
#[derive(Default)]
struct Turns {
    begun: Vec<Instant>,
    answered: Vec<Instant>,
}

impl Turns {
    fn into_turns(self) -> Vec<Turn> {
        let pairs = self.begun.windows(2).zip(&self.answered);
        pairs.map(|(pair, answered)| Turn { whole: pair[1] - pair[0], asking: *answered - pair[0] }).collect()
    }
}

impl Observer for Turns {
    fn event(&mut self, event: &Event) {
        match event.what {
            EventData::StepStart { .. } | EventData::ThreadComplete { .. } => self.begun.push(Instant::now()),
            EventData::AssistantText { .. } => self.answered.push(Instant::now()),
            _ => {}
        }
    }
}

/// Runs the long thread in this process, as nothing outside could tell its turns apart.
fn long_thread(workspace: &Workspace) -> Vec<Turn> {
    let variables = BTreeMap::from([
        ("HOME".to_owned(), workspace.home().display().to_string()),
        ("PATH".to_owned(), common::PATH.to_owned()),
        ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned()),
        ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
    ]);
    let surroundings = Surroundings { current_dir: workspace.project(), program: RYE.into(), variables };
    let ctx = Context::new(surroundings, None, &[]).unwrap();
    let session = Session::open(&ctx).unwrap();
    let options = RunOptions {
        directive: "long".parse().unwrap(),
        given: Given::default(),
        provider: Some("rye/agent/providers/scripted".parse().unwrap()),
        model: None,
        script: Some("long.jsonl".into()),
        limits: Limits::default(),
        caller: None,
        with_changes: false,
    };
    let mut turns = Turns::default();
    let outcome = thread::run(&session, &options, &CancelFlag::new(), &mut turns).unwrap();
    assert_eq!((outcome.status, outcome.turns as usize), (Status::Completed, TURNS));
    workspace.git(&["cat-file", "-e", &format!("{}:notes/note.md", outcome.commit_id)]);
    turns.into_turns()
}
