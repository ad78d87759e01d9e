//! Threads on the command line.

use snapbox::str;

use crate::support::{Sandbox, assert_seen, has};

#[test]
fn a_thread_runs_and_is_listed_and_shown() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["thread", "list"]).transcript(),
        str![[r#"
$ rye thread list
[stderr]
note: no threads yet
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada
thread    greet-20260317-014108-urlo2zxp
directive demo/greet
status    completed
turns     2
tokens    0 (0 read, 0 written)
spend     0.00 USD
branch    rye/threads/greet-20260317-014108-urlo2zxp

greeting
  Hello, Ada!

inspect   rye thread show greet-20260317-014108-urlo2zxp
[stderr]
thread greet-20260317-014108-urlo2zxp
turn 1
  Say it 1 times.
  call demo/echo {"text":"Hello, Ada!"}
    ok
turn 2
  All steps are done.
  call directive_return {"greeting":"Hello, Ada!"}
    ok
note: made the agent key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/agent`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "show", "greet-20260317-014108-urlo2zxp"]).transcript(),
        str![[r#"
$ rye thread show greet-20260317-014108-urlo2zxp
verified  4 commits, signed by the agent key `706f575fc5331071` of this machine
refused   nothing
touched   ran demo/echo
changed   nothing
followed  directive demo/greet 1.2.3, sha256 b8ef7b93ba27, signed by you (706f575fc5331071)
thread    greet-20260317-014108-urlo2zxp
directive demo/greet
status    completed
turns     2
tokens    0 (0 read, 0 written)
spend     0.00 USD
branch    rye/threads/greet-20260317-014108-urlo2zxp
model     steps (rye/agent/providers/steps)
began     2026-03-17T01:41:08Z
ended     2026-03-17T01:41:08Z
limits    duration 30, spend 0.01 USD, tokens 100000, turns 3

Inputs
  name Ada
  times 1

Plan
  1. say
     Say it 1 times.

Turn 1  9541b326d402
  Say it 1 times.
  call demo/echo
    text Hello, Ada!
    ok
      text Hello, Ada!

Turn 2  73e8bad203a6
  All steps are done.
  call directive_return
    greeting Hello, Ada!
    ok
      returned true

End  e79a18612dd6
  completed

greeting
  Hello, Ada!

Inspect
  git log --stat a61cb159d54a..rye/threads/greet-20260317-014108-urlo2zxp
  git -c gpg.ssh.allowedSignersFile=[SANDBOX]/config/rye/trust/git_allowed_signers verify-commit rye/threads/greet-20260317-014108-urlo2zxp
  rye thread show greet-20260317-014108-urlo2zxp
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "list"]).transcript(),
        str![[r#"
$ rye thread list
greet-20260317-014108-urlo2zxp	completed	2	0.00 USD	2026-03-17T01:41:08Z	demo/greet
[exit 0]

"#]],
    );
}

#[test]
fn the_printed_commands_work() {
    let sandbox = Sandbox::signed();
    let run = sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "-q"]).stdout();
    let text = String::from_utf8(run).unwrap();
    // After a run there is one command, on one line.
    let (_, command) = text.split_once("\ninspect   ").unwrap();
    assert_eq!(command.lines().count(), 1, "{text}");
    let shown = sandbox.rye(&command.split_whitespace().skip(1).collect::<Vec<_>>()).stdout();
    let shown = String::from_utf8(shown).unwrap();
    let (_, commands) = shown.split_once("Inspect\n").unwrap();
    let mut words = commands.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert!(sandbox.git(&words.next().unwrap()[1..]).contains("call"));
    let verify = words.next().unwrap();
    if has("ssh-keygen") {
        sandbox.git(&verify[1..]);
    }
    sandbox.rye(&words.next().unwrap()[1..]).succeeds();
    assert_eq!(words.find(|words| !words.is_empty()), None);
}

#[test]
fn the_outcome_in_json_says_no_progress() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "--json"]).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada --json
{"thread_id":"greet-20260317-014108-urlo2zxp","directive":"demo/greet","status":"completed","ending":"completed","branch":"refs/heads/rye/threads/greet-20260317-014108-urlo2zxp","commit_id":"e79a18612dd6981c45110b1b210d1ca9d2384153","base":"a61cb159d54a9d47161dcb4206d6266e4950cfd5","turns":2,"usage":{"input_tokens":0,"output_tokens":0},"tokens":0,"spend":{"amount":"0.00","currency":"USD"},"model":"steps","provider":"rye/agent/providers/steps","started_at":"2026-03-17T01:41:08Z","ended_at":"2026-03-17T01:41:08Z","outputs":{"greeting":"Hello, Ada!"},"asked":{"tier":"steps"},"allowed_signers":"[SANDBOX]/config/rye/trust/git_allowed_signers","keys_created":[{"name":"agent","key_id":"706f575fc5331071","fingerprint":"SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4","public":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH/kcrYn7BIHTIodX2TPli0bv15roDHQ6d5q6ug93JH4","held":"file","path":"[SANDBOX]/config/rye/keys/agent","created":true}],"identity":"Ada <ada@example.org>"}
[stderr]
note: made the agent key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/agent`
[exit 0]

"#]],
    );
}

