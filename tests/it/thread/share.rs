//! What a thread's tree has besides the files of its commit: folders that its person shares, submodules, nested repositories.

use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use rye::context::ConfigError;
use rye::thread::{Outcome, Status};
use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, result_in_turn, text, write};

const ALL: &str =
    r#"<execute><tool>rye.file-system.*</tool><tool>demo.*</tool></execute><write resource="filesystem" path="**" />"#;

fn world(script: &str) -> World {
    let world = World::new();
    world.tool("demo/look", script);
    world.directive(ALL, r#"turns="20""#, "");
    world
}

/// Runs the program with a configuration file: what it came to, and what it said.
fn run(world: &World, config: &str, turns: &[Value]) -> (Outcome, String) {
    world.write_at(&world.path("home/.config/rye/config.toml"), config);
    let script = world.script(turns).display().to_string();
    let before = (world.untouched(), world.persons_files());
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let output = world.rye(&args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!((world.untouched(), world.persons_files()), before);
    let id = world.git(&["for-each-ref", "--sort=-creatordate", "--format=%(refname:lstrip=4)", "refs/heads/rye"]);
    let outcome = world.shown(&json!({"thread_id": id.lines().next().unwrap()}));
    world.check(&outcome);
    (outcome, said)
}

#[test]
fn shared_folders_are_copies_that_are_never_committed() {
    let look = "cat target/deep/a.o; readlink target/out target/in target/near; test -e target/far || echo none; echo x >target/deep/a.o; \
                echo y >target/new; printf '' >.gitignore; stat -c %Y target/old";
    let world = world(look);
    world.commit("items");
    world.write("target/deep/a.o", "object\n");
    world.write("target/old", "old\n");
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    std::fs::File::options().write(true).open(world.in_project("target/old")).unwrap().set_modified(old).unwrap();
    symlink("/usr/bin/env", world.in_project("target/out")).unwrap();
    symlink(world.in_project("src/a.txt"), world.in_project("target/in")).unwrap();
    symlink("deep/a.o", world.in_project("target/near")).unwrap();
    symlink("../../../elsewhere", world.in_project("target/far")).unwrap();
    let config = "[threads]\nshare = [\"target\", \"node_modules\", \"src\"]\n";
    let (outcome, said) = run(&world, config, &[call("demo_look", json!({})), text("Done.")]);
    let printed = result_in_turn(&world.events(&outcome), 1)["output"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        (lines[0], lines[1], lines[3], lines[4], lines[5]),
        ("object", "/usr/bin/env", "deep/a.o", "none", "1000000000")
    );
    assert!(lines[2].contains("/rye/trees/rye-work-") && lines[2].ends_with("/src/a.txt"), "{printed}");
    assert!(said.contains("the thread has a copy of `target` ("), "{said}");
    for told in [
        "`src` is in `threads.share` and git tracks files in it: the thread has those, and no copy",
        "`node_modules` is in `threads.share` but is not a folder: nothing is copied",
    ] {
        assert_eq!(said.matches(told).count(), 1, "{said}");
    }
    assert_eq!(world.changed(&outcome).concat(), [".gitignore"], "even when a tool changes what git ignores");
    assert_eq!(world.read("target/deep/a.o"), "object\n");
}

/// The bound of a thread's changes is for what its tools change.
#[test]
fn the_files_of_a_shared_folder_do_not_count_as_changed_by_the_tools() {
    let world = world("printf '' >.gitignore");
    world.commit("items");
    world.write("target/0", "");
    (1..50_001).for_each(|name| drop(std::fs::File::create(world.in_project(&format!("target/{name}"))).unwrap()));
    let (outcome, said) =
        run(&world, "[threads]\nshare = [\"target\"]\n", &[call("demo_look", json!({})), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed, "{said}");
    assert_eq!(world.changed(&outcome).concat(), [".gitignore"]);
}

#[test]
fn what_git_does_not_ignore_is_not_shared() {
    let world = world("ls");
    world.commit("items");
    world.write("mine/a.txt", "mine\n");
    let config = "[threads]\nshare = [\"mine\"]\n";
    let (outcome, said) = run(&world, config, &[call("demo_look", json!({})), text("Done.")]);
    assert!(said.contains("`mine` is in `threads.share` and git does not ignore it: it is not copied"), "{said}");
    assert!(!result_in_turn(&world.events(&outcome), 1)["output"].as_str().unwrap().contains("mine"));
}

/// The person's tree has a folder there, and the commit a link out of the project.
#[test]
fn no_folder_is_made_or_removed_behind_a_link_of_the_thread_s_tree() {
    let world = world("ls");
    std::fs::create_dir_all(world.path("outside/kept")).unwrap();
    std::fs::write(world.path("outside/kept/a"), "a").unwrap();
    symlink(world.path("outside"), world.in_project("web")).unwrap();
    world.write(".gitignore", "cache\nkept\n");
    world.commit("items");
    std::fs::remove_file(world.in_project("web")).unwrap();
    world.write("web/cache/a", "mine\n");
    world.write("web/kept/a", "mine\n");
    let config = "[threads]\nshare = [\"web/cache\", \"web/kept\"]\n";
    let (_, said) = run(&world, config, &[call("demo_look", json!({})), text("Done.")]);
    assert!(said.contains("`web/cache` is not copied") && said.contains("`web/kept` is not copied"), "{said}");
    assert!(!world.path("outside/cache").exists());
    assert_eq!(std::fs::read_to_string(world.path("outside/kept/a")).unwrap(), "a");
}

#[test]
fn only_the_person_s_own_file_says_what_is_shared() {
    let world = world("ls");
    world.commit("items");
    let (code, error) = world.rye_json(&["--config", "threads.share=[\"target\"]", "thread", "list"]);
    assert!(code != 0 && error["error"]["message"].as_str().unwrap().contains("not with `--config`"), "{error}");
    let text = b"[threads]\nshare = [\"target\"]\n";
    let refused = rye::context::ProjectConfig::parse("config.toml".as_ref(), text).unwrap_err();
    assert!(matches!(refused, ConfigError::WrongInProject { .. }), "{refused}");
}

/// A project with a submodule `lib`, in which another one lies, and a repository `vendor` that is not one.
fn with_repositories() -> World {
    let world = world("cat lib/a.txt lib/inner/a.txt vendor/a.txt; ls -A lib | tr '\\n' ' '");
    world.tool("demo/rude", "echo x >lib/a.txt; echo x >lib/new.txt; rm vendor/a.txt; echo x >src/a.txt");
    for name in ["inner", "lib", "vendor"] {
        world.git_in(".", &["init", "-q", "-b", "main", &format!("origin/{name}")]);
        world.write_at(&world.path(&format!("origin/{name}/a.txt")), &format!("{name}\n"));
        let there = format!("origin/{name}");
        for args in [&["add", "-A"][..], &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a"]] {
            world.git_in(&there, args);
        }
        if name == "lib" {
            let inner = world.path("origin/inner").display().to_string();
            world.git_in(&there, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &inner, "inner"]);
            world.git_in(&there, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "inner"]);
        }
    }
    let (lib, vendor) =
        (world.path("origin/lib").display().to_string(), world.path("origin/vendor").display().to_string());
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &lib, "lib"]);
    world.git(&["-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive"]);
    world.commit("items");
    world.git(&["clone", "-q", &vendor, "vendor"]);
    // Uncommitted files there are not in the thread's tree, and stay.
    world.write("lib/mine.txt", "mine\n");
    world
}

