//! The complete example of the authoring document (001), in words of our own: its hooks act as they are written there, with no
//! permission but the example's own.

use rye::event::{CallStatus, EventData};
use rye::keys::KeyName;
use serde_json::json;

use super::providers::{ANTHROPIC, KEY};
use super::world::{FILES, NOTHING, World, call, directive, text};
use crate::support::http::{Piece, Reply, Server};

const EXAMPLE: &str = r#"# Deploy and Test

Deploy to staging and test it there.

```xml
<directive name="deploy_and_test" version="1.0.0">
  <metadata>
    <description>Deploy to staging and run the integration tests</description>
    <category>workflows</category>
    <author>devops</author>
    <model tier="orchestrator" fallback="general" />
    <permissions>
      <execute>
        <tool>rye.shell.docker</tool>
        <tool>rye.shell.kubectl</tool>
        <tool>rye.file-system.*</tool>
      </execute>
      <search>
        <directive>*</directive>
        <tool>*</tool>
      </search>
      <load>
        <tool>*</tool>
      </load>
    </permissions>
    <cost>
      <context estimated_usage="high" turns="20" spawn_threshold="5">100000</context>
      <duration>900</duration>
      <spend currency="USD">30.00</spend>
    </cost>
    <context>
      <related_files>
        - scripts/deploy.py
      </related_files>
      <requires>docker-runtime</requires>
      <depends_on>build-images</depends_on>
      <suggests>monitoring-setup</suggests>
    </context>
    <hooks>
      <hook>
        <when>cost.current > cost.limit * 0.9</when>
        <execute item_type="directive">warn-cost-critical</execute>
      </hook>
      <hook>
        <when>error.type == "permission_denied"</when>
        <execute item_type="directive">request-elevated-permissions</execute>
        <inputs>
          <requested_resource>${error.resource}</requested_resource>
        </inputs>
      </hook>
    </hooks>
  </metadata>
  <inputs>
    <input name="environment" type="string" required="true">Where to</input>
    <input name="skip_tests" type="boolean" required="false" default="false">Whether to leave the tests out</input>
  </inputs>
</directive>
```

<process>
  <step name="build_images">
    Build the images.
    `rye_execute(item_type="tool", item_id="rye/shell/docker", parameters={"command": "build"})`
  </step>
  <step name="run_tests">
    Deploy to {input:environment}, and test it unless {input:skip_tests}.
  </step>
</process>
"#;

/// A world with the example and what it names.
fn world() -> World {
    let world = World::new();
    let asking = "<inputs><input name=\"requested_resource\" type=\"string\" required=\"true\">What</input></inputs>";
    for (name, inputs, says) in [
        ("build-images", "", "Build."),
        ("monitoring-setup", "", "Set it up."),
        ("warn-cost-critical", "", "Tell the user that the money is nearly spent."),
        ("request-elevated-permissions", asking, "Ask the user for {input:requested_resource}."),
    ] {
        let written = directive(name, "", "turns=\"2\"", "");
        let written = written
            .replace("\n</directive>", &format!("{inputs}\n</directive>"))
            .replace(">Work.<", &format!(">{says}<"));
        world.write(&format!(".ai/directives/demo/{name}.md"), &written);
        world.sign(KeyName::Person, &format!("demo/{name}"));
    }
    world.write(".ai/directives/workflows/deploy_and_test.md", EXAMPLE);
    world.sign(KeyName::Person, "workflows/deploy_and_test");
    world.commit("items");
    world
}

