//! No program that is held reads a git folder of the project, by whatever name, or trust and threads below any `.ai`: their logs and
//! configuration hold credentials of URLs.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;

use super::client::Client;
use crate::support::users::User;
use crate::support::{Sandbox, has};
use crate::thread::world::directive;

/// Files with a credential. Each lies in a folder that git, or this program, takes for its own.
const CLOSED: [&str; 16] = [
    ".git/logs/HEAD",
    ".git/logs/refs/heads/main",
    ".git/info/secret",
    ".git/modules/sub/logs/HEAD",
    "repo.git/config",
    "repo.git/logs/HEAD",
    "deep/er/odd name/config",
    "vendor/lib/.git/config",
    "vendor/lib/.git/logs/HEAD",
    "upper/.GIT/config",
    "store/kept/logs/HEAD",
    "led/store/config",
    "lower/config",
    "admin/wt/logs/HEAD",
    "pkg/.ai/trust/token",
    ".ai/threads/token",
];

/// Files that lie next to them.
const OPEN: [&str; 6] =
    ["open.txt", "vendor/lib/a.txt", "store/a.txt", "led/a.txt", "src/head/a.txt", "pkg/.ai/tools/trust"];

const SECRET: &str = "hunter2";

/// A project with all of them.
fn project() -> Sandbox {
    let sandbox = Sandbox::with_items();
    let header = "# version: 1.0.0\n# description: \"Tries\"\n# category: demo\n";
    sandbox.put(".ai/tools/demo/try.sh", &format!("{header}cat >/dev/null\ngrep -rls 'hunter[2]' . | sort\nexit 0\n"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.git(&["init", "-q", "--bare", "repo.git"]);
    sandbox.git(&["init", "-q", "--bare", "deep/er/odd name"]);
    sandbox.git(&["init", "-q", "vendor/lib"]);
    sandbox.put("store/a.txt", "");
    sandbox.git(&["init", "-q", "--separate-git-dir=store/kept", "store/work"]);
    // Git would take none of these as they are.
    for file in ["lower/head", "lower/objects/x", "lower/refs/x", "admin/wt/HEAD", "admin/wt/commondir"] {
        sandbox.put(file, "");
    }
    sandbox.put("led/.git", "gitdir: store\n");
    for file in ["src/objects/x", "src/refs/x"] {
        sandbox.put(file, "");
    }
    for file in CLOSED.into_iter().chain(OPEN) {
        sandbox.put(file, &format!("https://me:{SECRET}@example.org\n"));
    }
    sandbox
}

/// What a system lets programs do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    AsItIs,
    WithoutNameSpaces,
}

/// A client of a server on a system.
fn client(sandbox: &Sandbox, system: System) -> Client<'_> {
    let rye = sandbox.rye(&["mcp"]).into_command();
    let mut command = match system {
        System::AsItIs => rye,
        System::WithoutNameSpaces => {
            let mut python = Command::new("python3");
            python.args(["-c", include_str!("../support/no_name_space.py")]).arg(rye.get_program());
            python.args(rye.get_args()).current_dir(sandbox.project()).env_clear();
            python.envs(rye.get_envs().filter_map(|(name, value)| Some((name, value?))));
            python
        }
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut client = Client::of(sandbox, command.spawn().unwrap());
    client.shake_hands(json!({}));
    client
}

fn configure(sandbox: &Sandbox, text: &str) {
    let script = sandbox.path("runner.py");
    fs::write(&script, include_str!("runner.py")).unwrap();
    let script = script.display();
    let server = |name: &str, write: &str| {
        format!(
            "[mcp_servers.{name}]\ncommand = [\"python3\", \"{script}\"]\nread = [\".\", \"{script}\"]\nwrite = [{write}]\n"
        )
    };
    fs::create_dir_all(sandbox.path("config/rye")).unwrap();
    let config = format!("{text}{}{}", server("reads", ""), server("writes", "\".\""));
    fs::write(sandbox.path("config/rye/config.toml"), config).unwrap();
}

/// Has every kind of program look for the credential, and returns for each what it found.
fn found(client: &mut Client<'_>) -> Vec<(&'static str, Vec<String>)> {
    let code = format!(
        "result = ''
for at, folders, files in os.walk('.'):
    for name in files:
        try:
            result += os.path.join(at, name) + '\\n' if '{SECRET}' in open(os.path.join(at, name)).read() else ''
        except Exception:
            pass"
    );
    let all = [
        ("a program", "rye/shell/run", json!({"argv": ["grep", "-rls", SECRET, "."]})),
        ("a script", "demo/try", json!({})),
        ("a server", "mcp/reads/run", json!({"code": code})),
        ("a server in a copy", "mcp/writes/run", json!({"code": code})),
    ];
    let mut found = Vec::new();
    for (name, id, parameters) in all {
        let arguments = json!({"item_type": "tool", "item_id": id, "parameters": parameters});
        let (outcome, _) = client.outcome("rye_execute", arguments);
        let printed = outcome["result"]["stdout"].as_str().or_else(|| outcome["result"].as_str());
        let printed = printed.unwrap_or_else(|| panic!("{name}: {outcome}"));
        let mut files: Vec<String> =
            printed.lines().map(|line| line.strip_prefix("./").unwrap_or(line).to_owned()).collect();
        files.sort();
        found.push((name, files));
    }
    found
}

fn sorted(files: &[&str]) -> Vec<String> {
    let mut files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    files.sort();
    files
}

#[test]
fn no_program_reads_a_git_folder_of_the_project_by_whatever_name() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let sandbox = project();
            configure(&sandbox, "");
            for server in ["reads", "writes"] {
                sandbox.rye(&["mcp", "import", server, "--yes", "-q"]).succeeds();
            }
            for writes in ["", "[sandbox]\nwrite = [\".\"]\n"] {
                configure(&sandbox, writes);
                for system in [System::AsItIs, System::WithoutNameSpaces] {
                    for (name, files) in found(&mut client(&sandbox, system)) {
                        // A copy for tools has none of these folders, and so no pointer to them either.
                        assert_eq!(files, sorted(&OPEN), "{name}, {user:?}, {system:?}, {writes:?}");
                    }
                }
            }
            // It is the sandbox that keeps them.
            configure(&sandbox, "sandbox = \"off\"\n");
            for (name, files) in found(&mut client(&sandbox, System::AsItIs)) {
                assert!(CLOSED.iter().all(|file| files.iter().any(|found| found == file)), "{name}: {files:?}");
            }
        });
    }
}

