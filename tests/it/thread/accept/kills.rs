//! `kill -9` before and after each command of git's that an accept runs, and at points in between: the next accept
//! makes it the old state or the new one, and nothing of the person's is lost at any time.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::world::World;
use super::{accept, changing, committed, executable, no_leftovers, status, world};
use crate::support::killing::{moment, points};

/// What the person has besides.
const REST: &str = "A  staged.txt\n?? draft.txt";

/// A world with a thread to accept, and work of the person's in addition.
fn prepared() -> World {
    let world = world();
    changing(&world);
    world.write("staged.txt", "staged\n");
    world.git(&["add", "staged.txt"]);
    world.write("draft.txt", "mine\n");
    let git = "n=$(($(cat \"$COUNT\" 2>/dev/null || echo 0) + 1)); echo $n >\"$COUNT\"
        if [ $n = \"$KILL_BEFORE\" ]; then kill -9 $PPID; exit 1; fi
        PATH=${PATH#*:} git \"$@\"; code=$?
        if [ $n = \"$KILL_AFTER\" ]; then kill -9 $PPID; fi
        exit $code";
    executable(&world.path("bin/git"), git);
    world
}

/// An accept that counts its commands of git's.
fn counted(world: &World, args: &[&str]) -> Command {
    let path = format!("{}:{}", world.path("bin").display(), std::env::var("PATH").unwrap());
    let mut rye = world.rye(&[&["thread", "accept", "@latest", "--yes", "-q"], args].concat());
    let _ = std::fs::remove_file(world.path("count"));
    rye.env("PATH", path).env("COUNT", world.path("count")).stdout(Stdio::null()).stderr(Stdio::null());
    rye
}

/// Waits until what a killed accept started has ended, too.
fn ended(world: &World) {
    if let Ok(lock) = std::fs::File::open(world.in_project(".git/rye/accept/lock")) {
        lock.lock().unwrap();
    }
}

/// Holds a repository to old or new after a kill, lets the next accept look, and holds it to the new state.
fn settled(world: &World, head: &str, what: &str) {
    ended(world);
    let now = world.git(&["rev-parse", "HEAD"]);
    let is_new = now != head;
    assert!(!is_new || world.git(&["rev-parse", "HEAD~"]) == head, "{what}");
    for (path, versions) in
        [("src/a.txt", ["a\n", "b\n"]), ("staged.txt", ["staged\n"; 2]), ("draft.txt", ["mine\n"; 2])]
    {
        assert!(versions.contains(&world.read(path).as_str()), "{what}: {path}");
    }
    let locked = world.in_project(".git/HEAD.lock").exists() || world.in_project(".git/refs/heads/main.lock").exists();
    assert!(!locked, "{what}");
    let (code, shown) = accept(world, &[]);
    assert_eq!(code, i32::from(is_new), "{what}: {shown}");
    assert_eq!(world.git(&["rev-parse", "HEAD~"]), head, "{what}");
    assert_eq!((committed(world).as_str(), status(world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", REST), "{what}");
    no_leftovers(world);
    let fsck = world.try_git_in(world.project, &["fsck", "--strict", "--no-dangling"]);
    assert!(fsck.status.success() && fsck.stdout.is_empty(), "{what}");
}

#[test]
fn killed_at_any_command_of_git_s_an_accept_is_undone_or_finished() {
    let world = prepared();
    let head = world.git(&["rev-parse", "HEAD"]);
    let reset = || {
        world.git(&["update-ref", "HEAD", &head]);
        world.git(&["reset", "-q", "--", "src", "new"]);
        world.git(&["checkout", "-q", "--", "src"]);
        let _ = std::fs::remove_dir_all(world.in_project("new"));
        assert_eq!(status(&world), REST);
    };
    assert!(counted(&world, &[]).status().unwrap().success());
    let commands: u32 = std::fs::read_to_string(world.path("count")).unwrap().trim().parse().unwrap();
    assert!(commands > 8, "{commands}");
    let (mut old, mut new) = (0, 0);
    for (when, number) in
        ["KILL_BEFORE", "KILL_AFTER"].into_iter().flat_map(|when| (1..=commands).map(move |n| (when, n)))
    {
        reset();
        let ended = counted(&world, &[]).env(when, number.to_string()).status().unwrap();
        assert!(!ended.success(), "{when} {number}");
        *(if world.git(&["rev-parse", "HEAD"]) == head { &mut old } else { &mut new }) += 1;
        settled(&world, &head, &format!("{when} {number}"));
    }
    assert!(old > 0 && new > 0, "{old} {new}");
}

#[test]
fn killed_at_any_time_an_accept_is_undone_or_finished() {
    let mut whole = Duration::from_millis(100);
    for point in 0..points() {
        let world = prepared();
        let head = world.git(&["rev-parse", "HEAD"]);
        let mut rye = counted(&world, &[]).spawn().unwrap();
        let begun = Instant::now();
        if point > 0 {
            std::thread::sleep(moment(whole, point));
            rye.kill().unwrap();
        }
        rye.wait().unwrap();
        whole = if point == 0 { begun.elapsed() } else { whole };
        settled(&world, &head, &format!("point {point}"));
    }
}

/// What a killed accept started goes on: a hook, say. It cannot meet the next accept.
#[test]
fn while_a_hook_of_a_killed_accept_runs_no_other_accept_begins() {
    let world = prepared();
    let head = world.git(&["rev-parse", "HEAD"]);
    super::hook(&world, "pre-commit", "touch ../begun; while [ -e ../begun ] && [ ! -e ../go ]; do sleep 0.02; done");
    let mut rye = counted(&world, &[]).spawn().unwrap();
    let began = Instant::now();
    while !world.path("begun").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "the hook does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    rye.kill().unwrap();
    rye.wait().unwrap();
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, error["error"]["code"].as_str()), (1, Some("accept-running")), "{error}");
    let told = "a hook or git that a killed `rye thread accept` started is still running here (process ";
    assert!(error["error"]["message"].as_str().unwrap().starts_with(told), "{error}");
    assert_eq!(world.read("src/a.txt"), "b\n", "not undone yet");
    std::fs::write(world.path("go"), "").unwrap();
    settled(&world, &head, "a hook that went on");
}

/// So does a git that writes the next index: it would meet the index of the next accept.
#[test]
fn while_a_git_of_a_killed_accept_writes_an_index_no_other_accept_begins() {
    let world = prepared();
    let head = world.git(&["rev-parse", "HEAD"]);
    let script = "case \" $* \" in *' update-index -z '*) kill -9 $PPID; touch ../begun
        while [ ! -e ../go ]; do sleep 0.02; done;; esac
        PATH=${PATH#*:} exec git \"$@\"";
    executable(&world.path("bin/git"), script);
    counted(&world, &[]).status().unwrap();
    let began = Instant::now();
    while !world.path("begun").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "git does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, error["error"]["code"].as_str()), (1, Some("accept-running")), "{error}");
    std::fs::write(world.path("go"), "").unwrap();
    settled(&world, &head, "a git that went on");
}

/// With conflicts the commit point is the change of the index.
#[test]
fn killed_at_any_command_of_git_s_a_merge_is_undone_or_left() {
    let world = prepared();
    world.write("src/a.txt", "else\n");
    world.git(&["commit", "-q", "-m", "else", "src/a.txt"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    let reset = || {
        let _ = std::fs::remove_file(world.in_project(".git/MERGE_MSG"));
        world.git(&["reset", "-q", "--", "src", "new"]);
        world.git(&["checkout", "-q", "--", "src"]);
        let _ = std::fs::remove_dir_all(world.in_project("new"));
        assert_eq!(status(&world), REST);
    };
    counted(&world, &["--merge"]).status().unwrap();
    let commands: u32 = std::fs::read_to_string(world.path("count")).unwrap().trim().parse().unwrap();
    for (when, number) in
        ["KILL_BEFORE", "KILL_AFTER"].into_iter().flat_map(|when| (1..=commands).map(move |n| (when, n)))
    {
        reset();
        counted(&world, &["--merge"]).env(when, number.to_string()).status().unwrap();
        let what = format!("{when} {number}");
        ended(&world);
        accept(&world, &["--merge"]);
        assert_eq!(world.git(&["rev-parse", "HEAD"]), head, "{what}");
        assert_eq!(status(&world), format!("A  new/b.txt\nUU src/a.txt\n{REST}"), "{what}");
        no_leftovers(&world);
    }
}
