//! What a model is told: the provider's template, the steps with their calls, and what to return.

use rye::event::EventData;
use rye::keys::KeyName;
use rye::ops::execute::Given;
use rye::thread::{RunOptions, Status};
use serde_json::{Value, json};

use super::world::{World, call, text};

/// A provider of the person's own, whose template has every placeholder and some unknown ones.
const PROVIDER: &str = "tool_type: provider\nversion: \"1.0.0\"\ncategory: mine\ndescription: Tells all\n\
    plugin: scripted\ntiers:\n  scripted: told\npricing:\n  told:\n    input_per_million: \"0\"\n    \
    output_per_million: \"0\"\nprompts:\n  system_template: |\n    <<{directive_name}|{directive_description}|{directive_inputs}\n    \
    {tool_names}|{unknown}|{ directive_name }\n    {directive_steps}>>\n";

const WORK: &str = r#"# Work

```xml
<directive name="work" version="1.0.0">
  <metadata>
    <description>Report on a topic</description>
    <category>demo</category>
    <author>ada</author>
    <model tier="scripted" />
    <limits turns="3" />
    <permissions>
      <execute><tool>rye.file-system.*</tool></execute>
    </permissions>
  </metadata>
  <inputs>
    <input name="topic" type="string" required="true">What to report on</input>
    <input name="pages" type="integer" default="2">How long</input>
  </inputs>
  <outputs>
    <output name="path" from="write">Where the report is</output>
    <output name="remark" required="false">What else there is to say</output>
  </outputs>
</directive>
```

<process>
  <step name="think">Think of {input:topic}.</step>
  <step name="write">
    <description>Write it down.</description>
    <execute item_type="tool" item_id="rye/file-system/fs_write">
      <param name="path" value="out/{input:topic}.md" />
      <param name="content">{input:pages} pages</param>
    </execute>
  </step>
</process>
"#;

/// The tools that a prompt names: all those of files, and the end.
const FILE_TOOLS: &str = "rye_file_system_delete, rye_file_system_edit, rye_file_system_glob, rye_file_system_grep, \
    rye_file_system_list, rye_file_system_move, rye_file_system_read, rye_file_system_write, directive_return, rye_read_result";

fn world() -> World {
    let world = World::new();
    world.write(".ai/directives/demo/work.md", WORK);
    world.sign(KeyName::Person, "demo/work");
    world.write_at(&world.path("home/.ai/tools/mine/told.yaml"), PROVIDER);
    world.sign(KeyName::Person, "mine/told");
    world
}

fn about(world: &World, topic: &str, turns: &[Value]) -> RunOptions {
    let given = Given { pairs: vec![("topic".to_owned(), topic.to_owned())], ..Given::default() };
    RunOptions { given, provider: Some("mine/told".parse().unwrap()), ..world.options(turns) }
}

/// The steps with their calls, as the model's own tools are called.
fn steps(topic: &str) -> String {
    let call = json!({
        "tool": "rye_file_system_write",
        "input": {"path": format!("out/{topic}.md"), "content": "2 pages"},
    });
    format!("think: Think of {topic}.\n\nwrite: Write it down.\n```json\n{call}\n```\n")
}

#[test]
fn the_placeholders_of_a_provider_are_filled_in_once() {
    let world = world();
    // A value that looks like a placeholder is a value.
    for topic in ["signing", "{tool_names}"] {
        let inputs = json!({"topic": topic, "pages": 2});
        let tools = FILE_TOOLS;
        let told = format!(
            "<<work|Report on a topic|{inputs}\n{tools}|{{unknown}}|{{ directive_name }}\n{}>>\n",
            steps(topic)
        );
        let returned = json!({
            "calls": [{"name": "directive_return", "input": {"path": "out"}}], "expect": {"system_contains": [told]},
        });
        let outcome = world.try_run(&about(&world, topic, &[returned])).unwrap();
        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    }
}

