//! The provider `steps`.

use rye::plugin::Error;
use rye_plugin_abi::provider::{EncodeRequest, Message};
use serde_json::{Value, json};

use super::{no_usage, plugins, reported, request};

/// A step with calls of tools, each without parameters.
fn step(name: &str, text: &str, tools: &[&str]) -> Value {
    let calls: Vec<Value> = tools.iter().map(|tool| json!({"tool": tool, "input": {"of": name}})).collect();
    json!({"name": name, "text": text, "calls": calls})
}

/// A call with the step that makes it.
fn call(id: &str, tool: &str, step: &str) -> Vec<Value> {
    made(step, json!({"kind": "tool_call", "call_id": id, "name": tool, "input": {"of": step}}))
}

fn made(step: &str, call: Value) -> Vec<Value> {
    vec![json!({"kind": "step", "name": step}), call]
}

fn returning(values: Value) -> Value {
    json!({"kind": "tool_call", "call_id": "directive-return", "name": "directive_return", "input": values})
}

/// A turn's response with this text and these calls.
fn turn(state: Value, text: &str, calls: &[Value]) -> Value {
    let mut events: Vec<Value> =
        (!text.is_empty()).then(|| json!({"kind": "text", "text": text})).into_iter().collect();
    events.extend_from_slice(calls);
    events.push(no_usage());
    events.push(json!({"kind": "stop", "reason": if calls.is_empty() { "end_turn" } else { "tool_use" }}));
    json!({"state": state, "answer": {"kind": "events", "events": events}})
}

fn state(next_step: usize, returned: bool) -> Value {
    json!({"next_step": next_step, "returned": returned})
}

/// Between the calls of a step.
fn within(next_step: usize, made: usize) -> Value {
    json!({"next_step": next_step, "made": made, "returned": false})
}

/// Follows a directive to its end, answering each call from a table of id, output and whether it is an error.
fn follow(directive: Value, results: &[(&str, Value, bool)]) -> Vec<Value> {
    try_follow(directive, results).expect("turns")
}

fn try_follow(directive: Value, results: &[(&str, Value, bool)]) -> Result<Vec<Value>, Error> {
    let mut request = request(directive);
    let mut turns = Vec::new();
    loop {
        let response = plugins().provider("steps").expect("a provider").encode(&request)?;
        let turn = serde_json::to_value(&response).expect("JSON");
        request.state = response.state;
        let calls = calls_of(&turn);
        let done = calls.is_empty();
        std::sync::Arc::make_mut(&mut request.messages)
            .push(message(json!({"role": "assistant", "text": "", "calls": calls})));
        std::sync::Arc::make_mut(&mut request.messages).extend(calls.iter().map(|call| answer(call, results)));
        turns.push(turn);
        if done {
            return Ok(turns);
        }
    }
}

fn message(message: Value) -> Message {
    serde_json::from_value(message).expect("a message")
}

fn calls_of(turn: &Value) -> Vec<Value> {
    let events = turn["answer"]["events"].as_array().expect("events");
    events.iter().filter(|event| event["kind"] == "tool_call").cloned().collect()
}

fn answer(call: &Value, results: &[(&str, Value, bool)]) -> Message {
    let (_, output, is_error) = results.iter().find(|(id, ..)| call["call_id"] == *id).expect("a result for each call");
    let (call_id, name) = (&call["call_id"], &call["name"]);
    message(json!({"role": "tool", "call_id": call_id, "name": name, "output": output, "is_error": is_error}))
}

#[test]
fn steps_are_followed_one_a_turn_and_the_outputs_returned() {
    let directive = json!({
        "name": "guide",
        "steps": [
            step("intro", "Welcome.", &[]),
            step("look", "Look around.\n", &["list", "read"]),
            step("note", "", &["write"]),
            step("outro", "Nearly there.", &[]),
        ],
        "outputs": [
            {"name": "size", "from": "look.files.1.size", "required": true},
            {"name": "note", "required": true},
            {"name": "seen", "from": "look", "required": false},
        ],
    });
    let read = json!({"files": [{"size": 1}, {"size": 2}]});
    let results = [
        ("step-2-1", json!("unused"), false),
        ("step-2-2", read.clone(), false),
        ("step-3-1", json!("written"), false),
        ("directive-return", json!("missing: more"), true),
    ];
    let values = json!({"size": 2, "note": "written", "seen": read});
    let expected = [
        turn(within(1, 1), "Welcome.\n\nLook around.", &call("step-2-1", "list", "look")),
        turn(state(2, false), "", &call("step-2-2", "read", "look")),
        turn(state(3, false), "note", &call("step-3-1", "write", "note")),
        turn(state(4, true), "Nearly there.", &[returning(values)]),
        turn(state(4, true), "The call of `directive_return` did not succeed: missing: more", &[]),
    ];
    assert_eq!(follow(directive, &results), expected);
}

