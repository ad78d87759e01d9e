//! The table of rules: every rule has an example that breaks it and one that does not, and docs/reference/rules.md is written
//! from them. What the two lists of rules of the seed documents ask for is covered number by number.

use std::collections::BTreeSet;
use std::path::Path;

use rye::format::{capabilities, parse_bytes, rules};
use rye::id::ItemType;

use super::examples::{Base, Example, examples, rules_page};
use crate::support::Sandbox;

/// Returns the ids of the rules that a file breaks when it lies in a workspace by itself.
fn linted(files: &[(&str, &[u8])]) -> Vec<String> {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    std::fs::create_dir_all(sandbox.project().join(".ai")).unwrap();
    for (name, bytes) in files {
        let path = sandbox.project().join(".ai").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let outcome = sandbox.rye(&["lint", "--profile", "thread", "--json"]).stdout();
    let outcome: serde_json::Value = serde_json::from_slice(&outcome).unwrap();
    let findings = outcome["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// What the directive of the examples depends on, and under another name what its hook runs; it breaks no rule.
const BUILD_IMAGES: &str = "# Build images

```xml
<directive name=\"build_images\" version=\"1.0.0\">
  <metadata>
    <description>Build the images of every service</description>
    <category>demo</category>
    <author>ada</author>
    <model tier=\"general\" />
    <limits turns=\"5\" tokens=\"20000\" />
    <permissions>
      <execute>
        <tool>rye.file-system.read</tool>
      </execute>
    </permissions>
  </metadata>
</directive>
```

Build them.
";

/// Returns the ids of the rules that a text breaks in the place of a base.
fn broken_by(base: Base, bytes: &[u8]) -> Vec<String> {
    match base {
        Base::Directive => linted(&[
            ("directives/demo/deploy_staging.md", bytes),
            ("directives/demo/build_images.md", BUILD_IMAGES.as_bytes()),
            ("directives/demo/warn.md", BUILD_IMAGES.replace("build_images", "warn").as_bytes()),
        ]),
        Base::Tool => linted(&[("tools/demo/count.sh", bytes)]),
        Base::YamlTool => linted(&[("tools/demo/words.yaml", bytes)]),
        Base::Knowledge => linted(&[("knowledge/demo/glossary.md", bytes)]),
        Base::Skill => linted(&[
            ("../.claude/skills/read-pdf/SKILL.md", bytes),
            ("../.claude/skills/read-pdf/scripts/read.py", b"print(1)\n"),
        ]),
        Base::Manifest => linted(&[("skills/demo/read-pdf.sig", bytes)]),
        Base::Capabilities => {
            let found = capabilities(std::str::from_utf8(bytes).unwrap()).findings;
            found.iter().map(|finding| finding.rule.to_owned()).collect()
        }
        Base::Name => vec![],
    }
}

#[test]
fn what_the_examples_change_breaks_no_rule() {
    for base in
        [Base::Directive, Base::Tool, Base::YamlTool, Base::Knowledge, Base::Capabilities, Base::Skill, Base::Manifest]
    {
        assert_eq!(broken_by(base, base.text().as_bytes()), Vec::<String>::new(), "{base:?}");
    }
}

#[test]
fn every_rule_has_one_example_that_breaks_it() {
    let ids: Vec<&str> = examples().map(|example| example.rule.id).collect();
    let wanted: Vec<&str> = rules::ALL.iter().map(|rule| rule.id).collect();
    assert_eq!(ids, wanted);
    let mut unbroken = Vec::new();
    for example in examples().filter(|example| example.base != Base::Name) {
        let Example { rule, base, good, bad, make, .. } = example;
        assert!(!good.trim().is_empty() && good != bad, "{}", rule.id);
        assert!(
            make.is_some() || base.text().contains(good),
            "{}: the good example is not a part of the text",
            rule.id
        );
        let found = broken_by(*base, &example.broken());
        if !found.iter().any(|id| id == rule.id) {
            unbroken.push(format!("{}: {found:?}\n{bad}", rule.id));
        }
    }
    assert!(unbroken.is_empty(), "{}", unbroken.join("\n"));
}

/// Rules about names of files, which no text can break.
#[test]
fn names_of_files_break_rules_too() {
    let greet = Base::Directive.text().as_bytes();
    let parsed = parse_bytes(ItemType::Directive, &"yaml".parse().unwrap(), greet);
    assert_eq!(parsed.findings[0].rule, rules::WRONG_EXTENSION.id);
    let words = Base::Knowledge.text().replace("glossary", "notes-2");
    assert_eq!(linted(&[("knowledge/demo/notes-2.md", words.as_bytes())]), Vec::<String>::new());
    assert_eq!(linted(&[("knowledge/demo/notes.v2.md", words.as_bytes())]), ["RYE-S020"]);
    let count = Base::Tool.text().as_bytes();
    assert_eq!(linted(&[("tools/demo/count.sh", count), ("tools/demo/count.py", count)]), ["RYE-S021"]);
}

#[test]
fn docs_rules_is_generated_and_has_no_empty_cell() {
    let path = Path::new(crate::support::ROOT).join("docs/reference/rules.md");
    let generated = rules_page();
    if std::env::var_os("RYE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == generated, "docs/reference/rules.md is out of date: run the test again with RYE_UPDATE_DOCS=1");
    let rows: Vec<&str> = generated.lines().filter(|line| line.starts_with("| [RYE-")).collect();
    assert_eq!(rows.len(), rules::ALL.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert!(cells.len() == 4 && cells.iter().all(|cell| cell.chars().any(char::is_alphanumeric)), "{row}");
    }
}

/// What a rule says asks for it is there: a seed document by its number, or a section of the page on formats.
#[test]
fn every_rule_is_asked_for_by_something() {
    let formats = std::fs::read_to_string(Path::new(crate::support::ROOT).join("docs/formats.md")).unwrap();
    let sections: BTreeSet<&str> = formats
        .lines()
        .filter_map(|line| line.strip_prefix("##"))
        .filter_map(|heading| heading.trim_start_matches('#').split_whitespace().next())
        .map(|number| number.trim_end_matches('.'))
        .collect();
    for example in examples() {
        for asks in example.asked_by.split(", ") {
            let is_there = match asks.strip_prefix('§') {
                Some(section) => sections.contains(section),
                None => ["000", "001", "002", "003"].contains(&asks.get(..3).unwrap_or_default()),
            };
            assert!(is_there, "{}: `{asks}`", example.rule.id);
        }
    }
}

/// What each number of the two lists asks for, and the rules that hold items to it.
pub(super) const LISTS: [(&str, &[&str]); 24] = [
    ("000 #1", &["RYE-D009"]),
    ("000 #2", &["RYE-D010"]),
    ("000 #3", &["RYE-D029", "RYE-D030", "RYE-D031"]),
    ("000 #4", &["RYE-D011"]),
    ("000 #5", &["RYE-D009"]),
    ("000 #6", &["RYE-D015"]),
    ("000 #7", &["RYE-P003"]),
    ("000 #8", &["RYE-D009", "RYE-D010"]),
    ("000 #9", &["RYE-D050"]),
    ("000 #10", &["RYE-P002"]),
    ("000 #11", &["RYE-D005"]),
    ("000 #12", &["RYE-D038"]),
    ("001 #1", &["RYE-D009"]),
    ("001 #2", &["RYE-D010", "RYE-D029", "RYE-D030", "RYE-D031"]),
    ("001 #3", &["RYE-D011"]),
    ("001 #4", &["RYE-D009"]),
    ("001 #5", &["RYE-D015"]),
    ("001 #6", &["RYE-P003"]),
    ("001 #7", &["RYE-D009", "RYE-D010"]),
    ("001 #8", &["RYE-P001"]),
    ("001 #9", &["RYE-D005"]),
    ("001 #10", &["RYE-D038"]),
    ("001 #11", &["RYE-D016"]),
    ("001 #12", &["RYE-D033"]),
];

/// The part of the directive that a number is about, and that part as the number forbids it; for a number that allows
/// something the second is nothing, and the text must do without the first in the profile it speaks of.
type Forbidden = (&'static str, &'static str, &'static str);

/// Breaks each number by itself, where the example of its rule breaks another one.
const BROKEN: [Forbidden; 10] = [
    ("RYE-D009", " version=\"1.0.0\">", ">"),
    ("RYE-D009", "<directive name=\"deploy_staging\" ", "<directive "),
    ("RYE-D010", "    <description>Deploy a service to staging and check that it answers</description>\n", ""),
    ("RYE-D010", "    <category>demo</category>\n", ""),
    ("RYE-D010", "    <author>ada</author>\n", ""),
    ("RYE-D009", " tier=\"orchestrator\"", ""),
    ("RYE-D009", " turns=\"5\"", ""),
    ("RYE-D009", " estimated_usage=\"low\"", ""),
    ("RYE-D010", "      <context estimated_usage=\"low\" turns=\"5\">8000</context>\n", ""),
    ("RYE-D016", "name=\"replicas\"", "name=\"service\""),
];

#[test]
fn both_lists_of_the_seeds_are_covered_number_by_number() {
    for (number, rules) in LISTS {
        let named: BTreeSet<&str> = examples()
            .filter(|example| example.asked_by.split(", ").any(|seed| seed == number))
            .map(|example| example.rule.id)
            .collect();
        assert_eq!(named, rules.iter().copied().collect(), "{number}");
    }
    let text = Base::Directive.text();
    for (rule, part, forbidden) in BROKEN {
        assert!(text.contains(part), "{part}");
        let found = broken_by(Base::Directive, text.replacen(part, forbidden, 1).as_bytes());
        assert!(found.iter().any(|id| id == rule), "{part}: {found:?}");
    }
}
