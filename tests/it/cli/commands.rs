//! Every command when all is well, as text.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

#[test]
fn init_makes_a_workspace_and_keys_once() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["init"]).transcript(),
        str![[r#"
$ rye init
created .git
created .ai/directives
created .ai/tools
created .ai/knowledge
created .ai/.gitignore
created .gitattributes
[stderr]
note: made the person key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/person`
note: made the agent key cdb0a933b1b0e37f in `[SANDBOX]/config/rye/keys/agent`
note: `[SANDBOX]/project` is a workspace now
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["init"]).transcript(),
        str![[r#"
$ rye init
[stderr]
note: `[SANDBOX]/project` is a workspace already
[exit 0]

"#]],
    );
}

#[test]
fn init_of_the_user_space_and_of_a_new_folder() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["init", "--user", "-q"]).transcript(),
        str![[r#"
$ rye init --user -q
created .git
created directives
created tools
created knowledge
created .gitignore
created .gitattributes
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["init", "work/agents"]).transcript(),
        str![[r#"
$ rye init work/agents
created .git
created .ai/directives
created .ai/tools
created .ai/knowledge
created .ai/.gitignore
created .gitattributes
[stderr]
note: `[SANDBOX]/project/work/agents` is a workspace now
[exit 0]

"#]],
    );
}

#[test]
fn list_shows_items_with_their_verdicts() {
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/tools/demo/fail.sh", "exit 3", "exit 4");
    sandbox.put(".ai/tools/demo/README", "no item");
    assert_seen(
        sandbox.rye(&["list", "--space", "project"]).transcript(),
        str![[r#"
$ rye list --space project
directive	demo/greet	1.2.3	project	good	Greet someone
tool	demo/echo	1.0.0	project	good	Returns what it was given
tool	demo/fail	1.0.0	project	tampered	Fails
knowledge	demo/notes	1.0.0	project	good	Notes of the demo
[stderr]
warning: `.ai/tools/demo/README` is not an item: it has no extension
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["list", "directive", "--space", "user"]).transcript(),
        str![[r#"
$ rye list directive --space user
[stderr]
note: nothing to list
[exit 0]

"#]],
    );
}

#[test]
fn list_says_what_is_hidden_by_a_nearer_space() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["load", "tool", "demo/echo", "--to", "user", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["list", "tool", "--space", "user"]).transcript(),
        str![[r#"
$ rye list tool --space user
tool	demo/echo	1.0.0	user	good	(hidden by the project space) Returns what it was given
[exit 0]

"#]],
    );
}

#[test]
fn sign_signs_once_and_says_that_it_made_a_key() {
    let sandbox = Sandbox::with_items();
    assert_seen(
        sandbox.rye(&["sign", "--all", "--check"]).transcript(),
        str![[r#"
$ rye sign --all --check
to sign	directive	demo/greet	.ai/directives/demo/greet.md
to sign	tool	demo/echo	.ai/tools/demo/echo.sh
to sign	tool	demo/fail	.ai/tools/demo/fail.sh
to sign	knowledge	demo/notes	.ai/knowledge/demo/notes.md
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "tool", "demo/*"]).transcript(),
        str![[r#"
$ rye sign tool 'demo/*'
signed	tool	demo/echo	.ai/tools/demo/echo.sh
signed	tool	demo/fail	.ai/tools/demo/fail.sh
[stderr]
note: made the person key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/person`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "--all"]).transcript(),
        str![[r#"
$ rye sign --all
signed	directive	demo/greet	.ai/directives/demo/greet.md
unchanged	tool	demo/echo	.ai/tools/demo/echo.sh
unchanged	tool	demo/fail	.ai/tools/demo/fail.sh
signed	knowledge	demo/notes	.ai/knowledge/demo/notes.md
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "--all", "--check"]).transcript(),
        str![[r#"
$ rye sign --all --check
unchanged	directive	demo/greet	.ai/directives/demo/greet.md
unchanged	tool	demo/echo	.ai/tools/demo/echo.sh
unchanged	tool	demo/fail	.ai/tools/demo/fail.sh
unchanged	knowledge	demo/notes	.ai/knowledge/demo/notes.md
[exit 0]

"#]],
    );
}

#[test]
fn verify_counts_verdicts() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
ok: 4 items checked: 4 good
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", ".ai/tools", "demo/greet"]).transcript(),
        str![[r#"
$ rye verify .ai/tools demo/greet
ok: 3 items checked: 3 good
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "--rev", "HEAD"]).transcript(),
        str![[r#"
$ rye verify --rev HEAD
ok: 4 items checked: 4 good
[exit 0]

"#]],
    );
}

