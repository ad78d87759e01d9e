//! Continuing a thread from one of its turns.

use rye::event::EventData;
use rye::thread::{Outcome, Status};
use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, call, text, types, write};

/// A world with a thread of four turns: three writes to `src/`, and an end.
fn four_turns() -> (World, Outcome) {
    let world = World::new();
    world.directive(FILES, r#"turns="9" tokens="100000""#, "");
    world.commit("items");
    let used = |mut turn: Value| {
        turn["usage"] = json!({"input_tokens": 10, "output_tokens": 1});
        turn
    };
    let turns = [write("src/1.txt", "1\n"), write("src/2.txt", "2\n"), write("src/3.txt", "3\n"), text("Done.")];
    let outcome = world.run(&turns.map(used));
    (world, outcome)
}

/// Forks by the program, and holds the new thread to what holds for every one.
fn fork(world: &World, thread: &str, turn: u32, script: &[Value], more: &[&str]) -> (Value, Outcome) {
    let script = world.script(script).display().to_string();
    let turn = turn.to_string();
    let before = (world.untouched(), world.persons_files());
    let args = ["thread", "fork", thread, "--turn", &turn, "--script", &script];
    let (code, printed) = world.rye_json(&[&args[..], more].concat());
    assert_eq!(code, 0, "{printed:#}");
    assert_eq!((world.untouched(), world.persons_files()), before, "what is the person's is as it was");
    assert_eq!(world.trees(), Vec::<String>::new());
    let outcome = world.shown(&printed);
    world.check_fork(&outcome);
    (printed, outcome)
}

/// The refusal of a fork: exit code, code and sentence.
fn refused(world: &World, args: &[&str]) -> (i32, Value) {
    let heads = world.git(&["for-each-ref"]);
    let (code, printed) = world.rye_json(&[&["thread", "fork"], args].concat());
    assert_eq!(world.git(&["for-each-ref"]), heads, "no branch was made");
    assert_eq!(world.trees(), Vec::<String>::new());
    (code, printed["error"].clone())
}

/// Lines of a script that the fork does not come to: a scripted provider goes on where it was.
fn after(turns: usize, script: &[Value]) -> Vec<Value> {
    let passed = (0..turns).map(|_| text("not said again"));
    passed.chain(script.iter().cloned()).collect()
}

#[test]
fn a_thread_goes_on_from_a_turn_in_the_middle() {
    let (world, old) = four_turns();
    let expects = json!({"contains": ["src/2.txt"]});
    let mut other = write("src/b.txt", "b\n");
    other["expect"] = expects;
    let (printed, new) = fork(&world, "@latest", 2, &after(2, &[other, text("Another end.")]), &[]);
    let commits = world.log(&old, "%H");
    let from = json!({"thread_id": old.thread_id, "turn": 2, "commit_id": commits[2]});
    assert_eq!(printed["forked_from"], from);
    assert_ne!(new.thread_id, old.thread_id);
    assert_eq!(new.base, old.base);
    assert_eq!(new.status, Status::Completed);
    assert_eq!((new.turns, new.usage.total()), (4, 22), "what was used before the fork counts");
    let subjects = world.log(&new, "%s");
    assert_eq!(
        subjects[3..],
        ["fork: demo/work after turn 2", "turn 3: execute rye/file-system/write", "turn 4: text", "end: completed"]
    );
    let ids = world.log(&new, "%H");
    assert_eq!(ids[..3], commits[..3], "the branch starts at the commit of the turn");
    for (path, content) in
        [("src/1.txt", Some("1\n")), ("src/2.txt", Some("2\n")), ("src/b.txt", Some("b\n")), ("src/3.txt", None)]
    {
        assert_eq!(world.in_thread(&new, path).as_deref(), content, "{path}");
    }
    let events = world.events(&new);
    assert_eq!(types(&events)[..2], ["thread_forked", "step_start"]);
    let EventData::ThreadForked { thread_id, turn, commit_id, .. } = &events[0].what else { panic!() };
    assert_eq!((thread_id, *turn, commit_id), (&old.thread_id, 2, &commits[2]));
    assert!(world.in_thread(&new, &format!(".ai/threads/{}/thread.json", old.thread_id)).is_some(), "as history");
    assert_eq!(world.rye_json(&["thread", "list"]).1["threads"].as_array().unwrap().len(), 2);
    // What a fork changed is what both threads changed.
    let (_, diff) = world.rye_json(&["thread", "diff", new.thread_id.as_str()]);
    let paths: Vec<&str> =
        diff["changes"].as_array().unwrap().iter().filter_map(|change| change["path"].as_str()).collect();
    assert_eq!(paths, ["src/1.txt", "src/2.txt", "src/b.txt"]);
}

#[test]
fn a_thread_goes_on_from_its_start_and_from_its_last_turn() {
    let (world, old) = four_turns();
    let id = old.thread_id.as_str();
    let (_, from_start) = fork(&world, id, 0, &[text("At once.")], &[]);
    assert_eq!((from_start.turns, world.in_thread(&from_start, "src/1.txt")), (1, None));
    let (_, from_end) = fork(&world, id, 4, &[], &[]);
    assert_eq!((from_end.status, from_end.turns), (Status::Completed, 4), "the model is not asked again");
    assert_eq!(types(&world.events(&from_end)), ["thread_forked", "thread_complete"]);
}

#[test]
fn a_fork_is_forked_and_stays_when_the_first_thread_is_removed() {
    let (world, old) = four_turns();
    let (_, middle) =
        fork(&world, old.thread_id.as_str(), 2, &after(2, &[write("src/b.txt", "b\n"), text("Done.")]), &[]);
    assert_eq!(world.rye_json(&["thread", "rm", old.thread_id.as_str(), "--yes"]).0, 0);
    let expecting = json!({"text": "Done.", "expect": {"contains": ["src/1.txt", "src/b.txt"]}});
    let (printed, last) = fork(&world, middle.thread_id.as_str(), 3, &after(3, &[expecting]), &[]);
    assert_eq!(printed["forked_from"]["thread_id"], json!(middle.thread_id));
    assert_eq!(world.in_thread(&last, "src/b.txt").as_deref(), Some("b\n"));
    let (code, error) = refused(&world, &[middle.thread_id.as_str(), "--turn", "1"]);
    let message = format!("thread `{}` has no turn 1 to continue from (expected 2 to 4)", middle.thread_id);
    assert_eq!((code, &error["message"]), (2, &json!(message)));
}

#[test]
fn another_model_and_narrower_limits_count_for_the_fork() {
    let (world, old) = four_turns();
    let id = old.thread_id.as_str();
    let script = world.script(&after(1, &[write("src/c.txt", "c\n"), text("not reached")])).display().to_string();
    let args = ["thread", "fork", id, "--turn", "1", "--script", &script, "--provider", SCRIPTED];
    let (code, printed) = world.rye_json(&[&args[..], &["--limit", "turns=2"]].concat());
    assert_eq!((code, &printed["turns"], &printed["error"]["code"]), (5, &json!(2), &json!("limit")), "{printed:#}");
    world.check_fork(&world.shown(&printed));
    let (code, error) = refused(&world, &[id, "--turn", "1", "--model", "unknown-model"]);
    assert_eq!((code, &error["code"]), (1, &json!("no-provider")));
}

#[test]
fn only_turns_can_be_forked() {
    let (world, old) = four_turns();
    let (code, error) = refused(&world, &[old.thread_id.as_str(), "--turn", "5"]);
    let message = format!("thread `{}` has no turn 5 to continue from (expected 0 to 4)", old.thread_id);
    assert_eq!((code, &error["message"]), (2, &json!(message)), "the end is not a turn");
}

#[test]
fn a_directive_that_changed_is_run_again_instead() {
    let (world, old) = four_turns();
    world.directive(FILES, r#"turns="8""#, "");
    let (code, error) = refused(&world, &[old.thread_id.as_str(), "--turn", "1"]);
    assert_eq!((code, &error["code"]), (1, &json!("directive-changed")));
    let hint = format!("run `rye thread rerun {}` to run its directive again, with the same inputs", old.thread_id);
    assert_eq!(error["hints"], json!([hint]));
}

#[test]
fn nothing_of_an_unsigned_commit_reaches_a_model() {
    let (world, old) = four_turns();
    let (id, branch) = (old.thread_id.as_str(), old.branch.as_str());
    // The same tree and message, without the agent's signature; the turns before it are as they were.
    let amended = |revision: &str, signature: &str| {
        let raw = world.git(&["cat-file", "commit", revision]);
        let (headers, message) = raw.split_once("\n\n").unwrap();
        let mut in_signature = false;
        let kept = headers.lines().filter(|line| {
            in_signature = line.starts_with("gpgsig") || in_signature && line.starts_with(' ');
            !in_signature
        });
        let commit = format!("{}{signature}\n\n{message}\n", kept.collect::<Vec<_>>().join("\n"));
        let file = world.path("commit");
        std::fs::write(&file, commit).unwrap();
        world.git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()])
    };
    let third = world.git(&["rev-parse", &format!("{branch}~2")]);
    let openpgp = include_str!("../support/signatures/openpgp.asc").trim_end().replace('\n', "\n ");
    let openpgp = format!("\ngpgsig {openpgp}");
    for (signature, verdict, rule) in [("", "unsigned", "RYE-C001"), (&openpgp, "not_judged", "RYE-C008")] {
        world.git(&["update-ref", branch, &amended(&third, signature)]);
        let (code, error) = refused(&world, &[id, "--turn", "3"]);
        assert_eq!((code, &error["code"], &error["rule"]), (3, &json!(verdict), &json!(rule)), "{error:#}");
        let (code, replay) = world.rye_json(&["thread", "replay", id]);
        assert_eq!((code, &replay["status"], &replay["signatures"][0]["rule"]), (3, &json!("untrusted"), &json!(rule)));
    }
    // The commits before it are the agent's.
    fork(&world, id, 2, &after(2, &[text("Done.")]), &[]);
}

