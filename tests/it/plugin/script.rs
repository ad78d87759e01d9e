//! The tool kind `script`.

use std::collections::BTreeSet;

use rye::context::INTERPRETERS;
use rye_plugin_abi::tool_kind::{InterpretRequest, PlanRequest};
use serde_json::{Value, json};

use super::{plugins, reported};

fn plan(extension: &str) -> PlanRequest {
    PlanRequest {
        state: json!({"opaque": true}),
        item_id: "demo/sum".to_owned(),
        extension: extension.to_owned(),
        header: Value::Null,
        parameters: json!({"a": 1, "b": "zwei"}),
    }
}

fn planned(extension: &str) -> Value {
    let tool_kind = plugins().tool_kind_for_extension(extension).expect("a tool kind");
    serde_json::to_value(tool_kind.plan(&plan(extension)).expect("a plan")).expect("JSON")
}

/// A run that ended well and wrote this to standard output.
fn ran(stdout: &str) -> InterpretRequest {
    InterpretRequest {
        state: Value::Null,
        exit_code: Some(0),
        signal: None,
        timed_out: false,
        stdout: stdout.to_owned(),
        stderr: "a warning".to_owned(),
        stdout_truncated: false,
    }
}

fn interpreted(run: &InterpretRequest) -> Value {
    let tool_kind = plugins().tool_kind("script").expect("a tool kind");
    serde_json::to_value(tool_kind.interpret(run).expect("a result")).expect("JSON")
}

fn ok(result: Value) -> Value {
    json!({"state": null, "status": "ok", "result": result})
}

fn error(result: Value) -> Value {
    json!({"state": null, "status": "error", "result": result})
}

/// A path that is configured for another name would do nothing, so it is refused.
#[test]
fn the_configuration_knows_the_interpreters_that_are_asked_for() {
    let extensions = plugins().tool_kind("script").expect("a tool kind").describe().expect("itself").extensions;
    let asked = extensions.iter().flat_map(|extension| {
        let names = planned(extension)["plan"]["interpreter"].clone();
        serde_json::from_value::<Vec<String>>(names).expect("names")
    });
    assert_eq!(asked.collect::<BTreeSet<_>>(), INTERPRETERS.map(str::to_owned).into());
}

#[test]
fn scripts_are_planned_by_their_extension() {
    let expected = |interpreter: Value, args: Value| {
        json!({"state": {"opaque": true}, "plan": {
            "kind": "child", "interpreter": interpreter, "args": args, "stdin": r#"{"a":1,"b":"zwei"}"#, "env": {},
        }})
    };
    assert_eq!(planned("py"), expected(json!(["python3", "python"]), json!(["-I", "-B", "{script}"])));
    assert_eq!(planned("sh"), expected(json!(["sh"]), json!(["{script}"])));
    assert_eq!(planned("bash"), expected(json!(["bash"]), json!(["{script}"])));
    let refused = plugins().tool_kind("script").expect("a tool kind").plan(&plan("rb"));
    assert_eq!(reported(refused), ("extension".to_owned(), "`rb` is not the extension of a script".to_owned()));
}

#[test]
fn what_a_script_writes_is_its_result() {
    assert_eq!(interpreted(&ran(" {\"sum\": 3}\n")), ok(json!({"sum": 3})));
    assert_eq!(interpreted(&ran(" \n")), ok(Value::Null));
    assert_eq!(interpreted(&ran("three\nlines {\n\n")), ok(json!("three\nlines {")));
}

#[test]
fn a_failed_run_says_how_it_ended() {
    let failed = InterpretRequest { exit_code: Some(3), ..ran("so far") };
    assert_eq!(interpreted(&failed), error(json!({"exit_code": 3, "stderr": "a warning", "stdout": "so far"})));
    let killed = InterpretRequest { exit_code: None, signal: Some(9), ..ran("") };
    assert_eq!(interpreted(&killed), error(json!({"signal": 9, "stderr": "a warning", "stdout": ""})));
    let late = InterpretRequest { timed_out: true, ..killed };
    assert_eq!(interpreted(&late), error(json!({"timed_out": true, "stderr": "a warning", "stdout": ""})));
    let unknown = InterpretRequest { exit_code: None, ..ran("") };
    assert_eq!(interpreted(&unknown), error(json!({"exit_code": null, "stderr": "a warning", "stdout": ""})));
}

#[test]
fn a_cut_result_is_an_error_even_if_it_is_json() {
    let cut = InterpretRequest { stdout_truncated: true, ..ran("12345") };
    let expected = json!({
        "stdout_truncated": true, "message": "standard output is longer than its limit of 5 bytes",
        "stderr": "a warning", "stdout": "12345",
    });
    assert_eq!(interpreted(&cut), error(expected));
}

#[test]
fn the_end_of_a_long_standard_error_is_kept_in_whole_characters() {
    let long = format!("begin{}end!", "é".repeat(3000));
    let failed = InterpretRequest { exit_code: Some(1), stderr: long, ..ran("") };
    let kept = format!("{}end!", "é".repeat((4096 - 4) / 2));
    assert_eq!(interpreted(&failed)["result"]["stderr"], json!(kept));
    let odd = format!("{}end", "é".repeat(3000));
    let failed = InterpretRequest { stderr: odd, ..failed };
    assert_eq!(interpreted(&failed)["result"]["stderr"], json!(format!("{}end", "é".repeat(2046))));
}
