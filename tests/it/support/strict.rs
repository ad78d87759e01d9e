//! What the model APIs refuse in a conversation: a call without its result, a result without its call, reasoning that was changed
//! or that nothing follows, messages in a wrong order.

use std::collections::BTreeSet;

use serde_json::Value;

/// Says what is wrong with the body of a request; the path tells its wire format.
pub(crate) fn fault(path: &str, body: &Value) -> Option<String> {
    let checked = match path {
        "/v1/messages" => messages(body),
        "/v1/responses" => responses(body),
        "/v1/chat/completions" => chat(body),
        other => Err(format!("no such place: {other}")),
    };
    checked.err()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    value[name].as_array().filter(|list| !list.is_empty()).ok_or_else(|| format!("`{name}` is empty"))
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// Anthropic: user and assistant alternate; the results of all calls of a message come first in the next one.
fn messages(body: &Value) -> Result<(), String> {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, message) in list(body, "messages")?.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        ensure(message["role"] == role, || format!("message {at} is not the {role}'s"))?;
        let blocks = list(message, "content")?;
        let of = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
        if role == "user" {
            let results: BTreeSet<String> =
                of("tool_result").map(|block| text(block, "tool_use_id").to_owned()).collect();
            ensure(results == open, || format!("message {at} answers {results:?}, and the calls were {open:?}"))?;
            let first = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
            ensure(first == of("tool_result").count(), || format!("message {at} has a text before a result"))?;
            ensure(of("text").all(|block| !text(block, "text").trim().is_empty()), || {
                format!("message {at} has a blank text")
            })?;
            open.clear();
        } else {
            open = of("tool_use").map(|block| text(block, "id").to_owned()).collect();
            ensure(open.len() == of("tool_use").count(), || format!("message {at} has two calls of one id"))?;
            ensure(of("thinking").all(|block| text(block, "signature") == "SIGNED"), || {
                format!("message {at} has changed thinking")
            })?;
            let last = blocks.last().map(|block| text(block, "type"));
            ensure(last != Some("thinking"), || format!("message {at} ends with thinking"))?;
        }
    }
    ensure(open.is_empty(), || format!("no result for {open:?}"))
}

/// OpenAI Responses: each call has one output, after it; something follows each reasoning.
fn responses(body: &Value) -> Result<(), String> {
    let items = list(body, "input")?;
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        let call_id = || text(item, "call_id").to_owned();
        match text(item, "type") {
            "function_call" => ensure(open.insert(call_id()), || format!("item {at} has the id of another call"))?,
            "function_call_output" => {
                ensure(open.remove(&call_id()), || format!("item {at} is the output of no call"))?
            }
            "reasoning" => {
                let next = items.get(at + 1).map(|next| (text(next, "type"), text(next, "role")));
                let follows = matches!(next, Some(("function_call" | "reasoning", _) | ("message", "assistant")));
                ensure(follows && item["encrypted_content"] == "SIGNED", || {
                    format!("item {at} is reasoning without its item")
                })?;
            }
            _ => ensure(open.is_empty(), || format!("item {at} comes before the output of {open:?}"))?,
        }
    }
    ensure(open.is_empty(), || format!("no output for {open:?}"))
}

/// Chat Completions: tool messages answer the calls of the message before them, each once.
fn chat(body: &Value) -> Result<(), String> {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, message) in list(body, "messages")?.iter().enumerate() {
        if message["role"] == "tool" {
            ensure(open.remove(text(message, "tool_call_id")), || format!("message {at} answers no call"))?;
            continue;
        }
        ensure(open.is_empty(), || format!("message {at} comes before the result of {open:?}"))?;
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        for call in calls {
            ensure(open.insert(text(call, "id").to_owned()), || format!("message {at} has two calls of one id"))?;
        }
    }
    ensure(open.is_empty(), || format!("no result for {open:?}"))
}
