//! Laws: migrating twice changes nothing, everything outside of the change stays byte for byte, the meaning stays, and
//! what had no other fault has none.

use proptest::prelude::*;
use rye::format::{Profile, Renames, Scope, Severity, capabilities, migrate, parse, validate};
use rye::id::ItemType;
use rye::item::{Directive, InputKind, Item, Output};

use super::super::tool;
use super::references::renames;
use super::{document, greet, subject, with_permissions};

/// A part of a directive with what it becomes.
type Pair = (&'static str, &'static str);

/// Children of `<permissions>` that need no acknowledgement.
const PERMISSIONS: &[Pair] = &[
    ("<cap>rye.execute.tool.a.b</cap>", "<execute><tool>a.b</tool></execute>"),
    ("<cap>\n rye.search.knowledge.*\n</cap >", "<search><knowledge>*</knowledge></search>"),
    ("<cap>rye.load.directive.x</cap>", "<load><directive>x</directive></load>"),
    ("<execute  resource='tool'\tid='c' />", "<execute><tool>c</tool></execute>"),
    ("<execute resource=\"kiwi-mcp\" action=\"load\"></execute>", "<load>*</load>"),
    ("<search >\t<tool>d.*</tool>\t</search>", "<search >\t<tool>d.*</tool>\t</search>"),
    ("<read resource='filesystem'  path='docs/**' />", "<read resource='filesystem'  path='docs/**' />"),
    ("<execute><tool>rye.file-system.fs_read</tool></execute>", "<execute><tool>rye.file-system.read</tool></execute>"),
];
const OUTPUTS: &[Pair] = &[
    ("<output name='a'>Ä</output>", "<output name='a'>Ä</output>"),
    ("<success>ok  {input:n?}</success>", "<output name=\"success\" required=\"false\">ok  {input:n?}</output>"),
    ("<failure\t>no &amp; no</failure>", "<output name=\"failure\" required=\"false\"\t>no &amp; no</output>"),
];
/// Parts that may occur anywhere and stay.
const BETWEEN: &[&str] = &["\n", "  \n\n", "\n\t", " <!-- né <cap>rye.*</cap> --> ", "\n<!--\t-->\n      ", "<!---->"];
const TEXT: &[&str] = &[
    "Plain ünï text \t \n",
    "<b> & <i\n\n",
    "  - a list  \n",
    "`<step name=\"x\">` and `rye_execute(...)`\n",
    "~~~\n<process>\n~~~\n",
    "Use rye/file-system/list.\n",
];

fn pairs(of: &'static [Pair], range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..of.len(), 0..BETWEEN.len()), range)
}

/// Writes parts, each behind something that keeps it apart from the one before.
fn written(of: &[Pair], chosen: &[(usize, usize)], side: fn(&Pair) -> &'static str) -> String {
    let kept = |between: usize| format!("<!-- {between} -->{}", BETWEEN[between]);
    chosen.iter().map(|(part, between)| format!("{}{}", kept(*between), side(&of[*part]))).collect()
}

/// A directive with legacy permissions, outputs and a process, and what it becomes.
fn directives() -> impl Strategy<Value = (String, String)> {
    let text = || prop::collection::vec(prop::sample::select(TEXT), 0..4).prop_map(|lines| lines.concat());
    let outputs = prop::sample::subsequence(vec![0, 1, 2], 1..=3).prop_shuffle();
    let outputs = (outputs, 0..BETWEEN.len())
        .prop_map(|(parts, between)| parts.into_iter().map(|part| (part, between)).collect::<Vec<_>>());
    (pairs(PERMISSIONS, 1..6), outputs, text(), text(), any::<(bool, bool, bool)>()).prop_map(
        |(permissions, outputs, above, below, (crlf, ends, legacy_line))| {
            let side = |side: fn(&Pair) -> &'static str| {
                let (permissions, outputs) = (written(PERMISSIONS, &permissions, side), written(OUTPUTS, &outputs, side));
                format!(
                    "# Grüße\n\n{above}\n```xml\n<directive name = 'greet' version=\"1.0.0\">\n\t<metadata><description>Do  it</description>\
                     <category>demo</category>\n <author>ada</author>\n<permissions>{permissions}</permissions> \n</metadata>\n\
                     <inputs><input name=\"n\" type=\"string\">N</input></inputs>\n<outputs>{outputs}\n  </outputs>\n</directive>\n```\n\n\
                     {below}<process>\n <step name=\"a\">Do <b>it</b> {{input:n?}}.\t\n</step></process>{}",
                    if ends { "\n" } else { "" }
                )
            };
            let (old, new) = (side(|pair| pair.0), side(|pair| pair.1));
            let old = if legacy_line { format!("<!-- rye:validated:x -->\n{old}") } else { old };
            if crlf { (old.replace('\n', "\r\n"), new.replace('\n', "\r\n")) } else { (old, new) }
        },
    )
}

