//! What people get wrong, and the sentence and hint each gets.

use std::os::unix::fs::PermissionsExt as _;

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

#[test]
fn an_unknown_id_suggests_the_nearest() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["execute", "directive", "demo/gret"]).transcript(),
        str![[r#"
$ rye execute directive demo/gret
[stderr]
error: unknown directive `demo/gret`
hint: did you mean `demo/greet`?
hint: run `rye list directive` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["load", "knowledge", "something/else"]).transcript(),
        str![[r#"
$ rye load knowledge something/else
[stderr]
error: unknown knowledge `something/else`
hint: run `rye list knowledge` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "tool", "demo/eco"]).transcript(),
        str![[r#"
$ rye sign tool demo/eco
[stderr]
error: unknown tool `demo/eco`
hint: did you mean `demo/echo`?
hint: run `rye list tool` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "demo/eco"]).transcript(),
        str![[r#"
$ rye verify demo/eco
[stderr]
error: no item of the project matches `demo/eco`
hint: did you mean `demo/echo`?
hint: run `rye list` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["lint", ".ai/tools/demo/eco.sh"]).transcript(),
        str![[r#"
$ rye lint .ai/tools/demo/eco.sh
[stderr]
error: no item of the project or the user matches `.ai/tools/demo/eco.sh`
hint: run `rye list` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["lint", "demo/eco"]).transcript(),
        str![[r#"
$ rye lint demo/eco
[stderr]
error: no item of the project or the user matches `demo/eco`
hint: did you mean `demo/echo`?
hint: run `rye list` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "directive", "demo/gret", "--json"]).transcript(),
        str![[r#"
$ rye execute directive demo/gret --json
{"error":{"code":"unknown-item","message":"unknown directive `demo/gret`","causes":[],"hints":["did you mean `demo/greet`?","run `rye list directive` to list them"]}}
[exit 1]

"#]],
    );
}

#[test]
fn wrong_inputs_list_the_declared_ones() {
    let sandbox = Sandbox::signed();
    let greet = |more: &[&str]| {
        let args = [&["execute", "directive", "demo/greet"], more].concat();
        sandbox.rye(&args).transcript()
    };
    assert_seen(
        greet(&[]),
        str![[r#"
$ rye execute directive demo/greet
[stderr]
error: invalid inputs for directive `demo/greet`: missing required input `name`; declared are `name`, `times`
hint: pass `name` (string), `times` (integer, optional)
[exit 2]

"#]],
    );
    assert_seen(
        greet(&["-i", "nmae=Ada"]),
        str![[r#"
$ rye execute directive demo/greet -i nmae=Ada
[stderr]
error: invalid inputs for directive `demo/greet`: unknown input `nmae` (did you mean `name`?); declared are `name`, `times`
hint: pass `name` (string), `times` (integer, optional)
[exit 2]

"#]],
    );
    assert_seen(
        greet(&["-i", "name=Ada", "-i", "times=many"]),
        str![[r#"
$ rye execute directive demo/greet -i name=Ada -i times=many
[stderr]
error: invalid inputs for directive `demo/greet`: input `times` must be an integer, but the string `"many"` was given
hint: pass `name` (string), `times` (integer, optional)
[exit 2]

"#]],
    );
    assert_seen(
        greet(&["--inputs", "{"]),
        str![[r#"
$ rye execute directive demo/greet --inputs '{'
[stderr]
error: the inputs in `--inputs` are not JSON
cause: EOF while parsing an object at line 1 column 1
hint: pass an object like `--inputs '{"name": "value"}'`, or single values like `-i name=value`
[exit 2]

"#]],
    );
    assert_seen(
        greet(&["--inputs", "[1]"]),
        str![[r#"
$ rye execute directive demo/greet --inputs [1]
[stderr]
error: the inputs in `--inputs` are not a JSON object
hint: pass an object like `--inputs '{"name": "value"}'`, or single values like `-i name=value`
[exit 2]

"#]],
    );
    assert_seen(
        greet(&["--inputs", "@missing.json"]),
        str![[r#"
$ rye execute directive demo/greet --inputs @missing.json
[stderr]
error: cannot read `[SANDBOX]/project/missing.json`: no such file
[exit 2]

"#]],
    );
}

#[test]
fn wrong_parameters_say_where() {
    let sandbox = Sandbox::signed();
    let run = ["execute", "tool", "demo/echo", "-i", "loud=very", "-i", "tone=high"];
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye execute tool demo/echo -i loud=very -i tone=high
[stderr]
error: invalid parameters for tool `demo/echo`: /loud: "very" is not of type "boolean"; unknown parameter `tone`; missing parameter `text`
hint: pass `text` (string), `loud` (boolean, optional)
[exit 2]

"#]],
    );
}

#[test]
fn malformed_xml_is_shown_with_line_column_and_caret() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "</inputs>", "</input>");
    assert_seen(
        sandbox.rye(&["sign", "directive", "demo/greet"]).transcript(),
        str![[r#"
$ rye sign directive demo/greet
failed	directive	demo/greet	.ai/directives/demo/greet.md
[stderr]
note: made the person key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/person`
error: expected `</inputs>`, found `</input>`, because `<inputs>` was opened on line 15 [RYE-D004]
  --> .ai/directives/demo/greet.md:18:3
    |
 18 |   </input>
    |   ^^^^^^^^
hint: write one name in both tags, or put `</inputs>` before this one

[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "directive", "demo/greet", "--json"]).transcript(),
        str![[r#"
$ rye sign directive demo/greet --json
{"status":"failed","items":[{"item_type":"directive","item_id":"demo/greet","space":"project","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","status":"failed"}]}
[stderr]
error: expected `</inputs>`, found `</input>`, because `<inputs>` was opened on line 15 [RYE-D004]
  --> .ai/directives/demo/greet.md:18:3
    |
 18 |   </input>
    |   ^^^^^^^^
hint: write one name in both tags, or put `</inputs>` before this one

[exit 2]

"#]],
    );
}

#[test]
fn one_invalid_item_keeps_no_other_from_being_signed() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "<author>", "<autor>");
    sandbox.edit(".ai/directives/demo/greet.md", "</author>", "</autor>");
    assert_seen(
        sandbox.rye(&["sign", "--all"]).transcript(),
        str![[r#"
$ rye sign --all
failed	directive	demo/greet	.ai/directives/demo/greet.md
signed	tool	demo/echo	.ai/tools/demo/echo.sh
signed	tool	demo/fail	.ai/tools/demo/fail.sh
signed	knowledge	demo/notes	.ai/knowledge/demo/notes.md
[stderr]
note: made the person key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/person`
error: the metadata has no `<author>` [RYE-D010]
  --> .ai/directives/demo/greet.md:5:3
    |
  5 |   <metadata>
    |   ^^^^^^^^^^
hint: add `<author>…</author>`

error: `<metadata>` has no element `<autor>` [RYE-D005]
  --> .ai/directives/demo/greet.md:8:5
    |
  8 |     <autor>ada</autor>
    |     ^^^^^^^
hint: did you mean `author`?

[exit 2]

"#]],
    );
}

#[test]
fn a_signed_item_that_is_not_valid_is_not_executed() {
    let sandbox = Sandbox::signed();
    // The signature line is not part of the name: an id that the content contradicts is a finding, not a verdict.
    std::fs::rename(
        sandbox.project().join(".ai/knowledge/demo/notes.md"),
        sandbox.project().join(".ai/knowledge/demo/other.md"),
    )
    .unwrap();
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/other"]).transcript(),
        str![[r#"
$ rye execute knowledge demo/other
[stderr]
error: knowledge `demo/other` is refused: it was moved, renamed or re-dated after it was signed [RYE-S005]
  --> .ai/knowledge/demo/other.md
hint: review the change, then run `rye sign knowledge demo/other`
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "knowledge", "demo/other"]).transcript(),
        str![[r#"
$ rye sign knowledge demo/other
failed	knowledge	demo/other	.ai/knowledge/demo/other.md
[stderr]
error: the name is `notes`, and the id `demo/other` ends in `other` [RYE-K005]
  --> .ai/knowledge/demo/other.md:3:1
    |
  3 | name: notes
    | ^^^^^^^^^^^
hint: name it `other`, or move the file

[exit 2]

"#]],
    );
}

#[test]
fn a_key_file_that_others_can_read_is_not_used() {
    let sandbox = Sandbox::signed();
    let key = sandbox.path("config/rye/keys/person");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_seen(
        sandbox.rye(&["sign", "--all"]).transcript(),
        str![[r#"
$ rye sign --all
[stderr]
error: the private key `[SANDBOX]/config/rye/keys/person` can be read by others (mode 0644)
hint: run `chmod go-rwx [SANDBOX]/config/rye/keys/person`
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "--all", "--json"]).transcript(),
        str![[r#"
$ rye sign --all --json
{"error":{"code":"loose-key-mode","message":"the private key `[SANDBOX]/config/rye/keys/person` can be read by others (mode 0644)","causes":[],"hints":["run `chmod go-rwx [SANDBOX]/config/rye/keys/person`"]}}
[exit 1]

"#]],
    );
}

#[test]
fn keys_that_are_none() {
    let sandbox = Sandbox::empty();
    sandbox.put("words.txt", "hello\n");
    assert_seen(
        sandbox.rye(&["key", "export"]).transcript(),
        str![[r#"
$ rye key export
[stderr]
error: you have no person key yet
hint: run `rye key list` to see your keys
hint: run `rye key generate` to make your keys
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "add", "words.txt"]).transcript(),
        str![[r#"
$ rye trust add words.txt
[stderr]
error: no public key in `words.txt` (expected OpenSSH, PEM or allowed_signers lines)
hint: name a file with a public key, such as `~/.ssh/id_ed25519.pub`
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "add", "missing.pub"]).transcript(),
        str![[r#"
$ rye trust add missing.pub
[stderr]
error: cannot read `[SANDBOX]/project/missing.pub`: no such file
hint: name a file with a public key, such as `~/.ssh/id_ed25519.pub`
[exit 2]

"#]],
    );
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let private = sandbox.path("config/rye/keys/person").display().to_string();
    assert_seen(
        sandbox.rye(&["trust", "add", &private]).transcript(),
        str![[r#"
$ rye trust add [SANDBOX]/config/rye/keys/person
[stderr]
error: `[SANDBOX]/config/rye/keys/person` is a private key (expected a public key)
hint: run `rye trust add [SANDBOX]/config/rye/keys/person.pub` with the public half
[exit 1]

"#]],
    );
}

#[test]
fn a_broken_trust_file_names_its_line() {
    let sandbox = Sandbox::signed();
    std::fs::create_dir_all(sandbox.path("config/rye/trust")).unwrap();
    std::fs::write(sandbox.path("config/rye/trust/revoked"), "# mine\nssh-ed25519 AAAA\n").unwrap();
    assert_seen(
        sandbox.rye(&["list"]).transcript(),
        str![[r#"
$ rye list
[stderr]
error: line 2 of `[SANDBOX]/config/rye/trust/revoked` cannot be read: its key cannot be used
  --> [SANDBOX]/config/rye/trust/revoked:2:1
cause: this is not an OpenSSH public key
cause: length invalid
hint: mend or remove that line
[exit 1]

"#]],
    );
}

#[test]
fn outside_a_git_repository() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
[stderr]
error: `[SANDBOX]/project` is not in a git repository
hint: run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "list"]).transcript(),
        str![[r#"
$ rye thread list
[stderr]
error: `[SANDBOX]/project` is not in a git repository
hint: run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`
[exit 1]

"#]],
    );
    let read = ["execute", "tool", "rye/file-system/read", "-i", "path=a"];
    assert_seen(
        sandbox.rye(&read).transcript(),
        str![[r#"
$ rye execute tool rye/file-system/read -i path=a
[stderr]
error: `[SANDBOX]/project` is not in a git repository
hint: run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`
[exit 1]

"#]],
    );
}

#[test]
fn folders_that_are_not_there() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["-C", "nowhere", "list"]).transcript(),
        str![[r#"
$ rye -C nowhere list
[stderr]
error: no such folder `[SANDBOX]/project/nowhere`
hint: name a folder that exists with `-C DIR`; without it, `RYE_PROJECT` or the current folder is used
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["list"]).env("RYE_PROJECT", "/nowhere/at/all").transcript(),
        str![[r#"
$ RYE_PROJECT=/nowhere/at/all rye list
[stderr]
error: no such folder `/nowhere/at/all`
hint: name a folder that exists with `-C DIR`; without it, `RYE_PROJECT` or the current folder is used
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["list"]).env("HOME", "home").transcript(),
        str![[r#"
$ HOME=home rye list
[stderr]
error: `HOME` must be an absolute path, not `home`
hint: set it to an absolute path, or unset it
[exit 2]

"#]],
    );
}

#[test]
fn a_configuration_that_is_wrong() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["list", "--config", "thread.prefix=x"]).transcript(),
        str![[r#"
$ rye list --config thread.prefix=x
[stderr]
error: unknown setting `thread` in `--config thread.prefix=x` (expected one of `threads`, `context`, `items`, `capabilities`, `permissions`, `mcp`, `commit`, `outgoing`, `agents`, `secrets`, `sandbox`, `net`, `limits`, `prices`, `mcp_servers`, `skills`, `interpreters`, `shell`)
hint: correct or remove the setting
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["list", "--config", "threads"]).transcript(),
        str![[r#"
$ rye list --config threads
[stderr]
error: invalid configuration `--config threads`: it must be KEY=VALUE
hint: correct or remove the setting
[exit 2]

"#]],
    );
}

#[test]
fn an_unknown_revision() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["verify", "--rev", "nowhere"]).transcript(),
        str![[r#"
$ rye verify --rev nowhere
[stderr]
error: unknown revision `nowhere`
hint: run `git log --oneline --all` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "--allowed-signers", "nowhere"]).transcript(),
        str![[r#"
$ rye verify --allowed-signers nowhere
[stderr]
error: no such file `[SANDBOX]/project/nowhere`
hint: name a file with lines like those of `rye key export --as allowed-signers`
[exit 2]

"#]],
    );
}

#[test]
fn a_copy_overwrites_nothing_unless_forced() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["load", "tool", "demo/echo", "--to", "user", "-q"]).succeeds();
    sandbox.edit(".ai/tools/demo/echo.sh", "cat", "cat -");
    assert_seen(
        sandbox.rye(&["load", "tool", "demo/echo", "--to", "user"]).transcript(),
        str![[r#"
$ rye load tool demo/echo --to user
[stderr]
error: the user space has another tool `demo/echo`
hint: run `rye load tool demo/echo --to user --force` to overwrite it
[exit 1]

"#]],
    );
    sandbox.rye(&["load", "tool", "demo/echo", "--to", "user", "--force", "-q"]).succeeds();
}

#[test]
fn two_files_of_one_id_are_ambiguous() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/tools/demo/echo.py", "__version__ = \"1.0.0\"\n");
    assert_seen(
        sandbox.rye(&["load", "tool", "demo/echo"]).transcript(),
        str![[r#"
$ rye load tool demo/echo
[stderr]
error: tool `demo/echo` is ambiguous: `[SANDBOX]/project/.ai/tools/demo/echo.py` and `[SANDBOX]/project/.ai/tools/demo/echo.sh` differ only by extension
hint: rename or remove all of these files but one
[exit 2]

"#]],
    );
}

/// What only another space has is not suggested under its own name.
#[test]
fn an_item_of_another_space_is_not_suggested_for_itself() {
    let sandbox = Sandbox::with_items();
    let seen = sandbox.rye(&["load", "directive", "demo/greet", "--from", "user"]).transcript();
    assert!(seen.contains("error: unknown directive `demo/greet` in the user space\n"), "{seen}");
    assert!(!seen.contains("did you mean"), "{seen}");
}

/// A file of signers has lines for other programs, too.
#[test]
fn foreign_lines_of_a_file_of_signers_are_skipped_with_one_warning() {
    let sandbox = Sandbox::signed();
    std::fs::create_dir_all(sandbox.path("config/rye/trust")).unwrap();
    let foreign = "# mine\nada ssh-rsa AAAA\njust text\nca cert-authority ssh-ed25519 AAAA\nx";
    std::fs::write(sandbox.path("config/rye/trust/allowed_signers"), foreign).unwrap();
    sandbox.rye(&["list"]).succeeds();
    let seen = sandbox.rye(&["verify"]).transcript();
    assert_eq!(seen.matches("warning: skipped 4 lines of `").count(), 1, "{seen}");
    assert!(seen.contains("allowed_signers`: line 2 (") && seen.contains("line 3 ("), "{seen}");
}
