//! `rye provider list` and `rye provider check`.

use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, KEY, RESPONSES, Wire, world};
use super::world::World;
use crate::support::http::{Server, reply};

fn rye(world: &World, args: &[&str], wires: &[(&Wire, &Server)]) -> (i32, String, String) {
    let mut rye = world.rye(args);
    for (wire, server) in wires {
        rye.env(wire.key, KEY).env(wire.url, format!("{}{}", server.url(), wire.base));
    }
    let output = rye.output().unwrap();
    let (out, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(!out.contains(KEY) && !told.contains(KEY), "{out}{told}");
    (output.status.code().unwrap(), out, told)
}

fn state(listed: &Value, id: &str) -> Value {
    listed["providers"].as_array().unwrap().iter().find(|state| state["id"] == id).cloned().unwrap_or_default()
}

#[test]
fn the_list_says_what_each_provider_lacks_and_where_its_requests_go() {
    let world = world();
    let (code, out, told) = rye(&world, &["provider", "list", "--json"], &[]);
    assert_eq!(code, 0, "{told}");
    let listed: Value = serde_json::from_str(&out).unwrap();
    let anthropic = state(&listed, ANTHROPIC.provider);
    assert_eq!(
        (&anthropic["status"], &anthropic["secret"], &anthropic["host"], &anthropic["space"]),
        (&json!("no_secret"), &json!("ANTHROPIC_API_KEY"), &json!("api.anthropic.com"), &json!("system"))
    );
    assert_eq!(anthropic["tiers"]["general"], "claude-sonnet-5-5");
    assert!(anthropic["models"].as_array().unwrap().contains(&json!("claude-opus-5-5")));
    let ollama = state(&listed, "rye/agent/providers/ollama");
    assert_eq!((&ollama["status"], &ollama["host"]), (&json!("usable"), &json!("localhost:11434")));
    assert_eq!(state(&listed, "rye/agent/providers/steps")["host"], Value::Null);

    let (code, out, told) = rye(&world, &["provider", "list"], &[]);
    assert!(code == 0 && out.contains("no secret"), "{out}");
    assert!(told.contains("hint: set `ANTHROPIC_API_KEY`"), "{told}");

    let server = Server::new(vec![(ANTHROPIC.text)("ok")]);
    let (_, out, told) = rye(&world, &["provider", "list", "--json"], &[(&ANTHROPIC, &server)]);
    let anthropic = state(&serde_json::from_str(&out).unwrap(), ANTHROPIC.provider);
    let host = server.url().replace("http://", "");
    assert_eq!(
        (&anthropic["status"], &anthropic["variable"], &anthropic["host"]),
        (&json!("usable"), &json!(ANTHROPIC.url), &json!(host)),
        "{told}"
    );
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn documents_of_the_person_s_own_that_do_not_count_are_listed_with_the_reason() {
    let world = world();
    let document = "tool_id: my/server\ntool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: A server\nplugin: openai\n";
    world.write_at(&world.path("home/.ai/tools/my/server.yaml"), document);
    let (code, out, told) = rye(&world, &["provider", "list", "--json"], &[]);
    let state = state(&serde_json::from_str(&out).unwrap(), "my/server");
    assert_eq!((code, &state["status"], &state["space"]), (0, &json!("invalid"), &json!("user")), "{out}{told}");
    assert!(state["message"].as_str().unwrap().contains("not signed"), "{state}");
    let (_, _, told) = rye(&world, &["provider", "list"], &[]);
    assert!(told.contains("warning: `my/server`: "), "{told}");
}

#[test]
fn the_check_makes_one_small_call_the_way_a_thread_does() {
    let world = world();
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let server = Server::new(vec![(wire.text)("ok")]);
        let args = ["provider", "check", wire.provider, "--json", "--model", "gpt-6-luna"];
        let args = if wire.provider == CHAT.provider { &args[..] } else { &args[..4] };
        let (code, out, told) = rye(&world, args, &[(&wire, &server)]);
        let check: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{told}"));
        let check = &check["checks"][0];
        assert_eq!((code, &check["answered"], &check["provider"]), (0, &json!(true), &json!(wire.provider)), "{out}");
        assert_eq!((&check["usage"]["input_tokens"], &check["usage"]["output_tokens"]), (&json!(100), &json!(20)));
        assert!(check["spend"]["amount"].as_str().unwrap().starts_with("0.000"), "{check}");
        let asked = server.asked();
        assert_eq!((asked.len(), asked[0].path.as_str()), (1, wire.path));
        assert!(asked[0].header("x-api-key").or(asked[0].header("authorization")).unwrap().contains(KEY));
    }
    // Nothing of it is a thread.
    assert_eq!(world.git(&["branch", "--list", "rye/*"]), "");
}

#[test]
fn without_an_id_every_usable_provider_is_asked_and_one_that_fails_is_exit_6() {
    let world = world();
    let good = Server::new(vec![(ANTHROPIC.text)("ok")]);
    let error = json!({"error": {"type": "invalid_request_error", "code": "invalid_api_key", "message": format!("Incorrect API key: {KEY}")}});
    let bad = Server::new(vec![reply("401 Unauthorized", &["content-type: application/json"], &error.to_string())]);
    let wires = [(&ANTHROPIC, &good), (&RESPONSES, &bad)];
    let (code, out, told) = rye(&world, &["provider", "check"], &wires);
    assert_eq!(code, 6, "{out}{told}");
    assert!(out.contains("ok rye/agent/providers/anthropic_messages claude-sonnet-5-5"), "{out}");
    assert!(out.contains("failed rye/agent/providers/openai_responses"), "{out}");
    assert!(told.contains("hint: put the right key into the variable or the file `OPENAI_API_KEY`"), "{told}");
    assert!(told.contains("[redacted: value of "), "{told}");

    let (code, out, _) = rye(&world, &["provider", "check", "--json"], &wires);
    let checks: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 6);
    let failed = checks["checks"].as_array().unwrap().iter().find(|check| check["answered"] == false).unwrap();
    assert_eq!(failed["class"], "authentication");
}

#[test]
fn where_nothing_is_set_up_the_check_says_what_to_set() {
    let world = world();
    let (code, out, told) = rye(&world, &["provider", "check", "--json"], &[]);
    let error: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{told}"));
    // Ollama's document is usable, and waits for a model to be named.
    assert_eq!((code, &error["error"]["code"]), (1, &json!("no-secret")), "{error}");
    assert!(error["error"]["message"].as_str().unwrap().contains("`ANTHROPIC_API_KEY`"), "{error}");
    let (code, out, _) = rye(&world, &["provider", "check", ANTHROPIC.provider, "--json"], &[]);
    let error: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &error["error"]["code"]), (1, &json!("no-secret")), "{error}");
}
