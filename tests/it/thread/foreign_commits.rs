//! Commits on a thread's branch that its runner did not make: no verb takes one for the thread's, and a thread of an older version
//! is accepted all the same.

use rye::keys::{KeyName, KeyStore};
use rye::thread::{Outcome, Status, Verb};
use rye::trust::{Namespace, SigningKey};
use serde_json::json;

use super::replay::{Forgery, forge, thread};
use super::world::{World, text, write};

/// Puts a commit behind the last one of a thread: with these changes of the tree, signed by a key.
fn append(world: &World, outcome: &Outcome, key: &SigningKey, changes: &[(&str, Option<&str>)], message: &str) {
    let own = format!(".ai/threads/{}/", outcome.thread_id);
    let index = world.path("appended-index").display().to_string();
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(world.path(world.project)).env_clear().envs(world.variables());
        let output = git.env("GIT_INDEX_FILE", &index).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    };
    git(&["read-tree", outcome.commit_id.as_str()]);
    for (path, text) in changes {
        let path = path.replace("OWN/", &own);
        let Some(text) = text else {
            git(&["rm", "-q", "--cached", &path]);
            continue;
        };
        let file = world.path("blob");
        std::fs::write(&file, text).unwrap();
        let blob = git(&["hash-object", "-w", file.to_str().unwrap()]);
        git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]);
    }
    let people = "author Ada <ada@example.org> 1893456000 +0000\ncommitter Ada <ada@example.org> 1893456000 +0000";
    let headers = format!("tree {}\nparent {}\n{people}", git(&["write-tree"]), outcome.commit_id);
    let signature = key.sign_armored(Namespace::Git, format!("{headers}\n\n{message}").as_bytes());
    let signature = signature.trim_end().replace('\n', "\n ");
    let file = world.path("commit");
    std::fs::write(&file, format!("{headers}\ngpgsig {signature}\n\n{message}")).unwrap();
    let commit = git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    world.git(&["update-ref", &outcome.branch, &commit]);
}

/// A commit behind the end of a thread is not of it, whoever signed it and whatever it says and changes: no verb takes it for one.
#[test]
fn a_commit_behind_the_end_is_refused_by_every_verb() {
    let (world, outcome) = thread();
    let id = outcome.thread_id.as_str();
    let bob = World::bare();
    let of =
        |world: &World, name| KeyStore::new(&world.context(&[])).unwrap().find_or_create(&world.context(&[]), name);
    let of = |world: &World, name| of(world, name).unwrap().0;
    let keys =
        [of(&world, KeyName::Person), of(&bob, KeyName::Person), of(&bob, KeyName::Agent), of(&world, KeyName::Agent)];
    for (name, uses) in
        [("person", &["--principal", "bob"][..]), ("agent", &["--use", "turns", "--principal", "bob-agent"])]
    {
        let public = std::fs::read_to_string(bob.path(&format!("home/.config/rye/keys/{name}.pub"))).unwrap();
        let bare = public.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let line = if name == "agent" { bare } else { public };
        world.write_at(&world.path("added.pub"), &format!("{line}\n"));
        let (code, added) = world.rye_json(&[&["trust", "add", "../added.pub", "--yes"], uses].concat());
        assert_eq!(code, 0, "{added}");
    }
    let copied = |turn: u32| format!("turn {turn}: text\n\nRye-Thread: {id}\nRye-Turn: {turn}\n");
    let event = world.git(&["show", &format!("{}:.ai/threads/{id}/turns/00/0004.jsonl", outcome.branch)]);
    for (number, key) in keys.iter().enumerate() {
        for changes in [
            &[("evil.txt", Some("evil\n"))][..],
            &[("src/a.rs", Some("evil\n")), ("OWN/transcript.md", Some("# All is well\n"))],
            &[("OWN/token.json", None)],
            &[("OWN/setup.json", Some("{}\n")), ("OWN/artifacts/x", Some("x\n"))],
            &[("evil.txt", Some("evil\n")), ("OWN/turns/00/0005.jsonl", Some(&event))],
        ] {
            for message in ["fix\n".to_owned(), copied(4), copied(5)] {
                append(&world, &outcome, key, changes, &message);
                let told = format!("key {number}, {changes:?}, {message}");
                let (code, replay) = world.rye_json(&["thread", "replay", id]);
                assert!(code != 0 && replay["status"] != "same", "{told}: {replay:#}");
                let head = world.git(&["rev-parse", "HEAD"]);
                let (code, accepted) = world.rye_json(&["thread", "accept", id, "--yes"]);
                assert!(code != 0 && world.git(&["rev-parse", "HEAD"]) == head, "{told}: {accepted:#}");
                // By the agent's own key, a record that is forged as a whole is found by a replay alone.
                let is_whole =
                    number == 3 && message == copied(5) && changes.len() == 2 && changes[1].0.contains("0005");
                let shown = String::from_utf8(world.rye(&["thread", "show", id]).output().unwrap().stdout).unwrap();
                assert!(is_whole || shown.starts_with("NOT VERIFIED"), "{told}: {shown}");
            }
        }
    }
    world.git(&["update-ref", &outcome.branch, outcome.commit_id.as_str()]);
    world.replays(&outcome);
}

