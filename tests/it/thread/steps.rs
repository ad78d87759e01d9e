//! Directives that are followed without a model: what a failed or denied call ends, what a later step may use, and who
//! follows a directive that names no model.

use rye::event::EventData;
use rye::keys::KeyName;
use rye::ops::execute::Given;
use rye::thread::{Ending, Outcome, RunOptions, Status};
use serde_json::{Value, json};

use super::world::World;

const HEAD: &str = "  <step name=\"read\">\n    <execute item_type=\"tool\" item_id=\"rye/file-system/read\">\n      \
                    <param name=\"path\" value=\"README.md\" />\n    </execute>\n  </step>\n";

/// A step that writes a file.
fn writing(name: &str, path: &str, content: &str) -> String {
    format!(
        "  <step name=\"{name}\">\n    <description>Write {path}.</description>\n    \
         <execute item_type=\"tool\" item_id=\"rye/file-system/write\">\n      <param name=\"path\" value=\"{path}\" />\n      \
         <param name=\"content\">{content}</param>\n    </execute>\n  </step>\n"
    )
}

/// A step that runs the tool `demo/one`.
fn running(name: &str, attributes: &str) -> String {
    format!(
        "  <step name=\"{name}\"{attributes}>\n    <execute item_type=\"tool\" item_id=\"demo/one\" />\n  </step>\n"
    )
}

/// Writes `demo/work`, which may write to `out/`, with these steps; `model` is its element.
fn work(world: &World, model: &str, outputs: &str, steps: &str) {
    let permissions = "<execute><tool>rye.file-system.*</tool><tool>demo.one</tool></execute>\
                       <read resource=\"filesystem\" path=\"**\" /><write resource=\"filesystem\" path=\"out/**\" />";
    let text = super::world::directive("work", permissions, "turns=\"9\"", outputs);
    let text = text.replace("<model tier=\"scripted\" />", model);
    let inputs =
        "<inputs><input name=\"word\" type=\"string\" default=\"{step:read.content}\" /></inputs>\n</directive>";
    let text = text.replace("</directive>", inputs).replace("  <step name=\"work\">Work.</step>\n", steps);
    world.write(".ai/directives/demo/work.md", &text);
    world.sign(KeyName::Person, "demo/work");
}

fn run(world: &World) -> Outcome {
    world.try_run(&options(world)).unwrap()
}

fn options(world: &World) -> RunOptions {
    RunOptions { provider: None, script: None, given: Given::default(), ..world.options(&[]) }
}

fn fault(outcome: &Outcome) -> (Ending, &str, &str) {
    let error = outcome.error.as_ref().unwrap();
    (outcome.ending, &error.code, &error.message)
}

