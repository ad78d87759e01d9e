//! Mistakes whose message has to send the author to the right place, with a hint that mends them as it is written.

use rye::format::{Finding, Profile, excerpt, validate};
use rye::id::ItemType;

use super::{GUIDE, directive_findings, read};

/// The change of a good text; then rule, marked text, message and hint of the one finding.
type Mistake = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

/// The rule, what the carets mark, the message and the hint of each finding that is not advice about permissions.
fn told(text: &str, findings: Vec<Finding>) -> Vec<(String, String, String, String)> {
    let about = |finding: Finding| {
        let marked = finding.span.map_or_else(String::new, |span| {
            let shown = excerpt(text, span);
            let (line, carets) = shown.split_once('\n').expect("two lines");
            let from = carets.find('^').expect("a mark");
            line.chars().skip(from).take(carets.len() - from).collect()
        });
        (finding.rule.to_owned(), marked, finding.message, finding.hint.unwrap_or_default())
    };
    findings.into_iter().filter(|finding| finding.rule != "RYE-P016").map(about).collect()
}

fn owned((_, _, rule, marked, message, hint): Mistake) -> (String, String, String, String) {
    (rule.to_owned(), marked.to_owned(), message.to_owned(), hint.to_owned())
}

#[test]
fn mistakes_in_directives_are_shown_where_they_are() {
    let cases: &[Mistake] = &[
        (
            "<author>",
            "<author>a < b ",
            "RYE-D004",
            "<",
            "`<` starts no element here",
            "write `&lt;` for a less-than sign",
        ),
        (
            "<limits ",
            "<limits spend_currency=\"usd\" ",
            "RYE-D012",
            "spend_currency",
            "invalid amount of money `usd`: a currency is three capital letters like `USD`",
            "write a currency such as `spend_currency=\"USD\"`",
        ),
        (
            "turns=\"6\"",
            "turns=\"99999999999\"",
            "RYE-D012",
            "turns",
            "`99999999999` is a larger number than can be counted to",
            "write a smaller one",
        ),
        (
            "<permissions>",
            "<permissions><cap>tool.a</cap>",
            "RYE-P001",
            "<cap>",
            "`tool.a` is not a capability: it must start with `rye.`",
            "write it in the current form, such as `<execute><tool>rye.file-system.*</tool></execute>`",
        ),
        (
            "<permissions>",
            "<permissions><read resource=\"filesystem\" path=\"a\\b\" />",
            "RYE-P002",
            "path",
            "the path pattern `a\\b` cannot be enforced: no path of the project contains a backslash; write `/` between folders",
            "write globs inside the project, such as `docs/**,README.md`",
        ),
    ];
    for case in cases {
        let (part, mistake, ..) = *case;
        assert!(GUIDE.contains(part), "{part}");
        let text = GUIDE.replacen(part, mistake, 1);
        assert_eq!(
            told(&text, directive_findings(&text, "demo/greet", Profile::Reference)),
            [owned(*case)],
            "{mistake}"
        );
    }
}

#[test]
fn a_call_that_is_not_permitted_is_shown_in_either_kind_of_quotes() {
    let text = "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\">\n<metadata><description>D</description><category/>\
                <author>x</author><permissions><load>*</load></permissions></metadata>\n</directive>\n```\n\n<process>\n\
                <step name=\"s\">\n<load item_type='tool' item_id='b'/>\n<execute item_type='tool' item_id='b'/>\n</step>\n\
                </process>\n";
    let found = directive_findings(text, "a", Profile::Reference);
    let shown: Vec<_> = found.iter().map(|finding| (finding.rule, finding.line, finding.column)).collect();
    assert_eq!(shown, [("RYE-P016", 12, 27)]);
}

#[test]
fn a_byte_order_mark_is_all_that_is_wrong_with_a_file() {
    let text = format!("\u{FEFF}{GUIDE}");
    let found = directive_findings(&text, "demo/greet", Profile::Reference);
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), ["RYE-F003"]);
}

