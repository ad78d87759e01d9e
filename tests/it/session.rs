//! One session, shared: by OS threads, and by threads of agents that each have trust of their own.

use rye::format::Profile;
use rye::id::ItemType;
use rye::keys::KeyName;
use rye::ops::execute::{self, Bounds, Options, Outcome};
use rye::ops::locate::{Purpose, subject};
use rye::process::CancelFlag;
use rye::session::Session;
use serde_json::json;

use crate::thread::world::World;

#[test]
fn os_threads_run_tools_on_one_session() {
    let world = World::new();
    world.tool("demo/one", "cat");
    let session = Session::open(&world.context(&[])).unwrap();
    let cancel = CancelFlag::new();
    let run = |number: u32| {
        let given = json!({ "number": number }).as_object().unwrap().clone().into();
        let item_id = "demo/one".parse().unwrap();
        let options = Options { item_type: ItemType::Tool, item_id, given, dry_run: false };
        let done = execute::execute(&session, &options, &Bounds::usual(&cancel)).unwrap();
        let Outcome::Tool(tool) = done.outcome else { panic!() };
        assert!(session.project().repository().unwrap().head().is_ok());
        tool.result
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8).map(|number| (number, scope.spawn(move || run(number)))).collect();
        for (number, worker) in workers {
            assert_eq!(worker.join().unwrap(), json!({ "number": number }));
        }
    });
}

#[test]
fn what_the_agent_signed_in_one_thread_counts_in_no_other() {
    let world = World::new();
    world.write(".ai/tools/demo/two.sh", &crate::thread::world::tool("cat"));
    let session = Session::open(&world.context(&[])).unwrap();
    let (one, other) = (session.for_thread(), session.for_thread());
    one.project().agent().unwrap();
    other.project().agent().unwrap();
    world.sign(KeyName::Agent, "demo/two");
    let id = "demo/two".parse().unwrap();
    let locate = |session: &Session| session.project().locate(ItemType::Tool, &id, None, Purpose::Use).unwrap();
    let counts = |session: &Session| session.project().verified(locate(session), Profile::Reference).is_ok();
    assert!(!counts(&one));
    let located = locate(&one);
    one.project().accept_from_agent(subject(&located.candidate), located.signed.split().covered());
    assert_eq!([&one, &other, &session].map(counts), [true, false, false]);
}
