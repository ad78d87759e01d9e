//! Accepting what a thread changed: one commit of the person's, and nothing else of theirs touched, whatever happens.

mod commit;
mod conflicts;
mod items;
mod kills;
mod links;
mod names;
mod races;
mod refusals;
mod states;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rye::thread::Outcome;
use serde_json::{Value, json};

use super::world::{FILES, World, calls, text};

/// What a script may do besides.
const SCRIPT: &str = r#"<execute><tool>demo.one</tool></execute><write resource="filesystem" path="**" />"#;

/// A world with a directive that may write anything.
fn world() -> World {
    with(&[])
}

/// As [`world`], with further arguments for `git init`.
fn with(init: &[&str]) -> World {
    let world = World::with(init);
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    world
}

/// A thread that changes `src/a.txt` and adds `new/b.txt`.
fn changing(world: &World) -> Outcome {
    world.run(&[
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "new/b.txt", "content": "c\n"})),
        ]),
        text("Done."),
    ])
}

/// A world with a thread whose script did something.
fn scripted(script: &str) -> (World, Outcome) {
    let world = World::new();
    world.tool("demo/one", script);
    world.directive(SCRIPT, r#"turns="5""#, "");
    world.commit("items");
    let outcome = world.run(&[calls(&[("demo_one", json!({}))]), text("Done.")]);
    (world, outcome)
}

/// Accepts the last thread, with a yes to everything.
fn accept(world: &World, args: &[&str]) -> (i32, Value) {
    world.rye_json(&[&["thread", "accept", "@latest", "--yes"], args].concat())
}

/// Tries to accept the last thread: nothing may change. Returns the exit code, the error's code and its sentence.
fn refused(world: &World, args: &[&str]) -> (i32, String, String) {
    let before = (world.untouched(), world.persons_files());
    let (code, error) = accept(world, args);
    assert!((world.untouched(), world.persons_files()) == before, "{error}");
    no_leftovers(world);
    let error = &error["error"];
    (
        code,
        error["code"].as_str().unwrap_or_default().to_owned(),
        error["message"].as_str().unwrap_or_default().to_owned(),
    )
}

/// Nothing of an accept is left but the lock's file.
fn no_leftovers(world: &World) {
    let git_dir = world.git(&["rev-parse", "--absolute-git-dir"]);
    let names = std::fs::read_dir(Path::new(&git_dir).join("rye/accept")).into_iter().flatten();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).filter(|name| name != "lock").collect();
    assert!(names.is_empty(), "{names:?}");
    let files = world.persons_files();
    let stray: Vec<_> = files.keys().filter(|path| path.to_string_lossy().contains(".rye-tmp")).collect();
    assert!(stray.is_empty(), "{stray:?}");
}

/// Installs a hook.
fn hook(world: &World, name: &str, script: &str) {
    let common = world.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]);
    executable(&Path::new(&common).join("hooks").join(name), script);
}

/// Writes a script.
fn executable(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A trailer of `HEAD`.
fn trailer(world: &World, key: &str) -> String {
    world.git(&["log", "-1", &format!("--format=%(trailers:key={key},valueonly,separator=%x2c)")])
}

/// The files that `HEAD` changed.
fn committed(world: &World) -> String {
    world.git(&["show", "--root", "--no-renames", "--format=", "--name-status", "HEAD"])
}

fn status(world: &World) -> String {
    world.git(&["status", "--porcelain"])
}