const NOTES: &str = "```yaml\nname: notes\ntitle: Notes\ncategory: ''\nversion: \"1.0.0\"\n```\n\nText.\n";

#[test]
fn mistakes_in_yaml_are_told_in_our_words() {
    let cases: &[Mistake] = &[
        (
            "title: Notes\n",
            "title: Notes\ntitle: Again\n",
            "RYE-F006",
            "t",
            "the yaml cannot be read: the key `title` appears twice",
            "keep one of them",
        ),
        (
            "title: Notes\n",
            "title: Notes\ntags: &a [x]\n<<: *a\n",
            "RYE-F006",
            "<",
            "the yaml cannot be read: merge keys (`<<`) are not read",
            "write the keys out where they belong",
        ),
        (
            "version: \"1.0.0\"",
            "version: 1.0",
            "RYE-K003",
            "version: 1.0",
            "`version` must be a string, not `1.0`",
            "write `version: \"1.0.0\"`, in quotes",
        ),
        (
            "version: \"1.0.0\"\n",
            "version: \"1.0.0\"\nreferance: [a]\n",
            "RYE-K004",
            "referance: [a]",
            "`referance` is not a key of a knowledge header",
            "did you mean `references`?",
        ),
        (
            "category: ''",
            "category: demo",
            "RYE-K006",
            "category: demo",
            "the category is `demo`, and the file lies in no folder of its type's",
            "leave the category empty, or move the file",
        ),
    ];
    for case in cases {
        let (part, mistake, ..) = *case;
        let text = NOTES.replacen(part, mistake, 1);
        let parsed = read(ItemType::Knowledge, "md", &text);
        let found = validate(&parsed, &"notes".parse().expect("an id"), Profile::Reference);
        assert_eq!(told(&text, found), [owned(*case)], "{mistake}");
    }
}

#[test]
fn a_header_constant_that_cannot_be_read_is_found_once_and_one_without_value_is_missing() {
    let rules = |extension: &str, text: &str| -> Vec<&'static str> {
        read(ItemType::Tool, extension, text).findings.iter().map(|finding| finding.rule).collect()
    };
    let python = "__version__ = f\"1.0.0\"\n__tool_description__ = \"Say \" + \"it\"\n";
    assert_eq!(rules("py", python), ["RYE-T002", "RYE-T002"]);
    assert_eq!(rules("js", "// description: Say it\nexport const __version__ = `1.${0}.0`;\n"), ["RYE-T002"]);
    assert_eq!(rules("py", "__version__ = None\n__tool_description__ = \"Say it\"\n"), ["RYE-T001"]);
    assert_eq!(rules("yaml", "version: null\ndescription: Say it\n"), ["RYE-T001"]);
}

/// A file may hold words of any length: messages about them stay a sentence, in text and in JSON.
#[test]
fn no_message_or_hint_repeats_a_whole_file() {
    let long = "x".repeat(7_000);
    let steps: String = (0..20).map(|at| format!("<step name=\"{at}{long}\">Go.</step>\n")).collect();
    for (part, other) in [
        ("version=\"1.2.3\"", format!("version=\"{long}\"")),
        ("type=\"integer\"", format!("type=\"{long}\"")),
        ("required=\"true\"", format!("required=\"{long}\"")),
        ("from=\"write.path\"", format!("from=\"{long}\"")),
        ("<process>", format!("<process>{steps}")),
    ] {
        let text = GUIDE.replacen(part, &other, 1).replace("from=\"write.path\"", "from=\"nowhere\"");
        assert_ne!(text, GUIDE, "{part}");
        let found = directive_findings(&text, "demo/greet", Profile::Reference);
        assert!(!found.is_empty(), "{part}");
        for finding in found {
            let hint = finding.hint.unwrap_or_default();
            assert!(finding.message.len().max(hint.len()) < 2_000, "{part}: {}", finding.rule);
        }
    }
}