#[test]
fn a_fork_may_do_what_the_old_thread_could_and_no_more() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    world.commit("items");
    world.write_at(&world.path("caller.yaml"), "capabilities:\n  - rye.execute.tool.rye.file-system.read\n");
    let script = world.script(&[text("First."), text("never")]).display().to_string();
    let caller = world.path("caller.yaml").display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--permissions", &caller];
    let (code, printed) = world.rye_json(&args);
    assert_eq!(code, 0, "{printed:#}");
    let id = printed["thread_id"].as_str().unwrap();
    let parameters = json!({"path": "src/x.txt", "content": "x"});
    let write = json!({"item_type": "tool", "item_id": "rye/file-system/write", "parameters": parameters});
    let (_, new) = fork(&world, id, 0, &[call("rye_execute", write), text("Done.")], &[]);
    let denied = |event: &rye::event::Event| matches!(event.what, EventData::PermissionDenied { .. });
    assert!(world.events(&new).iter().any(denied), "the caller's permissions still narrow it");
    let tokens: Value = serde_json::from_str(&world.thread_file(&new, "token.json")).unwrap();
    assert_eq!(tokens.as_array().unwrap().len(), 3, "caller, directive, and the directive of today");
    assert!(tokens.as_array().unwrap().iter().all(|token| token["thread_id"] == json!(new.thread_id)));
}

