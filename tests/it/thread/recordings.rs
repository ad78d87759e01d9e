//! Threads that earlier versions recorded are derived as they are: `tests/recordings/`.

use rye::session::Session;
use rye::thread::{self, Ending};

use super::world::World;

#[test]
fn threads_of_earlier_versions_are_derived_from_their_records() {
    let world = World::unborn(&[]);
    let bundle = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/recordings/2026-11-23.bundle");
    world.git(&["fetch", "-q", bundle, "refs/heads/rye/*:refs/heads/rye/*"]);
    let ctx = world.context(&[]);
    let session = Session::open(&ctx).unwrap();
    let threads = thread::list(&session).unwrap().threads;
    let endings: Vec<Ending> = threads.iter().map(|thread| thread.ending).collect();
    assert_eq!(endings, [Ending::Provider, Ending::Error, Ending::Completed]);
    for listed in threads {
        let replay = thread::replay(&session, &listed.thread_id).unwrap();
        assert!(replay.difference.is_none() && replay.has_ended, "{replay:#?}");
        assert_eq!(replay.derived, replay.commits, "{replay:#?}");
    }
}
