//! `kill -9` at points of a fork: either no new thread exists, or it is listed and its record is right.

use std::process::Stdio;
use std::time::Instant;

use rye::session::Session;
use rye::thread::{self, ReplayStatus};
use serde_json::json;

use super::world::{FILES, World, text, write};
use crate::support::killing::{moment, points};

#[test]
fn a_killed_fork_leaves_no_thread_or_one_that_is_listed() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    world.commit("items");
    let turns = [write("src/1.txt", "1\n"), write("src/2.txt", "2\n"), text("Done.")];
    let old = world.run(&turns);
    let script = world.script(&turns).display().to_string();
    let args = ["thread", "fork", old.thread_id.as_str(), "--turn", "1", "--script", &script];
    let start = || world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    assert!(start().wait().unwrap().success());
    let whole = started.elapsed();
    let branches = || world.git(&["for-each-ref", "--format=%(refname)", "refs/heads/rye/threads/"]).lines().count();
    let accepted = || {
        let fsck = world.try_git_in(world.project, &["fsck", "--strict", "--no-dangling"]);
        assert!(fsck.status.success() && fsck.stdout.is_empty(), "{}", String::from_utf8_lossy(&fsck.stderr));
    };
    let mut without_a_thread = 0;
    for point in 0..points() {
        let before = branches();
        let mut rye = start();
        std::thread::sleep(moment(whole, point));
        rye.kill().unwrap();
        rye.wait().unwrap();
        match branches() - before {
            0 => without_a_thread += 1,
            1 => (),
            more => panic!("{more} branches"),
        }
        accepted();
    }
    assert!(without_a_thread > 0, "each run was killed too late");
    // And one as soon as its branch is there, however slow the machine is.
    let before = branches();
    let mut rye = start();
    while branches() == before {
        assert!(rye.try_wait().unwrap().is_none_or(|status| status.success()), "the fork failed");
    }
    rye.kill().unwrap();
    rye.wait().unwrap();
    accepted();
    let ctx = world.context(&[]);
    let session = Session::open(&ctx).unwrap();
    let listed = thread::list(&session).unwrap();
    assert_eq!((listed.threads.len(), listed.unreadable.len()), (branches(), 0));
    for shown in listed.threads {
        let replay = thread::replay(&session, &shown.thread_id).unwrap();
        assert_eq!(replay.status, ReplayStatus::Same, "{replay:#?}");
    }
    // Leftovers do not break a later fork.
    let (code, printed) = world.rye_json(&args);
    assert_eq!((code, &printed["status"]), (0, &json!("completed")));
    assert_eq!(world.trees(), Vec::<String>::new());
}
