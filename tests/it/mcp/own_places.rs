//! What belongs to the program itself is neither read nor written by a model, by whatever name it lies in a project.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::client::Client;
use crate::support::Sandbox;
use crate::thread::world::{World, call, text};

/// Every way a built-in tool can get at a path.
const TOOLS: [&str; 3] = ["read", "write", "list"];

/// Asserts that no tool gets at a path, and that it is the same afterwards.
#[track_caller]
fn assert_refused(sandbox: &Sandbox, client: &mut Client<'_>, path: &str) {
    let file = sandbox.project().join(path);
    let before = fs::read(&file).ok();
    for tool in TOOLS {
        let mut parameters = json!({"path": path});
        if tool == "write" {
            parameters["content"] = json!("[mcp]\npermissions = [\"rye.*\"]\n");
        }
        let id = format!("rye/file-system/{tool}");
        let arguments = json!({"item_type": "tool", "item_id": id, "parameters": parameters});
        let (outcome, failed) = client.outcome("rye_execute", arguments);
        let is_told = outcome.to_string().contains("the program's own keys, trust, settings and records");
        // By another name, only a file that is opened is found to be the program's own.
        assert!(failed && (is_told || tool == "list" && file.is_file()), "{tool} {path}: {outcome}");
    }
    assert_eq!(fs::read(&file).ok(), before, "{path}");
}

#[track_caller]
fn assert_free(client: &mut Client<'_>, path: &str) {
    client.tool("rye/file-system/write", json!({"path": path, "content": "x"}));
    client.tool("rye/file-system/read", json!({"path": path}));
}

/// A home folder under git, as those who keep their dotfiles so have it.
#[test]
fn nothing_of_the_program_s_own_is_touched_where_the_home_folder_is_the_project() {
    let sandbox = Sandbox::signed();
    let home = sandbox.project().display().to_string();
    for is_elsewhere in [false, true] {
        let xdg = |name: &str| if is_elsewhere { format!("{home}/xdg/{name}") } else { String::new() };
        let mut server = sandbox.rye(&["mcp"]).env("HOME", &home);
        for name in ["CONFIG", "STATE", "CACHE"] {
            server = server.env(&format!("XDG_{name}_HOME"), &xdg(name));
        }
        let mut client = Client::of(&sandbox, server.spawn_piped());
        client.shake_hands(json!({}));
        // This makes the record of a model's writes, and the model has no access to it.
        assert_free(&mut client, ".ai/knowledge/demo/new.md");
        let record = if is_elsewhere { "xdg/STATE/rye/agent_written" } else { ".local/state/rye/agent_written" };
        assert!(fs::metadata(sandbox.project().join(record)).unwrap().len() > 64);
        // The default places are the person's, whatever the variables of a server say.
        let mut folders = vec![".config/rye", ".local/state/rye", ".LOCAL/State/rye", ".cache/rye"];
        folders.extend(if is_elsewhere { &["xdg/CONFIG/rye", "xdg/STATE/rye", "xdg/CACHE/rye"][..] } else { &[] });
        for folder in folders {
            let below =
                ["config.toml", "keys/person", "trust/x/y", "secrets/K", "agent_written", "trees/x/a.md", "index/x"];
            assert_refused(&sandbox, &mut client, folder);
            below.iter().for_each(|name| assert_refused(&sandbox, &mut client, &format!("{folder}/{name}")));
        }
        for path in [".config/other/a", ".local/state/ryelike/a", ".cache/a", "rye/config.toml", "config.toml"] {
            assert_free(&mut client, path);
        }
    }
}

