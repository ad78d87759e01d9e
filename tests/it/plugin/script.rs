//! The tool kind `script`.

use std::collections::BTreeSet;

use rye::context::INTERPRETERS;
use rye_plugin_abi::tool_kind::{InterpretRequest, Plan, PlanRequest};
use serde_json::{Value, json};

use super::{plugins, reported};

fn plan(extension: &str) -> PlanRequest {
    PlanRequest {
        state: json!({"opaque": true}),
        item_id: "demo/sum".to_owned(),
        extension: extension.to_owned(),
        header: Value::Null,
        parameters: json!({"a": 1, "b": "zwei"}),
        source: String::new(),
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
        ..InterpretRequest::default()
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
        let tool_kind = plugins().tool_kind_for_extension(extension).expect("a tool kind");
        // Some extensions have no interpreter but the one that the script names.
        let names = tool_kind.plan(&plan(extension)).map(|planned| match planned.plan {
            Plan::Child { interpreter, .. } => interpreter,
            Plan::Command { .. } | Plan::Http(_) | Plan::Mcp(_) => panic!("no script"),
        });
        names.unwrap_or_default()
    });
    assert_eq!(asked.collect::<BTreeSet<_>>(), INTERPRETERS.map(str::to_owned).into());
}

#[test]
fn scripts_are_planned_by_their_extension() {
    let expected = |interpreter: Value, args: Value| {
        json!({"state": {"opaque": true}, "plan": {
            "kind": "child", "interpreter": interpreter, "args": args, "stdin": r#"{"a":1,"b":"zwei"}"#, "env": {}, "files": {},
        }})
    };
    assert_eq!(planned("py"), expected(json!(["python3", "python"]), json!(["-I", "-B", "{script}"])));
    assert_eq!(planned("sh"), expected(json!(["sh"]), json!(["{script}"])));
    assert_eq!(planned("bash"), expected(json!(["bash"]), json!(["{script}"])));
    let refused = plugins().tool_kind("script").expect("a tool kind").plan(&plan("rs"));
    assert_eq!(reported(refused), ("extension".to_owned(), "`rs` is not the extension of a script".to_owned()));
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
    // Text without its middle is a result all the same; JSON is not.
    let long = |stdout: &str| InterpretRequest { stdout_truncated: true, stdout_written: Some(9), ..ran(stdout) };
    assert_eq!(interpreted(&long("a\n[… 5 …]\nb")), ok(json!("a\n[… 5 …]\nb")));
    assert_eq!(interpreted(&long("{\"a\": 1}"))["status"], "error");
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

fn planned_of(extension: &str, executor: &str, source: &str) -> Value {
    let tool_kind = plugins().tool_kind_for_extension(extension).expect("a tool kind");
    let header = json!({"executor_id": executor});
    let request = PlanRequest { header, source: source.to_owned(), ..plan(extension) };
    match tool_kind.plan(&request) {
        Ok(planned) => {
            let plan = serde_json::to_value(planned).expect("JSON")["plan"].take();
            json!([
                plan["interpreter"],
                plan["args"],
                plan["files"].as_object().expect("files").keys().collect::<Vec<_>>()
            ])
        }
        refused => json!(reported(refused)),
    }
}

#[test]
fn the_first_line_names_the_interpreter_where_it_agrees_with_the_extension() {
    for (extension, line, names, args) in [
        ("sh", "#!/usr/bin/env bash", json!(["bash"]), json!(["{script}"])),
        ("sh", "#!/bin/bash -eu", json!(["/bin/bash", "bash"]), json!(["-eu", "{script}"])),
        ("py", "#! /usr/bin/python3.11", json!(["/usr/bin/python3.11", "python3.11"]), json!(["-I", "-B", "{script}"])),
        ("js", "#!/usr/bin/env -S deno run --quiet", json!(["deno"]), json!(["run", "--quiet", "{script}"])),
        ("hs", "#!/usr/bin/env runghc", json!(["runghc"]), json!(["{script}"])),
        ("pl", "", json!(["perl"]), json!(["{script}"])),
    ] {
        assert_eq!(planned_of(extension, "", &format!("{line}\nx")), json!([names, args, []]), "{line}");
    }
    for (extension, line, code) in [
        ("sh", "#!/usr/bin/env python3", "shebang"),
        ("py", "#!/bin/sh", "shebang"),
        ("bash", "#!/bin/sh", "shebang"),
        ("py", "#!bin/python3", "shebang"),
        ("py", "#!/usr/bin/env ./python3", "shebang"),
        ("py", "#!/usr/bin/env -i python3", "shebang"),
        ("py", "#!/usr/bin/env X=1 python3", "shebang"),
        ("py", "#!/usr/bin/pythonista", "shebang"),
        ("sh", "#!/bin/sh\r", "shebang"),
        ("sh", "#!", "shebang"),
        ("hs", "", "extension"),
    ] {
        let refused = planned_of(extension, "", &format!("{line}\nx"));
        // A carriage return is white space, as everywhere in that line.
        assert!(refused[0] == code || line.ends_with('\r'), "{line}: {refused}");
    }
}

#[test]
fn a_python_script_is_a_program_or_a_function_to_call() {
    let called = json!([
        ["python3", "python"],
        ["-I", "-B", "{.call_execute.py}", "{script}", "{project}"],
        [".call_execute.py"]
    ]);
    let program = json!([["python3", "python"], ["-I", "-B", "{script}"], []]);
    let told = json!([["python3", "python"], ["-I", "-B", "{script}", "--project-path", "{project}"], []]);
    let function = "def execute(params, project_path):\n    return 1\n";
    let both = format!("{function}if __name__ == '__main__':\n    print(execute({{}}, ''))\n");
    for (executor, source, expected) in [
        ("script", function, &called),
        ("", "async def execute(\n    params: dict,\n    project_path: str,\n) -> dict:\n", &called),
        ("script", both.as_str(), &program),
        ("script", "def execute(self, params): pass\n", &program),
        ("script", "    def execute(params, x): pass\n", &program),
        ("rye/core/runtimes/python/function", both.as_str(), &called),
        ("rye/core/runtimes/python/script", both.as_str(), &told),
        ("rye/core/runtimes/python/script", function, &told),
    ] {
        assert_eq!(&planned_of("py", executor, source), expected, "{executor}: {source}");
    }
}

#[test]
fn modules_and_types_are_nodes_own() {
    let expected = |args: Value, files: Value| json!([["node"], args, files]);
    let strip = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
    let of_types = json!([strip[0], strip[1], "{script}"]);
    assert_eq!(planned_of("js", "", "require('fs')"), expected(json!(["{script}"]), json!([])));
    assert_eq!(planned_of("js", "", "import fs from 'fs'"), expected(json!(["{script}"]), json!(["package.json"])));
    assert_eq!(planned_of("mjs", "", "import fs from 'fs'"), expected(json!(["{script}"]), json!([])));
    assert_eq!(planned_of("ts", "", "export const a: number = 1"), expected(of_types.clone(), json!(["package.json"])));
    assert_eq!(planned_of("mts", "", ""), expected(of_types, json!([])));
    let told = planned_of("js", "rye/core/runtimes/node/node", "");
    assert_eq!(told, expected(json!(["{script}", "--project-path", "{project}"]), json!([])));
    let stderr = "node: bad option: --experimental-strip-types\n".to_owned();
    let old = interpreted(&InterpretRequest { exit_code: Some(9), stderr, ..ran("") });
    assert!(old["result"]["message"].as_str().expect("a message").contains("Node 22.6 or newer"), "{old}");
}

#[test]
fn a_result_can_say_that_it_is_a_failure() {
    let result = json!({"success": false, "error": "no such host"});
    assert_eq!(interpreted(&ran(&result.to_string())), error(result));
    let result = json!({"success": true, "n": 1});
    assert_eq!(interpreted(&ran(&result.to_string())), ok(result));
    assert_eq!(interpreted(&ran("{\"success\": \"false\"}")), ok(json!({"success": "false"})));
}