fn read(text: &str) -> Option<Directive> {
    match parse(ItemType::Directive, &"md".parse().expect("known"), text).item {
        Some(Item::Directive(directive)) => Some(*directive),
        _ => None,
    }
}

/// Returns a directive as its current form says it: this is the whole list of what may differ.
fn current(mut directive: Directive) -> Directive {
    let messages = std::mem::take(&mut directive.messages);
    for (name, message) in [("success", messages.success), ("failure", messages.failure)] {
        directive.outputs.extend(message.map(|description| Output {
            name: name.to_owned(),
            kind: InputKind::String,
            required: false,
            from: None,
            description,
        }));
    }
    directive.outputs.sort_by(|a, b| a.name.cmp(&b.name));
    directive.body = directive.body.replace("\r\n", "\n");
    directive.preamble = directive.preamble.replace("\r\n", "\n");
    directive
}

/// Errors and warnings, as rule and message.
fn faults(text: &str) -> Vec<String> {
    let parsed = parse(ItemType::Directive, &"md".parse().expect("known"), text);
    let found = validate(&parsed, &greet().item_id, Profile::Reference);
    let worse = found.iter().filter(|finding| finding.severity != Severity::Advice);
    worse.map(|finding| format!("{} {}", finding.rule, finding.message)).collect()
}

