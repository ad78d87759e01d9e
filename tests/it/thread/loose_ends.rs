//! Ends that need not be ends: what models and their servers do wrong, on each wire format, against servers that refuse what the
//! vendors' own refuse.

use rye::event::{EventData, Stood};
use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, KEY, RESPONSES, Wire, anthropic, chat, run, world};
use super::world::World;
use crate::support::http::{Asked, Reply, Server, reply, stream};

/// The name of a tool, as vendors demand it.
fn is_name(name: &Value) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    name.as_str().is_some_and(|name| (1..=64).contains(&name.len()) && name.chars().all(is_letter))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Says what a vendor's server refuses of a request's conversation.
pub(super) fn fault(asked: &Asked) -> Option<String> {
    let body = &asked.body;
    match asked.path.as_str() {
        "/v1/messages" => anthropic_fault(body),
        "/v1/responses" => responses_fault(list(&body["input"])),
        "/v1/chat/completions" => chat_fault(list(&body["messages"])),
        other => Some(format!("nothing is at {other}")),
    }
}

fn anthropic_fault(body: &Value) -> Option<String> {
    let mut due: Vec<&Value> = Vec::new();
    for (number, message) in list(&body["messages"]).iter().enumerate() {
        let (role, content) = (&message["role"], list(&message["content"]));
        if *role != ["user", "assistant"][number % 2] || content.is_empty() {
            return Some(format!("message {number} is `{message}`"));
        }
        let of = |kind: &str| content.iter().filter(|block| block["type"] == kind).collect::<Vec<_>>();
        let answered: Vec<&Value> = of("tool_result").iter().map(|result| &result["tool_use_id"]).collect();
        if answered != due {
            return Some(format!("{answered:?} answer {due:?}"));
        }
        due = of("tool_use").iter().map(|call| &call["id"]).collect();
        let is_bad = |block: &Value| match block["type"].as_str() {
            Some("thinking") => block["signature"].as_str().is_none_or(str::is_empty),
            Some("tool_use") => !is_name(&block["name"]) || !is_name(&block["id"]) || !block["input"].is_object(),
            Some("text") => block["text"].as_str().is_none_or(|text| text.trim().is_empty()),
            _ => false,
        };
        let last = content.last().filter(|block| block["type"] == "thinking");
        if let Some(block) = content.iter().find(|block| is_bad(block)).or(last) {
            return Some(format!("{block}"));
        }
    }
    None
}

fn chat_fault(messages: &[Value]) -> Option<String> {
    let mut due: Vec<&Value> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            due.retain(|id| **id != message["tool_call_id"]);
            continue;
        }
        let calls = list(&message["tool_calls"]);
        let is_bad = |call: &&Value| {
            let (function, id) = (&call["function"], &call["id"]);
            let arguments = function["arguments"].as_str().map(serde_json::from_str::<Value>);
            !is_name(&function["name"]) || !is_name(id) || !matches!(arguments, Some(Ok(Value::Object(_))))
        };
        if !due.is_empty() || calls.iter().find(is_bad).is_some() || message["content"].is_null() && calls.is_empty() {
            return Some(format!("{message} after {due:?}"));
        }
        let blocks = list(&message["thinking_blocks"]);
        if blocks.iter().any(|block| block["signature"].as_str().is_none_or(str::is_empty)) {
            return Some(format!("{blocks:?}"));
        }
        due = calls.iter().map(|call| &call["id"]).collect();
    }
    (!due.is_empty()).then(|| format!("{due:?} have no result"))
}

fn responses_fault(items: &[Value]) -> Option<String> {
    let ids =
        |kind: &str| items.iter().filter(|item| item["type"] == kind).map(|item| &item["call_id"]).collect::<Vec<_>>();
    let (calls, outputs) = (ids("function_call"), ids("function_call_output"));
    let is_bad =
        |item: &&Value| item["type"] == "function_call" && !(is_name(&item["name"]) && is_name(&item["call_id"]));
    if let Some(item) = items.iter().find(is_bad) {
        return Some(item.to_string());
    }
    let is_alone = items.windows(2).any(|two| two[0]["type"] == "reasoning" && two[1]["role"] == "user");
    (calls != outputs || is_alone).then(|| format!("{items:?}"))
}