/// The host ends the thread when a call fails, unless the step goes on; then the rest of the step is left out.
#[test]
fn a_failed_call_is_told_and_the_next_step_is_done() {
    let mut steps = [step("a", "A", &["x", "y"]), step("b", "B", &["z"])];
    steps.iter_mut().for_each(|step| step["on_error"] = json!("continue"));
    let directive = json!({"name": "guide", "steps": steps});
    let results = [
        ("step-1-1", json!({"code": "permission_denied", "message": "`x` is not allowed"}), true),
        ("step-2-1", json!({"exit_code": 1}), true),
    ];
    let goes_on = |mut call: Vec<Value>| {
        call[0]["on_error"] = json!("continue");
        call
    };
    let expected = [
        turn(within(0, 1), "A", &goes_on(call("step-1-1", "x", "a"))),
        turn(
            state(2, false),
            "The call of `x` did not succeed: `x` is not allowed\n\nB",
            &goes_on(call("step-2-1", "z", "b")),
        ),
        turn(state(2, false), "The call of `z` did not succeed: {\"exit_code\":1}", &[]),
    ];
    assert_eq!(follow(directive, &results), expected);
}

/// A step `use` that calls `tool` with these parameters, made of results, after a step `read` that has one.
fn using(input: Value, uses: Value) -> Value {
    let call = json!({"tool": "tool", "input": input, "uses": uses});
    json!({"name": "guide", "steps": [step("read", "", &["x"]), {"name": "use", "calls": [call]}]})
}

fn result(path: &str) -> Value {
    json!({"result": {"step": "read", "path": path}})
}

#[test]
fn a_result_fills_a_parameter_and_keeps_its_type_where_it_stands_alone() {
    let found = json!({"text": "{step:read}", "n": 3, "list": [1, {"a": null}]});
    let alone = |path: &str| json!([result(path)]);
    for (parts, filled) in [
        (alone("text"), json!("{step:read}")),
        (alone("n"), json!(3)),
        (alone("list.1"), json!({"a": null})),
        (alone(""), found.clone()),
        (
            json!([{"text": "of "}, result("text"), {"text": ": "}, result("list"), result("n")]),
            json!("of {step:read}: [1,{\"a\":null}]3"),
        ),
    ] {
        let input = json!({"parameters": {"a/b": "in words", "as": "it is"}});
        let directive = using(input, json!([{"at": "/parameters/a~1b", "parts": parts}]));
        let turns = follow(directive, &[("step-1-1", found.clone(), false), ("step-2-1", json!("done"), false)]);
        let input = json!({"parameters": {"a/b": filled, "as": "it is"}});
        let made = made("use", json!({"kind": "tool_call", "call_id": "step-2-1", "name": "tool", "input": input}));
        assert_eq!(turns[1], turn(state(2, false), "use", &made));
    }
}

#[test]
fn a_result_that_is_not_there_is_named_with_what_there_is() {
    let large = json!({"abridged": "a", "bytes": 50_000, "artifact": "d"});
    for (found, is_error, path, problem) in [
        (
            json!({"path": 1, "content": ""}),
            false,
            "contant",
            "the result of step `read` has no `contant` (it has `path`, `content`)",
        ),
        (
            json!({"a": {"b": [1, 2]}}),
            false,
            "a.b.2",
            "`a.b` in the result of step `read` has no `2` (it has the elements 0 to 1)",
        ),
        (json!("text"), false, "n", "the result of step `read` has no `n` (it is a string)"),
        (large, false, "content", "the result of step `read` has no `content` (it is too large for a later step)"),
        (json!("no"), true, "", "the last call of step `read` did not succeed"),
    ] {
        let mut directive = using(json!({"p": "in words"}), json!([{"at": "/p", "parts": [result(path)]}]));
        directive["steps"][0]["on_error"] = json!("continue");
        let results = [("step-1-1", found, is_error), ("step-2-1", json!(null), false)];
        assert_eq!(
            reported(try_follow(directive.clone(), &results)),
            ("step_failed".to_owned(), format!("step `use` cannot be done: {problem}"))
        );
        directive["steps"][1]["on_error"] = json!("continue");
        let turns = follow(directive, &results);
        let told = turns[1]["answer"]["events"][0]["text"].as_str().expect("a text");
        assert!(told.ends_with(&format!("use\n\nstep `use` cannot be done: {problem}.")), "{told}");
    }
}

