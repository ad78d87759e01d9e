//! Hooks in whole threads: what they bring reaches the model, what they run is recorded, what they may not is refused.

use rye::event::{CallStatus, Event, EventData};
use rye::item::HookEvent;
use rye::thread::Status;
use rye::thread::hooks::Moment;
use serde_json::{Value, json};

use super::machine::{hooks_with, usd};
use super::world::{World, call, text, types, write};

const ALL: &str = "<execute><tool>rye.file-system.*</tool><tool>demo.note</tool><directive>demo/*</directive>\
                   <knowledge>demo/*</knowledge></execute><write resource=\"filesystem\" path=\"out/**\" />";

fn hook(when: &str, item_type: &str, name: &str, inputs: &str) -> String {
    format!("<hook>{when}<execute item_type=\"{item_type}\">{name}</execute><inputs>{inputs}</inputs></hook>")
}

fn triggered(events: &[Event]) -> Vec<(usize, HookEvent, String, CallStatus)> {
    let seen = |event: &Event| match &event.what {
        EventData::HookTriggered { hook, event, call, status, .. } => Some((*hook, *event, call.clone(), *status)),
        _ => None,
    };
    events.iter().filter_map(seen).collect()
}

/// Hole 15: hooks never fired. Each kind of action does what it says, with the variables of its moment.
#[test]
fn hooks_fire_and_bring_instructions_knowledge_and_results() {
    let world = World::new();
    world.knowledge("mend", "Mend it so.");
    world.tool("demo/note", "# parameters: {type: object, properties: {count: {type: integer}, what: {type: string}}}\nmkdir -p out; cat > out/note.json\necho noted");
    world.extended("stop", "", "", ALL);
    let path = ".ai/directives/demo/stop.md";
    let changed = world.read(path).replace(
        "\n</directive>",
        "<inputs><input name=\"who\" type=\"string\" required=\"true\">W</input><input name=\"times\" type=\"integer\" required=\"true\">T</input></inputs>\n</directive>",
    );
    world
        .write(path, changed.replace(">Work.<", ">Stop {input:who} after {input:times}.<").split_once('\n').unwrap().1);
    world.sign(rye::keys::KeyName::Person, "demo/stop");
    let hooks = [
        hook(
            "<when>loop_count > 1</when>",
            "directive",
            "stop",
            "<who>${directive.name}</who><times>${loop_count}</times>",
        ),
        hook("<when>error.type == \"permission_denied\"</when>", "knowledge", "demo/mend", ""),
        hook("<when>after_tool</when>", "tool", "note", "<what>${directive.name}</what><count>${loop_count}</count>"),
    ]
    .concat();
    world.extended("work", "", &format!("<hooks>{hooks}</hooks>"), ALL);
    let denied = json!({
        "calls": [{"name": "rye_file_system_write", "input": {"path": "src/b", "content": "b"}}],
        "expect": {"contains": ["At `before_tool`, follow the instructions of directive `demo/stop`", "Stop work after 2."]},
    });
    let end = json!({"text": "Done.", "expect": {"contains": ["At `permission_denied`, take knowledge `demo/mend` into account", "Mend it so."]}});
    let outcome = world.run(&[write("out/a", "a"), write("out/a", "a"), denied, end]);
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    let events = world.events(&outcome);
    let note = |event| (3, event, "execute tool demo/note".to_owned(), CallStatus::Ok);
    assert_eq!(
        triggered(&events),
        [
            note(HookEvent::AfterTool),
            (1, HookEvent::BeforeTool, "execute directive demo/stop".to_owned(), CallStatus::Ok),
            note(HookEvent::AfterTool),
            (2, HookEvent::PermissionDenied, "execute knowledge demo/mend".to_owned(), CallStatus::Ok),
        ]
    );
    let given: Value = serde_json::from_str(&world.in_thread(&outcome, "out/note.json").unwrap()).unwrap();
    assert_eq!(given, json!({"count": 2, "what": "work"}));
    assert!(world.changed(&outcome)[1].contains(&"out/note.json".to_owned()), "what a hook writes is committed");
}

#[test]
fn what_a_hook_may_not_do_is_refused_and_told() {
    let world = World::new();
    let writes = "<path>src/x.txt</path><content>x</content>";
    let hooks = [
        hook("<when>thread_started</when>", "tool", "rye/file-system/write", writes),
        hook("<when>thread_started</when>", "tool", "rye/file-system/write", "<content>x</content>"),
        "<hook event=\"thread_completed\"><action primary=\"sign\" item_type=\"directive\" item_id=\"demo/work\"/></hook>".to_owned(),
    ]
    .concat();
    world.extended("work", "", &format!("<hooks>{hooks}</hooks>"), ALL);
    let outcome = world.run(&[text("Done.")]);
    let events = world.events(&outcome);
    let status: Vec<CallStatus> = triggered(&events).into_iter().map(|(.., status)| status).collect();
    assert_eq!(status, [CallStatus::Denied, CallStatus::Error, CallStatus::Denied]);
    assert_eq!(world.in_thread(&outcome, "src/x.txt"), None);
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(types(&events).last().unwrap(), "thread_complete");
}

#[test]
fn a_hook_on_something_that_is_not_there_stops_the_thread_before_it_begins() {
    let world = World::new();
    world.extended("work", "", &format!("<hooks>{}</hooks>", hook("<when>limit</when>", "tool", "nobody", "")), ALL);
    let error = world.try_run(&world.options(&[text("Done.")])).unwrap_err();
    assert_eq!(error.to_string(), "`nobody`, which directive `demo/work` names in `hooks`, cannot be used");
}

