//! What a document of one's own says is what happens: its headers, how often is asked again, how long a conversation may be.

use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, RESPONSES, Wire, world};
use super::world::World;
use crate::support::http::{Server, reply};

/// Writes and signs a document of this server, with these lines added.
pub(super) fn document(world: &World, wire: &Wire, server: &Server, keys: &str) {
    let plugin = match wire.provider {
        provider if provider == ANTHROPIC.provider => "plugin: anthropic",
        provider if provider == RESPONSES.provider => "plugin: openai\nwire: responses",
        _ => "plugin: openai\nwire: chat",
    };
    let document = format!(
        "tool_id: my/server\ntool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: A server\n{plugin}\n\
         url: {}{}\ntiers:\n  general: local\npricing:\n  \"*\":\n    input_per_million: \"0\"\n    output_per_million: \"0\"\n{keys}",
        server.url(),
        wire.base,
    );
    world.write_at(&world.path("home/.ai/tools/my/server.yaml"), &document);
    // Its directive may read the whole project, in which there is a long text.
    let work = world.read(".ai/directives/demo/work.md");
    world.write(
        ".ai/directives/demo/work.md",
        &work.replace("<write ", "<read resource=\"filesystem\" path=\"**\" /><write "),
    );
    assert!(world.rye(&["sign", "directive", "demo/work", "-q"]).output().unwrap().status.success());
    world.write("big.txt", &"word ".repeat(6_000));
    world.commit("big");
    let signed = world.rye(&["-C", "../home", "sign", "tool", "my/server", "-q"]).output().unwrap();
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
}

