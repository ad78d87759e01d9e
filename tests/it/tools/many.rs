//! A server with very many tools: what an import does for each of them, and where it ends.

use std::fs::create_dir_all;

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

use super::{configure, told};
use crate::support::has;
use crate::thread::world::World;

const SERVER: &str = r#"import json, sys
tools = [{"name": f"tool{n:05}", "description": f"Does {n}.", "inputSchema": {"type": "object"}} for n in range(int(sys.argv[1]))]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"tools": tools}
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "many", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

/// A world with a server of so many tools.
fn world(tools: usize) -> World {
    let world = World::new();
    let script = world.path("many.py");
    world.write_at(&script, SERVER);
    let script = script.display();
    configure(
        &world,
        &format!("[mcp_servers.many]\ncommand = [\"python3\", \"{script}\", \"{tools}\"]\nread = [\"{script}\"]\n"),
    );
    world
}

/// How often a folder itself was opened, by the kernel's events of it: each is 16 bytes, the last four the length of a name.
fn openings(events: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(head) = events.get(at..at + 16) {
        let length = u32::from_ne_bytes(head[12..16].try_into().unwrap()) as usize;
        count += usize::from(length == 0);
        at += 16 + length;
    }
    count
}

#[test]
fn an_import_opens_a_folder_a_few_times_for_all_tools() {
    if !has("python3") {
        return;
    }
    let (world, tools) = (world(300), 300);
    let folder = world.in_project(".ai/tools/mcp/many");
    create_dir_all(&folder).unwrap();
    let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    add_watch(&watch, &folder, WatchFlags::OPEN).unwrap();
    let (code, said, err) = told(&world.rye(&["mcp", "import", "many", "--yes", "-q"]).output().unwrap());
    assert_eq!(code, 0, "{said}{err}");
    let (mut events, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(read) = rustix::io::read(&watch, &mut buffer[..]) {
        events.extend_from_slice(&buffer[..read]);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), tools);
    let openings = openings(&events);
    assert!((1..60).contains(&openings), "{openings} for {tools} tools");
    // What is there already is not written again.
    let (code, said, err) = told(&world.rye(&["mcp", "import", "many", "--yes"]).output().unwrap());
    assert!(code == 0 && said.contains("unchanged") && !said.contains("signed"), "{said}{err}");
}

/// Of two files that are one item neither counts.
#[test]
fn an_import_makes_no_second_file_of_an_item() {
    if !has("python3") {
        return;
    }
    let world = world(2);
    world.write(".ai/tools/mcp/many/tool00001.sh", "#!/bin/sh\n");
    let (code, said, err) = told(&world.rye(&["mcp", "import", "many", "--yes"]).output().unwrap());
    assert_ne!(code, 0, "{said}{err}");
    assert!(!world.in_project(".ai/tools/mcp/many/tool00001.yaml").exists(), "{said}{err}");
}

#[test]
fn a_server_with_too_many_tools_is_refused() {
    if !has("python3") {
        return;
    }
    let world = world(1001);
    let (code, said, err) = told(&world.rye(&["mcp", "import", "many", "--yes"]).output().unwrap());
    assert!(code != 0 && err.contains("more than 1000 tools"), "{said}{err}");
    assert!(!world.in_project(".ai/tools/mcp").exists());
}
