//! Registries: publishing, pulling, and what each of them refuses.

mod attacks;
mod kills;
mod moves;
mod needs;
mod reach;
mod search;
mod show;
mod stale;
mod statics;
mod stopped;
mod story;
mod threads;
mod two;
mod versions;

use std::fs;

use serde_json::Value;

use crate::support::{Person, Sandbox};

/// Writes a knowledge entry of the project.
fn write(sandbox: &Sandbox, id: &str, version: &str, text: &str) {
    let (category, name) = id.rsplit_once('/').unwrap_or(("", id));
    sandbox.put(
        &format!(".ai/knowledge/{id}.md"),
        &format!(
            "```yaml\nname: \"{name}\"\ntitle: \"About {name}\"\ncategory: \"{category}\"\nversion: \"{version}\"\n```\n\n# About {name}\n\n{text}\n"
        ),
    );
}

/// Writes a knowledge entry, signs it and publishes it.
fn publish(sandbox: &Sandbox, id: &str, version: &str, text: &str) {
    write(sandbox, id, version, text);
    sandbox.rye(&["sign", "knowledge", id, "-q"]).succeeds();
    sandbox.rye(&["publish", "knowledge", id, "--yes", "-q"]).succeeds();
}

/// A project of its own in the sandbox, by name; returns its folder.
fn another(sandbox: &Sandbox, name: &str) -> String {
    let path = sandbox.path(name);
    fs::create_dir_all(&path).unwrap();
    let path = path.display().to_string();
    sandbox.git(&["-C", &path, "init", "-q", "-b", "main"]);
    path
}

/// A workspace of the first person with a bare registry `team` that both use, and one of the other person in `bob`.
fn shared(bob: &Person) -> (Sandbox, String) {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../team.git", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    let other = another(&sandbox, "bob");
    sandbox.key_id(bob);
    as_bob(&sandbox, bob, &["registry", "add", "team", "../team.git", "-q"]).succeeds();
    (sandbox, other)
}

/// Prepares a run of the other person in their own project, with folders of their own.
fn as_bob<'s>(sandbox: &'s Sandbox, bob: &Person, args: &[&str]) -> crate::support::Run<'s> {
    let (place, home) = (sandbox.path("bob").display().to_string(), sandbox.path("home-bob"));
    fs::create_dir_all(&home).unwrap();
    let args: Vec<&str> = ["-C", &place].into_iter().chain(args.iter().copied()).collect();
    sandbox.rye(&args).by(bob).env("HOME", &home.display().to_string())
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}
