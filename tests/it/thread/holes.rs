//! Holes of the threat model that only a whole thread can show to be closed.

use rye::capability::{Token, TokenChain};
use rye::event::EventData;
use rye::id::{ItemType, Timestamp};
use rye::keys::{KeyName, KeyStore};
use rye::ops::execute::{self, Bounds, Given};
use rye::ops::locate::LocateError;
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{Error, Outcome, Status};
use rye::trust::Fault;
use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, call, directive, result_in_turn, text, tool};

/// A provider document that would answer by the directive's steps.
const FOREIGN: &str = "tool_type: provider\nversion: \"1.0.0\"\ncategory: CATEGORY\ndescription: Foreign\nplugin: steps\n\
    tiers:\n  scripted: foreign\n  work: foreign\npricing:\n  foreign:\n    input_per_million: \"0\"\n    output_per_million: \"0\"\n";

fn foreign(category: &str) -> String {
    FOREIGN.replace("CATEGORY", category)
}

/// Hole 4: an unsigned project provider received the key. Here a signed one does not count either.
#[test]
fn a_project_s_provider_is_never_used() {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    world.write(".ai/tools/demo/foreign.yaml", &foreign("demo"));
    world.write(&format!(".ai/tools/{SCRIPTED}.yaml"), &foreign("rye/agent/providers"));
    world.sign(KeyName::Person, "demo/foreign");
    world.sign(KeyName::Person, SCRIPTED);
    let said = json!({"text": "Done.", "expect": {"system_contains": ["You follow the directive work: Work"]}});
    for config in ["", "[items]\nshadow_reserved = true\n"] {
        world.write_at(&world.path("home/.config/rye/config.toml"), config);
        for provider in [Some(SCRIPTED), None] {
            let mut options = world.options(std::slice::from_ref(&said));
            options.provider = provider.map(|id| id.parse().unwrap());
            let outcome = world.try_run(&options).unwrap();
            assert_eq!((outcome.status, outcome.model.as_str()), (Status::Completed, "scripted"));
        }
    }
    let mut named = world.options(&[]);
    named.provider = Some("demo/foreign".parse().unwrap());
    let Err(Error::NotAProvider { provider, reason }) = world.try_run(&named) else { panic!("it was used") };
    assert_eq!(provider.as_str(), "demo/foreign");
    assert!(reason.unwrap().starts_with("a project's items never count as providers"));
    world.write(
        ".ai/directives/demo/work.md",
        &directive("work", FILES, r#"turns="3""#, "").replace("tier=\"scripted\"", "tier=\"work\""),
    );
    world.sign(KeyName::Person, "demo/work");
    let mut by_tier = world.options(&[]);
    by_tier.provider = None;
    let Err(Error::NoProvider { what, known, .. }) = world.try_run(&by_tier) else { panic!("a provider was found") };
    assert_eq!(what, "tier `work`");
    assert!(known.iter().all(|tier| !tier.contains("foreign")), "{known:?}");
}

#[test]
fn a_user_s_provider_counts_when_it_is_signed_and_its_id_is_not_reserved() {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    world.write_at(&world.path(&format!("home/.ai/tools/{SCRIPTED}.yaml")), &foreign("rye/agent/providers"));
    world.sign(KeyName::Person, SCRIPTED);
    assert_eq!(world.run(&[text("Done.")]).model, "scripted");

    world.write_at(&world.path("home/.ai/tools/mine/own.yaml"), &foreign("mine"));
    let mut options = world.options(&[text("Done.")]);
    options.provider = None;
    assert_eq!(world.try_run(&options).unwrap().model, "scripted", "an unsigned one does not count");
    world.sign(KeyName::Person, "mine/own");
    options.script = None;
    let outcome = world.try_run(&options).unwrap();
    assert_eq!((outcome.model.as_str(), outcome.provider.as_str()), ("foreign", "mine/own"));
}

#[test]
fn a_project_s_libraries_are_never_looked_at() {
    let world = World::new();
    world.tool("demo/one", "echo fine");
    world.directive("<execute><tool>demo.one</tool></execute>", r#"turns="3""#, "");
    for folder in [".", "deps", "lib/rye", "target/debug", "target/debug/deps", ".ai/plugins", ".rye"] {
        for name in ["provider_scripted", "tool_script", "provider_steps"] {
            let library =
                format!("{folder}/{}rye_{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
            world.write(&library, "no library");
        }
    }
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(result_in_turn(&world.events(&outcome), 1), json!({"status": "ok", "output": "fine"}));
}

/// Hole 6: permission was checked on the id the model wrote, and dispatch went by the tool's name.
#[test]
fn a_tool_that_is_not_permitted_runs_under_no_name() {
    let world = World::new();
    world.tool("demo/shell", "touch shell_was_here");
    world.directive("<execute><tool>rye.file-system.read</tool></execute>", r#"turns="9""#, "");
    let item = json!({"item_type": "tool", "item_id": "demo/shell"});
    let disguised = json!({"item_type": "tool", "item_id": "demo/shell", "tool": "rye/file-system/read", "name": "rye_file_system_read"});
    let outcome = world.run(&[
        call("demo_shell", json!({"item_type": "tool", "item_id": "rye/file-system/read"})),
        call("rye_execute", item),
        call("rye_execute", disguised),
        call("rye_file_system_read", json!({"path": "README.md", "item_type": "tool", "item_id": "demo/shell"})),
        text("Done."),
    ]);
    let events = world.events(&outcome);
    let status = |turn| result_in_turn(&events, turn)["status"].as_str().unwrap().to_owned();
    // The disguise has arguments that `rye_execute` does not take, so it is not a call at all.
    assert_eq!([1, 2, 3, 4].map(status), ["denied", "denied", "error", "error"]);
    let denials = events.iter().filter(|event| matches!(event.what, EventData::PermissionDenied { .. }));
    assert_eq!(denials.map(|event| event.turn).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(world.in_thread(&outcome, "shell_was_here"), None);
    assert_eq!(outcome.status, Status::Completed);
}

fn chain(world: &World, outcome: &Outcome, change: impl FnOnce(&mut Value)) -> Result<TokenChain, String> {
    let agent = KeyStore::new(&world.context(&[])).unwrap().find_public(KeyName::Agent).unwrap().unwrap();
    let mut value: Value = serde_json::from_str(&world.thread_file(outcome, "token.json")).unwrap();
    change(&mut value);
    let tokens: Vec<Token> = serde_json::from_value(value).map_err(|error| error.to_string())?;
    TokenChain::verify(tokens, &agent, outcome.started_at).map_err(|error| error.to_string())
}

/// Hole 10: the token was dead code. Here it is on the branch, it is the checked one, and no member can be changed.
#[test]
fn the_token_of_a_thread_verifies_and_every_change_of_it_is_seen() {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    let outcome = world.run(&[text("Done.")]);
    let whole = chain(&world, &outcome, |_| ()).unwrap();
    let claims = whole.tokens()[0].claims();
    assert_eq!((&claims.thread_id, &claims.directive.id), (&outcome.thread_id, &outcome.directive));
    assert_eq!(
        claims.capabilities.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
        ["rye.execute.tool.rye.file-system.*"]
    );
    assert_eq!(claims.limits["turns"], "3");
    let events = world.events(&outcome);
    let EventData::ThreadStart { token, .. } = &events[0].what else { panic!("{:?}", events[0]) };
    assert_eq!(*token, whole.tokens()[0].sha256().to_string());

    let members: Vec<String> = match serde_json::to_value(&whole.tokens()[0]).unwrap() {
        Value::Object(members) => members.keys().cloned().collect(),
        _ => panic!("a token is an object"),
    };
    assert_eq!(members.len(), 11, "{members:?}");
    let late = Timestamp::from_milliseconds(4_000_000_000_000);
    for member in members {
        let tampered = chain(&world, &outcome, |tokens| {
            let value = &mut tokens[0][&member];
            *value = match member.as_str() {
                "v" => json!(2),
                "thread_id" => json!("other-20260101-000000-aaaaaaaa"),
                "directive" => json!({"id": "demo/other", "version": value["version"], "sha256": value["sha256"]}),
                "capabilities" => json!(["rye.*"]),
                "paths" => json!({"read": [], "write": ["**"]}),
                "limits" => json!({"turns": "99"}),
                "parent" => value_of_hash(),
                "issued_at" | "expires_at" => json!(late),
                "key_id" => json!("0000000000000000"),
                _ => json!("A".repeat(86) + "=="),
            };
        });
        let sentence = tampered.err().unwrap_or_else(|| panic!("`{member}` can be changed"));
        assert!(sentence.contains("capability token"), "{member}: {sentence}");
    }
    assert!(chain(&world, &outcome, |tokens| *tokens = json!([])).is_err());
}

fn value_of_hash() -> Value {
    json!(rye::trust::ContentHash::of(b"other"))
}

/// Hole 31: a model signed its own work with the person's key.
#[test]
fn what_the_agent_signs_runs_in_its_thread_and_nowhere_else() {
    let world = World::new();
    let permissions = r#"<execute><tool>demo.made</tool><tool>rye.file-system.write</tool></execute><sign><tool>demo/made</tool></sign>"#;
    world.directive(permissions, r#"turns="9""#, "");
    world.commit("items");
    let made = json!({"item_type": "tool", "item_id": "demo/made"});
    let write =
        |echo: &str| call("rye_file_system_write", json!({"path": ".ai/tools/demo/made.sh", "content": tool(echo)}));
    let outcome = world.run(&[
        write("echo made"),
        call("rye_execute", made.clone()),
        call("rye_sign", made.clone()),
        call("rye_execute", made.clone()),
        write("echo changed after"),
        call("rye_execute", made.clone()),
        write("echo made"),
        call("rye_sign", made.clone()),
        text("Done."),
    ]);
    let events = world.events(&outcome);
    let results: Vec<Value> = (1..=8).map(|turn| result_in_turn(&events, turn)).collect();
    let status: Vec<_> = results.iter().map(|result| result["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["ok", "error", "ok", "ok", "ok", "error", "ok", "ok"], "{results:#?}");
    assert_eq!(results[3]["output"], "made");
    let made_file = vec![".ai/tools/demo/made.sh".to_owned()];
    assert_eq!(world.changed(&outcome)[3], made_file, "the signature line is in the commit of its turn");

    // Brought over by hand, it is an item that no person signed.
    let brought = world.in_thread(&outcome, ".ai/tools/demo/made.sh").unwrap();
    world.write(".ai/tools/demo/made.sh", &brought);
    let ctx = world.context(&[]);
    let options = execute::Options {
        item_type: ItemType::Tool,
        item_id: "demo/made".parse().unwrap(),
        given: Given::default(),
        dry_run: false,
    };
    let refused =
        execute::execute(&Session::open(&ctx).unwrap(), &options, &Bounds::usual(&CancelFlag::new())).unwrap_err();
    let execute::Error::Locate(LocateError::Refused { fault, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(fault.rule(), "RYE-S007", "{fault:?}");
    assert!(!matches!(fault, Fault::Unsigned));

    let next = world.run(&[call("rye_execute", made), text("Done.")]);
    let result = result_in_turn(&world.events(&next), 1);
    assert_eq!(result["status"], "error", "another thread does not take it over");
}

/// Hole 15: `max_turns` was signed, and failed when the thread ran. Either name of a limit is that limit.
#[test]
fn a_limit_counts_by_either_of_its_names() {
    let world = World::new();
    let list = || call("rye_file_system_list", json!({}));
    let cases = [(r#"turns="2""#, 2), (r#"max_turns="2""#, 2), (r#"tokens="5""#, 0), (r#"max_tokens="5""#, 0)];
    for (limits, turns) in cases {
        world.directive(FILES, limits, "");
        let outcome = world.run(&[list(), list(), list(), text("Done.")]);
        let code = outcome.error.map(|error| error.code);
        assert_eq!((outcome.status, code.as_deref(), outcome.turns), (Status::Error, Some("limit"), turns), "{limits}");
    }
}
