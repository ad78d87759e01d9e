//! A directive's `fallback_id` and `fallback`: the answer after a permanent failure of its model, and its record.

use rye::event::EventData;
use serde_json::{Value, json};

use super::providers::{ANTHROPIC, KEY, RESPONSES, world};
use super::world::{World, types};
use crate::support::http::{Reply, Server, reply};

/// The world of the providers' tests, whose directive names a fallback.
fn with_fallback(attributes: &str) -> World {
    let world = world();
    let path = world.in_project(".ai/directives/demo/work.md");
    let text = std::fs::read_to_string(&path).unwrap();
    world.write_at(
        &path,
        &text.replace("<model tier=\"general\" />", &format!("<model tier=\"general\" {attributes} />")),
    );
    let output = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world.commit("a fallback");
    world
}

fn run(world: &World, first: &Server, second: Option<&Server>, args: &[&str]) -> (i32, Value, String) {
    let mut rye = world.rye(&[&["thread", "run", "demo/work", "--json"], args].concat());
    rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, first.url());
    if let Some(second) = second {
        rye.env(RESPONSES.key, KEY).env(RESPONSES.url, format!("{}{}", second.url(), RESPONSES.base));
    }
    let output = rye.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or(Value::Null), told)
}

fn failure(status: &str, kind: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": kind, "message": "no such luck"}});
    reply(status, &["content-type: application/json"], &body.to_string())
}

#[test]
fn the_fallback_goes_on_where_the_model_fails_for_good() {
    let world = with_fallback("id=\"claude-haiku-5-5\" fallback_id=\"gpt-6.1-sol\"");
    let write = json!({"path": "notes/a.md", "content": "hi\n"});
    let first = Server::new(vec![
        (ANTHROPIC.call)("rye_file_system_write", &write),
        failure("404 Not Found", "not_found_error"),
    ]);
    let second = Server::new(vec![
        (RESPONSES.call)("rye_file_system_write", &json!({"path": "notes/b.md", "content": "ho\n"})),
        (RESPONSES.text)("Done."),
    ]);
    let (code, outcome, told) = run(&world, &first, Some(&second), &[]);
    assert_eq!((code, &outcome["turns"]), (0, &json!(3)), "{told}{outcome}");
    assert_eq!((first.asked().len(), second.asked().len()), (2, 2));
    assert_eq!((&outcome["model"], &outcome["provider"]), (&json!("gpt-6.1-sol"), &json!(RESPONSES.provider)));
    let change = &outcome["fallbacks"][0];
    assert_eq!(
        (&change["turn"], &change["from_model"], &change["model"]),
        (&json!(2), &json!("claude-haiku-5-5"), &json!("gpt-6.1-sol"))
    );
    assert!(change["reason"].as_str().unwrap().contains("no such luck"), "{change}");
    // What only the first model understands goes to no other; what it did is told.
    let asked = second.asked();
    let body = asked[0].body.to_string();
    assert!(!body.contains("SIGNED") && body.contains("notes/a.md"), "{body}");
    assert!(asked[1].body.to_string().contains("SIGNED"));
    // One turn of haiku, two of sol: each at its price.
    let thread = world.shown(&outcome);
    let events = world.events(&thread);
    let spent: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.what {
            EventData::StepFinish { spend, .. } => Some(spend.as_str()),
            _ => None,
        })
        .collect();
    assert!(spent[0] != spent[1] && spent[1] == spent[2], "{spent:?}");
    let types = types(&events);
    let at = types.iter().position(|name| name == "fallback").unwrap();
    assert_eq!(types[at - 1], "step_start");
    world.check(&thread);
    // Each commit names who answered.
    let authors = world.log(&thread, "%an");
    assert_eq!(authors, ["claude-haiku-5-5", "claude-haiku-5-5", "gpt-6.1-sol", "gpt-6.1-sol", "gpt-6.1-sol"]);
    let shown = world.rye(&["thread", "show", thread.thread_id.as_str()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("gpt-6.1-sol from turn 2 on, for claude-haiku-5-5"), "{shown}");
    assert!(world.thread_file(&thread, "transcript.md").contains("Fallback to `gpt-6.1-sol`"));
}

#[test]
fn what_is_wrong_with_the_request_or_the_key_is_not_hidden_by_a_fallback() {
    for (status, kind, falls_back) in [
        ("401 Unauthorized", "authentication_error", false),
        ("400 Bad Request", "invalid_request_error", false),
        ("404 Not Found", "not_found_error", true),
    ] {
        let world = with_fallback("fallback=\"high\"");
        let first = Server::new(vec![failure(status, kind), (ANTHROPIC.text)("Done.")]);
        let (code, outcome, told) = run(&world, &first, None, &[]);
        assert_eq!((code, first.asked().len()), if falls_back { (0, 2) } else { (6, 1) }, "{told}{outcome}");
        let model = if falls_back { "claude-opus-5-5" } else { "claude-sonnet-5-5" };
        assert_eq!(outcome["model"], model);
        world.check(&world.shown(&outcome));
    }
}

#[test]
fn a_fallback_that_cannot_be_asked_is_named_when_the_model_fails() {
    let world = with_fallback("fallback_id=\"gpt-6.1-sol\"");
    let first = Server::new(vec![failure("404 Not Found", "not_found_error")]);
    let (code, outcome, told) = run(&world, &first, None, &[]);
    let message = outcome["error"]["message"].as_str().unwrap_or_default();
    assert_eq!((code, &outcome["error"]["code"]), (6, &json!("provider")), "{told}{outcome}");
    assert!(
        message.contains("the fallback `gpt-6.1-sol` cannot be asked") && message.contains("OPENAI_API_KEY"),
        "{message}"
    );
    world.check(&world.shown(&outcome));
}
