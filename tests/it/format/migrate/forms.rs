//! The table of legacy forms in docs/migration.md: each row has an old text and the new one it becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Parser};
use rye::format::{Profile, Severity, parse, validate};
use rye::id::ItemType;
use rye::trust::Subject;

use super::{PURE, ZONES, greet, migrated, subject, with_permissions};

/// A row of the page.
#[derive(Debug)]
struct Row {
    old: Vec<String>,
    new: Vec<String>,
    rule: String,
}

/// Reads the rows that begin with a number.
fn rows() -> BTreeMap<usize, Row> {
    let page = Path::new(crate::support::ROOT).join("docs/migration.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut rows = BTreeMap::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        if let [number, old, new, "0.1.0", "for ever", rule, _] = cells[..]
            && let Ok(number) = number.parse()
        {
            let row = Row { old: codes(old), new: codes(new), rule: codes(rule).concat() };
            assert!(rows.insert(number, row).is_none(), "two rows {number}");
        }
    }
    rows
}

/// Returns the text in backticks, as far as it is literal.
fn codes(cell: &str) -> Vec<String> {
    let code = |event| match event {
        Event::Code(code) => Some(code.trim_end_matches(['…', '>']).to_owned()),
        _ => None,
    };
    Parser::new(cell).filter_map(code).collect()
}

struct Case {
    row: usize,
    subject: Subject,
    old: String,
    new: String,
}

fn case(row: usize, subject: Subject, old: impl Into<String>, new: impl Into<String>) -> Case {
    Case { row, subject, old: old.into(), new: new.into() }
}

/// A directive whose metadata hold permissions that need no acknowledgement, or have one.
fn permitted(row: usize, old: &str, new: &str) -> Case {
    let inside = |element: &str| with_permissions(&format!("<permissions>{element}</permissions>"));
    case(row, greet(), inside(old), inside(new))
}

fn risky(row: usize, old: &str, risk: &str, new: &str) -> Case {
    let acknowledged = format!("<acknowledge risk=\"{risk}\">So be it</acknowledge>");
    permitted(row, &format!("{old}{acknowledged}"), &format!("{new}{acknowledged}"))
}

fn with_outputs(outputs: &str) -> String {
    let plain = with_permissions("<permissions><search>*</search></permissions>");
    plain.replace("  </metadata>\n", &format!("  </metadata>\n  <outputs>\n    {outputs}\n  </outputs>\n"))
}

fn tool(rest: &str) -> String {
    format!("version: \"1.0.0\" # one\ndescription: Make it\n{rest}")
}

fn cases() -> Vec<Case> {
    let plain = with_permissions("<permissions><search>*</search></permissions>");
    let hi = || subject(ItemType::Directive, "demo/say-hi", "md");
    let yaml = || subject(ItemType::Tool, "demo/make", "yaml");
    let head = "name: notes\ntitle: Notes\ncategory: demo\nversion: \"1.0.0\"\n";
    let schema = "\n  type: object\n  properties: {a: {type: string}}\n";
    let element = PURE.split_once('\n').expect("two lines").1;
    let mut cases = vec![
        case(1, greet(), format!("<!-- rye:validated:2026-01-01T00:00:00Z:ab -->\n{plain}"), plain.as_str()),
        case(1, yaml(), format!("# rye:validated:x\n{}", tool("")), tool("")),
        case(2, greet(), format!("<!-- kiwi-mcp:validated:x -->\n{plain}"), plain.as_str()),
        case(3, greet(), format!("<!-- placeholder:unsigned:unsigned -->\n{plain}"), plain.as_str()),
        case(
            3,
            greet(),
            format!("<!-- rye:signed:2026-02-10T02:00:00Z:placeholder:unsigned:unsigned -->\n{plain}"),
            plain.as_str(),
        ),
        case(4, hi(), PURE, ZONES),
        case(5, hi(), format!("# Say hi\n\n```xml\n{element}```\n"), ZONES),
        permitted(6, "<cap>rye.execute.tool.a.b</cap>", "<execute><tool>a.b</tool></execute>"),
        permitted(8, "<execute resource=\"tool\" id=\"deploy\" />", "<execute><tool>deploy</tool></execute>"),
        permitted(9, "<execute resource=\"kiwi-mcp\" action=\"search\" />", "<search>*</search>"),
        permitted(9, "<execute resource=\"kiwi-mcp\" action=\"load\" />", "<load>*</load>"),
        case(
            13,
            greet(),
            with_outputs("<success>Made it</success>"),
            with_outputs("<output name=\"success\" required=\"false\">Made it</output>"),
        ),
        case(
            13,
            greet(),
            with_outputs("<output name=\"a\">A</output> <failure >N\n o <!-- ? --></failure ><!-- b --><success/>"),
            with_outputs(
                "<output name=\"a\">A</output> <output name=\"failure\" required=\"false\" >N\n o <!-- ? --></output ><!-- b --><output name=\"success\" required=\"false\"/>",
            ),
        ),
        case(14, hi(), plain.replace("\"greet\"", "\"say-hi\""), plain.replace("\"greet\"", "\"say_hi\"")),
        case(
            18,
            yaml(),
            tool(&format!("config_schema: # what it takes{schema}")),
            tool(&format!("parameters: # what it takes{schema}")),
        ),
        case(18, yaml(), tool(&format!("'config_schema' :{schema}")), tool(&format!("'parameters' :{schema}"))),
        case(19, yaml(), tool(&format!("input_schema:{schema}")), tool(&format!("parameters:{schema}"))),
        case(
            20,
            subject(ItemType::Knowledge, "demo/notes", "md"),
            format!("---\n{head}---\n\nText.\n"),
            format!("```yaml\n{head}```\n\nText.\n"),
        ),
    ];
    cases.extend(risky_cases());
    cases.extend(names());
    cases.extend(lists(yaml()));
    cases
}

