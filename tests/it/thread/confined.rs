//! The scripts of a thread in the sandbox: what its path rules let them reach, and what nothing does.

use std::io::{Read as _, Write as _};

use rye::event::CallStatus;
use rye::thread::Outcome;
use serde_json::json;

use crate::support::has;

use super::world::{SCRIPTED, World, call, text};

/// Runs a thread whose tool is a script with the given path rules, and returns what the script printed.
fn run(world: &World, rules: &str, script: &str) -> (Outcome, String) {
    world.tool("demo/one", script);
    world.directive(&format!("<execute><tool>demo.one</tool></execute>{rules}"), r#"turns="3""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    let printed = world.events(&outcome).into_iter().find_map(|event| match event.what {
        rye::event::EventData::ToolCallResult { output, status, .. } => {
            Some(format!("{status:?} {}", output.as_str().map_or_else(|| output.to_string(), str::to_owned)))
        }
        _ => None,
    });
    (outcome, printed.unwrap())
}

fn project() -> World {
    let world = World::new();
    world.write("src/a.txt", "a\n");
    world.write("src/deep/b.txt", "b\n");
    world.write("docs/d.txt", "d\n");
    world.write("notes.md", "n\n");
    world.commit("files");
    world
}

/// Prints what each file has, or that it cannot be read, and whether each can be written.
const TRIES: &str = r#"cat >/dev/null
for file in src/a.txt src/deep/b.txt docs/d.txt notes.md; do
    { read -r line <$file && echo "$file r"; } 2>/dev/null
    { echo w >>$file && echo "$file w"; } 2>/dev/null
done
for file in src/new out/new/file new.md; do { echo w >$file && echo "$file +"; } 2>/dev/null; done
ls src 2>/dev/null
exit 0"#;

#[test]
fn a_script_reaches_what_its_path_rules_say() {
    let rule = |access: &str, path: &str| format!("<{access} resource=\"filesystem\" path=\"{path}\" />");
    for (rules, reached) in [
        (
            String::new(),
            "src/a.txt r\nsrc/a.txt w\nsrc/deep/b.txt r\nsrc/deep/b.txt w\ndocs/d.txt r\ndocs/d.txt w\nnotes.md r\nnotes.md w\nsrc/new +\nnew.md +\na.txt\ndeep\nnew\n",
        ),
        (rule("read", "src/**"), "src/a.txt r\nsrc/deep/b.txt r\na.txt\ndeep\n"),
        (
            rule("read", "**") + &rule("write", "notes.md"),
            "src/a.txt r\nsrc/deep/b.txt r\ndocs/d.txt r\nnotes.md r\nnotes.md w\na.txt\ndeep\n",
        ),
        (rule("write", "src/deep/**, out/new/**"), "src/deep/b.txt r\nsrc/deep/b.txt w\nout/new/file +\n"),
        (
            rule("write", "src/new"),
            "src/a.txt r\nsrc/a.txt w\nsrc/deep/b.txt r\nsrc/deep/b.txt w\nsrc/new +\na.txt\ndeep\nnew\n",
        ),
    ] {
        let world = project();
        let (outcome, printed) = run(&world, &rules, TRIES);
        assert_eq!(printed, format!("Ok {}", reached.trim_end()), "{rules}");
        if rules.contains("src/new") {
            // The folder of a file that is made can be written; what no rule matches is left out all the same.
            let changed = world.git(&["diff", "--name-only", "main", &outcome.branch, "--", "src"]);
            assert_eq!(changed, "src/new");
        }
    }
}

#[test]
fn a_script_reaches_nothing_else() {
    let world = project();
    world.write_at(&world.path("home/.ssh/id"), "secret\n");
    let (home, project) = (world.path("home").display().to_string(), world.in_project("").display().to_string());
    let script = format!(
        "cat >/dev/null
exec 2>/dev/null
cat {home}/.ssh/id; ls {home}; echo x >{home}/new && echo home
cat {project}/notes.md; echo x >{project}/notes.md && echo project
cat {project}/.git/config; ls {project}/.git/rye; echo x >{project}/.git/hooks/pre-commit && echo hook
for common in $(dirname $(cat .git | cut -c9-))/../..; do cat $common/config; ls $common/rye $common/worktrees; echo x >$common/HEAD && echo head; done
ln -s {project} led; cat led/notes.md
cp -p src/a.txt src/copy && chmod 755 src/copy
git -C {project} log --format=%s
echo end"
    );
    let (outcome, printed) = run(&world, "", &script);
    assert_eq!(printed, "Ok end");
    assert_eq!(world.read("notes.md"), "n\n");
    assert_eq!(world.git(&["ls-tree", &outcome.branch, "src/copy"]).split(' ').next(), Some("100755"));
}

