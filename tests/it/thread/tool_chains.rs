//! Presets of `threads.share`: projects of Python, Node and cargo pass their own tests in a thread with what `rye doctor` proposes, and
//! what a preset opens is for reading, and no more than it names.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, result_in_turn, text};
use crate::support::has;

const ALL: &str = r#"<execute><tool>rye/test/run</tool><tool>rye/shell/*</tool><tool>rye/file-system/*</tool></execute>
    <read resource="filesystem" path="**" /><write resource="filesystem" path="**" />"#;

fn run(argv: &[&str]) -> Value {
    call("rye_shell_run", json!({"argv": argv}))
}

fn tests() -> Value {
    call("rye_test_run", json!({}))
}

/// Runs a thread that makes these calls, one in each turn, and returns their results and what the program said.
fn results(world: &World, variables: &[(&str, &str)], calls: &[Value]) -> (Vec<Value>, String) {
    world.directive(ALL, r#"turns="20" duration="300""#, "");
    // Signed again within one second, the directive is the same.
    world.git(&["add", "--all"]);
    world.git(&["commit", "--quiet", "--allow-empty", "-m", "work"]);
    let turns: Vec<Value> = calls.iter().cloned().chain([text("Done.")]).collect();
    let script = world.script(&turns).display().to_string();
    let before = world.persons_files();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let output = world.rye(&args).envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(world.persons_files(), before);
    let id = world.git(&["for-each-ref", "--sort=-creatordate", "--format=%(refname:lstrip=4)", "refs/heads/rye"]);
    let outcome = world.shown(&json!({"thread_id": id.lines().next().unwrap()}));
    let events = world.events(&outcome);
    ((1..=u32::try_from(calls.len()).unwrap()).map(|turn| result_in_turn(&events, turn)).collect(), said)
}

/// Runs the command that `rye doctor` proposes, as it is printed.
fn take_proposal(world: &World) -> String {
    let check = |output: Value| {
        output["checks"].as_array().unwrap().iter().find(|check| check["part"] == "tools of threads").cloned().unwrap()
    };
    let proposed = check(world.rye_json(&["doctor"]).1);
    let fix = proposed["fix"].as_str().unwrap();
    let command = fix.strip_prefix("run `rye ").and_then(|rest| rest.strip_suffix('`')).unwrap();
    let (code, outcome) = world.rye_json(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(code, 0, "{outcome}");
    assert_eq!(check(world.rye_json(&["doctor"]).1)["state"], "ok");
    command.to_owned()
}

/// A project with a virtual environment that has a `pytest` of its own, and that was installed for editing.
fn python() -> Option<World> {
    let has_venv = |output: std::io::Result<std::process::Output>| output.is_ok_and(|output| output.status.success());
    if !has_venv(Command::new("python3").args(["-c", "import venv"]).output()) {
        return None;
    }
    let world = World::new();
    world.write("pyproject.toml", "[project]\nname = \"small\"\n[tool.pytest.ini_options]\n");
    world.write("lib/small.py", "def double(n): return n * 2\n");
    world.write(".gitignore", ".venv\n");
    let mut python = Command::new("python3");
    python.args(["-m", "venv", "--without-pip", ".venv"]).current_dir(world.in_project(""));
    assert!(python.env("HOME", std::env::var("HOME").unwrap()).status().unwrap().success());
    let libraries = std::fs::read_dir(world.in_project(".venv/lib")).unwrap();
    let library = libraries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).next().unwrap();
    let packages = format!(".venv/lib/{library}/site-packages");
    let root = world.in_project("").display().to_string();
    let root = root.trim_end_matches('/');
    world.write(&format!("{packages}/_small.pth"), &format!("{root}/lib\n"));
    let main = "import sys, small\ndef main():\n  assert '/trees/' in small.__file__ and '/trees/' in sys.prefix, (small.__file__, sys.prefix)\n  print('1 passed in 0.01s')\n";
    world.write(&format!("{packages}/pytest/__init__.py"), main);
    world.write(&format!("{packages}/pytest/__main__.py"), "import pytest\npytest.main()\n");
    let script = format!("#!{root}/.venv/bin/python\nimport pytest\npytest.main()\n");
    world.write(".venv/bin/pytest", &script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.in_project(".venv/bin/pytest"), mode).unwrap();
    Some(world)
}

fn assert_all_ok(found: &[Value], expected: &str) {
    for result in found {
        let output = &result["output"];
        assert_eq!(result["status"], "ok", "{result}");
        assert!(format!("{}{}", output["stdout"], output["stderr"]).contains(expected), "{result}");
    }
}

#[test]
fn a_project_with_a_virtual_environment_runs_its_tests_with_what_doctor_proposes() {
    let Some(world) = python() else { return };
    let calls =
        [tests(), run(&["pytest"]), run(&["python", "-m", "pytest"]), run(&["sh", "-c", ".venv/bin/pytest && pytest"])];
    let (before, _) = results(&world, &[], &calls);
    assert!(before.iter().all(|result| result["status"] == "error"), "{before:?}");
    // Of a program that is not found, and of one that a shell does not find.
    for hinted in [&before[1], &before[3]] {
        assert!(hinted.to_string().contains("`rye doctor` says"), "{hinted}");
    }
    assert_eq!(take_proposal(&world), "thread share preset:python");
    let (after, said) = results(&world, &[], &calls);
    assert_all_ok(&after, "1 passed");
    assert!(said.contains("the thread has a copy of `.venv` ("), "{said}");
    assert_eq!(
        std::fs::read_to_string(world.path("home/.config/rye/config.toml")).unwrap(),
        "[threads]\nshare = [\"preset:python\"]\n"
    );
}

/// A name is permitted, not what a tool puts in its place.
#[test]
fn a_program_that_the_thread_changed_or_made_is_not_started_by_its_name() {
    let Some(world) = python() else { return };
    world.write_at(
        &world.path("home/.config/rye/config.toml"),
        "[threads]\nshare = [\"preset:python\"]\n[shell.tool]\nread = [\"/usr\"]\n",
    );
    let plant = "printf '#!/bin/sh\\necho planted\\n' >.venv/bin/pytest; cp .venv/bin/pytest .venv/bin/tool; cp .venv/bin/pytest .venv/bin/made; chmod +x .venv/bin/*; \
                 rm .venv/bin/python; ln -s /bin/sh .venv/bin/python";
    let calls = [
        run(&["sh", "-c", plant]),
        run(&["pytest"]),
        run(&["tool"]),
        run(&["made"]),
        run(&["python", "-c", "echo planted"]),
    ];
    let (found, _) = results(&world, &[], &calls);
    assert_eq!(found[0]["status"], "ok", "{found:?}");
    for result in &found[1..] {
        assert!(result["status"] == "error" && !result["output"]["stdout"].to_string().contains("planted"), "{result}");
    }
}

/// A commit may have a folder that looks like a virtual environment.
#[test]
fn a_tracked_virtual_environment_takes_no_name_of_a_permitted_program() {
    let world = World::new();
    world.write("pyproject.toml", "[project]\nname = \"small\"\n");
    world.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
    for name in ["ls", "tool"] {
        world.write(&format!(".venv/bin/{name}"), "#!/bin/sh\necho planted\n");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(world.in_project(&format!(".venv/bin/{name}")), mode).unwrap();
    }
    world.write_at(&world.path("home/.config/rye/config.toml"), "[threads]\nshare = [\"preset:python\"]\n");
    let (found, _) = results(&world, &[], &[run(&["ls"]), run(&["tool"]), run(&["sh", "-c", "ls; echo $PATH"])]);
    assert!(found[0]["status"] == "ok" && found[1]["status"] == "error", "{found:?}");
    for result in &found {
        let printed = result["output"]["stdout"].to_string();
        assert!(!printed.contains("planted") && !printed.contains(".venv/bin"), "{result}");
    }
}

/// The project may have the link.
#[test]
fn a_link_in_place_of_an_interpreter_opens_nothing() {
    let Some(world) = python() else { return };
    world.write_at(&world.path("home/secret/bin/python"), "#!/bin/sh\n");
    world.write_at(&world.path("home/secret/lib/key"), "hunter2\n");
    std::fs::remove_file(world.in_project(".venv/bin/python")).unwrap();
    symlink(world.path("home/secret/bin/python"), world.in_project(".venv/bin/python")).unwrap();
    world.write_at(&world.path("home/.config/rye/config.toml"), "[threads]\nshare = [\"preset:python\"]\n");
    let key = world.path("home/secret/lib/key").display().to_string();
    let (found, _) = results(&world, &[], &[run(&["cat", &key]), run(&["readlink", ".venv/bin/python"])]);
    assert_eq!((&found[0]["status"], &found[1]["status"]), (&json!("error"), &json!("ok")), "{found:?}");
    assert!(!found[0].to_string().contains("hunter2"));
}

#[test]
fn a_project_of_node_runs_its_tests_with_what_doctor_proposes() {
    if !has("npm") {
        return;
    }
    let world = World::new();
    world.write(
        "package.json",
        r#"{"name": "small", "private": true, "scripts": {"test": "checks"}, "dependencies": {"dep": "file:dep"}}"#,
    );
    world.write(".gitignore", "node_modules\n");
    world.write("node_modules/dep/index.js", "exports.double = n => n * 2\n");
    world.write(
        "node_modules/.bin/checks",
        "#!/usr/bin/env node\nif (require('dep').double(2) === 4) console.log('1 passing')\n",
    );
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.in_project("node_modules/.bin/checks"), mode).unwrap();
    let calls = [run(&["npm", "test"]), run(&["sh", "-c", "node_modules/.bin/checks"])];
    let (before, _) = results(&world, &[], &calls);
    assert!(
        before.iter().all(|result| result["status"] == "error" && result["output"]["hint"].is_string()),
        "{before:?}"
    );
    assert_eq!(take_proposal(&world), "thread share preset:node");
    assert_all_ok(&results(&world, &[], &calls).0, "1 passing");
}

