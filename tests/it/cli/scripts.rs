//! Tools in the languages that scripts are written in, in the sandbox: what they get, and what becomes their result.

use serde_json::{Value, json};

use crate::support::{Sandbox, has};

const PYTHON: &str = "__version__ = \"1.0.0\"\n__category__ = \"demo\"\n__tool_description__ = \"Tries\"\n";
const NODE: &str = "// version: 1.0.0\n// category: demo\n// description: \"Tries\"\n";
const HASH: &str = "# version: 1.0.0\n# category: demo\n# description: \"Tries\"\n";

/// Runs a tool that is this file, and returns its outcome.
fn outcome(file: &str, text: &str, companions: &[(&str, &str)]) -> Value {
    let sandbox = Sandbox::with_items();
    for (path, text) in companions {
        sandbox.put(&format!(".ai/tools/demo/{path}"), text);
    }
    sandbox.put(&format!(".ai/tools/demo/{file}"), text);
    sandbox.rye(&["sign", "tool", "demo/try", "-q"]).succeeds();
    let run = sandbox.rye(&["execute", "tool", "demo/try", "--inputs", r#"{"n": 20}"#, "--json"]);
    let outcome = String::from_utf8(run.stdout()).unwrap();
    let mut outcome: Value = serde_json::from_str(&sandbox.redacted(&outcome)).unwrap_or_else(|_| panic!("{outcome}"));
    outcome.as_object_mut().unwrap().remove("duration_ms");
    outcome
}

/// The outcome of one that did its work.
fn done(result: Value) -> Value {
    json!({"item_type": "tool", "item_id": "demo/try", "status": "ok", "result": result})
}

#[test]
fn a_python_function_is_called_with_parameters_and_project() {
    let body = "import json, subprocess
def execute(params: dict, project_path: str) -> dict:
    print('working')
    subprocess.run(['echo', 'child'])
    return {'n': params['n'] + 1, 'project': project_path, 'file': __file__.rsplit('/', 1)[1]}
";
    let result = json!({"n": 21, "project": "[SANDBOX]/project", "file": "try.py"});
    let mut expected = done(result);
    expected["stderr"] = json!("child\nworking");
    assert_eq!(outcome("try.py", &format!("{PYTHON}{body}"), &[]), expected);
    let body = "import asyncio\nasync def execute(params, project_path):\n    await asyncio.sleep(0)\n    return params['n']\n";
    assert_eq!(outcome("try.py", &format!("{PYTHON}{body}"), &[]), done(json!(20)));
    assert_eq!(
        outcome("try.py", &format!("{PYTHON}def execute(params, project_path):\n    pass\n"), &[]),
        done(Value::Null)
    );
    let body = "def execute(params, project_path):\n    raise ValueError('no such thing')\n";
    let failed = outcome("try.py", &format!("{PYTHON}{body}"), &[]);
    assert_eq!((&failed["status"], &failed["result"]["exit_code"]), (&json!("error"), &json!(1)));
    assert!(failed["result"]["stderr"].as_str().unwrap().ends_with("ValueError: no such thing\n"), "{failed}");
}

#[test]
fn a_python_function_imports_its_companions_and_no_neighbour() {
    let companion = "WORD = 'beside'\n";
    let sha256 = rye::trust::ContentHash::of(companion.as_bytes());
    let body = format!(
        "{PYTHON}__companions__ = [{{\"path\": \"helper.py\", \"sha256\": \"{sha256}\"}}]\nimport helper, json\ndef execute(params, project_path):\n    return [helper.WORD, json.dumps(1)]\n"
    );
    let neighbours = [("helper.py", companion), ("json.py", "raise SystemExit('evil')\n")];
    assert_eq!(outcome("try.py", &body, &neighbours), done(json!(["beside", "1"])));
}

#[test]
fn node_runs_programs_and_modules() {
    if !has("node") {
        return;
    }
    let body = "const given = JSON.parse(require('fs').readFileSync(0)); console.log(JSON.stringify(given.n + 1));\n";
    assert_eq!(outcome("try.js", &format!("{NODE}{body}"), &[]), done(json!(21)));
    let body = "import { readFileSync } from 'node:fs';\nexport const x = 1;\nconsole.log(JSON.parse(readFileSync(0)).n + x);\n";
    assert_eq!(outcome("try.js", &format!("{NODE}{body}"), &[]), done(json!(21)));
    assert_eq!(outcome("try.mjs", &format!("{NODE}{body}"), &[]), done(json!(21)));
}

#[test]
fn types_are_taken_out_by_node_or_its_version_is_named() {
    if !has("node") {
        return;
    }
    let body = "import { readFileSync } from 'node:fs';\nconst n: number = JSON.parse(readFileSync(0, 'utf8')).n;\nconsole.log(n + 1);\n";
    let seen = outcome("try.ts", &format!("{NODE}{body}"), &[]);
    let version = std::process::Command::new("node").arg("--version").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let parts: Vec<u32> =
        version.trim_start_matches('v').split('.').filter_map(|part| part.trim().parse().ok()).collect();
    if parts >= vec![22, 6] {
        assert_eq!(seen, done(json!(21)));
    } else {
        let message = seen["result"]["message"].as_str().unwrap();
        assert!(message.starts_with("TypeScript needs Node 22.6 or newer"), "{seen}");
    }
}

#[test]
fn any_interpreter_that_the_first_line_names_runs_a_script() {
    for (program, file, first, body) in [
        ("perl", "try.pl", "#!/usr/bin/perl -w\n", "print join('', <STDIN>) =~ /20/ ? '21' : '0';\n"),
        ("bash", "try.sh", "#!/usr/bin/env bash\n", "[[ $(cat) == *20* ]] && echo 21\n"),
        ("python3", "try.py", "#!/usr/bin/python3\n", "import json, sys\nprint(json.load(sys.stdin)['n'] + 1)\n"),
    ] {
        if has(program) {
            let header = if program == "python3" { PYTHON } else { HASH };
            assert_eq!(outcome(file, &format!("{first}{header}{body}"), &[]), done(json!(21)), "{file}");
        }
    }
}

#[test]
fn a_script_whose_first_line_and_extension_disagree_does_not_run() {
    let refused = outcome("try.sh", &format!("#!/usr/bin/env python3\n{HASH}print(1)\n"), &[]);
    let text = refused.to_string();
    assert!(text.contains("the `#!` line asks for `python3`, which does not run `.sh` files"), "{text}");
}

#[test]
fn a_result_without_success_is_a_failure_and_keeps_what_was_said() {
    let seen = outcome(
        "try.sh",
        &format!("{HASH}cat >/dev/null; echo tried >&2; echo '{{\"success\": false, \"error\": \"no\"}}'\n"),
        &[],
    );
    let result = json!({"success": false, "error": "no"});
    assert_eq!((&seen["status"], &seen["result"], &seen["stderr"]), (&json!("error"), &result, &json!("tried")));
}
