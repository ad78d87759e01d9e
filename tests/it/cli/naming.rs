//! What names an item, a thread or a key on the command line: ids, paths and beginnings. A new argument of the kind fails
//! here until somebody decided what it takes.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{Person, Sandbox};

/// What an argument takes.
enum Takes {
    /// An id, or the path of an item: `ITEM` is in its place, `-` in that of the answer to a question.
    Item(&'static [&'static str]),
    /// Ids and paths, several at once.
    Paths(&'static [&'static str]),
    /// The beginning of a thread's id.
    Thread,
    /// The beginning of a key's id or fingerprint, or what else names a key.
    Key,
    /// An id of a registry or of `rye.lock`; where a file lies, its path is tried by `registry::versions` and `registry::moves`.
    Registry,
    /// An id that nothing has yet.
    New,
}

/// Every argument that names an item, a thread or a key.
const ARGUMENTS: &[(&str, &str, Takes)] = &[
    ("rye new", "ID", Takes::New),
    ("rye execute", "ID", Takes::Item(&["execute", "tool", "ITEM", "-i", "text=x", "--dry-run"])),
    ("rye load", "ID", Takes::Item(&["load", "tool", "ITEM"])),
    ("rye show", "ID[@VERSION]", Takes::Item(&["show", "ITEM"])),
    ("rye sign", "ID", Takes::Item(&["sign", "tool", "ITEM"])),
    ("rye verify", "ID|PATH", Takes::Paths(&["verify", "ITEM"])),
    ("rye lint", "ID|PATH", Takes::Paths(&["lint", "ITEM"])),
    ("rye permissions", "DIRECTIVE", Takes::Item(&["permissions", "DIRECTIVE"])),
    ("rye migrate", "ID|PATH", Takes::Paths(&["migrate", "ITEM"])),
    ("rye mv", "OLD", Takes::Item(&["mv", "tool", "ITEM", "demo/tell", "--dry-run"])),
    ("rye mv", "NEW", Takes::New),
    ("rye publish", "ID", Takes::Item(&["publish", "tool", "ITEM", "--dry-run"])),
    ("rye pull", "ID[@REQ]|git+URL//PATH[@REV]", Takes::Registry),
    ("rye update", "ID[@REQ]", Takes::Registry),
    ("rye remove", "ID", Takes::Item(&["remove", "ITEM"])),
    ("rye diff", "ID", Takes::Item(&["diff", "ITEM"])),
    ("rye registry yank", "ID", Takes::Registry),
    ("rye registry unyank", "ID", Takes::Registry),
    ("rye registry deprecate", "ID", Takes::Registry),
    ("rye thread run", "DIRECTIVE", Takes::Item(&["thread", "run", "DIRECTIVE", "--provider", "none"])),
    ("rye thread show", "THREAD", Takes::Thread),
    ("rye thread log", "THREAD", Takes::Thread),
    ("rye thread tail", "THREAD", Takes::Thread),
    ("rye thread diff", "THREAD", Takes::Thread),
    ("rye thread diff", "OTHER", Takes::Thread),
    ("rye thread accept", "THREAD", Takes::Thread),
    ("rye thread push", "THREAD", Takes::Thread),
    ("rye thread fetch", "THREAD", Takes::Thread),
    ("rye thread resume", "THREAD", Takes::Thread),
    ("rye thread fork", "THREAD", Takes::Thread),
    ("rye thread rerun", "THREAD", Takes::Thread),
    ("rye thread replay", "THREAD", Takes::Thread),
    ("rye thread export", "THREAD", Takes::Thread),
    ("rye thread rm", "THREAD", Takes::Thread),
    ("rye provider check", "ID", Takes::Item(&["provider", "check", "ITEM"])),
    ("rye trust retire", "KEY", Takes::Key),
    ("rye trust revoke", "KEY", Takes::Key),
    ("rye trust remove", "KEY", Takes::Key),
];

/// Names of arguments that are not an item, a thread or a key.
const OTHERS: [&str; 27] = [
    "ARGUMENT",
    "DIR",
    "FILE",
    "FILE|-",
    "FOLDER",
    "HOOK",
    "K=V",
    "MESSAGE",
    "MODEL",
    "NAME",
    "NAMESPACE",
    "PATH",
    "PATHS",
    "QUERY",
    "REMOTE",
    "SERVER",
    "SHARE",
    "SHELL",
    "TEXT",
    "TOOL",
    "TYPE",
    "URL",
    "COMMAND",
    "KEY=VALUE",
    "WORD",
    "VERSION",
    "PRINCIPAL",
];

/// The arguments of every command, as docs/reference/cli.md, made from the same definition, has them.
fn arguments() -> BTreeSet<(String, String)> {
    let (mut command, mut found) = (String::new(), BTreeSet::new());
    for line in include_str!("../../../docs/reference/cli.md").lines() {
        if let Some(heading) = line.strip_prefix("## `rye") {
            command = format!("rye{}", heading.trim_end_matches('`'));
        } else if let Some(name) = line.strip_prefix("| `").filter(|_| !command.is_empty()) {
            let name = name.split('`').next().unwrap().replace("\\|", "|");
            if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                found.insert((command.clone(), name));
            }
        } else if line.starts_with("## ") {
            command.clear();
        }
    }
    found
}

