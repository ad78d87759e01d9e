//! How a connection ends, and that nothing goes on after it.

use std::process::Command;

use serde_json::json;

use super::client::Client;
use super::running::{are_gone, begin, processes, slow};
use crate::support::Sandbox;

#[test]
fn the_end_of_stdin_is_the_end() {
    let sandbox = Sandbox::empty();
    assert_eq!(Client::start(&sandbox, &[]).close(), (Some(0), vec![], String::new()));
    assert_eq!(Client::connected(&sandbox, &[]).close(), (Some(0), vec![], String::new()));
}

#[test]
fn the_end_of_stdin_stops_what_runs() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let id = begin(&mut client);
    let processes = processes(&sandbox);
    let (code, rest, stderr) = client.close();
    assert!(are_gone(&processes), "{processes:?}");
    assert_eq!((code, stderr), (Some(0), String::new()));
    // The message reaches a reader, if there is one.
    assert!(rest.iter().all(|answer| answer["id"] == id && answer["result"]["isError"] == true), "{rest:?}");
}

#[test]
fn a_signal_stops_the_server_and_what_runs() {
    for signal in ["TERM", "INT", "HUP", "QUIT", "USR2"] {
        let sandbox = slow();
        let mut client = Client::connected(&sandbox, &[]);
        begin(&mut client);
        let processes = processes(&sandbox);
        let kill = Command::new("kill").args([&format!("-{signal}"), &client.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(client.wait().0, Some(5), "{signal}");
        assert!(are_gone(&processes), "{signal}: {processes:?}");
    }
}

#[test]
fn a_client_that_closes_stdout_ends_the_server() {
    let sandbox = slow();
    let mut child = sandbox.rye(&["mcp"]).spawn_piped();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    std::io::Write::write_all(&mut stdin, format!("{hello}\n").as_bytes()).unwrap();
    // stdin stays open: it is the lost stdout that ends it.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}

/// A killed client leaves a pipe without a writer.
#[test]
fn a_client_that_is_gone_leaves_nothing_running() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    begin(&mut client);
    let processes = processes(&sandbox);
    assert_eq!(client.close().0, Some(0));
    assert!(are_gone(&processes), "{processes:?}");
}