#[test]
fn a_link_that_an_earlier_call_made_grants_nothing() {
    let world = project();
    let elsewhere = world.path("elsewhere");
    world.write_at(&elsewhere.join("file"), "old\n");
    world.tool("demo/link", &format!("cat >/dev/null; ln -s {}/file src/x", elsewhere.display()));
    world.tool("demo/use", "cat >/dev/null; cat src/x && exit 0; echo new >src/x");
    let permissions =
        r#"<execute><tool>demo.link</tool><tool>demo.use</tool></execute><write resource="filesystem" path="src/x" />"#;
    world.directive(permissions, r#"turns="4""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_link", json!({})), call("demo_use", json!({})), text("Done.")]);
    let statuses: Vec<CallStatus> = world
        .events(&outcome)
        .into_iter()
        .filter_map(|event| match event.what {
            rye::event::EventData::ToolCallResult { status, .. } => Some(status),
            _ => None,
        })
        .collect();
    assert_eq!(statuses, [CallStatus::Ok, CallStatus::Error]);
    assert_eq!(std::fs::read_to_string(elsewhere.join("file")).unwrap(), "old\n");
}

/// A folder of programs is read as a whole, so one that holds keys is refused.
#[test]
fn a_folder_on_the_path_that_holds_the_persons_files_is_not_reached() {
    let world = project();
    let usual = std::env::var("PATH").unwrap();
    world.write_at(&world.path("home/bin/keep"), "in bin\n");
    for (folder, is_read) in
        [("", false), ("home", false), ("home/.config", false), ("home/.config/rye", false), ("home/bin", true)]
    {
        let folder = world.path(folder);
        let (home, top) = (world.path("home").display().to_string(), world.in_project("").display().to_string());
        world.tool("demo/one", &format!(
            "cat >/dev/null; exec 2>/dev/null; cat {home}/bin/keep; cat {home}/.config/rye/keys/*; cat {top}/notes.md {top}/.git/config; echo end"
        ));
        world.directive("<execute><tool>demo.one</tool></execute>", r#"turns="3""#, "");
        let script = world.script(&[call("demo_one", json!({})), text("Done.")]);
        let args =
            ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", script.to_str().unwrap(), "--json"];
        let path = format!("{usual}:{}", folder.display());
        let output = world.rye(&args).env("PATH", path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let branch = told["branch"].as_str().unwrap();
        let log = world
            .git(&["show", &format!("{branch}:.ai/threads/{}/transcript.md", told["thread_id"].as_str().unwrap())]);
        assert_eq!(log.contains("in bin"), is_read, "{}: {log}", folder.display());
        assert!(
            log.contains("end") && !log.contains("PRIVATE KEY") && !log.contains("repositoryformatversion"),
            "{log}"
        );
    }
}

/// In a thread the directive names the hosts; outside of threads the person's configuration does.
#[test]
fn a_script_reaches_the_hosts_that_are_named_for_it() {
    if !has("python3") {
        return;
    }
    let world = project();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("127.0.0.1:{}", server.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for mut stream in server.incoming().flatten() {
            let _ = stream.read(&mut [0; 2048]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
        }
    });
    let fetch = format!(
        "cat >/dev/null; PATH=/usr/local/bin:/usr/bin:/bin python3 -c \"import urllib.request as u; print(u.urlopen('http://{host}/').read().decode())\""
    );
    let named =
        |host: &str| format!("<network host=\"{host}\" /><acknowledge risk=\"elevated\">It fetches.</acknowledge>");
    assert_eq!(run(&world, &named(&host), &fetch).1, "Ok hello");
    let (outcome, other) = run(&world, &named("127.0.0.1:1, example.org"), &fetch);
    // Which hosts a tool asked for is on record.
    let asked = world.events(&outcome).into_iter().find_map(|event| match event.what {
        rye::event::EventData::ToolCallResult { hosts, .. } => Some(hosts),
        _ => None,
    });
    assert_eq!(asked.unwrap(), [rye::event::AskedHost { host: host.clone(), allowed: false }]);
    let shown = world.rye(&["thread", "show", outcome.thread_id.as_str()]).output().unwrap();
    assert!(String::from_utf8_lossy(&shown.stdout).contains(&format!("    may not reach {host}\n")), "{shown:?}");
    assert!(other.starts_with("Error") && other.contains("403"), "{other}");
    let (_, none) = run(&world, "", &fetch);
    assert!(none.starts_with("Error") && none.contains("not permitted"), "{none}");
    let execute = |config: &str| {
        world.write_at(&world.path("home/.config/rye/config.toml"), config);
        let output = world.rye(&["execute", "tool", "demo/one"]).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert!(!execute("").0);
    let (is_done, said) = execute(&format!("[sandbox]\nnetwork = [\"{host}\"]\n"));
    assert!(is_done && said.contains("hello"), "{said}");
}

/// What whoever starts the program left open is not the tool's, sandbox or not.
#[test]
fn a_tool_inherits_nothing_but_the_standard_streams() {
    let world = project();
    world.write_at(&world.path("secret"), "of the shell\n");
    world.tool("demo/one", "cat >/dev/null; ls /proc/self/fd | wc -l; cat <&7; echo end");
    let run = |mode: &str| {
        world.write_at(&world.path("home/.config/rye/config.toml"), &format!("sandbox = \"{mode}\"\n"));
        let mut shell = std::process::Command::new("sh");
        let told = "exec 7<../secret; exec \"$@\"";
        shell.args(["-c", told, "sh", crate::support::RYE, "execute", "tool", "demo/one"]);
        let output = shell.env_clear().envs(world.variables()).current_dir(world.in_project("")).output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    for mode in ["off", "require"] {
        let seen = run(mode);
        // Three streams, and the listing's own.
        assert!(seen.contains("4\nend") && !seen.contains("of the shell"), "{mode}: {seen}");
    }
}
