//! Threads whose model is asked over the network: on each wire format, against servers of this machine.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};

use rye::event::EventData;

use super::world::World;
use crate::support::http::{Piece, Reply, Server, reply, stream};

pub(super) const KEY: &str = "sk-test-geheim-0123456789";

/// A world with a directive of tier `general` that may write notes and call a script.
pub(super) fn world() -> World {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.*</tool><tool>demo.one</tool></execute>
        <write resource="filesystem" path="notes/**" />"#;
    world.directive(permissions, r#"turns="6" tokens="200000" spend="1.00""#, "");
    let path = world.in_project(".ai/directives/demo/work.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<model ").unwrap();
    let (_, after) = rest.split_once("/>").unwrap();
    world.write_at(&path, &format!("{before}<model tier=\"general\" />{after}"));
    world.tool("demo/one", "echo x >> ../ran; cat");
    let output = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world.commit("items");
    world
}

pub(super) fn run(world: &World, server: &Server, wire: &Wire, args: &[&str]) -> (i32, Value, String) {
    let mut rye = world.rye(&[&["thread", "run", "demo/work", "--json"], args].concat());
    let output: Output =
        rye.env(wire.key, KEY).env(wire.url, format!("{}{}", server.url(), wire.base)).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let outcome = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), outcome, told)
}

/// A wire format, and how a server that speaks it answers.
pub(crate) struct Wire {
    pub(super) provider: &'static str,
    pub(super) key: &'static str,
    pub(super) url: &'static str,
    pub(super) base: &'static str,
    pub(super) path: &'static str,
    pub(crate) call: fn(&str, &Value) -> Reply,
    pub(crate) text: fn(&str) -> Reply,
}

pub(crate) const ANTHROPIC: Wire = Wire {
    provider: "rye/agent/providers/anthropic_messages",
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
    base: "",
    path: "/v1/messages",
    call: |name, input| {
        let arguments = input.to_string();
        let (one, two) = arguments.split_at(arguments.len() / 2);
        let piece = |text: &str| {
            (
                "content_block_delta",
                json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": text}}),
            )
        };
        anthropic(
            vec![
                (
                    "content_block_start",
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
                ),
                (
                    "content_block_delta",
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
                ),
                (
                    "content_block_delta",
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "SIGNED"}}),
                ),
                ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
                (
                    "content_block_start",
                    json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}}),
                ),
                ("ping", json!({"type": "ping"})),
                piece(one),
                piece(two),
                ("content_block_stop", json!({"type": "content_block_stop", "index": 1})),
            ],
            "tool_use",
        )
    },
    text: |text| {
        anthropic(
            vec![
                (
                    "content_block_start",
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                ),
                (
                    "content_block_delta",
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
                ),
                ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
            ],
            "end_turn",
        )
    },
};

pub(super) fn anthropic(blocks: Vec<(&'static str, Value)>, stop: &str) -> Reply {
    let usage = json!({"input_tokens": 60, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 10, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": null, "usage": usage});
    let mut events = vec![("message_start", json!({"type": "message_start", "message": message}))];
    events.extend(blocks);
    events.push((
        "message_delta",
        json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 20}}),
    ));
    events.push(("message_stop", json!({"type": "message_stop"})));
    stream(&events)
}

pub(super) const RESPONSES: Wire = Wire {
    provider: "rye/agent/providers/openai_responses",
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    base: "/v1",
    path: "/v1/responses",
    call: |name, input| {
        let reasoning = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "SIGNED"});
        let call = json!({"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": name, "arguments": input.to_string(), "status": "completed"});
        responses(&[reasoning, call])
    },
    text: |text| {
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        responses(&[
            json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}),
        ])
    },
};

fn responses(items: &[Value]) -> Reply {
    let mut events = vec![("response.created", json!({"type": "response.created", "response": {"id": "resp_1"}}))];
    for (index, item) in items.iter().enumerate() {
        let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
        events.push(("response.output_item.done", done));
    }
    let usage = json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 30}, "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 120});
    let response = json!({"id": "resp_1", "status": "completed", "output": items, "usage": usage});
    events.push(("response.completed", json!({"type": "response.completed", "response": response})));
    stream(&events)
}

