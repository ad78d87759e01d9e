//! What an example is read as: put where it belongs in a whole item, parsed, and taken out again as plain data.
//!
//! Texts of many words are shown by their first three and a digest of the whole, and undeclared values are left out.

use std::collections::{BTreeMap, BTreeSet};

use rye::action::{Action, OfferedTool, Resolved, Toolbox};
use rye::format::{Finding, Profile, capabilities, parse, template, validate};
use rye::id::{Extension, ItemType};
use rye::item::{Input, InputKind, Item, resolve};
use rye::trust::{ContentHash, LineState, split};
use rye_plugin_abi::provider::ToolCall;
use serde_json::{Map, Value, json};

use super::cut::{Example, Form, elements, name_of};

/// What an example is read as.
pub(super) struct Meaning {
    /// The rules it breaks, in order; none that it breaks only because it is alone.
    pub(super) found: Vec<&'static str>,
    pub(super) value: Value,
}

/// What a directive has unless an example brings its own.
const DEFAULTS: [(&str, &str); 3] = [
    ("description", "<description>Do it</description>"),
    ("category", "<category>a</category>"),
    ("author", "<author>b</author>"),
];

/// Advice that a part of a directive always gets: what uses its inputs is elsewhere.
const OF_A_PART: &str = "RYE-D027";

/// Reads an example.
pub(super) fn meaning(example: &Example, profile: Profile) -> Meaning {
    let text = example.text.as_str();
    let (found, value) = match &example.form {
        Form::Document if text.contains("\n```yaml\n") => item(ItemType::Knowledge, text, profile),
        Form::Document => item(ItemType::Directive, text, profile),
        Form::Fenced(language) => match language.as_str() {
            "markdown" => item(ItemType::Directive, text, profile),
            "yaml" => capability_document(text),
            "json" => (Vec::new(), call(text, &example.heading)),
            _ => markup(text, profile),
        },
        Form::Indented | Form::Inline => inline(&text.replace("\\|", "|"), profile),
    };
    Meaning { found, value: plain(value) }
}

type Read = (Vec<&'static str>, Value);

/// Reads a whole file under the id it gives itself.
fn item(item_type: ItemType, text: &str, profile: Profile) -> Read {
    let parsed = parse(item_type, &"md".parse().unwrap(), text);
    let mut value = match &parsed.item {
        Some(Item::Directive(directive)) => serde_json::to_value(directive).unwrap(),
        Some(Item::Knowledge(knowledge)) => serde_json::to_value(knowledge).unwrap(),
        _ => return (rules(&parsed.findings), Value::Null),
    };
    let own = |key: &str| value[key].as_str().unwrap().to_owned();
    let id = format!("{}/{}", own("category"), own("name"));
    let found = rules(&validate(&parsed, &id.trim_start_matches('/').parse().unwrap(), profile));
    let comment = "md".parse::<Extension>().unwrap().comment();
    value["signature"] = json!(match split(item_type, comment, text.as_bytes()).line {
        LineState::Absent => "",
        LineState::Present(_) => "a line",
        LineState::Legacy => "of an older program",
        LineState::Malformed { .. } => "malformed",
        LineState::Doubled => "two lines",
    });
    (found, value)
}

fn rules(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule).collect()
}

fn capability_document(text: &str) -> Read {
    let document = capabilities(text);
    (rules(&document.findings), serde_json::to_value(document.capabilities).unwrap())
}

/// Reads the call that the block's heading speaks of.
fn call(text: &str, heading: &str) -> Value {
    let name = heading.split('`').find(|word| word.starts_with("rye_")).unwrap().to_owned();
    let input: Value = serde_json::Deserializer::from_str(text).into_iter().next().unwrap().unwrap();
    let toolbox = Toolbox::new(&[], &rye::capability::Primary::ALL, None);
    match toolbox.resolve(&ToolCall { call_id: String::new(), name, input }) {
        Resolved::Action(action) => {
            let call = action.to_string();
            let parameters = match action {
                Action::Tool { given, .. } | Action::TakeIn { given, .. } => given.as_text(),
                Action::Load { .. } | Action::Sign { .. } => Map::new(),
                Action::Search(search) => Map::from_iter([("query".to_owned(), json!(search.query))]),
            };
            json!({"call": call, "parameters": parameters})
        }
        other => json!(format!("{other:?}")),
    }
}