/// Every verb there is: a new one does not compile before somebody decided what it does with a foreign commit.
const VERBS: [Verb; 13] = [
    Verb::List,
    Verb::Show,
    Verb::Log,
    Verb::Diff,
    Verb::Export,
    Verb::Tail,
    Verb::Push,
    Verb::Remove,
    Verb::Replay,
    Verb::Accept,
    Verb::Rerun,
    Verb::Resume,
    Verb::Fork,
];

/// What a verb does with a thread that has a commit which the runner did not make.
enum Does {
    /// It refuses the thread.
    Refuses(&'static [&'static str]),
    /// It shows the thread, and says that it is not verified.
    Warns(&'static str),
    /// It takes nothing from the thread's commits.
    TakesNothing,
}

const fn does(verb: Verb) -> (usize, Does) {
    match verb {
        Verb::List => (0, Does::TakesNothing),
        Verb::Show => (1, Does::Warns("show")),
        Verb::Log => (2, Does::Warns("log")),
        Verb::Diff => (3, Does::Warns("diff")),
        Verb::Export => (4, Does::Warns("export")),
        Verb::Tail => (5, Does::TakesNothing),
        Verb::Push => (6, Does::TakesNothing),
        Verb::Remove => (7, Does::TakesNothing),
        Verb::Replay => (8, Does::Refuses(&["replay"])),
        Verb::Accept => (9, Does::Refuses(&["accept", "--yes"])),
        Verb::Rerun => (10, Does::Refuses(&["rerun"])),
        Verb::Resume => (11, Does::Refuses(&["resume"])),
        Verb::Fork => (12, Does::Refuses(&["fork", "--turn", "3"])),
    }
}

