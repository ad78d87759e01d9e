//! Scripts that a person runs outside of threads: they read the project, and write their temporary folder and the
//! granted paths.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::support::{Sandbox, has};

/// Runs a program on a kernel without Landlock.
const NO_LANDLOCK: &str = include_str!("../support/no_landlock.py");

/// A project with a tool that is this script.
fn with_tool(script: &str) -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put("notes.md", "notes\n");
    sandbox.put("src/a.txt", "a\n");
    let header = "# version: 1.0.0\n# description: \"Tries\"\n# category: demo\n";
    sandbox.put(".ai/tools/demo/try.sh", &format!("{header}cat >/dev/null\n{script}\n"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.commit("first");
    sandbox
}

fn configure(sandbox: &Sandbox, text: &str) {
    fs::create_dir_all(sandbox.path("config/rye")).unwrap();
    fs::write(sandbox.path("config/rye/config.toml"), text).unwrap();
}

fn tried(sandbox: &Sandbox) -> String {
    let transcript = sandbox.rye(&["execute", "tool", "demo/try"]).transcript();
    transcript.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn a_script_reads_the_project_and_writes_only_its_temporary_folder() {
    let script = "cat notes.md src/a.txt; ls | tr '\\n' ' '
echo t >$TMPDIR/t && cat $TMPDIR/t
git log --format=%s
exec 2>/dev/null
echo x >notes.md && echo written
echo x >new && echo made
echo x >.git/HEAD && echo head
echo x >.git/hooks/pre-commit && echo hook
cat ../home/secret ../config/rye/keys/* .git/rye/secret .git/hooks/secret
grep -q hunter2 .git/config && echo credential
exit 0";
    let sandbox = with_tool(script);
    for place in ["home/secret", "project/.git/rye/secret", "project/.git/hooks/secret"] {
        fs::create_dir_all(sandbox.path(place).parent().unwrap()).unwrap();
        fs::write(sandbox.path(place), "secret").unwrap();
    }
    sandbox.git(&["remote", "add", "origin", "https://me:hunter2@example.org/x"]);
    assert_eq!(tried(&sandbox), "notes\na\nnotes.md src t\nfirst\n[exit 0]\n");
    // It is the sandbox that refuses.
    configure(&sandbox, "sandbox = \"off\"\n");
    let free = tried(&sandbox);
    for word in ["written", "made", "hook", "secret", "credential"] {
        assert!(free.contains(word), "{word}: {free}");
    }
}

#[test]
fn the_configuration_grants_folders_to_write() {
    let sandbox = with_tool("test -e out || mkdir out; echo x >out/f && echo x >src/b.txt");
    let refused = tried(&sandbox);
    let hint = "hint: a script reads the project, and writes and reaches only granted paths and hosts; to let scripts write `out` or reach `example.org`, set \
                `sandbox.write = [\"out\"]` or `sandbox.network = [\"example.org\"]` in `[SANDBOX]/config/rye/config.toml`\n";
    assert!(refused.contains("src/b.txt") || refused.contains("out/f"), "{refused}");
    fs::create_dir(sandbox.path("project/out")).unwrap();
    let refused = tried(&sandbox);
    assert!(refused.contains(hint) && refused.ends_with("[exit 1]\n"), "{refused}");
    fs::remove_dir(sandbox.path("project/out")).unwrap();

    configure(&sandbox, "[sandbox]\nwrite = [\"out\"]\n");
    // In a copy, from which comes back what is granted.
    let told = tried(&sandbox);
    assert!(told.contains("src/b.txt") && told.ends_with("[exit 0]\n"), "{told}");
    assert_eq!(fs::read_to_string(sandbox.path("project/out/f")).unwrap(), "x\n");
    assert!(!sandbox.path("project/src/b.txt").exists());
    configure(&sandbox, &format!("[sandbox]\nwrite = [\"out/\", \"{}\"]\n", sandbox.path("project/src").display()));
    assert!(tried(&sandbox).ends_with("[exit 0]\n"));
}

#[test]
fn a_grant_of_more_than_the_project_or_of_its_git_folder_is_refused() {
    let sandbox = with_tool("echo ran");
    let project = sandbox.path("project").display().to_string();
    for (grant, said) in [
        ("/".to_owned(), "a script gets no folder to write that contains the project"),
        (format!("{project}/.git"), "no tool may reach a git folder"),
        (format!("{project}/.git/hooks"), "no tool may reach a git folder"),
        (
            sandbox.path("config").display().to_string(),
            "no tool may reach where this program keeps keys, trust and configuration",
        ),
        ("*".to_owned(), "neither an absolute path nor a path in the project"),
        ("../x".to_owned(), "neither an absolute path nor a path in the project"),
    ] {
        configure(&sandbox, &format!("[sandbox]\nwrite = [\"{grant}\"]\n"));
        let refused = tried(&sandbox);
        assert!(refused.contains(said) && !refused.contains("ran\n"), "{grant}: {refused}");
    }
}

#[test]
fn a_host_that_is_not_named_is_told() {
    if !has("python3") {
        return;
    }
    let script = "PATH=/usr/local/bin:/usr/bin:/bin python3 -c \"import socket; s = socket.create_connection(('127.0.0.1', 3128)); \
                  s.sendall(b'CONNECT other.example:443 HTTP/1.1\\\\r\\\\n\\\\r\\\\n'); print(s.recv(99).decode().split()[1])\"";
    let sandbox = with_tool(script);
    configure(&sandbox, "[sandbox]\nnetwork = [\"example.org\"]\n");
    let told = "note: it asked for `other.example:443`, which is not in `sandbox.network`\n";
    assert_eq!(tried(&sandbox), format!("403\n[stderr]\n{told}[exit 0]\n"));
}

/// It writes in a copy; what passes the checks comes back, and all or nothing of a run.
#[test]
fn a_script_that_may_write_the_whole_project_works_in_a_copy_of_it() {
    let script = "cat src/a.txt
echo new >src/a.txt; echo made >made.txt; chmod +x made.txt; rm notes.md
mkdir -p .ai/trust deep; echo x >.ai/trust/x; echo y >deep/y; (umask 077; echo k >key)
if test -e more; then
    mkdir -p .github/workflows nested/.git; echo x >.github/workflows/x.yml; ln -s /etc/passwd link
    echo evil >>bare/config; mv src/b.txt AGENTS.md
fi
ls -d .git 2>/dev/null
test -e fail && exit 7
exit 0";
    let sandbox = with_tool(script);
    let project = sandbox.path("project").display().to_string();
    for grant in [".".to_owned(), project] {
        sandbox.git(&["reset", "-q", "--hard"]);
        sandbox.git(&["clean", "-fdq"]);
        configure(&sandbox, &format!("[sandbox]\nwrite = [\"{grant}\"]\n"));
        assert_eq!(tried(&sandbox), "a\n[exit 0]\n");
        let status = sandbox.git(&["status", "--porcelain", "-uall"]);
        assert_eq!(status, " D notes.md\n M src/a.txt\n?? deep/y\n?? key\n?? made.txt\n");
        assert_eq!(fs::metadata(sandbox.path("project/key")).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(sandbox.path("project/src/a.txt")).unwrap(), "new\n");
        assert_eq!(fs::metadata(sandbox.path("project/made.txt")).unwrap().permissions().mode() & 0o111, 0o111);
        let json = sandbox.rye(&["execute", "tool", "demo/try", "--json"]).transcript();
        // The second run has nothing to change.
        assert!(json.contains(r#""copied":{"written":[],"removed":[]}"#), "{json}");
    }
    // Omitted files are named, and their possible new names are not removed.
    sandbox.git(&["reset", "-q", "--hard"]);
    sandbox.git(&["clean", "-fdq"]);
    sandbox.git(&["init", "-q", "--bare", "bare"]);
    let config = fs::read_to_string(sandbox.path("project/bare/config")).unwrap();
    sandbox.put("src/b.txt", "b\n");
    sandbox.put("more", "");
    let told = tried(&sandbox);
    for (path, reason) in [
        (
            ".github/workflows/x.yml",
            "other programs execute or follow this file, and no write permission names it, such as `.github/workflows/**`",
        ),
        (
            "AGENTS.md",
            "other programs execute or follow this file, and no write permission names it, such as `AGENTS.md`",
        ),
        ("bare/config", "`bare/config` is refused: tools cannot create or change a git repository"),
        ("link", "it is a symlink"),
        ("nested", "it is a git repository"),
        ("src/b.txt", "it is kept, as something else was left out, which it may have become"),
    ] {
        assert!(told.contains(&format!("note: `{path}` was left out: {reason}\n")), "{path}: {told}");
    }
    assert_eq!(fs::read_to_string(sandbox.path("project/bare/config")).unwrap(), config);
    assert_eq!(fs::read_to_string(sandbox.path("project/src/b.txt")).unwrap(), "b\n");
    // The same place by name.
    configure(&sandbox, "[sandbox]\nwrite = [\".\", \".github/workflows\"]\n");
    assert!(!tried(&sandbox).contains("workflows"));
    assert!(sandbox.path("project/.github/workflows/x.yml").exists());
    // Of a tool that fails nothing comes back.
    sandbox.git(&["reset", "-q", "--hard"]);
    sandbox.git(&["clean", "-fdq"]);
    sandbox.put("fail", "");
    let failed = tried(&sandbox);
    assert!(failed.contains("note: nothing that it wrote in the project was kept, as it did not end well"), "{failed}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? fail\n");
}

/// A file that somebody changed while the tool ran is theirs.
#[test]
fn what_changed_meanwhile_is_not_overwritten() {
    let sandbox = with_tool("echo tool >src/a.txt; echo tool >new; until [ -e stop ]; do sleep 0.02; done; rm stop");
    configure(&sandbox, "[sandbox]\nwrite = [\".\"]\n");
    let running = std::thread::scope(|scope| {
        let run = scope.spawn(|| tried(&sandbox));
        let copy = wait_for_copy(&sandbox.path("tmp"));
        sandbox.put("src/a.txt", "mine\n");
        sandbox.put("new", "mine\n");
        fs::write(copy.join("stop"), "").unwrap();
        run.join().unwrap()
    });
    for path in ["src/a.txt", "new"] {
        assert_eq!(fs::read_to_string(sandbox.path("project").join(path)).unwrap(), "mine\n", "{running}");
        assert!(running.contains(&format!("note: `{path}` was left out: ")), "{running}");
    }
}

/// Waits until a tool has written `new` into a private copy in this folder, and returns where that is.
fn wait_for_copy(temporary: &Path) -> PathBuf {
    loop {
        let folders = fs::read_dir(temporary).into_iter().flatten().flatten().map(|entry| entry.path());
        if let Some(copy) = folders.into_iter().find(|folder| folder.join("new").exists()) {
            return copy;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn on_a_system_without_a_sandbox_it_is_said_that_a_tool_ran_without() {
    let sandbox = with_tool("echo ran");
    let run = |args: &[&str]| {
        let rye = sandbox.rye(&[&["execute", "tool", "demo/try"], args].concat()).into_command();
        let mut python = std::process::Command::new("python3");
        python.args(["-c", NO_LANDLOCK]).arg(rye.get_program()).args(rye.get_args());
        python.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
        let output = python.output().unwrap();
        (output.status.code().unwrap(), [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()))
    };
    let (code, [printed, told]) = run(&[]);
    assert_eq!((code, printed.as_str()), (0, "ran\n"), "{told}");
    assert_eq!(
        told.matches("note: tool `demo/try` ran without a sandbox: this system has no sandbox: Landlock: ").count(),
        1,
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
    // Whoever wants none is told nothing, and whoever requires one gets nothing.
    configure(&sandbox, "sandbox = \"off\"\n");
    assert_eq!(run(&[]), (0, ["ran\n".to_owned(), String::new()]));
    configure(&sandbox, "sandbox = \"require\"\n");
    let (code, [printed, told]) = run(&[]);
    assert!(code != 0 && printed.is_empty() && told.contains("this system has no sandbox: "), "{told}");
}

#[test]
fn what_a_killed_program_left_is_removed_by_the_next_and_what_is_used_stays() {
    let sandbox = with_tool("while [ ! -e src/go ]; do sleep 0.05; done; cat $TMPDIR/try.sh >/dev/null && echo there");
    let left = || fs::read_dir(sandbox.path("tmp")).unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let started = || {
        let before = left();
        let child = sandbox.rye(&["execute", "tool", "demo/try"]).spawn();
        let is_there = || left().iter().filter(|folder| !before.contains(folder)).count() == 2;
        for _ in 0..1000 {
            if is_there() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(is_there());
        child
    };
    let mut killed = started();
    killed.kill().unwrap();
    killed.wait().unwrap();
    let abandoned = left();
    assert!(!abandoned.is_empty());
    let waiting = started();
    assert!(abandoned.iter().all(|folder| !folder.exists()), "{abandoned:?}");
    sandbox.rye(&["execute", "tool", "demo/echo", "-i", "text=x"]).succeeds();
    sandbox.put("src/go", "");
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "there\n", "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(left(), Vec::<std::path::PathBuf>::new());
}