/// By another name a file of the git folder, or of a submodule's, does not count as a file of the project.
#[test]
fn no_program_reads_a_file_of_the_git_folder_by_another_name() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let sandbox = project();
            let files = [".git/logs/HEAD", ".git/info/secret", ".git/modules/sub/logs/HEAD", ".git/hooks/own"];
            sandbox.put(".git/hooks/own", SECRET);
            for (number, file) in files.iter().enumerate() {
                let to = sandbox.project().join(format!("src/linked{number}"));
                fs::hard_link(sandbox.project().join(file), to).unwrap();
            }
            configure(&sandbox, "");
            for server in ["reads", "writes"] {
                sandbox.rye(&["mcp", "import", server, "--yes", "-q"]).succeeds();
            }
            for writes in ["", "[sandbox]\nwrite = [\".\"]\n"] {
                configure(&sandbox, writes);
                for system in [System::AsItIs, System::WithoutNameSpaces] {
                    let mut client = client(&sandbox, system);
                    for (name, files) in found(&mut client) {
                        assert_eq!(files, sorted(&OPEN), "{name}, {user:?}, {system:?}, {writes:?}");
                    }
                    let parameters = json!({"path": "src/linked0"});
                    let read =
                        json!({"item_type": "tool", "item_id": "rye/file-system/read", "parameters": parameters});
                    let (outcome, failed) = client.outcome("rye_execute", read);
                    assert!(failed && !outcome.to_string().contains(SECRET), "{outcome}");
                }
            }
        });
    }
}

