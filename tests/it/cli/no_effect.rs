//! Accepted input takes effect, or causes a warning: refusals on the command line, warnings of every verb that reads an
//! item.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

fn seen(args: &[&str]) -> String {
    Sandbox::signed().rye(args).transcript()
}

#[test]
fn limits_of_other_threads_are_refused() {
    assert_seen(
        seen(&["thread", "run", "demo/greet", "-i", "name=Ada", "--limit", "spawns=3"]),
        str![[r#"
$ rye thread run demo/greet -i name=Ada --limit spawns=3
[stderr]
error: invalid value 'spawns=3' for '--limit <NAME=VALUE>': `spawns` has no effect in this version, because threads do not start other threads yet

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        seen(&["thread", "run", "demo/greet", "-i", "name=Ada", "--limit", "depth=0"]),
        str![[r#"
$ rye thread run demo/greet -i name=Ada --limit depth=0
[stderr]
error: invalid value 'depth=0' for '--limit <NAME=VALUE>': `depth` has no effect in this version, because threads do not start other threads yet

For more information, try '--help'.
[exit 2]

"#]],
    );
}

#[test]
fn trust_for_a_namespace_of_a_registry_is_refused() {
    assert_seen(
        seen(&["trust", "add", "bob.pub", "--namespace", "main/acme"]),
        str![[r#"
$ rye trust add bob.pub --namespace main/acme
[stderr]
error: invalid value 'main/acme' for '--namespace <REGISTRY/NAMESPACE>': `rye pull` shows the key of a namespace and asks whether to trust it

For more information, try '--help'.
[exit 2]

"#]],
    );
    let sandbox = Sandbox::signed();
    let help = sandbox.rye(&["trust", "add", "--help"]).transcript();
    assert!(!help.contains("namespace"), "what is always refused is not offered: {help}");
}

#[test]
fn an_interpreter_that_nothing_asks_for_is_refused() {
    let sandbox = Sandbox::signed();
    sandbox.configure("[interpreters]\ncobc = \"/usr/bin/cobc\"\n");
    assert_seen(
        sandbox.rye(&["list"]).transcript(),
        str![[r#"
$ rye list
[stderr]
error: invalid configuration `[SANDBOX]/config/rye/config.toml`: `interpreters.cobc` has no effect in this version: no tool kind asks for it, only for Rscript, bash, julia, lua, node, perl, php, python, python3, ruby, sh, zsh
hint: correct or remove the setting
[exit 2]

"#]],
    );
}

/// Whoever signs, executes or runs an item is told; so is whoever only looks for mistakes.
#[test]
fn every_verb_that_reads_an_item_says_what_has_no_effect() {
    let sandbox = Sandbox::with_items();
    let path = ".ai/directives/demo/greet.md";
    sandbox.edit(path, "turns=\"3\" ", "turns=\"3\" spawns=\"3\" ");
    let sentence = "`spawns` has no effect yet: threads do not start other threads in this version [RYE-U012]\n";
    let lint = sandbox.rye(&["lint"]).transcript();
    assert!(lint.contains(&format!("warning: {sentence}")) && lint.ends_with("[exit 0]\n"), "{lint}");
    // Signing puts a line above everything else.
    let runs: [(usize, &[&str]); 3] = [
        (10, &["sign", "--all"]),
        (11, &["execute", "directive", "demo/greet", "-i", "name=Ada"]),
        (11, &["thread", "run", "demo/greet", "-i", "name=Ada"]),
    ];
    for (line, args) in runs {
        let seen = sandbox.rye(args).transcript();
        let warning = format!("warning: directive `demo/greet`, line {line}: {sentence}");
        assert!(seen.contains(&warning) && seen.ends_with("[exit 0]\n"), "{seen}");
    }
}

/// A provider that is not scripted would read the file and ignore it.
#[test]
fn a_script_that_no_provider_reads_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put("answers.jsonl", "{}\n");
    assert_seen(
        sandbox.rye(&["thread", "run", "rye/guides/first_thread", "--script", "answers.jsonl"]).transcript(),
        str![[r#"
$ rye thread run rye/guides/first_thread --script answers.jsonl
[stderr]
note: made the agent key 706f575fc5331071 in `[SANDBOX]/config/rye/keys/agent`
error: provider `rye/agent/providers/steps` does not answer from a script
hint: leave `--script` out, or name `--provider rye/agent/providers/scripted`
[exit 2]

"#]],
    );
}