/// Processes of pure XML, with every possible part.
fn pure() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "Text ünd &amp; more\n   indented",
        "<description>Say &lt;it&gt;</description>",
        "<action><![CDATA[\n\tmake <all> && ls\n]]></action>",
        "<search item_type=\"tool\" query=\"{input:n?} &quot;\" />",
        "<execute item_type='tool' item_id='a/b'><param name=\"p\">x &lt; y</param><param name='q' value='&amp;'/></execute>",
        "\n\n  ",
        "<!-- note <step name=\"z\"> -->",
    ]);
    let step = prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat());
    let before =
        prop::sample::select(vec!["", "\n\n", "# Title\n\nWhy & how.\n", "Preamble.\n", "<!-- license -->\n\n"]);
    let after = prop::sample::select(vec!["", "\n", "\n\n", "\nMore <b>.\n", "\n\nMore.\n", " tail"]);
    (prop::collection::vec(step, 1..4), before, after, any::<(bool, bool, bool)>()).prop_map(
        |(steps, before, after, (fenced, crlf, criteria))| {
            let steps: String =
                steps.iter().enumerate().map(|(at, step)| format!("\n    <step name=\"s{at}\">{step}</step>")).collect();
            let criteria = if criteria { "\n  <success_criteria><criterion>It  is</criterion></success_criteria>" } else { "" };
            let element = format!(
                "<directive name=\"greet\" version=\"1.0.0\">\n  <metadata><description>Do it</description><category>demo</category>\
                 <author>ada</author></metadata>\n  <inputs><input name=\"n\" type=\"string\">N</input></inputs>\n\n  <process>{steps}\n  \
                 </process>{criteria}\n</directive>"
            );
            let text = match fenced {
                // Nothing may follow on the line of a closing fence.
                true => format!("# T\n\n```xml\n{element}\n```{}", after.trim_start_matches(' ').replace("tail", "")),
                false => format!("{before}{element}{after}"),
            };
            if crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

fn calls(text: &str) -> Vec<String> {
    let permissions = read(text).and_then(|directive| directive.permissions);
    permissions.into_iter().flat_map(|permissions| permissions.calls).map(|call| call.to_string()).collect()
}

/// Pieces of directives in which every legacy form comes up, whole or damaged.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<!-- rye:validated:x -->\n",
        "---\nname: a\n---\n",
        "```xml\n<directive name=\"say-hi\" version=\"1.0.0\">\n",
        "<metadata><permissions>",
        "<cap>rye.execute.tool.a.b</cap>",
        "<cap>rye.*</cap>\n  ",
        "<execute resource=\"shell\" action=\"x\" />",
        "<execute resource=\"kiwi-mcp\" action=\"*\"></execute>",
        "<acknowledge>elevated</acknowledge>",
        "<execute><tool>rye.execute.tool.rye.execute.tool.a</tool></execute>",
        "</permissions></metadata>",
        "<process><step name=\"a\"><action><![CDATA[\nx < y && z\n]]></action></step></process>",
        "</directive>\n",
        "```\n",
        "capabilities:\n  - \"rye.load.tool.rye.file-system.fs_read\"\n",
        "capabilities: [rye.sign.*]\n",
        "rye/file-system/fs_write",
        "<execute item_type=\"directive\" item_id=\"ops/roll-back\" />",
        "[[deploy-it]]",
        "é\r\n",
        "<outputs><success>A {input:x}</success>",
        "<failure/></outputs>",
        "<!-- note -->",
        "config_schema: {}\n",
        "\t ",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn migrating_twice_changes_nothing(text in pieces()) {
        for (item_type, extension) in [(ItemType::Directive, "md"), (ItemType::Knowledge, "md"), (ItemType::Tool, "yaml"), (ItemType::Tool, "sh")] {
            let subject = subject(item_type, "demo/say-hi", extension);
            let once = migrate(&subject, &text, Scope::All, &renames());
            let twice = migrate(&subject, &once.text, Scope::All, &renames());
            prop_assert_eq!((&twice.text, &twice.changes), (&once.text, &vec![]), "{:?}", once.changes);
        }
        let once = document(&text);
        prop_assert_eq!(document(&once.text).text, once.text);
    }

    /// A file of lists of capabilities means the same afterwards.
    #[test]
    fn capabilities_mean_the_same(words in prop::collection::vec("rye\\.(execute|load|search|sign)\\.(tool|directive)\\.[a-z*]{1,3}(\\.[a-z?]{1,3})?", 1..6)) {
        let list: String = words.iter().map(|word| format!("  - \"{word}\"\n")).collect();
        let old = format!("capabilities:\n{list}");
        let new = document(&old).text;
        prop_assert_eq!(capabilities(&new).capabilities, capabilities(&old).capabilities);
        prop_assert_eq!(capabilities(&new).findings, vec![]);
        let caps: String = words.iter().map(|word| format!("<cap>{word}</cap>\n      ")).collect();
        let old = with_permissions(&format!("<permissions>\n      {caps}</permissions>"));
        let new = migrate(&greet(), &old, Scope::All, &Renames::default()).text;
        prop_assert_eq!(calls(&new), calls(&old));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Legacy forms between anything else: they change, and nothing else does.
    #[test]
    fn what_is_not_legacy_stays_byte_for_byte((old, new) in directives()) {
        let found = migrate(&greet(), &old, Scope::All, &Renames::default());
        prop_assert_eq!(&found.text, &new);
        prop_assert_eq!(faults(&new), Vec::<String>::new());
        let (before, after) = (read(&old).expect("a directive"), read(&new).expect("a directive"));
        prop_assert_eq!(current(before), current(after));
    }

    #[test]
    fn a_process_means_the_same_below_the_xml(old in pure()) {
        let found = migrate(&greet(), &old, Scope::All, &Renames::default());
        prop_assert!(found.is_change(), "{:?}", found.remarks);
        let legacy = |fault: &String| !fault.starts_with("RYE-D033");
        let known: Vec<String> = faults(&old).into_iter().filter(legacy).collect();
        prop_assert_eq!(faults(&found.text), known);
        let (mut before, after) = (read(&old).expect("a directive"), read(&found.text).expect("a directive"));
        if before.title.is_empty() {
            before.title = after.title.clone();
        }
        prop_assert_eq!(current(before), current(after));
        prop_assert_eq!(old.matches("<!-- note").count(), found.text.matches("<!-- note").count());
        prop_assert_eq!(old.contains("\r\n"), found.text.contains("\r\n"));
        prop_assert_eq!(found.text.matches('\n').count(), found.text.matches(if old.contains("\r\n") { "\r\n" } else { "\n" }).count());
    }

    /// A tool keeps every byte but its key and its lists, and is read as the same tool.
    #[test]
    fn yaml_tools_keep_their_bytes(
        around in prop::collection::vec(prop::sample::select(vec!["# né: config_schema:\n", "\n", "env: {A: b}  \n", "config:\n  config_schema: x\n"]), 4),
        caps in prop::collection::vec("rye\\.(execute|load)\\.tool\\.[a-z]{1,3}(\\.[a-z]{1,3}|\\.\\*)?", 0..3),
        (crlf, ends) in any::<(bool, bool)>(),
    ) {
        let mut around = around;
        let mut seen = std::collections::BTreeSet::new();
        around.retain(|line| line.starts_with(['#', '\n']) || seen.insert(*line));
        let with = |key: &str, entry: fn(&str) -> String| {
            let caps: String = caps.iter().map(|cap| entry(cap)).collect();
            let caps = if caps.is_empty() { caps } else { format!("capabilities:\n{caps}") };
            let text = format!("version: \"1.0.0\"\ndescription: d\n{}{key}:  # takes\n  type: object\n{}{caps}tags: [a]", around[..around.len() / 2].concat(), around[around.len() / 2..].concat());
            let text = if ends { text + "\n" } else { text };
            if crlf { text.replace('\n', "\r\n") } else { text }
        };
        let spelled = |cap: &str| {
            let (primary, pattern) = cap["rye.".len()..].split_once(".tool.").expect("both parts");
            let pattern = if pattern.contains('*') { format!("\"{pattern}\"") } else { pattern.to_owned() };
            format!("  - primary: {primary}\n    item_type: tool\n    specifics: {pattern} # why\n")
        };
        let (old, new) = (with("config_schema", |cap| format!("  - '{cap}' # why\n")), with("parameters", spelled));
        let yaml = subject(ItemType::Tool, "demo/x", "yaml");
        let found = migrate(&yaml, &old, Scope::All, &Renames::default());
        prop_assert_eq!(&found.text, &new);
        let (mut before, mut after) = (tool("yaml", &old), tool("yaml", &new));
        prop_assert_eq!(capabilities(&old).capabilities, capabilities(&new).capabilities);
        before.rest.remove("capabilities");
        after.rest.remove("capabilities");
        prop_assert_eq!(before, after);
    }

    /// A header keeps every byte between its marks.
    #[test]
    fn front_matter_keeps_its_bytes(lines in prop::collection::vec("[a-zé]{1,5}: [a-z\"#é -]{0,8}[ \t]{0,2}", 0..5), crlf in any::<bool>(), rest in "[ -~é\n]{0,40}") {
        let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let with = |open: &str, close: &str| {
            let text = format!("{open}\nname: notes\n{body}{close}\n{rest}");
            if crlf { text.replace('\n', "\r\n") } else { text }
        };
        let notes = subject(ItemType::Knowledge, "demo/notes", "md");
        let found = migrate(&notes, &with("---", "---"), Scope::All, &Renames::default());
        prop_assert_eq!(found.text, with("```yaml", "```"));
    }
}