pub(crate) const CHAT: Wire = Wire {
    provider: "rye/agent/providers/openai_chat",
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    base: "/v1",
    path: "/v1/chat/completions",
    call: |name, input| {
        let call = json!([{"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": input.to_string()}}]);
        chat(&json!({"role": "assistant", "content": null, "tool_calls": call}), "tool_calls")
    },
    text: |text| chat(&json!({"role": "assistant", "content": text}), "stop"),
};

pub(super) fn chat(delta: &Value, finish: &str) -> Reply {
    let chunk = |choices: Value, usage: Value| json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, "usage": usage});
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 30}});
    let mut reply = stream(&[
        ("", chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null)),
        ("", chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish}]), Value::Null)),
        ("", chunk(json!([]), usage)),
    ]);
    reply.push(Piece::Bytes(b"data: [DONE]\n\n".to_vec()));
    reply
}

#[test]
fn a_thread_runs_on_each_wire_format() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let world = world();
        let write = (wire.call)("rye_file_system_write", &json!({"path": "notes/a.md", "content": "hi\n"}));
        let server = Server::new(vec![write, (wire.text)("All done.")]);
        let model = if wire.provider == CHAT.provider { "gpt-6.1-terra" } else { "" };
        let named = ["--provider", wire.provider, "--model", model];
        let (code, outcome, told) = run(&world, &server, &wire, if model.is_empty() { &named[..0] } else { &named });
        assert_eq!(
            (code, &outcome["status"], &outcome["turns"]),
            (0, &json!("completed"), &json!(2)),
            "{told}{outcome}"
        );
        assert!(told.contains(&format!("`{}` has the model asked at `127.0.0.1:", wire.url)), "{told}");
        let usage = json!({"input_tokens": 200, "output_tokens": 40, "cache_read_tokens": 60});
        for (name, tokens) in usage.as_object().unwrap() {
            assert_eq!(outcome["usage"][name], *tokens, "{}: {outcome}", wire.provider);
        }
        let thread = world.shown(&outcome);
        assert_eq!(world.in_thread(&thread, "notes/a.md").as_deref(), Some("hi\n"));
        world.check(&thread);

        let asked = server.asked();
        assert_eq!(asked.iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(), [wire.path; 2]);
        // A provider's signed part goes back unchanged.
        let again = asked[1].body.to_string();
        assert!(wire.provider == CHAT.provider || again.contains("SIGNED"), "{again}");
        let key = asked[0].header("x-api-key").or(asked[0].header("authorization")).unwrap();
        assert!(key == KEY || key == format!("Bearer {KEY}"), "{key}");
        // The key went there, and nowhere else.
        let records = world.try_git_in(world.project, &["log", "-p", "--all", "--format=raw"]);
        assert!(!String::from_utf8_lossy(&records.stdout).contains(KEY) && !told.contains(KEY));
        let found = std::process::Command::new("grep").args(["-rqF", KEY]).arg(world.path("")).status().unwrap();
        assert_eq!(found.code(), Some(1), "the key lies in a file");
    }
}

