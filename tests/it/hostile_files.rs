//! Files of a project that must not be followed, waited for or read to the end.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::mcp::client::Client;
use crate::support::{Sandbox, has};

/// What a run of the program may take, in seconds: many times what it takes.
const PATIENCE: u64 = 20;

/// The verbs that look at a project's files.
const VERBS: [&[&str]; 7] =
    [&["list"], &["lint"], &["verify"], &["sign", "--all"], &["init"], &["migrate"], &["commit", "-m", "x"]];

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs a verb with a variable that must not be seen, and returns what it says and its code.
fn run(sandbox: &Sandbox, args: &[&str]) -> (String, String) {
    let seen = sandbox.rye(args).env("SECRET_OF_THE_PERSON", "ken-sent-me").within(PATIENCE).transcript();
    let seen = seen.split_once('\n').unwrap().1.to_owned();
    assert!(!seen.contains("ken-sent-me"), "{args:?}: {seen}");
    let code = seen.rsplit("[exit ").next().unwrap().split(']').next().unwrap().to_owned();
    assert!(code != "none", "{args:?} did not end: {seen}");
    (seen, code)
}

/// Number 17: `.ai` was followed wherever it led, and `init` wrote there.
#[test]
fn a_space_that_is_a_link_is_named_and_never_followed() {
    for target in ["/dev/zero", "/proc/self/environ", "/etc", "../elsewhere"] {
        let sandbox = Sandbox::signed();
        fs::create_dir(sandbox.path("elsewhere")).unwrap();
        fs::remove_dir_all(sandbox.project().join(".ai")).unwrap();
        symlink(target, sandbox.project().join(".ai")).unwrap();
        for verb in VERBS {
            let (seen, code) = run(&sandbox, verb);
            assert!(code != "0" && seen.contains("project/.ai` is a symlink"), "{target}, {verb:?}: {seen}");
        }
        assert_eq!(fs::read_dir(sandbox.path("elsewhere")).unwrap().count(), 0, "{target}");
    }
}

#[test]
fn a_folder_of_the_space_that_is_a_link_is_told_and_nothing_is_written_through_it() {
    let sandbox = Sandbox::signed();
    fs::create_dir(sandbox.path("elsewhere")).unwrap();
    fs::remove_dir_all(sandbox.project().join(".ai/tools")).unwrap();
    symlink(sandbox.path("elsewhere"), sandbox.project().join(".ai/tools")).unwrap();
    for verb in &VERBS[..3] {
        let (seen, _) = run(&sandbox, verb);
        assert!(seen.contains(".ai/tools") && seen.contains("it is a symlink"), "{verb:?}: {seen}");
    }
    let (seen, code) = run(&sandbox, &["init"]);
    assert!(code == "1" && seen.contains(".ai/tools` is a symlink"), "{seen}");
    run(&sandbox, &["sign", "--all"]);
    assert_eq!(fs::read_dir(sandbox.path("elsewhere")).unwrap().count(), 0);
}

/// `init` adds lines to files of the project: never to what a link leads to.
#[test]
fn init_writes_and_reads_no_file_through_a_link() {
    for (name, target) in
        [(".gitattributes", "/dev/zero"), (".gitattributes", "../elsewhere"), (".ai/.gitignore", "../../elsewhere")]
    {
        let sandbox = Sandbox::with_items();
        fs::write(sandbox.path("elsewhere"), "mine\n").unwrap();
        symlink(target, sandbox.project().join(name)).unwrap();
        let (seen, code) = run(&sandbox, &["init"]);
        assert!(code == "1" && seen.contains(&format!("{name}` is a symlink")), "{seen}");
        assert_eq!(fs::read_to_string(sandbox.path("elsewhere")).unwrap(), "mine\n");
    }
}

/// Number 17: `/dev/zero` was read without end, a pipe was waited for, and the error quoted the environment, to a model too.
#[test]
fn a_configuration_that_is_no_plain_file_is_neither_read_nor_quoted() {
    for target in ["/dev/zero", "/proc/self/environ", "fifo", "large"] {
        let sandbox = Sandbox::signed();
        let config = sandbox.project().join(".ai/config.toml");
        let said = match target {
            "fifo" => {
                fifo(&config);
                "is no regular file"
            }
            "large" => {
                fs::write(&config, "#".repeat(64 * 1024 + 1)).unwrap();
                "is larger than 65536 bytes"
            }
            _ => {
                symlink(target, &config).unwrap();
                "is a symlink"
            }
        };
        let (seen, code) = run(&sandbox, &["permissions", "demo/greet"]);
        assert!(code == "1" && seen.contains(&format!("config.toml` {said}")), "{target}: {seen}");
        let mut client = Client::connected(&sandbox, &[]);
        let answer = client.call("rye_search", json!({"item_type": "tool", "query": "echo"})).to_string();
        assert!(answer.contains(said), "{target}: {answer}");
        for verb in &VERBS[..5] {
            run(&sandbox, verb);
        }
    }
}

