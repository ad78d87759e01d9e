//! The kind, by values alone.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn planned(config: Value, parameters: Value) -> Result<PlanResponse, Failure> {
    CommandKind::plan(PlanRequest {
        state: Value::Null,
        item_id: "demo/log".to_owned(),
        extension: "yaml".to_owned(),
        header: json!({"config": config}),
        parameters,
        source: String::new(),
    })
}

fn argv(words: Value, parameters: Value) -> Result<Vec<String>, String> {
    let planned = planned(json!({"command": words}), parameters).map_err(|failure| failure.message)?;
    let Plan::Command { program, args, .. } = planned.plan else { panic!("not a command") };
    Ok(std::iter::once(program).chain(args).collect())
}

fn ended(config: Value, exit_code: i32, stdout: &str) -> Value {
    let PlanResponse { state, .. } = planned(config, json!({})).unwrap();
    let request = InterpretRequest {
        state,
        exit_code: Some(exit_code),
        signal: None,
        timed_out: false,
        stdout: stdout.to_owned(),
        stderr: "said".to_owned(),
        stdout_truncated: false,
        ..InterpretRequest::default()
    };
    let InterpretResponse { status, result, .. } = CommandKind::interpret(request).unwrap();
    json!({"status": status, "result": result})
}

#[test]
fn every_word_is_one_argument() {
    let words = json!(["git", "log", "--max-count={limit}", {"when": "all", "words": ["--all", "-v"]}, "--", "{path}", "{more...}"]);
    for (parameters, expected) in [
        (json!({}), "git|log|--"),
        (json!({"limit": 3, "path": "a b; rm -rf /"}), "git|log|--max-count=3|--|a b; rm -rf /"),
        (json!({"all": true, "more": ["x", "-y", 1]}), "git|log|--all|-v|--|x|-y|1"),
        (json!({"all": false, "path": null}), "git|log|--"),
        (json!({"limit": 4.0}), "git|log|--max-count=4|--"),
    ] {
        assert_eq!(argv(words.clone(), parameters).unwrap().join("|"), expected);
    }
    assert_eq!(argv(json!(["awk", "{{print ${n}}}"]), json!({"n": 2})).unwrap(), ["awk", "{print $2}"]);
}

#[test]
fn a_parameter_cannot_be_an_option() {
    for parameters in [json!({"path": "--output=/x"}), json!({"more": ["-x"]})] {
        let refused = argv(json!(["git", "diff", "{path}", "{more...}"]), parameters).unwrap_err();
        assert!(refused.ends_with("begins with `-`, and would be an option"), "{refused}");
    }
    assert_eq!(argv(json!(["x", "n{path}"]), json!({"path": "-a"})).unwrap(), ["x", "n-a"]);
}

#[test]
fn a_wrong_config_says_what_is_wrong() {
    for (config, expected) in [
        (Value::Null, "no `config`"),
        (json!({}), "neither `command` nor `argv`"),
        (json!({"command": []}), "is empty"),
        (json!({"command": ["{program}"]}), "not the name of a program"),
        (json!({"command": [{"when": "a", "words": ["x"]}]}), "not the name of a program"),
        (json!({"command": ["x"], "argv": "a"}), "both"),
        (json!({"command": ["x"], "shell": true}), "unknown field `shell`"),
        (json!({"command": ["x", "{a b}"]}), "brace"),
        (json!({"command": ["x", "{"]}), "brace"),
        (json!({"command": ["x"], "timeout": 0}), "`timeout`"),
        (json!({"command": ["x"], "timeout": 86_400}), "`timeout`"),
    ] {
        let failure = planned(config.clone(), json!({})).unwrap_err();
        assert!(failure.message.contains(expected), "{config}: {}", failure.message);
    }
    assert!(argv(json!(["x", "{a}"]), json!({"a": {}})).unwrap_err().contains("neither text nor a number"));
}

#[test]
fn what_a_config_names_is_a_parameter() {
    let plan = |config: Value| {
        CommandKind::plan(PlanRequest {
            state: Value::Null,
            item_id: "demo/log".to_owned(),
            extension: "yaml".to_owned(),
            header: json!({"config": config, "schema": {"properties": {"file": {"type": "string"}}}}),
            parameters: json!({}),
            source: String::new(),
        })
    };
    assert!(plan(json!({"command": ["cat", "{file}", "{{x}}"], "stdin": "{file}"})).is_ok());
    for config in [
        json!({"command": ["cat", "{flie}"]}),
        json!({"command": ["cat", "{more...}"]}),
        json!({"command": ["cat", {"when": "zz", "words": []}]}),
        json!({"command": ["cat", {"when": "file", "words": ["{zz}"]}]}),
        json!({"command": ["cat"], "stdin": "{zz}"}),
        json!({"command": ["cat"], "folder": "{zz}"}),
        json!({"command": ["cat"], "timeout": "{zz}"}),
        json!({"argv": "words"}),
    ] {
        let failure = plan(config.clone()).unwrap_err();
        assert!(failure.message.contains("which `parameters` does not list"), "{config}: {}", failure.message);
    }
}