/// A server that answers by its replies, and refuses what a vendor's would refuse.
fn strict(replies: Vec<Reply>) -> Server {
    Server::answering(move |number, asked| match fault(asked) {
        None => replies[number.min(replies.len() - 1)].clone(),
        Some(fault) => refused(&fault),
    })
}

fn refused(message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
    reply("400 Bad Request", &["content-type: application/json"], &body.to_string())
}

/// The arguments that name the wire format's provider and a model of it.
pub(super) fn named(wire: &Wire) -> [&'static str; 4] {
    let model = if wire.provider == ANTHROPIC.provider { "claude-sonnet-5-5" } else { "gpt-6.1-terra" };
    ["--provider", wire.provider, "--model", model]
}

fn shown(world: &World, args: &[&str]) -> String {
    let output = world.rye(&[&["thread"], args].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The page of the newest thread.
fn page(world: &World) -> String {
    let path = world.path("page.html");
    shown(world, &["show", "@latest", "--force", "--html", path.to_str().unwrap()]);
    std::fs::read_to_string(path).unwrap()
}

/// Holds the newest thread's text, its page and its replay to what happened; returns text and page.
pub(super) fn tells(world: &World, words: &[&str]) -> [String; 2] {
    let texts = [shown(world, &["show", "@latest"]), page(world)];
    for (text, word) in texts.iter().flat_map(|text| words.iter().map(move |word| (text, word))) {
        assert!(text.contains(word), "{word:?} is not in {text}");
    }
    let replay = shown(world, &["replay", "@latest"]);
    assert!(replay.starts_with("same "), "{replay}");
    texts
}

fn resume(world: &World, server: &Server, wire: &Wire) -> (i32, Value, String) {
    again(world, server, wire, &["resume"])
}

/// Takes the newest thread up again, by these words.
fn again(world: &World, server: &Server, wire: &Wire, verb: &[&str]) -> (i32, Value, String) {
    let mut rye = world.rye(&[&["thread"][..], verb, &["@latest", "--json"]].concat());
    let output = rye.env(wire.key, KEY).env(wire.url, format!("{}{}", server.url(), wire.base)).output().unwrap();
    let outcome = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), outcome, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_call_under_a_name_that_no_tool_has_is_answered() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let long = "x".repeat(200);
        for (name, code) in
            [("", "nameless_call"), (" ", "nameless_call"), ("a b!", "unknown_tool"), (&long, "unknown_tool")]
        {
            let world = world();
            let server = strict(vec![(wire.call)(name, &json!({})), (wire.text)("Done.")]);
            let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
            assert_eq!((exit, &outcome["turns"]), (0, &json!(2)), "{} {name:?}: {told}{outcome}", wire.provider);
            assert!(server.asked()[1].body.to_string().contains(code), "{} {name:?}", wire.provider);
            world.check(&world.shown(&outcome));
            let blank = name.trim().is_empty();
            for text in tells(&world, &[if blank { "names no tool" } else { "unknown tool" }]) {
                assert_eq!(text.contains("(no name)"), blank, "{}", wire.provider);
            }
        }
    }
}

