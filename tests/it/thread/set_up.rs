//! The set-up of a thread's tree that a project proposes: what counts only as accepted, is agreed to once, is held, and is kept.

use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, result_in_turn, text};
use crate::support::has;
use crate::support::users::User;

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
    let threads = || world.git(&["for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/rye"]);
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
    // Of threads of the same second, git cannot tell the newest.
    let ids = threads();
    let id = ids.lines().find(|id| !before.0.lines().any(|known| known == *id)).unwrap();
    let outcome = world.shown(&json!({"thread_id": id}));
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
    let may = "`; it reads `lock`, reaches no host, and writes `deps`";
    assert!(said.contains(may), "{said}");
    // A client may have given the flag.
    let (code, _, said, _) = run(&world, &["--yes"], &[("CLAUDECODE", "1")]);
    assert!(code == 3 && said.contains("is not agreed to"), "{code} {said}");
    let (_, first, said, record) = run(&world, &["--yes"], &[]);
    assert!(said.contains(may) && said.contains("(digest "), "what `--yes` agrees to is shown: {said}");
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
        ("cat src/a.txt", "src/a.txt"),
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
            code == 1 && said.contains("the set-up of the tree failed") && said.contains("ended with exit code"),
            "{command}: {code} {said}"
        );
        // What it said itself, behind its own words.
        let (_, itself) = said.rsplit_once("`: it ").unwrap();
        assert!(itself.contains(told), "{command}: {said}");
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
        ("[tree]\nshare = [\"*\"]\n", "line 2"),
        ("[tree]\nshare = [\"deps\", \"a/?\"]\n", "invalid value"),
        ("[tree]\nshare = [\"a[bc]\"]\n", "invalid value"),
        ("[tree]\nshare = [\"{a,b}\"]\n", "invalid value"),
        ("[tree]\nshare = [\".\"]\n", "invalid value"),
        (
            "[tree]\nshare = [\"a\"]\n[tree.setup]\ncommand = [\"sh\"]\nlocks = [\"**\"]\n",
            "`**` of `tree.setup.locks` is a pattern",
        ),
        ("[tree]\nrun = \"x\"\n", "unknown setting"),
    ] {
        let error = rye::context::ProjectConfig::parse("config.toml".as_ref(), config.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(told), "{config}: {error}");
        world.write(".ai/config.toml", config);
        let (code, _) = world.rye_json(&["trust", "propose", "--principal", "ada@example.org", "--yes"]);
        assert_ne!(code, 0, "{config}");
    }
}

/// A configuration whose command is a file of the project.
fn of_file(locks: &str) -> String {
    format!("[tree]\nshare = [\"deps\"]\n[tree.setup]\ncommand = [\"sh\", \"mk.sh\"]\nlocks = {locks}\n")
}

const NO_IDS: &str =
    "cat lock >deps/made; mkdir deps/bin; echo x >deps/bin/run; od -An -N8 -tx8 /dev/urandom >deps/id\n";

#[test]
fn a_set_up_of_one_project_counts_for_no_other() {
    let mut world = world(MAKES);
    accept(&world);
    let (_, first, _, record) = run(&world, &["--yes"], &[]);
    let there = world.in_project("").display().to_string();
    world.git_in(".", &["clone", "-q", &there, "other"]);
    world.project = "other";
    let accepted = world.rye(&["trust", "accept", "--yes"]).output().unwrap();
    assert!(accepted.status.success(), "{}", String::from_utf8_lossy(&accepted.stderr));
    let (code, _, said, _) = run(&world, &[], &[]);
    assert!(code == 3 && said.contains("is not agreed to"), "{code} {said}");
    let (_, second, said, other) = run(&world, &["--yes"], &[]);
    assert!(said.contains("setting up") && second[0] != first[0] && second[1] == "one", "{second:?} {said}");
    assert_ne!(other["set_up"], record["set_up"]);
}

