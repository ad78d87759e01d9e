//! Whatever can be wrong before a thread begins is found before anything is written, and said with an exit code.

use serde_json::{Value, json};

use super::world::{FILES, SCRIPTED, World, directive};

/// Runs the program; it must refuse, and leave no trace in the repository. Returns the exit code and the error.
fn refused(world: &World, args: &[&str]) -> (i32, Value) {
    let before = (world.untouched(), world.git(&["count-objects", "-v"]));
    let (code, shown) = world.rye_json(&[&["thread", "run"], args].concat());
    assert_eq!((world.untouched(), world.git(&["count-objects", "-v"])), before, "{shown}");
    assert!(!world.in_project(".git/rye").exists(), "a log was begun: {shown}");
    assert_eq!(world.git(&["for-each-ref", "refs/heads/rye"]), "");
    (code, shown["error"].clone())
}

fn message(error: &Value) -> &str {
    error["message"].as_str().unwrap()
}

#[test]
fn an_unsigned_edit_that_raises_a_permission_is_refused() {
    let world = World::new();
    world.directive(FILES, r#"turns="3""#, "");
    let path = world.in_project(".ai/directives/demo/work.md");
    let signed = std::fs::read_to_string(&path).unwrap();
    let script = world.script(&[]).display().to_string();
    let args = ["demo/work", "--provider", SCRIPTED, "--script", &script];
    let edits = [
        signed.replace(FILES, "*"),
        signed.replace("rye.file-system.*", "*"),
        signed.replace("turns=\"3\"", "turns=\"300\""),
        signed.replace("<step name=\"work\">Work.", "<step name=\"work\">Work more."),
    ];
    for edit in edits {
        assert_ne!(edit, signed);
        std::fs::write(&path, edit).unwrap();
        let (code, error) = refused(&world, &args);
        assert_eq!(code, 3, "{error}");
        assert!(message(&error).starts_with("directive `demo/work` is refused: "), "{error}");
        assert_ne!(error["hints"], json!([]));
    }
    std::fs::write(&path, directive("work", "*", r#"turns="3""#, "")).unwrap();
    assert_eq!(refused(&world, &args).0, 3, "an unsigned one is refused too");
}

#[test]
fn ids_inputs_providers_and_files_are_checked_first() {
    let world = World::new();
    let text = directive("work", FILES, r#"turns="3""#, "");
    let inputs = "<inputs><input name=\"who\" type=\"string\" required=\"true\">Whom</input></inputs>\n</directive>";
    world.write(".ai/directives/demo/work.md", &text.replace("</directive>", inputs));
    world.sign(rye::keys::KeyName::Person, "demo/work");
    let scripted = ["--provider", SCRIPTED, "--script"];
    let script = world.script(&[]).display().to_string();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["demo/wrok"], 1, "unknown directive `demo/wrok`"),
        (
            &["demo/work"],
            2,
            "invalid inputs for directive `demo/work`: missing required input `who`; declared are `who`",
        ),
        (
            &["demo/work", "-i", "who=x", "-i", "whom=y"],
            2,
            "invalid inputs for directive `demo/work`: unknown input `whom` (did you mean `who`?); declared are `who`",
        ),
        (&["demo/work", "-i", "who=x", "--provider", "demo/none"], 1, "unknown provider `demo/none`"),
        (&["demo/work", "-i", "who=x", "--model", "gpt"], 1, "no provider serves the model `gpt`"),
        (&["demo/work", "-i", "who=x", "--provider", SCRIPTED, "--model", "gpt"], 1, "the price of model `gpt`"),
        (&["demo/work", "-i", "who=x", "--limit", "spend=1EUR"], 2, "a limit or a price is in EUR, another in USD"),
        (&["demo/work", "-i", "who=x", "--provider", SCRIPTED, "--script", "none.jsonl"], 2, "cannot read `"),
    ];
    for (args, expected, sentence) in cases {
        let (code, error) = refused(&world, args);
        assert!(message(&error).starts_with(sentence), "{args:?}: {error}");
        assert_eq!(code, expected, "{args:?}: {error}");
        assert_ne!(
            error["hints"].as_array().map(Vec::len).unwrap_or_default()
                + error["causes"].as_array().map(Vec::len).unwrap_or_default(),
            0,
            "{error}"
        );
    }
    let (code, outcome) =
        world.rye_json(&[&["thread", "run", "demo/work", "-i", "who=x"], &scripted[..], &[&script]].concat());
    assert_eq!(
        (code, &outcome["error"]["code"]),
        (6, &json!("provider")),
        "an empty script answers nothing: {outcome}"
    );
}

#[test]
fn a_directive_that_is_no_thread_is_not_valid_for_one() {
    let world = World::new();
    let text = directive("work", FILES, r#"turns="3""#, "").replace("<limits turns=\"3\" />", "");
    world.write(".ai/directives/demo/work.md", &text);
    world.sign(rye::keys::KeyName::Person, "demo/work");
    let (code, error) = refused(&world, &["demo/work"]);
    assert_eq!((code, message(&error)), (2, "directive `demo/work` is not valid"));
}
