//! Secrets stay out of a thread: of what the model is sent, of the log, of every object in the repository.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use rye::event::{CallStatus, EventData};
use serde_json::{Value, json};

use super::providers::{ANTHROPIC, anthropic, run as run_on, world as remote_world};
use super::world::{World, call, result_in_turn, text, write};
use crate::support::http::Server;

/// The value of a secret of the person's.
const BOUND: &str = "geheim-und-lang-genug";

/// A fake token, in two parts: no file of the project contains it whole.
const PARTS: (&str, &str) = ("ghp", "_Qa7Xb2Yc9Zd4We6Rf1Tg8Uh3Vi5PjOkNlMm0");

fn token() -> String {
    [PARTS.0, PARTS.1].concat()
}

/// A world with a tool that says both, and a person with a secret in a file.
fn world() -> World {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.*</tool><tool>demo.leak</tool></execute>
        <write resource="filesystem" path="notes/**" />"#;
    world.directive(permissions, r#"turns="9" tokens="400000" spend="1.00""#, "");
    let (one, two) = BOUND.split_at(7);
    world.tool("demo/leak", &format!("printf 'a: %s%s\\nb: %s%s\\n' '{}' '{}' '{one}' '{two}'", PARTS.0, PARTS.1));
    let file = world.path("home/.config/rye/secrets/OPENAI_API_KEY");
    world.write_at(&file, BOUND);
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    world.commit("items");
    world
}

/// Returns all that git and the log hold, decompressed.
fn everything(world: &World) -> Vec<u8> {
    let mut bytes = world.try_git_in(world.project, &["cat-file", "--batch-all-objects", "--batch"]).stdout;
    assert!(bytes.len() > 1000);
    let mut folders: Vec<PathBuf> = vec![world.in_project(".git/rye"), world.path("home/.local")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                bytes.extend(std::fs::read(path).unwrap());
            }
        }
    }
    bytes
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn no_secret_is_on_record_wherever_it_came_from() {
    let world = world();
    let secret = token();
    let outcome = world.run(&[
        call("demo_leak", json!({})),
        json!({"text": format!("It says {secret} and {BOUND}."), "reasoning": format!("So {secret}?"),
            "calls": [{"name": "rye_file_system_read", "input": {"path": format!("notes/{secret}")}},
                {"name": "no_such_tool", "input": {"password": "tr0ub4dor&3", "nested": [secret]}}]}),
        text("Done."),
    ]);
    let all = everything(&world);
    for secret in [secret.as_str(), BOUND, "tr0ub4dor&3"] {
        assert!(!holds(&all, secret), "{secret} is on record");
    }
    let events = world.events(&outcome);
    let output = result_in_turn(&events, 1)["output"].to_string();
    assert!(
        output.contains("[redacted: github token]") && output.contains("[redacted: value of OPENAI_API_KEY]"),
        "{output}"
    );
    let shown = |wanted: &str| events.iter().any(|event| serde_json::to_string(&event.what).unwrap().contains(wanted));
    for wanted in
        ["So [redacted: github token]?", "It says [redacted: github token] and", "[redacted: assigned password]"]
    {
        assert!(shown(wanted), "{wanted}");
    }
}

#[test]
fn large_results_are_redacted_before_they_are_kept() {
    let world = world();
    let script = format!(
        "for i in $(seq 3000); do printf 'line %s of a long text: %s%s\\n' $i '{}' '{}'; done",
        PARTS.0, PARTS.1
    );
    world.tool("demo/leak", &script);
    world.commit("a tool that says much");
    let outcome = world.run(&[call("demo_leak", json!({})), text("Done.")]);
    assert!(!holds(&everything(&world), &token()));
    let artifact = world.events(&outcome).into_iter().find_map(|event| match event.what {
        EventData::ToolCallResult { artifact, .. } => artifact,
        _ => None,
    });
    assert!(
        world.thread_file(&outcome, &format!("artifacts/{}", artifact.unwrap())).contains("[redacted: github token]")
    );
}

/// A file is the person's business: it holds what the model wrote. The record of the call does not.
#[test]
fn a_file_gets_what_the_model_wrote_and_the_record_the_mark() {
    let world = world();
    let content = format!("test_token = \"{}\"\n", token());
    let outcome = world.run(&[write("notes/test.py", &content), text("Done.")]);
    assert_eq!(world.in_thread(&outcome, "notes/test.py").as_deref(), Some(content.as_str()));
    let log = serde_json::to_string(&world.events(&outcome)).unwrap();
    assert!(!log.contains(&token()) && log.contains("[redacted: github token]"), "{log}");
    assert!(!world.thread_file(&outcome, "transcript.md").contains(&token()));
}