/// The toolchain of rustup lies in the home folder, and cargo's credentials next to its caches.
#[test]
fn a_project_of_cargo_runs_its_tests_and_reads_no_credentials() {
    let home = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{}/.rustup", std::env::var("HOME").unwrap()));
    if !has("cargo") || !std::path::Path::new(&home).is_dir() {
        return;
    }
    let world = World::new();
    world.write("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n");
    world.write("src/lib.rs", "#[test]\nfn doubles() { assert_eq!(2 * 2, 4); }\n");
    world.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"small\"\nversion = \"0.1.0\"\n");
    for (name, text) in [("credentials.toml", "hunter2"), ("registry/cache/a", "cached"), ("registry/src/a", "source")]
    {
        world.write_at(&world.path("home/.cargo").join(name), text);
    }
    assert_eq!(take_proposal(&world), "thread share preset:cargo");
    let cargo_home = world.path("home/.cargo").display().to_string();
    let look = format!(
        "cat ~/.cargo/registry/cache/a; cat {cargo_home}/credentials.toml; echo x >~/.cargo/registry/cache/new; echo x >~/.cargo/own"
    );
    let calls = [run(&["cargo", "test", "--lib"]), run(&["sh", "-c", &look])];
    let (found, _) = results(&world, &[("RUSTUP_HOME", &home)], &calls);
    assert_all_ok(&found[..1], "1 passed");
    assert!(found[1]["output"]["stdout"] == "cached" && !found[1].to_string().contains("hunter2"), "{}", found[1]);
    assert!(!world.path("home/.cargo/registry/cache/new").exists() && !world.path("home/.cargo/own").exists());
}

