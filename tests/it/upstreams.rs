//! Skills that come from git repositories: pulled, updated, made again as the lock says, and refused.

mod folders;
mod ignored;
mod kills;
mod lock;
mod part;
mod refusals;
mod signers;
mod stopped;
mod story;
mod sync;
mod updates;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Person, Sandbox};

/// Whoever publishes skills.
const BOB: Person = Person::new("bob");
/// Another person who does.
const EVE: Person = Person::new("eve");

/// A project, and next to it the repository `up` with the skill `skills/pdf` without a signature.
fn world() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    fs::create_dir_all(sandbox.path("up")).unwrap();
    at_up(&sandbox, &["init", "-q", "-b", "main"]);
    write(&sandbox, "skills/pdf/SKILL.md", &skill("Read."));
    write(&sandbox, "skills/pdf/scripts/run.sh", "#!/bin/sh\necho one\n");
    commit(&sandbox, "first");
    sandbox
}

/// The same, signed by Bob, whose key the repository lists.
fn signed_world() -> Sandbox {
    let sandbox = world();
    sign_as(&sandbox, &BOB, "pdf");
    commit(&sandbox, "sign");
    sandbox
}

/// A `SKILL.md` of the skill `pdf`.
fn skill(body: &str) -> String {
    format!("---\nname: pdf\ndescription: Reads PDF files. Use when a PDF is given.\n---\n\n{body}\n")
}

/// Writes a file of the repository; a script becomes executable.
fn write(sandbox: &Sandbox, name: &str, text: &str) {
    let path = up(sandbox, name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    if text.starts_with("#!") {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Returns a path of the repository.
fn up(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.path("up").join(name)
}

/// Returns a path of the pulled skill.
fn here(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.project().join(".claude/skills/pdf").join(name)
}

/// Runs git in the repository.
fn at_up(sandbox: &Sandbox, args: &[&str]) -> String {
    let path = sandbox.path("up").display().to_string();
    sandbox.git(&[&["-C", &path], args].concat())
}

/// Commits everything in the repository and returns the commit.
fn commit(sandbox: &Sandbox, message: &str) -> String {
    at_up(sandbox, &["add", "-A"]);
    at_up(sandbox, &["commit", "-q", "--allow-empty", "-m", message]);
    at_up(sandbox, &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Has somebody sign a skill in the repository, and lists their key there.
fn sign_as(sandbox: &Sandbox, person: &Person, name: &str) {
    write(sandbox, ".ai/config.toml", "[skills]\npaths = [\"skills\"]\n");
    let path = sandbox.path("up").display().to_string();
    sandbox.rye(&["-C", &path, "key", "generate", "-q"]).by(person).succeeds();
    sandbox.rye(&["-C", &path, "sign", "skill", name, "-q", "--yes"]).by(person).succeeds();
    let key = String::from_utf8(sandbox.rye(&["key", "export"]).by(person).stdout()).unwrap();
    let key: Vec<&str> = key.split_whitespace().take(2).collect();
    write(sandbox, ".ai/trust/allowed_signers", &format!("dev@example.org {}\n", key.join(" ")));
}

/// Returns the fingerprint of somebody's key.
fn fingerprint(sandbox: &Sandbox, person: &Person) -> String {
    let keys = json(&sandbox.rye(&["key", "list", "--json"]).by(person).stdout());
    keys["keys"][0]["fingerprint"].as_str().unwrap().to_owned()
}

/// Returns the source of the skill at a revision.
fn source(sandbox: &Sandbox, rev: &str) -> String {
    format!("git+{}//skills/pdf{rev}", sandbox.path("up").display())
}

/// Pulls the skill, with whatever it takes.
fn pull(sandbox: &Sandbox, rev: &str) {
    sandbox.rye(&["pull", &source(sandbox, rev), "--yes", "-q"]).succeeds();
}

/// Pulls the skill and accepts whoever signed it.
fn pull_from(sandbox: &Sandbox, person: &Person, rev: &str) {
    let key = fingerprint(sandbox, person);
    sandbox.rye(&["pull", &source(sandbox, rev), "--accept-signer", &key, "-q"]).succeeds();
}

/// Asserts what a run says and how it ends.
#[track_caller]
fn says(sandbox: &Sandbox, args: &[&str], sentences: &[&str], exit: u8) -> String {
    let seen = sandbox.rye(args).transcript();
    for sentence in sentences {
        assert!(seen.contains(sentence), "no `{sentence}` in {seen}");
    }
    assert!(seen.ends_with(&format!("[exit {exit}]\n")), "{seen}");
    seen
}

fn lock(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.project().join("rye.lock")).unwrap_or_default()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}
