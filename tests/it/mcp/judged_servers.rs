//! A server that may write in the project works in a copy: what it sees of the project, what of it comes back, and what it finds at the
//! next call.

use std::fs;

use serde_json::{Value, json};

use super::client::Client;
use crate::support::users::User;
use crate::support::{Sandbox, has};

/// Lets a server with one tool, which runs code, read and write these paths of a project with some files.
fn configured(sandbox: &Sandbox, read: &[&str], write: &[&str]) {
    let script = sandbox.path("runner.py");
    fs::write(&script, include_str!("runner.py")).unwrap();
    let script = script.display().to_string();
    let read: Vec<&str> = read.iter().copied().chain([script.as_str()]).collect();
    let config = format!(
        "[mcp_servers.demo]\ncommand = [\"python3\", \"{script}\"]\nread = {read:?}\nwrite = {write:?}\ntimeout = 3\n"
    );
    fs::create_dir_all(sandbox.path("config/rye")).unwrap();
    fs::write(sandbox.path("config/rye/config.toml"), config).unwrap();
}

/// A project with a server that reads `README.md` and writes `docs`.
fn project() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put("README.md", "hello\n");
    sandbox.put("docs/a.md", "a\n");
    sandbox.put("docs/sub/b.md", "b\n");
    configured(&sandbox, &["README.md"], &["docs"]);
    sandbox.rye(&["mcp", "import", "demo", "--yes", "-q"]).succeeds();
    sandbox
}

/// Has the server run code.
fn run(client: &mut Client<'_>, code: &str) -> (Value, bool) {
    let arguments = json!({"item_type": "tool", "item_id": "mcp/demo/run", "parameters": {"code": code}});
    client.outcome("rye_execute", arguments)
}

/// Has the server list what it sees, sorted.
fn seen(client: &mut Client<'_>) -> String {
    let code =
        "result = sorted(os.path.join(at, name) for at, folders, files in os.walk('.') for name in folders + files)";
    let (told, failed) = run(client, code);
    assert!(!failed, "{told}");
    told["result"].as_str().unwrap_or_default().to_owned()
}

const SEEN: &str = "['./README.md', './docs', './docs/a.md', './docs/sub', './docs/sub/b.md']";

#[test]
fn a_server_gets_no_home_folder_with_a_path_to_write_in_it() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let sandbox = Sandbox::with_items();
            sandbox.put("docs/a.md", "a\n");
            sandbox.put("secret", "s\n");
            sandbox.put("home/.ssh/id", "key\n");
            let home = sandbox.project().join("home").display().to_string();
            let try_it = || sandbox.rye(&["mcp", "import", "demo", "--yes", "-q"]).env("HOME", &home).transcript();
            for (read, write) in [(&["."][..], &["docs"][..]), (&[], &["."]), (&[], &["docs", home.as_str()])] {
                configured(&sandbox, read, write);
                let told = try_it();
                assert!(told.contains("contains your home folder") && !told.ends_with("[exit 0]\n"), "{told}");
            }
            configured(&sandbox, &[], &["docs"]);
            assert!(try_it().ends_with("[exit 0]\n"), "{}", try_it());
            let mut client = Client::of(&sandbox, sandbox.rye(&["mcp"]).env("HOME", &home).spawn_piped());
            client.shake_hands(json!({}));
            assert_eq!(seen(&mut client), "['./docs', './docs/a.md']");
        });
    }
}

#[test]
fn a_server_gets_no_git_folder_and_nothing_out_of_the_project_by_a_path_in_it() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::with_items();
    std::os::unix::fs::symlink(sandbox.path("home"), sandbox.project().join("out")).unwrap();
    for (read, write, said) in [
        (&[".git"][..], &["docs"][..], "no tool may reach a git folder"),
        (&[], &["sub/.GIT/hooks"], "no tool may reach a git folder"),
        (&["out"], &["docs"], "a link leads it out of the project"),
        (&[], &["out/x", "out"], "a link leads it out of the project"),
    ] {
        configured(&sandbox, read, write);
        let told = sandbox.rye(&["mcp", "import", "demo", "--yes", "-q"]).transcript();
        assert!(told.contains(said), "{read:?} {write:?}: {told}");
    }
}

#[test]
fn what_a_failed_call_wrote_does_not_come_back() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let sandbox = project();
            let mut client = Client::connected(&sandbox, &[]);
            for (what, end) in [
                ("an error", "failed = True"),
                ("an error of the protocol", "1 / 0"),
                ("no message", "print('garbage', flush=True)"),
                ("its end", "sys.exit(3)"),
                ("its end", "os._exit(3)"),
                ("no answer", "time.sleep(60)"),
            ] {
                let (told, failed) = run(&mut client, &format!("open('docs/new', 'w').write('x'); {end}"));
                assert!(failed && told.get("copied").is_none(), "{what}: {told}");
                assert!(!sandbox.project().join("docs/new").exists(), "{what}: {told}");
                assert_eq!(seen(&mut client), SEEN, "{what}");
            }
            let (told, failed) = run(&mut client, "open('docs/new', 'w').write('x')");
            assert!(!failed && told["copied"]["written"] == json!(["docs/new"]), "{told}");
            // A person is told.
            let failing = json!({"code": "open('docs/other', 'w').write('x'); failed = True"}).to_string();
            let told = sandbox.rye(&["execute", "tool", "mcp/demo/run", "--inputs", &failing]).transcript();
            assert!(told.contains("nothing that it wrote in the project was kept"), "{told}");
            // A tool that was not looked at changes nothing, whenever that is found out.
            run(&mut client, "tools[0]['description'] = 'Runs other code.'; open('docs/new', 'w').write('y')");
            let (told, failed) = run(&mut client, "open('docs/new', 'w').write('z')");
            assert!(failed && told.to_string().contains("server-changed"), "{told}");
            assert_eq!(fs::read_to_string(sandbox.project().join("docs/new")).unwrap(), "y");
        });
    }
}
