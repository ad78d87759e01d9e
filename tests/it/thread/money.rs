//! What threads use, settled on the provider's figures: limits that let work be done, attempts that failed and were billed,
//! models that go round, and records of older rules.

use std::time::{Duration, Instant};

use rye::event::{CallStatus, EventData};
use rye::thread::Status;
use rye::thread::machine::{Effect, Input, Machine, Performed};
use serde_json::{Value, json};

use super::machine::{Terms, answers, done, hooked, machine, tool_call, usage};
use super::providers::{ANTHROPIC, CHAT, KEY, RESPONSES, Wire, run, world};
use super::world::{FILES, World, call, types};
use crate::support::http::{Asked, Piece, Reply, Server, reply, stream};

/// Bytes per token in the requests of these tests: that of text in JSON.
const BYTES_PER_TOKEN: f64 = 4.2;

/// A reply with the figures that a provider would report: every request counts whole, most of it from the cache.
fn billed(reply: Reply, asked: &Asked, number: usize, cached: u64) -> (Reply, u64) {
    let input = (asked.body.to_string().len() as f64 / BYTES_PER_TOKEN) as u64;
    let texts = |piece: Piece| match piece {
        Piece::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
        Piece::Wait(_) | Piece::Until(_) => String::new(),
    };
    let text: String = reply.into_iter().map(texts).collect();
    let output = (text.len() as f64 / BYTES_PER_TOKEN / 3.0) as u64;
    let (new, id) = (input - cached.min(input), number + 1);
    let text = text
        .replace(
            r#"{"input_tokens":60,"cache_read_input_tokens":30,"cache_creation_input_tokens":10,"output_tokens":1}"#,
            &format!(
                r#"{{"input_tokens":0,"cache_read_input_tokens":{cached},"cache_creation_input_tokens":{new},"output_tokens":1}}"#
            ),
        )
        .replace(r#""usage":{"output_tokens":20}"#, &format!(r#""usage":{{"output_tokens":{output}}}"#))
        .replace(r#"_tokens":100,"#, &format!(r#"_tokens":{input},"#))
        .replace(r#"_tokens":20,"#, &format!(r#"_tokens":{output},"#))
        .replace(r#""total_tokens":120"#, &format!(r#""total_tokens":{}"#, input + output))
        .replace(r#""cached_tokens":30"#, &format!(r#""cached_tokens":{cached}"#));
    let text = ["toolu", "call", "fc", "rs"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("\"{name}_1\""), &format!("\"{name}_{id}\"")));
    (vec![Piece::Bytes(text.into_bytes())], input)
}

/// A directive of the size and with the limits of the newest seed document.
fn seed() -> String {
    let sentence =
        "Describe in the file what has to be done and not how, and keep its permissions as narrow as they go. ";
    format!(
        "# Create Threaded Directive\n\n```xml\n<directive name=\"create_threaded_directive\" version=\"3.0.0\">\n  <metadata>\n    \
         <description>Create a directive that runs as a thread</description>\n    <category>project</category>\n    \
         <author>rye</author>\n    <model tier=\"fast\" />\n    <limits turns=\"8\" tokens=\"4096\" spend=\"0.10\" />\n    \
         <permissions>\n      <execute><tool>rye.file-system.*</tool></execute>\n      <search><directive>*</directive></search>\n      \
         <load><directive>*</directive><knowledge>*</knowledge></load>\n      <sign><directive>*</directive></sign>\n    \
         </permissions>\n  </metadata>\n  <inputs>\n    <input name=\"name\" type=\"string\" required=\"true\">Name</input>\n    \
         <input name=\"category\" type=\"string\" required=\"true\">Category</input>\n    \
         <input name=\"description\" type=\"string\" required=\"true\">What it does</input>\n    \
         <input name=\"complexity\" type=\"string\" required=\"true\">Complexity</input>\n    \
         <input name=\"permissions_needed\" type=\"string\" required=\"true\">Permissions</input>\n  </inputs>\n  <outputs>\n    \
         <output name=\"directive_path\">Path of the file</output>\n    <output name=\"signed\">Whether it is signed</output>\n  \
         </outputs>\n</directive>\n```\n\n<process>\n  <step name=\"write\">\n    Create {{input:category}}/{{input:name}}: \
         {{input:description}}, {{input:complexity}}, with {{input:permissions_needed}}.\n    {}\n  </step>\n</process>\n",
        sentence.repeat(42)
    )
}

/// Runs a directive that writes, signs and returns another one, against a server that counts as providers do.
fn create(directive: &str, wire: &Wire) -> (i32, Value, World, Vec<Asked>) {
    let world = World::new();
    let written = super::world::directive("triage", FILES, r#"turns="5" tokens="20000" spend="0.05""#, "");
    let id = "project/create_threaded_directive";
    world.write(&format!(".ai/directives/{id}.md"), directive);
    world.sign(rye::keys::KeyName::Person, id);
    world.commit("items");
    let path = ".ai/directives/project/triage.md";
    // The cached tokens, and the number of turns.
    let (call, state) = (wire.call, std::sync::Mutex::new((0, 0)));
    let server = Server::answering(move |_, asked| {
        if asked.path.ends_with("/count_tokens") {
            let tokens = (asked.body.to_string().len() as f64 / BYTES_PER_TOKEN) as u64;
            return reply("200 OK", &["content-type: application/json"], &json!({"input_tokens": tokens}).to_string());
        }
        let mut state = state.lock().unwrap();
        let (before, number) = *state;
        let reply = match number {
            0 => call("rye_search", &json!({"query": "threaded directive", "item_type": "directive"})),
            1 => call("rye_file_system_write", &json!({"path": path, "content": written.replace("demo", "project")})),
            2 => call("rye_sign", &json!({"item_type": "directive", "item_id": "project/triage"})),
            _ => call("directive_return", &json!({"directive_path": path, "signed": "true"})),
        };
        let (reply, input) = billed(reply, asked, number, before);
        *state = (input, number + 1);
        reply
    });
    let inputs = [
        "name=triage",
        "category=project",
        "description=Triages issues",
        "complexity=simple",
        "permissions_needed=rye.file-system.*",
    ];
    let mut args = vec!["thread", "run", id, "--json", "-q"];
    args.extend(inputs.iter().flat_map(|input| ["-i", input]));
    if wire.provider == CHAT.provider {
        args.extend(["--provider", wire.provider, "--model", "gpt-6-luna"]);
    }
    let mut rye = world.rye(&args);
    let output = rye.env(wire.key, KEY).env(wire.url, format!("{}{}", server.url(), wire.base)).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    let asked = server.asked().into_iter().filter(|asked| !asked.path.ends_with("/count_tokens"));
    (output.status.code().unwrap(), outcome, world, asked.collect())
}

fn finishes_under_its_own_limits(directive: &str) {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let (code, outcome, world, asked) = create(directive, &wire);
        assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{}: {outcome:#}", wire.provider);
        let (counted, billed) =
            (outcome["tokens"].as_u64().unwrap(), outcome["usage"]["input_tokens"].as_u64().unwrap());
        assert!(counted <= 4_096 && billed > 4_096, "each token counts once, and is billed each time: {outcome:#}");
        assert_eq!(outcome["passed"], Value::Null);
        let spend: f64 = outcome["spend"]["amount"].as_str().unwrap().parse().unwrap();
        assert!(spend > 0.0 && spend < 0.10, "{outcome:#}");
        for asked in &asked {
            let most = ["max_tokens", "max_output_tokens", "max_completion_tokens"];
            let most = most.iter().find_map(|name| asked.body[*name].as_u64()).unwrap();
            assert!((16..=4_096).contains(&most), "{most}");
        }
        let thread = world.shown(&outcome);
        assert!(world.in_thread(&thread, ".ai/directives/project/triage.md").is_some());
        world.check(&thread);
    }
}

#[test]
fn a_directive_of_the_seeds_finishes_under_its_own_limits_on_each_wire_format() {
    finishes_under_its_own_limits(&seed());
}

#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn the_seed_document_itself_finishes_under_its_own_limits() {
    let path = std::path::Path::new(crate::support::ROOT).join("../shared/seeds/002_72ad8f251770e6e6.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, text) = text.split_once('\n').unwrap();
    finishes_under_its_own_limits(&text.replace("<category>rye/core<", "<category>project<"));
}

/// A stream that is cut: it says what the input took, and a little text.
fn cut(headers: &[&str]) -> Reply {
    let used = json!({"input_tokens": 500, "cache_creation_input_tokens": 100, "output_tokens": 1});
    let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": null, "usage": used});
    let events = [
        ("message_start", json!({"type": "message_start", "message": message})),
        (
            "content_block_start",
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ),
        (
            "content_block_delta",
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x".repeat(300)}}),
        ),
    ];
    let Some(Piece::Bytes(bytes)) = stream(&events).pop() else { panic!() };
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let headers: String = headers.iter().map(|header| format!("\r\n{header}")).collect();
    vec![Piece::Bytes(format!("{head}{headers}\r\n\r\n{body}").into_bytes())]
}

/// What `cut` costs at the prices of `claude-sonnet-5-5`: 500 fresh tokens, 100 into the cache, 100 of output by their bytes.
const CUT: (u64, u64, f64) = (600, 100, 0.001 + 0.00025 + 0.001);

#[test]
fn a_stream_that_is_cut_is_paid_and_uses_no_turn() {
    let world = world();
    let server = Server::new(vec![cut(&[]), cut(&[]), (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
    assert_eq!((code, &outcome["turns"]), (0, &json!(1)), "{told}{outcome}");
    let thread = world.shown(&outcome);
    let events = world.events(&thread);
    let failed = events.iter().find_map(|event| match &event.what {
        EventData::AttemptsFailed { usage, spend } => Some((usage.input_tokens, usage.output_tokens, spend.clone())),
        _ => None,
    });
    assert_eq!(failed, Some((2 * CUT.0, 2 * CUT.1, "0.0045 USD".to_owned())));
    assert_eq!(types(&events)[2..6], ["step_start", "retry", "retry", "attempts_failed"]);
    // 60 fresh tokens, 30 from the cache, 10 into it, 20 of output.
    let answer = 0.000_12 + 0.000_003 + 0.000_025 + 0.000_2;
    let spend: f64 = outcome["spend"]["amount"].as_str().unwrap().parse().unwrap();
    assert!((spend - 2.0 * CUT.2 - answer).abs() < 1e-9, "{outcome}");
    assert_eq!(outcome["usage"]["input_tokens"], 2 * CUT.0 + 100);
    world.check(&thread);
}

#[test]
fn an_attempt_is_not_repeated_that_no_limit_has_room_for() {
    let world = world();
    let server = Server::new(vec![(ANTHROPIC.text)("Done.")]);
    assert_eq!(run(&world, &server, &ANTHROPIC, &[]).0, 0);
    // Its input at the price of the cache, and less than the cut attempt costs: for one call, whatever the tools' texts are.
    let input = server.asked()[0].body.to_string().len() as f64 / 3.0 * 0.000_002_5;
    let limit = format!("spend={:.6}", input + CUT.2 / 2.0);
    let server = Server::new(vec![cut(&[]), (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &["--limit", &limit]);
    assert_eq!((code, &outcome["error"]["code"]), (6, &json!("provider")), "{told}{outcome}");
    assert!(outcome["error"]["message"].as_str().unwrap().contains("it is not asked again"), "{outcome}");
    assert_eq!(server.asked().len(), 1);
    world.check(&world.shown(&outcome));
}

/// What a cut stream was billed leaves less for the next attempt, which asks for that much.
#[test]
fn an_attempt_is_repeated_with_the_output_that_is_left() {
    let world = world();
    let server = Server::new(vec![cut(&[]), (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &["--limit", "spend=0.02"]);
    assert_eq!(code, 0, "{told}{outcome}");
    let asked: Vec<u64> = server.asked().iter().map(|asked| asked.body["max_tokens"].as_u64().unwrap()).collect();
    assert!(asked.len() == 2 && asked[1] < asked[0] && asked[1] > 16, "{asked:?}");
    world.check(&world.shown(&outcome));
}

/// An attempt counts also where the thread ends with it: by the failure, or because somebody stops it.
#[test]
fn what_failed_is_paid_however_the_thread_ends() {
    let world = world();
    let server = Server::new(vec![cut(&["x-should-retry: false"])]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
    assert_eq!((code, &outcome["spend"]["amount"]), (6, &json!("0.00225")), "{told}{outcome}");
    world.check(&world.shown(&outcome));

    let server = Server::new(vec![cut(&["retry-after-ms: 1"]), vec![Piece::Wait(Duration::from_secs(100))]]);
    let mut rye = world.rye(&["thread", "run", "demo/work", "--json"]);
    rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url());
    let child = rye.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while server.asked().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the model is not asked again");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    let outcome: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(
        (&outcome["status"], &outcome["spend"]["amount"]),
        (&json!("cancelled"), &json!("0.00225")),
        "{outcome}"
    );
    world.check(&world.shown(&outcome));
}

/// A server that reports no tokens would make every limit on tokens and money mean nothing.
#[test]
fn a_server_that_counts_nothing_is_counted_by_bytes() {
    let world = world();
    let message = json!({"role": "assistant", "content": "x".repeat(300)});
    let body = json!({"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    let server = Server::new(vec![reply("200 OK", &["content-type: application/json"], &body.to_string())]);
    let named = ["--provider", CHAT.provider, "--model", "gpt-6-luna"];
    let (code, outcome, told) = run(&world, &server, &CHAT, &named);
    assert_eq!((code, &outcome["usage"]["output_tokens"]), (0, &json!(100)), "{told}{outcome}");
    let request = server.asked()[0].body.to_string().len() as u64;
    let counted = outcome["usage"]["input_tokens"].as_u64().unwrap();
    assert!(counted.abs_diff(request.div_ceil(3)) < 20, "{counted} tokens of {request} bytes");
    assert_ne!(outcome["spend"]["amount"], "0.00");
    world.check(&world.shown(&outcome));
}

/// The Responses API refuses to answer with fewer than 16 tokens: the limit says so before it is asked.
#[test]
fn a_call_with_too_little_left_is_a_limit_and_not_asked() {
    for wire in [ANTHROPIC, RESPONSES] {
        let world = world();
        let refusal = reply("404 Not Found", &["content-type: application/json"], "{}");
        let server = Server::answering(move |_, asked| match asked.path.ends_with("/count_tokens") {
            true => refusal.clone(),
            false => (wire.text)("Done."),
        });
        let asks = || server.asked().iter().filter(|asked| !asked.path.ends_with("/count_tokens")).count();
        let asked = run(&world, &server, &wire, &["--limit", "turns=1"]);
        assert_eq!(asked.0, 0, "{}", asked.2);
        // The least of the answer is 16 tokens: room for the request and 15 of them is not enough.
        let used = |outcome: &Value| {
            let message = outcome["error"]["message"].as_str().unwrap_or_default();
            let (_, growth) = message.split_once("would add about ").unwrap_or_else(|| panic!("{outcome}"));
            growth.parse::<u64>().unwrap()
        };
        let (code, outcome, _) = run(&world, &server, &wire, &["--limit", "tokens=20"]);
        assert_eq!((code, &outcome["error"]["code"]), (5, &json!("limit")), "{outcome}");
        let least = used(&outcome) + 16;
        let (code, _, told) = run(&world, &server, &wire, &["--limit", &format!("tokens={}", least - 1)]);
        assert_eq!((code, asks()), (5, 1), "{told}");
        let (code, _, told) = run(&world, &server, &wire, &["--limit", &format!("tokens={least}")]);
        assert_eq!((code, asks()), (0, 2), "{told}");
    }
}

/// Where a limit is near and the provider counts, its count decides; it is on record, and asked for by the same request.
#[test]
fn a_provider_that_counts_is_asked_where_a_limit_is_near() {
    let counts = |tokens: u64| {
        let counted =
            reply("200 OK", &["content-type: application/json"], &json!({"input_tokens": tokens}).to_string());
        Server::answering(move |_, asked| match asked.path.as_str() {
            "/v1/messages/count_tokens" => counted.clone(),
            _ => (ANTHROPIC.text)("Done."),
        })
    };
    let world = world();
    let server = counts(300);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &["--limit", "tokens=400"]);
    assert_eq!(code, 0, "{told}{outcome}");
    let [count, asked] = &server.asked()[..] else { panic!("{:?}", server.asked()) };
    assert_eq!((count.path.as_str(), asked.path.as_str()), ("/v1/messages/count_tokens", "/v1/messages"));
    assert_eq!(asked.body["max_tokens"], 100);
    let same = |key: &str| assert_eq!(count.body[key], asked.body[key], "{key}");
    ["model", "system", "tools", "messages", "thinking"].into_iter().for_each(same);
    assert!(count.body.get("max_tokens").is_none() && count.body.get("stream").is_none());
    assert_eq!(count.header("x-api-key"), Some(KEY));
    let thread = world.shown(&outcome);
    assert!(types(&world.events(&thread)).contains(&"input_counted".to_owned()));
    world.check(&thread);

    let server = counts(390);
    let (code, outcome, _) = run(&world, &server, &ANTHROPIC, &["--limit", "tokens=400"]);
    assert_eq!((code, server.asked().len(), &outcome["error"]["code"]), (5, 1, &json!("limit")), "{outcome}");
    world.check(&world.shown(&outcome));
    // One that does not count is asked by the estimate, or not at all.
    let server = Server::new(vec![(RESPONSES.text)("Done.")]);
    let (code, outcome, _) = run(&world, &server, &RESPONSES, &["--limit", "tokens=400"]);
    assert_eq!((code, server.asked().len()), (5, 0), "{outcome}");
}

#[test]
fn a_model_that_goes_round_is_stopped() {
    let world = World::new();
    world.directive(FILES, r#"turns="20""#, "");
    let read = || call("rye_file_system_read", json!({"path": "README.md"}));
    let outcome = world.run(&vec![read(); 9]);
    let error = outcome.error.clone().unwrap();
    assert_eq!((outcome.status, outcome.turns, error.code.as_str()), (Status::Error, 6, "loop"));
    assert_eq!(error.message, "the model made the same calls with the same results 6 times in a row");
    let script = world.script(&vec![read(); 9]).display().to_string();
    let (code, _) =
        world.rye_json(&["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script]);
    assert_eq!(code, 5);
    // Another call in between, or another result, is not a loop.
    world.tool("demo/tick", "echo x >> ../ticks; wc -l < ../ticks");
    world.directive(&format!("{FILES}<execute><tool>demo.tick</tool></execute>"), r#"turns="20""#, "");
    let (tick, end) = (|| call("demo_tick", json!({})), super::world::text("Done."));
    let outcome = world.run(&[vec![tick(); 8], vec![end.clone()]].concat());
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    let mixed = [vec![read(); 5], vec![tick()], vec![read(); 5], vec![end]].concat();
    assert_eq!(world.run(&mixed).status, Status::Completed);
    // The configuration may be less patient.
    world.write_at(&world.path("home/.config/rye/config.toml"), "[limits]\nrepeats = 3\n");
    assert_eq!(world.run(&vec![read(); 9]).turns, 3);
    let (code, error) = world.rye_json(&["thread", "list", "--config", "limits.repeats=100"]);
    assert_eq!((code, error["error"]["code"].as_str()), (2, Some("configuration")), "{error}");
}

/// `limits.strict` is on record: a replay judges by it.
#[test]
fn strict_limits_hold_by_bytes() {
    let world = World::new();
    // Three tools: they are part of the count.
    let tools = ["list", "read", "write"].map(|name| format!("<tool>rye.file-system.{name}</tool>"));
    world.directive(&format!("<execute>{}</execute>", tools.concat()), r#"turns="20" tokens="1200""#, "");
    let script = vec![call("rye_file_system_list", json!({})), super::world::text("Done.")];
    let loose = world.run(&script);
    assert_eq!(loose.status, Status::Completed, "{:?}", loose.error);
    world.write_at(&world.path("home/.config/rye/config.toml"), "[limits]\nstrict = true\n");
    let strict = world.run(&script);
    assert_eq!(strict.error.map(|error| error.code).as_deref(), Some("limit"));
    // A run recorded by an estimate is judged by an estimate.
    world.replays(&loose);
}

/// A thread that ran before records named a way of counting: nine times the same call, stopped by bytes at 5,000 tokens.
#[test]
fn a_thread_of_older_rules_replays_by_them() {
    let world = World::new();
    let fixture = |name: &str| {
        let path = std::path::Path::new(crate::support::ROOT).join("tests/fixtures/threads").join(name);
        path.display().to_string()
    };
    let heads = "refs/heads/rye/*:refs/heads/rye/*";
    world.git(&["fetch", "-q", &fixture("counted_whole.bundle"), heads]);
    let added =
        world.rye(&["trust", "add", &fixture("counted_whole.pub"), "--principal", "old", "-q"]).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let (code, replay) = world.rye_json(&["thread", "replay", "work-20261123-082810-ykpnpqvw"]);
    assert_eq!((code, &replay["status"], &replay["has_ended"]), (0, &json!("same"), &json!(true)), "{replay:#}");
    assert_eq!((&replay["commits"], &replay["derived"]), (&json!(10), &json!(10)));
    let (_, shown) = world.rye_json(&["thread", "show", "work-20261123-082810-ykpnpqvw"]);
    assert_eq!((&shown["turns"], &shown["tokens"]), (&json!(8), &Value::Null), "it counted as billed, and was no loop");
    let (_, accepted) = world.rye_json(&["thread", "accept", "work-20261123-082810-ykpnpqvw", "--yes"]);
    assert_eq!(accepted["error"]["code"], json!("nothing-to-accept"), "it is taken as it is: {accepted:#}");
}

/// Hooks that fire, with the events that are recorded, until the thread ends: each turn uses so many tokens.
fn fired(machine: &mut Machine, each: (u64, u64)) -> Vec<String> {
    let mut told = Vec::new();
    let mut effects: std::collections::VecDeque<Effect> = machine.step(Input::Begin, 0).into();
    let mut turn = 0;
    while let Some(effect) = effects.pop_front() {
        let input = match effect {
            Effect::Record(EventData::StepFinish { .. }) => {
                told.push("settled".to_owned());
                continue;
            }
            Effect::Record(EventData::LimitReached { limit, .. }) => {
                told.push(format!("stopped by {limit}"));
                continue;
            }
            Effect::Record(EventData::HookTriggered { hook, .. }) => {
                told.push(format!("hook {hook}"));
                continue;
            }
            Effect::Record(_) | Effect::End => continue,
            Effect::Commit => Input::Committed,
            Effect::Count(_) => Input::Counted(None),
            Effect::Ask(_) => {
                turn += 1;
                let call = tool_call(&format!("c{turn}"), "demo_one", json!({"turn": turn}));
                answers(vec![call, usage(each.0 * turn, each.1)])
            }
            Effect::Perform { call_id, .. } | Effect::Recall { call_id, .. } => done(&call_id),
            Effect::Hook { call_id, .. } => hooked(&call_id),
        };
        effects.extend(machine.step(input, 0));
    }
    told
}

/// A share of a limit fires its hook on settled figures, once, before the limit stops the thread; in both spellings.
#[test]
fn a_share_of_a_limit_fires_its_hook_once_and_before_the_stop() {
    let hook = |when: &str| format!("<hook><when>{when}</when><execute item_type=\"tool\">demo/one</execute></hook>");
    let hooks = [
        hook("cost.spend &gt; limits.spend * 0.8"),
        hook("cost.current &gt; cost.limit * 0.8"),
        hook("cost.tokens * 2 &gt; limits.tokens"),
        hook("cost.turns == limits.turns - 8"),
        "<hook><condition path=\"cost.spend\" op=\"gt\" value=\"0.0000001\"/><execute item_type=\"tool\">demo/one</execute></hook>".to_owned(),
    ];
    // A turn costs 200 nano-units of 1,000; the fifth reaches them all.
    let terms = Terms {
        spend: 1_000,
        price: (0, 2_000_000),
        tokens: 1_200,
        hooks: Box::leak(hooks.concat().into_boxed_str()),
        ..Terms::default()
    };
    let told = fired(&mut machine(&terms), (1, 100));
    let expected = [
        "settled",
        "hook 5",
        "hook 4",
        "settled",
        "settled",
        "settled",
        "settled",
        "hook 1",
        "hook 2",
        "stopped by spend",
    ];
    assert_eq!(told, expected);
    let told = fired(&mut machine(&Terms { spend: 1_000_000, ..terms }), (1, 100));
    assert!(told.contains(&"hook 3".to_owned()) && !told.contains(&"hook 1".to_owned()), "{told:?}");
    assert_eq!(told.iter().filter(|told| *told == "hook 3").count(), 1);
}

/// A turn that used more than was left is settled, told, and the last.
#[test]
fn what_an_estimate_missed_is_on_record() {
    let mut machine = machine(&Terms { tokens: 500, ..Terms::default() });
    machine.step(Input::Begin, 0);
    machine.step(Input::Committed, 0);
    machine.step(answers(vec![tool_call("a", "demo_one", json!({})), usage(490, 50)]), 0);
    let output = json!({"error": {"code": "failed", "message": "no"}});
    let failed = Performed {
        call_id: "a".to_owned(),
        status: CallStatus::Error,
        output,
        artifact: None,
        stderr: None,
        hosts: Vec::new(),
        duration_ms: 1,
    };
    let effects = machine.step(Input::Performed(failed), 0);
    let passed = EventData::LimitPassed { limit: "tokens".to_owned(), value: "500".to_owned(), by: "40".to_owned() };
    assert!(effects.contains(&Effect::Record(passed)), "{effects:?}");
    let effects = machine.step(Input::Committed, 0);
    let Effect::Record(EventData::ThreadError { message, .. }) = &effects[1] else { panic!("{effects:?}") };
    assert!(message.starts_with("the limit on tokens (500) is reached: 540 are used"), "{message}");
}

/// A limit in another currency than the prices holds by the configured rate, and not without one.
#[test]
fn a_limit_in_euro_holds_by_a_configured_rate() {
    let world = world();
    let server = Server::new(vec![(ANTHROPIC.text)("Done.")]);
    let path = world.in_project(".ai/directives/demo/work.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, text) = text.split_once('\n').unwrap();
    world.write_at(&path, &text.replace("spend=\"1.00\"", "spend=\"0.50\" spend_currency=\"EUR\""));
    world.sign(rye::keys::KeyName::Person, "demo/work");
    let (code, error, _) = run(&world, &server, &ANTHROPIC, &[]);
    assert_eq!((code, error["error"]["code"].as_str()), (2, Some("currency")), "{error}");
    assert!(error["error"]["hints"].to_string().contains("[limits.rates]"), "{error}");
    world.write_at(&world.path("home/.config/rye/config.toml"), "[limits.rates]\n\"EUR/USD\" = 1.25\n");
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &["--limit", "spend=0.40USD"]);
    assert_eq!(code, 0, "{told}{outcome}");
    // 60 fresh tokens at 2.00 USD, 30 at 0.10, 10 at 2.50, 20 of output at 10.00: 0.000348 USD.
    assert_eq!(outcome["spend"], json!({"amount": "0.0002784", "currency": "EUR"}));
    let (_, shown) = world.rye_json(&["thread", "show", outcome["thread_id"].as_str().unwrap()]);
    assert_eq!(shown["limits"]["spend"], "0.32 EUR");
    world.check(&world.shown(&outcome));
}

/// A word for the amount of work sets limits, in a directive and on the command line.
#[test]
fn a_complexity_stands_for_limits() {
    let world = World::new();
    world.directive(FILES, r#"complexity="moderate" turns="8""#, "");
    let limits = |more: &[&str]| {
        let script = world.script(&[super::world::text("Done.")]).display().to_string();
        let args = ["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script];
        let (code, outcome) = world.rye_json(&[&args[..], more].concat());
        assert_eq!(code, 0, "{outcome}");
        let (_, shown) = world.rye_json(&["thread", "show", outcome["thread_id"].as_str().unwrap()]);
        shown["limits"].clone()
    };
    let limit = |turns: &str, tokens: &str, spend: &str| json!({"duration": "1800", "spend": spend, "tokens": tokens, "turns": turns});
    assert_eq!(limits(&[]), limit("8", "200000", "0.50 USD"));
    assert_eq!(limits(&["--limit", "complexity=simple"]), limit("5", "20000", "0.05 USD"));
}
