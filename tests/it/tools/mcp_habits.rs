//! What real MCP servers do, and what their people have: banners, shims, `.mcp.json`, a project with history.

use serde_json::{Value, json};

use super::mcp::{imported, ready, world};
use super::{configure, execute, told};
use crate::support::has;
use crate::thread::world::{World, calls, result_in_turn, text};

/// What the SDKs of both languages take made a server unusable: a banner, a page that comes again, an id sent back as text, a
/// schema that refers to itself.
#[test]
fn a_server_with_the_habits_of_real_ones_can_be_used() {
    if !has("python3") {
        return;
    }
    for mode in ["noise", "circle", "empty", "text", "point"] {
        let world = ready(mode, "timeout = 10");
        let (code, said, err) = execute(&world, "mcp/demo/echo", &json!({"text": "ab", "times": 2}));
        assert!(code == 0 && said.contains("\"result\":\"abab\""), "{mode}: {said}{err}");
        let (code, said, err) = execute(&world, "mcp/demo/garbage", &json!({}));
        assert_eq!(code, 0, "{mode}: {said}{err}");
        if mode == "point" {
            for (next, expected) in [(json!(null), 0), (json!({"x": 2, "next": null}), 0), (json!({"x": "far"}), 2)] {
                let (code, said, err) = execute(&world, "mcp/demo/point", &json!({"at": {"x": 1, "next": next}}));
                assert_eq!(code, expected, "{said}{err}");
            }
        }
    }
}

/// A person had to make files for values that are no secrets.
#[test]
fn a_server_gets_plain_values_and_secrets_under_other_names() {
    if !has("python3") {
        return;
    }
    let env = "env = { MODE = \"fast and loose\", TOKEN = { secret = \"DEMO_TOKEN\" } }";
    let world = world("", env);
    let mut rye = world.rye(&["mcp", "import", "demo", "--yes"]);
    let (code, said, err) = told(&rye.env("DEMO_TOKEN", "a-secret-of-ada").output().unwrap());
    assert_eq!(code, 0, "{said}{err}");
    let mut rye = world.rye(&["execute", "tool", "mcp/demo/state", "--json"]);
    let (code, said, err) = told(&rye.env("DEMO_TOKEN", "a-secret-of-ada").output().unwrap());
    let outcome: Value = serde_json::from_str(&said).unwrap();
    let env = &outcome["result"]["env"];
    assert!(code == 0 && env["MODE"] == "fast and loose", "{said}{err}");
    assert!(env["TOKEN"] == "[redacted: value of DEMO_TOKEN]" && env["DEMO_TOKEN"].is_null(), "{said}");
    for wrong in
        ["{ PATH = \"/x\" }", "{ https_proxy = \"x\" }", "{ \"a b\" = \"x\" }", "{ A = 1 }", "{ A = { file = \"x\" } }"]
    {
        configure(&world, &format!("[mcp_servers.demo]\ncommand = [\"python3\"]\nenv = {wrong}\n"));
        let (code, _, err) = told(&world.rye(&["list"]).output().unwrap());
        assert!(code != 0 && err.contains("config.toml"), "{wrong}: {err}");
    }
}