#[test]
fn items_that_the_thread_made_count_in_its_fork() {
    let world = World::new();
    let permissions = "<execute><tool>rye.file-system.*</tool><tool>made.*</tool></execute><sign><tool>made.*</tool></sign>\
        <write resource=\"filesystem\" path=\".ai/tools/**\" />";
    world.directive(permissions, r#"turns="9""#, "");
    world.commit("items");
    let tool = super::world::tool("echo made").replace("category: demo", "category: made");
    let sign = call("rye_sign", json!({"item_type": "tool", "item_id": "made/one"}));
    let run = call("rye_execute", json!({"item_type": "tool", "item_id": "made/one"}));
    let old = world.run(&[write(".ai/tools/made/one.sh", &tool), sign, run.clone(), text("Done.")]);
    let result = |outcome: &Outcome, turn| super::world::result_in_turn(&world.events(outcome), turn);
    assert_eq!(result(&old, 3)["status"], "ok", "{:#}", result(&old, 3));
    let (_, new) = fork(&world, old.thread_id.as_str(), 2, &after(2, &[run, text("Done.")]), &[]);
    assert_eq!(result(&new, 3)["status"], "ok", "{:#}", result(&new, 3));
}

#[test]
fn the_state_of_the_provider_goes_along() {
    let world = World::new();
    let steps = "# Work\n\n```xml\n<directive name=\"steps\" version=\"1.0.0\">\n  <metadata>\n    <description>Work</description>\n    \
        <category>demo</category>\n    <author>ada</author>\n    <model tier=\"steps\" />\n    <limits turns=\"9\" />\n    \
        <permissions><execute><tool>rye.file-system.*</tool></execute></permissions>\n  </metadata>\n</directive>\n```\n\n\
        <process>\n  <step name=\"one\">One.\n    <execute item_type=\"tool\" item_id=\"rye/file-system/write\"><param name=\"path\" value=\"src/1.txt\" /><param name=\"content\" value=\"1\" /></execute>\n  </step>\n  \
        <step name=\"two\">Two.\n    <execute item_type=\"tool\" item_id=\"rye/file-system/write\"><param name=\"path\" value=\"src/2.txt\" /><param name=\"content\" value=\"2\" /></execute>\n  </step>\n</process>\n";
    world.write(".ai/directives/demo/steps.md", steps);
    world.sign(rye::keys::KeyName::Person, "demo/steps");
    world.commit("items");
    let (code, printed) = world.rye_json(&["thread", "run", "demo/steps"]);
    assert_eq!((code, &printed["turns"]), (0, &json!(3)), "{printed:#}");
    let old = world.shown(&printed);
    let states: Vec<Value> = world
        .events(&old)
        .iter()
        .filter_map(|event| match &event.what {
            EventData::StepFinish { state, .. } => Some(state["next_step"].clone()),
            _ => None,
        })
        .collect();
    assert_eq!(states, [json!(1), json!(2), json!(2)]);
    let (code, printed) = world.rye_json(&["thread", "fork", old.thread_id.as_str(), "--turn", "1"]);
    let new = world.shown(&printed);
    assert_eq!((code, new.turns), (0, 3), "it goes on with the second step");
    assert_eq!(
        world.events(&new).iter().filter(|event| matches!(event.what, EventData::ToolCallStart { .. })).count(),
        1
    );
    world.check_fork(&new);
}
