//! Which commands make keys, and that each key that is made is told.

use crate::support::Sandbox;

/// Commands that sign nothing.
const READING: [&[&str]; 19] = [
    &["verify"],
    &["verify", "--rev", "HEAD"],
    &["list"],
    &["search", "echo"],
    &["load", "tool", "demo/echo"],
    &["execute", "knowledge", "rye/guides/signing"],
    &["lint"],
    &["permissions", "demo/greet"],
    &["status"],
    &["diff"],
    &["doctor"],
    &["key", "list"],
    &["key", "export"],
    &["trust", "list"],
    &["thread", "list"],
    &["sign", "--all", "--check"],
    &["provider", "list"],
    &["hook", "install"],
    &["mcp"],
];

#[test]
fn what_signs_nothing_makes_no_key() {
    let sandbox = Sandbox::with_items();
    sandbox.commit("unsigned");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    for command in READING {
        let seen = sandbox.rye(command).stdin(&format!("{hello}\n")).transcript();
        assert!(!sandbox.path("config/rye/keys").exists() && !seen.contains("made the"), "{seen}");
    }
}

#[test]
fn what_makes_a_key_says_so_also_where_it_fails() {
    let made = |name: &str| format!("note: made the {name} key 706f575fc5331071 in ");
    let sandbox = Sandbox::with_items();
    sandbox.commit("unsigned");
    let seen = sandbox.rye(&["thread", "run", "rye/guides/first_thread", "-q"]).transcript();
    assert!(
        sandbox.path("config/rye/keys/agent").exists() && !sandbox.path("config/rye/keys/person").exists(),
        "{seen}"
    );
    let seen = sandbox.rye(&["sign", "tool", "demo/echo"]).transcript();
    assert_eq!(seen.matches(&made("person")).count(), 1, "{seen}");

    let sandbox = Sandbox::with_items();
    sandbox.commit("unsigned");
    let seen = sandbox.rye(&["thread", "run", "demo/greet"]).transcript();
    assert!(seen.contains("error: ") && !seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!(seen.contains(&made("agent")), sandbox.path("config/rye/keys/agent").exists(), "{seen}");
    let seen = sandbox.rye(&["init"]).transcript();
    assert_eq!(seen.matches("made the person key").count(), 1, "{seen}");
}
