//! `kill -9` at points of a removal and of a move into the archive: each thread is there, whole, or gone, and the next removal
//! leaves nothing.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rye::session::Session;
use rye::thread::{self, ReplayStatus};

use super::world::{FILES, World, text, write};
use crate::support::killing::{moment, part, points};

fn world() -> World {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    world.commit("items");
    world
}

fn refs(world: &World) -> Vec<String> {
    let folders = ["refs/heads/rye/threads/", "refs/rye/archive/"];
    let listed = world.git(&[&["for-each-ref", "--format=%(refname)"], &folders[..]].concat());
    listed.lines().map(str::to_owned).collect()
}

/// Starts a command and kills it at a part of the time that it takes.
fn killed(world: &World, args: &[&str], after: Duration) {
    let mut rye = world.rye(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    rye.kill().unwrap();
    rye.wait().unwrap();
}

/// Removes the locks of git's that a killed program left, as the error of the next one says to.
fn without_locks(world: &World) {
    for name in ["packed-refs.lock".to_owned()].into_iter().chain(refs(world).iter().map(|name| format!("{name}.lock")))
    {
        let _ = fs::remove_file(world.in_project(".git").join(name));
    }
}

/// Every thread that a ref names can be told in full.
fn sound(world: &World) {
    let fsck = world.try_git_in(world.project, &["fsck", "--strict", "--no-dangling"]);
    assert!(fsck.status.success() && fsck.stdout.is_empty(), "{}", String::from_utf8_lossy(&fsck.stderr));
    let session = Session::open(&world.context(&[])).unwrap();
    for name in refs(world) {
        let thread_id: rye::id::ThreadId = name.rsplit('/').next().unwrap().parse().unwrap();
        assert_eq!(thread::replay(&session, &thread_id).unwrap().status, ReplayStatus::Same, "{name}");
    }
}

fn nothing_is_left(world: &World) {
    without_locks(world);
    for which in [["--older-than", "0m"], ["--status", "interrupted"]] {
        let (code, told) = world.rye_json(&[&["thread", "rm"][..], &which, &["--yes"]].concat());
        assert_eq!(code, 0, "{told}");
    }
    assert_eq!(refs(world), Vec::<String>::new());
    assert_eq!(fs::read_dir(world.in_project(".git/rye/threads")).unwrap().count(), 0);
    assert_eq!(world.trees(), Vec::<String>::new());
}

#[test]
fn a_killed_removal_leaves_a_thread_or_none() {
    let world = world();
    let removal = ["thread", "rm", "@latest", "--yes"];
    let one = || world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    one();
    let started = Instant::now();
    assert!(world.rye(&removal).output().unwrap().status.success());
    let whole = started.elapsed();
    let (mut there, mut gone) = (0, 0);
    for point in 0..points() {
        let before = refs(&world).len();
        one();
        killed(&world, &removal, moment(whole, point));
        *(if refs(&world).len() > before { &mut there } else { &mut gone }) += 1;
        without_locks(&world);
    }
    assert!(there > 0, "{there} there, {gone} gone");
    sound(&world);
    nothing_is_left(&world);
}

#[test]
fn a_killed_move_into_the_archive_loses_no_thread() {
    let world = world();
    let one = || world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    let ids: Vec<_> = (0..4).map(|_| one().thread_id.to_string()).collect();
    // A run moves threads older than the setting, after it ended.
    let script = world.script(&[text("Done.")]).display().to_string();
    let provider = super::world::SCRIPTED;
    let run =
        ["thread", "run", "demo/work", "--provider", provider, "--script", &script, "--config", "threads.keep=0m"];
    let started = Instant::now();
    assert!(world.rye(&run).output().unwrap().status.success());
    let whole = started.elapsed();
    assert!(refs(&world).iter().any(|name| name.starts_with("refs/rye/archive/")));
    let mut all: Vec<String> = ids;
    for point in 0..points() {
        all.push(one().thread_id.to_string());
        // The moves are at the end of the run.
        let part = 0.6 + 0.4 * part(point);
        killed(&world, &run, whole.mul_f64(part));
        without_locks(&world);
    }
    let kept = refs(&world);
    for thread_id in all {
        assert!(kept.iter().any(|name| name.ends_with(&thread_id)), "{thread_id} is lost");
    }
    nothing_is_left(&world);
}