/// An answer whose provider reports so many tokens of output.
fn with_output(reply: Reply, tokens: u32) -> Reply {
    let texts = reply.into_iter().map(|piece| match piece {
        Piece::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
        Piece::Wait(_) | Piece::Until(_) => String::new(),
    });
    let used = format!("\"usage\":{{\"output_tokens\":{tokens}}}");
    vec![Piece::Bytes(texts.collect::<String>().replace(r#""usage":{"output_tokens":20}"#, &used).into_bytes())]
}

#[test]
fn the_hooks_of_the_authoring_example_act() {
    let world = world();
    let denied = (ANTHROPIC.call)("rye_sign", &json!({"item_type": "directive", "item_id": "demo/build-images"}));
    let server = Server::new(vec![denied, with_output((ANTHROPIC.text)("Done."), 3_150)]);
    let args =
        ["thread", "run", "workflows/deploy_and_test", "-i", "environment=staging", "--limit", "spend=0.05", "--json"];
    let mut rye = world.rye(&[&args[..], &["--config", "capabilities.offered=[\"docker-runtime\"]"]].concat());
    let output = rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    assert_eq!(printed["status"], "completed", "{printed:#} {told}");
    let events = world.events(&world.shown(&printed));
    let triggered: Vec<(usize, String, CallStatus)> = events
        .iter()
        .filter_map(|event| match &event.what {
            EventData::HookTriggered { hook, call, status, .. } => Some((*hook, call.clone(), *status)),
            _ => None,
        })
        .collect();
    assert_eq!(
        triggered,
        [
            (2, "execute directive demo/request-elevated-permissions".to_owned(), CallStatus::Ok),
            (1, "execute directive demo/warn-cost-critical".to_owned(), CallStatus::Ok),
        ],
        "{printed:#}"
    );
    let asked = server.asked().pop().unwrap().body.to_string();
    assert!(asked.contains("Ask the user for rye.sign.directive.demo.build-images."), "{asked}");
}

/// The hook declares what it takes in: whoever narrows the thread is not asked any less, and a tool needs its permission.
#[test]
fn what_a_hook_takes_in_needs_no_permission_of_its_own_directive_alone() {
    let world = World::new();
    world.knowledge("mend", "Mend it so.");
    world.tool("demo/note", "echo noted");
    let hook = |item_type: &str, name: &str| {
        format!("<hook event=\"thread_started\"><execute item_type=\"{item_type}\">{name}</execute></hook>")
    };
    let hooks = format!("<hooks>{}{}</hooks>", hook("knowledge", "demo/mend"), hook("tool", "demo/note"));
    let status = |base: &str, overrides: &[&str]| {
        world.extended("work", base, &hooks, NOTHING);
        let outcome =
            world.try_run_with(&world.options(&[text("Done.")]), overrides, &rye::process::CancelFlag::new(), |_| ());
        let events = world.events(&outcome.unwrap());
        let mut seen: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.what {
                EventData::HookTriggered { hook, status, .. } => Some((*hook, *status)),
                _ => None,
            })
            .collect();
        seen.sort_unstable_by_key(|(hook, _)| *hook);
        seen
    };
    assert_eq!(status("", &[]), [(1, CallStatus::Ok), (2, CallStatus::Denied)]);
    world.extended("base", "", "", FILES);
    assert_eq!(status("demo/base", &[]), [(1, CallStatus::Denied), (2, CallStatus::Denied)]);
    let denying = ["permissions.deny=[\"rye.execute.knowledge.*\"]"];
    assert_eq!(status("", &denying), [(1, CallStatus::Denied), (2, CallStatus::Denied)]);
}

/// The model of a thread copies an item into the thread's tree, with the permissions of the tool that writes files.
#[test]
fn a_model_copies_an_item_into_its_tree() {
    let world = World::new();
    let copy =
        |to: &str| call("rye_load", json!({"item_type": "knowledge", "item_id": "rye/guides/threads", "to": to}));
    let path = ".ai/knowledge/rye/guides/threads.md";
    let run = |permissions: &str, to: &str| {
        world.directive(&format!("<load>*</load>{permissions}"), "turns=\"3\"", "");
        let outcome = world.run(&[copy(to), text("Done.")]);
        let result = super::world::result_in_turn(&world.events(&outcome), 1);
        (world.in_thread(&outcome, path), result)
    };
    let (copied, result) = run(FILES, "project");
    let copied = copied.unwrap_or_else(|| panic!("{result}"));
    assert_eq!(result["output"]["content"], json!(copied), "with its signature");
    let (copied, result) = run("", "project");
    assert_eq!((copied, &result["status"]), (None, &json!("denied")), "{result}");
    let (copied, result) = run(&format!("{FILES}<write resource=\"filesystem\" path=\"docs/**\" />"), "project");
    assert_eq!((copied, &result["status"]), (None, &json!("denied")), "{result}");
    let (copied, result) = run(FILES, "user");
    assert_eq!((copied, &result["output"]["error"]["code"]), (None, &json!("bad_arguments")), "{result}");
}