fn risky_cases() -> Vec<Case> {
    let elevated = "elevated";
    let mut cases = vec![
        risky(
            7,
            "<execute resource=\"shell\" action=\"make\" />",
            elevated,
            "<execute><tool>rye.shell.make</tool></execute>",
        ),
        risky(9, "<execute resource=\"kiwi-mcp\" action=\"execute\" />", "unrestricted", "<execute>*</execute>"),
        risky(11, "<execute resource=\"kiwi-mcp\" action=\"*\" />", "unrestricted", "*"),
        permitted(
            12,
            "<sign>*</sign><acknowledge>elevated: it deploys</acknowledge>",
            "<sign>*</sign><acknowledge risk=\"elevated\">it deploys</acknowledge>",
        ),
    ];
    for action in ["publish", "update", "delete"] {
        let old = format!("<execute resource=\"kiwi-mcp\" action=\"{action}\" />");
        cases.push(risky(10, &old, elevated, &format!("<execute><tool>rye.registry.{action}</tool></execute>")));
    }
    cases
}

/// Former names, as ids and as patterns.
fn names() -> Vec<Case> {
    let step = |tool: &str| {
        let plain = with_permissions(&format!(
            "<permissions><execute><tool>{}</tool></execute></permissions>",
            tool.replace('/', ".")
        ));
        plain.replace("Do <b>it</b>.", &format!("Use {tool}. <execute item_type=\"tool\" item_id=\"{tool}\" />"))
    };
    let pairs = [
        (15, "rye/file-system/fs_read", "rye/file-system/read"),
        (15, "rye/file-system/fs_write", "rye/file-system/write"),
        (16, "rye/agent/threads/spawn_thread", "rye/agent/threads/thread_directive"),
    ];
    pairs.into_iter().map(|(row, old, new)| case(row, greet(), step(old), step(new))).collect()
}

fn lists(yaml: Subject) -> Vec<Case> {
    let old = "capabilities:\n  - \"rye.execute.tool.a.*\" # a\n";
    let new = "capabilities:\n  - primary: execute\n    item_type: tool\n    specifics: \"a.*\" # a\n";
    vec![case(17, yaml, tool(old), tool(new))]
}

/// Errors and warnings under the id that an item has afterwards. What has no effect yet has none in its current form either.
fn faults(subject: &Subject, text: &str) -> Vec<String> {
    let id = rye::format::snake_id(&subject.item_id).unwrap_or_else(|| subject.item_id.clone());
    let parsed = parse(subject.item_type, &subject.extension, text);
    let found = validate(&parsed, &id, Profile::Reference);
    let worse =
        found.iter().filter(|finding| finding.severity != Severity::Advice && !finding.rule.starts_with("RYE-U"));
    worse.map(|finding| format!("{} {}", finding.rule, finding.message)).collect()
}

#[test]
fn every_row_of_the_page_is_done_as_it_says() {
    let rows = rows();
    let cases = cases();
    let tested: BTreeSet<usize> = cases.iter().map(|case| case.row).collect();
    assert_eq!(tested, rows.keys().copied().collect(), "rows with cases, and rows of the page");
    for Case { row, subject, old, new } in &cases {
        assert_eq!(migrated(subject, old), *new, "row {row}");
        assert_eq!(faults(subject, new), Vec::<String>::new(), "row {row}: {new}");
        let rule = &rows[row].rule;
        if rule != "RYE-S001" && subject.extension.as_str() != "yaml" {
            assert!(rye::format::rules::is_legacy(rule), "row {row}: {rule}");
        }
    }
    for (number, row) in rows {
        let texts = |of: fn(&Case) -> &str| cases.iter().filter(|case| case.row == number).map(of).collect::<String>();
        let (old, new) = (texts(|case| &case.old), texts(|case| &case.new));
        for (codes, text) in [(row.old, old), (row.new, new)] {
            for code in codes {
                assert!(text.contains(&code), "row {number} shows `{code}`, and no case has it");
            }
        }
    }
}