#[test]
fn verify_of_nothing_is_no_success() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
[stderr]
error: nothing to verify
hint: write an item below `.ai/`, then run `rye sign --all`; pass `--allow-empty` to accept that
[exit 7]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "-q"]).transcript(),
        str![[r#"
$ rye verify -q
[stderr]
error: nothing to verify
hint: write an item below `.ai/`, then run `rye sign --all`; pass `--allow-empty` to accept that
[exit 7]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "--allow-empty"]).transcript(),
        str![[r#"
$ rye verify --allow-empty
[stderr]
warning: nothing to verify
[exit 0]

"#]],
    );
}

#[test]
fn execute_prints_instructions_knowledge_and_results() {
    let sandbox = Sandbox::signed();
    let directive = ["execute", "directive", "demo/greet", "-i", "name=Ada", "-p", "times=2"];
    assert_seen(
        sandbox.rye(&directive).transcript(),
        str![[r#"
$ rye execute directive demo/greet -i name=Ada -p times=2
demo/greet 1.2.3
Greet someone

<process>
  <step name="say">
    <description>Say it 2 times.</description>
    <execute item_type="tool" item_id="demo/echo">
      <param name="text" value="Hello, Ada!" />
    </execute>
  </step>
</process>

Return
  greeting (string) What was said
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/notes"]).transcript(),
        str![[r#"
$ rye execute knowledge demo/notes
# Notes

Greetings are short.
[exit 0]

"#]],
    );
    let tool = ["execute", "tool", "demo/echo", "-i", "text=hello", "-i", "loud=true"];
    assert_seen(
        sandbox.rye(&tool).transcript(),
        str![[r#"
$ rye execute tool demo/echo -i text=hello -i loud=true
{
  "text": "hello",
  "loud": true
}
[exit 0]

"#]],
    );
}

#[test]
fn execute_takes_inputs_from_a_file_and_from_stdin() {
    let sandbox = Sandbox::signed();
    sandbox.put("inputs.json", r#"{"text": "from a file"}"#);
    let file = ["execute", "tool", "demo/echo", "--inputs", "@inputs.json"];
    assert_seen(
        sandbox.rye(&file).transcript(),
        str![[r#"
$ rye execute tool demo/echo --inputs @inputs.json
{
  "text": "from a file"
}
[exit 0]

"#]],
    );
    let stdin = sandbox.rye(&["execute", "tool", "demo/echo", "--params", "-"]).stdin(r#"{"text": "from stdin"}"#);
    assert_seen(
        stdin.transcript(),
        str![[r#"
$ rye execute tool demo/echo --params -
{
  "text": "from stdin"
}
[exit 0]

"#]],
    );
}

#[test]
fn execute_with_dry_run_shows_what_would_run() {
    let sandbox = Sandbox::signed();
    let run = ["execute", "tool", "rye/file-system/write", "-i", "path=a.txt", "-i", "content=x", "--dry-run"];
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye execute tool rye/file-system/write -i path=a.txt -i content=x --dry-run
tool	rye/file-system/write
kind	builtin
parameters	{"path":"a.txt","content":"x"}
needs	rye.execute.tool.rye.file-system.write
[exit 0]

"#]],
    );
    assert!(!sandbox.project().join("a.txt").exists());
}

#[test]
fn load_prints_the_very_bytes_and_copies_them() {
    let sandbox = Sandbox::signed();
    let stored = std::fs::read(sandbox.project().join(".ai/tools/demo/fail.sh")).unwrap();
    assert_eq!(sandbox.rye(&["load", "tool", "demo/fail"]).stdout(), stored);
    assert_seen(
        sandbox.rye(&["load", "tool", "demo/fail", "--to", "user"]).transcript(),
        str![[r#"
$ rye load tool demo/fail --to user
# rye:signed:2026-03-17T01:41:08Z:15c337346c76b99e9944bab58f448f09336f7f3e058e64e9e6c06bd47e6478de:xyDrPGu1udSgttyqg9trJ-1FEP-M5ABymwz8hbZBfHpJYtTekmF4mhaCThbfpNmnOv5t4ZDWetY6EZGOa3n_Dw==:706f575fc5331071
# version: 1.0.0
# description: "Fails"
# category: demo
echo "it went wrong" >&2
exit 3
[stderr]
note: copied to `[SANDBOX]/home/.ai/tools/demo/fail.sh`
[exit 0]

"#]],
    );
    assert_eq!(std::fs::read(sandbox.path("home/.ai/tools/demo/fail.sh")).unwrap(), stored);
    assert_seen(
        sandbox.rye(&["load", "tool", "demo/fail"]).transcript(),
        str![[r#"
$ rye load tool demo/fail
# rye:signed:2026-03-17T01:41:08Z:15c337346c76b99e9944bab58f448f09336f7f3e058e64e9e6c06bd47e6478de:xyDrPGu1udSgttyqg9trJ-1FEP-M5ABymwz8hbZBfHpJYtTekmF4mhaCThbfpNmnOv5t4ZDWetY6EZGOa3n_Dw==:706f575fc5331071
# version: 1.0.0
# description: "Fails"
# category: demo
echo "it went wrong" >&2
exit 3
[stderr]
note: it hides another tool of this id in the user space
[exit 0]

"#]],
    );
}

#[test]
fn keys_are_made_listed_and_exported() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["key", "list"]).transcript(),
        str![[r#"
$ rye key list
[stderr]
note: no keys yet; `rye key generate` makes them
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["key", "generate"]).transcript(),
        str![[r#"
$ rye key generate
person	706f575fc5331071	SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4	file	[SANDBOX]/config/rye/keys/person
agent	cdb0a933b1b0e37f	SHA256:BzCcl8eNzPi87q080KtSx98Ti3QEVQG3SX1J/dwxKhs	file	[SANDBOX]/config/rye/keys/agent
[stderr]
note: made the person key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/person`
note: made the agent key cdb0a933b1b0e37f in `[SANDBOX]/config/rye/keys/agent`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["key", "export"]).transcript(),
        str![[r#"
$ rye key export
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH/kcrYn7BIHTIodX2TPli0bv15roDHQ6d5q6ug93JH4 Ada <ada@example.org>
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["key", "export", "agent", "--as", "pem"]).transcript(),
        str![[r#"
$ rye key export agent --as pem
[stderr]
error: the agent key is exported as a line of allowed_signers only, with its use for turns
hint: run `rye key export agent`
[exit 2]

"#]],
    );
    let signers = ["key", "export", "--as", "allowed-signers", "--principal", "ada@example.org"];
    assert_seen(
        sandbox.rye(&signers).transcript(),
        str![[r#"
$ rye key export --as allowed-signers --principal ada@example.org
ada@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH/kcrYn7BIHTIodX2TPli0bv15roDHQ6d5q6ug93JH4
[exit 0]

"#]],
    );
}

#[test]
fn trust_is_given_once_and_listed() {
    let sandbox = Sandbox::empty();
    sandbox.put(
        "ada.pub",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUqwd0T/WgoVUGdfMuWFFF6XsfaJNAmT9eGfYafPxbS ada@example.org\n",
    );
    assert_seen(
        sandbox.rye(&["trust", "list"]).transcript(),
        str![[r#"
$ rye trust list
[stderr]
note: no key is trusted yet
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "add", "ada.pub"]).transcript(),
        str![[r#"
$ rye trust add ada.pub
ada@example.org	8f2b6e36ca89ee43	SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY	everything
[stderr]
note: written to `[SANDBOX]/config/rye/trust/allowed_signers`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "add", "ada.pub"]).transcript(),
        str![[r#"
$ rye trust add ada.pub
[stderr]
note: every key of the file was trusted already
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "list"]).transcript(),
        str![[r#"
$ rye trust list
ada@example.org	8f2b6e36ca89ee43	SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY	everything	trusted	[SANDBOX]/config/rye/trust/allowed_signers:1
[stderr]
note: for stock git: `git config gpg.ssh.allowedSignersFile [SANDBOX]/config/rye/trust/git_allowed_signers` and `git config gpg.ssh.revocationFile [SANDBOX]/config/rye/trust/git_revoked`
[exit 0]

"#]],
    );
}

/// What an output says is filled in like a step.
#[test]
fn outputs_tell_of_the_inputs() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", ">What was said<", ">What was said to {input:name}<");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let outcome = sandbox.rye(&["execute", "directive", "demo/greet", "-i", "name=Ada", "--json"]).stdout();
    let outcome: serde_json::Value = serde_json::from_slice(&outcome).unwrap();
    assert_eq!(outcome["outputs"][0]["description"], "What was said to Ada");
}

#[test]
fn signing_tells_of_legacy_forms() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(
        ".ai/directives/demo/greet.md",
        "<execute><tool>demo.*</tool></execute>",
        "<cap>rye.execute.tool.demo.*</cap>",
    );
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["sign", "directive", "demo/greet"]).transcript(),
        str![[r#"
$ rye sign directive demo/greet
signed	directive	demo/greet	.ai/directives/demo/greet.md
[stderr]
warning: directive `demo/greet` has legacy forms (RYE-P007), refused from rye 1.0 on: run `rye migrate demo/greet` to see what they become
[exit 0]

"#]],
    );
    let outcome = sandbox.rye(&["sign", "directive", "demo/greet", "--json"]).stdout();
    let outcome: serde_json::Value = serde_json::from_slice(&outcome).unwrap();
    assert_eq!(outcome["items"][0]["legacy"], serde_json::json!(["RYE-P007"]));
}
