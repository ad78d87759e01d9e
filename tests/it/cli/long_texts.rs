//! Values that are named many times: the filled text has a bound, wherever a directive is filled in.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::mcp::client::Client;
use crate::support::Sandbox;

/// Where a directive names its input: in the text, in a parameter, or a few times in both.
const PLACES: [(&str, &str); 3] = [
    ("text", "<step name=\"s\"><description>MANY</description></step>"),
    (
        "parameter",
        "<step name=\"s\"><description>x</description><execute item_type=\"tool\" item_id=\"demo/echo\"><param \
         name=\"text\">MANY</param></execute></step>",
    ),
    ("few of each", "<step name=\"s\"><description>{input:name}{input:name}{input:name}</description></step>"),
];

/// A sandbox with a directive whose process is `steps`.
fn with_process(steps: &str) -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/directives/demo/greet.md", &directive("", steps));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.commit("first");
    sandbox
}

fn directive(context: &str, steps: &str) -> String {
    format!(
        "# Greet\n\n```xml\n<directive name=\"greet\" version=\"1.0.0\">\n<metadata><description>Greets</description>\
         <category>demo</category><author>ada</author><model tier=\"steps\" /><limits turns=\"9\" tokens=\"200000\" \
         spend=\"0.05\" />{context}<permissions><execute><tool>demo.echo</tool></execute></permissions></metadata>\n\
         <inputs><input name=\"name\" type=\"string\" default=\"x\">Whom</input></inputs>\n</directive>\n```\n\n\
         <process>\n{steps}\n</process>\n"
    )
}

fn code(mut answer: Value) -> String {
    answer["error"]["code"].take().as_str().unwrap_or_default().to_owned()
}

fn json(sandbox: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_slice(&sandbox.rye(args).stdout()).unwrap()
}

#[test]
fn a_long_value_that_is_named_many_times_is_an_error_and_not_gigabytes() {
    for (place, steps) in PLACES {
        let sandbox = with_process(&steps.replace("MANY", &"{input:name} ".repeat(4_000)));
        let inputs = sandbox.path("inputs.json");
        std::fs::write(&inputs, json!({"name": "A".repeat(1_000_000)}).to_string()).unwrap();
        let inputs = format!("@{}", inputs.display());
        let asked = ["execute", "directive", "demo/greet", "--inputs", &inputs, "--json"];
        assert_eq!(code(json(&sandbox, &asked)), "text-too-long", "{place}");
        assert_eq!(code(json(&sandbox, &[&asked[..], &["--dry-run"]].concat())), "text-too-long", "{place}");
        let run = ["thread", "run", "demo/greet", "--inputs", &inputs, "--json"];
        assert_eq!(code(json(&sandbox, &run)), "text-too-long", "{place}");
        let short = ["execute", "directive", "demo/greet", "-i", "name=ada", "-q"];
        sandbox.rye(&short).succeeds();
    }
}

#[test]
fn a_model_gets_an_error_for_a_long_value_that_is_named_many_times() {
    let sandbox = with_process(&PLACES[0].1.replace("MANY", &"{input:name} ".repeat(4_000)));
    let mut client = Client::connected(&sandbox, &[]);
    let long =
        json!({"item_type": "directive", "item_id": "demo/greet", "parameters": {"name": "A".repeat(1_000_000)}});
    assert_eq!(client.refusal("rye_execute", long), "text-too-long");
}

#[test]
fn the_context_of_a_directive_has_a_bound_in_all() {
    let sandbox = Sandbox::with_items();
    let mut context = String::from("<context>");
    for number in 0..5 {
        let notes = include_str!("../support/items/notes.md").replace("name: notes", &format!("name: long{number}"));
        let text = notes.replace("are short.", &"are long. ".repeat(95_000));
        sandbox.put(&format!(".ai/knowledge/demo/long{number}.md"), &text);
        write!(context, "<system>demo/long{number}</system>").unwrap();
    }
    context.push_str("</context>");
    let steps = "<step name=\"s\"><description>{input:name}</description></step>";
    sandbox.put(".ai/directives/demo/greet.md", &directive(&context, steps));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let asked = ["execute", "directive", "demo/greet", "--json"];
    assert_eq!(code(json(&sandbox, &asked)), "context-too-long");
    sandbox.edit(".ai/directives/demo/greet.md", "<system>demo/long4</system>", "");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert_eq!(code(json(&sandbox, &asked)), "");
}