/// A thread that could be accepted, resumed, forked and rerun, but for a commit of the person's behind its last one.
#[test]
fn a_commit_that_the_runner_did_not_make_stops_every_verb_or_is_told() {
    let world = World::new();
    world.directive(
        "<execute><tool>rye.file-system.*</tool></execute><write resource=\"filesystem\" path=\"src/**\" />",
        r#"turns="1""#,
        "",
    );
    world.commit("items");
    let outcome = world.run(&[write("src/new.txt", "n\n"), text("Done.")]);
    assert_eq!(outcome.status, Status::Error, "{:?}", outcome.error);
    let id = outcome.thread_id.as_str();
    let ctx = world.context(&[]);
    let (person, _) = KeyStore::new(&ctx).unwrap().find_or_create(&ctx, KeyName::Person).unwrap();
    let event = world.git(&["show", &format!("{}:.ai/threads/{id}/turns/00/0001.jsonl", outcome.branch)]);
    let changes = [("evil.txt", Some("evil\n")), ("OWN/turns/00/0003.jsonl", Some(event.as_str()))];
    append(&world, &outcome, &person, &changes, &format!("turn 3\n\nRye-Thread: {id}\nRye-Turn: 3\n"));
    let refs = || world.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let before = refs();
    for (at, verb) in VERBS.into_iter().enumerate() {
        let (place, does) = does(verb);
        assert_eq!(place, at, "{verb:?}");
        match does {
            Does::Refuses(words) => {
                let (code, said) = world.rye_json(&[&["thread", words[0], id], &words[1..]].concat());
                let named = said.to_string();
                assert!(code != 0 && named.contains("RYE-C004") | named.contains("unverified"), "{verb:?}: {said:#}");
                assert_eq!(refs(), before, "{verb:?}");
            }
            Does::Warns(word) => {
                let shown = world.rye(&["thread", word, id]).output().unwrap();
                let said = [shown.stdout, shown.stderr].concat();
                let said = String::from_utf8_lossy(&said).to_lowercase();
                assert!(said.contains("not verified"), "{verb:?}: {said}");
            }
            Does::TakesNothing => {}
        }
    }
    // Without that commit, the same thread is fine.
    world.git(&["update-ref", &outcome.branch, outcome.commit_id.as_str()]);
    let (code, accepted) = world.rye_json(&["thread", "accept", id, "--yes"]);
    assert_eq!(code, 0, "{accepted:#}");
}

/// Before there was a `setup.json`, nothing could be derived: such a thread is shown, run again and accepted by its signatures and its
/// tokens, and neither replayed nor continued.
#[test]
fn a_thread_of_an_older_version_is_accepted_by_its_signatures_and_tokens() {
    let (world, outcome) = thread();
    let id = outcome.thread_id.as_str();
    let older = Forgery { removed: Some("setup.json"), ..Forgery::default() };
    // A key that signs commits, as git does, mints no token.
    forge(&world, &outcome, &Forgery { file: Some(("token.json", "[", "[ [")), ..older });
    assert_ne!(world.rye_json(&["thread", "accept", id, "--yes"]).0, 0, "its tokens are damaged");
    world.git(&["update-ref", &outcome.branch, outcome.commit_id.as_str()]);
    let other = world.run(&[text("Done.")]);
    let foreign = world.git(&["show", &format!("{}:.ai/threads/{}/token.json", other.branch, other.thread_id)]);
    let own = world.git(&["show", &format!("{}:.ai/threads/{id}/token.json", outcome.branch)]);
    forge(&world, &outcome, &Forgery { file: Some(("token.json", &own, &foreign)), ..older });
    let (code, refused) = world.rye_json(&["thread", "accept", id, "--yes"]);
    assert!(code != 0 && refused.to_string().contains("another thread"), "{refused:#}");
    world.git(&["update-ref", &outcome.branch, outcome.commit_id.as_str()]);

    forge(&world, &outcome, &older);
    let shown = String::from_utf8(world.rye(&["thread", "show", id]).output().unwrap().stdout).unwrap();
    assert!(shown.starts_with("verified"), "{shown}");
    for verb in [&["replay"][..], &["resume"], &["fork", "--turn", "1"]] {
        let (code, said) = world.rye_json(&[&["thread", verb[0], id], &verb[1..]].concat());
        assert_ne!(code, 0, "{verb:?}: {said:#}");
    }
    let (_, replay) = world.rye_json(&["thread", "replay", id]);
    assert_eq!(replay["error"]["code"], json!("not-replayable"));
    let (code, accepted) = world.rye_json(&["thread", "accept", id, "--yes"]);
    assert_eq!((code, world.read("src/new.txt").as_str()), (0, "n\n"), "{accepted:#}");
}
