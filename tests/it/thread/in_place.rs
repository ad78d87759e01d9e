//! `--in-place`: in its person's own tree a thread changes the files it wrote, never uncommitted work, and nothing else.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rye::event::{Event, EventData};
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{self, Error, Outcome, Status};
use serde_json::{Value, json};

use super::world::{SCRIPTED, Seen, World, call, calls, result_in_turn, text, write};

const ALL: &str =
    r#"<execute><tool>rye.file-system.*</tool><tool>demo.*</tool></execute><write resource="filesystem" path="**" />"#;

fn world(tools: &[(&str, &str)]) -> World {
    let world = World::new();
    world.write("src/b.txt", "b\n");
    for (id, script) in tools {
        world.tool(id, script);
    }
    world.directive(ALL, r#"turns="20""#, "");
    world.commit("items");
    world
}

/// Runs a thread in place, and holds it to what holds for every one: index, `HEAD` and branches stay.
fn run(world: &World, turns: &[Value], each: impl FnMut(&Event)) -> Outcome {
    let mut options = world.options(turns);
    options.in_place = true;
    let git_dir = world.in_project(".git");
    let of_git = || {
        let refs = world.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main", "refs/tags"]);
        (std::fs::read(git_dir.join("index")).ok(), std::fs::read(git_dir.join("HEAD")).unwrap(), refs)
    };
    let before = of_git();
    let mut seen = Seen(Vec::new(), each);
    let session = Session::open(&world.context(&[])).unwrap();
    let outcome = thread::run(&session, &options, &CancelFlag::new(), &mut seen).unwrap();
    assert_eq!(of_git(), before);
    assert_eq!(world.trees(), Vec::<String>::new());
    world.check(&outcome);
    outcome
}

fn code(world: &World, outcome: &Outcome, turn: u32) -> String {
    let result = result_in_turn(&world.events(outcome), turn);
    result["output"]["error"]["code"].as_str().unwrap_or("none").to_owned()
}

fn skipped(world: &World, outcome: &Outcome) -> Vec<(String, String)> {
    let events = world.events(outcome);
    let skipped = events.iter().filter_map(|event| match &event.what {
        EventData::PathsSkipped { paths } => {
            Some(paths.iter().map(|skipped| (skipped.path.clone(), skipped.reason.clone())))
        }
        _ => None,
    });
    skipped.flatten().collect()
}

#[test]
fn what_it_writes_is_in_its_person_s_tree_and_on_its_branch() {
    let world = world(&[("demo/work2", "printf 'c\\n' >src/c.txt; chmod +x src/c.txt; rm src/b.txt")]);
    let outcome = run(
        &world,
        &[write("src/a.txt", "b\n"), write("new/d.txt", "d\n"), call("demo_work2", json!({})), text("Done.")],
        |_| (),
    );
    assert_eq!((outcome.status, outcome.in_place), (Status::Completed, true));
    assert_eq!(
        (world.read("src/a.txt"), world.read("new/d.txt"), world.read("src/c.txt")),
        ("b\n".into(), "d\n".into(), "c\n".into())
    );
    assert!(!world.in_project("src/b.txt").exists());
    assert_eq!(world.in_project("src/c.txt").metadata().unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!(world.changed(&outcome)[1..4], [vec!["src/a.txt"], vec!["new/d.txt"], vec!["src/b.txt", "src/c.txt"]]);
    assert_eq!(world.git(&["status", "--porcelain"]), " M src/a.txt\n D src/b.txt\n?? new/\n?? src/c.txt");
}

#[test]
fn uncommitted_work_is_read_and_never_written() {
    let rude =
        "for file in src/a.txt staged.txt new.txt .env; do echo tool >$file; done; rm src/b.txt; echo ok >fine.txt";
    let world = world(&[("demo/rude", rude)]);
    world.write(".gitignore", "/target\n.env\n");
    world.commit("ignore");
    world.write("src/a.txt", "mine\n");
    world.write("src/b.txt", "mine\n");
    world.write("new.txt", "mine\n");
    world.write(".env", "mine\n");
    world.write("staged.txt", "mine\n");
    world.git(&["add", "staged.txt"]);
    let before = world.persons_files();
    let outcome = run(
        &world,
        &[
            call("rye_file_system_read", json!({"path": "src/a.txt"})),
            write("src/a.txt", "tool\n"),
            write("new.txt", "tool\n"),
            write(".env", "tool\n"),
            write("staged.txt", "tool\n"),
            call("demo_rude", json!({})),
            call("rye_file_system_read", json!({"path": "src/a.txt"})),
            text("Done."),
        ],
        |_| (),
    );
    for turn in [1, 7] {
        assert_eq!(result_in_turn(&world.events(&outcome), turn)["output"]["content"], "mine\n", "{turn}");
    }
    for turn in 2..=6 {
        assert_eq!(code(&world, &outcome, turn), "uncommitted_changes", "{turn}");
    }
    let mut after = world.persons_files();
    assert_eq!(after.remove(&world.in_project("fine.txt")).unwrap().1, b"ok\n");
    assert_eq!(after, before);
    assert_eq!(world.changed(&outcome).concat(), ["fine.txt"]);
    let mut told = skipped(&world, &outcome);
    told.sort();
    let expected = ["new.txt", "src/a.txt", "src/b.txt", "staged.txt"]
        .map(|path| (path.to_owned(), "uncommitted_changes".to_owned()));
    assert_eq!(told, expected);
}

#[test]
fn a_file_that_its_person_changes_meanwhile_is_theirs() {
    let world = world(&[]);
    let mut written = 0;
    let turns =
        [write("src/a.txt", "one\n"), write("src/a.txt", "two\n"), write("src/a.txt", "three\n"), text("Done.")];
    let outcome = run(&world, &turns, |event| {
        if matches!(event.what, EventData::StepFinish { .. }) {
            written += 1;
            match written {
                1 => assert_eq!(world.read("src/a.txt"), "one\n"),
                2 => {
                    assert_eq!(world.read("src/a.txt"), "two\n", "its own work it may change");
                    world.write("src/a.txt", "mine\n");
                }
                _ => {}
            }
        }
    });
    assert_eq!(code(&world, &outcome, 3), "uncommitted_changes");
    assert_eq!(world.read("src/a.txt"), "mine\n");
    assert_eq!(world.in_thread(&outcome, "src/a.txt").unwrap(), "two\n");
}

#[test]
fn neither_links_nor_refused_places_nor_code_places_are_written() {
    let script = "mkdir -p .github/workflows; echo x >.github/workflows/ci.yml; rm -f link; echo x >link; mkdir -p .ai/trust; \
                  echo x >.ai/trust/allowed_signers; echo x >dir/x.txt; echo '[alias]' >>.git/config 2>/dev/null; true";
    let world = world(&[("demo/rude", script)]);
    world.write_at(&world.path("outside/x.txt"), "outside\n");
    symlink("../outside/x.txt", world.in_project("link")).unwrap();
    std::fs::create_dir(world.in_project("dir")).unwrap();
    world.write("dir/x.txt", "x\n");
    world.commit("link");
    let before = world.persons_files();
    // The folder becomes a link to the outside before the tool's file is brought over.
    std::fs::remove_dir_all(world.in_project("dir")).unwrap();
    symlink("../outside", world.in_project("dir")).unwrap();
    let outcome = run(&world, &[call("demo_rude", json!({})), text("Done.")], |_| ());
    std::fs::remove_file(world.in_project("dir")).unwrap();
    world.write("dir/x.txt", "x\n");
    assert_eq!(world.persons_files(), before);
    assert_eq!(std::fs::read_to_string(world.path("outside/x.txt")).unwrap(), "outside\n");
    assert_eq!(world.changed(&outcome).concat(), Vec::<String>::new());
}

/// The script writes where links of the person's make a code place of it.
#[test]
fn what_a_link_makes_a_code_place_is_not_written() {
    let world = world(&[("demo/rude", "mkdir -p docs/vs; echo x >docs/vs/tasks.json; echo x >docs/a.md")]);
    symlink("docs/vs", world.in_project(".vscode")).unwrap();
    world.commit("link");
    let outcome = run(&world, &[call("demo_rude", json!({})), text("Done.")], |_| ());
    assert_eq!(world.changed(&outcome).concat(), ["docs/a.md"]);
    assert!(world.in_project("docs/a.md").exists() && !world.in_project("docs/vs").exists());
    assert_eq!(skipped(&world, &outcome), [("docs/vs/tasks.json".to_owned(), "not_permitted".to_owned())]);
}

fn started(world: &World, tool: &str) -> Child {
    let script = world.script(&[call(tool, json!({})), text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--in-place", "--provider", SCRIPTED, "--script", &script];
    let running = world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !world.path("started").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    running
}

#[test]
fn one_thread_at_a_time_works_in_place_and_a_killed_one_is_in_nobody_s_way() {
    let world = world(&[]).unconfined();
    let started_at = world.path("started").display().to_string();
    world.tool("demo/slow", &format!("echo x >src/a.txt; touch {started_at}; sleep 60"));
    world.commit("slow");
    let before = world.persons_files();
    let mut running = started(&world, "demo_slow");
    let mut options = world.options(&[text("Done.")]);
    options.in_place = true;
    let session = Session::open(&world.context(&[])).unwrap();
    let mut nobody = Seen(Vec::new(), |_: &Event| ());
    let refused = thread::run(&session, &options, &CancelFlag::new(), &mut nobody).unwrap_err();
    let Error::InPlace { thread, pid } = &refused else { panic!("{refused}") };
    assert!(thread.starts_with("work-") && *pid == Some(running.id()), "{refused}");
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(world.persons_files(), before, "what the call did is not brought over");
    let outcome = run(
        &world,
        &[calls(&[("rye_file_system_write", json!({"path": "src/a.txt", "content": "y\n"}))]), text("Done.")],
        |_| (),
    );
    assert_eq!((outcome.status, world.read("src/a.txt")), (Status::Completed, "y\n".to_owned()));
}
