//! Files and folders that arguments and variables name: special and endless files are neither read nor waited for.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Sandbox;

/// What a run may take, in seconds: many times what it takes.
const PATIENCE: u64 = 20;

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The commands that read a file which an argument names; `FILE` is in its place.
const READERS: [&[&str]; 9] = [
    &["execute", "tool", "demo/echo", "--inputs", "@FILE"],
    &["permissions", "demo/greet", "--permissions", "FILE"],
    &["mcp", "--permissions", "FILE"],
    &["verify", "--revoked", "FILE"],
    &["verify", "--allowed-signers", "FILE"],
    &["key", "import", "FILE"],
    &["sign", "tool", "demo/echo", "--key", "FILE"],
    &["trust", "add", "FILE"],
    &["thread", "run", "demo/greet", "-i", "name=x", "--provider", "rye/agent/providers/scripted", "--script", "FILE"],
];

#[test]
fn what_an_argument_names_is_a_regular_file_of_bounded_size() {
    let sandbox = Sandbox::signed();
    fs::create_dir(sandbox.path("folder")).unwrap();
    fifo(&sandbox.path("pipe"));
    fs::File::create(sandbox.path("huge")).unwrap().set_len(1 << 30).unwrap();
    let places = [
        ("/dev/zero".to_owned(), "cannot read `/dev/zero`: it is a device"),
        (sandbox.path("folder").display().to_string(), "cannot read `[SANDBOX]/folder`: it is a folder"),
        (sandbox.path("pipe").display().to_string(), "cannot read `[SANDBOX]/pipe`: it is a named pipe"),
        (sandbox.path("huge").display().to_string(), "larger than "),
    ];
    for reader in READERS {
        for (path, said) in &places {
            let args: Vec<String> = reader.iter().map(|word| word.replace("FILE", path)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let seen = sandbox.rye(&args).within(PATIENCE).transcript();
            assert!(seen.contains(said), "{args:?}: {seen}");
            let is_key = reader[0] == "key" || reader.contains(&"--key");
            let code = if is_key && said.starts_with("larger") { 1 } else { 2 };
            assert!(seen.ends_with(&format!("[exit {code}]\n")), "{args:?}: {seen}");
        }
    }
}

#[test]
fn stdin_and_the_pipes_of_a_shell_are_read_up_to_the_bound() {
    let sandbox = Sandbox::signed();
    let echo = ["execute", "tool", "demo/echo", "--inputs"];
    for place in ["-", "@/dev/stdin", "@/dev/fd/0"] {
        let seen = sandbox.rye(&[&echo[..], &[place]].concat()).stdin("{\"text\": \"hello\"}").transcript();
        assert!(seen.contains("hello") && seen.ends_with("[exit 0]\n"), "{place}: {seen}");
    }
    let seen = sandbox.rye(&["trust", "add", "-"]).stdin(&"#".repeat(300_000)).transcript();
    assert!(seen.contains("cannot read stdin: larger than 256 KiB") && seen.ends_with("[exit 2]\n"), "{seen}");
    for place in ["-", "@/dev/stdin"] {
        let mut endless = Command::new("cat").arg("/dev/zero").stdout(Stdio::piped()).spawn().unwrap();
        let mut rye = sandbox.rye(&[&echo[..], &[place]].concat()).into_command();
        let ended = rye.stdin(endless.stdout.take().unwrap()).output().unwrap();
        endless.kill().unwrap();
        endless.wait().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains("larger than 16 MiB") && ended.status.code() == Some(2), "{place}: {said}");
    }
}

/// Number 20: the owner of a folder can swap what lies there, whatever its sticky bit says.
#[test]
fn a_folder_for_temporary_files_that_is_missing_or_anothers_is_refused() {
    let sandbox = Sandbox::signed();
    let echo = ["execute", "tool", "demo/echo", "--params", "{\"text\": \"hello\"}"];
    sandbox.edit(".ai/tools/demo/fail.sh", "# category", "#  category");
    let refused = |folder: &str, said: &str, hint: &str| {
        let folder = sandbox.path(folder).display().to_string();
        let before = fs::read(sandbox.project().join(".ai/tools/demo/fail.sh")).unwrap();
        for args in [&echo[..], &["commit", "--yes", "-m", "second"]] {
            let seen = sandbox.rye(args).env("TMPDIR", &folder).transcript();
            assert!(seen.contains(said) && seen.contains(hint) && seen.ends_with("[exit 1]\n"), "{seen}");
        }
        assert_eq!(fs::read(sandbox.project().join(".ai/tools/demo/fail.sh")).unwrap(), before, "nothing is signed");
        assert_eq!(sandbox.git(&["diff", "--cached", "--name-only"]), "");
    };
    refused("none", "no such folder for temporary files: `[SANDBOX]/none`", "hint: run `mkdir -p ");
    fs::write(sandbox.path("file"), "").unwrap();
    refused("file", "no such folder for temporary files: `[SANDBOX]/file`", "hint: run `mkdir -p ");
    let theirs = sandbox.path("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::set_permissions(&theirs, std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
    // Only root can give a folder away.
    if chown(&theirs, Some(54_321), None).is_ok() {
        let said = "temporary files are not safe: `[SANDBOX]/theirs` belongs to another user (user 54321)";
        refused("theirs", said, "export TMPDIR=");
        assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
    }
    sandbox.rye(&echo).succeeds();
}