#[test]
fn an_unknown_preset_is_refused_and_known_ones_are_added_once() {
    let world = World::new();
    let (code, error) = world.rye_json(&["thread", "share", "preset:ruby"]);
    assert!(code == 2 && error.to_string().contains("expected one of preset:python, preset:node"), "{error}");
    world.write_at(
        &world.path("home/.config/rye/config.toml"),
        "# mine\n[threads]\nkeep = \"4w\"\nshare = ['target']\n",
    );
    for _ in 0..2 {
        assert_eq!(world.rye_json(&["thread", "share", "preset:go", "target"]).0, 0);
    }
    let written = std::fs::read_to_string(world.path("home/.config/rye/config.toml")).unwrap();
    assert_eq!(written, "# mine\n[threads]\nkeep = \"4w\"\nshare = [\"target\", \"preset:go\"]\n");
}

#[test]
fn a_share_that_could_not_take_effect_is_refused_and_one_is_taken_away() {
    let world = World::new();
    for wrong in ["*", "a/*", "[ab]", "{a,b}", "?", "."] {
        let (code, error) = world.rye_json(&["thread", "share", wrong]);
        assert!(code == 2, "{wrong}: {error}");
    }
    let (code, error) = world.rye_json(&["thread", "share", "build/cache"]);
    assert!(code == 2 && error.to_string().contains("mkdir -p build/cache"), "{error}");
    assert!(!world.path("home/.config/rye/config.toml").exists());
    world.write("build/cache/a", "");
    let said = |args: &[&str]| String::from_utf8(world.rye(args).output().unwrap().stdout).unwrap();
    assert!(said(&["thread", "share", "build/cache", "preset:go"]).starts_with("wrote to "));
    let again = said(&["thread", "share", "preset:go"]);
    assert!(again.starts_with("nothing to change in ") && again.contains("build/cache, preset:go"), "{again}");
    let (code, outcome) = world.rye_json(&["thread", "share", "--remove", "build/cache"]);
    assert_eq!((code, &outcome["shared"], &outcome["changed"]), (0, &json!(["preset:go"]), &json!(true)));
    let said = said(&["thread", "share", "--remove", "preset:go"]);
    assert!(said.starts_with("wrote to ") && said.contains("threads share nothing"), "{said}");
    world.write_at(&world.path("home/.config/rye/config.toml"), "[threads]\nshare = [\"*\"]\n");
    let (code, error) = world.rye_json(&["thread", "list"]);
    assert!(code != 0 && error.to_string().contains("is a pattern"), "{error}");
}