/// A model that writes back what it read would write the mark over the secret.
#[test]
fn a_mark_is_not_written_over_a_secret_nor_handed_to_a_tool() {
    let world = world();
    let mark = "[redacted: github token]";
    let secret = format!("token = \"{}\"\n", token());
    world.write("notes/config.toml", &secret);
    world.write("notes/about.md", &format!("Shown as {mark}.\n"));
    world.commit("a secret that its person committed");
    let outcome = world.run(&[
        call("rye_file_system_read", json!({"path": "notes/config.toml"})),
        write("notes/config.toml", &format!("token = \"{mark}\"\nx = 1\n")),
        write("notes/about.md", &format!("It is shown as {mark}.\n")),
        call("demo_leak", json!({"token": mark})),
        text("Done."),
    ]);
    let events = world.events(&outcome);
    assert!(result_in_turn(&events, 1)["output"]["content"].as_str().unwrap().contains(mark));
    for turn in [2, 4] {
        let result = result_in_turn(&events, turn);
        assert_eq!(
            (&result["status"], &result["output"]["error"]["code"]),
            (&json!("error"), &json!("redacted")),
            "{result}"
        );
    }
    assert_eq!(result_in_turn(&events, 3)["status"], json!(CallStatus::Ok));
    assert_eq!(world.in_thread(&outcome, "notes/config.toml").as_deref(), Some(secret.as_str()));
    assert_eq!(world.in_thread(&outcome, "notes/about.md"), Some(format!("It is shown as {mark}.\n")));
}

/// What a provider signed goes back unchanged, or not at all.
#[test]
fn signed_reasoning_that_holds_a_secret_is_not_kept() {
    let world = remote_world();
    let secret = token();
    let thinking = vec![
        (
            "content_block_start",
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": secret, "signature": "SIGNED"}}),
        ),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
        (
            "content_block_start",
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "rye_file_system_list", "input": {}}}),
        ),
        ("content_block_stop", json!({"type": "content_block_stop", "index": 1})),
    ];
    let server = Server::new(vec![anthropic(thinking, "tool_use"), (ANTHROPIC.text)("Done.")]);
    let (code, outcome, told) = run_on(&world, &server, &ANTHROPIC, &[]);
    assert_eq!(code, 0, "{told}{outcome}");
    let again = server.asked()[1].body.to_string();
    assert!(!again.contains(&secret) && !again.contains("SIGNED") && again.contains("toolu_1"), "{again}");
    assert!(!holds(&everything(&world), &secret));
    world.check(&world.shown(&outcome));
}

/// A secret that a person gives as an input is in no prompt either.
#[test]
fn inputs_and_prompts_are_redacted() {
    let world = world();
    let path = world.in_project(".ai/directives/demo/work.md");
    let text_of = std::fs::read_to_string(&path).unwrap();
    let inputs = "<inputs><input name=\"note\" type=\"string\" required=\"true\">A note</input>\
                  <input name=\"api_key\" type=\"string\" required=\"true\">A key</input></inputs>\n</directive>";
    let changed = text_of
        .replacen("</directive>", inputs, 1)
        .replace("Work.</step>", "Work with {input:note} and {input:api_key}.</step>");
    world.write_at(&path, &changed);
    let signed = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    world.commit("inputs");
    let key = "Tg8Uh3Vi5PjOkNQa7Xb2Yc9Zd4We6Rf1";
    let mut options = world.options(&[text("Done.")]);
    options.given.pairs = vec![("note".to_owned(), format!("see {}", token())), ("api_key".to_owned(), key.to_owned())];
    let outcome = world.try_run(&options).unwrap();
    let all = everything(&world);
    assert!(!holds(&all, &token()) && !holds(&all, key));
    let record: Value = serde_json::from_str(&world.thread_file(&outcome, "thread.json")).unwrap();
    assert_eq!(
        record["inputs"],
        json!({"note": "see [redacted: github token]", "api_key": "[redacted: assigned key]"})
    );
    assert!(world.thread_file(&outcome, "setup.json").contains("see [redacted: github token]"));
}
