//! Which provider serves a directive that names none: the one that is meant, or the only one that somebody set up.

use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, KEY, RESPONSES, Wire, world};
use super::world::World;
use crate::support::http::Server;

/// A world whose directive has this tier.
fn of_tier(tier: &str) -> World {
    let world = world();
    if tier == "general" {
        return world;
    }
    let path = world.in_project(".ai/directives/demo/work.md");
    let text = std::fs::read_to_string(&path).unwrap();
    world.write_at(&path, &text.replace("tier=\"general\"", &format!("tier=\"{tier}\"")));
    sign(&world, ".");
    world.commit("another tier");
    world
}

fn sign(world: &World, folder: &str) {
    let output = world.rye(&["-C", folder, "sign", "--all", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes a document of the person's own for a server of this machine, with these keys.
fn own_document(world: &World, name: &str, server: &Server, keys: &str) {
    let document = format!(
        "tool_id: my/{name}\ntool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: A server\nplugin: openai\n\
         wire: chat\nurl: {}/v1\n{keys}",
        server.url()
    );
    world.write_at(&world.path(&format!("home/.ai/tools/my/{name}.yaml")), &document);
    let id = format!("my/{name}");
    let signed = world.rye(&["sign", "tool", &id, "--user", "-q"]).output().unwrap();
    if !signed.status.success() {
        let signed = world.rye(&["-C", "../home", "sign", "tool", &id, "-q"]).output().unwrap();
        assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    }
}

fn run(world: &World, wires: &[(&Wire, &Server)], args: &[&str]) -> (i32, Value) {
    let mut rye = world.rye(&[&["thread", "run", "demo/work", "--json"], args].concat());
    for (wire, server) in wires {
        rye.env(wire.key, KEY).env(wire.url, format!("{}{}", server.url(), wire.base));
    }
    let output = rye.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let outcome = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    (output.status.code().unwrap(), outcome)
}

const FREE: &str = "    input_per_million: \"0\"\n    output_per_million: \"0\"\n";

#[test]
fn the_only_provider_that_is_set_up_serves_every_tier() {
    let (one, other) = (Server::new(vec![(RESPONSES.text)("Done.")]), Server::new(vec![(ANTHROPIC.text)("Done.")]));
    for tier in ["general", "high", "unheard_of"] {
        let world = of_tier(tier);
        let (code, outcome) = run(&world, &[(&RESPONSES, &one)], &[]);
        assert_eq!((code, &outcome["provider"]), (0, &json!(RESPONSES.provider)), "{outcome}");
        let model = if tier == "high" { "gpt-6.1-sol" } else { "gpt-6.1-terra" };
        assert_eq!(outcome["model"], model);
    }
    // Two are not chosen between, whatever the tier.
    for (tier, code) in [("general", "ambiguous-provider"), ("unheard_of", "no-provider")] {
        let world = of_tier(tier);
        let (exit, error) = run(&world, &[(&RESPONSES, &one), (&ANTHROPIC, &other)], &[]);
        assert_eq!((exit, &error["error"]["code"]), (1, &json!(code)), "{error}");
    }
}

#[test]
fn a_document_of_the_person_s_own_serves_without_tiers() {
    let server = Server::new(vec![(CHAT.text)("Done.")]);
    let world = of_tier("general");
    own_document(&world, "local", &server, &format!("pricing:\n  llama:\n{FREE}"));
    let (code, outcome) = run(&world, &[], &[]);
    assert_eq!((code, &outcome["provider"], &outcome["model"]), (0, &json!("my/local"), &json!("llama")), "{outcome}");
    // One that has the tier is meant more.
    let other = Server::new(vec![(ANTHROPIC.text)("Done.")]);
    let (code, outcome) = run(&world, &[(&ANTHROPIC, &other)], &[]);
    assert_eq!((code, &outcome["provider"]), (0, &json!(ANTHROPIC.provider)), "{outcome}");
    // A second one of the person's own: neither is taken.
    own_document(&world, "second", &server, &format!("pricing:\n  llama:\n{FREE}"));
    let (code, error) = run(&world, &[], &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("no-secret")), "{error}");
}

#[test]
fn a_server_with_any_model_serves_one_that_is_named() {
    let server = Server::new(vec![(CHAT.text)("Done.")]);
    let world = of_tier("general");
    own_document(&world, "local", &server, &format!("pricing:\n  \"*\":\n{FREE}"));
    let (code, error) = run(&world, &[], &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("no-secret")), "{error}");
    let (code, outcome) = run(&world, &[], &["--model", "llama3"]);
    assert_eq!((code, &outcome["model"]), (0, &json!("llama3")), "{outcome}");
}

/// Ollama's document needs no secret, so it is always usable, but it was not named.
#[test]
fn what_needs_no_secret_is_not_chosen_silently() {
    let world = of_tier("general");
    let (code, error) = run(&world, &[], &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("no-secret")), "{error}");
    let world = of_tier("unheard_of");
    let (code, error) = run(&world, &[], &["--model", "llama3"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("no-provider")), "{error}");
}
