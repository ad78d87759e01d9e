//! Accepted input takes effect, or causes a warning of one sentence: every such form, word by word.

use std::collections::BTreeSet;

use rye::format::{Finding, Profile, capabilities, has_errors, rules, validate};
use rye::id::ItemType;
use rye::item::{Item, Limits};
use serde_json::json;

use super::{directive, read};

const DIRECTIVE: &str = r#"# Look

```xml
<directive name="look" version="1.0.0">
  <metadata>
    <description>Look at a file</description>
    <category>demo</category>
    <author>ada</author>
    <model tier="steps" />
    <limits turns="2" />
    <permissions>
      <execute><tool>rye.file-system.read</tool></execute>
      <load>*</load>
    </permissions>
    <cost>
      <context estimated_usage="low" turns="2">8000</context>
      <spend>0.10</spend>
    </cost>
    <context>
      <requires>docker</requires>
    </context>
  </metadata>
</directive>
```

Look at it.
"#;

const TOOL: &str = "version: \"1.0.0\"\ntool_id: demo/look\ncategory: demo\ndescription: Look at a file\ntool_type: shell\n\
                    author: ada\ntags: [files]\nexecutor_id: script\nparameters: {type: object}\nfixed_params: {a: 1}\n\
                    params_key: body\nconfig: null\n";

const SHELL: &str = "# version: 1.0.0\n# category: demo\n# description: Look at a file\n\nls\n";

const CAPABILITIES: &str = "capabilities:\n- primary: search\n";

/// A change of a text, and the one finding that it must make: its rule, what it says, and how to mend it.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

const THREADS: &str = "threads do not start other threads in this version";
const REMOVE: &str = "remove it";

const DIRECTIVES: [Case; 13] = [
    (
        "turns=\"2\" />",
        "turns=\"2\" spend_currency=\"EUR\" />",
        "RYE-D058",
        "`spend_currency` has no effect: the limits have no `spend`",
        "add `spend`, or remove it",
    ),
    ("turns=\"2\" />", "turns=\"2\" spawns=\"3\" />", "RYE-U012", "`spawns` has no effect yet: THREADS", REMOVE),
    ("turns=\"2\" />", "turns=\"2\" depth=\"3\" />", "RYE-U012", "`depth` has no effect yet: THREADS", REMOVE),
    (
        "turns=\"2\">",
        "turns=\"2\" spawn_threshold=\"3\">",
        "RYE-U013",
        "`spawn_threshold` has no effect yet: THREADS",
        REMOVE,
    ),
    (
        "rye.file-system.read",
        "rye/agent/threads/thread_directive",
        "RYE-U017",
        "`rye.execute.tool.rye.agent.threads.thread_directive` has no effect yet: THREADS",
        REMOVE,
    ),
    (
        "rye.file-system.read",
        "rye.agent.threads.*",
        "RYE-U017",
        "`rye.execute.tool.rye.agent.threads.*` has no effect yet: THREADS",
        REMOVE,
    ),
    (
        "rye.file-system.read",
        "rye.agent.threads.spawn_*",
        "RYE-U017",
        "`rye.execute.tool.rye.agent.threads.spawn_*` has no effect yet: THREADS",
        REMOVE,
    ),
    (
        "</execute>",
        "</execute><acknowledge risk=\"write\">It writes.</acknowledge>",
        "RYE-P017",
        "an acknowledgement of `write` has no effect: this tier asks for none",
        "remove it, or name `elevated`",
    ),
    (
        "</execute>",
        "</execute><acknowledge risk=\"safe\">It reads.</acknowledge>",
        "RYE-P017",
        "an acknowledgement of `safe` has no effect: this tier asks for none",
        "remove it, or name `elevated`",
    ),
    (
        "Look at it.",
        "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"rye/file-system/read\" max=\"3\" /></step></process>",
        "RYE-D057",
        "`max` has no effect: `<load>` takes no parameters",
        REMOVE,
    ),
    (
        "Look at it.",
        "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"rye/file-system/read\"><param name=\"b\" value=\"c\" /></load></step></process>",
        "RYE-D057",
        "`b` has no effect: `<load>` takes no parameters",
        REMOVE,
    ),
    (
        "</context>\n  </metadata>",
        "</context>\n    <hooks><hook event=\"limit\"><action primary=\"load\" item_type=\"tool\" item_id=\"a\" /><inputs><b>c</b></inputs></hook></hooks>\n  </metadata>",
        "RYE-D057",
        "`<inputs>` has no effect: the action `load` takes no parameters",
        REMOVE,
    ),
    (
        "</context>\n  </metadata>",
        "</context>\n    <hooks><hook event=\"limit\"><action primary=\"sign\" item_type=\"tool\" item_id=\"a\" /><inputs><b>c</b></inputs></hook></hooks>\n  </metadata>",
        "RYE-D057",
        "`<inputs>` has no effect: the action `sign` takes no parameters",
        REMOVE,
    ),
];

