//! Which model answers: the very one that was asked for, or none; and the record of both.

use rye::event::{Event, EventData};
use serde_json::{Value, json};

use super::providers::{ANTHROPIC, KEY, world};
use super::world::{SCRIPTED, World, text};
use crate::support::http::{Server, reply};

/// The models that the documents name by which this program's formats began.
const ORIGINALS: [&str; 2] = ["claude-3-5-haiku-20241022", "claude-3-5-sonnet-20241022"];

/// The world of the providers' tests, whose directive asks for this model.
fn asking_for(attributes: &str) -> World {
    let world = world();
    let path = world.in_project(".ai/directives/demo/work.md");
    let text = std::fs::read_to_string(&path).unwrap();
    world.write_at(&path, &text.replace("<model tier=\"general\" />", &format!("<model {attributes} />")));
    let output = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    if !world.git(&["status", "--porcelain"]).is_empty() {
        world.commit("a model");
    }
    world
}

/// Runs the program; returns exit code, stdout as JSON and stderr.
fn rye(world: &World, server: &Server, args: &[&str]) -> (i32, Value, String) {
    let mut rye = world.rye(args);
    let output = rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or(Value::Null), told)
}

const RUN: [&str; 4] = ["thread", "run", "demo/work", "--json"];

#[test]
fn a_model_that_nothing_prices_is_refused_whoever_names_it() {
    let server = Server::new(vec![(ANTHROPIC.text)("Done.")]);
    let scenes: [(&str, &[&str], &str); 6] = [
        ("tier=\"general\"", &["--model", "made-up-9"], "no-provider"),
        ("tier=\"haiku\" id=\"made-up-9\"", &[], "no-provider"),
        ("tier=\"haiku\" id=\"made-up-9\"", &["--provider", ANTHROPIC.provider], "no-price"),
        ("tier=\"unheard_of\" id=\"made-up-9\"", &[], "no-provider"),
        ("tier=\"haiku\" fallback_id=\"made-up-9\"", &[], "no-provider"),
        ("tier=\"haiku\" fallback_id=\"made-up-9\"", &["--provider", ANTHROPIC.provider], "no-price"),
    ];
    for (attributes, more, code) in scenes {
        let world = asking_for(attributes);
        let before = world.untouched();
        let (exit, error, told) = rye(&world, &server, &[&RUN, more].concat());
        assert_eq!((exit, &error["error"]["code"]), (1, &json!(code)), "{attributes} {more:?}: {told}{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains("`made-up-9`"), "{error}");
        let hints = error["error"]["hints"].to_string();
        let command = format!("`rye provider price made-up-9 --input X --output Y --provider {}`", ANTHROPIC.provider);
        assert!(hints.contains(&command), "{hints}");
        assert_eq!(world.untouched(), before, "{attributes}");
    }
    assert_eq!(server.asked().len(), 0);
}

/// Without any provider that is set up the same is told.
#[test]
fn a_model_that_nothing_prices_is_refused_without_a_provider_too() {
    let world = asking_for("tier=\"haiku\" id=\"made-up-9\"");
    let (exit, error) = world.rye_json(&["thread", "run", "demo/work"]);
    assert_eq!((exit, &error["error"]["code"]), (1, &json!("no-provider")), "{error}");
    assert!(error["error"]["hints"].to_string().contains("rye provider price made-up-9 --input X"), "{error}");
}

#[test]
fn one_command_prices_a_model_in_four_lines() {
    let world = asking_for("tier=\"haiku\" id=\"made-up-9\"");
    let config = world.path("home/.config/rye/config.toml");
    world.write_at(&config, "# mine\n[threads]\nkeep = \"30d\" # a month\n");
    let server = Server::new(vec![(ANTHROPIC.text)("Done."), (ANTHROPIC.text)("Done.")]);
    let price = ["provider", "price", "made-up-9", "--input", "3", "--output", "15.5"];
    let (exit, outcome, told) = rye(&world, &server, &[&price[..], &["--json"]].concat());
    assert_eq!((exit, &outcome["provider"]), (0, &json!(ANTHROPIC.provider)), "{told}");
    let lines = outcome["lines"].as_str().unwrap();
    assert_eq!(
        lines,
        "[prices.\"rye/agent/providers/anthropic_messages\".\"made-up-9\"]\ninput_per_million = \"3.00\"\n\
         output_per_million = \"15.50\"\ncurrency = \"USD\"\n"
    );
    let written = std::fs::read_to_string(&config).unwrap();
    assert_eq!(written, format!("# mine\n[threads]\nkeep = \"30d\" # a month\n\n{lines}"));
    let (exit, outcome, told) = rye(&world, &server, &RUN);
    assert_eq!((exit, &outcome["model"]), (0, &json!("made-up-9")), "{told}");
    assert_eq!(server.asked()[0].body["model"], "made-up-9");
    // Another price takes the place of the first, in the same four lines.
    let (exit, ..) = rye(&world, &server, &["provider", "price", "made-up-9", "--input", "1", "--output", "2"]);
    assert_eq!(exit, 0);
    let again = std::fs::read_to_string(&config).unwrap();
    assert!(again.starts_with("# mine\n[threads]\nkeep = \"30d\" # a month\n\n[prices."), "{again}");
    assert_eq!((again.matches("[prices.").count(), again.lines().count()), (1, written.lines().count()), "{again}");
    // What cannot be a price, or is meant for no provider, is refused.
    for (args, exit) in [
        (&["provider", "price", "x", "--input", "cheap", "--output", "2"][..], 2),
        (&["provider", "price", "*", "--input", "0", "--output", "0"], 1),
        (&["provider", "price", "x", "--input", "1", "--output", "2", "--provider", "my/none"], 1),
        (&["provider", "price", "x", "--input", "1", "--output", "2", "--provider", SCRIPTED], 1),
    ] {
        assert_eq!(rye(&world, &server, args).0, exit, "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(&config).unwrap(), again);
    let (exit, error) = world.rye_json(&["provider", "price", "x", "--input", "1", "--output", "2"]);
    assert!(exit == 2 && error["error"]["hints"].to_string().contains("rye/agent/providers/"), "{error}");
}

/// A project cannot price a model, and neither can a flag: a model could give it.
#[test]
fn only_the_person_s_file_prices_a_model() {
    let world = asking_for("tier=\"haiku\" id=\"made-up-9\"");
    let server = Server::new(vec![(ANTHROPIC.text)("Done.")]);
    let flag = "prices.'rye/agent/providers/anthropic_messages'.made-up-9={input_per_million=0,output_per_million=0}";
    let (exit, error, told) = rye(&world, &server, &[&["--config", flag], &RUN[..]].concat());
    assert!(exit == 2 && server.asked().is_empty(), "{exit} {told}{error}");
    world.write(".ai/config.toml", &flag.replacen('=', " = ", 1));
    let (exit, error, told) = rye(&world, &server, &RUN);
    assert!(exit != 0 && server.asked().is_empty(), "{exit} {told}{error}");
}

/// A retired model fails as the provider says.
#[test]
fn every_model_of_the_original_documents_is_asked_by_its_own_name() {
    for model in ORIGINALS {
        for attributes in [format!("tier=\"haiku\" id=\"{model}\""), format!("tier=\"high\" fallback_id=\"{model}\"")] {
            let world = asking_for(&attributes);
            let gone = json!({"type": "error", "error": {"type": "not_found_error", "message": "model: retired"}});
            let retired = || reply("404 Not Found", &["content-type: application/json"], &gone.to_string());
            let server = Server::new(vec![retired(), retired()]);
            let (exit, outcome, told) = rye(&world, &server, &RUN);
            assert_eq!(exit, 6, "{told}{outcome}");
            assert!(outcome["error"]["message"].as_str().unwrap().contains("retired"), "{outcome}");
            let asked = server.asked();
            assert_eq!(asked.last().unwrap().body["model"], model, "{attributes}");
            assert_eq!(asked.last().unwrap().body["thinking"], Value::Null, "an older model");
        }
    }
}

#[test]
fn a_record_says_what_was_asked_and_what_answered() {
    let world = asking_for("tier=\"haiku\" id=\"claude-haiku-5-5\" fallback=\"general\"");
    let server = Server::new(vec![(ANTHROPIC.text)("Done."), (ANTHROPIC.text)("Done.")]);
    let (_, outcome, told) = rye(&world, &server, &RUN);
    let thread = world.shown(&outcome);
    let asked = json!({"tier": "haiku", "id": "claude-haiku-5-5", "fallback": "general"});
    let record: Value = serde_json::from_str(&world.thread_file(&thread, "thread.json")).unwrap();
    assert_eq!((&record["asked"], &record["model"]), (&asked, &json!("claude-haiku-5-5")), "{told}");
    assert_eq!((&record["answered"], &outcome["answered"]), (&json!(["m"]), &json!(["m"])));
    let events = serde_json::to_value(world.events(&thread)).unwrap();
    let of = |kind: &str| {
        events
            .as_array()
            .unwrap()
            .iter()
            .find(|event| event["type"] == kind)
            .map(|event| event["data"]["model"].clone())
    };
    let chosen = json!({"asked": asked, "provider": ANTHROPIC.provider, "model": "claude-haiku-5-5"});
    assert_eq!((of("thread_start"), of("step_finish")), (Some(chosen), Some(json!("m"))));
    world.check(&thread);
    // What the command line names in the place of the directive's is told apart.
    let (_, outcome, told) = rye(&world, &server, &[&RUN[..], &["--model", "claude-opus-5-5"]].concat());
    assert_eq!(
        (&outcome["asked"]["named"], &outcome["asked"]["id"]),
        (&json!("claude-opus-5-5"), &json!("claude-haiku-5-5")),
        "{told}"
    );
    world.check(&world.shown(&outcome));
    // A script is no model: it answers a directive with any, and the record says so.
    let script = world.script(&[text("Done.")]).display().to_string();
    let (_, outcome) = world.rye_json(&["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script]);
    assert_eq!((&outcome["asked"]["id"], &outcome["model"]), (&json!("claude-haiku-5-5"), &json!("scripted")));
    world.check(&world.shown(&outcome));
}

/// Threads that were recorded before any of this was.
#[test]
fn an_older_record_says_nothing_and_is_read() {
    let line = |what: Value| {
        let event = json!({
            "v": 1, "seq": 0, "time": "2026-03-17T01:41:08Z", "thread_id": "work-20260317-014108-abcd", "turn": 0,
            "directive": "demo/work",
        });
        let mut event = event.as_object().unwrap().clone();
        event.extend(what.as_object().unwrap().clone());
        serde_json::from_value::<Event>(event.into()).unwrap().what
    };
    let start = line(json!({"type": "thread_start", "data": {"inputs": {}, "limits": {}, "token": "00"}}));
    assert!(matches!(start, EventData::ThreadStart { model: None, .. }), "{start:?}");
    let finish =
        json!({"usage": {"input_tokens": 1, "output_tokens": 1}, "spend": "0.00 USD", "stop_reason": "end_turn"});
    let finish = line(json!({"type": "step_finish", "data": finish}));
    assert!(matches!(finish, EventData::StepFinish { model: None, .. }), "{finish:?}");
}