/// A text as far as it came, and reasoning that came to no word, cut on each wire format.
fn cuts() -> [(Wire, [Reply; 2]); 3] {
    let block = |block: Value| {
        anthropic(
            vec![("content_block_start", json!({"type": "content_block_start", "index": 0, "content_block": block}))],
            "max_tokens",
        )
    };
    let item = |item: Value| {
        let (status, reason) = ("incomplete", json!({"reason": "max_output_tokens"}));
        let usage = json!({"input_tokens": 100, "output_tokens": 20, "total_tokens": 120});
        let response = json!({"status": status, "incomplete_details": reason, "output": [item], "usage": usage});
        stream(&[("response.incomplete", json!({"type": "response.incomplete", "response": response}))])
    };
    let said = json!([{"type": "output_text", "text": "Half of", "annotations": []}]);
    [
        (
            ANTHROPIC,
            [
                block(json!({"type": "text", "text": "Half of"})),
                block(json!({"type": "thinking", "thinking": "Hm", "signature": ""})),
            ],
        ),
        (
            RESPONSES,
            [
                item(
                    json!({"id": "m", "type": "message", "role": "assistant", "status": "incomplete", "content": said}),
                ),
                item(json!({"id": "r", "type": "reasoning", "summary": [], "encrypted_content": "x"})),
            ],
        ),
        (
            CHAT,
            [
                chat(&json!({"role": "assistant", "content": "Half of"}), "length"),
                chat(&json!({"role": "assistant", "content": null, "reasoning_content": "Hm"}), "length"),
            ],
        ),
    ]
}

#[test]
fn an_answer_that_was_cut_goes_on_once() {
    for (wire, cuts) in cuts() {
        for (cut, told) in cuts.into_iter().zip(["Continue exactly where it stopped", "Reason less"]) {
            let world = world();
            let server = strict(vec![cut, (wire.text)("the answer.")]);
            let (exit, outcome, said) = run(&world, &server, &wire, &named(&wire));
            assert_eq!((exit, &outcome["turns"]), (0, &json!(2)), "{}: {said}{outcome}", wire.provider);
            let again = server.asked()[1].body.to_string();
            assert!(again.contains(told), "{again}");
            assert_eq!(again.contains("Half of"), told.starts_with("Continue"), "{again}");
            world.check(&world.shown(&outcome));
            assert!(shown(&world, &["export", "@latest"]).contains(told));
            tells(&world, &[told]);
        }
    }
}

#[test]
fn an_answer_that_was_cut_twice_ends_the_thread_until_it_is_resumed() {
    for (wire, cuts) in cuts() {
        for cut in cuts {
            let world = world();
            let server = strict(vec![cut.clone(), cut.clone(), cut, (wire.text)("Done.")]);
            let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
            let code = &outcome["error"]["code"];
            assert_eq!((exit, code), (1, &json!("max_tokens")), "{}: {told}{outcome}", wire.provider);
            assert_eq!(server.asked().len(), 2);
            world.check(&world.shown(&outcome));
            let [text, _] = tells(&world, &["was cut at its greatest length, and so was its continuation"]);
            assert!(text.contains("rye thread resume "), "{text}");
            // Cut again, it ends again.
            let (exit, outcome, told) = resume(&world, &server, &wire);
            assert_eq!((exit, &outcome["error"]["code"]), (1, &json!("max_tokens")), "{told}{outcome}");
            let (exit, outcome, told) = resume(&world, &server, &wire);
            assert_eq!((exit, &outcome["status"]), (0, &json!("completed")), "{}: {told}{outcome}", wire.provider);
            assert_eq!(server.asked().len(), 4);
            let thread = world.shown(&outcome);
            super::resume::check_resumed(&world, &thread);
            let events = world.events(&thread);
            let after = |what: &EventData| matches!(what, EventData::ThreadResumed { after: Stood::MaxTokens, .. });
            assert_eq!(events.iter().filter(|event| after(&event.what)).count(), 2);
            tells(&world, &["esumed after", "Done."]);
        }
    }
}

#[test]
fn a_fork_of_a_cut_answer_goes_on() {
    for (wire, cuts) in cuts() {
        for cut in cuts {
            let world = world();
            let server = strict(vec![cut.clone(), cut, (wire.text)("Done.")]);
            let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
            assert_eq!((exit, &outcome["error"]["code"]), (1, &json!("max_tokens")), "{told}{outcome}");
            let (exit, outcome, told) = again(&world, &server, &wire, &["fork", "--turn", "2"]);
            assert_eq!((exit, &outcome["status"]), (0, &json!("completed")), "{}: {told}{outcome}", wire.provider);
            world.check_fork(&world.shown(&outcome));
            tells(&world, &["Done."]);
        }
    }
}

