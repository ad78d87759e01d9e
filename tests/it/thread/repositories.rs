//! What git takes for a repository: no commit of a thread makes one, completes one or changes one, in however many steps.

use std::fs;

use rye::thread::{Outcome, Status};
use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, call, calls, text};
use crate::support::users::User;

const ALL: &str = r#"<execute><tool>demo.*</tool></execute><write resource="filesystem" path="**" />"#;

/// Runs a thread that executes scripts, each in a turn of its own.
fn run(world: &World, scripts: &[&str]) -> Outcome {
    let turns: Vec<Value> = (0..scripts.len()).map(|number| call(&format!("demo_do{number}"), json!({}))).collect();
    for (number, script) in scripts.iter().enumerate() {
        world.tool(&format!("demo/do{number}"), script);
    }
    world.directive(ALL, r#"turns="20""#, "");
    world.commit("items");
    let outcome = world.run(&[turns, vec![text("Done.")]].concat());
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    outcome
}

/// The paths that are left out as parts of a repository.
fn left_out(world: &World, outcome: &Outcome) -> Vec<String> {
    let events = world.events(outcome).into_iter().map(|event| serde_json::to_value(event).unwrap());
    let skipped = events.filter(|event| event["type"] == "paths_skipped");
    let paths = skipped.flat_map(|event| event["data"]["paths"].as_array().unwrap().clone());
    let named = paths.map(|path| {
        assert_eq!(path["reason"], "git_repository", "{path}");
        path["path"].as_str().unwrap().to_owned()
    });
    named.collect()
}

/// The files of a thread's last commit below a folder.
fn files(world: &World, outcome: &Outcome, folder: &str) -> Vec<String> {
    let listed = world.git(&["ls-tree", "-r", "--name-only", &outcome.branch, folder]);
    listed.lines().map(str::to_owned).collect()
}

/// Tells whether git obeys a configuration in some folder of a checkout of the thread's branch.
fn is_obeyed(world: &World, outcome: &Outcome, folders: &[&str]) -> bool {
    world.git(&["worktree", "add", "-q", "--detach", "../checkout", &outcome.branch]);
    let obeys = |folder: &&str| {
        let folder = format!("checkout/{folder}");
        world.path(&folder).exists() && world.try_git_in(&folder, &["config", "test.obeyed"]).status.success()
    };
    let obeyed = folders.iter().any(obeys);
    world.git(&["worktree", "remove", "--force", "../checkout"]);
    obeyed
}

/// Makes the parts of a repository in a folder.
const PARTS: &str = "mkdir -p docs/objects/aa docs/refs/heads docs/hooks; echo x >docs/objects/aa/x; echo x >docs/refs/heads/main; \
                     echo 'ref: refs/heads/main' >docs/HEAD; printf '[test]\\n\\tobeyed = yes\\n' >docs/config; echo x >docs/hooks/post-checkout";

#[test]
fn no_commit_of_a_thread_makes_what_git_takes_for_a_repository() {
    for user in User::all() {
        user.does(|| {
            let world = World::new();
            let more = "git init -q --bare below/bare.git; git config -f below/bare.git/config test.obeyed yes; \
                        echo x >below/bare.git/refs/heads/x; echo x >below/bare.git/objects/x; mkdir -p led; echo 'ref: refs/heads/main' >led/HeaD; echo ../docs >led/CommonDir; \
                        mkdir -p src/HEAD; echo x >src/HEAD/config; echo x >src/refs; echo x >src/config; echo x >fine.txt";
            let outcome = run(&world, &[&format!("{PARTS}; {more}")]);
            let kept = ["fine.txt", "src/HEAD/config", "src/config", "src/refs"];
            assert_eq!(world.changed(&outcome)[1], kept, "{user:?}");
            let said = left_out(&world, &outcome);
            for path in ["docs/HEAD", "docs/config", "docs/objects/aa/x", "led/HeaD", "led/CommonDir", "below/bare.git/HEAD"] {
                assert!(said.iter().any(|said| said == path), "{path}: {said:?}");
            }
            assert!(!is_obeyed(&world, &outcome, &["docs", "below/bare.git", "led"]));
            let transcript = world.thread_file(&outcome, "transcript.md");
            assert!(transcript.contains("`docs/HEAD` (git_repository)"), "{transcript}");
        });
    }
}

#[test]
fn a_repository_is_not_completed_by_a_later_turn_a_rename_or_what_was_there() {
    for user in User::all() {
        user.does(|| {
            let world = World::new();
            world.write("parts/HEAD", "ref: refs/heads/main\n");
            world.write("half/objects/x", "x\n");
            world.write("half/refs/x", "x\n");
            world.commit("parts");
            let outcome = run(
                &world,
                &[
                    &format!("{PARTS}; rm docs/HEAD docs/config; rm -r docs/hooks"),
                    "mv parts/HEAD docs/HEAD; echo 'ref: refs/heads/main' >half/head",
                    "printf '[test]\\n\\tobeyed = yes\\n' >docs/config; cp docs/config half/config; mkdir half/hooks; echo x >half/hooks/x",
                    // What is no repository any more is the thread's as before.
                    "rm docs/HEAD docs/config; echo y >docs/objects/aa/x",
                ],
            );
            let changed = world.changed(&outcome);
            assert_eq!(changed[1], ["docs/objects/aa/x", "docs/refs/heads/main"], "{user:?}");
            assert_eq!(changed[2], ["parts/HEAD"], "{user:?}");
            assert_eq!(changed[3], Vec::<String>::new(), "{user:?}");
            assert_eq!(changed[4], ["docs/objects/aa/x"], "{user:?}");
            let said = left_out(&world, &outcome);
            assert_eq!(said, ["docs/HEAD", "half/head", "docs/config", "half/config", "half/hooks/x"], "{user:?}");
            assert!(!is_obeyed(&world, &outcome, &["docs", "half"]));
        });
    }
}

#[test]
fn a_repository_that_the_base_has_stays_as_it_is() {
    let world = World::new();
    let fixture = [("HEAD", "ref: refs/heads/main\n"), ("objects/x", "x\n"), ("refs/x", "x\n"), ("config", "[core]\n")];
    for (name, text) in fixture {
        world.write(&format!("fixtures/a.git/{name}"), text);
    }
    world.commit("fixture");
    let outcome = run(
        &world,
        &[
            "echo '[x]' >>fixtures/a.git/config; mkdir fixtures/a.git/hooks; echo x >fixtures/a.git/hooks/x; echo x >fixtures/b",
            "mv fixtures/a.git fixtures/c.git",
        ],
    );
    assert_eq!(world.changed(&outcome).concat(), ["fixtures/b"]);
    let mut expected: Vec<String> = fixture.iter().map(|(name, _)| format!("fixtures/a.git/{name}")).collect();
    expected.sort();
    assert_eq!(files(&world, &outcome, "fixtures/a.git"), expected);
    assert_eq!(world.in_thread(&outcome, "fixtures/a.git/config").as_deref(), Some("[core]\n"));
    assert!(left_out(&world, &outcome).contains(&"fixtures/c.git/HEAD".to_owned()));
}

/// A person merges the branches by hand, where nothing judges them.
#[test]
fn two_threads_make_no_repository_together() {
    let head = "mkdir -p lib; echo 'ref: refs/heads/main' >lib/HEAD; echo x >fine.txt";
    let config = "printf '[test]\n\tobeyed = yes\n' >lib/config";
    let (objects, refs) = ("mkdir lib/objects; echo x >lib/objects/x", "mkdir -p lib/refs; echo x >lib/refs/x");
    let hooks = "mkdir lib/hooks; echo x >lib/hooks/post-checkout";
    for user in User::all() {
        for (one, other) in [
            (format!("{head}; {config}; {objects}"), refs.to_owned()),
            (format!("{head}; {config}"), format!("mkdir lib; {objects}; {refs}")),
            (format!("{head}; {hooks}"), format!("mkdir lib; {objects}; {refs}")),
        ] {
            user.does(|| {
                let world = World::new();
                let one = run(&world, &[&one]);
                assert_eq!(left_out(&world, &one), ["lib/HEAD"], "{user:?}");
                let other = run(&world, &[&other]);
                for branch in [&one.branch, &other.branch] {
                    world.git(&["merge", "-q", "--no-edit", branch]);
                }
                assert!(world.in_project("lib/refs/x").exists() && world.in_project("fine.txt").exists());
                let found = world.try_git_in("project/lib", &["rev-parse", "--show-prefix"]);
                assert_eq!(
                    String::from_utf8_lossy(&found.stdout),
                    "lib/\n",
                    "{user:?}: git takes `lib` for a repository"
                );
            });
        }
    }
}

#[test]
fn a_lone_head_is_committed_and_gets_nothing_beside_it() {
    let names = ["commondir", "config", "hooks", "objects", "refs"];
    let each = |command: &str| names.map(|name| command.replace("NAME", name)).join("; ");
    let world = World::new();
    names.iter().for_each(|name| world.write(&format!("old-{name}/HEAD"), "x\n"));
    for path in ["both/HEAD", "both/config", "part/config"] {
        world.write(path, &format!("{path}\n"));
    }
    world.commit("old");
    let outcome = run(
        &world,
        &[
            &format!("{}; rm part/config", each("mkdir new-NAME; echo NAME >new-NAME/HEAD")),
            &format!(
                "{}; echo y >both/config",
                each("echo y >new-NAME/NAME; echo y >old-NAME/NAME; echo y >new-NAME/HEAD")
            ),
            // Another thread may have what this one has no longer.
            "echo y >part/head",
            "rm new-config/HEAD",
        ],
    );
    let changed = world.changed(&outcome);
    let heads = names.map(|name| format!("new-{name}/HEAD"));
    assert_eq!(changed[1], [&heads[..], &["part/config".to_owned()]].concat());
    // A folder with `HEAD` and `commondir` is a repository.
    assert_eq!(changed[2], [&["both/config".to_owned()], &heads[1..]].concat());
    assert_eq!(changed[3], Vec::<String>::new());
    assert_eq!(files(&world, &outcome, "new-config"), ["new-config/config"], "it has no `HEAD` any more");
    let beside = names.into_iter().flat_map(|name| ["new", "old"].map(|folder| format!("{folder}-{name}/{name}")));
    let said = left_out(&world, &outcome);
    for path in beside.chain(["new-commondir/HEAD".to_owned(), "part/head".to_owned()]) {
        assert!(said.contains(&path), "{path}: {said:?}");
    }
    assert_eq!(said.len(), 2 * names.len() + 2, "{said:?}");
}

#[test]
fn a_fork_completes_no_repository_either() {
    let world = World::new();
    let outcome = run(&world, &[&format!("{PARTS}; rm docs/HEAD"), "echo x >README.md"]);
    assert_eq!(files(&world, &outcome, "docs"), Vec::<String>::new(), "objects, refs and a configuration are obeyed");

    let world = World::new();
    let scripts = [
        &format!("{PARTS}; rm docs/HEAD docs/config; rm -r docs/hooks")[..],
        "echo 'ref: refs/heads/main' >docs/HEAD; printf '[test]\\n\\tobeyed = yes\\n' >docs/config; echo b >src/a.txt",
    ];
    let outcome = run(&world, &scripts);
    assert_eq!(world.changed(&outcome)[2], ["src/a.txt"]);
    let turns = [text("passed"), call("demo_do1", json!({})), text("Done.")];
    let script = world.script(&turns).display().to_string();
    let args = ["thread", "fork", "@latest", "--turn", "1", "--script", &script, "--provider", SCRIPTED];
    let (code, printed) = world.rye_json(&args);
    assert_eq!(code, 0, "{printed:#}");
    let fork = world.shown(&printed);
    assert_eq!(files(&world, &fork, "docs"), ["docs/objects/aa/x", "docs/refs/heads/main"]);
    assert_eq!(left_out(&world, &fork), ["docs/HEAD", "docs/config"]);
    assert!(!is_obeyed(&world, &fork, &["docs"]));
}

#[test]
fn accepting_a_thread_completes_no_repository_on_the_branch() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    let write = |path: &str| ("rye_file_system_write", json!({"path": path, "content": "x\n"}));
    world.run(&[calls(&[write("docs/objects/x"), write("docs/refs/x"), write("docs/a.md")]), text("Done.")]);
    world.write("docs/config", "[test]\n\tobeyed = yes\n");
    world.commit("meanwhile");
    let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
    assert_eq!(code, 0, "{accepted:#}");
    let left_out: Vec<(&Value, &Value)> =
        accepted["left_out"].as_array().unwrap().iter().map(|left| (&left["path"], &left["reason"])).collect();
    let repository = json!("repository");
    assert_eq!(left_out, [(&json!("docs/objects/x"), &repository), (&json!("docs/refs/x"), &repository)]);
    assert_eq!(world.git(&["ls-tree", "-r", "--name-only", "HEAD", "docs"]), "docs/a.md\ndocs/config");
    assert!(!world.in_project("docs/objects").exists() && fs::exists(world.in_project("docs/a.md")).unwrap());
}
