//! How long an AI client waits for the server it starts, how much of its context the tools take, and what many searches cost.
//!
//! Run with `cargo bench --bench mcp`; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;
#[path = "common/items.rs"]
mod items;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use common::{RYE, Workspace, head, measure, row};
use items::knowledge;

const RUNS: usize = 101;

/// How many searches are made, of how many items, and how many at once.
const SEARCHES: (usize, usize, usize) = (1000, 5000, 100);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const LOAD: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rye_load","arguments":{"item_type":"knowledge","item_id":"notes/item_00001"}}}"#;
const EXECUTE: &str = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rye_execute","arguments":{"item_type":"knowledge","item_id":"notes/item_00001"}}}"#;
const RESOURCES: &str = r#"{"jsonrpc":"2.0","id":4,"method":"resources/list"}"#;

/// A server and both ends of its pipes.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(workspace: &Workspace) -> Self {
        let mut command = workspace.command(RYE, &["mcp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// Sends a request and returns its answer, which must not be an error.
    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        assert!(answer.contains(r#""result""#) && !answer.contains(r#""isError":true"#), "{answer}");
        answer
    }

    fn end(self) {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

fn main() {
    let workspace = Workspace::new();
    for number in 0..1000 {
        let id = format!("notes/item_{number:05}");
        workspace.write(&format!(".ai/knowledge/{id}.md"), &knowledge(&id, 4096));
    }
    workspace.rye(&["sign", "--all", "--quiet"]);

    head("baselines");
    let run = |program: &str| measure(RUNS, |_| {}, |_| workspace.command(program, &["--version"]));
    row("`git --version`", run("git"));
    row("`rye --version`", run(RYE));
    head("a client starts the server, 1,000 signed items");
    row("start to the answer to `initialize`", starts(&workspace));
    let mut server = Server::start(&workspace);
    server.ask(INITIALIZE);
    server.send(INITIALIZED);
    head("one request of a running server");
    for (what, line) in [
        ("`tools/list`", LIST),
        ("`rye_load`, one knowledge item of 4 KiB", LOAD),
        ("`rye_execute`, one knowledge item of 4 KiB", EXECUTE),
        ("`resources/list`, a page of 100 of 1,000", RESOURCES),
    ] {
        row(what, times(|| server.ask(line)));
    }
    println!("\nbytes of the answer to `tools/list`: {}", server.ask(LIST).len());
    server.end();
    searches();
}

/// Has a new server make many searches, several at once, without an index, and prints what that took.
fn searches() {
    let (calls, items, at_once) = SEARCHES;
    let workspace = Workspace::new();
    for number in 0..items {
        let id = format!("notes/item_{number:05}");
        workspace.write(&format!(".ai/knowledge/{id}.md"), &knowledge(&id, 2048));
    }
    let mut server = Server::start(&workspace);
    server.ask(INITIALIZE);
    server.send(INITIALIZED);
    let begun = Instant::now();
    let (mut sent, mut first) = (0, None);
    for answered in 0..calls {
        while sent < calls && sent - answered < at_once {
            sent += 1;
            let query = format!("item_{sent:05}");
            let params = format!(r#"{{"name":"rye_search","arguments":{{"query":"{query}"}}}}"#);
            server.send(&format!(r#"{{"jsonrpc":"2.0","id":{sent},"method":"tools/call","params":{params}}}"#));
        }
        let mut answer = String::new();
        server.stdout.read_line(&mut answer).unwrap();
        assert!(answer.contains(r#""isError":false"#), "{answer}");
        first.get_or_insert_with(|| begun.elapsed());
    }
    let (first, all) = (first.unwrap_or_default().as_secs_f64(), begun.elapsed().as_secs_f64());
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default().trim();
    println!(
        "\n{calls} searches of {items} items, {at_once} at once: the first in {first:.2} s, all in {all:.2} s, {most}"
    );
    server.end();
}

/// Measures from before the process is started until its first answer was read.
fn starts(workspace: &Workspace) -> Vec<Duration> {
    let mut servers = Vec::new();
    let times = times(|| {
        let mut server = Server::start(workspace);
        let answer = server.ask(INITIALIZE);
        servers.push(server);
        answer
    });
    servers.into_iter().for_each(Server::end);
    times
}

/// Measures after two runs that do not count.
fn times(mut ask: impl FnMut() -> String) -> Vec<Duration> {
    let measure = |_| {
        let begun = Instant::now();
        ask();
        begun.elapsed()
    };
    (0..RUNS + 2).map(measure).collect::<Vec<_>>().split_off(2)
}
