//! A small client: it sends lines, and reads lines as they come.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// A test that waits longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to a server of its own.
pub(crate) struct Client<'a> {
    sandbox: &'a Sandbox,
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: i64,
}

/// How a server ended: its exit code, what else it wrote to stdout, and stderr.
pub(crate) type Ended = (Option<i32>, Vec<Value>, String);

impl<'a> Client<'a> {
    /// Starts a server with these arguments, and says nothing yet.
    pub(crate) fn start(sandbox: &'a Sandbox, args: &[&str]) -> Self {
        Self::of(sandbox, sandbox.rye(&[&["mcp"], args].concat()).spawn_piped())
    }

    /// Talks to a server that was started.
    pub(crate) fn of(sandbox: &'a Sandbox, mut child: Child) -> Self {
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                sender.send(line.unwrap()).unwrap();
            }
        });
        Self { sandbox, child, stdin, lines, last_id: 0 }
    }

    /// Starts a server and shakes hands, as a client without roots.
    pub(crate) fn connected(sandbox: &'a Sandbox, args: &[&str]) -> Self {
        let mut client = Self::start(sandbox, args);
        client.shake_hands(json!({}));
        client
    }

    /// Shakes hands and returns the answer.
    pub(crate) fn shake_hands(&mut self, capabilities: Value) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
        let answer = self.ask("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends one line.
    pub(crate) fn line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).and_then(|()| stdin.flush()).unwrap();
    }

    /// Sends one message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.line(message.to_string().as_bytes());
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    /// Returns the next message.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says nothing");
        serde_json::from_str(&self.sandbox.redacted(&line)).unwrap_or_else(|_| panic!("no protocol: {line}"))
    }

    /// Sends a request and returns its answer, which must be the next message.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Returns the next message without its envelope; it must be the answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        let mut answer = self.next();
        assert_eq!((answer["jsonrpc"].as_str(), answer["id"].as_i64()), (Some("2.0"), Some(id)), "{answer}");
        let fields = answer.as_object_mut().unwrap();
        assert_eq!(fields.len(), 3, "{fields:?}");
        fields.remove("result").unwrap_or_else(|| json!({"error": fields["error"].take()}))
    }

    /// Calls a tool and returns the result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool and returns its structured result, and whether it is an error.
    pub(crate) fn outcome(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let mut result = self.call(tool, arguments);
        (result["structuredContent"].take(), result["isError"].as_bool().unwrap_or_else(|| panic!("{result}")))
    }

    /// Calls a tool that must fail, and returns the code of its error.
    pub(crate) fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let (outcome, failed) = self.outcome(tool, arguments);
        assert!(failed, "{outcome}");
        outcome["error"]["code"].as_str().unwrap_or_else(|| panic!("{outcome}")).to_owned()
    }

    /// Executes a tool item and returns its result.
    pub(crate) fn tool(&mut self, id: &str, parameters: Value) -> Value {
        let arguments = json!({"item_type": "tool", "item_id": id, "parameters": parameters});
        let (outcome, failed) = self.outcome("rye_execute", arguments);
        assert!(!failed, "{outcome}");
        outcome["result"].clone()
    }

    /// Returns the most memory that the server had so far.
    pub(crate) fn most_mib(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<usize>().unwrap() / 1024
    }

    /// Closes stdin and waits for the end.
    pub(crate) fn close(mut self) -> Ended {
        self.stdin = None;
        self.wait()
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Ended {
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(serde_json::from_str(&self.sandbox.redacted(&line)).unwrap_or_else(|_| panic!("{line}")));
        }
        let code = self.child.wait().unwrap().code();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (code, rest, self.sandbox.redacted(&stderr))
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        // A test that failed leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a value as a snapshot shows it.
pub(crate) fn shown(value: &Value) -> String {
    format!("{value:#}\n")
}