#[test]
fn a_step_that_fails_ends_the_thread_and_is_named_first() {
    let world = World::new();
    world.tool("demo/one", "echo 'it is broken' >&2; exit 3");
    let steps = [running("build", ""), writing("report", "out/report.md", "built")].concat();
    work(&world, "", "", &steps);
    let outcome = run(&world);
    let (ending, code, message) = fault(&outcome);
    assert_eq!((ending, code, outcome.status, outcome.turns), (Ending::Error, "step_failed", Status::Error, 1));
    assert!(message.starts_with("step `build`: ") && message.contains("demo/one"), "{message}");
    assert!(message.contains(" failed: ") && message.contains("it is broken"), "{message}");
    assert_eq!(world.log(&outcome, "%s"), ["start: demo/work", "turn 1: execute demo/one", "end: error"]);
    assert_eq!(world.in_thread(&outcome, "out/report.md"), None);

    let output = world.rye(&["thread", "run", "demo/work", "-q"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.starts_with("error: step `build`: ") && told.lines().next().unwrap().ends_with("[step_failed]"),
        "{told}"
    );
}

#[test]
fn a_step_that_is_denied_ends_the_thread_with_exit_4() {
    let world = World::new();
    let steps = [writing("overstep", "src/a.txt", "no"), writing("report", "out/report.md", "yes")].concat();
    work(&world, "<model tier=\"steps\" />", "", &steps);
    let outcome = run(&world);
    let (ending, code, message) = fault(&outcome);
    assert_eq!((ending, code, outcome.turns), (Ending::Denied, "denied", 1));
    assert!(message.starts_with("step `overstep`: no permission to write `src/a.txt`"), "{message}");

    let (exit, printed) = world.rye_json(&["thread", "run", "demo/work"]);
    assert_eq!((exit, &printed["status"], &printed["ending"]), (4, &json!("error"), &json!("denied")), "{printed}");
    // A person sees it first, and can ask for it.
    for args in [&["thread", "show", "@latest"][..], &["thread", "list", "--status", "denied"]] {
        let output = world.rye(args).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let first = told.lines().next().unwrap();
        assert!(first.starts_with("denied: step `overstep`: ") || first.contains("\tdenied\t"), "{args:?}: {told}");
    }
    for (word, threads) in [("denied", 2), ("error", 0), ("limit", 0), ("completed", 0)] {
        let (_, listed) = world.rye_json(&["thread", "list", "--status", word]);
        assert_eq!(listed["threads"].as_array().unwrap().len(), threads, "{word}");
    }
}

#[test]
fn a_step_that_goes_on_is_told_and_the_next_one_is_done() {
    let world = World::new();
    world.tool("demo/one", "exit 3");
    let overstep = writing("overstep", "src/a.txt", "no").replace("\"overstep\"", "\"overstep\" on_error=\"continue\"");
    let unusable = writing("unusable", "out/b.md", "{step:overstep.path}")
        .replace("\"unusable\"", "\"unusable\" on_error=\"continue\"");
    let steps =
        [overstep, running("build", " on_error=\"continue\""), unusable, writing("report", "out/report.md", "yes")];
    work(&world, "", "", &steps.concat());
    let outcome = run(&world);
    assert_eq!((outcome.status, outcome.turns), (Status::Completed, 4), "{:?}", outcome.error);
    assert_eq!(world.in_thread(&outcome, "out/report.md").as_deref(), Some("yes"));
    let transcript = world.thread_file(&outcome, "transcript.md");
    let told = "step `unusable` cannot be done: the last call of step `overstep` did not succeed.";
    assert!(transcript.contains(told), "{transcript}");
}

#[test]
fn the_calls_of_a_step_are_made_one_after_the_other() {
    let world = World::new();
    world.tool("demo/one", "test -e out/a.md && echo found || exit 3");
    let two = |first: &str| {
        let write = writing("both", first, "a");
        write.replace("  </step>", "    <execute item_type=\"tool\" item_id=\"demo/one\" />\n  </step>")
    };
    work(&world, "", "", &two("out/a.md"));
    let outcome = run(&world);
    assert_eq!((outcome.status, outcome.turns), (Status::Completed, 3), "{:?}", outcome.error);
    work(&world, "", "", &two("src/b.md"));
    let outcome = run(&world);
    assert_eq!((fault(&outcome).0, outcome.turns), (Ending::Denied, 1));
}

#[test]
fn a_later_step_uses_an_earlier_result() {
    let world = World::new();
    let steps = [
        HEAD.to_owned(),
        writing("copy", "out/copy.md", "{step:read.content}"),
        writing("tell", "out/tell.md", "It says: {step:read.content}; {input:word}; {step:copy}"),
    ];
    work(&world, "", "<output name=\"note\" from=\"copy.path\">The copy</output>", &steps.concat());
    let outcome = run(&world);
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    assert_eq!(world.in_thread(&outcome, "out/copy.md").as_deref(), Some("# hello\n"));
    let told = world.in_thread(&outcome, "out/tell.md").unwrap();
    // An input that looks like a placeholder is a value.
    assert!(told.starts_with("It says: # hello\n; {step:read.content}; {\""), "{told}");

    // A model knows the results by their steps' names.
    let setup: Value = serde_json::from_str(&world.thread_file(&outcome, "setup.json")).unwrap();
    let prompt = setup["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("It says: the result of step read; {step:read.content}; the result of step copy"),
        "{prompt}"
    );
    assert!(!prompt.replace("; {step:read.content};", "").contains("{step:"), "{prompt}");
}

#[test]
fn a_result_that_is_not_there_ends_the_thread_with_what_there_is() {
    let world = World::new();
    work(&world, "", "", &[HEAD.to_owned(), writing("copy", "out/copy.md", "{step:read.contant}")].concat());
    let outcome = run(&world);
    let (ending, code, message) = fault(&outcome);
    assert_eq!((ending, code), (Ending::Error, "step_failed"));
    assert!(
        message.starts_with("step `copy` cannot be done: the result of step `read` has no `contant` (it has `"),
        "{message}"
    );
    assert!(message.contains("`content`"), "{message}");
    let events = world.events(&outcome);
    assert!(!events.iter().any(|event| matches!(&event.what, EventData::ToolCallStart { .. } if event.turn == 2)));
}

#[test]
fn a_directive_without_a_model_is_followed_as_its_steps_allow() {
    let world = World::new();
    work(&world, "", "", HEAD);
    assert_eq!(run(&world).provider.as_str(), "rye/agent/providers/steps");
    // Words need a model that understands them, and so does a step that calls nothing.
    let prose = HEAD.replace("    <execute", "    Read it well.\n    <execute");
    for steps in [prose, format!("{HEAD}  <step name=\"think\"><description>Think.</description></step>\n")] {
        work(&world, "", "", &steps);
        let (exit, error) = world.rye_json(&["thread", "run", "demo/work"]);
        let (message, hints) = (error["error"]["message"].to_string(), error["error"]["hints"].to_string());
        assert_eq!((exit, &error["error"]["code"]), (1, &json!("no-secret")), "{error}");
        assert!(message.contains("tier `general`") && message.contains("`ANTHROPIC_API_KEY`"), "{message}");
        assert!(hints.contains("ANTHROPIC_API_KEY") || hints.contains("set one of these variables"), "{hints}");
    }
}

#[test]
fn a_fork_behind_a_failed_step_goes_on() {
    let world = World::new();
    world.tool("demo/one", "exit 3");
    work(&world, "", "", &[running("build", ""), writing("report", "out/report.md", "yes")].concat());
    let outcome = run(&world);
    assert_eq!(fault(&outcome).1, "step_failed");
    let (code, printed) = world.rye_json(&["thread", "fork", outcome.thread_id.as_str(), "--turn", "1"]);
    assert_eq!((code, &printed["ending"]), (0, &json!("completed")), "{printed}");
    let fork = world.shown(&printed);
    world.check_fork(&fork);
    assert_eq!(world.in_thread(&fork, "out/report.md").as_deref(), Some("yes"));
}

#[test]
fn a_fork_behind_the_last_step_is_refused() {
    let world = World::new();
    world.tool("demo/one", "exit 3");
    let both =
        running("both", "").replace("  </step>", "    <execute item_type=\"tool\" item_id=\"demo/one\" />\n  </step>");
    for last in [running("build", ""), both] {
        work(&world, "", "", &[writing("report", "out/report.md", "yes"), last].concat());
        let outcome = run(&world);
        assert_eq!(fault(&outcome).1, "step_failed");
        let id = outcome.thread_id.as_str();
        let refs = world.git(&["for-each-ref"]);
        let (code, printed) = world.rye_json(&["thread", "fork", id, "--turn", "2"]);
        let message = format!("thread `{id}` has no step left after turn 2: a fork would do nothing");
        assert_eq!((code, &printed["error"]["message"]), (2, &json!(message)), "{printed}");
        assert_eq!(printed["error"]["hints"].as_array().unwrap().len(), 2);
        assert_eq!(world.git(&["for-each-ref"]), refs, "no branch was made");
        // The page names the turn behind which the step is done again.
        let page = String::from_utf8(world.rye(&["thread", "show", id]).output().unwrap().stdout).unwrap();
        let next = format!("\nNext\n  rye thread rerun {id}\n  rye thread fork {id} --turn 1\n");
        assert!(page.ends_with(&next), "{page}");
        let (_, printed) = world.rye_json(&["thread", "fork", id, "--turn", "1"]);
        assert_eq!((&printed["ending"], &printed["turns"]), (&json!("error"), &json!(2)), "{printed}");
    }
}