#[test]
fn a_limit_stops_a_thread_with_a_code_of_its_own() {
    let sandbox = Sandbox::signed();
    let run = ["thread", "run", "demo/greet", "-i", "name=Ada", "--limit", "turns=1"];
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada --limit turns=1
limit: the limit on turns (1) is reached [limit]
thread    greet-20260317-014108-urlo2zxp
directive demo/greet
status    limit
turns     1
tokens    0 (0 read, 0 written)
spend     0.00 USD
branch    rye/threads/greet-20260317-014108-urlo2zxp

inspect   rye thread show greet-20260317-014108-urlo2zxp
[stderr]
thread greet-20260317-014108-urlo2zxp
turn 1
  Say it 1 times.
  call demo/echo {"text":"Hello, Ada!"}
    ok
limit: turns of 1 is reached
note: made the agent key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/agent`
[exit 5]

"#]],
    );
}

#[test]
fn threads_that_cannot_begin() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/gret"]).transcript(),
        str![[r#"
$ rye thread run demo/gret
[stderr]
error: unknown directive `demo/gret`
hint: did you mean `demo/greet`?
hint: run `rye list directive` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet"]).transcript(),
        str![[r#"
$ rye thread run demo/greet
[stderr]
error: invalid inputs for directive `demo/greet`: missing required input `name`; declared are `name`, `times`
hint: pass `name` (string), `times` (integer, optional)
[exit 2]

"#]],
    );
    let model = ["thread", "run", "demo/greet", "-i", "name=Ada", "--model", "gpt-nothing"];
    assert_seen(
        sandbox.rye(&model).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada --model gpt-nothing
[stderr]
error: no provider serves the model `gpt-nothing`
hint: run `rye provider list` to list the providers, their models, and what they need
hint: if a provider has this model, give it its price in USD for a million tokens: `rye provider price gpt-nothing --input X --output Y`
[exit 1]

"#]],
    );
    let provider = ["thread", "run", "demo/greet", "-i", "name=Ada", "--provider", "demo/echo"];
    assert_seen(
        sandbox.rye(&provider).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada --provider demo/echo
[stderr]
error: `demo/echo` is not a provider document
hint: run `rye provider list` to list the providers, their models, and what they need
[exit 2]

"#]],
    );
}

#[test]
fn the_guide_runs_in_an_empty_home() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put("README.md", "# A project\n");
    sandbox.commit("first");
    assert_seen(
        sandbox.rye(&["thread", "run", "rye/guides/first_thread"]).transcript(),
        str![[r#"
$ rye thread run rye/guides/first_thread
thread    first_thread-20260317-014108-urlo2zxp
directive rye/guides/first_thread
status    completed
turns     6
tokens    0 (0 read, 0 written)
spend     0.00 USD
branch    rye/threads/first_thread-20260317-014108-urlo2zxp

note
  This note was written by a thread. To learn about signing, run:
  rye execute knowledge rye/guides/signing

source
  builtin:knowledge/rye/guides/signing.md

inspect   rye thread show first_thread-20260317-014108-urlo2zxp
[stderr]
thread first_thread-20260317-014108-urlo2zxp
turn 1
  Read README.md, if it exists.
  call rye/file-system/read {"path":"README.md"}
    ok
turn 2
  Load the knowledge about signing.
  call rye/guides/signing {"item_type":"knowledge","item_id":"rye/guides/signing"}
    ok
turn 3
  Write a note to notes/, the only folder that this directive may write to.
  call rye/file-system/write {"path":"notes/signing.md","content":"This note was written by a thread. To learn about signing, run…
    ok
turn 4
  Try to write without permission. The call is denied and recorded, and the thread continues.
  call rye/file-system/write {"path":"overstep.md","content":"This line must never arrive."}
    denied no permission to write `overstep.md`: no declared path covers it
turn 5
  The call of `rye_file_system_write` did not succeed: no permission to write `overstep.md`: no declar…
  call rye/file-system/read {"path":"notes/signing.md"}
    ok
turn 6
  All steps are done.
  call directive_return {"note":"This note was written by a thread. To learn about signing, run:\nrye execute knowledge rye/…
    ok
note: made the agent key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/agent`
[exit 0]

"#]],
    );
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "main\n");
}

#[test]
fn a_call_that_is_not_permitted_is_told() {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "<tool>demo.*</tool>", "<tool>other.*</tool>");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada
denied: step `say`: no permission for `execute tool demo/echo`: it needs `rye.execute.tool.demo.echo` [denied]
thread    greet-20260317-014108-urlo2zxp
directive demo/greet
status    denied
turns     1
tokens    0 (0 read, 0 written)
spend     0.00 USD
branch    rye/threads/greet-20260317-014108-urlo2zxp

inspect   rye thread show greet-20260317-014108-urlo2zxp
[stderr]
thread greet-20260317-014108-urlo2zxp
turn 1
  Say it 1 times.
  call demo/echo {"item_type":"tool","item_id":"demo/echo","parameters":{"text":"Hello, Ada!"}}
    denied no permission for `execute tool demo/echo`: it needs `rye.execute.tool.demo.echo`
note: made the agent key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/agent`
[exit 4]

"#]],
    );
}

#[test]
fn an_unknown_thread() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["thread", "show", "greet-20260317-014108-aaaaaaaa"]).transcript(),
        str![[r#"
$ rye thread show greet-20260317-014108-aaaaaaaa
[stderr]
error: unknown thread `greet-20260317-014108-aaaaaaaa`
hint: run `rye thread list` to list the threads
[exit 1]

"#]],
    );
}