const TOOLS: [Case; 6] = [
    ("config: null", "config: {url: x}", "RYE-U018", "`config` has no effect yet: a script does not get it", REMOVE),
    (
        "config: null",
        "capabilities: []",
        "RYE-U018",
        "`capabilities` has no effect yet: the permissions of the directive decide",
        REMOVE,
    ),
    (
        "config: null",
        "fixed_parms: {b: 1}",
        "RYE-T010",
        "`fixed_parms` has no effect: it is not a key of a tool",
        "did you mean `fixed_params`?",
    ),
    (
        "config: null",
        "name: Look",
        "RYE-T010",
        "`name` has no effect: it is not a key of a tool",
        "write `tool_id` for the id, or remove it",
    ),
    ("config: null", "mapping: [1]", "RYE-T010", "`mapping` has no effect: it is not a key of a tool", REMOVE),
    ("config: null", "plugin: steps", "RYE-T010", "`plugin` has no effect: it is not a key of a tool", REMOVE),
];

const SHELLS: [Case; 1] = [(
    "\n\nls",
    "\n# config: {a: 1}\n\nls",
    "RYE-U018",
    "`config` has no effect yet: a script does not get it",
    REMOVE,
)];

const DOCUMENTS: [Case; 2] = [
    (
        "- primary: search",
        "- primary: execute\n  item_type: tool\n  specifics: \"rye/agent/threads/spawn_thread\"",
        "RYE-U017",
        "`rye.execute.tool.rye.agent.threads.thread_directive` has no effect yet: THREADS",
        REMOVE,
    ),
    (
        "- primary: search",
        "- primary: execute\n  item_type: tool\n  specifics: \"rye.agent.threads.*\"",
        "RYE-U017",
        "`rye.execute.tool.rye.agent.threads.*` has no effect yet: THREADS",
        REMOVE,
    ),
];

fn found(item_type: ItemType, extension: &str, text: &str) -> Vec<Finding> {
    validate(&read(item_type, extension, text), &"demo/look".parse().expect("an id"), Profile::Thread)
}

fn shown(findings: &[Finding]) -> Vec<String> {
    let hint = |finding: &Finding| finding.hint.clone().unwrap_or_default();
    findings
        .iter()
        .map(|found| format!("{} {:?} {}; {}", found.rule, found.severity, found.message, hint(found)))
        .collect()
}

/// Holds a text and each change of it to the findings; returns the rules that were met.
fn hold(text: &str, cases: &[Case], find: impl Fn(&str) -> Vec<Finding>) -> BTreeSet<&'static str> {
    assert_eq!(shown(&find(text)), Vec::<String>::new());
    for (from, to, rule, message, hint) in cases {
        assert!(text.contains(from), "{from}");
        let message = message.replace("THREADS", THREADS);
        let findings = find(&text.replacen(from, to, 1));
        assert_eq!(shown(&findings), [format!("{rule} Warning {message}; {hint}")], "{to}");
        assert!(!has_errors(&findings));
    }
    cases.iter().map(|(_, _, rule, ..)| *rule).collect()
}

#[test]
fn every_form_without_effect_says_so_in_one_sentence() {
    let mut met = hold(DIRECTIVE, &DIRECTIVES, |text| found(ItemType::Directive, "md", text));
    met.extend(hold(TOOL, &TOOLS, |text| found(ItemType::Tool, "yaml", text)));
    met.extend(hold(SHELL, &SHELLS, |text| found(ItemType::Tool, "sh", text)));
    met.extend(hold(CAPABILITIES, &DOCUMENTS, |text| capabilities(text).findings));
    let known: BTreeSet<&str> = rules::ALL.iter().map(|rule| rule.id).filter(|id| id.starts_with("RYE-U")).collect();
    assert!(known.is_subset(&met), "a rule without a form: {:?}", known.difference(&met));
}

/// A warning keeps nothing from being read: a later version may act on it.
#[test]
fn what_has_no_effect_is_read_all_the_same() {
    let text = DIRECTIVE
        .replace(
            "<model tier=\"steps\" />",
            "<model tier=\"a\" fallback=\"b\" fallback_id=\"c\">Think <!-- not --> briefly.</model>",
        )
        .replace("<limits turns=\"2\" />", "<limits turns=\"2\" spawns=\"0\" depth=\"1\" />")
        .replace("turns=\"2\">", "turns=\"2\" spawn_threshold=\"3\">");
    let look = directive(&text);
    let model = serde_json::to_value(&look.model).expect("plain data");
    assert_eq!(model, json!({"tier": "a", "id": null, "fallback": "b", "fallback_id": "c", "text": "Think briefly."}));
    assert_eq!(look.limits, Limits { turns: Some(2), spawns: Some(0), depth: Some(1), ..Limits::default() });
    assert_eq!(look.cost.and_then(|cost| cost.spawn_threshold), Some(3));
    let tool = read(ItemType::Tool, "yaml", &TOOL.replace("config: null", "config: {url: x}\nmapping: [1]")).item;
    let Some(Item::Tool(tool)) = tool else { panic!("no tool") };
    assert_eq!((tool.config, &tool.rest["mapping"]), (json!({"url": "x"}), &json!([1])));
}

/// What a directive mentions has an effect: it is shown and looked up.
#[test]
fn what_is_mentioned_has_an_effect() {
    let many = "<used_by>a</used_by><suggests>b</suggests>".repeat(200);
    let text = DIRECTIVE.replace("</requires>", &format!("</requires>{many}"));
    assert_eq!(found(ItemType::Directive, "md", &text), Vec::new());
}
