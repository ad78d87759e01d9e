//! Hostile texts: every reader stays quick and never panics, and names the fault.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use rye::format::{Profile, excerpt, has_errors, parse_bytes, schema, validate};
use rye::id::ItemType;
use serde_json::json;

use super::{GUIDE, places};

/// Reads bytes as every type, checks that it is quick, and returns the rules broken as a directive.
fn read_everywhere(name: &str, bytes: &[u8]) -> Vec<&'static str> {
    let mut rules = Vec::new();
    for (item_type, extension) in [
        (ItemType::Directive, "md"),
        (ItemType::Knowledge, "md"),
        (ItemType::Knowledge, "yaml"),
        (ItemType::Tool, "yaml"),
        (ItemType::Tool, "py"),
        (ItemType::Tool, "sh"),
        (ItemType::Tool, "js"),
    ] {
        let start = Instant::now();
        let parsed = parse_bytes(item_type, &extension.parse().expect("known"), bytes);
        let findings = validate(&parsed, &"a/b".parse().expect("an id"), Profile::Thread);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(10), "{name} as {item_type}.{extension} took {took:?}");
        assert!(findings.len() < 120, "{name}: {} findings", findings.len());
        if item_type == ItemType::Directive {
            rules = findings.iter().map(|finding| finding.rule).collect();
        }
    }
    rules
}

fn fenced(xml: &str, process: &str) -> String {
    format!("# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\">{xml}</directive>\n```\n{process}\n")
}

#[test]
fn hostile_texts_are_refused_quickly() {
    let mib = 1024 * 1024 - 400;
    let fill = |piece: &str| piece.repeat(mib / piece.len());
    let cases: Vec<(&str, String, &str)> = vec![
        ("nesting", fenced(&"<a>".repeat(100_000), ""), "RYE-D004"),
        ("attribute", fenced(&format!("<metadata x=\"{}\"/>", "y".repeat(mib)), ""), "RYE-D004"),
        (
            "attributes",
            fenced(&format!("<metadata {}/>", (0..60_000).map(|n| format!("a{n}=\"\" ")).collect::<String>()), ""),
            "RYE-D004",
        ),
        ("entity", fenced("<!DOCTYPE a [<!ENTITY b \"bbbb\">]>", ""), "RYE-D004"),
        ("entities", fenced(&format!("<metadata>{}</metadata>", fill("&lol;")), ""), "RYE-D004"),
        ("unknown elements", fenced(&fill("<x/>"), ""), "RYE-D004"),
        ("repeated elements", fenced(&fill("<inputs/>"), ""), "RYE-D004"),
        ("fewer unknown elements", fenced(&"<x/>".repeat(3000), ""), "RYE-F005"),
        ("unclosed fence", fill("```xml\n<directive "), "RYE-D003"),
        ("fences", fill("```xml\n<directive\n```\n"), "RYE-F005"),
        ("quotes", fill(">"), "RYE-D001"),
        ("lists", fill("- "), "RYE-D001"),
        ("brackets", fill("["), "RYE-D001"),
        ("emphasis", fill("*a_"), "RYE-D001"),
        ("backticks", (1..1400).map(|n| format!("{} ", "`".repeat(n))).collect(), "RYE-D001"),
        ("tags", fenced("<metadata/>", &fill("<execute a=\"")), "RYE-D023"),
        ("open tags", fenced("<metadata/>", &fill("<step name=\"a\"><execute><param>")), "RYE-F005"),
        ("steps", fenced("<metadata/>", &format!("<process>{}", fill("<step>"))), "RYE-F005"),
        ("code", fenced("<metadata/>", &fill("`` ` ```")), "RYE-D010"),
        ("fenced code", fenced("<metadata/>", &fill("```x\n")), "RYE-D010"),
        ("placeholders", fenced("<metadata/>", &fill("{input:a:")), "RYE-F005"),
        (
            "undeclared",
            fenced(
                &format!(
                    "<metadata/><inputs>{}</inputs>",
                    (0..3900).map(|n| format!("<input name=\"n{n}\" type=\"string\"/>")).collect::<String>()
                ),
                &"{input:abcdef}".repeat(40_000),
            ),
            "RYE-F005",
        ),
        ("flow", fill("["), "RYE-D001"),
        (
            "aliases",
            format!(
                "a: &a [x,x,x,x,x,x,x,x,x]\n{}",
                (0..50).map(|n| format!("b{n}: &b{n} [*a,*a,*a,*a,*a,*a]\n")).collect::<String>()
            ),
            "RYE-D001",
        ),
        ("keys", (0..60_000).map(|n| format!("k{n}: v\n")).collect(), "RYE-D001"),
        ("python", format!("CONFIG_SCHEMA = {}", "[".repeat(100_000)), "RYE-D001"),
        ("python strings", fill("'''\"\"\""), "RYE-D001"),
        ("templates", fill("`${"), "RYE-D001"),
        ("braces in templates", format!("`${{{}", fill("{ `a` ")), "RYE-D001"),
        ("patterns", fill("=/["), "RYE-D001"),
        ("constants", fill("export const __version__ = {a:\n"), "RYE-D001"),
        ("script nesting", format!("const CONFIG_SCHEMA = {}", "{a:".repeat(100_000)), "RYE-D001"),
        ("front matter", format!("---\n{}", fill("---x\n")), "RYE-D001"),
        ("comments", fill("# version: 1\n"), "RYE-D001"),
        ("nul", fenced("<metadata/>", "a\0b"), "RYE-F004"),
    ];
    for (name, text, wanted) in cases {
        let rules = read_everywhere(name, text.as_bytes());
        assert!(rules.contains(&wanted), "{name}: {rules:?}");
    }
}