#[test]
fn a_whole_command_line_can_be_a_parameter() {
    let config = json!({"argv": "argv", "stdin": "{stdin}", "folder": "{folder}", "timeout": "{timeout}"});
    let parameters = json!({"argv": ["make", "-C", "x"], "stdin": "in", "folder": "src", "timeout": 9});
    let plan = planned(config.clone(), parameters).unwrap().plan;
    let (folder, timeout) = (Some("src".to_owned()), Some(9));
    let args = vec!["-C".to_owned(), "x".to_owned()];
    assert_eq!(plan, Plan::Command { program: "make".to_owned(), args, stdin: "in".to_owned(), folder, timeout });
    let plan = planned(config.clone(), json!({})).unwrap().plan;
    let (program, stdin) = (String::new(), String::new());
    assert_eq!(plan, Plan::Command { program, args: Vec::new(), stdin, folder: None, timeout: None });
    assert!(planned(config, json!({"argv": "make all"})).is_err());
}

#[test]
fn an_exit_code_decides_and_json_is_the_result() {
    let text = |code: i32, out: &str| json!({"exit_code": code, "stdout": out, "stderr": "said"});
    let words = json!(["x"]);
    assert_eq!(ended(json!({"command": words}), 0, "out"), json!({"status": "ok", "result": text(0, "out")}));
    assert_eq!(ended(json!({"command": words}), 1, "out"), json!({"status": "error", "result": text(1, "out")}));
    assert_eq!(ended(json!({"command": words, "ok": [0, 1]}), 1, ""), json!({"status": "ok", "result": text(1, "")}));
    // Whoever shows a long text cuts it, and keeps the whole.
    let whole = format!("begin{}end", "x".repeat(100_000));
    let long = ended(json!({"command": words}), 1, &whole);
    assert_eq!((&long["result"]["stdout"], &long["result"]["stdout_truncated"]), (&json!(whole), &Value::Null));
    let read = json!({"command": words, "output": "json"});
    assert_eq!(ended(read.clone(), 0, "[1]\n"), json!({"status": "ok", "result": [1]}));
    assert_eq!(
        ended(read.clone(), 0, "no")["result"]["message"],
        "standard output is not JSON: expected ident at line 1 column 2"
    );
    assert_eq!(ended(read.clone(), 0, "no")["status"], "error");
    assert_eq!(ended(read, 2, "[1]"), json!({"status": "error", "result": text(2, "[1]")}));
}

#[test]
fn a_run_of_no_tests_is_a_failure() {
    let config = json!({"command": ["x"], "output": "tests"});
    let counted = |ran: u64| json!({"counted": true, "ran": ran});
    let none = "no tests ran: the runner found none";
    let tests = |code: i32, out: &str, tests: Value| json!({"exit_code": code, "tests": tests, "stdout": out, "stderr": "said"});
    let empty = |code: i32, out: &str| json!({"exit_code": code, "message": none, "tests": counted(0), "stdout": out, "stderr": "said"});
    let not_counted = json!({"counted": false, "message": "not counted: the output does not tell how many tests ran"});
    for (code, out, status, result) in [
        (0, "2 passed in 0.1s", "ok", tests(0, "2 passed in 0.1s", counted(2))),
        (1, "2 failed in 0.1s", "error", tests(1, "2 failed in 0.1s", counted(2))),
        (0, "no tests ran in 0.1s", "error", empty(0, "no tests ran in 0.1s")),
        (5, "no tests ran in 0.1s", "error", empty(5, "no tests ran in 0.1s")),
        (0, "done", "ok", tests(0, "done", not_counted.clone())),
        (1, "done", "error", tests(1, "done", not_counted)),
        (1, "no tests ran in 0.1s", "error", tests(1, "no tests ran in 0.1s", counted(0))),
    ] {
        assert_eq!(ended(config.clone(), code, out), json!({"status": status, "result": result}));
    }
}
