//! Whom a person trusts, on disk and as commands: `accepting` tells what a project can propose and how it fails to be
//! more than that, `deciding` about the person's own decisions, `folder` about the files below
//! `$XDG_CONFIG_HOME/rye/trust`, `names` about the names of keys' holders, `stock_git` about what git makes of them.

mod accepting;
mod deciding;
mod folder;
mod names;
mod stock_git;

use std::fs;

use rye::trust::{KeyText, SigningKey};

use crate::support::Sandbox;

/// The exit code of a run, and all that can be seen of it.
fn run(sandbox: &Sandbox, args: &[&str]) -> (String, String) {
    let seen = sandbox.rye(args).transcript();
    let code = seen.rsplit("[exit ").next().unwrap().split(']').next().unwrap().to_owned();
    (code, seen)
}

/// Runs a directive of the project and returns the rule it is refused by; nothing if it runs.
fn refused_by(sandbox: &Sandbox, place: &str) -> String {
    let (code, seen) = run(sandbox, &["-C", place, "execute", "directive", "demo/greet", "-i", "name=Ada", "--json"]);
    let rule = seen.find("\"rule\":\"").map_or("", |at| &seen[at + 8..at + 16]).to_owned();
    assert_eq!(code == "0", rule.is_empty(), "{seen}");
    rule
}

/// Makes somebody of their own who has cloned a project; the seed decides their keys.
fn clone_of(author: &Sandbox, seed: &str) -> Sandbox {
    let person = somebody(seed);
    clone_to(&person, author, "project");
    person
}

/// Makes somebody with keys of their own and an empty project.
fn somebody(seed: &str) -> Sandbox {
    let person = Sandbox::empty();
    person.rye(&["key", "generate", "-q"]).env("RYE_SEED", seed).succeeds();
    person
}

/// Clones a project into a folder of somebody's sandbox.
fn clone_to(person: &Sandbox, author: &Sandbox, name: &str) {
    let folder = person.path(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    let status = std::process::Command::new("git")
        .args(["clone", "-q", author.project().to_str().unwrap(), folder.to_str().unwrap()])
        .env_clear()
        .envs(person.variables())
        .status()
        .unwrap();
    assert!(status.success());
}

/// Makes an author whose signed project proposes them, in version 1.
fn proposing() -> Sandbox {
    let author = Sandbox::signed();
    author.rye(&["trust", "propose", "--principal", "ada@example.org", "-q"]).succeeds();
    author.commit("propose whom to trust");
    author
}

/// Writes the public half of a person's key into a file of another person's project.
fn hand_over(from: &Sandbox, to: &Sandbox, file: &str) -> String {
    let public = String::from_utf8(from.rye(&["key", "export"]).stdout()).unwrap();
    let name = file.trim_end_matches(".pub");
    let key = public.split(' ').take(2).collect::<Vec<_>>().join(" ");
    to.put(file, &format!("{key} {name}\n"));
    key
}

/// Writes a decision to trust a key below a namespace, which no command makes any more.
fn trust_below(sandbox: &Sandbox, namespace: &str, principal: &str, key: &str) {
    let file = sandbox.path(&format!("config/rye/trust/namespaces/{namespace}"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("{principal} {key}\n")).unwrap();
}

/// Reads a private key of somebody's.
fn private_key(person: &Sandbox, name: &str) -> SigningKey {
    let text = fs::read_to_string(person.path(&format!("config/rye/keys/{name}"))).unwrap();
    match KeyText::parse(&text).unwrap() {
        KeyText::Open(key) => key,
        other => panic!("{other:?}"),
    }
}