#[test]
fn files_that_are_no_text_of_ours_are_named() {
    let of = |bytes: &[u8]| parse_bytes(ItemType::Directive, &"md".parse().expect("known"), bytes).findings;
    assert_eq!(places(&of(&vec![b'a'; 1024 * 1024 + 1])), vec![("RYE-F001", 1, 1)]);
    assert_eq!(places(&of(b"ab\ncd\xff")), vec![("RYE-F002", 2, 3)]);
    let bom = [b"\xEF\xBB\xBF".as_slice(), GUIDE.as_bytes()].concat();
    assert_eq!(places(&of(&bom)), vec![("RYE-F003", 1, 1)]);
    let yaml = parse_bytes(ItemType::Directive, &"yaml".parse().expect("known"), GUIDE.as_bytes()).findings;
    assert_eq!(places(&yaml), vec![("RYE-F007", 1, 1)]);
}

#[test]
fn schemas_do_not_reach_out_or_backtrack() {
    let remote = json!({"$ref": "https://example.org/schema.json"});
    let faults = schema::check(&remote, &json!({})).expect_err("remote");
    assert_eq!(faults[0].message.split(',').next(), Some("the schema refers to `https://example.org/schema.json`"));
    assert!(schema::check(&json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}), &json!({})).is_err());
    let slow = json!({"type": "string", "pattern": "^(a+)+$"});
    let start = Instant::now();
    assert!(schema::check(&slow, &json!("a".repeat(50_000) + "!")).is_err());
    assert!(start.elapsed() < Duration::from_secs(5));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_on_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_everywhere("bytes", &bytes);
    }

    /// Pieces of the formats in any order reach deeper than arbitrary bytes.
    #[test]
    fn nothing_panics_on_pieces_of_items(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let text = pieces.concat();
        read_everywhere("pieces", text.as_bytes());
        let inside = GUIDE.replacen("<process>", &format!("<process>{text}"), 1);
        read_everywhere("process", inside.as_bytes());
    }

    /// A guide cut or changed anywhere is read without a panic, and every excerpt can be drawn.
    #[test]
    fn nothing_panics_on_a_damaged_guide(at in 0..GUIDE.len(), cut in 0..40_usize, put in ".{0,3}") {
        let (start, end) = (floor(at), floor((at + cut).min(GUIDE.len())));
        let text = format!("{}{put}{}", &GUIDE[..start], &GUIDE[end..]);
        let parsed = parse_bytes(ItemType::Directive, &"md".parse().expect("known"), text.as_bytes());
        for span in parsed.findings.iter().filter_map(|finding| finding.span) {
            prop_assert!(!excerpt(&text, span).is_empty());
        }
        prop_assert!(parsed.item.is_some() || has_errors(&parsed.findings));
    }
}

fn floor(at: usize) -> usize {
    (0..=at).rev().find(|at| GUIDE.is_char_boundary(*at)).unwrap_or(0)
}

const PIECES: &[&str] = &[
    "```xml\n",
    "```yaml\n",
    "```\n",
    "<directive name=\"a\" version=\"1.0.0\">",
    "</directive>",
    "<metadata>",
    "</metadata>",
    "<process>",
    "</process>",
    "<step name=\"x\">",
    "</step>",
    "<execute item_type=\"tool\" item_id=\"a\">",
    "</execute>",
    "<param name=\"p\">",
    "</param>",
    "<description>",
    "</description>",
    "<criterion>",
    "<success_criteria>",
    "{input:a}",
    "{input:",
    "`",
    "```",
    "é",
    "\n",
    "  ",
    "<!--",
    "-->",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "'''",
    "a: b\n",
    "- x\n",
    "# version: 1.0.0\n",
    "__version__ = ",
    "CONFIG_SCHEMA = {",
    "\\",
    "[",
    "}",
    "*",
    "&a ",
    "*a ",
    "\r",
    "\t",
    "\u{2028}",
    "---\n",
    "=",
    "export const ",
];

#[test]
fn hostile_links_are_taken_quickly() {
    let header = "```yaml\nname: a\ntitle: A\ncategory: ''\nversion: \"1.0.0\"\n```\n";
    for piece in ["[[", "[[a]]", "[a](", "[a](b)", "![", "[[a|", "]]", "<a:b>"] {
        let text = format!("{header}{}", piece.repeat(900_000 / piece.len()));
        let start = Instant::now();
        let taken = rye::format::links(&super::knowledge("md", &text));
        assert!(taken.len() < 10, "{piece}: {}", taken.len());
        assert!(start.elapsed() < Duration::from_secs(10), "{piece} took {:?}", start.elapsed());
    }
}
