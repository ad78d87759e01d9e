//! Tools that reach beyond this machine: requests over HTTP, and tools of MCP servers. And the tool that runs the tests of a project.

mod http;
mod many;
mod mcp;
mod mcp_habits;
mod test_runs;
mod words;

use std::process::Output;

use serde_json::Value;

use crate::thread::world::World;

/// What a run came to: its exit code, what it printed, and what it said.
fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Writes the person's configuration.
fn configure(world: &World, text: &str) {
    world.write_at(&world.path("home/.config/rye/config.toml"), text);
}

/// Signs every tool as the person.
fn sign(world: &World) {
    let output = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a tool with parameters.
fn execute(world: &World, id: &str, parameters: &Value) -> (i32, String, String) {
    let parameters = parameters.to_string();
    told(&world.rye(&["execute", "tool", id, "--json", "--inputs", &parameters]).output().unwrap())
}
