//! `rye new`: what it writes lints clean, signs and runs, and nothing is overwritten.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Sandbox, assert_seen};

/// Every kind of item, in a category and without one.
const KINDS: [&[&str]; 12] = [
    &["directive", "demo/deep/deploy_staging"],
    &["directive", "greet2"],
    &["knowledge", "demo/on-greeting"],
    &["knowledge", "123"],
    &["tool", "demo/turn"],
    &["tool", "turn"],
    &["tool", "demo/echo", "--lang", "sh"],
    &["tool", "echo", "--lang", "sh"],
    &["tool", "demo/wrap", "--lang", "yaml"],
    &["tool", "wrap", "--lang", "yaml"],
    &["tool", "demo/lines", "--lang", "command"],
    &["tool", "lines", "--lang", "command"],
];

fn workspace() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox
}

#[test]
fn every_skeleton_lints_clean_in_both_profiles_and_signs() {
    let sandbox = workspace();
    for kind in KINDS {
        sandbox.rye(&[&["new", "-q"], kind].concat()).succeeds();
    }
    for profile in ["reference", "thread"] {
        let seen: Value =
            serde_json::from_slice(&sandbox.rye(&["lint", "--profile", profile, "--json"]).stdout()).unwrap();
        assert_eq!(seen, json!({"status": "ok", "checked": KINDS.len(), "findings": []}));
    }
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.rye(&["verify"]).succeeds();
}

#[test]
fn what_can_run_runs_as_it_is() {
    let sandbox = workspace();
    sandbox.put("README.md", "Hello.\n");
    for kind in [KINDS[0], KINDS[4], KINDS[6]] {
        sandbox.rye(&[&["new", "-q"], kind].concat()).succeeds();
    }
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.rye(&["new", "tool", "demo/lines", "--lang", "command", "-q"]).succeeds();
    sandbox.rye(&["sign", "tool", "demo/lines", "-q"]).succeeds();
    let result = |args: &[&str]| {
        let outcome: Value = serde_json::from_slice(&sandbox.rye(&[args, &["--json"]].concat()).stdout()).unwrap();
        outcome
    };
    assert_eq!(result(&["execute", "tool", "demo/turn", "-i", "text=abc"])["result"], json!({"text": "cba"}));
    assert_eq!(result(&["execute", "tool", "demo/echo", "-i", "text=abc"])["result"], json!({"text": "abc"}));
    assert_eq!(result(&["execute", "tool", "demo/lines", "-i", "file=README.md"])["result"]["stdout"], "1 README.md\n");
    let thread = result(&["thread", "run", "demo/deep/deploy_staging", "--with-changes"]);
    assert_eq!(thread["status"], "completed", "{thread}");
    let content = thread["outputs"]["content"].as_str().unwrap();
    assert!(content.contains("<directive name=\"deploy_staging\""), "{content}");
}