#[test]
fn an_error_of_the_configuration_names_its_place_and_does_not_quote_the_line() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/config.toml", "[permissions]\nnonsense = \"ken-sent-me\"\n");
    let (seen, code) = run(&sandbox, &["permissions", "demo/greet"]);
    assert!(code == "2" && seen.contains("is wrong: line 2, column 1: unknown field `nonsense`"), "{seen}");
    sandbox.put(".ai/config.toml", "\nken-sent-me ken-sent-me\n");
    let (seen, code) = run(&sandbox, &["permissions", "demo/greet"]);
    assert!(code == "2" && seen.contains("is wrong: line 2, column "), "{seen}");
}

#[test]
fn trust_files_that_are_no_plain_files_are_told_and_never_read() {
    for target in ["/dev/zero", "/proc/self/environ", "fifo", "../../../elsewhere"] {
        for folder in [true, false] {
            let sandbox = Sandbox::signed();
            let trust = sandbox.project().join(".ai/trust");
            if folder {
                symlink(target, &trust).unwrap();
            } else {
                fs::create_dir(&trust).unwrap();
                for name in ["allowed_signers", "manifest.toml", "policy.toml"] {
                    if target == "fifo" {
                        fifo(&trust.join(name));
                    } else {
                        symlink(target, trust.join(name)).unwrap();
                    }
                }
            }
            for verb in VERBS.into_iter().chain([&["trust", "accept", "--yes"][..]]) {
                run(&sandbox, verb);
            }
        }
    }
}

/// A person may keep their own space elsewhere: nobody else writes their home folder. Below it no link is followed.
#[test]
fn a_person_may_link_their_own_space_and_nothing_below_it() {
    let sandbox = Sandbox::signed();
    let dotfiles = sandbox.path("dotfiles/ai");
    fs::create_dir_all(dotfiles.join("tools/own")).unwrap();
    let echo = fs::read_to_string(sandbox.project().join(".ai/tools/demo/echo.sh")).unwrap();
    fs::write(dotfiles.join("tools/own/echo.sh"), &echo).unwrap();
    symlink("echo.sh", dotfiles.join("tools/own/link.sh")).unwrap();
    symlink(sandbox.path("dotfiles/ai"), sandbox.path("home/.ai")).unwrap();
    let (seen, _) = run(&sandbox, &["list", "tool", "--space", "user"]);
    assert!(seen.contains("tool\town/echo\t") && !seen.contains("tool\town/link\t"), "{seen}");
    assert!(seen.contains("own/link.sh") && seen.contains("it is a symlink, and symlinks are not followed"), "{seen}");
    let (_, code) = run(&sandbox, &["init", "--user"]);
    assert!(code == "0" && dotfiles.join("knowledge").is_dir());
}

/// Puts five neighbours of an item into its folder that cannot be read, and returns what each is told by.
fn spoil(sandbox: &Sandbox) -> [&'static str; 5] {
    let tools = sandbox.project().join(".ai/tools");
    symlink("echo.sh", tools.join("demo/a_link.sh")).unwrap();
    fs::write(tools.join("demo/big.sh"), vec![b'#'; 1_100_000]).unwrap();
    fifo(&tools.join("demo/pipe.sh"));
    fs::write(tools.join(OsStr::from_bytes(b"demo/caf\xe9.sh")), "true\n").unwrap();
    fs::write(tools.join("demo/closed.sh"), "true\n").unwrap();
    fs::set_permissions(tools.join("demo/closed.sh"), fs::Permissions::from_mode(0o000)).unwrap();
    ["demo/a_link.sh", "demo/big.sh", "demo/pipe.sh", "demo/caf", "demo/closed.sh"]
}

/// Runs a verb as somebody whom a file's mode stops: root gives that up. Returns stdout, stderr and the code.
fn run_bound(sandbox: &Sandbox, args: &[&str]) -> (String, String, i32) {
    let program = env!("CARGO_BIN_EXE_rye");
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", program]);
    command.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).args(args);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

