//! A server with very many tools: what an import does for each of them, and where it ends.

use std::fs::create_dir_all;

use super::{configure, told};
use crate::support::has;
use crate::support::openings::Openings;
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

#[test]
fn an_import_opens_a_folder_a_few_times_for_all_tools() {
    if !has("python3") {
        return;
    }
    let (world, tools) = (world(300), 300);
    let folder = world.in_project(".ai/tools/mcp/many");
    create_dir_all(&folder).unwrap();
    let watched = Openings::of(&folder);
    let (code, said, err) = told(&world.rye(&["mcp", "import", "many", "--yes", "-q"]).output().unwrap());
    assert_eq!(code, 0, "{said}{err}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), tools);
    let openings = watched.count();
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