#[test]
fn a_failure_that_may_pass_is_asked_again_and_uses_no_turn() {
    let world = world();
    let busy = r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
    let busy = reply("529 Overloaded", &["content-type: application/json", "retry-after-ms: 20"], busy);
    let cut = vec![Piece::Bytes(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: ping\ndata: {\"type\": \"ping\"}\n\n"
            .to_vec(),
    )];
    let server = Server::new(vec![busy, cut, vec![], (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
    assert_eq!((code, &outcome["turns"]), (0, &json!(1)), "{told}{outcome}");
    assert_eq!(server.asked().len(), 4);
    assert!(told.contains("Overloaded") && told.contains("retrying in"), "{told}");
    // Why, and after how long, is on record before the next attempt.
    let thread = world.shown(&outcome);
    let events = world.events(&thread);
    let retries: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.what {
            EventData::Retry { attempt, reason, wait_ms, .. } => {
                Some((event.turn, *attempt, reason.as_str(), *wait_ms))
            }
            _ => None,
        })
        .collect();
    assert_eq!(retries.iter().map(|retry| (retry.0, retry.1)).collect::<Vec<_>>(), [(1, 1), (1, 2), (1, 3)]);
    assert!(retries[0].2.contains("Overloaded") && retries[0].3 == 20, "{retries:?}");
    world.check(&thread);
    for (args, words) in [
        (["thread", "show"], "retrying in 0.0 s"),
        (["thread", "log"], "Attempt 1 failed"),
        (["thread", "export"], "\"type\":\"retry\""),
    ] {
        let output = world.rye(&[args[0], args[1], thread.thread_id.as_str()]).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains(words), "{args:?}: {shown}");
    }
    assert!(world.thread_file(&thread, "transcript.md").contains("Attempt 1 failed, asked again after 20 ms"));
}

#[test]
fn a_failure_for_good_ends_the_thread_with_exit_6() {
    let error = |kind: &str| format!(r#"{{"type": "error", "error": {{"type": "{kind}", "message": "no"}}}}"#);
    let json = "content-type: application/json";
    for (status, kind) in [
        ("401 Unauthorized", "authentication_error"),
        ("404 Not Found", "not_found_error"),
        ("400 Bad Request", "invalid_request_error"),
    ] {
        let world = world();
        let server = Server::new(vec![reply(status, &[json, "request-id: req_77"], &error(kind))]);
        let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
        assert_eq!(
            (code, &outcome["status"], &outcome["error"]["code"]),
            (6, &json!("error"), &json!("provider")),
            "{told}{outcome}"
        );
        assert!(outcome["error"]["message"].as_str().unwrap().contains("req_77"), "{outcome}");
        assert_eq!(server.asked().len(), 1);
        world.check(&world.shown(&outcome));
    }
    // The server's word counts more than its status.
    let world = world();
    let server = Server::new(vec![reply("500 Oops", &[json, "x-should-retry: false"], &error("api_error"))]);
    assert_eq!((run(&world, &server, &ANTHROPIC, &[]).0, server.asked().len()), (6, 1));
}

#[test]
fn without_a_secret_it_is_said_which_ones_would_do() {
    let world = world();
    let (code, error) = world.rye_json(&["thread", "run", "demo/work"]);
    assert_eq!((code, error["error"]["code"].as_str()), (1, Some("no-secret")), "{error}");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("`ANTHROPIC_API_KEY`") && message.contains("`OPENAI_API_KEY`"), "{message}");
    let named = ["thread", "run", "demo/work", "--provider", RESPONSES.provider];
    let (code, error) = world.rye_json(&named);
    assert_eq!((code, error["error"]["code"].as_str()), (1, Some("no-secret")), "{error}");
    assert_eq!(world.git(&["branch", "--list", "rye/*"]), "");
}

#[test]
fn a_secret_is_read_from_a_file_that_is_closed_to_others() {
    let world = world();
    let server = Server::new(vec![(ANTHROPIC.text)("Done.")]);
    let file = world.path("home/.config/rye/secrets/ANTHROPIC_API_KEY");
    world.write_at(&file, &format!("{KEY}\n"));
    let run = || {
        let mut rye = world.rye(&["thread", "run", "demo/work", "--json"]);
        let output = rye.env(ANTHROPIC.url, server.url()).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap() + &String::from_utf8_lossy(&output.stdout),
        )
    };
    std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let (code, told) = run();
    assert!(code == 1 && told.contains("can be read by others (mode 0644)") && !told.contains(KEY), "{told}");
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(run().0, 0);
    assert_eq!(server.asked()[0].header("x-api-key"), Some(KEY));
}

/// A person's own document for any server that speaks a wire format is one file; its secret goes where they bound it.
#[test]
fn a_secret_goes_where_its_person_bound_it_and_nowhere_else() {
    let world = world();
    let server = Server::new(vec![(CHAT.text)("Done.")]);
    let document = format!(
        "tool_id: my/server\ntool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: A server\nplugin: openai\nwire: chat\n\
         url: {}/v1\nauth:\n  secret: MY_KEY\ntiers:\n  general: local\npricing:\n  \"*\":\n    input_per_million: \"0\"\n    output_per_million: \"0\"\n",
        server.url()
    );
    world.write_at(&world.path("home/.ai/tools/my/server.yaml"), &document);
    let output = world.rye(&["sign", "tool", "my/server", "--user", "-q"]).output().unwrap();
    let output = if output.status.success() {
        output
    } else {
        world.rye(&["-C", "../home", "sign", "tool", "my/server", "-q"]).output().unwrap()
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = || {
        let output = world.rye(&["thread", "run", "demo/work", "--json"]).env("MY_KEY", KEY).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap() + &String::from_utf8_lossy(&output.stdout),
        )
    };
    let (code, told) = run();
    assert!(code == 4 && told.contains("the secret `MY_KEY` may not go to `127.0.0.1:"), "{told}");
    assert_eq!(server.asked().len(), 0);
    let host = server.url().replace("http://", "");
    let binding = format!("[secrets.MY_KEY]\nhosts = [\"{host}\"]\nitems = [\"my/server\"]\n");
    world.write_at(&world.path("home/.config/rye/config.toml"), &binding);
    let (code, told) = run();
    assert_eq!(code, 0, "{told}");
    assert_eq!(server.asked()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

/// As [`run`], on a system that has no sandbox.
fn run_without_landlock(world: &World, server: &Server) -> (i32, Value, String) {
    let rye = world.rye(&["thread", "run", "demo/work", "--json"]);
    let mut python = std::process::Command::new("python3");
    python
        .args(["-c", include_str!("../support/no_landlock.py")])
        .arg(rye.get_program())
        .args(rye.get_args())
        .current_dir(world.in_project(""));
    python.env_clear().envs(rye.get_envs().filter_map(|(name, value)| Some((name, value?))));
    python.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, format!("{}{}", server.url(), ANTHROPIC.base));
    let output = python.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let outcome = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), outcome, told)
}

