//! Calls of one message that run at the same time: what may, what may not, and that the record cannot tell.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rye::capability::Capability;
use rye::event::{CallStatus, Event, EventData};
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{self, Observer, Outcome, Stage, Status};
use serde_json::{Value, json};

use super::world::{SCRIPTED, World, calls, text, types};

/// A world with scripts that a directive may call, and that may write notes.
fn world(scripts: &[(&str, &str)]) -> World {
    let world = World::new().unconfined();
    let mut tools = String::new();
    for (name, script) in scripts {
        world.tool(&format!("demo/{name}"), script);
        tools.push_str(&format!("<tool>demo.{name}</tool>"));
    }
    let permissions = format!(
        r#"<execute>{tools}<tool>rye.file-system.*</tool></execute><write resource="filesystem" path="notes/**" />"#
    );
    world.directive(&permissions, r#"turns="3""#, "");
    world.commit("items");
    world
}

/// A script that says it is there and waits for another one. It fails if that never comes.
fn meeting(world: &Path, own: &str, other: &str) -> String {
    let world = world.display();
    format!(
        "touch {world}/{own}; n=0; while [ ! -e {world}/{other} ]; do n=$((n+1)); [ $n -lt 1500 ] || exit 9; sleep 0.02; done"
    )
}

/// The status and the output of each call, in order.
fn results(events: &[Event]) -> Vec<(CallStatus, Value)> {
    let result = |event: &Event| match &event.what {
        EventData::ToolCallResult { status, output, .. } => Some((*status, output.clone())),
        _ => None,
    };
    events.iter().filter_map(result).collect()
}

fn statuses(world: &World, outcome: &Outcome) -> Vec<CallStatus> {
    results(&world.events(outcome)).into_iter().map(|(status, _)| status).collect()
}

#[test]
fn two_scripts_meet_and_their_results_stand_in_the_order_of_the_calls() {
    let world = world(&[("one", "cat"), ("two", "cat")]);
    let place = world.path("");
    // The first waits for the second to be nearly done.
    world.tool(
        "demo/one",
        &format!("{}; echo one >> notes.txt; echo '{{\"from\": \"one\"}}'", meeting(&place, "a", "b")),
    );
    world.tool(
        "demo/two",
        &format!("{}; mkdir -p notes; echo two > notes/two; echo '{{\"from\": \"two\"}}'", meeting(&place, "b", "a")),
    );
    world.commit("items");
    let outcome = world.run(&[calls(&[("demo_one", json!({})), ("demo_two", json!({}))]), text("Done.")]);
    let events = world.events(&outcome);
    let told: Vec<_> = results(&events).into_iter().map(|(status, output)| (status, output["from"].clone())).collect();
    assert_eq!(told, [(CallStatus::Ok, json!("one")), (CallStatus::Ok, json!("two"))]);
    assert_eq!(
        types(&events)[2..],
        [
            "step_start",
            "tool_call_start",
            "tool_call_start",
            "tool_call_result",
            "tool_call_result",
            "step_finish",
            "paths_skipped",
            "step_start",
            "assistant_text",
            "step_finish",
            "thread_complete",
        ][..],
    );
    // What they wrote is judged and committed with the turn.
    assert_eq!(world.changed(&outcome)[1], ["notes/two"]);
}

#[test]
fn one_that_fails_does_not_touch_the_one_beside_it() {
    let world = world(&[("good", "cat"), ("bad", "cat")]);
    let place = world.path("");
    world.tool("demo/good", &meeting(&place, "good", "bad"));
    world.tool("demo/bad", &format!("{}; echo no >&2; exit 3", meeting(&place, "bad", "good")));
    world.commit("items");
    let both = [("demo_bad", json!({})), ("demo_good", json!({})), ("demo_bad", json!({"unknown": {"deep": [1]}}))];
    let outcome = world.run(&[calls(&both), text("Done.")]);
    let statuses = statuses(&world, &outcome);
    assert_eq!((statuses[0], statuses[1], statuses.len()), (CallStatus::Error, CallStatus::Ok, 3));
    assert_eq!(outcome.status, Status::Completed);
}

#[test]
fn more_calls_than_run_at_once_are_all_made() {
    let world = world(&[("count", "cat")]);
    let many: Vec<_> = (0..20).map(|number| ("demo_count", json!({"number": number}))).collect();
    let outcome = world.run(&[calls(&many), text("Done.")]);
    let told: Vec<_> =
        results(&world.events(&outcome)).into_iter().map(|(_, output)| output["number"].clone()).collect();
    assert_eq!(told, (0..20).map(|number| json!(number)).collect::<Vec<_>>());
}

/// What a built-in tool writes is written after the scripts before it, and before those behind it.
#[test]
fn a_built_in_tool_keeps_its_place_among_scripts() {
    let script = "mkdir -p notes; sleep 0.2; echo script >> notes/a; cat notes/a";
    let world = world(&[("add", script)]);
    let write = ("rye_file_system_write", json!({"path": "notes/a", "content": "written\n"}));
    let read = ("rye_file_system_read", json!({"path": "notes/a"}));
    let add = || ("demo_add", json!({}));
    let outcome = world.run(&[calls(&[add(), read.clone(), write, add(), read]), text("Done.")]);
    let results = results(&world.events(&outcome));
    assert!(results.iter().all(|(status, _)| *status == CallStatus::Ok), "{results:?}");
    assert_eq!((&results[1].1["content"], &results[4].1["content"]), (&json!("script\n"), &json!("written\nscript\n")));
}

/// Each of its changes is brought into the person's tree before the next call.
#[test]
fn in_the_persons_own_tree_calls_run_one_after_another() {
    let world = world(&[("alone", "cat")]);
    let lock = world.path("lock");
    world.tool("demo/alone", &format!("mkdir {0} || exit 7; sleep 0.1; rmdir {0}; cat", lock.display()));
    world.commit("items");
    let three: Vec<_> = (0..3).map(|number| ("demo_alone", json!({"number": number}))).collect();
    let mut options = world.options(&[calls(&three), text("Done.")]);
    options.in_place = true;
    let outcome = world.try_run(&options).unwrap();
    assert_eq!(statuses(&world, &outcome), [CallStatus::Ok; 3]);
    options.in_place = false;
    options.script = Some(world.script(&[calls(&three[..2]), text("Done.")]));
    let outcome = world.try_run(&options).unwrap();
    assert!(statuses(&world, &outcome).contains(&CallStatus::Error), "elsewhere they do not");
}

/// Says yes to what names a word, and keeps in order what it hears.
#[derive(Default)]
struct Person {
    heard: Vec<String>,
}

impl Observer for Person {
    fn event(&mut self, event: &Event) {
        self.heard.push(serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned());
    }

    fn call(&mut self, _: &str, stage: Stage) {
        self.heard.push(match stage {
            Stage::Began => "began".to_owned(),
            Stage::Ended(status) => format!("ended {status:?}"),
        });
    }

    fn agrees(&mut self, call: &str, _: &Capability) -> bool {
        self.heard.push("asked".to_owned());
        !call.contains("please not")
    }
}

#[test]
fn a_person_is_asked_about_each_call_before_any_of_them_is_made() {
    let world = world(&[("one", "cat")]);
    let place = world.path("");
    world.tool("demo/one", &meeting(&place, "a", "b"));
    world.tool("demo/two", &meeting(&place, "b", "a"));
    let permissions = "<execute><tool>demo.*</tool></execute>";
    world.directive(permissions, r#"turns="3""#, "");
    world.commit("items");
    let three = [("demo_one", json!({})), ("demo_one", json!({"say": "please not"})), ("demo_two", json!({}))];
    let options = world.options(&[calls(&three), text("Done.")]);
    let ctx = world.context(&["permissions.ask=['rye.execute.tool.demo.*']"]);
    let mut person = Person::default();
    let outcome = thread::run(&Session::open(&ctx).unwrap(), &options, &CancelFlag::new(), &mut person).unwrap();
    world.check(&outcome);
    assert_eq!(statuses(&world, &outcome), [CallStatus::Ok, CallStatus::Denied, CallStatus::Ok]);
    let from = person.heard.iter().position(|heard| heard == "tool_call_start").unwrap();
    let heard: Vec<&str> = person.heard[from..].iter().map(String::as_str).collect();
    assert_eq!(
        heard[..15],
        [
            "tool_call_start",
            "asked",
            "permission_asked",
            "tool_call_start",
            "asked",
            "permission_asked",
            "permission_denied",
            "tool_call_start",
            "asked",
            "permission_asked",
            "began",
            "began",
            "ended Ok",
            "ended Ok",
            "tool_call_result",
        ],
    );
}

#[test]
fn a_signal_ends_the_groups_of_all_that_run() {
    let world = world(&[("one", "cat"), ("two", "cat")]);
    let pids: BTreeMap<&str, _> = ["one", "two"].map(|name| (name, world.path(&format!("{name}_pid")))).into();
    for (name, path) in &pids {
        let shown = path.display();
        world.tool(
            &format!("demo/{name}"),
            &format!("sleep 3600 & echo $! > {shown}.tmp; mv {shown}.tmp {shown}; wait"),
        );
    }
    world.commit("items");
    let both = calls(&[("demo_one", json!({})), ("demo_two", json!({}))]);
    let script = world.script(&[both, text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--json"];
    let rye = world.rye(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut waited = 0;
    while !pids.values().all(|path| path.exists()) {
        assert!(waited < 12_000, "they never ran at the same time");
        std::thread::sleep(Duration::from_millis(5));
        waited += 1;
    }
    let sent = std::process::Command::new("kill").args(["-s", "TERM", &rye.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = rye.wait_with_output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &outcome["status"]), (Some(5), &json!("cancelled")), "{outcome}");
    for path in pids.values() {
        let pid = std::fs::read_to_string(path).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(" Z "), "what a tool began still runs: {stat}");
    }
    let thread = world.shown(&outcome);
    world.check(&thread);
    assert_eq!(statuses(&world, &thread), [CallStatus::Error; 2]);
}

/// That it ends shows that neither got more time than the thread had.
#[test]
fn the_time_of_the_thread_is_over_for_all_of_them() {
    let world = world(&[("slow", "sleep 3600")]);
    let three = [("demo_slow", json!({})), ("demo_slow", json!({"again": 1})), ("demo_slow", json!({"again": 2}))];
    let mut options = world.options(&[calls(&three), text("Done.")]);
    options.limits.duration = Some(1);
    let outcome = world.try_run(&options).unwrap();
    assert_eq!(outcome.error.as_ref().map(|error| error.code.as_str()), Some("limit"));
    assert_eq!(statuses(&world, &outcome), [CallStatus::Error; 3]);
}

/// Its end was kept with the last of its neighbours only.
#[test]
fn a_call_that_ended_beside_one_that_was_killed_is_not_made_again() {
    let world = world(&[("one", "cat"), ("two", "cat")]);
    let place = world.path("").display().to_string();
    world.tool("demo/one", &format!("echo ran >> {place}/ran; mkdir -p notes; echo a > notes/a.md; echo one"));
    world.tool("demo/two", &format!("touch {place}/runs; while [ ! -e {place}/go ]; do sleep 0.02; done"));
    world.commit("scripts");
    let turns = [calls(&[("demo_one", json!({})), ("demo_two", json!({}))]), text("Done.")];
    let script = world.script(&turns).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let mut rye = world.rye(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let kept = || {
        let (_, listed) = world.rye_json(&["thread", "list"]);
        let id = listed["threads"][0]["thread_id"].as_str().unwrap_or_default().to_owned();
        std::fs::read_to_string(world.in_project(&format!(".git/rye/threads/{id}/journal"))).unwrap_or_default()
    };
    for _ in 0..1200 {
        if kept().contains("\"ended\"") && world.path("runs").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    rye.kill().unwrap();
    rye.wait().unwrap();
    std::fs::write(world.path("go"), "").unwrap();
    let resume = ["thread", "resume", "@latest", "--script", &script, "--unfinished", "fail"];
    let (code, printed) = world.rye_json(&resume);
    assert_eq!((code, &printed["status"]), (0, &json!("completed")), "{printed}");
    assert_eq!(std::fs::read_to_string(world.path("ran")).unwrap(), "ran\n");
    let outcome = world.shown(&printed);
    assert_eq!(statuses(&world, &outcome), [CallStatus::Ok, CallStatus::Error]);
    assert_eq!(world.in_thread(&outcome, "notes/a.md").as_deref(), Some("a\n"));
    world.check_record(&outcome);
}
