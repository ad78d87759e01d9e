//! Following a thread that runs, and one whose runner died.

use std::io::{BufReader, Read as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::world::{SCRIPTED, World, call, text};

/// A thread whose tool waits for a file.
fn running() -> (World, Child) {
    let world = World::new().unconfined();
    let (started, go) = (world.path("started"), world.path("go"));
    let script =
        format!("touch {0}; while [ -e {0} ] && [ ! -e {1} ]; do sleep 0.02; done", started.display(), go.display());
    world.tool("demo/slow", &script);
    world.directive("<execute><tool>demo.slow</tool></execute>", r#"turns="3""#, "");
    let script = world.script(&[call("demo_slow", json!({})), text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "-q"];
    let child = world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !started.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the tool does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    (world, child)
}

fn follow(world: &World, args: &[&str]) -> Child {
    let args = [&["thread", "tail", "@latest"], args].concat();
    world.rye(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Reads what a follower prints, up to a line that ends so.
fn read_to(reader: &mut impl std::io::BufRead, end: &str) -> String {
    let mut text = String::new();
    while !text.trim_end().ends_with(end) {
        assert_ne!(reader.read_line(&mut text).unwrap(), 0, "it ended with {text}");
    }
    text
}

fn rest(mut child: Child, mut reader: impl std::io::Read) -> (i32, String, String) {
    let (mut stdout, mut stderr) = (String::new(), String::new());
    reader.read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (child.wait().unwrap().code().unwrap(), stdout, stderr)
}

#[test]
fn a_running_thread_is_followed_to_its_end() {
    let (world, mut runner) = running();
    let mut follower = follow(&world, &[]);
    let mut reader = BufReader::new(follower.stdout.take().unwrap());
    let before = read_to(&mut reader, "call demo/slow {}");
    assert!(before.starts_with("thread work-") && before.contains("\nturn 1\n"), "{before}");
    let mut late = follow(&world, &["-n", "1", "--format", "jsonl"]);
    let mut late_reader = BufReader::new(late.stdout.take().unwrap());
    assert!(read_to(&mut late_reader, "}").contains("tool_call_start"));
    std::fs::write(world.path("go"), "").unwrap();
    let (code, after, warned) = rest(follower, reader);
    assert_eq!((code, after.as_str(), warned.as_str()), (0, "    ok\nturn 2\n  Done.\ncompleted\n", ""));
    let (code, after, _) = rest(late, late_reader);
    assert!(code == 0 && after.ends_with("\"type\":\"thread_complete\",\"data\":{\"outputs\":{}}}\n"), "{after}");
    assert!(runner.wait().unwrap().success());
}

#[test]
fn the_death_of_the_runner_and_a_signal_end_the_following() {
    let (world, mut runner) = running();
    let mut follower = follow(&world, &[]);
    let mut reader = BufReader::new(follower.stdout.take().unwrap());
    read_to(&mut reader, "call demo/slow {}");
    let kill = |child: &Child, signal: &str| {
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    };
    kill(&follower, "-INT");
    assert_eq!(rest(follower, reader), (0, String::new(), String::new()));
    let mut follower = follow(&world, &[]);
    let mut reader = BufReader::new(follower.stdout.take().unwrap());
    read_to(&mut reader, "call demo/slow {}");
    runner.kill().unwrap();
    runner.wait().unwrap();
    let (code, after, warned) = rest(follower, reader);
    assert_eq!((code, after.as_str()), (0, ""));
    assert!(warned.contains("is gone; the thread did not end"), "{warned}");
    std::fs::write(world.path("go"), "").unwrap();
    let (_, shown) = world.rye_json(&["thread", "show", "@latest"]);
    assert_eq!(shown["status"], "interrupted");
    assert_eq!(shown["interrupted"], json!([{"turn": 1, "tool": "demo_slow", "item_id": "demo/slow", "input": {}}]));
    let page = String::from_utf8(world.rye(&["thread", "show", "@latest"]).output().unwrap().stdout).unwrap();
    assert!(page.contains("\nTurn 1  interrupted\n  call demo/slow\n    no result is on record\n"), "{page}");
    let resume = format!("rye thread resume {}\n", shown["thread_id"].as_str().unwrap());
    assert!(page.ends_with(&format!("\nNext\n  {resume}")), "{page}");
    let html = world.rye(&["thread", "show", "@latest", "--html", "-"]).output().unwrap().stdout;
    let html = String::from_utf8(html).unwrap();
    assert!(html.contains("Turn 1, interrupted") && html.contains(resume.trim_end()), "{html}");
}
