//! Calls that take their time: several at once, told of, and cancelled.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

/// Says its process and waits, until a file lets it go on.
const SLOW: &str = "\
# version: 1.0.0
# description: \"Waits\"
# category: demo
sleep 600 &
echo $! > child
echo $$ > pid
while ! [ -e go ]; do sleep 0.02; done
kill $!
echo '{\"done\": true}'
";

/// A sandbox with a tool that waits.
pub(super) fn slow() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/slow.sh", SLOW);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

/// Calls the tool that waits.
pub(super) fn begin(client: &mut Client<'_>) -> i64 {
    let arguments = json!({"item_type": "tool", "item_id": "demo/slow"});
    client.request("tools/call", json!({"name": "rye_execute", "arguments": arguments}))
}

/// Waits for the tool to run, and returns its process and its child's.
pub(super) fn processes(sandbox: &Sandbox) -> Vec<PathBuf> {
    let read = |name: &str| fs::read_to_string(sandbox.project().join(name)).unwrap_or_default();
    for _ in 0..3000 {
        std::thread::sleep(Duration::from_millis(10));
        let pids = [read("child"), read("pid")];
        if pids.iter().all(|pid| pid.ends_with('\n')) {
            return pids.iter().map(|pid| PathBuf::from("/proc").join(pid.trim())).collect();
        }
    }
    panic!("the tool does not run");
}

/// Tells whether processes are gone, or dead and not yet waited for.
pub(super) fn are_gone(processes: &[PathBuf]) -> bool {
    let is_dead = |process: &PathBuf| match fs::read_to_string(process.join("stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')),
        Err(_) => true,
    };
    (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        processes.iter().all(is_dead)
    })
}

#[test]
fn other_calls_are_answered_while_one_runs() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let id = begin(&mut client);
    processes(&sandbox);
    assert_eq!(client.tool("demo/echo", json!({"text": "meanwhile"})), json!({"text": "meanwhile"}));
    sandbox.put("go", "");
    assert_eq!(client.answer(id)["structuredContent"]["result"], json!({"done": true}));
}

#[test]
fn a_cancelled_call_is_stopped_with_all_it_started_and_not_answered() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let id = begin(&mut client);
    let processes = processes(&sandbox);
    let cancelled = json!({"requestId": id, "reason": "changed my mind"});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    assert!(are_gone(&processes), "{processes:?}");
    assert_eq!(client.tool("demo/echo", json!({"text": "still here"})), json!({"text": "still here"}));
    assert_eq!(client.close(), (Some(0), vec![], String::new()));
}

#[test]
fn a_client_that_wants_it_is_told_of_progress() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let arguments = json!({"item_type": "tool", "item_id": "demo/slow"});
    let params = json!({"name": "rye_execute", "arguments": arguments, "_meta": {"progressToken": "mine"}});
    let id = client.request("tools/call", params);
    let told = |progress: f64| {
        let params = json!({"progressToken": "mine", "progress": progress, "message": "execute tool demo/slow"});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    };
    assert_eq!(client.next(), told(0.0));
    assert_eq!(client.next(), told(1.0));
    sandbox.put("go", "");
    let mut last: Value = client.next();
    while last.get("method").is_some() {
        last = client.next();
    }
    assert_eq!((last["id"].as_i64(), last["result"]["isError"].as_bool()), (Some(id), Some(false)));
}

/// More calls than are performed at once wait for their turn; none is lost.
#[test]
fn many_calls_at_once_are_all_answered() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    let arguments = json!({"item_type": "knowledge", "item_id": "demo/notes"});
    let ids: Vec<i64> = (0..100)
        .map(|_| client.request("tools/call", json!({"name": "rye_execute", "arguments": arguments})))
        .collect();
    let mut answered: Vec<i64> = (0..100).map(|_| client.next()["id"].as_i64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}