/// Reads each top-level element by itself.
fn markup(text: &str, profile: Profile) -> Read {
    let (mut found, mut values) = (Vec::new(), Vec::new());
    for one in elements(text) {
        let (rules, value) = element(&one, profile);
        found.extend(rules);
        values.push(value);
    }
    (found, if values.len() == 1 { values.remove(0) } else { Value::Array(values) })
}

fn element(element: &str, profile: Profile) -> Read {
    if name_of(element) == "directive" {
        return block(element, profile);
    }
    let (mut found, whole) = item(ItemType::Directive, &placed(element), Profile::Reference);
    found.retain(|rule| *rule != OF_A_PART);
    (found, taken_out(element, &whole))
}

/// Reads the element of a directive; the text around it means nothing.
fn block(element: &str, profile: Profile) -> Read {
    let is_pure = element.contains("<process>");
    let whole = if is_pure { element.to_owned() } else { fenced(element, GO) };
    let (found, mut value) = item(ItemType::Directive, &whole, profile);
    let around: &[&str] = if is_pure { &["body"] } else { &["body", "title", "steps"] };
    around.iter().for_each(|member| value[member] = Value::Null);
    (found, value)
}

const GO: &str = "<process><step name=\"a\">Go.</step></process>";

fn fenced(block: &str, process: &str) -> String {
    format!("# A\n\n```xml\n{block}\n```\n\n{process}\n")
}

fn is_action(element: &str) -> bool {
    matches!(name_of(element), "execute" | "search" | "load" | "sign") && element.contains("item_type=")
}

/// Puts an element where it belongs in a whole directive.
fn placed(element: &str) -> String {
    let mut metadata: BTreeMap<&str, String> = DEFAULTS.map(|(name, text)| (name, text.to_owned())).into();
    let (mut zone, mut process) = (declared(element), GO.to_owned());
    let permissions = |inside: &str| format!("<permissions>{inside}</permissions>");
    match name_of(element) {
        _ if is_action(element) => process = format!("<process><step name=\"a\">{element}</step></process>"),
        "metadata" => {
            let inner = element.trim_start_matches("<metadata>").trim_end_matches("</metadata>");
            elements(inner).iter().for_each(|child| drop(metadata.insert(leak(name_of(child)), child.clone())));
        }
        "hook" => drop(metadata.insert("hooks", format!("<hooks>{element}</hooks>"))),
        "tool" => drop(metadata.insert("permissions", permissions(&format!("<execute>{element}</execute>")))),
        "read" | "write" | "cap" | "execute" | "search" | "load" | "sign" => {
            drop(metadata.insert("permissions", permissions(element)));
        }
        "system" | "before" | "suppress" => drop(metadata.insert("context", format!("<context>{element}</context>"))),
        "step" => process = format!("<process>{element}</process>"),
        "process" => process = element.to_owned(),
        "success_criteria" => process = format!("{GO}\n\n{element}"),
        "inputs" => zone = element.to_owned(),
        "outputs" => zone.push_str(element),
        name => drop(metadata.insert(leak(name), element.to_owned())),
    }
    let metadata: String = metadata.into_values().collect();
    let block = format!("<directive name=\"a\" version=\"1.0.0\"><metadata>{metadata}</metadata>{zone}</directive>");
    fenced(&block, &process)
}

fn leak(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}

/// Declares the inputs that an element uses.
fn declared(element: &str) -> String {
    let names: BTreeSet<&str> = template::placeholders(element).map(|placeholder| placeholder.name).collect();
    let input = |name: &&str| format!("<input name=\"{name}\" type=\"string\" required=\"true\">An input</input>");
    if names.is_empty() {
        String::new()
    } else {
        format!("<inputs>{}</inputs>", names.iter().map(input).collect::<String>())
    }
}

/// Takes out of a whole directive what an element says in it.
fn taken_out(element: &str, whole: &Value) -> Value {
    match name_of(element) {
        _ if is_action(element) => whole["steps"][0]["actions"][0].clone(),
        "metadata" => {
            let inner = element.trim_start_matches("<metadata>").trim_end_matches("</metadata>");
            let member = |child: &String| (name_of(child).to_owned(), taken_out(child, whole));
            Value::Object(elements(inner).iter().map(member).collect())
        }
        "permissions" | "tool" | "read" | "write" | "cap" | "execute" | "search" | "load" | "sign" => {
            whole["permissions"].clone()
        }
        "hook" => whole["hooks"][0].clone(),
        "system" | "before" | "suppress" => whole["context"].clone(),
        "outputs" if whole["outputs"] == json!([]) => whole["messages"].clone(),
        "step" => whole["steps"][0].clone(),
        "process" => whole["steps"].clone(),
        "success_criteria" => whole["criteria"].clone(),
        name => whole[name].clone(),
    }
}