#[test]
fn a_directive_without_calls_or_outputs_ends_at_once() {
    let expected = [turn(state(0, false), "All steps are done.", &[])];
    assert_eq!(follow(json!({"name": "empty"}), &[]), expected);
    let told = [turn(state(1, false), "Only words.", &[])];
    assert_eq!(follow(json!({"name": "told", "steps": [step("a", "Only words.", &[])]}), &[]), told);
}

#[test]
fn outputs_that_cannot_be_filled_are_left_out_and_told() {
    let directive = json!({
        "name": "guide",
        "steps": [step("denied", "D", &["x"]), step("words", "W", &[]), step("a.b", "AB", &["y"])],
        "outputs": [
            {"name": "one", "from": "denied.path", "required": true},
            {"name": "two", "from": "words", "required": false},
            {"name": "three", "from": "a.b.c", "required": true},
            {"name": "four", "from": "a.b.missing", "required": true},
            {"name": "five", "from": "nowhere.at", "required": true},
            {"name": "six", "required": true},
        ],
    });
    let results = [
        ("step-1-1", json!("not allowed"), true),
        ("step-3-1", json!({"c": null}), false),
        ("directive-return", json!("refused"), true),
    ];
    let problems = "The required output `one` cannot be filled: the last call of step `denied` did not succeed.\n\n\
        The optional output `two` cannot be filled: step `words` calls nothing.\n\n\
        The required output `four` cannot be filled: the result of step `a.b` has no `missing` (it has `c`).\n\n\
        The required output `five` cannot be filled: `nowhere.at` names no step.\n\n\
        The required output `six` cannot be filled: it names no step to fill it from, and no step has its name.";
    let turns = follow(directive, &results);
    let last = format!("The call of `directive_return` did not succeed: refused\n\n{problems}");
    assert_eq!(
        turns[2..],
        [turn(state(3, true), problems, &[returning(json!({"three": null}))]), turn(state(3, true), &last, &[]),]
    );
}

#[test]
fn many_outputs_of_one_long_result_are_bounded_in_all() {
    let outputs: Vec<Value> =
        (0..100).map(|number| json!({"name": format!("o{number}"), "required": true, "from": "a"})).collect();
    let directive = json!({"name": "guide", "steps": [step("a", "A", &["x"])], "outputs": outputs});
    let long = json!("x".repeat(1_000_000));
    let turns = follow(directive, &[("step-1-1", long, false), ("directive-return", json!(null), false)]);
    let told = turns[1]["answer"]["events"][0]["text"].as_str().unwrap();
    assert!(told.contains("`o4` cannot be filled: all outputs together are longer than 4194304 bytes."), "{told}");
    let returned = turns[1]["answer"]["events"][1]["input"].as_object().unwrap();
    assert_eq!(returned.keys().collect::<Vec<_>>(), ["o0", "o1", "o2", "o3"]);
}

#[test]
fn a_long_error_is_told_in_part() {
    let directive = json!({"name": "guide", "steps": [step("a", "A", &["x"])]});
    let turns = follow(directive, &[("step-1-1", json!("é".repeat(301)), true)]);
    let told = format!("The call of `x` did not succeed: {}…", "é".repeat(300));
    assert_eq!(turns[1], turn(state(1, false), &told, &[]));
}

#[test]
fn a_state_of_somebody_else_is_refused() {
    let request = EncodeRequest { state: json!({"turns": 1}), ..request(Value::Null) };
    let refused = plugins().provider("steps").expect("a provider").encode(&request);
    assert_eq!(reported(refused).0, "state");
}
