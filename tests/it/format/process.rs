//! The process zone: pseudo-XML in which only known elements, where they belong, are elements.

use rye::format::Profile;
use serde_json::json;

use super::{GUIDE, Places, directive, directive_findings};

/// A directive with this process zone; it starts on line 11.
fn with_process(process: &str) -> String {
    format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\">\n<metadata><description>D</description><category/>\n\
         <author>x</author></metadata>\n<inputs></inputs>\n</directive>\n```\n\n{process}"
    )
}

fn found(process: &str) -> Vec<(String, usize, usize)> {
    let findings = directive_findings(&with_process(process), "a", Profile::Reference);
    findings.into_iter().map(|finding| (finding.rule.to_owned(), finding.line, finding.column)).collect()
}

#[test]
fn steps_and_actions_are_read_as_written() {
    assert_eq!(
        serde_json::to_value(&directive(GUIDE).steps).expect("plain data"),
        json!([{
            "name": "write",
            "text": "Write it & <b>see</b>.\n\n\nThen go: use `<step name=\"x\">` and `rye_execute(...)` as you like.",
            "actions": [
                {
                    "primary": "execute", "item_type": "tool", "item_id": "rye/file-system/write", "attributes": {},
                    "params": [["path", "out/{input:who}.md"], ["content", "Hello {input:who} < {input:times}"]],
                },
                {
                    "primary": "search", "item_type": "knowledge", "item_id": null,
                    "attributes": {"query": "{input:who}"}, "params": [],
                },
            ],
        }])
    );
}

#[test]
fn parameters_keep_lines_and_entities_stand_in_attributes_only() {
    let text = with_process(
        "<process><step name=\"s\"><load item_type='knowledge' item_id='a/b'>\n  <param name=\"p\">\n    one\n      two &amp;\n  \
         </param>\n  <param name=\"q\" value=\"&quot;x&quot; & &amp; &nope; &lt;\"/>\n</load></step></process>",
    );
    let params = &directive(&text).steps[0].actions[0].params;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(params, &vec![pair("p", "one\n  two &amp;"), pair("q", "\"x\" & & &nope; <")]);
}

#[test]
fn what_stands_in_backticks_or_fences_is_text() {
    let example = "```xml\n<execute item_type=\"tool\">\n</step>\n```";
    let process =
        format!("<process>\n<step name=\"s\">\nUse `<execute>` or ``<load x`>``.\n{example}\n</step>\n</process>");
    assert_eq!(found(&process), vec![]);
    let steps = directive(&with_process(&process)).steps;
    assert_eq!(steps[0].text, format!("Use `<execute>` or ``<load x`>``.\n{example}"));
}

#[test]
fn misplaced_and_broken_elements_are_findings() {
    let cases: &[(&str, Places)] = &[
        ("Just do it, 3 < 4 && a <b> c.", &[]),
        ("<process><step name=\"a\">x</process>", &[("RYE-D024", 11, 10)]),
        ("<process>\n<step name=\"a\">x\n<step name=\"b\">y</step></process>", &[("RYE-D024", 12, 1)]),
        ("<process><step name=\"a\">x</step>", &[("RYE-D024", 11, 1)]),
        ("<process><step>x</step></process>", &[("RYE-D009", 11, 10)]),
        ("<process><step name=\"a\"/><step name=\"a\"/></process>", &[("RYE-D016", 11, 26)]),
        ("<process><step name=\"a\" if=\"b\"/></process>", &[("RYE-D006", 11, 10)]),
        ("<process></process><process></process>", &[("RYE-D008", 11, 20)]),
        ("<step name=\"a\">x</step>", &[("RYE-D025", 11, 1), ("RYE-D025", 11, 17)]),
        ("<process><search query=\"x\"/></process>", &[("RYE-D025", 11, 10)]),
        ("<search query=\"x\"/>", &[("RYE-D025", 11, 1)]),
        ("<process><step name=\"a\"><execute></execute></step></process>", &[("RYE-D026", 11, 25)]),
        ("<process><step name=\"a\"><search item_type=\"tool\"/></step></process>", &[("RYE-D026", 11, 25)]),
        ("<process><step name=\"a\"><search query=\"q\" space=\"mars\"/></step></process>", &[("RYE-D026", 11, 25)]),
        ("<process><step name=\"a\"><search query=\"q\" max=\"many\"/></step></process>", &[("RYE-D026", 11, 25)]),
        ("<process><step name=\"a\"><search query=\"q\" max=\"3\" sort=\"date\"/></step></process>", &[]),
        ("<process><step name=\"a\"><load item_type=\"tol\" item_id=\"x\"/></step></process>", &[("RYE-D026", 11, 25)]),
        (
            "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"../x\"/></step></process>",
            &[("RYE-D026", 11, 25)],
        ),
        (
            "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"x\" q=\"\"/></step></process>",
            &[("RYE-D006", 11, 25)],
        ),
        (
            "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"x\">y</load></step></process>",
            &[("RYE-D007", 11, 60)],
        ),
        ("<process><step name=\"a\"><load item_type=\"tool\" item_id=\"x\"></step></process>", &[("RYE-D024", 11, 25)]),
        ("<process><step name=\"a\"><param name=\"p\" value=\"1\"/></step></process>", &[("RYE-D025", 11, 25)]),
        (
            "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"x\"/></load></step></process>",
            &[("RYE-D025", 11, 61)],
        ),
        (
            "<process><step name=\"a\"><load item_type=\"tool\" item_id=\"x\"><param name=\"p\"/><param name=\"p\"/></load></step></process>",
            &[("RYE-D057", 11, 25), ("RYE-D016", 11, 77)],
        ),
        ("<process><step name=a>x</step></process>", &[("RYE-D023", 11, 10), ("RYE-D025", 11, 24)]),
        ("<process><step name=\"a\"><sign item_type=\"x></step></process>", &[("RYE-D023", 11, 25)]),
        ("`rye_execute(item_type=\"tool\", item_id=\"x\")`", &[]),
        ("`rye_execute(item_type=\"tool\", item_id=\"x\", parameters={...})`", &[("RYE-D036", 11, 2)]),
        ("<success_criteria><criterion>x</success_criteria>", &[("RYE-D024", 11, 19)]),
        ("<process>\n<step name=\"a\">\n```\nx\n</step></process>", &[("RYE-D024", 11, 1), ("RYE-D024", 12, 1)]),
    ];
    for (process, wanted) in cases {
        let wanted: Vec<_> = wanted.iter().map(|(rule, line, column)| ((*rule).to_owned(), *line, *column)).collect();
        assert_eq!(found(process), wanted, "{process}");
    }
}

#[test]
fn what_is_commented_out_is_not_done() {
    let comment =
        "<!-- <execute item_type=\"tool\" item_id=\"a\" />\n</step> `rye_load(item_type=\"tool\", item_id=\"b\")` -->";
    let process = format!("<process>\n<step name=\"s\">\n{comment}\nGo.\n</step>\n</process>");
    assert_eq!(found(&process), vec![]);
    let step = directive(&with_process(&process)).steps.remove(0);
    assert_eq!((step.text, step.actions), (format!("{comment}\nGo."), vec![]));
    // An unclosed comment is not a comment, and hides nothing.
    let process = "<process>\n<step name=\"s\">\n<!-- <load item_type=\"tool\" item_id=\"a\" />\n</step>\n</process>";
    assert_eq!(found(process), vec![]);
    assert_eq!(directive(&with_process(process)).steps[0].actions.len(), 1);
}