#[test]
fn what_is_written_is_named_and_never_overwritten() {
    let sandbox = workspace();
    assert_seen(
        sandbox.rye(&["new", "directive", "demo/deploy_staging"]).transcript(),
        str![[r#"
$ rye new directive demo/deploy_staging
created .ai/directives/demo/deploy_staging.md
[stderr]
note: edit it, then run `rye sign directive demo/deploy_staging`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["new", "directive", "demo/deploy_staging"]).transcript(),
        str![[r#"
$ rye new directive demo/deploy_staging
[stderr]
error: the directive `demo/deploy_staging` already exists
  --> .ai/directives/demo/deploy_staging.md
hint: run `rye load directive demo/deploy_staging` to look at it, or choose another id
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["new", "tool", "demo/count", "--lang", "sh", "--json"]).transcript(),
        str![[r#"
$ rye new tool demo/count --lang sh --json
{"item_type":"tool","item_id":"demo/count","space":"project","path":"[SANDBOX]/project/.ai/tools/demo/count.sh","next":"rye sign tool demo/count"}
[stderr]
note: edit it, then run `rye sign tool demo/count`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["new", "tool", "demo/count"]).transcript(),
        str![[r#"
$ rye new tool demo/count
[stderr]
error: the tool `demo/count` already exists
  --> .ai/tools/demo/count.sh
hint: run `rye load tool demo/count` to look at it, or choose another id
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["new", "directive", "demo/Deploy-Staging"]).transcript(),
        str![[r#"
$ rye new directive demo/Deploy-Staging
[stderr]
error: a directive's name is snake_case, and `Deploy-Staging` is not
hint: run `rye new directive demo/deploy_staging`
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["new", "knowledge", "demo/v1.2"]).transcript(),
        str![[r#"
$ rye new knowledge demo/v1.2
[stderr]
error: invalid value 'demo/v1.2' for '<ID>': `demo/v1.2` is not an item id: it contains a dot (an id has no extension)

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["new", "knowledge", "notes", "--space", "user", "-q"]).transcript(),
        str![[r#"
$ rye new knowledge notes --space user -q
created [SANDBOX]/home/.ai/knowledge/notes.md
[exit 0]

"#]],
    );
    assert_seen(
        Sandbox::empty().rye(&["new", "knowledge", "notes"]).transcript(),
        str![[r#"
$ rye new knowledge notes
[stderr]
error: `[SANDBOX]/project` is not in a git repository
hint: run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`
[exit 1]

"#]],
    );
}

#[test]
fn help() {
    assert_seen(
        Sandbox::empty().rye(&["new", "--help"]).transcript(),
        str![[r#"
$ rye new --help
Create a valid item from a template

Never overwrites a file. Edit the item, check it with `rye lint`, then sign it.

Usage: rye new [OPTIONS] <TYPE> <ID>

Arguments:
  <TYPE>
          The type of item, or `capabilities` for a document that narrows a thread's permissions
          
          [possible values: directive, tool, knowledge, skill, capabilities]

  <ID>
          The id: the path below the folder of its type, without extension

Options:
      --lang <LANG>
          The language of a tool
          
          [default: py]
          [possible values: py, sh, yaml, command]

      --space <SPACE>
          The space to write to
          
          [default: project]
          [possible values: project, user]

  -h, --help
          Print help (see a summary with '-h')

Global options:
  -C <DIR>
          Work as if started in DIR

      --format <FORMAT>
          Print text, or one JSON object
          
          [default: human]
          [possible values: human, json]

      --json
          The same as --format json

  -q, --quiet
          Print only results and errors

  -v, --verbose...
          Print more details

      --color <WHEN>
          When to use colour: `auto` is on a terminal, unless NO_COLOR is set
          
          [default: auto]
          [possible values: auto, always, never]

      --config <KEY=VALUE>
          Set a configuration key for this run

      --yes
          Answer every question with yes

Examples:
  rye new directive demo/deploy_staging
  rye new tool demo/count --lang sh
  rye new tool demo/count_lines --lang command
  rye new capabilities reviewer
  rye new knowledge demo/glossary --space user
[exit 0]

"#]],
    );
}

#[test]
fn a_capability_document_is_written_listed_and_looked_over() {
    let sandbox = workspace();
    let made = sandbox.rye(&["new", "capabilities", "team/reviewer"]).transcript();
    assert!(made.contains("created .ai/capabilities/team/reviewer.yaml\n"), "{made}");
    assert!(made.contains("edit it, then run `rye lint .ai/capabilities/team/reviewer.yaml`"), "{made}");
    let again = sandbox.rye(&["new", "capabilities", "team/reviewer"]).transcript();
    assert!(again.contains("the capability document `.ai/capabilities/team/reviewer.yaml` already exists"), "{again}");
    let listed = sandbox.rye(&["list", "--space", "project"]).transcript();
    assert!(
        listed.contains("capabilities\t.ai/capabilities/team/reviewer.yaml\t-\tproject\t-\t2 patterns\n"),
        "{listed}"
    );
    let lint = |args: &[&str]| sandbox.rye(&[&["lint"], args].concat()).transcript();
    assert!(lint(&[]).contains("1 item checked: 0 errors"), "{}", lint(&[]));
    sandbox.put(".ai/capabilities/team/reviewer.yaml", "capabilities:\n  - primary: exekute\n");
    for args in [&[][..], &[".ai/capabilities/team/reviewer.yaml"], &[".ai/capabilities"]] {
        let found = lint(args);
        assert!(found.contains("RYE-P013") && found.contains(".ai/capabilities/team/reviewer.yaml:2:"), "{found}");
    }
    let listed = sandbox.rye(&["list", "--json"]).transcript();
    assert!(listed.contains(r#""capabilities":0,"is_valid":false"#), "{listed}");
    // What a caller gives narrows a thread.
    sandbox.put(".ai/capabilities/team/reviewer.yaml", "capabilities:\n  - primary: search\n");
    sandbox.rye(&["new", "directive", "demo/work", "-q"]).succeeds();
    let narrowed = sandbox.rye(&["permissions", "demo/work", "--permissions", ".ai/capabilities/team/reviewer.yaml"]);
    assert!(narrowed.transcript().contains("denied"));
}

/// An item directly in the folder of its type has no category in its path.
#[test]
fn no_template_names_a_path_with_an_empty_part() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    for (item_type, path) in
        [("directive", ".ai/directives/x.md"), ("tool", ".ai/tools/x.py"), ("knowledge", ".ai/knowledge/x.md")]
    {
        sandbox.rye(&["new", item_type, "x", "-q"]).succeeds();
        let text = std::fs::read_to_string(sandbox.project().join(path)).unwrap();
        assert!(!text.replace("://", "").contains("//"), "{item_type}: {text}");
    }
}
