//! The lists of rules and of best practices in the documents, entry by entry: which rule of this program judges it, or
//! why only a person can.

use std::collections::{BTreeMap, BTreeSet};

use super::super::examples::examples;
use crate::support::beside::document;

/// One entry: its line and first words, the rules that judge it, and the reason if it has none.
type Entry = (usize, &'static str, &'static [&'static str], &'static str);

const FITS: &str = "whether a word fits what is done, only a person can say";
const NEEDED: &str = "what work needs, only a person can say";
const CHOICE: &str = "offers a way, and asks for nothing";
const NOT_YET: &str = "asks for what this version does not do: a rule `RYE-U…` says so";
const TELLS: &str = "tells what something does, and asks for nothing";

/// The entries under each heading, named as the rules name what asks for them.
const PRACTICES: [(&str, &[Entry]); 17] = [
    (
        "000 naming",
        &[
            (512, "- Use snake-case", &["RYE-D014", "RYE-D034"], ""),
            (513, "- Be descriptive", &["RYE-D040"], ""),
            (514, "- Include outcomes", &[], FITS),
        ],
    ),
    (
        "000 descriptions",
        &[
            (518, "- One line, imperative", &["RYE-D041", "RYE-D042"], ""),
            (519, "- Include main outcome", &[], FITS),
            (520, "- Avoid redundancy", &["RYE-D043"], ""),
        ],
    ),
    ("000 model selection", &[(524, "- Choose tier", &[], FITS), (525, "- Provide meaningful fallback", &[], FITS)]),
    (
        "000 permissions",
        &[
            (529, "- Declare minimal", &["RYE-P005", "RYE-P012"], ""),
            (530, "- Use glob patterns", &[], CHOICE),
            (531, "- Group related", &[], CHOICE),
            (532, "- Document why", &["RYE-P004"], ""),
        ],
    ),
    (
        "000 context",
        &[
            (536, "- List all related", &[], NEEDED),
            (537, "- Use relationships", &[], NEEDED),
            (538, "- Document how", &[], FITS),
        ],
    ),
    (
        "000 cost tracking",
        &[
            (542, "- Always define", &["RYE-D010"], ""),
            (543, "- Set realistic", &[], NEEDED),
            (544, "- Set `spawn_threshold`", &[], NOT_YET),
            (545, "- Include `<spend>`", &["RYE-D048"], ""),
        ],
    ),
    (
        "000 hooks",
        &[
            (549, "- Use hooks", &[], CHOICE),
            (550, "- Keep hook directives", &[], NEEDED),
            (551, "- Provide fallback tier", &[], CHOICE),
            (552, "- Document hook", &[], FITS),
        ],
    ),
    (
        "001 naming",
        &[
            (628, "- snake_case", &["RYE-D014", "RYE-D034"], ""),
            (629, "- Action-oriented", &["RYE-D040"], ""),
            (630, "- Include outcomes", &[], FITS),
        ],
    ),
    (
        "001 structure",
        &[
            (633, "- **One fence", &["RYE-D002", "RYE-D008", "RYE-D033"], ""),
            (634, "- **Principle of least", &["RYE-P005", "RYE-P012"], ""),
            (635, "- **Measurable", &["RYE-D044"], ""),
            (636, "- **Always sign", &["RYE-D046", "RYE-D063"], ""),
            (637, "- Category matches", &["RYE-D015"], ""),
        ],
    ),
    (
        "001 model selection",
        &[
            (640, "- Choose tier", &[], FITS),
            (641, "- Provide meaningful", &[], FITS),
            (642, "- Use `low`", &[], FITS),
            (643, "- Use `orchestrator`", &[], FITS),
        ],
    ),
    (
        "001 cost tracking",
        &[
            (646, "- Always define", &["RYE-D010"], ""),
            (647, "- Set realistic", &[], NEEDED),
            (648, "- Set `spawn_threshold`", &[], NOT_YET),
            (649, "- Include `<spend>`", &["RYE-D048"], ""),
        ],
    ),
    (
        "001 hooks",
        &[
            (652, "- Use hooks", &[], CHOICE),
            (653, "- Keep hook directives", &[], NEEDED),
            (654, "- Document hook", &[], FITS),
        ],
    ),
    (
        "002",
        &[
            (84, "1. Markdown title", &["RYE-D021"], ""),
            (85, "2. A single", &["RYE-D001", "RYE-D002"], ""),
            (86, "3. Process steps AFTER", &["RYE-D033"], ""),
            (90, "**XML block** contains", &["RYE-D005"], ""),
            (91, "- `<metadata>` with", &["RYE-D010", "RYE-D029", "RYE-D030", "RYE-D031"], ""),
            (92, "- `<inputs>` with typed", &["RYE-D009"], ""),
            (93, "- `<outputs>` with", &["RYE-D050"], ""),
            (95, "**Process steps** go", &["RYE-D033", "RYE-D045"], ""),
            (97, "Do NOT write", &["RYE-D045"], ""),
            (102, "- `<tool>mcp.my-server.my_type.create", &[], TELLS),
            (103, "- `<tool>mcp.my-server.my_type.*", &[], TELLS),
            (104, "- `<tool>rye.file-system.*", &[], TELLS),
            (105, "- Do NOT grant", &["RYE-P015"], ""),
            (113, "- `<system>", &[], TELLS),
            (114, "- `<before>", &[], TELLS),
            (115, "- `<suppress>", &[], TELLS),
            (120, "- Parent context", &[], TELLS),
            (121, "- Child permissions", &[], TELLS),
            (122, "- Do NOT extend", &["RYE-D051"], ""),
            (125, "- Use extends", &[], CHOICE),
            (126, "- Each leaf", &["RYE-D030"], ""),
        ],
    ),
    // What asks for something outside of the lists.
    ("000 name", &[(23, "- `name` (required)", &["RYE-D013"], "")]),
    ("001 name", &[(167, "| `name` | string", &["RYE-D013"], "")]),
    ("001 description", &[(179, "One-line imperative", &["RYE-D041", "RYE-D042"], "")]),
    ("003", &[(204, "2. Warn about deprecated", &["RYE-P007", "RYE-P014"], "")]),
];

/// How many of them, the last, are about text outside of the lists.
const OUTSIDE: usize = 4;

/// Returns the entries of a document's list with their headings.
fn listed(number: &str, text: &str) -> Vec<(String, usize, String)> {
    let (mut found, mut inside, mut heading) = (Vec::new(), false, String::new());
    for (index, line) in text.lines().enumerate() {
        let entry = line.trim();
        match (number, line) {
            ("002", _) => inside |= entry.starts_with("The generated file must"),
            (_, "## Best Practices") => inside = true,
            _ if line.starts_with("## ") => inside = false,
            _ => {}
        }
        if let Some(title) = line.strip_prefix("### ") {
            heading = format!("{number} {}", title.to_lowercase());
        }
        let is_numbered = entry.split_once(". ").is_some_and(|(digits, _)| digits.parse::<u32>().is_ok());
        let is_entry = is_numbered || ["- ", "**", "Do NOT"].iter().any(|mark| entry.starts_with(mark));
        inside &= line != "</process>";
        if inside && is_entry {
            let heading = if number == "002" { "002".to_owned() } else { heading.clone() };
            found.push((heading, index + 1, entry.to_owned()));
        }
    }
    found
}

#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn every_best_practice_of_the_documents_is_judged_or_left_to_a_person() {
    let (lists, outside) = PRACTICES.split_at(PRACTICES.len() - OUTSIDE);
    for number in ["000", "001", "002"] {
        let text = document(number);
        let listed = listed(number, &text);
        let here = lists.iter().filter(|(asks, _)| asks.starts_with(number));
        let known: Vec<_> = here.flat_map(|(asks, entries)| entries.iter().map(move |entry| (asks, entry))).collect();
        let lines: Vec<usize> = listed.iter().map(|(_, line, _)| *line).collect();
        assert_eq!(lines, known.iter().map(|(_, (line, ..))| *line).collect::<Vec<_>>(), "{number}: {listed:#?}");
        for ((heading, line, entry), (asks, (_, begins, ..))) in listed.iter().zip(known) {
            assert!(heading == asks && entry.starts_with(begins), "{number}:{line}: {heading}: {entry}");
        }
    }
    for (asks, entries) in outside {
        let text = document(&asks[..3]);
        for (line, begins, ..) in *entries {
            assert!(text.lines().nth(line - 1).unwrap().starts_with(begins), "{asks}: {line}");
        }
    }
}