/// Refusals on each wire format, with the reasons that they give.
fn refusals() -> Vec<(Wire, Reply, &'static str)> {
    let details = json!({"type": "refusal", "category": "cyber", "explanation": "It could harm."});
    let start =
        json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 60, "output_tokens": 1}}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}, "usage": {"output_tokens": 7}});
    let messages =
        stream(&[("message_start", start), ("message_delta", end), ("message_stop", json!({"type": "message_stop"}))]);
    let part = json!({"type": "refusal", "refusal": "I do not do that."});
    let item = json!({"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]});
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "total_tokens": 120});
    let ended = |kind: &str, details: Value, output: Value| {
        let response = json!({"status": kind, "incomplete_details": details, "output": output, "usage": usage});
        stream(&[("", json!({"type": format!("response.{kind}"), "response": response}))])
    };
    vec![
        (ANTHROPIC, messages, "It could harm. (cyber)"),
        (RESPONSES, ended("completed", Value::Null, json!([item])), "I do not do that."),
        (RESPONSES, ended("incomplete", json!({"reason": "content_filter"}), json!([])), "content filter"),
        (
            CHAT,
            chat(&json!({"role": "assistant", "content": null, "refusal": "I do not do that."}), "stop"),
            "I do not do that.",
        ),
        (CHAT, chat(&json!({"role": "assistant", "content": "Well"}), "content_filter"), "content filter"),
    ]
}