/// Number 21: one such file stopped the verb, and nothing was said of the others.
#[test]
fn a_file_that_cannot_be_read_is_told_and_the_rest_is_done() {
    if !has("setpriv") {
        return;
    }
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/tools/demo/fail.sh", "# category", "#  category");
    let bad = spoil(&sandbox);
    for (verb, code, good) in [
        (&["list"][..], 1, "tool\tdemo/fail"),
        (&["lint"], 2, "not ok: 6 items checked"),
        (&["verify"], 3, "3 good"),
        (&["sign", "--all"], 2, "signed\ttool\tdemo/fail"),
        (&["sign", "tool", "demo/*"], 2, "unchanged\ttool\tdemo/fail"),
    ] {
        let (stdout, stderr, found) = run_bound(&sandbox, verb);
        let seen = format!("{stdout}{stderr}");
        assert!(found == code && seen.contains(good), "{verb:?}, {found}: {seen}");
        let (json, _, found) = run_bound(&sandbox, &[verb, &["--json"]].concat());
        assert_eq!(found, code, "{verb:?}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        // A name that is not UTF-8 fits no pattern.
        let expected = if verb.len() == 3 { &bad[..3] } else { &bad[..] };
        for path in expected {
            assert!(seen.contains(path) && json.to_string().contains(path), "{verb:?}, {path}: {seen}\n{json}");
        }
    }
    // Signed above: all that can be read is good, and yet it does not pass.
    let (stdout, _, code) = run_bound(&sandbox, &["verify"]);
    assert!(code == 3 && stdout.contains("4 good"), "{stdout}");
}

/// A commit takes what is staged and what can be read, and says what it leaves.
#[test]
fn a_neighbour_that_cannot_be_read_does_not_stop_a_commit() {
    if !has("setpriv") {
        return;
    }
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/tools/demo/fail.sh", "# category", "#  category");
    spoil(&sandbox);
    let (stdout, stderr, code) = run_bound(&sandbox, &["commit", "--yes", "-m", "second"]);
    assert!(code == 0 && stdout.contains("demo/fail"), "{stdout}{stderr}");
    for path in ["demo/big.sh", "demo/closed.sh"] {
        assert!(stderr.contains(path) && stderr.contains("it is not staged and is left as it is"), "{stderr}");
    }
    assert_eq!(sandbox.git(&["show", "--name-only", "--format="]).trim(), ".ai/tools/demo/fail.sh");
    // Named, it is refused.
    let (_, stderr, code) = run_bound(&sandbox, &["commit", "--yes", "-m", "third", ".ai/tools/demo/big.sh"]);
    assert!(code == 1 && stderr.contains("demo/big.sh` is larger than"), "{stderr}");
}

/// `sign --all` signed one file after the other, and stopped in the middle.
#[test]
fn everything_is_read_and_every_signature_made_before_a_file_is_written() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/zebra.sh", "no header\n");
    fs::set_permissions(sandbox.project().join(".ai/tools/demo/echo.sh"), fs::Permissions::from_mode(0o444)).unwrap();
    let seen = sandbox.rye(&["sign", "--all"]).transcript();
    for row in ["failed\ttool\tdemo/zebra", "failed\ttool\tdemo/echo", "signed\ttool\tdemo/fail"] {
        assert!(seen.contains(row), "{seen}");
    }
    assert!(seen.contains("demo/echo.sh` is write-protected") && seen.ends_with("[exit 2]\n"), "{seen}");
    // A key that refuses leaves every file as it was.
    let sandbox = Sandbox::with_items();
    sandbox.put("../key", "no key\n");
    let before = fs::read(sandbox.project().join(".ai/tools/demo/echo.sh")).unwrap();
    assert!(!sandbox.rye(&["sign", "--all", "--key", "../key"]).transcript().ends_with("[exit 0]\n"));
    assert_eq!(fs::read(sandbox.project().join(".ai/tools/demo/echo.sh")).unwrap(), before);
}

/// Number 19: a tool that prints without end ran on to its time limit.
#[test]
fn a_tool_that_prints_without_end_is_stopped_and_failed() {
    let sandbox = Sandbox::with_items();
    let header = "# version: 1.0.0\n# description: \"Floods\"\n# category: demo\n";
    sandbox.put(".ai/tools/demo/out.sh", &format!("{header}yes flood\n"));
    sandbox.put(".ai/tools/demo/err.sh", &format!("{header}yes flood >&2\n"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    for (id, limit) in [("demo/out", 1 << 20), ("demo/err", 1 << 18)] {
        let said = format!("stopped: wrote more than {limit} bytes");
        let (seen, code) = run(&sandbox, &["execute", "tool", id, "--json"]);
        assert!(code == "1" && seen.contains(&said), "{id}: {}", &seen[..seen.len().min(400)]);
        let mut client = Client::connected(&sandbox, &[]);
        let answer = client.call("rye_execute", json!({"item_type": "tool", "item_id": id}));
        assert!(answer.to_string().contains(&said), "{id}");
        assert_eq!(answer["isError"], true, "{id}");
    }
}

/// Number 18: neither limits nor a signal stopped it. Nothing in `lint` waits, so the signal's own action is in force.
#[test]
fn a_signal_ends_a_lint_in_a_moment() {
    let sandbox = Sandbox::with_items();
    // Enough of them to be interrupted.
    let inputs = "<input name=\"a\" type=\"string\">x</input>".repeat(3000);
    let text =
        format!("# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><inputs>{inputs}</inputs></directive>\n```\n");
    (0..400).for_each(|n| sandbox.put(&format!(".ai/directives/many/n{n}.md"), &text));
    let mut lint = sandbox.rye(&["lint", "-q"]).spawn();
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    assert!(Command::new("kill").arg(lint.id().to_string()).status().unwrap().success());
    let status = lint.wait().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_eq!(status.signal(), Some(15), "it was to be stopped on its way");
}