#[test]
fn where_the_system_has_no_sandbox_no_script_runs_unless_its_person_says_so() {
    let world = world();
    let server = Server::new(vec![(ANTHROPIC.call)("demo_one", &json!({"a": 1})), (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run_without_landlock(&world, &server);
    assert_eq!(code, 0, "{told}{outcome}");
    let tools = server.asked()[0].body["tools"].to_string();
    assert!(!tools.contains("demo_one") && tools.contains("rye_file_system_write"), "{tools}");
    let answer = server.asked()[1].body["messages"].to_string();
    assert!(answer.contains("no_sandbox") && answer.contains("`demo/one` is a script"), "{answer}");
    // Its person is told once, at the start, with what lifts it.
    assert_eq!(told.matches("note: script withheld from the model: `demo/one`").count(), 1, "{told}");
    assert!(told.contains("this system has no sandbox: ") && told.contains("`sandbox = \"prefer\"`"), "{told}");
    world.check(&world.shown(&outcome));
    assert!(!world.path("ran").exists() && !world.in_project("../ran").exists());

    for rule in ["prefer", "off"] {
        world.write_at(&world.path("home/.config/rye/config.toml"), &format!("sandbox = \"{rule}\"\n"));
        let server = Server::new(vec![(ANTHROPIC.call)("demo_one", &json!({"a": 1})), (ANTHROPIC.text)("Done.")]);
        assert_eq!(run_without_landlock(&world, &server).0, 0);
        assert!(server.asked()[0].body["tools"].to_string().contains("demo_one"));
        let answer = server.asked()[1].body["messages"].to_string();
        assert!(!answer.contains("no_sandbox") && answer.contains(r#"\"a\":1"#), "{rule}: {answer}");
    }
    // A command line may be a model's.
    let (code, error) = world.rye_json(&["thread", "run", "demo/work", "--config", "sandbox=off"]);
    assert_eq!((code, error["error"]["code"].as_str()), (2, Some("configuration")), "{error}");
}

#[test]
fn a_model_that_is_being_asked_is_given_up_at_once() {
    let world = world();
    let server = Server::new(vec![vec![Piece::Wait(Duration::from_secs(100))]]);
    let mut rye = world.rye(&["thread", "run", "demo/work", "--json"]);
    rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url());
    let child = rye.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while server.asked().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the model is not asked");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &outcome["status"]), (Some(5), &json!("cancelled")), "{outcome}");
    assert!(begun.elapsed() < Duration::from_secs(90));
    world.check(&world.shown(&outcome));
}

/// A turn that the provider interrupts goes on with the next request, which holds what came so far.
#[test]
fn a_paused_turn_goes_on() {
    let world = world();
    let text = vec![
        (
            "content_block_start",
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "So far"}}),
        ),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
    ];
    let server = Server::new(vec![anthropic(text, "pause_turn"), (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
    assert_eq!((code, &outcome["turns"]), (0, &json!(2)), "{told}{outcome}");
    let messages = server.asked()[1].body["messages"].clone();
    assert_eq!(messages.as_array().unwrap().last().unwrap()["role"], "assistant", "{messages}");
}
