//! Finished threads are put away: into the archive, and into packs. Logs are private.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use rye::thread::Outcome;
use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, text, write};

pub(super) fn world() -> World {
    let world = World::new();
    world.directive(FILES, r#"turns="500" tokens="1000000000""#, "");
    world.commit("items");
    world
}

/// Runs the guide years later, with finished threads kept for a month.
fn run_later(world: &World) -> String {
    let args = ["thread", "run", "rye/guides/first_thread", "--config", "threads.keep=30d"];
    let output = world.rye(&args).env("RYE_NOW", "2041-01-01T00:00:00Z").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

fn ids(listed: &Value) -> Vec<String> {
    let threads = listed["threads"].as_array().unwrap();
    threads.iter().map(|thread| thread["thread_id"].as_str().unwrap().to_owned()).collect()
}

fn archived(outcome: &Outcome) -> String {
    format!("refs/rye/archive/{}", outcome.thread_id)
}

#[test]
fn finished_threads_leave_the_branches_by_age_and_are_found_all_the_same() {
    let world = world();
    let old = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    let id = old.thread_id.as_str();
    let before = (world.untouched(), world.persons_files());
    let said = run_later(&world);
    assert!(said.contains("moved 1 finished thread to the archive"), "{said}");
    assert_eq!((world.untouched(), world.persons_files()), before);
    assert_eq!(world.try_git_in(world.project, &["rev-parse", "-q", "--verify", &old.branch]).status.code(), Some(1));
    assert_eq!(world.git(&["rev-parse", &archived(&old)]), old.commit_id.as_str());
    let listed = ids(&world.rye_json(&["thread", "list"]).1);
    assert!(listed.len() == 1 && listed[0] != id, "{listed:?}");
    assert_eq!(ids(&world.rye_json(&["thread", "list", "--archived"]).1), [id]);
    for name in [id, &id[..id.len() - 1], &old.branch, &archived(&old)] {
        let (code, shown) = world.rye_json(&["thread", "show", name]);
        assert_eq!((code, &shown["branch"]), (0, &json!(archived(&old))), "{name}");
    }
    let (code, replayed) = world.rye_json(&["thread", "replay", id]);
    assert_eq!((code, &replayed["status"]), (0, &json!("same")), "{replayed}");
    let (_, diff) = world.rye_json(&["thread", "diff", id]);
    assert_eq!(diff["changes"], json!([{"path": "src/a.txt", "change": "changed"}]));
    // It stays there, and removing others leaves it and its log alone.
    let said = run_later(&world);
    assert!(!said.contains("archive"), "{said}");
    world.rye_json(&["thread", "rm", "--yes", &listed[0]]);
    let log = world.in_project(".git/rye/threads").join(id).join("events.jsonl");
    assert!(log.exists());
    let (code, removed) = world.rye_json(&["thread", "rm", "--yes", id]);
    assert_eq!((code, &removed["threads"]), (0, &json!([id])), "{removed}");
    assert!(!log.exists());
    assert_eq!(world.git(&["for-each-ref", "refs/rye/"]), "");
}

#[test]
fn a_move_that_was_cut_short_leaves_one_thread_and_is_completed() {
    for next in ["run", "rm"] {
        let world = world();
        let old = world.run(&[text("Done.")]);
        // Killed after the ref in the archive was made, before the branch was removed.
        world.git(&["update-ref", &archived(&old), old.commit_id.as_str()]);
        assert_eq!(ids(&world.rye_json(&["thread", "list"]).1), [old.thread_id.as_str()]);
        assert_eq!(ids(&world.rye_json(&["thread", "list", "--archived"]).1), Vec::<String>::new());
        match next {
            "run" => {
                run_later(&world);
                assert_eq!(ids(&world.rye_json(&["thread", "list", "--archived"]).1), [old.thread_id.as_str()]);
                assert_eq!(world.git(&["for-each-ref", &old.branch]), "");
            }
            _ => {
                world.rye_json(&["thread", "rm", "--yes", "@latest"]);
                assert_eq!(world.git(&["for-each-ref", "refs/rye/", "refs/heads/rye/"]), "");
            }
        }
    }
}

#[test]
fn neither_a_branch_someone_works_on_nor_an_interrupted_thread_is_put_away() {
    let world = world();
    let (shown, interrupted) = (world.run(&[text("Done.")]), world.run(&[write("a.txt", "a\n"), text("Done.")]));
    world.git(&["worktree", "add", "-q", "../shown", shown.branch.trim_start_matches("refs/heads/")]);
    world.git(&["update-ref", &interrupted.branch, &format!("{}~1", interrupted.commit_id)]);
    let said = run_later(&world);
    assert!(said.contains("old threads stay where they are: the branch"), "{said}");
    assert_eq!(world.git(&["for-each-ref", "refs/rye/"]), "");
    let output = world.rye(&["thread", "list"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let resume = format!("1 interrupted thread; `rye thread resume {}` goes on", interrupted.thread_id);
    assert!(said.contains(&resume) && said.contains("`rye thread rm --status interrupted` removes them"), "{said}");
}

/// Runs a thread of many turns in a process of its own.
fn long(world: &World, name: &str, turns: usize) -> Command {
    let script = world.path(name);
    let mut lines: Vec<Value> = (0..turns).map(|turn| write("src/a.txt", &format!("{name} {turn}\n"))).collect();
    lines.push(text("Done."));
    std::fs::write(&script, lines.iter().map(|turn| format!("{turn}\n")).collect::<String>()).unwrap();
    let script = script.display().to_string();
    world.rye(&["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--limit", "turns=400"])
}

fn loose(world: &World) -> (usize, usize) {
    let counted = world.git(&["count-objects", "-v"]);
    let number = |name: &str| {
        let line = counted.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    };
    (number("count: "), number("packs: "))
}

#[test]
fn many_objects_of_finished_threads_become_one_pack() {
    let world = world();
    let before = loose(&world).0;
    assert!(long(&world, "short", 20).output().unwrap().status.success());
    let (few, packs) = loose(&world);
    assert!(few > before + 100 && packs == 0, "{few} loose, {packs} packs");
    let output = long(&world, "long", 190).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(loose(&world), (before, 1), "what was there before is left alone");
    let folder = world.in_project(".git/objects/pack");
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(name.starts_with("pack-") && !name.ends_with(".keep"), "{name}");
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o444, "{name}");
    }
    let listed = world.rye_json(&["thread", "list"]).1;
    for id in ids(&listed) {
        world.check(&world.shown(&json!({"thread_id": id})));
    }
}

#[test]
fn threads_are_packed_while_git_packs_and_none_loses_an_object() {
    let world = world();
    let mut running: Vec<_> =
        ["a", "b", "c", "d"].map(|name| long(&world, name, 90).spawn().unwrap()).into_iter().collect();
    while running.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        world.try_git_in(world.project, &["gc", "-q"]);
    }
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let listed = world.rye_json(&["thread", "list"]).1;
    assert_eq!(ids(&listed).len(), 4);
    for id in ids(&listed) {
        let outcome = world.shown(&json!({"thread_id": id}));
        world.check(&outcome);
        let name = world.in_thread(&outcome, "src/a.txt").unwrap().split(' ').next().unwrap().to_owned();
        assert_eq!(world.in_thread(&outcome, "src/a.txt").unwrap(), format!("{name} 89\n"));
    }
}

#[test]
fn only_its_owner_reads_a_log() {
    let world = world();
    let guide = ["thread", "run", "rye/guides/first_thread", "--json"];
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("umask 0 && exec \"$0\" \"$@\"").arg(crate::support::RYE).args(guide);
    let output = shell.current_dir(world.in_project("")).env_clear().envs(world.variables()).output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    let folder = world.in_project(".git/rye/threads").join(outcome["thread_id"].as_str().unwrap());
    let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(""), mode("events.jsonl"), mode("lock")], [0o700, 0o600, 0o600]);
}

