//! What the newest document, 002, means: a whole directive that writes directives, and the rules it gives for them.

use serde_json::{Value, json};

use super::table::{Row, calls, input, means, nothing, output, step, usd};

const NAMED: &str = "the name of a call that is not to be written";

pub(super) fn rows() -> Vec<Row> {
    let tool = |pattern: &str| calls([format!("rye.execute.tool.{pattern}").as_str()]);
    let knowledge = |position: &str| json!({position: ["knowledge/item/id"]});
    vec![
        // Advice: the description tells, one input is not used; a warning that it signs, and for each optional input
        // that renders as nothing.
        means(1, "<!-- rye:signed:2026-03-17", whole())
            .found(&["RYE-D042", "RYE-P004", "RYE-D027", "RYE-D020", "RYE-D020", "RYE-D020"]),
        nothing(
            7,
            "<directive name=\"create_threaded_directive\"",
            "the block of the document, read with it as a whole",
        ),
        means(93, "required=\"false\"", json!(false)),
        nothing(97, "rye_execute(...)", NAMED),
        nothing(97, "rye_search(...)", NAMED),
        means(102, "<tool>mcp.my-server.my_type.create", tool("mcp.my-server.my_type.create")).found(&["RYE-P004"]),
        means(102, "mcp_my_server_my_type_create(", json!("execute tool mcp/my-server/my_type/create")),
        means(103, "<tool>mcp.my-server.my_type.*", tool("mcp.my-server.my_type.*")).found(&["RYE-P004"]),
        means(104, "<tool>rye.file-system.*", tool("rye.file-system.*")),
        means(104, "rye_file_system_read(", json!("execute tool rye/file-system/read")),
        means(104, "rye_file_system_write(", json!("execute tool rye/file-system/write")),
        // What it says not to grant.
        means(105, "mcp.my-server.*", tool("mcp.my-server.*")).found(&["RYE-P004", "RYE-P015"]),
        means(113, "<system>", knowledge("system")),
        means(114, "<before>", knowledge("before")),
        means(115, "<suppress>", knowledge("suppress")),
        means(119, "extends=\"category/name\"", json!("category/name")),
        // A placeholder for the writer of the file: unfilled it is not an id.
        means(130, "extends=\"{input:", Value::Null).found(&["RYE-D012"]),
    ]
}

fn whole() -> Value {
    json!({
        "signature": "a line",
        "title": "Create Threaded Directive", "preamble": "Create a directive … a35f73f1",
        "name": "create_threaded_directive", "version": "3.0.0", "category": "rye/core", "author": "rye",
        "description": "Creates directives with … a6f0c341",
        "model": {"tier": "fast"},
        "limits": {"turns": 8, "tokens": 4096, "spend": usd("0.10")},
        "permissions": calls([
            "rye.execute.tool.rye.file-system.*", "rye.search.directive.*", "rye.load.directive.*", "rye.load.knowledge.*",
            "rye.sign.directive.*",
        ]),
        "inputs": [
            input("name", true, "Name of the … 8bd239db"),
            input("category", true, "Category path for … 2f698db8"),
            input("description", true, "What the threaded … 5ac3aded"),
            input("complexity", true, "Complexity level: simple, … 2c5fdceb"),
            input("permissions_needed", true, "Comma-separated capability strings … 4f29097a"),
            input("extends_from", false, "Optional base directive … 13bc9bf1"),
            input("process_steps", false, "Optional summary of … e9900c2c"),
        ],
        "outputs": [
            output("directive_path", "Path to the … 4f0da35a"), output("signed", "Whether the directive … 6f904102"),
        ],
        "steps": [
            step("search_existing", "Search for similar … 9365e5cb", None),
            step("load_reference", "Load an example … 3b350f25", None),
            step("determine_limits", "Map {input:complexity} to … e5b89103", None),
            step("write_directive", "Generate the directive … 102bc326", None),
            step("sign_directive", "Sign the created directive.", None),
        ],
        "criteria": [
            "No duplicate directive … 65c64ac6",
            "Directive file created … 211d3c2a",
            "Model tier, limits … 7feea811",
            "Permissions scoped tightly … 8110f066",
            "Process steps describe … 8c5e1973",
            "Context and extends … 3267499f",
            "Signature validation passed",
        ],
        "body": "<process> <step name=\"search_existing\"> … 51051d67",
    })
}