/// The table of rules names what asks for each of them; both tables say the same.
#[test]
fn the_rules_name_the_practices_that_ask_for_them() {
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (asks, entries) in PRACTICES {
        for (line, _, rules, why) in entries {
            assert_ne!(rules.is_empty(), why.is_empty(), "{asks}: {line}");
            wanted.entry(asks).or_default().extend(*rules);
        }
    }
    wanted.retain(|_, rules| !rules.is_empty());
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for example in examples() {
        for asks in example.asked_by.split(", ").filter(|asks| !asks.contains(['#', '§'])) {
            named.entry(asks).or_default().insert(example.rule.id);
        }
    }
    assert_eq!(named, wanted);
}

/// The numbered rules of a document: their numbers are those that the rules' own test goes through.
#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn the_lists_of_rules_have_as_many_numbers_as_are_covered() {
    for number in ["000", "001"] {
        let text = document(number);
        let list = text.lines().skip_while(|line| *line != "## Validation Rules").skip(1);
        let list = list.take_while(|line| !line.starts_with("## "));
        let numbers: Vec<String> = list
            .filter_map(|line| line.split_once(". "))
            .filter(|(digits, _)| digits.parse::<u32>().is_ok())
            .map(|(digits, _)| format!("{number} #{digits}"))
            .collect();
        let covered = super::super::rules::LISTS.iter().map(|(asks, _)| *asks);
        assert_eq!(numbers, covered.filter(|asks| asks.starts_with(number)).collect::<Vec<_>>());
    }
}
