//! What each fuzz target does with its bytes: read them, and hold what comes of it to a law.
//!
//! The program's own tests run the same functions over `tests/corpus`, so what a fuzzer found stays found. A target
//! panics where a law is broken; refusing a text is not a fault.

use rye::capability::Capability;
use rye::format::{
    Parsed, Profile, Renames, Scope, capabilities, condition, excerpt, grants, links, migrate as rewrite,
    migrate_document, parse_bytes, snake_id, template, unified_diff, validate,
};
use rye::id::{Extension, ItemId, ItemType};
use rye::index::Query;
use rye::item::{HookEvent, Input, InputKind, Inputs, Item, Variables, resolve};
use rye::ops::search::SCHEMA;
use rye::trust::{LineState, Subject, split};
use serde_json::{Map, json};

/// A directive up to its process.
const HEAD: &str = "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><metadata><description>Do a</description>\
                    <category>x</category><author>b</author>PERMISSIONS</metadata>\
                    <inputs><input name=\"who\" type=\"string\">Who</input></inputs></directive>\n```\n";

/// A target: its name, and what it does with its bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 11] = [
    ("fence", fence),
    ("directive", directive),
    ("process", process),
    ("permissions", permissions),
    ("template", template),
    ("condition", condition),
    ("tool_header", tool_header),
    ("knowledge_header", knowledge_header),
    ("signature_line", signature_line),
    ("migrate", migrate),
    ("query", query),
];

/// Markdown in which fences may be, before and after a header.
pub fn fence(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    read(ItemType::Directive, "md", data);
    read(ItemType::Directive, "md", format!("{text}\n{HEAD}\nGo.\n{text}").as_bytes());
    read(ItemType::Knowledge, "md", format!("{text}\n```yaml\nname: a\n```\n{text}").as_bytes());
}

/// A whole directive; also its block alone, in a fence and bare.
pub fn directive(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    read(ItemType::Directive, "md", data);
    read(ItemType::Directive, "md", format!("# A\n\n```xml\n{text}\n```\n\nGo.\n").as_bytes());
    grants(&text).iter().for_each(|grant| assert!(text.get(grant.span.start..grant.span.end).is_some()));
}

/// The zone below the block.
pub fn process(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let whole = format!("{}\n{text}", HEAD.replace("PERMISSIONS", ""));
    if let Some(Item::Directive(directive)) = read(ItemType::Directive, "md", whole.as_bytes()).item {
        assert_eq!(directive.body, text.trim());
    }
}

/// The content of `<permissions>`, and a capability document.
pub fn permissions(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let whole = HEAD.replace("PERMISSIONS", &format!("<permissions>{text}</permissions>")) + "\nGo.\n";
    read(ItemType::Directive, "md", whole.as_bytes());
    let document = capabilities(&text);
    assert!(document.findings.len() <= 101);
    for capability in document.capabilities.calls {
        assert_eq!(capability.to_string().parse::<Capability>(), Ok(capability));
    }
}

/// A text with placeholders and variables.
pub fn template(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for placeholder in template::placeholders(&text) {
        assert!(text[placeholder.span.start..placeholder.span.end].starts_with("{input:"));
    }
    if let Ok(filled) = template::render(&text, &inputs(), &template::Room::new()) {
        // Values are never scanned again: one that looks like a placeholder comes out as it is.
        assert!(!text.contains("{input:who}") || filled.contains("{input:gone}"));
    }
    let _ = template::render_variables(&text, &variables(), &template::Room::new());
}

/// A condition of a hook.
pub fn condition(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(condition) = condition::compile(&text, &declared()) {
        assert!(text.len() <= 1024, "a condition is at most 1 KiB");
        let _ = condition::evaluate(&condition, &variables());
    }
}

/// A tool's header in every language.
pub fn tool_header(data: &[u8]) {
    for extension in ["py", "js", "ts", "sh", "lua", "html", "yaml"] {
        read(ItemType::Tool, extension, data);
    }
}

