//! The set-up of a thread's tree that a project proposes: what counts only as accepted, is agreed to once, is held, and is kept.

use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, result_in_turn, text};

const ALL: &str = r#"<execute><tool>rye/shell/*</tool></execute><read resource="filesystem" path="**" />
    <write resource="filesystem" path="**" />"#;

/// Makes `deps` with an id of its own, and what it was made of.
const MAKES: &str = r#"["sh", "-c", "od -An -N8 -tx8 /dev/urandom >deps/id; cat lock >deps/made; mkdir -p deps/bin; printf '#!%s/x\n' \"$PWD\" >deps/bin/run"]"#;

fn world(command: &str) -> World {
    let world = World::new();
    // A rule for folders: the person has none yet.
    world.write(".gitignore", "/target\n/deps/\n");
    world.write("lock", "one\n");
    world.write(".ai/config.toml", &config(command));
    world.directive(ALL, r#"turns="9" duration="120""#, "");
    world.commit("a set-up");
    world
}

fn config(command: &str) -> String {
    format!("[tree]\nshare = [\"deps\"]\n[tree.setup]\ncommand = {command}\nlocks = [\"lock\"]\n")
}

/// Has the person propose and accept the configuration as it is.
fn accept(world: &World) {
    let proposed = world.rye(&["trust", "propose", "--principal", "ada@example.org", "--yes"]).output().unwrap();
    assert!(proposed.status.success(), "{}", String::from_utf8_lossy(&proposed.stderr));
    let accepted = world.rye(&["trust", "accept", "--yes"]).output().unwrap();
    assert!(accepted.status.success(), "{}", String::from_utf8_lossy(&accepted.stderr));
    world.commit("trust");
}

/// Runs a thread that reads `deps`: the exit code, the results, what it said, and its record.
fn run(world: &World, flags: &[&str], variables: &[(&str, &str)]) -> (i32, Vec<String>, String, Value) {
    let look = |argv: &[&str]| call("rye_shell_run", json!({"argv": argv}));
    let turns = [look(&["cat", "deps/id"]), look(&["cat", "deps/made"]), look(&["cat", "deps/bin/run"]), text("Done.")];
    let script = world.script(&turns).display().to_string();
    let threads = || world.git(&["for-each-ref", "refs/heads/rye"]);
    let before = (threads(), world.persons_files());
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let output = world.rye(&[&args, flags].concat()).envs(variables.iter().copied()).output().unwrap();
    assert_eq!(world.persons_files(), before.1);
    let said = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code().unwrap();
    if code != 0 {
        assert_eq!(threads(), before.0, "no thread began: {said}");
        return (code, Vec::new(), said, Value::Null);
    }
    let id = world.git(&["for-each-ref", "--sort=-creatordate", "--format=%(refname:lstrip=4)", "refs/heads/rye"]);
    let outcome = world.shown(&json!({"thread_id": id.lines().next().unwrap()}));
    world.check(&outcome);
    assert_eq!(world.changed(&outcome).concat(), Vec::<String>::new(), "nothing of it is committed");
    let events = world.events(&outcome);
    let printed =
        (1..=3).map(|turn| result_in_turn(&events, turn)["output"]["stdout"].as_str().unwrap_or("").trim().to_owned());
    let record = serde_json::from_str(&world.thread_file(&outcome, "thread.json")).unwrap();
    (code, printed.collect(), said, record)
}

#[test]
fn a_set_up_counts_as_accepted_is_agreed_to_once_and_runs_once_for_each_state_of_the_lock_files() {
    let world = world(MAKES);
    let (code, found, said, record) = run(&world, &["--yes"], &[]);
    assert_eq!((code, found[1].as_str(), record["set_up"].is_null()), (0, "", true), "{said}");
    assert!(said.contains("the project proposes `[tree]` in `.ai/config.toml`, which does not count here"), "{said}");
    accept(&world);
    let (code, _, said, _) = run(&world, &[], &[]);
    assert!(code == 3 && said.contains("is not agreed to: `sh -c ") && said.contains("deps/id"), "{code} {said}");
    // A client may have given the flag.
    let (code, _, said, _) = run(&world, &["--yes"], &[("CLAUDECODE", "1")]);
    assert!(code == 3 && said.contains("is not agreed to"), "{code} {said}");
    let (_, first, said, record) = run(&world, &["--yes"], &[]);
    assert!(said.contains("setting up the thread's tree: `sh -c "), "{said}");
    assert!(first[0].trim().len() == 16 && first[1] == "one" && first[2].contains("/trees/rye-work-"), "{first:?}");
    let digest = record["set_up"].as_str().unwrap().to_owned();
    let (_, again, said, record) = run(&world, &[], &[]);
    assert_eq!((&again[..2], record["set_up"].as_str()), (&first[..2], Some(digest.as_str())));
    assert!(again[2] != first[2] && again[2].contains("/trees/rye-work-") && !said.contains("setting up"), "{said}");
    world.write("lock", "two\n");
    world.commit("another lock");
    let (_, other, said, _) = run(&world, &[], &[]);
    assert!(other[0] != first[0] && other[1] == "two" && said.contains("setting up"), "{other:?} {said}");
    // What was accepted counts until something else is, and another command is agreed to anew.
    world.write(".ai/config.toml", &config(r#"["sh", "-c", "echo other >deps/made"]"#));
    world.commit("another command");
    let (_, kept, said, _) = run(&world, &[], &[]);
    assert!(kept[0] == other[0] && said.contains("which does not count here"), "{kept:?} {said}");
    accept(&world);
    assert_eq!(run(&world, &[], &[]).0, 3);
    let (_, changed, _, record) = run(&world, &["--yes"], &[]);
    assert!(changed[1] == "other" && record["set_up"] != digest.as_str(), "{changed:?}");
}

#[test]
fn a_set_up_is_held_and_what_fails_ends_the_start_with_its_words() {
    for (command, told) in [
        ("echo broken >&2; exit 7", "ended with exit code 7\n  broken\n"),
        ("echo x >src/a.txt", "src/a.txt"),
        ("echo x >new.txt", "new.txt"),
        ("rm -r deps", "deps"),
        ("cat $KEYS/.config/rye/config.toml; false", "ended with exit code 1"),
        ("cat .git/config; false", "ended with exit code 1"),
        ("exec 3<>/dev/tcp/127.0.0.1/80", "ended with exit code"),
    ] {
        let home = World::new();
        let command = command.replace("$KEYS", &home.path("home").display().to_string());
        home.write_at(&home.path("home/.config/rye/config.toml"), "# hunter2\n");
        let shell = if command.contains("/dev/tcp") { "bash" } else { "sh" };
        let world = world(&json!([shell, "-c", command]).to_string());
        accept(&world);
        let (code, _, said, _) = run(&world, &["--yes"], &[]);
        assert!(
            code == 1 && said.contains("the set-up of the tree failed") && said.contains(told),
            "{command}: {code} {said}"
        );
        assert!(said.contains("correct `[tree]` in `.ai/config.toml`") && !said.contains("hunter2"), "{said}");
        // Nothing of it is kept.
        assert!(!world.path("home/.cache/rye/set_ups").exists());
    }
}

#[test]
fn no_set_up_runs_without_a_sandbox_for_what_git_tracks_or_without_its_lock_file() {
    let world = world(MAKES);
    accept(&world);
    world.write_at(&world.path("home/.config/rye/config.toml"), "sandbox = \"off\"\n");
    let (code, _, said, _) = run(&world, &["--yes"], &[]);
    assert!(code == 1 && said.contains("a set-up runs in a sandbox only"), "{said}");
    std::fs::remove_file(world.path("home/.config/rye/config.toml")).unwrap();
    world.write(".gitignore", "/target\n");
    world.commit("not ignored");
    let (code, _, said, _) = run(&world, &["--yes"], &[]);
    assert!(code == 1 && said.contains("git does not ignore `deps`"), "{said}");
    world.write(".gitignore", "/target\n/deps\n");
    world.git(&["rm", "-q", "lock"]);
    world.commit("no lock");
    let (code, _, said, _) = run(&world, &["--yes"], &[]);
    assert!(code == 1 && said.contains("lock file `lock`"), "{said}");
}

#[test]
fn a_proposal_that_could_not_take_effect_is_refused() {
    let world = World::new();
    for (config, told) in [
        ("[tree.setup]\ncommand = [\"sh\"]\nlocks = [\"a\"]\n", "`tree.share` names no folder"),
        ("[tree]\nshare = [\"a\"]\n[tree.setup]\ncommand = [\"sh\"]\n", "`tree.setup.locks` names no file"),
        (
            "[tree]\nshare = [\"a\"]\n[tree.setup]\ncommand = [\"./x\"]\nlocks = [\"a\"]\n",
            "does not begin with the name of a program",
        ),
        ("[tree]\nshare = [\"preset:ruby\"]\n", "invalid value"),
        ("[tree]\nrun = \"x\"\n", "unknown setting"),
    ] {
        let error = rye::context::ProjectConfig::parse("config.toml".as_ref(), config.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(told), "{config}: {error}");
        world.write(".ai/config.toml", config);
        let (code, _) = world.rye_json(&["trust", "propose", "--principal", "ada@example.org", "--yes"]);
        assert_ne!(code, 0, "{config}");
    }
}