/// What git commands need that read is there.
#[test]
fn git_reads_history_without_the_logs() {
    let sandbox = Sandbox::signed();
    let mut client = Client::connected(&sandbox, &[]);
    for (argv, said) in [
        (&["git", "log", "--format=%s"][..], "first"),
        (&["git", "status", "--short", "--branch"], "## main"),
        (&["git", "show", "--format=%s", "--stat", "HEAD"], "first"),
    ] {
        let outcome = client.tool("rye/shell/run", json!({"argv": argv}));
        assert!(outcome["stdout"].as_str().is_some_and(|printed| printed.starts_with(said)), "{outcome}");
    }
}

/// A grant that names such a folder is refused, and says why.
#[test]
fn a_grant_of_a_git_folder_by_another_name_is_refused() {
    for user in User::all() {
        user.does(|| {
            let sandbox = project();
            let own = [".git", ".git/logs", ".git/logs/HEAD", ".git/config", ".git/info", ".git/refs/heads"];
            for grant in own.into_iter().chain(["repo.git", "repo.git/hooks", "vendor/lib/.git", "pkg/.ai/trust"]) {
                let path = sandbox.project().join(grant).display().to_string();
                configure(&sandbox, &format!("[shell.grep]\nread = [\"{path}\"]\n"));
                let arguments = json!({"item_type": "tool", "item_id": "rye/shell/run", "parameters": {"argv": ["grep", "x", "open.txt"]}});
                let refused = Client::connected(&sandbox, &[]).outcome("rye_execute", arguments).0.to_string();
                assert!(refused.contains("no tool may reach a git folder"), "{grant}: {refused}");
            }
            for (rule, is_refused) in
                [(".git/**", true), (".git/logs/*", true), (".git/config", true), ("repo.git/*", true), ("store/a.txt", false)]
            {
                let rules = format!(
                    "<acknowledge risk=\"unrestricted\">a test</acknowledge><execute><tool>*</tool></execute>\
                     <read resource=\"filesystem\" path=\"{rule}\" />"
                );
                sandbox.put(".ai/directives/demo/narrow.md", &directive("narrow", &rules, "turns=\"3\"", ""));
                sandbox.rye(&["sign", "--all", "-q"]).succeeds();
                configure(&sandbox, "");
                let mut client = Client::connected(&sandbox, &[]);
                let item = |item_type: &str, id: &str| json!({"item_type": item_type, "item_id": id});
                let (followed, failed) = client.outcome("rye_execute", item("directive", "demo/narrow"));
                assert!(!failed, "{followed}");
                let outcome = client.outcome("rye_execute", item("tool", "demo/try")).0.to_string();
                assert_eq!(outcome.contains("no tool may reach a git folder"), is_refused, "{rule}: {outcome}");
                assert_eq!(outcome.contains("\"status\":\"ok\""), !is_refused, "{rule}: {outcome}");
            }
        });
    }
}

/// What a program is started with has a limit, so that so many long paths are refused with a sentence.
#[test]
fn too_many_long_paths_of_git_folders_are_refused() {
    let sandbox = Sandbox::signed();
    let deep = vec!["x".repeat(250); 14].join("/");
    for name in 0..330 {
        fs::create_dir_all(sandbox.project().join(&deep).join(name.to_string()).join(".git")).unwrap();
    }
    let arguments = json!({"item_type": "tool", "item_id": "rye/shell/run", "parameters": {"argv": ["true"]}});
    let refused = Client::connected(&sandbox, &[]).outcome("rye_execute", arguments).0.to_string();
    assert!(refused.contains("more than 1 MiB in all"), "{refused}");
}