#[test]
fn a_refusal_says_why() {
    for (wire, refusal, reason) in refusals() {
        let world = world();
        let server = strict(vec![refusal]);
        let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
        assert_eq!((exit, &outcome["error"]["code"]), (1, &json!("refusal")), "{told}{outcome}");
        let message = outcome["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("the model declined to answer: ") && message.contains(reason), "{message}");
        tells(&world, &["the model declined to answer: ", reason]);
        assert!(shown(&world, &["log", "@latest"]).contains("Declined to answer: "));
        world.check(&world.shown(&outcome));
    }
}

#[test]
fn a_refusal_asks_the_fallback() {
    for (wire, refusal, reason) in refusals() {
        let world = world();
        let path = world.in_project(".ai/directives/demo/work.md");
        let text = std::fs::read_to_string(&path).unwrap();
        let model = if wire.provider == ANTHROPIC.provider { "claude-opus-5-5" } else { "gpt-6.1-sol" };
        let tag = format!("<model tier=\"general\" fallback_id=\"{model}\" />");
        world.write_at(&path, &text.replace("<model tier=\"general\" />", &tag));
        assert!(world.rye(&["sign", "--all", "-q"]).status().unwrap().success());
        world.commit("a fallback");
        let server = strict(vec![refusal, (wire.text)("Done.")]);
        let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
        assert_eq!((exit, &outcome["model"]), (0, &json!(model)), "{}: {told}{outcome}", wire.provider);
        let why = outcome["fallbacks"][0]["reason"].as_str().unwrap();
        assert!(why.contains("declined to answer") && why.contains(reason), "{why}");
        // The declined answer was billed, and does not belong to the conversation.
        assert!(outcome["usage"]["output_tokens"].as_u64().unwrap() > 20, "{outcome}");
        assert!(!server.asked()[1].body["messages"].to_string().contains("Well"));
        tells(&world, &["the model declined to answer: ", reason, model, "Done."]);
        world.check(&world.shown(&outcome));
    }
}

/// A server that knows no reasoning in a request.
fn without_reasoning(replies: Vec<Reply>) -> Server {
    Server::answering(move |_, asked| {
        let asks = ["thinking", "reasoning", "reasoning_effort", "include"]
            .into_iter()
            .find(|field| !asked.body[field].is_null());
        let turns = list(&asked.body["messages"]).iter().chain(list(&asked.body["input"]));
        let answered = turns
            .filter(|turn| turn["role"] == "tool" || turn["role"] == "assistant" || turn["type"] == "function_call")
            .count();
        match (asks, fault(asked)) {
            (Some("include"), _) => refused("Encrypted reasoning is not supported with this model."),
            (Some(field), _) => {
                refused(&format!("litellm.UnsupportedParamsError: x does not support parameters: ['{field}']"))
            }
            (None, Some(fault)) => refused(&fault),
            (None, None) => replies[answered.min(replies.len() - 1)].clone(),
        }
    })
}

/// Answers with thinking that has no signature.
pub(super) fn unsigned_call(name: &str, input: &Value) -> Reply {
    let thinking = json!({"type": "thinking", "thinking": "Hm."});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": input});
    let open = |index: u64, block: Value| {
        ("content_block_start", json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    anthropic(vec![open(0, thinking), open(1, call)], "tool_use")
}

/// A message of the wire format `chat` that calls the tool that writes.
pub(super) fn chat_call(mut message: Value, input: &Value) -> Reply {
    let function = json!({"name": "rye_file_system_write", "arguments": input.to_string()});
    message["tool_calls"] = json!([{"index": 0, "id": "call_1", "type": "function", "function": function}]);
    chat(&message, "tool_calls")
}

#[test]
fn an_endpoint_without_reasoning_is_asked_without_it() {
    let input = json!({"path": "notes/a.md", "content": "hi\n"});
    for (wire, field, call) in [
        (ANTHROPIC, "thinking", unsigned_call("rye_file_system_write", &input)),
        (RESPONSES, "include", (RESPONSES.call)("rye_file_system_write", &input)),
    ] {
        let world = world();
        let server = without_reasoning(vec![call, (wire.text)("Done.")]);
        let (exit, outcome, told) = run(&world, &server, &wire, &named(&wire));
        assert_eq!((exit, &outcome["turns"]), (0, &json!(2)), "{}: {told}{outcome}", wire.provider);
        // Refused once, and remembered.
        let asked: Vec<bool> = server.asked().iter().map(|asked| !asked.body[field].is_null()).collect();
        assert_eq!(asked, [true, false, false], "{}", wire.provider);
        let thread = world.shown(&outcome);
        let events = world.events(&thread);
        let without: Vec<&Vec<String>> = events
            .iter()
            .filter_map(|event| match &event.what {
                EventData::Retry { without, .. } => Some(without),
                _ => None,
            })
            .collect();
        assert_eq!(without, [&[field.to_owned()]], "{}", wire.provider);
        world.check(&thread);
        tells(&world, &[&format!("asked without {field} from here on")]);
        assert!(shown(&world, &["log", "@latest"]).contains(&format!("Asked again without `{field}`")));
    }
}

/// It is in the record: whoever resumes the thread does not ask for it again.
#[test]
fn a_resumed_thread_knows_what_its_endpoint_does_not() {
    let world = world();
    let (wire, input) = (ANTHROPIC, json!({"path": "notes/a.md", "content": "hi\n"}));
    let server = without_reasoning(vec![unsigned_call("rye_file_system_write", &input), (wire.text)("Done.")]);
    let args = [&named(&wire)[..], &["--limit", "turns=1"]].concat();
    let (exit, outcome, told) = run(&world, &server, &wire, &args);
    assert_eq!((exit, &outcome["ending"]), (5, &json!("limit")), "{told}{outcome}");
    let mut rye = world.rye(&["thread", "resume", "@latest", "--json", "--limit", "turns=3"]);
    let output = rye.env(wire.key, KEY).env(wire.url, server.url()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let asked: Vec<bool> = server.asked().iter().map(|asked| !asked.body["thinking"].is_null()).collect();
    assert_eq!(asked, [true, false, false]);
}

/// A fault in the value of a field is the document's, and is told.
#[test]
fn a_wrong_value_for_reasoning_is_not_hidden() {
    let world = world();
    let server = Server::new(vec![refused("thinking.budget_tokens: must be at least 1024")]);
    let (exit, outcome, told) = run(&world, &server, &ANTHROPIC, &[]);
    assert_eq!((exit, server.asked().len()), (6, 1), "{told}{outcome}");
}