#[test]
fn a_missing_hook_is_said_once_in_a_repository_with_a_remote() {
    let world = world();
    let note = "nothing stops threads from being pushed to it; run `rye hook install`";
    let run = |args: &[&str]| {
        let output = world.rye(&[&["thread", "run", "rye/guides/first_thread"], args].concat()).output().unwrap();
        String::from_utf8(output.stderr).unwrap().contains(note)
    };
    assert!(!run(&[]), "there is no remote");
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.rye(&["hook", "install"]).output().unwrap();
    assert!(!run(&[]), "there is a hook");
    world.rye(&["hook", "remove"]).output().unwrap();
    assert!(run(&[]));
    assert!(!run(&[]), "it was said");
}

#[test]
fn a_thread_is_shared_on_purpose_alone() {
    let world = world();
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["fetch", "-q", "origin"]);
    world.write("mine.txt", "not yet pushed\n");
    world.commit("mine");
    let (one, two) = (world.run(&[write("src/a.txt", "b\n"), text("Done.")]), world.run(&[text("Done.")]));
    let there = || world.git(&["ls-remote", "origin", "refs/heads/rye/*", "refs/rye/*"]);
    world.rye(&["hook", "install"]).output().unwrap();
    // By name, under another name, by id, with everything else, and from the archive.
    run_later(&world);
    for args in [
        &["push", "-q", "origin", &format!("{}:refs/heads/x", archived(&one))][..],
        &["push", "-q", "origin", &format!("{}:refs/heads/x", one.commit_id)],
        &["push", "-q", "origin", &format!("{}~1:refs/heads/x", archived(&one))],
        &["push", "-q", "--mirror", "origin"],
        &["push", "-q", "--all", "origin"],
    ] {
        let output = world.try_git_in(world.project, args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success()
                && said.contains("publishes its whole transcript")
                && said.contains("rye thread push"),
            "{said}"
        );
    }
    assert_eq!(there(), "");
    let ids = [one.thread_id.as_str(), two.thread_id.as_str()];
    let push = ["thread", "push", "origin", ids[0], ids[1]];
    let (code, refused) = world.rye_json(&push);
    assert_eq!((code, &refused["error"]["code"]), (3, &json!("not-agreed")), "{refused}");
    let output = world.rye(&[&push[..], &["--yes", "--json"]].concat()).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "an agent client does not share by itself");
    assert_eq!(there(), "");
    let (code, pushed) = world.rye_json(&[&push[..], &["--yes"]].concat());
    assert_eq!((code, pushed["threads"].as_array().unwrap().len()), (0, 2), "{pushed}");
    let expected: Vec<String> = [&one, &two].map(|one| format!("{}\t{}", one.commit_id, one.branch)).to_vec();
    let mut seen: Vec<String> = there().lines().map(str::to_owned).collect();
    seen.sort_by_key(|line| !line.starts_with(one.commit_id.as_str()));
    assert_eq!(seen, expected);
    let (code, refused) = world.rye_json(&["thread", "push", "nowhere", ids[0], "--yes"]);
    assert_eq!((code, &refused["error"]["code"]), (1, &json!("no-remote")), "{refused}");
    // Nor does it remove the record of what it did.
    let output = world.rye(&["thread", "rm", ids[0], "--yes"]).env("CLAUDECODE", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && said.contains("refused to remove 1 thread"), "{said}");
    assert_eq!(world.rye_json(&["thread", "show", ids[0]]).0, 0, "it is still there");
}

