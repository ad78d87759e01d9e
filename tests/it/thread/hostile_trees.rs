//! Whatever tree a tool makes, its thread goes on, ends with an event, and leaves nothing behind.

use rye::thread::{Outcome, Status};
use serde_json::json;

use super::world::{World, call, result_in_turn, text, types};
use crate::support::users::User;

const ALL: &str = r#"<execute><tool>demo.*</tool></execute><write resource="filesystem" path="**" />"#;

/// Makes folders in one another, each entered from the one above: no path has to be short.
const NEST: &str = "python3 - <<'EOP'
import os
def nest(top, name, levels, last):
    os.mkdir(top); here = os.getcwd(); os.chdir(top)
    for _ in range(levels): os.mkdir(name); os.chdir(name)
    last(); os.chdir(here)
def file(): open('file', 'w').write('x')
";

/// What a tool makes, each with its name.
fn trees() -> Vec<(&'static str, String)> {
    let nest = |body: &str| format!("{NEST}{body}\nEOP");
    vec![
        ("longer than a path may be", nest("nest('long', 'x' * 100, 45, file)")),
        ("longer than a path may be, where git ignores it", nest("os.mkdir('target'); nest('target/long', 'x' * 100, 45, file)")),
        ("a little longer or shorter", nest("for n in range(30): nest(f'd{n}', 'x' * 99, 38, lambda: open('y' * (n * 8 + 1), 'w').write('x'))")),
        ("names as long as they may be", nest("nest('l', 'x' * 255, 16, lambda: open('y' * 255, 'w').write('x'))")),
        ("three thousand levels", nest("nest('deep', 'd', 3000, file)")),
        ("levels that are closed", nest("nest('shut', 'd', 300, file); os.chmod('shut/d/d', 0); os.chmod('shut', 0o500)")),
        (
            "folders and files without permissions",
            "mkdir -p a/b/c; echo x >a/b/c/f; echo x >g; chmod 000 a/b/c g; chmod 000 a/b; chmod 0300 a; mkdir e; chmod 0 e".to_owned(),
        ),
        (
            "thousands of links",
            "mkdir l; cd l; python3 -c \"import os
for n in range(5000): os.symlink('../l' if n % 2 else f'{(n + 1) % 5000}', str(n))
os.symlink('x' * 4095, 'long'); os.symlink('/proc/self/root', 'root')\"; ln -s . self; ln -s ../l ../m"
                .to_owned(),
        ),
        (
            "names with line ends, controls and no UTF-8",
            "python3 -c \"import os
for n in [b'a\\\\nb', b'\\\\r', b'\\\\x1b[2J', b'\\\\xff\\\\xfe', b'-rf', b' ', b'a\\\\\\\\b', b'..x', '\\\\u202e'.encode(), b'\\\\n']:
    open(n, 'w').write('x'); os.mkdir(n + b'.d'); open(n + b'.d/' + n, 'w').write('x')\""
                .to_owned(),
        ),
        (
            "pipes and sockets",
            "mkdir p; mkfifo p/pipe p/.gitignore p/.gitattributes .gitmodules; mkfifo .gitattributes || true; python3 -c \"import os, stat
try: os.mknod('p/socket', stat.S_IFSOCK | 0o600)
except OSError: pass\"; mkdir -p q/.ai/tools; mkfifo q/.ai/tools/x.sh"
                .to_owned(),
        ),
    ]
}

fn ends(world: &World, outcome: &Outcome, name: &str) {
    let events = world.events(outcome);
    let made = result_in_turn(&events, 1);
    assert_eq!(made["status"], "ok", "{name}: {made}");
    let events = types(&events);
    assert_eq!(events.last().map(String::as_str), Some("thread_complete"), "{name}: {:?}", outcome.error);
    assert_eq!(outcome.status, Status::Completed, "{name}: {:?}", outcome.error);
    assert_eq!(world.trees(), Vec::<String>::new(), "{name}");
    assert!(world.changed(outcome).concat().contains(&"last.txt".to_owned()), "{name}");
}

/// Runs a thread that makes the tree, and then one file more.
fn run(world: &World, script: &str) -> Outcome {
    world.tool("demo/make", &format!("export PATH=/usr/local/bin:/usr/bin:/bin\n{script}"));
    world.tool("demo/after", "echo x >last.txt");
    world.directive(ALL, r#"turns="9""#, "");
    world.commit("items");
    world.run(&[call("demo_make", json!({})), call("demo_after", json!({})), text("Done.")])
}

#[test]
fn a_thread_goes_on_whatever_tree_a_tool_makes() {
    for user in User::all() {
        for (name, script) in trees() {
            user.does(|| {
                let world = World::new();
                ends(&world, &run(&world, &script), &format!("{name}, {user:?}"));
            });
        }
    }
}

/// Without a sandbox nothing keeps a tool from what the next ones do.
#[test]
fn a_thread_goes_on_whatever_tree_a_tool_makes_without_a_sandbox() {
    for (name, script) in trees() {
        let world = World::new().unconfined();
        ends(&world, &run(&world, &script), name);
    }
}

/// A path of a thread's tree may be too long in the person's, whose folder has another name.
#[test]
fn what_a_tool_made_with_long_paths_is_accepted_or_refused_by_name() {
    let world = World::new();
    let (_, script) = trees().into_iter().find(|(name, _)| *name == "a little longer or shorter").unwrap();
    ends(&world, &run(&world, &script), "long");
    let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
    assert_eq!(code, 0, "{}", accepted["error"]);
    assert!(world.in_project("last.txt").exists());
}
