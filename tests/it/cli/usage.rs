//! Command lines that are not understood.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

fn seen(args: &[&str]) -> String {
    Sandbox::empty().rye(args).transcript()
}

#[test]
fn unknown_words() {
    assert_seen(
        seen(&["lsit"]),
        str![[r#"
$ rye lsit
[stderr]
error: unrecognized subcommand 'lsit'

  tip: some similar subcommands exist: 'lint', 'list'

Usage: rye [OPTIONS] <COMMAND>

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["list", "--spcae", "user"]),
        str![[r#"
$ rye list --spcae user
[stderr]
error: unexpected argument '--spcae' found

  tip: a similar argument exists: '--space'

Usage: rye list --space <SPACE> [TYPE]

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["list", "tools"]),
        str![[r#"
$ rye list tools
[stderr]
error: invalid value 'tools' for '[TYPE]'
  [possible values: directive, tool, knowledge, skill]

  tip: a similar value exists: 'tool'

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["list", "--space", "nowhere"]),
        str![[r#"
$ rye list --space nowhere
[stderr]
error: invalid value 'nowhere' for '--space <SPACE>'
  [possible values: project, user, system]

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["lsit", "--json"]),
        str![[r#"
$ rye lsit --json
{"error":{"code":"usage","message":"unrecognized subcommand 'lsit'","causes":[],"hints":["run `rye --help` to list the commands"]}}
[exit 2]

"#]],
    );
}

#[test]
fn a_path_without_a_type_and_a_number_that_is_none_are_told() {
    for verb in ["sign", "load", "execute"] {
        let seen = seen(&[verb, ".ai/tools/demo/echo.sh"]);
        let told = "error: name the type first: write `tool` before `.ai/tools/demo/echo.sh`\n";
        assert!(seen.contains(told) && seen.ends_with("[exit 2]\n"), "{seen}");
    }
    let seen = self::seen(&["sign", "demo/echo"]);
    let told = "error: name the type first: write `directive` or `tool` or `knowledge` or `skill` before `demo/echo`\n";
    assert!(seen.contains(told) && seen.ends_with("[exit 2]\n"), "{seen}");
    let seen = self::seen(&["search", "echo", "-n", "many"]);
    let told = "error: invalid value 'many' for '--max <N>': expected a whole number\n";
    assert!(seen.contains(told) && seen.ends_with("[exit 2]\n"), "{seen}");
}

#[test]
fn words_that_do_not_fit() {
    assert_seen(
        seen(&["execute", "tool", "../escape"]),
        str![[r#"
$ rye execute tool ../escape
[stderr]
error: no item at `../escape`
hint: run `rye list` to list them
[exit 1]

"#]],
    );
    assert_seen(
        seen(&["execute", "tool", "demo/echo", "-i", "text"]),
        str![[r#"
$ rye execute tool demo/echo -i text
[stderr]
error: invalid value 'text' for '--input <NAME=VALUE>': write it as NAME=VALUE

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["sign", "tool"]),
        str![[r#"
$ rye sign tool
[stderr]
error: missing item: run `rye sign --all`, or name one: `rye sign tool demo/greet`
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["load", "tool", "demo/echo", "--to", "system"]),
        str![[r#"
$ rye load tool demo/echo --to system
[stderr]
error: invalid value 'system' for '--to <SPACE>'
  [possible values: project, user]

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["thread", "run", "demo/greet", "--limit", "time=3"]),
        str![[r#"
$ rye thread run demo/greet --limit time=3
[stderr]
error: invalid value 'time=3' for '--limit <NAME=VALUE>': unknown limit `time` (expected turns, tokens, spend, duration or complexity)

For more information, try '--help'.
[exit 2]

"#]],
    );
}

/// An unset variable of a script must not come to mean "all".
#[test]
fn names_are_not_empty() {
    let sandbox = Sandbox::with_items();
    for args in [
        vec!["lint", ""],
        vec!["migrate", ""],
        vec!["verify", ""],
        vec!["verify", "--rev", ""],
        vec!["verify", "--range="],
        vec!["verify", "--trust-root", ""],
        vec!["sign", "tool", ""],
        vec!["sign", "--all", "--key", ""],
        vec!["commit", "-m", "x", ""],
        vec!["notes", "sync", ""],
        vec!["trust", "revoke", ""],
    ] {
        let transcript = sandbox.rye(&args).transcript();
        assert!(transcript.contains("[exit 2]"), "{transcript}");
        assert!(transcript.contains("error: a value is required for"), "{transcript}");
    }
}

/// An argument is a word of the sentence about it: no line of its own, and nothing that a terminal obeys.
#[test]
fn an_argument_in_an_error_forges_nothing() {
    let hostile = "x\u{1b}[2J\n\nUsage: rye forged\u{202e}\u{2028}\r";
    for args in [
        &[hostile][..],
        &["list", hostile],
        &["list", "--space", hostile],
        &["list", &format!("--{hostile}")],
        &["thread", "list", "--since", hostile],
        &["trust", "add", "x.pub", hostile, hostile],
        &["--color", "always", hostile],
    ] {
        let output = Sandbox::empty().rye(args).transcript();
        let (_, told) = output.split_once("[std").unwrap();
        let is_raw = |c: char| matches!(c, '\u{202e}' | '\u{2028}' | '\r') || c == '\u{1b}' && args[0] != "--color";
        assert!(told.contains("[exit 2]") && !told.contains(is_raw) && !told.contains("\u{1b}[2J"), "{told:?}");
        assert!(!told.lines().any(|line| line.starts_with("Usage: rye forged")), "{told}");
    }
}
