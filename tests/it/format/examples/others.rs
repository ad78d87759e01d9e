//! Examples of the rules about files of any kind, tools, knowledge and capability documents.

use super::Base::{Capabilities, Knowledge, Name, Tool, YamlTool};
use super::{Base, Example};
use rye::format::{MOST_BYTES, Rule, rules};

const fn of(base: Base, rule: &'static Rule, asked_by: &'static str, good: &'static str, bad: &'static str) -> Example {
    Example { rule, asked_by, base, good, bad, make: None }
}

/// An example whose bytes cannot be shown.
const fn made(
    rule: &'static Rule,
    asked_by: &'static str,
    good: &'static str,
    bad: &'static str,
    make: fn() -> Vec<u8>,
) -> Example {
    Example { rule, asked_by, base: Knowledge, good, bad, make: Some(make) }
}

/// The knowledge with `extra` bytes at its end.
fn with(extra: &[u8]) -> Vec<u8> {
    [Knowledge.text().as_bytes(), extra].concat()
}

/// The examples, in the order of the rules.
pub(super) const ALL: &[Example] = &[
    made(&rules::TOO_LARGE, "§1", "a file of 1,048,576 bytes", "a file of 1,048,577 bytes", || {
        with(&vec![b'x'; MOST_BYTES + 1 - Knowledge.text().len()])
    }),
    made(
        &rules::NOT_UTF8,
        "§1",
        "a file saved as UTF-8: é is the bytes C3 A9",
        "a file saved as Latin-1: é is the byte E9",
        || with(b"caf\xE9\n"),
    ),
    made(
        &rules::BYTE_ORDER_MARK,
        "§1",
        "a file that begins with its first character",
        "a file that begins with the bytes EF BB BF",
        || [b"\xEF\xBB\xBF", Knowledge.text().as_bytes()].concat(),
    ),
    made(&rules::NUL, "§1", "a text", "a text with the byte 00 in it", || with(b"\0")),
    made(&rules::TOO_MANY, "§2.8", "a header with a few keys", "a header with 200 unknown keys", || {
        let keys: String = (0..200).map(|number| format!("key{number}: x\n")).collect();
        Knowledge.text().replacen("tags: [words]\n", &keys, 1).into_bytes()
    }),
    of(Knowledge, &rules::MALFORMED_YAML, "§3", "title: Words of the project", "title: Words: of the project"),
    of(Name, &rules::WRONG_EXTENSION, "§1", "directives/demo/greet.md", "directives/demo/greet.yaml"),
    made(
        &rules::HIDDEN,
        "§1",
        "a text that reads as it is",
        "a text with U+202E in it, which turns the letters after it round",
        || with("\u{202E}txet\n".as_bytes()),
    ),
    of(Capabilities, &rules::CAPABILITY_LIST, "§2.6", "- primary: search", "- primary: serach"),
    of(Capabilities, &rules::LEGACY_CAPABILITY, "003", "- primary: search", "- \"rye.search.*\""),
    of(Tool, &rules::TOOL_VERSION, "§3", "# version: 1.0.0", "# version: 1"),
    of(
        Tool,
        &rules::TOOL_VALUE,
        "§3",
        "# tool_id: demo/count
",
        "# tool_id: demo/count
# fixed_params: none
",
    ),
    of(Tool, &rules::TOOL_SCHEMA, "§3", "{type: string}", "{type: text}"),
    of(Tool, &rules::TOOL_REPEATED, "§3", "# category: demo\n", "# category: demo\n# category: demo\n"),
    of(
        Tool,
        &rules::TOOL_DESCRIPTION,
        "§3",
        "# version: 1.0.0\n# description: \"Counts the words of a text\"\n",
        "# version: 1.0.0\n",
    ),
    of(Tool, &rules::TOOL_CATEGORY, "§3", "# category: demo", "# category: texts"),
    of(Tool, &rules::TOOL_NAME, "§3", "# tool_id: demo/count", "# tool_id: demo/counter"),
    of(Tool, &rules::TOOL_COMPANION, "§3", "{path: words.txt, sha256: ", "{path: /etc/words.txt, sha256: "),
    of(YamlTool, &rules::TOOL_LEGACY_KEY, "§3", "parameters:", "config_schema:"),
    of(Knowledge, &rules::NO_HEADER, "§3", "```yaml\nname: glossary", "```json\nname: glossary"),
    of(Knowledge, &rules::HEADER_KEY, "§3", "name: glossary\ntitle: Words of the project\n", "name: glossary\n"),
    of(Knowledge, &rules::HEADER_VALUE, "§3", "version: \"1.0.0\"", "version: 1.0"),
    of(Knowledge, &rules::UNKNOWN_KEY, "§3", "tags: [words]", "labels: [words]"),
    of(Knowledge, &rules::KNOWLEDGE_NAME, "§3", "name: glossary", "name: words"),
    of(Knowledge, &rules::KNOWLEDGE_CATEGORY, "§3", "category: demo", "category: words"),
    made(&rules::FRONT_MATTER, "§3", "```yaml\nname: glossary\n…\n```", "---\nname: glossary\n…\n---", || {
        Knowledge.text().replacen("```yaml", "---", 1).replacen("```", "---", 1).into_bytes()
    }),
    of(Knowledge, &rules::KNOWLEDGE_LINK, "§3", "A *thread* is a run", "A [thread](demo/thread) is a run"),
    of(Name, &rules::NOT_AN_ITEM, "§1", "knowledge/demo/notes-2.md", "knowledge/demo/notes.v2.md"),
    of(Tool, &rules::TOOL_RUNNER, "§3", "# category: demo\n", "# category: demo\n# executor_id: demo/none\n"),
    Example {
        rule: &rules::TOOL_CARRIAGE_RETURN,
        asked_by: "§3",
        base: Tool,
        good: "wc -w\n",
        bad: "wc -w\u{240d}\n",
        make: Some(|| Tool.text().replace('\n', "\r\n").into_bytes()),
    },
    of(Name, &rules::UNUSABLE_ITEM, "§1", "tools/demo/count.py", "tools/demo/count.py and tools/demo/count.sh"),
];