#[test]
fn no_commit_of_a_thread_is_pushed_by_another_name() {
    let world = world();
    world.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.git(&["fetch", "-q", "origin"]);
    let thread = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    let (branch, id) = (thread.branch.as_str(), thread.thread_id.as_str());
    world.rye(&["hook", "install"]).output().unwrap();
    world.git(&["tag", "-a", "-m", "tip", "tagged", branch]);
    world.git(&["tag", "-a", "-m", "tag", "twice", "tagged"]);
    world.git(&["branch", "on-top", branch]);
    let on_top = world.git(&["commit-tree", "-p", branch, "-m", "top", "HEAD^{tree}"]);
    world.git(&["update-ref", "refs/heads/on-top", &on_top]);
    let merge = world.git(&["commit-tree", "-p", "HEAD", "-p", branch, "-m", "merge", "HEAD^{tree}"]);
    world.git(&["update-ref", "refs/heads/merged", &merge]);
    let squashed = world.git(&["commit-tree", "-p", "HEAD", "-m", "squash", &format!("{branch}^{{tree}}")]);
    world.git(&["update-ref", "refs/heads/squashed", &squashed]);
    let parent = world.git(&["rev-parse", &format!("{branch}~1")]);
    for pushed in
        ["tagged", "twice", "on-top", "merged", "squashed", &format!("{parent}:refs/heads/parent"), "HEAD:ok merged"]
    {
        let args = [&["push", "-q", "origin"][..], &pushed.split(' ').collect::<Vec<_>>()].concat();
        let output = world.try_git_in(world.project, &args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let record = format!("which adds `.ai/threads/{id}/");
        let hint = format!("hint: or share the thread first: `rye thread push origin {id}`");
        assert!(!output.status.success() && said.contains(&record) && said.contains(&hint), "{pushed}: {said}");
    }
    // A remote whose refs were not fetched is not that one, whatever its name begins with.
    world.git(&["update-ref", "refs/remotes/origin/two/x", branch]);
    world.git(&["remote", "add", "origin/two", "../elsewhere.git"]);
    assert!(!world.try_git_in(world.project, &["push", "-q", "origin", "merged"]).status.success());
    world.git(&["update-ref", "-d", "refs/remotes/origin/two/x"]);
    // What does not lead to it goes out, and so does all of it once the thread was shared.
    world.write("mine.txt", "mine\n");
    world.commit("mine");
    world.git(&["push", "-q", "origin", "main", "main:refs/tags/light"]);
    assert_eq!(world.rye_json(&["thread", "push", "origin", id, "--yes"]).0, 0);
    world.git(&["push", "-q", "origin", "merged", "tagged"]);
    assert!(!world.try_git_in(world.project, &["push", "-q", "origin", "squashed"]).status.success());
}

#[test]
fn what_cannot_be_looked_at_is_not_pushed() {
    let world = world();
    world.git(&["init", "-q", "--bare", "../remote.git"]);
    world.git(&["remote", "add", "origin", "../remote.git"]);
    world.rye(&["hook", "install"]).output().unwrap();
    world.git(&["tag", "tree", "HEAD^{tree}"]);
    world.git(&["tag", "-a", "-m", "file", "file", "HEAD:src/a.txt"]);
    for name in ["tree", "file"] {
        let output = world.try_git_in(world.project, &["push", "-q", "origin", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let sentence =
            format!("error: cannot tell whether `refs/tags/{name}` holds a thread; it is not pushed to `origin`");
        assert!(!output.status.success() && said.contains(&sentence), "{said}");
        assert!(said.contains("hint: push what leads to commits"), "{said}");
    }
    // A history that lacks a commit.
    world.write("mine.txt", "mine\n");
    world.commit("mine");
    let parent = world.git(&["rev-parse", "HEAD~"]);
    let object = world.in_project(".git/objects").join(&parent[..2]).join(&parent[2..]);
    std::fs::remove_file(object).unwrap();
    let input = format!("refs/heads/main {} refs/heads/main {}", world.git(&["rev-parse", "HEAD"]), "0".repeat(40));
    let args = ["hook", "run", "pre-push", "origin", "url"];
    std::fs::write(world.path("refs"), input).unwrap();
    let stdin = std::fs::File::open(world.path("refs")).unwrap();
    let output = world.rye(&args).stdin(stdin).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot tell whether `refs/heads/main` holds a thread"), "{said}");
    assert!(said.contains("hint: run `git fetch origin`"), "{said}");
    assert_eq!(world.git_in(".", &["-C", "remote.git", "for-each-ref"]), "");
}