#[test]
fn every_argument_that_names_something_is_known() {
    let found = arguments();
    assert!(found.len() > 50, "{found:?}");
    let is_known = |command: &str, name: &str| ARGUMENTS.iter().any(|known| (known.0, known.1) == (command, name));
    let new: Vec<_> =
        found.iter().filter(|(command, name)| !OTHERS.contains(&name.as_str()) && !is_known(command, name)).collect();
    assert!(new.is_empty(), "what do these take? {new:?}");
    let gone: Vec<_> = ARGUMENTS
        .iter()
        .filter(|(command, name, _)| !found.contains(&((*command).to_owned(), (*name).to_owned())))
        .map(|(command, name, _)| (command, name))
        .collect();
    assert!(gone.is_empty(), "{gone:?}");
}

/// Everything but what tells the two calls apart.
fn seen(sandbox: &Sandbox, args: &[&str], item: &str, directive: &str) -> String {
    let args: Vec<&str> = args
        .iter()
        .map(|word| match *word {
            "ITEM" => item,
            "DIRECTIVE" => directive,
            word => word,
        })
        .collect();
    let seen = sandbox.rye(&args).transcript();
    seen.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn what_takes_an_id_takes_a_path_too() {
    let sandbox = Sandbox::signed();
    let file = sandbox.project().join(".ai/tools/demo/echo.sh").display().to_string();
    for (command, _, takes) in ARGUMENTS {
        let args = match takes {
            Takes::Item(args) | Takes::Paths(args) => args,
            Takes::Thread | Takes::Key | Takes::Registry | Takes::New => continue,
        };
        let by_id = seen(&sandbox, args, "demo/echo", "demo/greet");
        for (item, directive) in [
            (".ai/tools/demo/echo.sh", ".ai/directives/demo/greet.md"),
            ("./.ai/tools/demo/../demo/echo.sh", "./.ai/directives/demo/greet.md"),
            (file.as_str(), ".ai/directives/demo/greet.md"),
        ] {
            assert_eq!(seen(&sandbox, args, item, directive), by_id, "{command} {item}");
        }
    }
    let seen = sandbox.rye(&["load", "directive", ".ai/tools/demo/echo.sh"]).transcript();
    let told = "error: the item at `.ai/tools/demo/echo.sh` is of type tool, not directive\n";
    assert!(seen.contains(told) && seen.ends_with("[exit 2]\n"), "{seen}");
    let seen = sandbox.rye(&["load", "tool", "./README.md"]).transcript();
    assert!(seen.contains("error: no item at `./README.md`\n") && seen.ends_with("[exit 1]\n"), "{seen}");
}

#[test]
fn a_skill_is_named_by_its_folder_and_its_text() {
    let sandbox = Sandbox::signed();
    let text = "---\nname: review\ndescription: Reviews a change\n---\n\nReview it.\n";
    sandbox.put(".claude/skills/review/SKILL.md", text);
    for name in [".claude/skills/review", "./.claude/skills/review/", ".claude/skills/review/SKILL.md"] {
        let seen = sandbox.rye(&["sign", "skill", name]).transcript();
        assert!(seen.contains("\tskill\treview\t") && seen.ends_with("[exit 0]\n"), "{seen}");
        let seen = sandbox.rye(&["load", "skill", name]).transcript();
        assert!(seen.contains("Review it.") && seen.ends_with("[exit 0]\n"), "{seen}");
    }
}

#[test]
fn the_beginning_of_a_keys_id_or_fingerprint_names_it() {
    let (sandbox, bob) = (Sandbox::signed(), Person::new("bob"));
    let id = sandbox.key_id(&bob);
    fs::copy(sandbox.path("config-bob/rye/keys/person.pub"), sandbox.path("bob.pub")).unwrap();
    sandbox.rye(&["trust", "add", "../bob.pub", "--principal", "bob", "-q"]).succeeds();
    let short = &id[..6];
    let seen = sandbox.rye(&["trust", "remove", &id[..3]]).transcript();
    assert!(seen.contains(&format!("error: unknown key `{}`\n", &id[..3])) && !seen.ends_with("[exit 0]\n"), "{seen}");
    assert!(seen.contains(&format!("did you mean `{id}`?")), "four digits or more name a key: {seen}");
    let seen = sandbox.rye(&["trust", "remove", short]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn sign_without_an_item_says_how_to_name_one() {
    let sandbox = Sandbox::signed();
    for args in [&["sign"][..], &["sign", "tool"]] {
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains("`rye sign --all`") && seen.contains("`rye sign tool demo/greet`"), "{seen}");
        assert!(seen.ends_with("[exit 2]\n"), "{seen}");
    }
}