fn run(world: &World) -> (i32, Value, String) {
    let output = world.rye(&["thread", "run", "demo/work", "--json"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_default(), told)
}

#[test]
fn parameters_of_a_model_take_the_place_of_those_of_the_document() {
    for (models, thinking, top_p) in [
        ("", json!({"type": "adaptive"}), json!(0.5)),
        ("models:\n  local:\n    params: {thinking: null}\n", Value::Null, json!(0.5)),
        ("models:\n  \"*\":\n    params: {top_p: 0.9}\n", json!({"type": "adaptive"}), json!(0.9)),
        ("models:\n  other:\n    params: {thinking: null}\n", json!({"type": "adaptive"}), json!(0.5)),
    ] {
        for wire in [ANTHROPIC, CHAT] {
            let world = world();
            let server = Server::new(vec![(wire.text)("Done.")]);
            document(
                &world,
                &wire,
                &server,
                &format!("params:\n  thinking: {{type: adaptive}}\n  top_p: 0.5\n{models}"),
            );
            let (code, outcome, told) = run(&world);
            assert_eq!(code, 0, "{told}{outcome}");
            let asked = server.asked();
            let body = &asked[0].body;
            assert_eq!((&body["thinking"], &body["top_p"]), (&thinking, &top_p), "{models}");
        }
    }
}

#[test]
fn headers_are_sent_with_every_request_and_hold_no_secret() {
    for wire in [ANTHROPIC, CHAT] {
        let world = world();
        let server = Server::new(vec![(wire.text)("Done.")]);
        document(&world, &wire, &server, "headers:\n  anthropic-beta: context-1m, files\n  x-team: Blue Team\n");
        let (code, outcome, told) = run(&world);
        assert_eq!(code, 0, "{told}{outcome}");
        let asked = server.asked();
        assert_eq!(asked[0].header("anthropic-beta"), Some("context-1m, files"));
        assert_eq!(asked[0].header("x-team"), Some("Blue Team"));
        assert_eq!(asked[0].header("content-type"), Some("application/json"));
    }
    let (world, server) = (world(), Server::new(vec![(CHAT.text)("Done.")]));
    let shape = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    document(&world, &CHAT, &server, &format!("headers:\n  x-team: {shape}\n"));
    let (code, out) = world.rye_json(&["provider", "check", "my/server"]);
    let message = out["error"]["message"].as_str().unwrap_or_default();
    assert!(code != 0 && message.contains("its header `x-team` contains a secret"), "{out}");
    assert!(!out.to_string().contains(&shape) && server.asked().is_empty(), "{out}");
}

#[test]
fn a_failure_is_asked_again_as_often_as_the_document_says() {
    let busy = || {
        let error = r#"{"error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
        reply("529 Overloaded", &["content-type: application/json", "retry-after-ms: 20"], error)
    };
    for (retry, attempts) in
        [("", 5), ("retry:\n  attempts: 1\n", 1), ("retry:\n  attempts: 3\n", 3), ("retry:\n  seconds: 0\n", 1)]
    {
        let (world, server) = (world(), Server::new(vec![busy()]));
        document(&world, &CHAT, &server, retry);
        let (code, outcome, told) = run(&world);
        assert_eq!((code, server.asked().len()), (6, attempts), "{retry}{told}{outcome}");
    }
}

/// The words of a conversation that is long, in the results of a tool.
fn long(wire: &Wire) -> Server {
    Server::new(vec![(wire.call)("rye_file_system_read", &json!({"path": "big.txt"})), (wire.text)("Done.")])
}

#[test]
fn a_conversation_that_is_longer_than_the_context_is_not_sent() {
    let (world, server) = (world(), long(&CHAT));
    document(&world, &CHAT, &server, "models:\n  local:\n    context: 5000\n");
    let (code, outcome, told) = run(&world);
    let error = &outcome["error"];
    assert_eq!((code, &error["code"]), (1, &json!("context_exceeded")), "{told}{outcome}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("does not fit `local`") && message.contains("5000 tokens"), "{message}");
    assert_eq!(server.asked().len(), 1, "the second request is not sent");

    // What fits is sent, and its answer has the room that is left.
    let (world, server) = (super::providers::world(), long(&CHAT));
    document(&world, &CHAT, &server, "models:\n  \"*\":\n    context: 14000\n");
    let (code, outcome, told) = run(&world);
    assert_eq!(code, 0, "{told}{outcome}");
    let asked = |number: usize| server.asked()[number].body["max_completion_tokens"].as_u64().unwrap();
    assert!(asked(0) == 8192 && asked(1) < 8192, "{} {}", asked(0), asked(1));

    let (world, server) = (super::providers::world(), Server::new(vec![(CHAT.text)("Done.")]));
    document(&world, &CHAT, &server, "models:\n  local:\n    max_output_tokens: 77\n");
    assert_eq!(run(&world).0, 0);
    assert_eq!(server.asked()[0].body["max_completion_tokens"], 77);
}

/// A server that does not keep to the tokens that were asked for fills no record: what it says is an error, and is paid.
#[test]
fn an_answer_of_more_than_was_asked_for_is_an_error() {
    for wire in [ANTHROPIC, CHAT] {
        for (bytes, code) in [(1_100_000, 0), (1_200_000, 6)] {
            let world = world();
            let server = Server::new(vec![(wire.text)(&"word ".repeat(bytes / 5))]);
            document(&world, &wire, &server, "limits:\n  max_output_tokens: 8192\n");
            let (exit, outcome, told) = run(&world);
            assert_eq!(exit, code, "{told}");
            if code == 6 {
                let message = outcome["error"]["message"].as_str().unwrap();
                assert!(
                    message.contains("contains 1200000 bytes, more than the 8192 tokens that were asked for"),
                    "{message}"
                );
                assert_eq!(
                    (&outcome["error"]["code"], &outcome["usage"]["output_tokens"]),
                    (&json!("provider"), &json!(20))
                );
                assert!(world.events(&world.shown(&outcome)).len() < 10);
            }
        }
    }
}

/// A provider that can count is asked before a conversation is given up.
#[test]
fn what_the_provider_counts_goes_before_an_estimate() {
    for (counted, code, asked) in [(4000, 0, 3), (6000, 1, 2)] {
        let world = world();
        let read = (ANTHROPIC.call)("rye_file_system_read", &json!({"path": "big.txt"}));
        let server = Server::answering(move |number, asked| match (asked.path.as_str(), number) {
            ("/v1/messages/count_tokens", _) => {
                reply("200 OK", &["content-type: application/json"], &json!({"input_tokens": counted}).to_string())
            }
            (_, 0) => read.clone(),
            (_, _) => (ANTHROPIC.text)("Done."),
        });
        document(&world, &ANTHROPIC, &server, "models:\n  local:\n    context: 5000\n");
        let (exit, outcome, told) = run(&world);
        assert_eq!((exit, server.asked().len()), (code, asked), "{told}{outcome}");
    }
}
