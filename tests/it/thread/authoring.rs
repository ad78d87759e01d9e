//! The built-in directives that write items: each runs to its end, writes only where it may, and the examples of the
//! format pages that they show to the model are valid. And the base that gives an agent its system prompt.

use rye::event::EventData;
use rye::ops::execute::Given;
use rye::thread::{Outcome, RunOptions, Status};
use serde_json::{Value, json};

use super::world::{FILES, NOTHING, World, call, calls, directive, result_in_turn, text, write};

const DIRECTIVE_FORMAT: &str = include_str!("../../../.ai/knowledge/rye/authoring/directive-format.md");
const TOOL_FORMAT: &str = include_str!("../../../.ai/knowledge/rye/authoring/tool-format.md");
const KNOWLEDGE_FORMAT: &str = include_str!("../../../.ai/knowledge/rye/authoring/knowledge-format.md");
const REFERENCE: &str = include_str!("../../../.ai/knowledge/rye/core/directive-metadata-reference.md");

/// A file written by one of the directives.
struct Written {
    directive: &'static str,
    /// Further inputs.
    inputs: &'static [(&'static str, &'static str)],
    item_type: &'static str,
    id: &'static str,
    path: &'static str,
    /// The output that names the path.
    output: &'static str,
    /// The page with the format, and the fence of the example in it.
    format: (&'static str, &'static str),
}

const DIRECTIVE: Written = Written {
    directive: "rye/core/create_directive",
    inputs: &[("description", "Summarize one file")],
    item_type: "directive",
    id: "docs/summarize_file",
    path: ".ai/directives/docs/summarize_file.md",
    output: "directive_path",
    format: (DIRECTIVE_FORMAT, "````markdown\n"),
};

const WRITTEN: [Written; 6] = [
    DIRECTIVE,
    Written {
        directive: "rye/core/create_advanced_directive",
        inputs: &[("description", "Summarize one file"), ("hooks", "none")],
        ..DIRECTIVE
    },
    Written {
        directive: "rye/core/create_threaded_directive",
        inputs: &[
            ("description", "Summarize one file"),
            ("complexity", "simple"),
            ("permissions_needed", "read files below docs/"),
        ],
        ..DIRECTIVE
    },
    Written {
        directive: "rye/core/create_tool",
        inputs: &[("description", "Count the words of a text")],
        item_type: "tool",
        id: "text/count_words",
        path: ".ai/tools/text/count_words.py",
        output: "tool_path",
        format: (TOOL_FORMAT, "```python\n"),
    },
    Written {
        directive: "rye/core/create_tool",
        inputs: &[("description", "Show the last commits"), ("extension", "sh")],
        item_type: "tool",
        id: "git/last_commits",
        path: ".ai/tools/git/last_commits.sh",
        output: "tool_path",
        format: (TOOL_FORMAT, "```sh\n"),
    },
    Written {
        directive: "rye/core/create_knowledge",
        inputs: &[("title", "How we release"), ("content", "On Tuesdays, from main")],
        item_type: "knowledge",
        id: "team/release-steps",
        path: ".ai/knowledge/team/release-steps.md",
        output: "knowledge_path",
        format: (KNOWLEDGE_FORMAT, "````markdown\n"),
    },
];

impl Written {
    /// The example of the format's page.
    fn example(&self) -> &'static str {
        let (page, fence) = self.format;
        let (_, example) = page.split_once(&format!("\n{fence}")).unwrap();
        let closing = format!("\n{}", fence.trim_end_matches(|letter: char| letter != '`'));
        &example[..=example.find(&closing).unwrap()]
    }

    fn item(&self) -> Value {
        json!({"item_type": self.item_type, "item_id": self.id})
    }

    fn run(&self, world: &World, turns: &[Value]) -> Outcome {
        let (category, name) = self.id.rsplit_once('/').unwrap();
        let inputs = [&[("name", name), ("category", category)], self.inputs].concat();
        let pairs = inputs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let options = RunOptions {
            directive: self.directive.parse().unwrap(),
            given: Given { pairs, ..Given::default() },
            ..world.options(turns)
        };
        world.try_run(&options).unwrap()
    }
}

#[test]
fn what_the_directives_write_is_accepted_and_valid() {
    for written in &WRITTEN {
        let world = World::new();
        let title = written.format.0.lines().find(|line| line.starts_with("# ")).unwrap();
        let (first, example) = (written.id.rsplit('/').next().unwrap(), written.example());
        let mut look = calls(&[
            ("rye_load", written.item()),
            ("rye_search", json!({"item_type": written.item_type, "query": first})),
        ]);
        look["expect"] = json!({
            "contains": [title],
            "tools": ["directive_return", "rye_file_system_write", "rye_load", "rye_read_result", "rye_search", "rye_sign"],
        });
        let returned = json!({written.output: written.path, "signed": true});
        let turns = [
            look,
            write(written.path, &example.replace("1.0.0", "1.0")),
            call("rye_sign", written.item()),
            write(written.path, example),
            call("rye_sign", written.item()),
            call("directive_return", returned.clone()),
        ];
        let outcome = written.run(&world, &turns);
        assert_eq!(outcome.status, Status::Completed, "{}: {:?}", written.directive, outcome.error);
        assert_eq!(json!(outcome.outputs), returned);
        let events = world.events(&outcome);
        let status = |turn| result_in_turn(&events, turn)["status"].clone();
        assert_eq!([status(1), status(3), status(5)], ["error", "error", "ok"], "{}", written.directive);
        // A model cannot request another check.
        let findings = &result_in_turn(&events, 3)["output"]["error"]["findings"];
        assert!(findings[0]["rule"].is_string() && findings[0]["message"].is_string(), "{findings}");
        let signed = world.in_thread(&outcome, written.path).unwrap();
        let lines = signed.lines().filter(|line| !line.contains("rye:signed:")).collect::<Vec<_>>();
        assert_eq!(lines, example.lines().collect::<Vec<_>>());

        let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
        assert_eq!(code, 0, "{accepted}");
        let (code, verified) = world.rye_json(&["verify"]);
        assert_eq!(code, 0, "{verified}");
        let (_, linted) = world.rye_json(&["lint", "--profile", "thread"]);
        assert_eq!(linted, json!({"status": "ok", "checked": 1, "findings": []}), "{}", written.directive);
    }
}

