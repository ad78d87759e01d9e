//! Commands that an agent client started: the variables that it sets for them make every use of the person's authority a
//! question on the terminal, whatever flags are given.

use std::fs;

use crate::commit::ECHO;
use crate::support::{Person, Sandbox, has, on_terminal};

/// A project with a change to commit, a key to import and a key to trust.
fn sandbox() -> Sandbox {
    let (sandbox, bob) = (Sandbox::signed(), Person::new("bob"));
    sandbox.key_id(&bob);
    fs::copy(sandbox.path("config-bob/rye/keys/person"), sandbox.path("bob")).unwrap();
    fs::copy(sandbox.path("config-bob/rye/keys/person.pub"), sandbox.path("bob.pub")).unwrap();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    sandbox
}

/// All that must stay as it is: the commit, the project's files, and the person's keys and trust.
fn state(sandbox: &Sandbox) -> (String, String, Vec<u8>, String) {
    let mut files = Vec::new();
    for folder in ["project/.ai", "config"] {
        let listed = std::process::Command::new("find")
            .args([sandbox.path(folder).to_str().unwrap(), "-type", "f", "-exec", "cksum", "{}", "+"])
            .output()
            .unwrap();
        files.extend(listed.stdout);
    }
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    (head, sandbox.git(&["diff", "--cached"]), files, sandbox.git(&["for-each-ref"]))
}

const COMMANDS: [&[&str]; 15] = [
    &["sign", "tool", "demo/echo"],
    &["sign", "--all"],
    &["sign", "tool", "demo/fail", "--detached"],
    &["commit", "-m", "x"],
    &["commit", "-m", "x", ".ai"],
    &["trust", "propose", "--principal", "ada@example.org"],
    &["trust", "add", "../bob.pub", "--principal", "bob"],
    &["trust", "add", "../bob.pub", "--principal", "bob", "--project"],
    &["trust", "add", "-", "--principal", "bob"],
    &["key", "import", "../bob", "--force"],
    &["provider", "price", "x", "--input", "1", "--output", "2", "--provider", "rye/agent/providers/openai_chat"],
    &["thread", "share", "preset:python"],
    &["hook", "remove"],
    &["thread", "resume", "@latest", "--limit", "turns=9"],
    &["thread", "resume", "@latest", "--unfinished", "repeat"],
];

#[test]
fn what_an_agent_client_started_neither_signs_nor_widens_trust() {
    let sandbox = sandbox();
    let before = state(&sandbox);
    for command in COMMANDS {
        let seen = sandbox.rye(&[command, &["--yes"]].concat()).env("CLAUDECODE", "1").transcript();
        assert!(
            seen.contains("error: `CLAUDECODE` is set, so Claude Code may have started this: refused to "),
            "{seen}"
        );
        assert!(seen.contains("hint: ask the person to ") && seen.ends_with("[exit 3]\n"), "{seen}");
    }
    for variable in ["AI_AGENT", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI"] {
        let run = sandbox.rye(&["sign", "--all", "--key", "../bob", "--yes"]).env(variable, "x");
        let seen = run.transcript();
        assert!(seen.contains(&format!("error: `{variable}` is set")) && seen.ends_with("[exit 3]\n"), "{seen}");
    }
    let key = fs::read_to_string(sandbox.path("bob")).unwrap();
    let seen = sandbox.rye(&["commit", "-m", "x"]).env("CLAUDECODE", "1").env("RYE_SIGNING_KEY", &key).transcript();
    assert!(seen.contains("refused to sign 1 item as yours without the person's yes"), "{seen}");
    assert_eq!(state(&sandbox), before);
    sandbox.git(&["add", ECHO]);
    let output = sandbox.git_command(&["commit", "-qm", "x"]).env("CLAUDECODE", "1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("error: `CLAUDECODE` is set"), "{said}");
    // Neither does a configuration that is given with the command.
    for given in ["agents.sign=allow", "commit.sign=own"] {
        let seen = sandbox.rye(&["--config", given, "sign", "--all"]).env("CLAUDECODE", "1").transcript();
        assert!(seen.contains(", not with `--config`") && seen.ends_with("[exit 2]\n"), "{seen}");
    }
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), before.0);
}

