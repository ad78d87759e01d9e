//! What a directive extends, and the knowledge that reaches its model: all of it verified, and only ever narrowing.

use rye::event::EventData;
use rye::format::excerpt;
use rye::keys::KeyName;
use rye::ops::execute::{self, Bounds, Given, Outcome};
use rye::ops::extends;
use rye::ops::locate::LocateError;
use rye::ops::permissions;
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{Error, RunOptions, Status};
use rye::trust::Fault;
use serde_json::{Value, json};

use super::world::{FILES, World, call, directive, result_in_turn, text, types, write};

fn knowledge(name: &str, body: &str) -> String {
    format!("```yaml\nname: {name}\ntitle: {name}\ncategory: demo\nversion: \"1.0.0\"\n```\n\n{body}\n")
}

impl World {
    /// Writes and signs a directive of `demo` with further metadata, and maybe a base.
    pub(super) fn extended(&self, name: &str, base: &str, metadata: &str, permissions: &str) {
        let root = if base.is_empty() { String::new() } else { format!(" extends=\"{base}\"") };
        let text = directive(name, permissions, r#"turns="5""#, "")
            .replace("version=\"1.0.0\"", &format!("version=\"1.0.0\"{root}"))
            .replace("</metadata>", &format!("{metadata}</metadata>"));
        self.write(&format!(".ai/directives/demo/{name}.md"), &text);
        self.sign(KeyName::Person, &format!("demo/{name}"));
    }

    /// Writes and signs knowledge of `demo`.
    pub(super) fn knowledge(&self, name: &str, body: &str) {
        self.write(&format!(".ai/knowledge/demo/{name}.md"), &knowledge(name, body));
        self.sign(KeyName::Person, &format!("demo/{name}"));
    }
}

/// Executes `demo/work` in place.
fn executed(world: &World) -> Result<Value, execute::Error> {
    let ctx = world.context(&[]);
    let options = execute::Options {
        item_type: rye::id::ItemType::Directive,
        item_id: "demo/work".parse().unwrap(),
        given: Given::default(),
        dry_run: false,
    };
    let executed = execute::execute(&Session::open(&ctx).unwrap(), &options, &Bounds::usual(&CancelFlag::new()))?;
    let Outcome::Directive(directive) = executed.outcome else { panic!() };
    Ok(serde_json::to_value(directive).unwrap())
}

#[test]
fn context_is_merged_root_first_and_suppressed_by_the_leaf() {
    let world = World::new();
    for name in ["who", "rules", "style", "more"] {
        world.knowledge(name, &format!("Text of {name}."));
    }
    let root = "<context><system>demo/who</system><before>demo/rules</before><before>demo/style</before></context>";
    world.extended("root", "", root, FILES);
    world.extended("middle", "demo/root", "<context><system>demo/who</system><after>style</after></context>", FILES);
    let leaf = "<context><suppress>demo/style</suppress><before>demo/style</before><after>knowledge/demo/more</after>\
                <suppress>style</suppress></context>";
    world.extended("work", "middle", leaf, FILES);

    let outcome = executed(&world).unwrap();
    assert_eq!(outcome["extends"], json!(["demo/root", "demo/middle"]));
    let shown: Vec<String> = outcome["context"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| format!("{} {} {}", item["position"], item["item_id"], item["content"]).replace('"', ""))
        .collect();
    let wanted = [
        "system demo/who Text of who.",
        "before demo/rules Text of rules.",
        "before demo/style Text of style.",
        "after demo/more Text of more.",
    ];
    assert_eq!(shown, wanted);

    let expect = json!({
        "text": "Done.",
        "expect": {"system_contains": ["Text of who.\n\nYou follow"], "contains": ["Text of rules.", "Text of style.", "Text of more."]},
    });
    let thread = world.run(&[expect]);
    assert_eq!(thread.status, Status::Completed, "{:?}", thread.error);
    let events = world.events(&thread);
    let start = [
        "thread_start",
        "context_injected",
        "context_injected",
        "context_injected",
        "context_injected",
        "user_message",
    ];
    assert_eq!(types(&events)[..6], start);
    let EventData::UserMessage { text } = &events[5].what else { panic!() };
    assert!(text.starts_with("Text of rules.") && text.ends_with("Text of more."), "{text}");
    assert!(world.thread_file(&thread, "transcript.md").contains("Context (system): `demo/who`"));
}

/// Hole 7: a tampered item of the system prompt was dropped silently. Here the thread does not begin.
#[test]
fn a_context_item_that_is_missing_unsigned_or_changed_stops_the_thread() {
    let world = World::new();
    world.knowledge("who", "Me.");
    world.extended("root", "", "<context><system>demo/who</system></context>", FILES);
    world.extended("work", "demo/root", "", FILES);
    assert_eq!(world.run(&[text("Done.")]).status, Status::Completed);
    let branches = || world.git(&["for-each-ref", "--format=%(refname)", "refs/heads/rye"]);
    let before = branches();

    let refused = |what: fn(&LocateError) -> bool| {
        let Err(Error::Extends(extends::Error::Part { item_id, element, name, source })) =
            world.try_run(&world.options(&[text("Done.")]))
        else {
            panic!("the thread began")
        };
        assert_eq!((item_id.as_str(), element, name.as_str()), ("demo/root", "system", "demo/who"));
        assert!(what(&source), "{source:?}");
        assert!(matches!(executed(&world), Err(execute::Error::Extends(_))), "executing is refused too");
    };
    let path = ".ai/knowledge/demo/who.md";
    let signed = world.read(path);
    world.write(path, &signed.replace("Me.", "Somebody else."));
    refused(
        |error| matches!(error, LocateError::Refused { fault, .. } if fault.verdict() == rye::trust::Verdict::Tampered),
    );
    world.write(path, &knowledge("who", "Me."));
    refused(|error| matches!(error, LocateError::Refused { fault: Fault::Unsigned, .. }));
    std::fs::remove_file(world.in_project(path)).unwrap();
    refused(|error| matches!(error, LocateError::Unknown { .. }));
    assert_eq!(branches(), before, "nothing was begun");
}

/// Hole 9: who declares more than its base gets no more.
#[test]
fn an_action_is_allowed_only_if_the_whole_chain_allows_it() {
    let world = World::new();
    world.extended(
        "root",
        "",
        "",
        "<execute><tool>rye.file-system.read</tool><tool>rye.file-system.write</tool></execute>\
         <write resource=\"filesystem\" path=\"out/**\" />",
    );
    world.extended("silent", "demo/root", "", FILES);
    let path = ".ai/directives/demo/silent.md";
    let text_of = world.read(path).replace(&format!("<permissions>{FILES}</permissions>"), "");
    world.write(path, text_of.split_once('\n').unwrap().1);
    world.sign(KeyName::Person, "demo/silent");
    world.extended("work", "demo/silent", "", "<execute><tool>rye.file-system.*</tool></execute>");

    let listed = call("rye_execute", json!({"item_type": "tool", "item_id": "rye/file-system/list"}));
    let offered = json!({"tools": ["rye_file_system_read", "rye_file_system_write"]});
    let turns = [write("out/a.txt", "a"), write("src/b.txt", "b"), listed, json!({"text": "Done.", "expect": offered})];
    let outcome = world.run(&turns);
    let events = world.events(&outcome);
    let status = |turn| result_in_turn(&events, turn)["status"].clone();
    assert_eq!([status(1), status(2), status(3)], ["ok", "denied", "denied"]);
    assert_eq!(world.in_thread(&outcome, "src/b.txt"), None);
    let tokens: Value = serde_json::from_str(&world.thread_file(&outcome, "token.json")).unwrap();
    let ids: Vec<&Value> = tokens.as_array().unwrap().iter().map(|token| &token["directive"]["id"]).collect();
    assert_eq!(ids, ["demo/root", "demo/work"]);
    assert_eq!(tokens[0]["parent"], Value::Null);
    assert!(tokens[1]["parent"].is_string());
}

#[test]
fn circles_long_chains_and_missing_bases_are_refused_with_their_path() {
    let world = World::new();
    world.extended("b", "demo/work", "", FILES);
    world.extended("work", "demo/b", "", FILES);
    let error = executed(&world).unwrap_err();
    assert_eq!(error.to_string(), "the directives extend each other in a circle: `demo/work` → `demo/b` → `demo/work`");
    for at in 0..17 {
        world.extended(&format!("c{at}"), &format!("demo/c{}", at + 1), "", FILES);
    }
    world.extended("work", "demo/c0", "", FILES);
    assert!(matches!(executed(&world), Err(execute::Error::Extends(extends::Error::TooLong { .. }))));
    world.extended("work", "demo/nobody", "", FILES);
    let error = executed(&world).unwrap_err();
    assert_eq!(error.to_string(), "`demo/nobody`, which directive `demo/work` names in `extends`, cannot be used");
    world.extended("work", "", "<context><depends_on>nobody</depends_on></context>", FILES);
    let error = executed(&world).unwrap_err();
    assert_eq!(error.to_string(), "`nobody`, which directive `demo/work` names in `depends_on`, cannot be used");
}

#[test]
fn bare_names_must_be_unique() {
    let world = World::new();
    world.extended("base", "", "", FILES);
    // The program's own `rye/agent/core/base` does not block the name for others.
    world.extended("work", "base", "", FILES);
    assert!(executed(&world).is_ok());
    let other = directive("base", FILES, r#"turns="5""#, "").replace(">demo<", ">other<");
    world.write(".ai/directives/other/base.md", &other);
    world.sign(KeyName::Person, "other/base");
    world.extended("work", "base", "", FILES);
    let error = executed(&world).unwrap_err();
    let wanted =
        "`base`, which directive `demo/work` names in `extends`, fits several items: `demo/base`, `other/base`";
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn what_conflicts_is_not_loaded_in_one_thread() {
    let world = World::new();
    world.extended("base", "", "", FILES);
    world.extended("work", "demo/base", "<context><conflicts_with>base</conflicts_with></context>", FILES);
    let conflict = "directive `demo/work` conflicts with `demo/base`, and both are loaded in one thread";
    assert_eq!(world.try_run(&world.options(&[])).unwrap_err().to_string(), conflict);

    let takes = "<execute><directive>demo/*</directive></execute>";
    world.extended("work", "", "<context><conflicts_with>base</conflicts_with></context>", takes);
    world.extended("friend", "", "<context><conflicts_with>demo/late</conflicts_with></context>", FILES);
    world.extended("late", "", "", FILES);
    let take = |id: &str| call("rye_execute", json!({"item_type": "directive", "item_id": id}));
    let outcome = world.run(&[take("demo/base"), take("demo/friend"), take("demo/late"), text("Done.")]);
    let events = world.events(&outcome);
    assert_eq!(result_in_turn(&events, 1)["output"]["error"]["message"], conflict);
    assert_eq!(result_in_turn(&events, 2)["status"], "ok");
    assert_eq!(
        result_in_turn(&events, 3)["output"]["error"]["message"],
        "directive `demo/friend` conflicts with `demo/late`, and both are loaded in one thread"
    );
}

/// A directive that is taken in later requires the same as one that begins a thread.
#[test]
fn what_requires_a_word_that_nothing_offers_is_not_taken_in() {
    let world = World::new();
    world.extended("needy", "", "<context><requires>docker-runtime</requires></context>", FILES);
    world.extended("heir", "demo/needy", "", FILES);
    world.extended("work", "", "", "<execute><directive>demo/*</directive></execute>");
    let take = |id: &str| call("rye_execute", json!({"item_type": "directive", "item_id": id}));
    let outcome = world.run(&[take("demo/needy"), take("demo/heir"), text("Done.")]);
    let events = world.events(&outcome);
    for turn in [1, 2] {
        assert_eq!(
            result_in_turn(&events, turn)["output"]["error"]["message"],
            "directive `demo/needy` requires `docker-runtime`, and nothing here offers it"
        );
    }
    world.extended("work", "demo/needy", "", FILES);
    let refused = world.try_run(&world.options(&[text("Done.")]));
    assert!(matches!(refused, Err(Error::Extends(extends::Error::Unmet(_)))), "{refused:?}");
}

/// A thread whose directive does not name what it may do does not begin, whatever its base may.
#[test]
fn a_leaf_declares_its_own_permissions() {
    let world = World::new();
    world.extended("root", "", "", FILES);
    world.extended("work", "demo/root", "", FILES);
    let path = ".ai/directives/demo/work.md";
    let changed = world.read(path).replace(&format!("<permissions>{FILES}</permissions>"), "");
    world.write(path, changed.split_once('\n').unwrap().1);
    world.sign(KeyName::Person, "demo/work");
    let options: RunOptions = world.options(&[]);
    let Err(Error::Locate(LocateError::Invalid { findings, text, .. })) = world.try_run(&options) else { panic!() };
    assert_eq!(findings[0].rule, "RYE-D030");
    assert!(excerpt(&text, findings[0].span.unwrap()).contains("<directive"));
}

/// `rye permissions` shows the same chain, signed or not, and says what cuts a grant.
#[test]
fn the_chain_is_shown_with_what_it_cuts() {
    let world = World::new();
    world.extended("root", "", "", "<execute><tool>rye.file-system.read</tool></execute>");
    world.extended("work", "root", "", FILES);
    let ctx = world.context(&[]);
    let session = Session::open(&ctx).unwrap();
    let shown = permissions::permissions(session.project(), &"demo/work".parse().unwrap(), None).unwrap();
    assert_eq!(json!(shown.chain), json!(["demo/work", "demo/root"]));
    let calls: Vec<_> = shown.calls.iter().map(|call| (call.capability.as_str(), call.status)).collect();
    assert_eq!(calls, [("rye.execute.tool.rye.file-system.*", permissions::Status::Partly)]);
}
