//! A server that may write in the project works in a copy: what it sees of the project, what of it comes back, and what it finds at the
//! next call.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

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
                ("no message", r#"print('{"id": 1}', flush=True)"#),
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

#[test]
fn at_the_next_call_the_copy_is_the_project_whatever_was_left_in_it() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let sandbox = project();
            let mut client = Client::connected(&sandbox, &[]);
            for left in [
                "os.makedirs('docs/empty/deep')",
                "os.symlink('/', 'docs/link'); os.symlink('a.md', 'docs/sub/link')",
                "os.remove('docs/a.md'); os.mkdir('docs/a.md'); open('docs/a.md/x', 'w')",
                "os.rename('docs/sub', 'docs/other'); os.symlink('other', 'docs/sub')",
                "os.rename('docs', 'other'); os.symlink('other', 'docs')",
                "os.makedirs('docs/sub/.git/objects'); open('docs/sub/.git/HEAD', 'w').write('x'); open('docs/sub/new', 'w')",
                "os.mkfifo('docs/pipe'); open(b'docs/\\xff', 'w'); open('outside', 'w'); open('docs/CLAUDE.md', 'w')",
                "os.makedirs('/'.join(['docs'] + ['d'] * 200))",
                "os.mkdir('docs/closed'); open('docs/closed/x', 'w'); os.chmod('docs/closed', 0); os.chmod('docs/sub', 0o500)",
                "os.chmod('docs', 0); os.chmod('.', 0)",
            ] {
                let (told, _) = run(&mut client, &format!("{left}; failed = True"));
                assert_eq!(seen(&mut client), SEEN, "{left}: {told}");
                let (told, failed) = run(&mut client, "result = open('docs/a.md').read() + open('docs/sub/b.md').read()");
                assert!(!failed && told["result"] == "a\nb\n" && told["copied"] == json!({"written": [], "removed": []}), "{told}");
            }
            // What is there again is told again.
            for _ in 0..2 {
                let (told, _) = run(&mut client, "os.makedirs('docs/own/.git'); open('docs/own/.git/config', 'w')");
                assert_eq!(told["copied"]["left_out"][0]["path"], "docs/own", "{told}");
            }
        });
    }
}

/// What a tool holds open stays the same file, as far as it is the same in the project.
#[test]
fn the_copy_of_a_server_follows_the_project() {
    if !has("python3") {
        return;
    }
    let sandbox = project();
    sandbox.put("docs/nested/c.md", "c\n");
    sandbox.git(&["init", "-q", "docs/nested"]);
    let big = |first: &str| {
        fs::write(sandbox.project().join("docs/big"), first).unwrap();
        fs::File::options().write(true).open(sandbox.project().join("docs/big")).unwrap().set_len(70 << 20).unwrap();
    };
    big("A");
    // One of the program's own, by another name.
    fs::hard_link(sandbox.path("config/rye/keys/person"), sandbox.project().join("docs/own")).unwrap();
    let mut client = Client::connected(&sandbox, &[]);
    let look = "result = json.dumps([open('docs/big').read(1), sorted(os.listdir('docs')), os.listdir('docs/nested'), \
                os.stat('docs/a.md').st_ino, os.stat('docs/new').st_ino if os.path.exists('docs/new') else 0])";
    let mut looks = Vec::new();
    for step in 0..5 {
        let (told, failed) = run(&mut client, look);
        assert!(!failed, "{told}");
        looks.push(told["result"].clone());
        match step {
            0 => big("B"),
            1 => drop(run(&mut client, "open('docs/big', 'r+').write('C'); open('docs/new', 'w').write('n')")),
            2 => sandbox.put("docs/new", "m"),
            _ => fs::remove_file(sandbox.project().join("docs/new")).unwrap_or_default(),
        }
    }
    let looks: Vec<&Value> = looks.iter().collect();
    assert!(looks.iter().all(|look| look[2] == json!(["c.md"])), "{looks:?}");
    assert!(looks.iter().all(|look| look[3] == looks[0][3]), "{looks:?}");
    assert_eq!(looks.iter().map(|look| look[0].as_str().unwrap()).collect::<String>(), "ABBBB");
    assert_eq!(looks[0][1], json!(["a.md", "big", "nested", "sub"]));
    assert_eq!(looks[2][1], json!(["a.md", "big", "nested", "new", "sub"]));
    assert_eq!(looks[4][1], looks[0][1]);
}

/// A background process of the server may swap folders for links while the copy is made anew: nothing else is touched.
#[test]
fn nothing_outside_of_the_copy_is_touched_while_it_is_made_anew() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let sandbox = project();
            let prey = sandbox.path("home/prey");
            fs::create_dir_all(prey.join("x")).unwrap();
            fs::write(prey.join("keep"), "keep").unwrap();
            let mut client = Client::connected(&sandbox, &[]);
            let swap = format!(
                "import threading\n\
                 def swap():\n while True:\n  try:\n   os.mkdir('docs/race'); open('docs/race/f', 'w'); os.chmod('docs/race', 0); \
                 os.rename('docs/race', 'docs/r'); os.symlink('{}', 'docs/race'); os.unlink('docs/race')\n  except OSError: pass\n\
                 threading.Thread(target=swap, daemon=True).start()",
                prey.display()
            );
            run(&mut client, &swap);
            for _ in 0..20 {
                run(&mut client, "pass");
            }
            assert_eq!(fs::read_to_string(prey.join("keep")).unwrap(), "keep");
            assert!(prey.join("x").is_dir() && fs::metadata(&prey).unwrap().permissions().mode() & 0o700 == 0o700);
            assert_eq!(fs::read_to_string(sandbox.project().join("docs/a.md")).unwrap(), "a\n");
        });
    }
}