/// A knowledge entry in both forms, and its links.
pub fn knowledge_header(data: &[u8]) {
    for extension in ["md", "yaml"] {
        if let Some(Item::Knowledge(knowledge)) = read(ItemType::Knowledge, extension, data).item {
            let _ = links(&knowledge);
        }
    }
}

/// The first lines of a file.
pub fn signature_line(data: &[u8]) {
    for (item_type, extension) in [(ItemType::Directive, "md"), (ItemType::Tool, "py"), (ItemType::Tool, "lua")] {
        let comment = extension_of(extension).comment();
        let parts = split(item_type, comment, data);
        assert!(data.starts_with(parts.before) && data.ends_with(parts.after));
        if let LineState::Present(line) = &parts.line {
            assert_eq!([parts.before, line.render(comment).as_bytes(), parts.after].concat(), data);
        }
        if parts.line == LineState::Absent {
            assert_eq!(parts.body(), data);
        }
    }
}

/// A file of any type, migrated twice.
pub fn migrate(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let item_id: ItemId = "demo/say-hi".parse().expect("an id");
    let renamed = snake_id(&item_id).map(|new| (item_id.clone(), new));
    let renames = Renames::new(&renamed.into_iter().collect(), &[]);
    for (item_type, extension) in
        [(ItemType::Directive, "md"), (ItemType::Knowledge, "md"), (ItemType::Tool, "yaml"), (ItemType::Tool, "py")]
    {
        let subject = Subject { item_type, item_id: item_id.clone(), extension: extension_of(extension) };
        let once = rewrite(&subject, text, Scope::All, &renames);
        let twice = rewrite(&subject, &once.text, Scope::All, &renames);
        assert_eq!((&twice.text, &twice.changes), (&once.text, &Vec::new()));
        assert_eq!(once.is_change(), once.text != text);
        let _ = unified_diff("a/x", "b/x", text, &once.text);
    }
    let once = migrate_document(text, &renames);
    assert_eq!(migrate_document(&once.text, &renames).text, once.text);
}

fn extension_of(text: &str) -> Extension {
    text.parse().expect("a known extension")
}

/// Reads a file: findings are bounded and lie in the text, and can be shown.
fn read(item_type: ItemType, extension: &str, data: &[u8]) -> Parsed {
    let parsed = parse_bytes(item_type, &extension_of(extension), data);
    let findings = validate(&parsed, &"x/a".parse().expect("an id"), Profile::Thread);
    assert!(findings.len() < 120, "{} findings", findings.len());
    let text = String::from_utf8_lossy(data);
    for finding in &findings {
        assert!(finding.line >= 1 && finding.column >= 1);
        if let Some(span) = finding.span {
            assert!(span.start <= data.len(), "{finding:?}");
            let _ = excerpt(&text, span);
        }
    }
    parsed
}

fn declared() -> Vec<Input> {
    let input = |name: &str, kind| Input {
        name: name.to_owned(),
        kind,
        required: false,
        default: None,
        description: String::new(),
    };
    vec![input("who", InputKind::String), input("count", InputKind::Integer)]
}

fn inputs() -> Inputs {
    let given = Map::from_iter([("who".to_owned(), json!("{input:gone}")), ("count".to_owned(), json!(3))]);
    resolve(&declared(), &given).expect("both are declared")
}

fn variables() -> Variables {
    let values = json!({"who": "{input:gone}", "count": 3, "cost": {"current": 0.5, "limit": 1.0}, "loop_count": 2});
    Variables { event: HookEvent::AfterTool, values: values.as_object().cloned().unwrap_or_default() }
}

/// A query: refused with a place inside of it and a way out, or read alike however much space is around it.
pub fn query(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parse = |text: &str| Query::parse(&SCHEMA, text);
    match parse(&text) {
        Ok(query) => {
            let spaced = parse(&format!(" {text} "));
            assert!(text.len() + 2 > 4096 || spaced.is_ok_and(|spaced| spaced.notes() == query.notes()));
        }
        Err(error) => {
            assert!(text.is_char_boundary(error.at));
            assert!(!error.message.is_empty() && !error.hint.is_empty());
        }
    }
}
