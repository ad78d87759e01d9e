//! Handles per process are opened once: a thousand tool calls under a limit of 64 file descriptors.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::mcp::client::Client;
use crate::support::Sandbox;
use crate::thread::world::{World, calls, text};

/// How many calls are made: each of them opened a library of its own once.
const CALLS: usize = 1_000;

/// How much a process may grow from the first hundred calls to the last, in KiB.
const GROWTH: u64 = 8 * 1024;

/// Returns a command that runs another one under a limit of 64 file descriptors.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap()).env_clear().process_group(0);
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited
}

/// Returns a number of `/proc/<pid>/status`, in KiB.
#[cfg(target_os = "linux")]
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_makes_a_thousand_tool_calls_with_few_descriptors_and_flat_memory() {
    let sandbox = Sandbox::signed();
    let mut server = limited(&sandbox.rye(&["mcp"]).into_command());
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut client = Client::of(&sandbox, server.spawn().unwrap());
    client.shake_hands(json!({}));
    let mut before = 0;
    for number in 0..CALLS {
        let said = json!({"text": number.to_string()});
        assert_eq!(client.tool("demo/echo", said.clone()), said);
        if number == CALLS / 10 {
            before = resident(client.child.id());
        }
    }
    let grown = resident(client.child.id()).saturating_sub(before);
    assert!(grown < GROWTH, "the server grew by {grown} KiB in {CALLS} calls");
}

#[test]
fn a_thread_makes_a_thousand_tool_calls_with_few_descriptors() {
    let world = World::new();
    world.tool("demo/one", "cat");
    world.directive("<execute><tool>demo.one</tool></execute>", r#"turns="12" tokens="20000000""#, "");
    // Each turn calls with an input of its own: the same calls over and over are a loop.
    let turn = |number: usize| calls(&vec![("demo_one", json!({"turn": number})); CALLS / 10]);
    let turns: Vec<Value> = (0..10).map(turn).chain([text("Done.")]).collect();
    let script = world.script(&turns);
    let script = script.to_str().unwrap();
    let run =
        ["thread", "run", "demo/work", "--provider", crate::thread::world::SCRIPTED, "--script", script, "--json"];
    let output = limited(&world.rye(&run)).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcome = world.shown(&printed);
    let results = world.events(&outcome).into_iter().filter_map(|event| match event.what {
        rye::event::EventData::ToolCallResult { status, .. } => Some(status),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    assert_eq!(results.len(), CALLS);
    assert!(results.iter().all(|status| *status == rye::event::CallStatus::Ok), "a call failed");
}
