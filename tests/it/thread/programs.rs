//! Programs that a model runs: permitted by their names, with what the configuration grants them; git; the project's tests.

use serde_json::{Value, json};

use super::world::{World, call, result_in_turn, text};

const RUN: &str = "rye_shell_run";

fn argv(words: &[&str]) -> Value {
    call(RUN, json!({"argv": words}))
}

/// Runs a thread that makes these calls, one in each turn, and returns their results.
fn results(world: &World, permissions: &str, calls: &[Value]) -> Vec<Value> {
    world.directive(permissions, r#"turns="9""#, "");
    let turns: Vec<Value> = calls.iter().cloned().chain([text("Done.")]).collect();
    let outcome = world.run(&turns);
    let events = world.events(&outcome);
    (1..=u32::try_from(calls.len()).unwrap()).map(|turn| result_in_turn(&events, turn)).collect()
}

fn message(result: &Value) -> &str {
    result["output"]["error"]["message"].as_str().unwrap_or_default()
}

fn setup(world: &World, permissions: &str) -> String {
    world.directive(permissions, r#"turns="3""#, "");
    let outcome = world.run(&[text("Done.")]);
    world.thread_file(&outcome, "setup.json")
}

#[test]
fn a_program_is_permitted_by_its_name_and_run_without_a_shell() {
    let world = World::new();
    let two = "<execute><tool>rye/shell/printf</tool><tool>rye/shell/sh</tool></execute>";
    world.write("sub/file.txt", "x\n");
    world.write("printf", "#!/bin/sh\necho mine\n");
    world.commit("files");
    let found = results(
        &world,
        two,
        &[
            argv(&["printf", "%s|", "a b", "$HOME; ls", "*"]),
            call(RUN, json!({"argv": ["sh", "-c", "pwd; cat; exit 3"], "stdin": "in", "folder": "sub"})),
            argv(&["ls"]),
            argv(&["./printf"]),
            argv(&["/usr/bin/printf"]),
            call(RUN, json!({"argv": "printf a"})),
            call(
                "rye_execute",
                json!({"item_type": "tool", "item_id": "rye/shell/run", "parameters": {"argv": ["ls"]}}),
            ),
            call(RUN, json!({"argv": ["sh", "-c", "sleep 5"], "timeout": 1})),
        ],
    );
    assert_eq!(
        found[0],
        json!({"status": "ok", "output": {"exit_code": 0, "stdout": "a b|$HOME; ls|*|", "stderr": ""}})
    );
    let stdout = found[1]["output"]["stdout"].as_str().unwrap();
    assert!(stdout.ends_with("/sub\nin"), "{stdout}");
    assert_eq!((&found[1]["status"], &found[1]["output"]["exit_code"]), (&json!("error"), &json!(3)));
    for denied in [&found[2], &found[6]] {
        assert_eq!(denied["status"], "denied");
        assert!(message(denied).contains("it needs `rye.execute.tool.rye.shell.ls`"), "{denied}");
    }
    for path in [&found[3], &found[4]] {
        assert!(message(path).contains("is a path: name a program on PATH"), "{path}");
    }
    assert!(message(&found[5]).contains("`argv` must be a list of strings"), "{}", found[5]);
    assert_eq!(found[7]["output"]["timed_out"], true, "{}", found[7]);
}

#[test]
fn a_model_is_offered_the_programs_that_are_permitted() {
    let world = World::new();
    let two = setup(&world, "<execute><tool>rye/shell/printf</tool><tool>rye/shell/sh</tool></execute>");
    assert!(two.contains(RUN) && two.contains("Permitted programs: printf, sh."), "{two}");
    let any = setup(&world, "<execute><tool>rye/shell/*</tool></execute>");
    assert!(any.contains(RUN) && !any.contains("Permitted programs"), "{any}");
    let none = setup(&world, "<execute><tool>rye/file-system/read</tool></execute>");
    assert!(!none.contains(RUN), "{none}");
    let path = world.path("home/.config/rye/config.toml");
    world.write_at(&path, "[permissions]\ndeny = [\"rye.execute.tool.rye.shell.sh\"]\n");
    let one = setup(&world, "<execute><tool>rye/shell/printf</tool><tool>rye/shell/sh</tool></execute>");
    assert!(one.contains("Permitted programs: printf."), "{one}");
}

#[test]
fn a_program_reaches_what_the_configuration_grants_it_and_no_other_does() {
    let world = World::new();
    let outside = world.path("outside");
    world.write_at(&outside.join("told.txt"), "told\n");
    world.write_at(&world.path("home/kept/told.txt"), "home\n");
    world.write_at(&world.path("bin/said"), "#!/bin/sh\necho \"said $*\"\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(world.path("bin/said"), mode).unwrap();
    let config = |grants: &str| {
        let text = format!(
            "[shell.cat]\nread = [\"~/kept\", \"{0}\"]\n[shell.sh]\nwrite = [\"{0}\"]\nenv = {{ KEPT = \"~/kept\" }}\n[shell.gpp]\nprogram = \"{1}\"\n{grants}",
            outside.display(),
            world.path("bin/said").display()
        );
        world.write_at(&world.path("home/.config/rye/config.toml"), &text);
    };
    config("");
    let any = "<execute><tool>rye/shell/*</tool></execute>";
    let (told, kept) = (outside.join("told.txt"), world.path("home/kept/told.txt"));
    let (told, kept) = (told.to_str().unwrap(), kept.to_str().unwrap());
    let found = results(
        &world,
        any,
        &[
            argv(&["cat", told, kept]),
            argv(&["head", told]),
            argv(&["sh", "-c", &format!("echo new >{}/new.txt; echo $KEPT; cat {kept}", outside.display())]),
            argv(&["gpp", "a b"]),
        ],
    );
    assert_eq!(found[0]["output"]["stdout"], "told\nhome\n", "{}", found[0]);
    assert_eq!(found[1]["status"], "error");
    assert!(found[1]["output"]["stderr"].as_str().unwrap().contains("Permission denied"), "{}", found[1]);
    assert_eq!(std::fs::read_to_string(outside.join("new.txt")).unwrap(), "new\n");
    let stdout = found[2]["output"]["stdout"].as_str().unwrap();
    assert!(stdout.ends_with("/home/kept\n") && found[2]["status"] == "error", "{}", found[2]);
    assert_eq!(found[3]["output"]["stdout"], "said a b\n", "{}", found[3]);
    // A configuration cannot grant the program's own places, or a folder around them.
    for grant in ["read = [\"~/\"]", "read = [\"~/.config/rye/keys\"]", "write = [\"~/.config\"]"] {
        config(&format!("[shell.ls]\n{grant}\n"));
        world.write_at(&world.path("home/.config/rye/keys/x"), "x");
        let refused = &results(&world, any, &[argv(&["ls"])])[0];
        assert!(refused.to_string().contains("keeps keys, trust and configuration"), "{grant}: {refused}");
    }
}

#[test]
fn a_configuration_of_programs_that_is_wrong_is_refused() {
    let world = World::new();
    for (grants, said) in [
        ("[shell.ls]\nread = [\"src\"]\n", "neither absolute nor below `~/`"),
        ("[shell.ls]\nenv = { PATH = \"/x\" }\n", "`shell.ls.env` cannot set `PATH`"),
        ("[shell.ls]\nenv = { \"A=B\" = \"x\" }\n", "`shell.ls.env` cannot set `A=B`"),
        ("[shell.ls]\nenv = { http_proxy = \"x\" }\n", "`shell.ls.env` cannot set `http_proxy`"),
        ("[shell.ls]\nsocket = \"/x\"\n", "unknown setting `socket`"),
        ("[shell.\"a/b\"]\n", "is not a name"),
    ] {
        world.write_at(&world.path("home/.config/rye/config.toml"), grants);
        let refused = world.rye_json(&["list"]).1.to_string();
        assert!(refused.contains(said), "{grants}: {refused}");
    }
    world.write_at(&world.path("home/.config/rye/config.toml"), "");
    let over = world.rye_json(&["--config", "shell.ls.read=[\"/\"]", "list"]).1.to_string();
    assert!(over.contains(", not with `--config`"), "{over}");
}

#[test]
fn git_tells_of_the_thread_s_tree() {
    let world = World::new();
    world.write("src/a.txt", "one\n");
    world.commit("add the file");
    let all = "<execute><tool>rye/git/*</tool><tool>rye/file-system/write</tool></execute>";
    let found = results(
        &world,
        all,
        &[
            call("rye_file_system_write", json!({"path": "src/a.txt", "content": "two\n"})),
            call("rye_git_status", json!({})),
            call("rye_git_diff", json!({"path": "src"})),
            call("rye_git_log", json!({"limit": 1, "path": "src/a.txt"})),
            call("rye_git_show", json!({"commit": "HEAD:src/a.txt"})),
            call("rye_git_diff", json!({"commit": "--output=stolen"})),
            call("rye_git_show", json!({"commit": "none"})),
        ],
    );
    let stdout = |at: usize| found[at]["output"]["stdout"].as_str().unwrap_or_else(|| panic!("{}", found[at]));
    assert!(stdout(1).contains(" M src/a.txt\n"), "{}", stdout(1));
    assert!(stdout(2).contains("-one\n+two\n"), "{}", stdout(2));
    assert!(stdout(3).contains("add the file") && stdout(3).matches("commit ").count() == 1, "{}", stdout(3));
    assert_eq!(stdout(4), "one\n");
    assert!(found[5].to_string().contains("begins with `-`, and would be an option"), "{}", found[5]);
    assert_eq!((&found[6]["status"], &found[6]["output"]["exit_code"]), (&json!("error"), &json!(128)));
}

/// A hunk from the middle of a private key does not tell what it is: the file does, in whatever form.
#[test]
fn no_part_of_a_private_key_is_shown() {
    let body = |from: usize| -> Vec<String> {
        let digit = |at: usize| char::from(b"Q3JyZWFk7Gb1a2Nz9Xo"[at * at % 19]);
        (from..from + 24).map(|line| (0..64).map(|at| digit(line * 7 + at * (line % 5 + 1))).collect()).collect()
    };
    let armoured = |lines: &[String]| {
        let name = format!("RSA {} KEY", "PRIVATE");
        format!("-----BEGIN {name}-----\n{}\n-----END {name}-----\n", lines.join("\n"))
    };
    let putty = |lines: &[String]| {
        let head =
            "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 24\n";
        format!("{head}{}\nPrivate-MAC: 00\n", lines.join("\n"))
    };
    let bare = |lines: &[String]| format!("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ{}\n", &lines.join("\n")[42..]);
    type Form<'a> = &'a dyn Fn(&[String]) -> String;
    let forms: [Form<'_>; 3] = [&armoured, &putty, &bare];
    let world = World::new();
    let mut lines = body(1);
    let put = |lines: &[String], note: &str| {
        for (number, form) in forms.iter().enumerate() {
            world.write(&format!("keys of/k\u{e4}y{number}"), &form(lines));
        }
        world.write("src/a.txt", note);
    };
    put(&lines, "one\n");
    world.commit("first");
    let first = world.git(&["rev-parse", "HEAD"]);
    let middle = |lines: &[String]| lines[9..16].to_vec();
    let mut hidden = middle(&lines);
    lines[12] = body(50)[0].clone();
    put(&lines, "two\n");
    world.commit("second");
    let second = world.git(&["rev-parse", "HEAD"]);
    hidden.extend(middle(&lines));
    let all = "<execute><tool>rye/git/*</tool><tool>rye/file-system/*</tool></execute>";
    let read = |number: usize, from: usize| {
        call("rye_file_system_read", json!({"path": format!("keys of/k\u{e4}y{number}"), "offset": from, "limit": 6}))
    };
    let edit = json!({"path": "keys of/k\u{e4}y0", "old": lines[13], "new": lines[14]});
    let found = results(
        &world,
        all,
        &[
            call("rye_git_show", json!({"commit": second})),
            call("rye_git_log", json!({"commit": second, "patch": true})),
            call("rye_git_diff", json!({"commit": format!("{first}..{second}")})),
            read(0, 12),
            read(1, 16),
            read(2, 12),
            call("rye_file_system_edit", edit),
            call("rye_git_diff", json!({})),
        ],
    );
    for (at, result) in found.iter().enumerate() {
        let told = result.to_string();
        assert!(!hidden.iter().any(|line| told.contains(&line[4..40])), "{at}: {told}");
    }
    for at in [0, 1, 2] {
        let told = found[at]["output"]["stdout"].as_str().unwrap();
        assert_eq!(told.matches("its lines are not shown").count() % 3, 0, "{at}: {told}");
        assert!(told.contains("-one\n+two\n") && told.contains("its lines are not shown"), "{at}: {told}");
    }
    assert!(found[7].to_string().contains("its lines are not shown"), "{}", found[7]);
}

#[test]
fn the_project_s_tests_are_run_by_what_is_there() {
    let world = World::new();
    world.write("Makefile", "test:\n\t@echo ran\n\t@test -f made.txt\n");
    world.commit("files");
    let all = "<execute><tool>rye/test/run</tool><tool>rye/file-system/write</tool></execute>";
    let run = |input: Value| call("rye_test_run", input);
    let found = results(
        &world,
        all,
        &[
            run(json!({})),
            call("rye_file_system_write", json!({"path": "made.txt", "content": ""})),
            run(json!({})),
            run(json!({"args": ["--eval=test:;@id"]})),
            run(json!({"args": ["SHELL=/bin/id"]})),
            run(json!({"folder": ".ai"})),
            run(json!({"folder": ".ai", "runner": "make"})),
        ],
    );
    assert_eq!(
        (&found[0]["status"], &found[0]["output"]["stdout"]),
        (&json!("error"), &json!("ran\n")),
        "{}",
        found[0]
    );
    assert_eq!((&found[2]["status"], &found[2]["output"]["stdout"]), (&json!("ok"), &json!("ran\n")), "{}", found[2]);
    let not_counted = "not counted: the output does not tell how many tests ran";
    assert_eq!(found[2]["output"]["tests"], json!({"counted": false, "message": not_counted}), "{}", found[2]);
    assert!(found[3].to_string().contains("begins with `-`, and would be an option"), "{}", found[3]);
    assert!(found[4]["output"]["stderr"].as_str().unwrap().contains("make test takes no args"), "{}", found[4]);
    assert!(found[5]["output"]["stderr"].as_str().unwrap().contains("give runner or folder"), "{}", found[5]);
    assert!(found[6]["output"]["stderr"].as_str().unwrap().contains("make"), "{}", found[6]);
}

#[test]
fn each_runner_of_tests_gets_its_arguments() {
    let world = World::new();
    for runner in ["cargo", "go", "npm", "pytest"] {
        let path = world.path(&format!("bin/{runner}"));
        world.write_at(&path, &format!("#!/bin/sh\necho {runner} \"$@\"\n"));
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let run = |parameters: Value| {
        let parameters = parameters.to_string();
        let mut command = world.rye(&["execute", "tool", "rye/test/run", "--params", &parameters, "--json"]);
        let output = command.env("PATH", format!("{}:/usr/bin:/bin", world.path("bin").display())).output().unwrap();
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        printed["result"]["stdout"].as_str().unwrap_or_else(|| panic!("{printed}")).to_owned()
    };
    for (file, plain, with_args) in [
        ("Cargo.toml", "cargo test\n", "cargo test x a b\n"),
        ("go.mod", "go test ./...\n", "go test x a b\n"),
        ("package.json", "npm test\n", "npm test -- x a b\n"),
        ("setup.cfg", "pytest\n", "pytest x a b\n"),
    ] {
        world.write(&format!("sub/{file}"), "");
        assert_eq!(run(json!({"folder": "sub"})), plain);
        assert_eq!(run(json!({"folder": "sub", "args": ["x", "a b"]})), with_args);
        std::fs::remove_file(world.in_project(&format!("sub/{file}"))).unwrap();
    }
    assert_eq!(run(json!({"runner": "go", "args": ["./x"]})), "go test ./x\n");
}

#[test]
fn a_program_reaches_the_sockets_that_are_granted_and_no_others() {
    let world = World::new();
    let paths = ["one.sock", "two.sock", "three.sock"].map(|name| world.path(name));
    for path in &paths {
        let listener = std::os::unix::net::UnixListener::bind(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = std::io::Write::write_all(&mut stream.unwrap(), format!("this is {name}\n").as_bytes());
            }
        });
    }
    let [one, two, three] = paths.map(|path| path.display().to_string());
    let config = format!("[shell.perl]\nsockets = {{ ONE_HOST = \"{one}\", TWO_HOST = \"{two}\" }}\n");
    world.write_at(&world.path("home/.config/rye/config.toml"), &config);
    let ask = format!(
        "use IO::Socket::INET; use IO::Socket::UNIX;
        for my $name ('ONE_HOST', 'TWO_HOST') {{
            my ($host, $port) = ($ENV{{$name}} // '') =~ m{{^tcp://(.*):(.*)$}};
            my $socket = $port && IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port);
            print $socket ? scalar <$socket> : \"not reached\\n\";
        }}
        for my $port (3128, 3131) {{
            my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port);
            print $socket ? \"open\\n\" : \"closed\\n\";
        }}
        my $socket = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => '{three}');
        print $socket ? \"three\\n\" : \"refused\\n\";"
    );
    let any = "<execute><tool>rye/shell/*</tool></execute>";
    let found = results(
        &world,
        any,
        &[argv(&["perl", "-e", &ask]), argv(&["sh", "-c", &format!("perl -e '{}'", ask.replace('\'', "\""))])],
    );
    assert_eq!(found[0]["output"]["stdout"], "this is one\nthis is two\nopen\nclosed\nrefused\n", "{}", found[0]);
    assert!(!found[1].to_string().contains("this is"), "{}", found[1]);
}

#[test]
fn a_program_is_called_by_its_own_id_too() {
    let world = World::new();
    let one = "<execute><tool>rye/shell/printf</tool></execute>";
    let by_id = |id: &str, parameters: Value| {
        call("rye_execute", json!({"item_type": "tool", "item_id": id, "parameters": parameters}))
    };
    let found = results(
        &world,
        one,
        &[
            by_id("rye/shell/printf", json!({"command": "'%s|' 'a b'", "args": ["$HOME"]})),
            by_id("rye/shell/ls", json!({"command": "."})),
            by_id("rye/shell/printf", json!({"command": "'a"})),
            by_id("rye/shell/printf", json!({"argv": ["ls"]})),
            by_id("rye/shell/printf", json!({"command": "x", "stdin": "", "cwd": "/"})),
        ],
    );
    assert_eq!(found[0]["output"]["stdout"], "a b|$HOME|", "{}", found[0]);
    assert!(message(&found[1]).contains("it needs `rye.execute.tool.rye.shell.ls`"), "{}", found[1]);
    assert!(message(&found[2]).contains("a quote that is not closed"), "{}", found[2]);
    assert!(message(&found[3]).contains("`argv` belongs to `rye/shell/run`"), "{}", found[3]);
    assert!(message(&found[4]).contains("unknown parameter `cwd`"), "{}", found[4]);
    let (code, printed) =
        world.rye_json(&["execute", "tool", "rye/shell/printf", "-i", "command=%s", "-i", "args=[\"x y\"]"]);
    assert_eq!((code, &printed["result"]["stdout"]), (0, &json!("x y")), "{printed}");
    let (code, printed) = world.rye_json(&["execute", "tool", "rye/shell/printf", "-i", "command=x", "-i", "cwd=/"]);
    let error = &printed["error"];
    assert_eq!(
        (code, &error["message"], &error["hints"]),
        (
            2,
            &json!("invalid parameters for tool `rye/shell/printf`: unknown parameter `cwd`"),
            &json!(["pass `command` (string, optional), `args` (array, optional), `stdin` (string, optional), \
                 `folder` (string, optional), `timeout` (integer, optional)"])
        ),
        "{printed}"
    );
}

/// A step of the seeds, followed without a model.
#[test]
fn a_step_calls_a_program_by_its_own_id() {
    let world = World::new();
    let text = super::world::directive("work", "<execute><tool>rye/shell/printf</tool></execute>", r#"turns="3""#, "");
    let steps = "\n<process>\n  <step name=\"say\">\n    <execute item_type=\"tool\" item_id=\"rye/shell/printf\">\n      <param name=\"command\" value=\"said\" />\n    </execute>\n  </step>\n</process>\n";
    world.write(
        ".ai/directives/demo/work.md",
        &format!("{}{steps}", text.split("\n<process>").next().unwrap().trim_end()),
    );
    world.sign(rye::keys::KeyName::Person, "demo/work");
    world.commit("steps");
    let (code, printed) = world.rye_json(&["thread", "run", "demo/work", "--provider", "rye/agent/providers/steps"]);
    assert_eq!(code, 0, "{printed}");
    let thread_id = printed["thread_id"].as_str().unwrap().parse().unwrap();
    let events = serde_json::to_string(&world.events_of(&thread_id)).unwrap();
    assert!(events.contains(r#""stdout":"said""#), "{events}");
}

/// A file of the person's project is never run as a program, also in a thread, whatever PATH says.
#[test]
fn no_file_of_the_person_s_project_is_a_program() {
    let world = World::new();
    world.write("bin/mine", "#!/bin/sh\necho mine\n");
    world.write("bin/wc", "#!/bin/sh\necho mine\n");
    for name in ["mine", "wc"] {
        let path = world.in_project(&format!("bin/{name}"));
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    world.commit("programs");
    world.directive("<execute><tool>rye/shell/*</tool></execute>", r#"turns="9""#, "");
    let turns = [argv(&["mine"]), argv(&["wc", "-c", "bin/wc"]), text("Done.")];
    let script = world.script(&turns);
    let path = format!("{}:/usr/bin:/bin", world.in_project("bin").display());
    for how in [&[][..], &["--in-place"]] {
        let mut command =
            world.rye(&[&["thread", "run", "demo/work", "--script", script.to_str().unwrap()], how].concat());
        let output = command.arg("--json").env("PATH", &path).output().unwrap();
        let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
        let thread_id = outcome["thread_id"].as_str().unwrap_or_else(|| panic!("{outcome}")).parse().unwrap();
        let events = serde_json::to_string(&world.events_of(&thread_id)).unwrap();
        assert!(!events.contains("\"stdout\":\"mine"), "{events}");
        assert!(events.contains("lies inside the project") && events.contains("bin/wc\\n"), "{events}");
    }
}

/// A folder that a program may write does not lead it to other files.
#[test]
fn a_link_that_a_program_made_opens_nothing() {
    let world = World::new();
    world.write_at(&world.path("home/cache/sub/a.txt"), "cached\n");
    world.write_at(&world.path("home/private/id"), "private\n");
    let config = "[shell.sh]\nwrite = [\"~/cache\"]\nread = [\"~/cache/sub\"]\n[shell.cat]\nsockets = { X_HOST = \"~/cache/s.sock\" }\n";
    world.write_at(&world.path("home/.config/rye/config.toml"), config);
    let _listener = std::os::unix::net::UnixListener::bind(world.path("home/cache/s.sock")).unwrap();
    let home = world.path("home").display().to_string();
    let any = "<execute><tool>rye/shell/*</tool></execute>";
    let found = results(
        &world,
        any,
        &[
            argv(&["sh", "-c", &format!("cat {home}/cache/sub/a.txt")]),
            argv(&["sh", "-c", &format!("cd {home}/cache && mv sub old && ln -s {home}/private sub && echo made")]),
            argv(&["sh", "-c", &format!("cat {home}/private/id")]),
            argv(&["cat", "x"]),
        ],
    );
    assert_eq!(found[0]["output"]["stdout"], "cached\n", "{}", found[0]);
    assert_eq!(found[1]["output"]["stdout"], "made\n", "{}", found[1]);
    assert!(found[2].to_string().contains("a link in a folder that a tool may write leads there"), "{}", found[2]);
    assert!(found[3].to_string().contains("a tool may write the folder of this socket"), "{}", found[3]);
}

/// In a thread git says what it cannot do, also where it is a program of its own.
#[test]
fn git_as_a_program_commits_nothing_in_a_thread() {
    let world = World::new();
    let found = results(
        &world,
        "<execute><tool>rye/shell/git</tool></execute>",
        &[argv(&["git", "status", "--short"]), argv(&["git", "commit", "--allow-empty", "-m", "evil"])],
    );
    assert_eq!(found[0]["status"], "ok", "{}", found[0]);
    assert_eq!(found[1]["status"], "error", "{}", found[1]);
    assert!(!found[1].to_string().contains("[detached"), "{}", found[1]);
}

/// An input of a step is a part of one argument, whatever it holds.
#[test]
fn an_input_of_a_step_is_one_argument() {
    let world = World::new();
    let written =
        super::world::directive("work", "<execute><tool>rye/shell/printf</tool></execute>", r#"turns="3""#, "");
    let block = written.split("\n<process>").next().unwrap().trim_end().replace(
        "</metadata>\n",
        "</metadata>\n  <inputs><input name=\"x\" type=\"string\" required=\"true\">What</input></inputs>\n",
    );
    let steps = "\n<process>\n  <step name=\"say\">\n    <execute item_type=\"tool\" item_id=\"rye/shell/run\">\n      <param name=\"argv\" value='[\"printf\", \"%s|\", \"{input:x}\"]' />\n    </execute>\n  </step>\n</process>\n";
    world.write(".ai/directives/demo/work.md", &format!("{block}{steps}"));
    world.sign(rye::keys::KeyName::Person, "demo/work");
    world.commit("steps");
    let args = ["thread", "run", "demo/work", "--provider", "rye/agent/providers/steps", "-i", "x=a\", \"b"];
    let (code, printed) = world.rye_json(&args);
    assert_eq!(code, 0, "{printed}");
    let thread_id = printed["thread_id"].as_str().unwrap().parse().unwrap();
    let events = serde_json::to_string(&world.events_of(&thread_id)).unwrap();
    assert!(events.contains(r#""stdout":"a\", \"b|""#), "{events}");
}