/// Reads code in a line by its look.
fn inline(code: &str, profile: Profile) -> Read {
    let hook = |attribute: &str| format!("<hook event=\"error\"><execute {attribute}>a</execute></hook>");
    if code.starts_with("{input:") {
        (Vec::new(), rendered(code))
    } else if code.starts_with('<') {
        let is_open = elements(code).is_empty();
        markup(&if is_open { format!("{code}</{}>", name_of(code)) } else { code.to_owned() }, profile)
    } else if code.starts_with("extends=") {
        let root = format!("<directive name=\"a\" version=\"1.0.0\" {code}>");
        let text = placed("<author>b</author>").replace("<directive name=\"a\" version=\"1.0.0\">", &root);
        let (found, whole) = item(ItemType::Directive, &text, Profile::Reference);
        (found, whole["extends"].clone())
    } else if code.starts_with("required=") {
        let (found, outputs) = markup(&format!("<outputs><output name=\"a\" {code}>A</output></outputs>"), profile);
        (found, outputs[0]["required"].clone())
    } else if code.starts_with("item_type=") {
        let (found, hook) = markup(&hook(code), profile);
        (found, hook["action"].clone())
    } else if code.contains("**") {
        markup(&format!("<read resource=\"filesystem\" path=\"{code}\"/>"), profile)
    } else if let Some((name, _)) = code.trim_matches('`').split_once('(') {
        called(name, code.trim_matches('`'), profile)
    } else {
        markup(&format!("<tool>{code}</tool>"), profile)
    }
}

/// Reads a call: of a primary action as it is in a step, of a tool as a model makes it.
fn called(name: &str, code: &str, profile: Profile) -> Read {
    let is_primary = name.strip_prefix("rye_").is_some_and(|word| word.parse::<rye::capability::Primary>().is_ok());
    if is_primary {
        let (found, step) = markup(&format!("<step name=\"a\">Now `{code}`.</step>"), profile);
        return (found, step["actions"][0].clone());
    }
    let offered = ["mcp/my-server/my_type/create", "rye/file-system/read", "rye/file-system/write"]
        .map(|id| OfferedTool { id: id.parse().unwrap(), description: String::new(), schema: json!({}) });
    let call = ToolCall { call_id: String::new(), name: name.to_owned(), input: json!({"path": "a"}) };
    match Toolbox::new(&offered, &[], None).resolve(&call) {
        Resolved::Action(action) => (Vec::new(), json!(action.to_string())),
        other => (Vec::new(), json!(format!("{other:?}"))),
    }
}

/// Fills a placeholder in: with a value, without one where its input may be absent, and where it may not.
fn rendered(placeholder: &str) -> Value {
    let name = template::placeholders(placeholder).next().unwrap().name.to_owned();
    let filled = |required: bool, given: Value| {
        let (kind, description) = (InputKind::String, String::new());
        let declared = [Input { name: name.clone(), kind, required, default: None, description }];
        let Value::Object(given) = given else { panic!("an object") };
        match resolve(&declared, &given) {
            Ok(inputs) => json!(template::render(placeholder, &inputs, &template::Room::new()).unwrap()),
            Err(error) => json!(error.to_string().split('`').next().unwrap().trim()),
        }
    };
    json!([filled(true, json!({ name.as_str(): "x" })), filled(false, json!({})), filled(true, json!({}))])
}

/// Leaves out undeclared values, and cuts texts of many words.
fn plain(value: Value) -> Value {
    match value {
        Value::String(text) => json!(short(&text)),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(members) => {
            let kept = |(name, value)| {
                let value = if name == "when" { value } else { plain(value) };
                let is_nothing = [json!(null), json!(""), json!([]), json!({})].contains(&value);
                (!is_nothing).then_some((name, value))
            };
            Value::Object(members.into_iter().filter_map(kept).collect())
        }
        other => other,
    }
}

fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < 5 {
        return text.to_owned();
    }
    format!("{} … {}", words[..3].join(" "), &ContentHash::of(text.as_bytes()).to_string()[..8])
}