#[test]
fn a_set_up_reads_what_its_key_has_and_no_more() {
    let world = world(MAKES);
    world.write("mk.sh", NO_IDS);
    world.write(".ai/config.toml", &of_file(r#"["lock"]"#));
    world.commit("a script");
    accept(&world);
    let (code, _, said, _) = run(&world, &["--yes"], &[]);
    assert!(code == 1 && said.contains("mk.sh"), "a file that could change the result is not read: {said}");
    world.write(".ai/config.toml", &of_file(r#"["lock", "mk.sh", "src"]"#));
    world.commit("named");
    accept(&world);
    let (_, first, said, _) = run(&world, &["--yes"], &[]);
    assert!(said.contains("setting up") && first[1] == "one", "{first:?} {said}");
    world.write("README.md", "other\n");
    world.commit("something else");
    assert_eq!(run(&world, &[], &[]).1[0], first[0], "the same files have the same result");
    for (path, text) in [("mk.sh", "cat lock lock >deps/made; echo 1 >deps/id\n"), ("src/new.txt", "x\n")] {
        world.write(path, text);
        world.commit("a branch of somebody");
        let (_, _, said, _) = run(&world, &[], &[]);
        assert!(said.contains("setting up"), "{path}: {said}");
    }
}

/// A model may write the script and the lock file.
#[test]
fn what_a_thread_wrote_is_not_run_as_a_set_up_when_it_goes_on() {
    let world = world(MAKES);
    world.write("mk.sh", NO_IDS);
    world.write(".ai/config.toml", &of_file(r#"["lock", "mk.sh"]"#));
    world.commit("a script");
    accept(&world);
    let shell = |text: &str| call("rye_shell_run", json!({"argv": ["sh", "-c", text]}));
    let poison = "echo 'echo poison >deps/made' >mk.sh; echo two >lock";
    let turns = [shell(poison), shell("cat deps/made"), text("Done.")];
    let script = world.script(&turns).display().to_string();
    let start = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--yes"];
    let begun = world.rye(&start).output().unwrap();
    assert!(begun.status.success(), "{}", String::from_utf8_lossy(&begun.stderr));
    let newest = || {
        let refs = ["for-each-ref", "--sort=-creatordate", "--format=%(refname:lstrip=4)", "refs/heads/rye"];
        world.git(&refs).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let first = newest()[0].clone();
    for is_kept in [true, false] {
        if !is_kept {
            std::fs::remove_dir_all(world.path("home/.cache/rye/set_ups")).unwrap();
        }
        let before = newest();
        let fork = ["thread", "fork", &first, "--turn", "1", "--provider", SCRIPTED, "--script", &script];
        let forked = world.rye(&fork).output().unwrap();
        let said = String::from_utf8(forked.stderr).unwrap();
        assert!(forked.status.success() && said.contains("setting up") != is_kept, "{said}");
        let id = newest().into_iter().find(|id| !before.contains(id)).unwrap();
        let outcome = world.shown(&json!({"thread_id": id}));
        let found = result_in_turn(&world.events(&outcome), 2);
        assert_eq!(found["output"]["stdout"].as_str().map(str::trim), Some("one"), "{found}");
        let (_, own, said, _) = run(&world, &[], &[]);
        assert!(own[1] == "one" && !said.contains("setting up"), "nothing of the thread's is kept: {own:?} {said}");
    }
}

/// The person has no virtual environment: the documented example.
#[test]
fn a_virtual_environment_of_a_set_up_is_used_and_what_a_thread_changed_in_it_is_not() {
    let has_venv = std::process::Command::new("python3").args(["-c", "import venv"]).output();
    if !has_venv.is_ok_and(|output| output.status.success()) {
        return;
    }
    let world = world(MAKES);
    world.write(".gitignore", "/.venv/\n");
    let command = "python3 -m venv --without-pip .venv && printf '#!%s/.venv/bin/python\\nprint(\\\"mine\\\")\\n' \\\"$PWD\\\" >.venv/bin/own && chmod +x .venv/bin/own";
    world.write(
        ".ai/config.toml",
        &format!("[tree]\nshare = [\".venv\", \"preset:python\"]\n[tree.setup]\ncommand = [\"sh\", \"-c\", \"{command}\"]\nlocks = [\"lock\"]\n"),
    );
    world.commit("python");
    accept(&world);
    let program = |argv: &[&str]| call("rye_shell_run", json!({"argv": argv}));
    let plant =
        "printf '#!/bin/sh\\necho planted\\n' >.venv/bin/own; cp .venv/bin/own .venv/bin/made; chmod +x .venv/bin/made";
    let turns = [
        program(&["python", "-c", "import sys; print(sys.prefix)"]),
        program(&["own"]),
        program(&["sh", "-c", plant]),
        program(&["own"]),
        program(&["made"]),
        text("Done."),
    ];
    // Made here, then copied.
    for _ in 0..2 {
        let script = world.script(&turns).display().to_string();
        let start = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--yes"];
        let output = world.rye(&start).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let id = world.git(&["for-each-ref", "--sort=-creatordate", "--format=%(refname:lstrip=4)", "refs/heads/rye"]);
        let outcome = world.shown(&json!({"thread_id": id.lines().next().unwrap()}));
        let events = world.events(&outcome);
        let found: Vec<Value> = (1..=5).map(|turn| result_in_turn(&events, turn)).collect();
        let printed = |at: usize| found[at]["output"]["stdout"].as_str().unwrap_or_default().to_owned();
        assert!(printed(0).contains("/trees/") && printed(0).trim().ends_with("/.venv"), "{found:?}");
        assert!(printed(1).contains("mine") && found[2]["status"] == "ok", "{found:?}");
        assert!(found[3..].iter().all(|result| result["status"] == "error"), "{found:?}");
        assert!(!printed(3).contains("planted") && !printed(4).contains("planted"), "{found:?}");
    }
}

#[test]
fn a_set_up_makes_no_folder_behind_a_link_of_the_tree() {
    let world = world(MAKES);
    std::fs::create_dir(world.path("outside")).unwrap();
    std::os::unix::fs::symlink(world.path("outside"), world.in_project("web")).unwrap();
    world.write(".gitignore", "deps\n");
    world.write(".ai/config.toml", &config(r#"["true"]"#).replace("\"deps\"", "\"web/deps\""));
    world.commit("a link");
    accept(&world);
    let (code, _, said, _) = run(&world, &["--yes"], &[]);
    assert!(code == 1 && said.contains("the set-up of the tree failed"), "{code} {said}");
    assert_eq!(std::fs::read_dir(world.path("outside")).unwrap().count(), 0);
}

/// A server that answers every request with its first line, and counts them.
fn server() -> (u16, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, asked) = (listener.local_addr().unwrap().port(), std::sync::Arc::default());
    let counted = std::sync::Arc::<std::sync::atomic::AtomicUsize>::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let mut head = [0; 2048];
            let count = stream.read(&mut head).unwrap_or_default();
            let line = String::from_utf8_lossy(&head[..count]).lines().next().unwrap_or_default().to_owned();
            let length = line.len();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{line}");
        }
    });
    (port, asked)
}

#[test]
fn a_set_up_reaches_the_hosts_that_it_names_and_no_other() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let ((named, asked), (other, asked_other)) = (server(), server());
            let fetch = |url: &str, hosts: &str| {
                let program = format!(
                    "import os, urllib.request as r; b = r.urlopen('{url}').read(); os.makedirs('deps/bin'); \
                     [open('deps/' + name, 'wb').write(b) for name in ['id', 'made', 'bin/run']]"
                );
                let command = format!("{}\nhosts = {hosts}", json!(["python3", "-c", program]));
                let world = world(&command);
                accept(&world);
                // A shim of a version manager is not a program that a set-up can start.
                run(&world, &["--yes"], &[("PATH", "/usr/bin:/bin")])
            };
            let hosts = format!("[\"127.0.0.1:{named}\"]");
            let (code, found, said, _) = fetch(&format!("http://127.0.0.1:{named}/package"), &hosts);
            assert_eq!(
                (code, found.get(1).map(String::as_str)),
                (0, Some("GET /package HTTP/1.1")),
                "{user:?}: {said}"
            );
            assert!(said.contains(&format!("reaches 127.0.0.1:{named}, and writes")), "{user:?}: {said}");
            for host in [format!("127.0.0.1:{other}"), format!("localhost:{named}")] {
                let (code, _, said, _) = fetch(&format!("http://{host}/package"), &hosts);
                let told = format!("it asked for hosts that `tree.setup.hosts` does not name: {host}");
                assert!(code == 1 && said.contains(&told), "{user:?}: {code} {said}");
            }
            let (code, _, said, _) = fetch(&format!("http://127.0.0.1:{other}/package"), "[]");
            assert!(code == 1 && said.contains("the set-up of the tree failed"), "{user:?}: {code} {said}");
            let count = |asked: &std::sync::atomic::AtomicUsize| asked.load(std::sync::atomic::Ordering::SeqCst);
            assert_eq!((count(&asked), count(&asked_other)), (1, 0), "{user:?}");
        });
    }
}
