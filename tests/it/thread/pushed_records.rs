//! A thread's record is not pushed by accident, wherever it lies: the hook knows it by its content.

use std::io::Write as _;
use std::process::Stdio;

use super::world::{FILES, World, text, write};

/// Writes a tree object of these lines of `git ls-tree`, besides those of the branch.
fn tree(world: &World, lines: &str) -> String {
    let all = format!("{}\n{lines}\n", world.git(&["ls-tree", "HEAD"]));
    let mut command = std::process::Command::new("git");
    command.arg("mktree").current_dir(world.in_project("")).env_clear().envs(world.variables());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(all.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

/// Writes a blob.
fn blob(world: &World, text: &str) -> String {
    world.write_at(&world.path("blob"), text);
    world.git(&["hash-object", "-w", "--", world.path("blob").to_str().unwrap()])
}

#[test]
fn a_record_under_another_path_is_not_pushed() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    world.commit("items");
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["fetch", "-q", "origin"]);
    let thread = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    world.rye(&["hook", "install"]).output().unwrap();
    let branch = thread.branch.as_str();
    let of_record = |path: &str| world.git(&["rev-parse", &format!("{branch}:.ai/threads/{}{path}", thread.thread_id)]);
    let commit = |tree: &str, parents: &[&str]| {
        let parents: Vec<&str> = parents.iter().flat_map(|parent| ["-p", parent]).collect();
        world.git(&[&["commit-tree", "-m", "mine", tree], &parents[..]].concat())
    };
    let main = world.git(&["rev-parse", "HEAD"]);
    let plain = world.git(&["rev-parse", "HEAD^{tree}"]);
    let folder = of_record("");
    let moved = commit(&tree(&world, &format!("040000 tree {folder}\tnotes")), &[&main]);
    let events = world.git(&["show", &format!("{branch}:.ai/threads/{}/turns/00/0001.jsonl", thread.thread_id)]);
    let edited = blob(&world, &format!("my notes\n{events}\n"));
    let file = |id: &str, name: &str| commit(&tree(&world, &format!("100644 blob {id}\t{name}")), &[&main]);
    // As `jq .` and `jq -s .` write them.
    let values: Vec<serde_json::Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pretty: String = values.iter().map(|event| format!("{event:#}\n")).collect();
    let written = |args: &[&str]| {
        let output = world.rye(&[&["thread"], args, &["@latest"]].concat()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        file(&blob(&world, &String::from_utf8(output.stdout).unwrap()), "notes.txt")
    };
    let array = blob(&world, &format!("{:#}\n", serde_json::Value::from(values)));
    let mut pushed = vec![
        ("log --json", written(&["log", "--json"])),
        ("show --json", written(&["show", "--json"])),
        ("export", written(&["export"])),
        ("export --format md", written(&["export", "--format", "md"])),
        ("show --html", {
            let page = world.path("page.html");
            let shown = world.rye(&["thread", "show", "@latest", "--html", page.to_str().unwrap()]).output().unwrap();
            assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
            file(&blob(&world, &std::fs::read_to_string(page).unwrap()), "page.html")
        }),
        ("pretty", file(&blob(&world, &pretty), "log.json")),
        ("array", file(&array, "log.json")),
        ("moved", moved.clone()),
        ("edited", file(&edited, "log.txt")),
        ("older", commit(&plain, &[&moved])),
        ("second", commit(&plain, &[&main, &moved])),
    ];
    for name in ["thread.json", "token.json", "setup.json", "transcript.md", "turns/00/0001.jsonl"] {
        pushed.push((name, file(&of_record(&format!("/{name}")), "renamed.bin")));
    }
    for (name, id) in &pushed {
        world.git(&["update-ref", "refs/heads/pushed", id]);
        world.git(&["tag", "-f", "-a", "-m", "tagged", "tagged", id]);
        for name_of_ref in ["pushed", "tagged"] {
            let output = world.try_git_in(world.project, &["push", "-q", "origin", name_of_ref]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && said.contains("which adds `"), "{name}, {name_of_ref}: {said}");
        }
    }
    // Nor once the thread is gone, whose files are known no longer.
    world.git(&["update-ref", "-d", branch]);
    for (name, id) in &pushed {
        world.git(&["update-ref", "refs/heads/pushed", id]);
        let output = world.try_git_in(world.project, &["push", "-q", "origin", "pushed"]);
        assert!(!output.status.success(), "{name}");
    }
    assert_eq!(world.git_in(".", &["-C", "remote.git", "for-each-ref"]).lines().count(), 1);
    // What only speaks of threads goes out.
    let harmless = blob(&world, "A `thread_id` is text:\n\n{\"thread_id\": \"x\"}\n\nThread `main` panicked.\n");
    world.git(&["update-ref", "refs/heads/pushed", &file(&harmless, "notes.md")]);
    world.git(&["push", "-q", "origin", "pushed"]);
}