/// What `stow` and `chezmoi` make: a file or folder of the configuration is a link into the project.
#[test]
fn what_a_link_of_the_configuration_leads_to_is_the_program_s_own() {
    type Case = (&'static str, &'static str, &'static [&'static str]);
    let cases: [Case; 8] = [
        ("config", "dot", &["dot/rye", "dot/rye/config.toml", "dot/rye/keys/person", "dot/rye/trust/new"]),
        ("config/rye", "dot", &["dot", "dot/config.toml", "dot/keys/person", "dot/keys/agent", "dot/trust/new"]),
        ("config/rye/keys", "dot/k", &["dot/k", "dot/k/person", "dot/k/person.pub", "dot/k/agent"]),
        ("config/rye/keys/person", "dot/person", &["dot/person"]),
        ("config/rye/config.toml", "dot/c.toml", &["dot/c.toml"]),
        ("config/rye/trust", "dot/t", &["dot/t/allowed_signers", "dot/t/revoked", "dot/t/projects/x"]),
        ("config/rye/secrets", "dot/s", &["dot/s/ANTHROPIC_API_KEY"]),
        ("home/.local/state/rye", "dot/state", &["dot/state/agent_written", "dot/state/trees/x"]),
    ];
    for (place, target, refused) in cases {
        for is_chain in [false, true] {
            let sandbox = Sandbox::signed();
            fs::write(sandbox.path("config/rye/config.toml"), "").unwrap();
            for name in ["config/rye/secrets", "home/.local/state/rye"] {
                fs::create_dir_all(sandbox.path(name)).unwrap();
            }
            let (place, end) = (sandbox.path(place), sandbox.project().join(target));
            fs::create_dir_all(end.parent().unwrap()).unwrap();
            fs::rename(&place, &end).unwrap();
            if is_chain {
                symlink(&end, sandbox.path("between")).unwrap();
            }
            symlink(if is_chain { sandbox.path("between") } else { end }, &place).unwrap();
            let mut client = Client::connected(&sandbox, &[]);
            refused.iter().for_each(|path| assert_refused(&sandbox, &mut client, path));
            assert_free(&mut client, "docs/config.toml");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_yet_and_another_name_of_a_file_are_the_program_s_own() {
    let sandbox = Sandbox::signed();
    // A write would make a key. (A configuration that is such a link keeps the server from starting.)
    symlink(sandbox.project().join("dot/rye/spare"), sandbox.path("config/rye/keys/spare")).unwrap();
    sandbox.put("dot/a", "");
    for (own, name) in [("keys/person", "dot/person"), ("trust/allowed_signers", "dot/signers")] {
        drop(fs::write(sandbox.path("config/rye/trust/allowed_signers"), ""));
        fs::hard_link(sandbox.path("config/rye").join(own), sandbox.project().join(name)).unwrap();
    }
    let mut client = Client::connected(&sandbox, &[]);
    for path in ["dot/rye/spare", "dot/person", "dot/signers"] {
        assert_refused(&sandbox, &mut client, path);
    }
    assert_free(&mut client, "dot/a");
    assert!(!sandbox.project().join("dot/rye").exists());
}

/// A folder of the program's own that is a repository shows nothing of what it is from within.
#[test]
fn a_folder_of_the_program_s_own_is_no_project_for_a_model() {
    let sandbox = Sandbox::signed();
    for folder in ["config/rye", "home/.local/state/rye/trees/x"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        sandbox.git(&["init", "-q", &sandbox.path(folder).display().to_string()]);
        let server = sandbox.rye(&["-C", &sandbox.path(folder).display().to_string(), "mcp"]);
        let mut client = Client::of(&sandbox, server.spawn_piped());
        client.shake_hands(json!({}));
        for path in ["config.toml", "keys/person", "a.md"] {
            assert_refused(&sandbox, &mut client, path);
        }
    }
}

/// A folder of git's by another name may hold credentials in its configuration.
#[test]
fn a_git_folder_by_another_name_is_not_read() {
    let sandbox = Sandbox::signed();
    fs::rename(sandbox.project().join(".git"), sandbox.project().join("meta")).unwrap();
    sandbox.put(".git", "gitdir: meta\n");
    sandbox.put("docs/a.md", "");
    sandbox.git(&["init", "-q", "--separate-git-dir", "docs/other", "nested"]);
    let mut client = Client::connected(&sandbox, &[]);
    let places = [
        ("read", "meta/config"),
        ("read", "meta/logs/HEAD"),
        ("list", "meta"),
        ("read", "docs/other/config"),
        ("read", "docs/other/HEAD"),
        ("list", "docs/other"),
    ];
    for (tool, path) in places {
        let id = format!("rye/file-system/{tool}");
        let arguments = json!({"item_type": "tool", "item_id": id, "parameters": {"path": path}});
        let (outcome, failed) = client.outcome("rye_execute", arguments);
        assert!(failed && outcome.to_string().contains("tools cannot access git's own folder"), "{outcome}");
    }
    client.tool("rye/file-system/list", json!({"path": "docs"}));
}

/// What a thread's script changes is left out, and what its branch holds is not accepted.
#[test]
fn a_thread_changes_nothing_of_the_program_s_own() {
    let world = World::new();
    world.write("dot/config.toml", "");
    world.commit("dotfiles");
    let own = world.path("home/.config/rye/config.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    drop(fs::remove_file(&own));
    symlink(world.in_project("dot/config.toml"), &own).unwrap();
    world.tool("demo/one", "echo '[commit]' > dot/config.toml; echo 1 > dot/a.txt");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="3""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["dot/a.txt"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), "");
    // Another branch, or one from before the link was made.
    fs::remove_file(&own).unwrap();
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["dot/a.txt", "dot/config.toml"]);
    symlink(world.in_project("dot/config.toml"), &own).unwrap();
    let seen = world.rye(&["thread", "accept", outcome.thread_id.as_str(), "--yes"]).output().unwrap();
    let said = String::from_utf8_lossy(&seen.stderr).into_owned();
    assert!(!seen.status.success() && said.contains("the program's own keys"), "{said}");
    assert_eq!(fs::read_to_string(&own).unwrap(), "");
}