/// A refusal said "Permission denied", and nothing named the key that would help.
#[test]
fn what_a_server_was_refused_names_the_line_that_lets_it() {
    if !has("python3") {
        return;
    }
    // A version manager's shim needs the folder of the manager.
    let world = world("", "");
    let (shim, manager) = (world.path("home/.pyenv/shims/python3"), world.path("home/.pyenv/libexec/pyenv"));
    for (path, text) in [
        (&manager, "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n".to_owned()),
        (&shim, format!("#!/bin/sh\nexec \"{}\" \"$@\"\n", manager.display())),
    ] {
        world.write_at(path, &text);
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let config = std::fs::read_to_string(world.path("home/.config/rye/config.toml")).unwrap();
    let script = world.path("server.py").display().to_string();
    configure(&world, &config.replace("[\"python3\"", &format!("[\"{}\"", shim.display())));
    let (code, said, err) = imported(&world, &[]);
    let folder = world.path("home/.pyenv").canonicalize().unwrap().display().to_string();
    let line = format!("add `read = [\"{folder}\"]` below `[mcp_servers.demo]` in your configuration");
    assert!(code == 1 && err.contains("Permission denied") && err.contains(&line), "{said}{err}");
    // The line does what it says.
    let config = std::fs::read_to_string(world.path("home/.config/rye/config.toml")).unwrap();
    configure(
        &world,
        &config.replace(&format!("read = [\"{script}\"]"), &format!("read = [\"{script}\", \"{folder}\"]")),
    );
    let (code, said, err) = imported(&world, &[]);
    assert_eq!(code, 0, "{said}{err}");
    // So does one of a call.
    let private = world.path("home/data/a.txt");
    world.write_at(&private, "x");
    let odd = outcome_id(&world, "file-read");
    let (code, said, err) =
        told(&world.rye(&["execute", "tool", &odd, "-p", &format!("path={}", private.display())]).output().unwrap());
    assert!(code == 1 && err.contains("below `[mcp_servers.demo]` in your configuration"), "{said}{err}");
}

/// The id of the wrapper whose name begins so.
fn outcome_id(world: &World, beginning: &str) -> String {
    let names = std::fs::read_dir(world.in_project(".ai/tools/mcp/demo")).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = names.find(|name| name.starts_with(beginning)).unwrap();
    format!("mcp/demo/{}", name.trim_end_matches(".yaml"))
}

/// Other clients have `.mcp.json`: it is shown as lines, and starts nothing.
#[test]
fn what_a_project_declares_is_shown_and_not_taken() {
    let world = World::new();
    world.write(
        ".mcp.json",
        r#"{"mcpServers": {"clock": {"command": "npx", "args": ["-y", "mcp-clock"], "env": {"TOKEN": "${CLOCK_TOKEN}"}}}}"#,
    );
    let (code, said, err) = told(&world.rye(&["mcp", "import", "clock"]).output().unwrap());
    assert!(code == 1 && err.contains("the configuration declares no MCP server `clock`"), "{said}{err}");
    for line in [
        "`.mcp.json` of this project declares it",
        "[mcp_servers.clock]\n",
        "command = [\"npx\", \"-y\", \"mcp-clock\"]\n",
        "env = { TOKEN = { secret = \"CLOCK_TOKEN\" } }",
    ] {
        assert!(err.contains(line), "{line}: {err}");
    }
    let (_, _, err) = told(&world.rye(&["mcp", "import", "other"]).output().unwrap());
    assert!(err.contains("declare it in") && !err.contains(".mcp.json"), "{err}");
}

/// A server that reads the whole project had no history to read.
#[test]
fn a_server_that_reads_the_project_reads_its_history_and_no_credentials() {
    if !has("python3") {
        return;
    }
    let world = world("", "");
    let config = std::fs::read_to_string(world.path("home/.config/rye/config.toml")).unwrap();
    configure(&world, &config.replace("read = [", "read = [\".\", "));
    world.git(&["config", "remote.origin.url", "https://ada:s3cret-of-ada@example.org/x"]);
    let (code, said, err) = imported(&world, &[]);
    assert_eq!(code, 0, "{said}{err}");
    let log = json!({"argv": ["git", "log", "--format=%s", "-1"]});
    let (code, said, err) = execute(&world, "mcp/demo/run", &log);
    assert!(code == 0 && said.contains(&world.git(&["log", "--format=%s", "-1"])), "{said}{err}");
    let (_, said, err) = execute(&world, "mcp/demo/run", &json!({"argv": ["git", "tag", "made"]}));
    assert!(world.git(&["tag"]).is_empty(), "{said}{err}");
    for argv in [json!(["git", "config", "--list"]), json!(["cat", ".git/config"])] {
        let (_, said, err) = execute(&world, "mcp/demo/run", &json!({"argv": argv}));
        assert!(!format!("{said}{err}").contains("s3cret"), "{said}{err}");
    }
    // In a thread, too.
    let permissions =
        "<execute><tool>mcp.demo.run</tool></execute><acknowledge risk=\"elevated\">It asks a server.</acknowledge>";
    world.directive(permissions, r#"turns="4""#, "");
    let outcome = world.run(&[calls(&[("mcp_demo_run", log)]), text("Done.")]);
    let result = result_in_turn(&world.events(&outcome), 1);
    assert!(result["status"] == "ok" && result["output"].to_string().len() > 4, "{result}");
}
