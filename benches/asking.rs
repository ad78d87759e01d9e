//! What a thread adds to the exchanges with its model, whose server is on this machine and takes no time to think.
//!
//! Run with `cargo bench --bench asking`; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;
#[expect(dead_code, reason = "the tests' server can wait, too")]
#[path = "../tests/it/support/http.rs"]
mod http;
#[path = "common/turns.rs"]
mod turns;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{RYE, Workspace, head, measure, row};
use http::{Asked, Reply, Server, stream};
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{self, Status};
use serde_json::{Value, json};
use turns::Turns;

const RUNS: usize = 51;
/// Turns of the thread that is looked into, and how many at its beginning and end are compared.
const TURNS: usize = 200;
const WINDOW: usize = 20;
const PROVIDER: &str = "rye/agent/providers/anthropic_messages";
const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", "sk-bench");
const URL: &str = "ANTHROPIC_BASE_URL";

const DIRECTIVE: &str = r#"# Note

```xml
<directive name="note" version="1.0.0">
  <metadata>
    <description>Write a note again and again</description>
    <category></category>
    <author>bench</author>
    <model tier="general" />
    <limits turns="1000" tokens="1000000000" spend="100000" duration="3600" />
    <permissions>
      <execute><tool>rye.file-system.*</tool></execute>
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
    workspace.write(".ai/directives/note.md", DIRECTIVE);
    workspace.write("script.jsonl", &script());
    workspace.rye(&["sign", "--all"]);
    starting(&workspace);
    whole(&workspace);
    turn_by_turn(&workspace);
}

/// Verbs that ask no model.
fn starting(workspace: &Workspace) {
    let run = |program: &str, args: &[&str]| measure(RUNS, |_| (), |_| workspace.command(program, args));
    head("verbs that ask no model");
    row("`git --version`", run("git", &["--version"]));
    row("`rye --version`", run(RYE, &["--version"]));
    row("`rye list`", run(RYE, &["list"]));
    row("`rye provider list`", run(RYE, &["provider", "list"]));
}

/// Threads of two turns as whole processes, one of the turns a write.
fn whole(workspace: &Workspace) {
    let server = server(2);
    let url = server.url();
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let command = |_| {
            let mut command = workspace.command(RYE, &[&["thread", "run", "note"], args].concat());
            command.envs(variables.iter().copied());
            command
        };
        measure(RUNS, |_| (), command)
    };
    head("a whole thread of two turns");
    let scripted = run(&["--provider", "rye/agent/providers/scripted", "--script", "script.jsonl"], &[]);
    let asked = run(&[], &[KEY, (URL, &url)]);
    let requests = server.asked();
    row("its two exchanges alone", bare(&server, &requests[..2]));
    row("answered from a file", scripted);
    row("answered by a server", asked);
}

/// One thread of many turns, and its exchanges alone.
fn turn_by_turn(workspace: &Workspace) {
    let server = server(TURNS);
    let url = server.url();
    let ctx = turns::context(workspace, &[KEY, (URL, &url)]);
    let session = Session::open(&ctx).unwrap();
    let mut turns = Turns::default();
    let outcome = thread::run(&session, &turns::options("note", PROVIDER), &CancelFlag::new(), &mut turns).unwrap();
    assert_eq!((outcome.status, outcome.turns as usize), (Status::Completed, TURNS));
    let (turns, requests) = (turns.into_turns(), server.asked());
    head("turns of one thread, each with a write of 3,000 bytes");
    for last in [WINDOW, TURNS - 1] {
        let (from, window) = (last - WINDOW + 1, &turns[last - WINDOW..last]);
        let request = &requests[last - WINDOW / 2];
        let kilobytes = request.body.to_string().len() / 1000;
        let alone = bare(&server, std::slice::from_ref(request));
        let alone = row(&format!("an exchange alone, {kilobytes} kB"), alone);
        row(&format!("turns {from} to {last}"), window.iter().map(|turn| turn.whole).collect());
        let above = window.iter().map(|turn| turn.whole.saturating_sub(alone)).collect();
        row(&format!("turns {from} to {last}, above the exchange alone"), above);
        let answering = window.iter().map(|turn| turn.asking.saturating_sub(alone)).collect();
        row("of that: until the answer is on record", answering);
    }
}

/// Sends these requests again and again, each over a connection of its own, and reads the answers to their end: the
/// lower bound for any client of this server.
fn bare(server: &Server, requests: &[Asked]) -> Vec<Duration> {
    let address = server.url().replace("http://", "");
    let exchange = |request: &Asked| {
        let (path, body) = (&request.path, request.body.to_string());
        let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n", body.len());
        let mut connection = TcpStream::connect(&address).unwrap();
        connection.set_nodelay(true).unwrap();
        connection.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("message_stop"), "{answer}");
    };
    let round = |_| {
        let begun = Instant::now();
        requests.iter().for_each(exchange);
        begun.elapsed()
    };
    (0..RUNS + 2).map(round).skip(2).collect()
}

/// A server whose model writes a note in each turn but the last.
fn server(turns: usize) -> Server {
    Server::answering(move |_, asked| {
        let turn = asked.body["messages"].as_array().map_or(0, |messages| messages.len() / 2 + 1);
        answer(turn, (turn < turns).then(|| note(turn)))
    })
}

/// The parameters of a turn's write.
fn note(turn: usize) -> Value {
    json!({"path": "notes/note.md", "content": format!("{turn}\n") + &"What came to mind. ".repeat(3_000 / 19)})
}

/// The same answers for the provider that reads them from a file.
fn script() -> String {
    let calls = json!([{"name": "rye_file_system_write", "input": note(1)}]);
    format!("{}\n{}\n", json!({"text": "Turn 1.", "calls": calls}), json!({"text": "Turn 2."}))
}

/// An answer of the Messages API, streamed: a text, and a write if there is one.
fn answer(turn: usize, write: Option<Value>) -> Reply {
    let block = |index: u32, start: Value, delta: Value| {
        [
            ("content_block_start", json!({"type": "content_block_start", "index": index, "content_block": start})),
            ("content_block_delta", json!({"type": "content_block_delta", "index": index, "delta": delta})),
            ("content_block_stop", json!({"type": "content_block_stop", "index": index})),
        ]
    };
    let usage = json!({"input_tokens": 100, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": null, "usage": usage});
    let mut events = vec![("message_start", json!({"type": "message_start", "message": message}))];
    let text = json!({"type": "text_delta", "text": format!("Turn {turn}.")});
    events.extend(block(0, json!({"type": "text", "text": ""}), text));
    let end = if write.is_some() { "tool_use" } else { "end_turn" };
    if let Some(input) = write {
        let call =
            json!({"type": "tool_use", "id": format!("toolu_{turn}"), "name": "rye_file_system_write", "input": {}});
        events.extend(block(1, call, json!({"type": "input_json_delta", "partial_json": input.to_string()})));
    }
    let delta = json!({"stop_reason": end});
    events.push(("message_delta", json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}})));
    events.push(("message_stop", json!({"type": "message_stop"})));
    stream(&events)
}