#[test]
fn what_an_agent_client_proposes_is_not_accepted() {
    let (sandbox, bob) = (sandbox(), Person::new("bob"));
    sandbox.rye(&["trust", "propose", "--principal", "bob@example.org", "-q"]).by(&bob).succeeds();
    let before = state(&sandbox);
    let seen = sandbox.rye(&["trust", "accept", "--yes"]).env("CLAUDECODE", "1").transcript();
    assert!(seen.contains("refused to accept version 1 for this project") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert_eq!(state(&sandbox), before);
}

#[test]
fn the_person_is_asked_on_the_terminal_whatever_flags_are_given() {
    if !has("python3") {
        return;
    }
    let sandbox = sandbox();
    let rye = crate::support::RYE;
    let dialogue = |question: &'static str, answer: &'static str, args: &[&str]| {
        let command = [&["env", "CLAUDECODE=1", rye], args].concat();
        on_terminal(&sandbox, &[(question, answer)], &command)
    };
    let sign = ["sign", "tool", "demo/echo", "--yes"];
    let before = state(&sandbox);
    let (seen, code) = dialogue("sign tool demo/echo as yours? [y/N] ", "n\n", &sign);
    assert!(code == 5 && seen.starts_with("`CLAUDECODE` is set: Claude Code may have started this.\n"), "{seen}");
    assert!(seen.ends_with(" nothing was signed\n"), "{seen}");
    let (seen, code) = dialogue("sign 1 item as yours? [y/N] ", "n\n", &["commit", "-m", "x", "--yes"]);
    assert!(code == 5 && seen.contains("tool  demo/echo") && seen.ends_with(" nothing was committed\n"), "{seen}");
    assert_eq!(state(&sandbox), before);
    let (seen, code) = dialogue("sign tool demo/echo as yours? [y/N] ", "y\n", &sign);
    assert_eq!(code, 0, "{seen}");
    // The commit has nothing to sign but itself.
    let (seen, code) = dialogue("sign the commit as yours? [y/N] ", "y\n", &["commit", "-m", "x"]);
    assert_eq!(code, 0, "{seen}");
}

#[test]
fn what_narrows_trust_or_only_looks_is_not_asked_about() {
    let sandbox = sandbox();
    sandbox.rye(&["trust", "add", "../bob.pub", "--principal", "bob", "-q"]).succeeds();
    let commands: [(&[&str], i32); 7] = [
        (&["sign", "--all", "--check"], 1),
        (&["verify"], 3),
        (&["trust", "list"], 0),
        (&["trust", "retire", "bob"], 0),
        (&["trust", "revoke", "bob"], 0),
        (&["trust", "remove", "bob"], 0),
        (&["key", "export"], 0),
    ];
    for (command, code) in commands {
        let seen = sandbox.rye(command).env("CLAUDECODE", "1").transcript();
        assert!(seen.ends_with(&format!("[exit {code}]\n")) && !seen.contains("CLAUDECODE` is set"), "{seen}");
    }
}

#[test]
fn the_person_s_configuration_and_pipelines_are_not_asked() {
    let sandbox = sandbox();
    sandbox.rye(&["sign", "tool", "demo/echo", "-q"]).env("CI", "true").env("GITHUB_ACTIONS", "true").succeeds();
    sandbox.edit(ECHO, "category ", "category  ");
    fs::write(sandbox.path("config/rye/config.toml"), "[agents]\nsign = \"allow\"\n").unwrap();
    sandbox.rye(&["sign", "tool", "demo/echo", "-q"]).env("CLAUDECODE", "1").succeeds();
    // A commit needs a yes all the same.
    sandbox.edit(ECHO, "category  ", "category   ");
    let seen = sandbox.rye(&["commit", "-m", "x"]).env("CLAUDECODE", "1").transcript();
    assert!(seen.contains("error: not committed: ") && seen.contains("your confirmation"), "{seen}");
    sandbox.rye(&["commit", "-qm", "x", "--yes"]).env("CLAUDECODE", "1").succeeds();
}

/// An accepted proposal forbids, too.
#[test]
fn what_was_accepted_is_not_withdrawn_for_an_agent_client() {
    let sandbox = sandbox();
    let seen = sandbox.rye(&["trust", "accept", "--withdraw"]).env("CLAUDECODE", "1").transcript();
    assert!(
        seen.contains("refused to withdraw the accepted proposal of this project") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
}

/// A script that an agent client's model runs is as much the client's as its shell.
#[test]
fn a_tool_is_told_of_the_agent_client() {
    let sandbox = sandbox();
    let script = "# version: 1.0.0\n# description: Tells\n# category: demo\nprintf '\"%s\"' \"$CLAUDECODE\"\n";
    sandbox.put(".ai/tools/demo/tell.sh", script);
    sandbox.rye(&["sign", "tool", "demo/tell", "-q"]).succeeds();
    let told = |value: &str| {
        let seen = sandbox.rye(&["execute", "tool", "demo/tell", "--json"]).env("CLAUDECODE", value).stdout();
        serde_json::from_slice::<serde_json::Value>(&seen).unwrap()["result"].clone()
    };
    assert_eq!((told("1"), told("")), ("1".into(), "".into()));
}