#[test]
fn outputs_are_told_as_what_to_return() {
    let world = world();
    let returned = call("directive_return", json!({"path": "out/signing.md"}));
    let outcome = world.try_run(&about(&world, "signing", &[text("Thinking."), returned])).unwrap();
    let events = world.events(&outcome);
    let said = events.iter().find_map(|event| match &event.what {
        EventData::UserMessage { text } => Some(text.as_str()),
        _ => None,
    });
    let (_, after) = said.unwrap().split_once("</process>\n\n").unwrap();
    let returns = "<returns>\n  <output name=\"path\">Where the report is</output>\n  \
                   <output name=\"remark\">What else there is to say</output>\n</returns>";
    assert_eq!(after, format!("The steps and their calls:\n\n{}\n\n{returns}", steps("signing")));
    assert_eq!(outcome.outputs, json!({"path": "out/signing.md"}).as_object().cloned().unwrap());
}

/// Every part of the prompt, in its order: docs/formats.md, section 6, "What the model sees".
#[test]
fn a_whole_prompt_is_what_the_formats_say() {
    let world = world();
    for name in ["who", "rules", "more"] {
        world.knowledge(name, &format!("Text of {name}."));
    }
    let base = "<context><related_files>\n- a.rs\n- b.rs\n</related_files><system>demo/who</system></context>";
    world.extended("base", "", base, super::world::FILES);
    let model = "<model tier=\"scripted\">Weigh both sides\n      before you write.</model>";
    let context = "<context><related_files>\n- b.rs\n- c/\n</related_files><dependencies>\n- pytest>=7.0\n</dependencies>\
                   <before>demo/rules</before><after>demo/more</after></context>\n  </metadata>";
    let outputs = "<success>Reported on {input:topic}</success>\n    <failure>Not reported</failure>\n  </outputs>";
    let text = WORK
        .replace("version=\"1.0.0\"", "version=\"1.0.0\" extends=\"demo/base\"")
        .replace("<model tier=\"scripted\" />", model)
        .replace("</metadata>", context)
        .replace("</outputs>", outputs)
        .replace("Write it down.", "Write {step:think} down.");
    world.write(".ai/directives/demo/work.md", &text);
    world.sign(KeyName::Person, "demo/work");
    let returned = call("directive_return", json!({"path": "out", "success": "Reported."}));
    let outcome = world.try_run(&about(&world, "signing", &[returned])).unwrap();
    assert_eq!(json!(outcome.outputs), json!({"path": "out", "success": "Reported."}));

    let setup: Value = serde_json::from_str(&world.thread_file(&outcome, "setup.json")).unwrap();
    let steps = steps("signing").replace("Write it down.", "Write the result of step think down.");
    let tools = FILE_TOOLS;
    let inputs = json!({"topic": "signing", "pages": 2});
    let system = format!(
        "Text of who.\n\n<<work|Report on a topic|{inputs}\n{tools}|{{unknown}}|{{ directive_name }}\n{steps}>>\n\n\n\
         Weigh both sides before you write.\n\nProject: project\nDate: {} (UTC)\nPlatform: {} {}\n\
         Budget: 3 turns, 200000 tokens, 1.00 USD, 1800 s",
        world.log(&outcome, "%cs")[0],
        std::env::consts::OS,
        std::env::consts::ARCH,
    );
    assert_eq!(setup["system"], system);
    let body = "<process>\n  <step name=\"think\">Think of signing.</step>\n  <step name=\"write\">\n    \
                <description>Write the result of step think down.</description>\n    \
                <execute item_type=\"tool\" item_id=\"rye/file-system/fs_write\">\n      \
                <param name=\"path\" value=\"out/signing.md\" />\n      \
                <param name=\"content\">2 pages</param>\n    </execute>\n  </step>\n</process>";
    let returns = "<returns>\n  <output name=\"path\">Where the report is</output>\n  \
                   <output name=\"remark\">What else there is to say</output>\n  \
                   <output name=\"success\">Reported on signing</output>\n  \
                   <output name=\"failure\">Not reported</output>\n</returns>";
    let prompt = [
        "Text of rules.",
        body,
        &format!("The steps and their calls:\n\n{steps}"),
        "<related_files>\n- a.rs\n- b.rs\n- c/\n</related_files>",
        "<dependencies>\n- pytest>=7.0\n</dependencies>",
        returns,
        "Text of more.",
    ];
    assert_eq!(setup["prompt"], prompt.join("\n\n"));
}
