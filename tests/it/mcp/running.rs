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
    let sandbox = Sandbox::with_items().unconfined();
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

/// A sandbox with a tool that leaves a line in `started`, waits a little, and answers with many bytes.
fn long() -> Sandbox {
    let sandbox = Sandbox::with_items().unconfined();
    let header = "# version: 1.0.0\n# description: \"Says much\"\n# category: demo\n";
    let script = "echo x >> started; sleep 0.2; head -c 900000 /dev/zero | tr '\\0' a";
    sandbox.put(".ai/tools/demo/long.sh", &format!("{header}{script}\n"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

/// How many calls of the tool began.
fn started(sandbox: &Sandbox) -> usize {
    fs::read_to_string(sandbox.project().join("started")).unwrap_or_default().len() / 2
}

/// Starts a server and has it make many calls. Nothing of what it answers is read.
fn many_unread(sandbox: &Sandbox) -> std::process::Child {
    let mut child = sandbox.rye(&["mcp"]).spawn_piped();
    let client = json!({"name": "t", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    let arguments = json!({"item_type": "tool", "item_id": "demo/long"});
    let params = json!({"name": "rye_execute", "arguments": arguments});
    lines.extend((1..=120).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
    while started(sandbox) == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

#[test]
fn what_waits_for_its_turn_is_not_begun_after_a_signal_or_the_end_of_stdin() {
    for ends in ["TERM", "stdin"] {
        let sandbox = long();
        let mut child = many_unread(&sandbox);
        if ends == "stdin" {
            drop(child.stdin.take());
        } else {
            let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
            assert!(kill.unwrap().success());
        }
        assert_eq!(child.wait().unwrap().code(), Some(if ends == "stdin" { 0 } else { 5 }));
        // As many as ran when it was said, and those whose turn it was at that moment.
        assert!(started(&sandbox) <= 48, "{ends}: {} calls began", started(&sandbox));
    }
}

#[test]
fn no_call_begins_while_the_client_leaves_answers_unread() {
    let sandbox = long();
    let mut child = many_unread(&sandbox);
    let mut before = 0;
    // Until none began for a while.
    while started(&sandbox) > before || before < 16 {
        before = started(&sandbox);
        std::thread::sleep(Duration::from_secs(2));
    }
    assert!(before < 80, "{before} calls began");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let most: usize = most.split_whitespace().next().unwrap().parse().unwrap();
    assert!(most < 150 * 1024, "{most} KiB");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn calls_beyond_the_bound_are_refused_at_once() {
    let sandbox = slow();
    let mut client = Client::connected(&sandbox, &[]);
    let ids: Vec<i64> = (0..130).map(|_| begin(&mut client)).collect();
    for _ in 0..2 {
        let refused = client.next();
        assert!(ids.contains(&refused["id"].as_i64().unwrap()), "{refused}");
        assert_eq!(refused["result"]["structuredContent"]["error"]["code"], "busy");
    }
    assert_eq!(client.close().0, Some(0));
}