/// The model says that it left the way, and a hook listens; without one the tool is not offered.
#[test]
fn a_model_can_report_a_deviation_where_a_hook_listens() {
    let world = World::new();
    world.knowledge("mend", "Roll back.");
    let when = "<when>deviation.type == \"rollback_required\"</when>";
    let says = call("rye_deviation", json!({"type": "rollback_required", "message": "It broke."}));
    world.extended("work", "", &format!("<hooks>{}</hooks>", hook(when, "knowledge", "mend", "")), ALL);
    let end = json!({"text": "Done.", "expect": {"contains": ["Roll back."]}});
    let outcome = world.run(&[says.clone(), end]);
    assert_eq!(outcome.status, Status::Completed);
    assert!(types(&world.events(&outcome)).contains(&"deviation".to_owned()));
    world.extended("work", "", "", ALL);
    let outcome = world.run(&[says, text("Done.")]);
    let result = super::world::result_in_turn(&world.events(&outcome), 1);
    assert_eq!(result["output"]["error"]["code"], "unknown_tool");
}

/// Hole 15: `<cost>` was dropped. It limits turns, time, money, and the context of one call.
#[test]
fn the_cost_element_is_enforced_and_its_hooks_fire() {
    let world = World::new();
    world.tool("demo/note", "cat > /dev/null; echo noted");
    let cost = "<cost><context estimated_usage=\"low\" turns=\"2\" spawn_threshold=\"1\">100000</context></cost>";
    let hooks = format!("<hooks>{}</hooks>", hook("<when>limit</when>", "tool", "demo/note", ""));
    world.extended("work", "", &format!("{cost}{hooks}"), ALL);
    let turns: Vec<Value> = (0..4).map(|at| write(&format!("out/{at}"), "x")).collect();
    let outcome = world.run(&turns);
    assert_eq!((outcome.status, outcome.turns), (Status::Error, 2));
    let events = world.events(&outcome);
    assert_eq!(types(&events)[types(&events).len() - 3..], ["limit_reached", "hook_triggered", "thread_error"]);

    let small = cost.replace("turns=\"2\"", "turns=\"9\"").replace("100000", "100");
    world.extended("work", "", &small, ALL);
    let outcome = world.run(&turns);
    let error = outcome.error.unwrap();
    assert_eq!((outcome.status, error.code.as_str()), (Status::Error, "limit"));
    assert!(error.message.starts_with("the limit on context (100 tokens) is reached: the next call"), "{error:?}");
}

/// Text that a hook gives is typed, and a program is called by its own id, too.
#[test]
fn a_hook_runs_a_program() {
    let world = World::new();
    let hooks = [
        hook("<when>after_tool</when>", "tool", "rye/shell/printf", "<command>by id</command>"),
        hook("<when>after_tool</when>", "tool", "rye/shell/run", "<argv>[\"printf\", \"by argv\"]</argv>"),
        hook("<when>after_tool</when>", "tool", "rye/shell/run", "<argv>[\"ls\"]</argv>"),
    ]
    .concat();
    let permissions = "<execute><tool>rye.file-system.*</tool><tool>rye.shell.printf</tool></execute>";
    world.extended("work", "", &format!("<hooks>{hooks}</hooks>"), permissions);
    let outcome = world.run(&[write("out/a", "a"), text("Done.")]);
    let events = world.events(&outcome);
    let mut calls: Vec<(String, CallStatus)> =
        triggered(&events).into_iter().map(|(_, _, call, status)| (call, status)).collect();
    // A denied call is reported before the others are done.
    calls.sort_by(|one, other| one.0.cmp(&other.0));
    let printf = |status| ("execute tool rye/shell/printf".to_owned(), status);
    let denied = ("execute tool rye/shell/ls".to_owned(), CallStatus::Denied);
    assert_eq!(calls, [denied, printf(CallStatus::Ok), printf(CallStatus::Ok)]);
}

/// Many hooks that each name a long value many times make one bounded text in all.
#[test]
fn the_inputs_of_hooks_are_bounded_in_all() {
    let named = |times: usize| {
        let when = "<when>thread_started</when><execute item_type=\"tool\">demo/one</execute>";
        format!("<hook>{when}<inputs><text>{}</text></inputs></hook>", "${directive.name}${long}".repeat(times))
    };
    let declared = |times: &[usize]| times.iter().map(|times| named(*times)).collect::<String>();
    let Value::Object(inputs) = json!({"long": "x".repeat(1_000_000)}) else { unreachable!() };
    let moment = Moment {
        event: HookEvent::ThreadStarted,
        spend: usd(0),
        limit: usd(1),
        turns: (0, 1),
        tokens: (0, 1),
        loop_count: 0,
        about: None,
    };
    let asks = |times: &[usize]| {
        let firing = hooks_with(&declared(times), &inputs).at(&moment);
        firing.into_iter().map(|firing| firing.action.map(drop)).collect::<Vec<_>>()
    };
    let too_long = Err("with its values filled in, the text is longer than 4194304 bytes".to_owned());
    assert_eq!(asks(&[4]), [Ok(())]);
    assert_eq!(asks(&[4_000]), std::slice::from_ref(&too_long));
    assert_eq!(asks(&[3, 3, 1]), [Ok(()), too_long.clone(), too_long]);
}
