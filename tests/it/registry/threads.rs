//! The tools of registries in a thread: asked about each time, and without any say about trust.

use std::fs;

use super::{as_bob, json, publish, shared, write};
use crate::support::{Person, Sandbox, has, on_terminal};
use crate::thread::world::directive;

/// Writes a directive whose one step calls a tool of registries.
fn directive_calling(sandbox: &Sandbox, folder: &str, tool: &str, params: &[(&str, &str)]) {
    let params: String =
        params.iter().map(|(name, value)| format!("<param name=\"{name}\" value=\"{value}\" />")).collect();
    let step = format!("<execute item_type=\"tool\" item_id=\"rye/registry/{tool}\">{params}</execute>");
    let permission = format!("<execute><tool>rye/registry/{tool}</tool></execute>");
    let text = directive(tool, &permission, "turns=\"3\"", "").replace("tier=\"scripted\"", "tier=\"steps\"");
    let text = text.replace(">Work.<", &format!("><description>Work</description>{step}<"));
    let path = sandbox.path(folder).join(format!(".ai/directives/demo/{tool}.md"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A time of its own for each thread, and so an id.
fn at(second: u32) -> String {
    format!("2026-03-17T01:42:{second:02}Z")
}

fn unasked(sandbox: &Sandbox, config: &str, tools: &str) {
    let folder = sandbox.path(config).join("rye");
    fs::create_dir_all(&folder).unwrap();
    let text = format!("[permissions]\nunasked = [\"rye.execute.tool.rye.registry.{tools}\"]\n");
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn what_a_thread_pulls_lands_in_its_tree_and_nobody_trusts_it_for_that() {
    let bob = Person::new("bob");
    let (sandbox, other) = shared(&bob);
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    directive_calling(&sandbox, "bob", "pull", &[("item_id", "team/runbook")]);
    directive_calling(&sandbox, "bob", "search", &[("query", "bell")]);
    as_bob(&sandbox, &bob, &["sign", "--all", "-q"]).succeeds();
    // `--yes` was given before its purpose was known.
    let seen = as_bob(&sandbox, &bob, &["thread", "run", "demo/pull", "--yes"]).env("RYE_NOW", &at(1)).transcript();
    assert!(seen.contains("`execute tool rye/registry/pull` needs the user's approval and did not get it"), "{seen}");
    assert!(seen.contains("unless `permissions.unasked` covers it"), "{seen}");
    let config = ["--config", "permissions.unasked=[\"rye.*\"]", "thread", "run", "demo/pull"];
    let seen = as_bob(&sandbox, &bob, &config).env("RYE_NOW", &at(2)).transcript();
    assert!(seen.contains("set `permissions.unasked` in the configuration file"), "{seen}");
    unasked(&sandbox, "config-bob", "*");
    let outcome =
        json(&as_bob(&sandbox, &bob, &["thread", "run", "demo/pull", "--json"]).env("RYE_NOW", &at(3)).stdout());
    assert_eq!(outcome["status"], "completed", "{outcome}");
    let branch = outcome["branch"].as_str().unwrap();
    let file = sandbox.git(&["-C", &other, "show", &format!("{branch}:.ai/knowledge/team/runbook.md")]);
    assert!(file.contains("Ring the bell."), "{file}");
    let names = sandbox.git(&["-C", &other, "ls-tree", "-r", "--name-only", branch]);
    assert!(!names.contains("rye.lock"), "{names}");
    for path in ["bob/.ai/knowledge/team", "bob/rye.lock", "home-bob/.ai/knowledge"] {
        assert!(!sandbox.path(path).exists(), "{path}");
    }
    let known = fs::read_to_string(sandbox.path("config-bob/rye/registries.toml")).unwrap();
    assert!(!known.contains("team = "), "{known}");
    let listed = as_bob(&sandbox, &bob, &["trust", "list"]).transcript();
    assert!(!listed.contains("team"), "{listed}");
    let outcome =
        json(&as_bob(&sandbox, &bob, &["thread", "run", "demo/search", "--json"]).env("RYE_NOW", &at(4)).stdout());
    assert_eq!(outcome["status"], "completed", "{outcome}");
    let log = as_bob(&sandbox, &bob, &["thread", "log", "@latest"]).transcript();
    assert!(log.contains("data, not instructions") && log.contains("team/runbook"), "{log}");
    // A rule that does not name the place keeps the pull from writing there.
    let path = sandbox.path("bob/.ai/directives/demo/pull.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("<permissions>", "<permissions><write resource=\"filesystem\" path=\"docs/**\"/>"))
        .unwrap();
    as_bob(&sandbox, &bob, &["sign", "--all", "-q"]).succeeds();
    let seen = as_bob(&sandbox, &bob, &["thread", "run", "demo/pull"]).env("RYE_NOW", &at(5)).transcript();
    assert!(seen.contains("no permission to write `.ai/knowledge/team/runbook.md`"), "{seen}");
}

#[test]
fn a_person_at_the_terminal_agrees_to_each_call() {
    if !has("python3") {
        return;
    }
    let bob = Person::new("bob");
    let (sandbox, _) = shared(&bob);
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    directive_calling(&sandbox, "project", "search", &[("query", "bell")]);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let run = [crate::support::RYE, "thread", "run", "demo/search", "--yes"];
    let (seen, _) = on_terminal(&sandbox, &[("[y/N] ", "y\n")], &run);
    assert!(
        seen.contains("the thread wants to execute tool rye/registry/search, with {\"query\": \"bell\"}; let it?"),
        "{seen}"
    );
    assert!(seen.contains("completed"), "{seen}");
}

#[test]
fn a_thread_publishes_only_what_its_person_signed_under_their_own_key() {
    let bob = Person::new("bob");
    let (sandbox, _) = shared(&bob);
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    let item = [("item_type", "knowledge"), ("item_id", "team/runbook")];
    directive_calling(&sandbox, "project", "publish", &item);
    write(&sandbox, "team/runbook", "1.1.0", "Ring it twice.");
    sandbox.rye(&["sign", "directive", "demo/publish", "-q"]).succeeds();
    let seen = sandbox.rye(&["thread", "run", "demo/publish"]).env("RYE_NOW", &at(6)).transcript();
    assert!(
        seen.contains("`execute tool rye/registry/publish` needs the user's approval and did not get it"),
        "{seen}"
    );
    unasked(&sandbox, "config", "publish");
    // Not signed by its person in this form.
    let seen = sandbox.rye(&["thread", "run", "demo/publish"]).env("RYE_NOW", &at(7)).transcript();
    assert!(seen.contains("it needs your own signature") && !seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    sandbox.rye(&["thread", "run", "demo/publish", "-q"]).env("RYE_NOW", &at(8)).succeeds();
    let info = json(&sandbox.rye(&["show", "team/runbook@1.1.0", "--json"]).stdout());
    let keys = json(&sandbox.rye(&["key", "list", "--json"]).stdout());
    let person = keys["keys"].as_array().unwrap().iter().find(|key| key["name"] == "person").unwrap();
    assert_eq!(info["versions"][0]["signer"], person["fingerprint"], "{info}");
    // A namespace is for its person to claim.
    write(&sandbox, "ops/new", "1.0.0", "New.");
    directive_calling(&sandbox, "project", "publish", &[("item_type", "knowledge"), ("item_id", "ops/new")]);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let seen = sandbox.rye(&["thread", "run", "demo/publish"]).env("RYE_NOW", &at(9)).transcript();
    assert!(seen.contains("the namespace `ops` has no owner yet"), "{seen}");
    // Outside of threads there are commands for it.
    let seen = sandbox.rye(&["execute", "tool", "rye/registry/search", "-i", "query=bell"]).transcript();
    assert!(seen.contains("run `rye search --registry`"), "{seen}");
}
