//! What runs a tool: its runtime, found by following executors; what nothing can run; and the variables a tool sets.

use rye::id::Space;
use rye::item::Tool;
use rye::ops::executors::{Executor, Link, follow};
use rye::trust::Verdict;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::thread::world::{World, call, text};

const RUNTIME: &str = r#"version: "1.0.0"
category: demo
description: "Runs a query"
tool_type: runtime
executor_id: rye/core/primitives/subprocess
env_config:
  interpreter: {type: local_binary, var: QUERY, binary: sh, candidates: [nowhere-sh], search_paths: [.venv/bin]}
  env: {GREETING: hello}
config:
  command: "${QUERY}"
  args: ["-c", "cat; echo \" $GREETING $1\"; tail -n 1 \"$0\"", "{tool_path}", "{project_path}"]
  input_data: "{params_json}"
"#;
const QUERY: &str =
    "-- version: 1.0.0\n-- category: demo\n-- description: \"A query\"\n-- executor_id: demo/run\nSELECT 1;\n";

fn project() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/run.yaml", RUNTIME);
    sandbox.put(".ai/tools/demo/query.sql", QUERY);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

fn ran(sandbox: &Sandbox, args: &[&str]) -> Value {
    let run = sandbox.rye(&[&["execute", "tool", "demo/query", "--json", "--inputs", r#"{"n": 1}"#], args].concat());
    let text = sandbox.redacted(&String::from_utf8(run.stdout()).unwrap());
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn a_tool_is_run_by_the_runtime_that_it_names() {
    let sandbox = project();
    assert_eq!(ran(&sandbox, &[])["result"], json!("{\"n\":1} hello [SANDBOX]/project\nSELECT 1;"));
    let planned = ran(&sandbox, &["--dry-run"]);
    assert_eq!((&planned["chain"], &planned["kind"]), (&json!(["demo/run"]), &json!("script")));
    assert_eq!(sandbox.rye(&["lint", "demo/run", "demo/query", "--json"]).transcript().matches("RYE-").count(), 0);
}

const COMMAND: &str = r#"version: "1.0.0"
category: demo
description: "Finds lines"
executor_id: command
parameters:
  type: object
  properties: {pattern: {type: string}, file: {type: string}, folder: {type: string}, count: {type: boolean}}
  required: [pattern]
  additionalProperties: false
config:
  command: [grep, "-n", {when: count, words: ["-c"]}, "-e", "x{pattern}", "--", "{file}"]
  folder: "{folder}"
  ok: [0, 1]
"#;

#[test]
fn a_command_gets_its_parameters_as_arguments() {
    let sandbox = Sandbox::with_items();
    sandbox.put("src/a.txt", "one\nxtwo; exit 3\n");
    sandbox.put(".ai/tools/demo/query.yaml", COMMAND);
    assert_eq!(sandbox.rye(&["lint", "demo/query", "--json"]).transcript().matches("RYE-").count(), 0);
    sandbox.rye(&["sign", "tool", "demo/query", "-q"]).succeeds();
    let run = |inputs: Value| {
        let run = sandbox.rye(&["execute", "tool", "demo/query", "--json", "--inputs", &inputs.to_string()]);
        let text = sandbox.redacted(&String::from_utf8(run.stdout()).unwrap());
        serde_json::from_str::<Value>(&text).unwrap_or_else(|_| panic!("{text}"))
    };
    let found = run(json!({"pattern": "two; exit 3", "file": "a.txt", "folder": "src"}));
    assert_eq!(found["result"], json!({"exit_code": 0, "stdout": "2:xtwo; exit 3\n", "stderr": ""}));
    let counted = run(json!({"pattern": "none", "file": "src/a.txt", "count": true}));
    assert_eq!((&counted["status"], &counted["result"]["stdout"]), (&json!("ok"), &json!("0\n")));
    let failed = run(json!({"pattern": "two", "file": "-missing"}));
    assert_eq!((&failed["status"], &failed["result"]["exit_code"]), (&json!("error"), &json!(2)));
    for (folder, said) in
        [("..", "`..` is not a folder of the project"), ("src/a.txt", "is not a folder of the project")]
    {
        let refused = run(json!({"pattern": "two", "folder": folder}));
        assert!(refused.to_string().contains(said), "{refused}");
    }
    let planned =
        sandbox.rye(&["execute", "tool", "demo/query", "--input", "pattern=a", "--dry-run", "--json"]).transcript();
    assert!(planned.contains(r#""kind":"command""#) && planned.contains("grep"), "{planned}");
    for (config, said) in [("argv: argv", "has both"), ("shell: true", "unknown field `shell`")] {
        sandbox.put(".ai/tools/demo/query.yaml", &format!("{COMMAND}  {config}\n"));
        let found = sandbox.rye(&["lint", "demo/query"]).transcript();
        assert!(found.contains("RYE-T012") && found.contains(said), "{found}");
    }
}

#[test]
fn a_tool_kind_that_does_not_exist_is_named() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/query.yaml", &COMMAND.replace("executor_id: command", "executor_id: comand"));
    let found = sandbox.rye(&["lint", "demo/query"]).transcript();
    assert!(found.contains("RYE-T012") && found.contains("`comand`"), "{found}");
}

#[test]
fn every_link_of_a_chain_is_verified() {
    let sandbox = project();
    sandbox.edit(".ai/tools/demo/run.yaml", "tail -n 1", "tail -n 2");
    let refused = ran(&sandbox, &[]);
    let message = refused.to_string();
    assert!(message.contains("its executor `demo/run` cannot be used") && !message.contains("SELECT"), "{message}");
    assert!(ran(&sandbox, &["--dry-run"]).to_string().contains("its executor `demo/run` cannot be used"));
}

/// A tool of that type which names an executor.
fn tool(tool_type: &str, executor: &str) -> Tool {
    let config = json!({"command": "sh", "args": ["{tool_path}"]});
    Tool { tool_type: Some(tool_type.to_owned()), executor_id: Some(executor.to_owned()), config, ..Tool::default() }
}

#[test]
fn a_chain_ends_and_never_leads_to_a_nearer_space() {
    let id = "demo/query".parse().unwrap();
    let chain = |links: &[(&str, Tool)], executor: &str| {
        let read = |id: &rye::id::ItemId, space: Space| {
            assert_eq!(space, Space::User, "{id}");
            let found = links.iter().find(|(name, _)| *name == id.to_string());
            found.map(|(_, tool)| Link { tool: tool.clone(), space }).ok_or_else(|| "there is none".to_owned())
        };
        follow(&id, &tool("query", executor), Space::User, Verdict::Good, read)
    };
    let process = "rye/core/primitives/subprocess";
    let links = [
        ("a/one", tool("runtime", "a/two")),
        ("a/two", tool("runtime", process)),
        ("a/round", tool("runtime", "a/about")),
        ("a/about", tool("runtime", "a/round")),
        ("a/other", tool("query", process)),
        ("a/end", Tool { executor_id: None, ..tool("runtime", "") }),
        ("a/http", tool("runtime", "rye/core/primitives/http_client")),
        (
            "a/anchored",
            Tool {
                rest: json!({"anchor": {"enabled": true}}).as_object().unwrap().clone(),
                ..tool("runtime", process)
            },
        ),
        (
            "a/data",
            Tool {
                config: json!({"command": "sh", "args": ["{tool_path}", "--params={params_json}"]}),
                ..tool("runtime", process)
            },
        ),
        ("a/inside", Tool { config: json!({"command": "./sh", "args": ["{tool_path}"]}), ..tool("runtime", process) }),
    ];
    match chain(&links, "a/one") {
        Ok(Executor::Runtime(runtime)) => {
            assert_eq!(runtime.links.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a/one", "a/two"]);
        }
        other => panic!("{other:?}"),
    }
    for (executor, said) in [
        ("a/none", "its executor `a/none` cannot be used: there is none"),
        ("a/round", "its executor `a/round` leads back to itself"),
        ("a/other", "its executor `a/other` is not a tool of type `runtime`"),
        ("a/end", "its executor `a/end` names none itself"),
        ("a/http", "its executor `rye/core/primitives/http_client` is not known to this version"),
        ("rye/core/runtimes/mcp/stdio", "is not known to this version"),
        ("a/anchored", "`anchor` has no effect in this version"),
        ("a/data", "`{params_json}` is not allowed in `args`"),
        ("a/inside", "`command` is neither a name nor an absolute path"),
        (process, "a tool names a runtime"),
        ("not an id", "is not an id"),
    ] {
        let fault = chain(&links, executor).unwrap_err();
        assert!(fault.contains(said), "{executor}: {fault}");
    }
    let many: Vec<(String, Tool)> =
        (0..12).map(|n| (format!("a/n{n}"), tool("runtime", &format!("a/n{}", n + 1)))).collect();
    let many: Vec<(&str, Tool)> = many.iter().map(|(name, tool)| (name.as_str(), tool.clone())).collect();
    assert!(chain(&many, "a/n0").unwrap_err().contains("more than 10 links"));
}

#[test]
fn what_nothing_can_run_is_a_finding() {
    let sandbox = Sandbox::with_items();
    let header = "version: \"1.0.0\"\ncategory: demo\ndescription: x\n";
    let hash = "# version: 1.0.0\n# category: demo\n# description: x\n";
    for (file, text, said) in [
        ("a.yaml", header.to_owned(), "no tool kind runs files"),
        ("b.sh", format!("#!/usr/bin/env python3\n{hash}echo\n"), "the `#!` line asks for `python3`"),
        ("c.sh", format!("{hash}# executor_id: demo/nowhere\necho\n"), "its executor `demo/nowhere` cannot be used"),
        ("d.yaml", format!("{header}tool_type: builtin\n"), "it says it is built in"),
        (
            "e.yaml",
            format!("{header}tool_type: runtime\nexecutor_id: rye/core/primitives/subprocess\n"),
            "has no `config` with a `command`",
        ),
    ] {
        let path = format!(".ai/tools/demo/{file}");
        sandbox.put(&path, &text);
        let id = format!("demo/{}", file.split('.').next().unwrap());
        let found = sandbox.rye(&["lint", &id]).transcript();
        assert!(found.contains("RYE-T012") && found.contains("nothing can run this tool: "), "{file}: {found}");
        assert!(found.contains(said), "{file}: {found}");
    }
    assert!(!sandbox.rye(&["lint", "demo/echo"]).transcript().contains("RYE-T012"));
}

#[test]
fn what_nothing_can_run_is_not_offered() {
    let world = World::new();
    world.tool("demo/one", "cat >/dev/null; echo ran");
    world.write(
        ".ai/tools/demo/two.sh",
        "#!/usr/bin/env python3\n# version: 1.0.0\n# category: demo\n# description: x\n",
    );
    world.write(".ai/tools/demo/run.yaml", RUNTIME);
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="3""#, "");
    world.rye_json(&["sign", "tool", "demo/two"]);
    world.rye_json(&["sign", "tool", "demo/run"]);
    world.commit("items");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    let setup = world.git(&["show", &format!("{}:.ai/threads/{}/setup.json", outcome.branch, outcome.thread_id)]);
    assert!(setup.contains("demo_one") && !setup.contains("demo_two") && !setup.contains("demo_run"), "{setup}");
}

#[test]
fn a_tool_gets_the_variables_of_its_header() {
    let sandbox = Sandbox::with_items();
    let header = "# version: 1.0.0\n# category: demo\n# description: x\n# executor_id: script\n";
    sandbox
        .put(".ai/tools/demo/query.sh", &format!("{header}# env: {{GREETING: hi}}\ncat >/dev/null; echo $GREETING\n"));
    sandbox.rye(&["sign", "tool", "demo/query", "-q"]).succeeds();
    assert_eq!(ran(&sandbox, &[])["result"], json!("hi"));
    sandbox.put(".ai/tools/demo/query.sh", &format!("{header}# env: {{HOME: /}}\necho $HOME\n"));
    sandbox.rye(&["sign", "tool", "demo/query", "-q"]).succeeds();
    assert!(ran(&sandbox, &[]).to_string().contains("its `env` cannot set `HOME`"));
}