#[test]
fn submodules_and_nested_repositories_are_there_and_not_the_thread_s_to_change() {
    let world = with_repositories();
    for with_changes in [false, true] {
        let mut options = world.options(&[
            call("demo_look", json!({})),
            write("lib/a.txt", "x\n"),
            write("vendor/new.txt", "x\n"),
            call("demo_rude", json!({})),
            call("demo_rude", json!({})),
            text("Done."),
        ]);
        options.with_changes = with_changes;
        let outcome = world.try_run(&options).unwrap();
        assert_eq!(outcome.status, Status::Completed);
        let events = world.events(&outcome);
        let printed = result_in_turn(&events, 1)["output"].as_str().unwrap().to_owned();
        assert_eq!(printed, "lib\ninner\nvendor\n.gitmodules a.txt inner");
        let error = |turn| result_in_turn(&events, turn)["output"]["error"].clone();
        let lies = |path: &str, what: &str, code: &str| json!({"code": code, "message": format!("not kept: `{path}` lies in {what}")});
        assert_eq!(error(2), lies("lib/a.txt", "a submodule", "submodule"));
        assert_eq!(error(3), lies("vendor/new.txt", "another repository", "nested_repository"));
        assert_eq!(error(4)["code"], "submodule");
        let message = error(4)["message"].as_str().unwrap().to_owned();
        for path in ["lib/a.txt", "lib/new.txt", "vendor/a.txt"] {
            assert!(message.contains(&format!("`{path}`")), "{message}");
        }
        assert_eq!(world.changed(&outcome).concat(), ["src/a.txt"]);
        let skipped: Vec<String> = events
            .iter()
            .filter_map(|event| match &event.what {
                rye::event::EventData::PathsSkipped { paths } => Some(paths),
                _ => None,
            })
            .flatten()
            .map(|skipped| format!("{} {}", skipped.path, skipped.reason))
            .collect();
        for told in [
            "lib/a.txt submodule",
            "lib/new.txt submodule",
            "vendor/new.txt nested_repository",
            "vendor/a.txt nested_repository",
        ] {
            assert!(skipped.iter().any(|skipped| skipped == told), "{told}: {skipped:?}");
        }
    }
}

#[test]
fn a_submodule_that_is_not_checked_out_is_an_empty_folder() {
    let world = with_repositories();
    world.git(&["submodule", "deinit", "-q", "--force", "lib"]);
    std::fs::remove_dir_all(world.in_project("vendor")).unwrap();
    world.tool("demo/look", "ls -A lib; echo x >lib/x.txt");
    world.commit("items");
    let outcome = world.run(&[call("demo_look", json!({})), write("lib/a.txt", "x\n"), text("Done.")]);
    let events = world.events(&outcome);
    assert_eq!(result_in_turn(&events, 2)["output"]["error"]["code"], "submodule");
    assert_eq!(world.changed(&outcome).concat(), Vec::<String>::new());
}

/// Logs and configuration of a clone in a shared folder may hold credentials.
#[test]
fn a_shared_folder_comes_without_git_folders() {
    let world = world("grep -rls hunter2 target | sort");
    world.write(".gitignore", "target\n");
    world.commit("items");
    let closed = ["dep/.git/config", "dep/.git/logs/HEAD", "bare/config", "bare/HEAD", "bare/objects/x", "bare/refs/x"];
    for file in closed.into_iter().chain(["dep/a.txt", "bare.txt"]) {
        world.write(&format!("target/{file}"), "https://me:hunter2@example.org\n");
    }
    let (outcome, said) =
        run(&world, "[threads]\nshare = [\"target\"]\n", &[call("demo_look", json!({})), text("Done.")]);
    assert!(said.contains("the thread has a copy of `target` ("), "{said}");
    let printed = result_in_turn(&world.events(&outcome), 1)["output"].clone();
    assert_eq!(printed, json!("target/bare.txt\ntarget/dep/a.txt"));
}