#[test]
fn the_directives_write_and_sign_one_type_of_item_alone() {
    for written in &WRITTEN {
        let world = World::new();
        let elsewhere = if written.item_type == "tool" { "directives/a.md" } else { "tools/a.sh" };
        let other = if written.item_type == "tool" { "directive" } else { "tool" };
        let turns = [
            write("README.md", "x"),
            write(&format!(".ai/{elsewhere}"), "x"),
            write(".ai/config.toml", "x"),
            call("rye_sign", json!({"item_type": other, "item_id": "demo/a"})),
            call("rye_execute", json!({"item_type": "tool", "item_id": "rye/file-system/list"})),
            call("directive_return", json!({written.output: written.path, "signed": false, "remarks": "Denied."})),
        ];
        let outcome = written.run(&world, &turns);
        assert_eq!(outcome.status, Status::Completed, "{}: {:?}", written.directive, outcome.error);
        let events = world.events(&outcome);
        for turn in 1..=5 {
            assert_eq!(result_in_turn(&events, turn)["status"], "denied", "{} in turn {turn}", written.directive);
        }
        assert_eq!(world.changed(&outcome).concat(), Vec::<String>::new());
    }
}

/// The tools of the format's page do what the page says.
#[test]
fn the_example_tools_run() {
    if !crate::support::has("python3") {
        return;
    }
    let world = World::new();
    for written in WRITTEN.iter().filter(|written| written.item_type == "tool") {
        world.write(written.path, written.example());
        world.sign(rye::keys::KeyName::Person, written.id);
    }
    let result = |args: &[&str]| {
        let output = world.rye(&[&["execute", "tool"], args].concat()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let (code, words) = result(&["text/count_words", "-i", "text=one two"]);
    assert_eq!((code, serde_json::from_str::<Value>(&words).unwrap()), (Some(0), json!({"words": 2})));
    assert_eq!(result(&["git/last_commits"]), (Some(0), "first".to_owned()));
}

/// The blocks that the reference shows are metadata of one directive, and nothing is wrong with it but its description.
#[test]
fn the_blocks_of_the_reference_are_valid() {
    let world = World::new();
    let blocks = REFERENCE.split("\n```xml\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0);
    let blocks = blocks.collect::<Vec<_>>().join("\n").replace("team/", "demo/");
    let work =
        directive("work", "", r#"turns="5""#, "").replace(&format!("<permissions>{NOTHING}</permissions>"), &blocks);
    let inputs = "</metadata>\n  <inputs><input name=\"resource\" type=\"string\" /></inputs>\n";
    let report = directive("report_denial", FILES, r#"turns="5""#, "")
        .replace("</metadata>\n", inputs)
        .replace("Work.</step>", "Report {input:resource?}.</step>");
    world.write(".ai/directives/demo/work.md", &work);
    world.write(".ai/directives/demo/report_denial.md", &report);
    world.knowledge("finish_early", "Finish.");
    let (code, linted) = world.rye_json(&["lint", "--profile", "thread"]);
    let rules: Vec<&Value> = linted["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]).collect();
    assert_eq!((code, rules), (0, vec![&json!("RYE-D043")]), "{linted}");
}

#[test]
fn the_base_of_an_agent_gives_its_identity_and_the_four_actions() {
    let world = World::new();
    world.extended("work", "rye/agent/core/base", "", FILES);
    let expected = json!({"system_contains": [
        "You are an agent.", "`rye_execute` uses", "`rye_search` finds", "`rye_load` reads", "`rye_sign` checks",
    ]});
    let injected = |outcome: &Outcome| -> Vec<String> {
        let id = |event: &rye::event::Event| match &event.what {
            EventData::ContextInjected { item_id, .. } => Some(item_id.to_string()),
            _ => None,
        };
        world.events(outcome).iter().filter_map(id).collect()
    };
    let outcome = world.run(&[json!({"text": "Done.", "expect": expected})]);
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    let [identity, execute, search, load, sign] = [
        "rye/agent/core/identity",
        "rye/primary-tools/rye_execute",
        "rye/primary-tools/rye_search",
        "rye/primary-tools/rye_load",
        "rye/primary-tools/rye_sign",
    ];
    assert_eq!(injected(&outcome), [identity, execute, search, load, sign]);
    // It grants nothing and narrows nothing: there is one token, the leaf's.
    let tokens: Value = serde_json::from_str(&world.thread_file(&outcome, "token.json")).unwrap();
    assert_eq!((tokens.as_array().unwrap().len(), &tokens[0]["directive"]["id"]), (1, &json!("demo/work")));

    let without = format!("<context><suppress>{sign}</suppress><suppress>{search}</suppress></context>");
    world.extended("work", "rye/agent/core/base", &without, FILES);
    let outcome = world.run(&[text("Done.")]);
    assert_eq!(injected(&outcome), [identity, execute, load]);
}
