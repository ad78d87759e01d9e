//! `rye lint`: every format, every way to name items, and files that are not items.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Sandbox, assert_seen};

/// A workspace with one finding of each severity and one file that is not an item.
pub(super) fn untidy() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "<tool>demo.*</tool>", "<tool>demo.*</tool><tool>demo.echo</tool>");
    sandbox.edit(".ai/tools/demo/echo.sh", "# version: 1.0.0", "# version: one");
    sandbox.put(".ai/knowledge/demo/v1.2.md", "Nothing.\n");
    sandbox
}

#[test]
fn people_see_the_line_the_caret_and_the_hint() {
    assert_seen(
        untidy().rye(&["lint"]).transcript(),
        str![[r#"
$ rye lint
advice: `rye.execute.tool.demo.echo` is covered by `rye.execute.tool.demo.*` already [RYE-P012]
  --> .ai/directives/demo/greet.md:12:41
    |
 12 |       <execute><tool>demo.*</tool><tool>demo.echo</tool></execute>
    |                                         ^^^^^^^^^
hint: remove the wider one if this suffices, else this one

warning: this file is not an item: `demo/v1.2` is not an item id: it contains a dot (an id has no extension) [RYE-S020]
  --> .ai/knowledge/demo/v1.2.md:1:1
hint: rename it or move it out of the folder

error: `one` is not a version (expected three numbers like `1.0.0`) [RYE-T001]
  --> .ai/tools/demo/echo.sh:1:1
    |
  1 | # version: one
    | ^^^^^^^^^^^^^^
hint: write three numbers such as `1.0.0`

not ok: 4 items checked: 1 error, 1 warning, 1 advice
[exit 2]

"#]],
    );
}

#[test]
fn a_clean_workspace_is_ok_and_an_empty_one_is_said_to_be() {
    assert_seen(
        Sandbox::signed().rye(&["lint"]).transcript(),
        str![[r#"
$ rye lint
ok: 4 items checked: 0 errors, 0 warnings, 0 advice
[exit 0]

"#]],
    );
    let empty = Sandbox::empty();
    empty.git(&["init", "-q"]);
    assert_seen(
        empty.rye(&["lint"]).transcript(),
        str![[r#"
$ rye lint
[stderr]
note: nothing to check
[exit 0]

"#]],
    );
}

#[test]
fn the_profile_of_threads_asks_for_more() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "<model tier=\"steps\" />", "");
    assert_seen(
        sandbox.rye(&["lint", "demo/greet"]).transcript(),
        str![[r#"
$ rye lint demo/greet
ok: 1 item checked: 0 errors, 0 warnings, 0 advice
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["lint", "demo/greet", "--profile", "thread"]).transcript(),
        str![[r#"
$ rye lint demo/greet --profile thread
advice: the directive names no model: its thread runs on the tier `steps` [RYE-D029]
  --> .ai/directives/demo/greet.md:4:1
    |
  4 | <directive name="greet" version="1.2.3">
    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: add `<model tier="steps" />` to the metadata

ok: 1 item checked: 0 errors, 0 warnings, 1 advice
[exit 0]

"#]],
    );
}

#[test]
fn items_are_named_by_id_file_or_folder_from_where_one_stands() {
    let sandbox = untidy();
    let seen = |args: &[&str]| {
        let args = [&["--json", "lint"], args].concat();
        let outcome: Value = serde_json::from_slice(&sandbox.rye(&args).stdout()).unwrap();
        let paths: Vec<String> = outcome["findings"]
            .as_array()
            .map(|findings| findings.iter().map(|found| found["path"].as_str().unwrap().to_owned()).collect())
            .unwrap_or_default();
        (outcome["checked"].clone(), paths)
    };
    let echo = (json!(1), vec![".ai/tools/demo/echo.sh".to_owned()]);
    assert_eq!(seen(&["demo/echo"]), echo);
    assert_eq!(seen(&["./.ai/tools/demo/echo.sh"]), echo);
    assert_eq!(seen(&["../project/.ai/tools/../tools/demo/echo.sh"]), echo);
    assert_eq!(seen(&["-C", ".ai/tools/demo", "echo.sh"]), echo);
    assert_eq!(seen(&["-C", ".ai", ".ai/tools/demo/echo.sh"]), echo);
    assert_eq!(seen(&[".ai/tools"]), (json!(2), echo.1.clone()));
    let stray = vec![".ai/knowledge/demo/v1.2.md".to_owned()];
    assert_eq!(seen(&[".ai/knowledge/demo/v1.2.md"]), (json!(0), stray));
    assert_eq!(seen(&["demo/nothing"]), (Value::Null, vec![]));
    assert_seen(
        sandbox.rye(&["lint", "demo/v1.2"]).transcript(),
        str![[r#"
$ rye lint demo/v1.2
[stderr]
error: no item of the project or the user matches `demo/v1.2`
hint: run `rye list` to list them
[exit 1]

"#]],
    );
}

#[test]
fn an_id_that_two_files_claim_is_found() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/echo.py", "__version__ = \"1.0.0\"\n");
    assert_seen(
        sandbox.rye(&["lint", "demo/echo"]).transcript(),
        str![[r#"
$ rye lint demo/echo
error: this file cannot be used as an item: it and `.ai/tools/demo/echo.sh` differ only by extension [RYE-S021]
  --> .ai/tools/demo/echo.py:1:1
hint: rename or remove all of these files but one

not ok: 0 items checked: 1 error, 0 warnings, 0 advice
[exit 2]

"#]],
    );
}

#[test]
fn programs_get_one_object() {
    assert_seen(
        untidy().rye(&["lint", "--json"]).transcript(),
        str![[r#"
$ rye lint --json
{"status":"findings","checked":4,"findings":[{"path":".ai/directives/demo/greet.md","item_type":"directive","item_id":"demo/greet","rule":"RYE-P012","severity":"advice","line":12,"column":41,"message":"`rye.execute.tool.demo.echo` is covered by `rye.execute.tool.demo.*` already","hint":"remove the wider one if this suffices, else this one"},{"path":".ai/knowledge/demo/v1.2.md","rule":"RYE-S020","severity":"warning","line":1,"column":1,"message":"this file is not an item: `demo/v1.2` is not an item id: it contains a dot (an id has no extension)","hint":"rename it or move it out of the folder"},{"path":".ai/tools/demo/echo.sh","item_type":"tool","item_id":"demo/echo","rule":"RYE-T001","severity":"error","line":1,"column":1,"message":"`one` is not a version (expected three numbers like `1.0.0`)","hint":"write three numbers such as `1.0.0`"}]}
[exit 2]

"#]],
    );
}

#[test]
fn pull_requests_get_annotations() {
    let sandbox = untidy();
    assert_seen(
        sandbox.rye(&["lint", "--format", "github"]).transcript(),
        str![[r#"
$ rye lint --format github
::notice file=.ai/directives/demo/greet.md,line=12,col=41,title=RYE-P012::`rye.execute.tool.demo.echo` is covered by `rye.execute.tool.demo.*` already%0Ahint: remove the wider one if this suffices, else this one
::warning file=.ai/knowledge/demo/v1.2.md,line=1,col=1,title=RYE-S020::this file is not an item: `demo/v1.2` is not an item id: it contains a dot (an id has no extension)%0Ahint: rename it or move it out of the folder
::error file=.ai/tools/demo/echo.sh,line=1,col=1,title=RYE-T001::`one` is not a version (expected three numbers like `1.0.0`)%0Ahint: write three numbers such as `1.0.0`
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["--format", "sarif", "list"]).transcript(),
        str![[r#"
$ rye --format sarif list
[stderr]
error: this command has no `--format sarif`; `rye lint` and `rye verify` have it

Usage: rye [OPTIONS] <COMMAND>

For more information, try '--help'.
[exit 2]

"#]],
    );
}

#[test]
fn help() {
    assert_seen(
        Sandbox::empty().rye(&["lint", "--help"]).transcript(),
        str![[r#"
$ rye lint --help
Check how items are written

Items need no signature. Exits with 2 when an item has an error; warnings and advice do not count.
docs/reference/rules.md explains each rule with examples.

Usage: rye lint [OPTIONS] [ID|PATH]...

Arguments:
  [ID|PATH]...
          Ids, files or folders (default: every item of the project)

Options:
      --profile <PROFILE>
          The use to check directives for

          Possible values:
          - reference: To be followed in place
          - thread:    To run as a thread: a model, permissions and a budget are required
          
          [default: reference]

      --format <FORMAT>
          Print text, one JSON object, SARIF 2.1.0, or annotations for GitHub
          
          [default: human]
          [possible values: human, json, sarif, github]

  -h, --help
          Print help (see a summary with '-h')

Global options:
  -C <DIR>
          Work as if started in DIR

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
  rye lint
  rye lint demo/greet .ai/tools
  rye lint --profile thread
  rye lint --format sarif
  rye lint --format github            annotate the lines of a pull request
[exit 0]

"#]],
    );
}
