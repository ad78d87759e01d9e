//! Directives: the whole value of a good one, and one broken place at a time.

use rye::format::{Profile, excerpt, rules};
use rye::item::{Acknowledge, Cost, InputKind, Limits, Money, Risk, Usage};
use serde_json::json;

use super::{GUIDE, Places, directive, directive_findings, places};

#[test]
fn the_guide_is_read_in_full_without_a_finding() {
    assert_eq!(directive_findings(GUIDE, "demo/greet", Profile::Thread), vec![]);
    let greet = directive(GUIDE);
    assert_eq!((greet.name.as_str(), greet.version.to_string().as_str()), ("greet", "1.2.3"));
    assert_eq!((greet.title.as_str(), greet.preamble.as_str()), ("Greet", "Says hello."));
    assert_eq!((greet.description.as_str(), greet.category.as_str()), ("Greet & go", "demo"));
    assert_eq!(greet.author.as_deref(), Some("ada"));
    let model = serde_json::to_value(&greet.model).expect("plain data");
    let wanted = json!({"tier": "general", "id": null, "fallback": null, "fallback_id": null, "text": ""});
    assert_eq!(model, wanted);
    assert_eq!(
        serde_json::to_value(&greet.permissions).expect("plain data"),
        json!({
            "calls": ["rye.execute.tool.rye.file-system.*", "rye.search.*", "rye.sign.directive.demo.*"],
            "paths": {"read": ["docs/**", "*.md"], "write": []},
        })
    );
    let reason = "It signs its own notes.".to_owned();
    assert_eq!(greet.acknowledged, vec![Acknowledge { risk: Risk::Elevated, reason }]);
    let usd = |amount| Money::parse(amount, "USD").ok();
    assert_eq!(
        greet.limits,
        Limits { turns: Some(6), tokens: Some(4096), spend: usd("0.1"), duration: Some(60), spawns: None, depth: None }
    );
    assert_eq!(
        greet.cost,
        Some(Cost {
            context_tokens: 8000,
            estimated_usage: Some(Usage::Low),
            turns: Some(4),
            spawn_threshold: None,
            duration: None,
            spend: usd("0.05"),
        })
    );
    let effective = greet.limits.effective(greet.cost.as_ref()).expect("one currency");
    assert_eq!((effective.turns, effective.spend, effective.tokens), (Some(4), usd("0.05"), Some(4096)));
    assert_eq!(
        serde_json::to_value(&greet.inputs).expect("plain data"),
        json!([
            {"name": "who", "type": "string", "required": true, "description": "Whom to greet"},
            {"name": "times", "type": "integer", "required": false, "default": 2, "description": "How often"},
        ])
    );
    assert_eq!(
        serde_json::to_value(&greet.outputs).expect("plain data"),
        json!([
            {"name": "text", "type": "string", "required": true, "from": "write.path", "description": "The greeting"},
            {"name": "count", "type": "integer", "required": false, "description": "How many"},
        ])
    );
    assert_eq!(greet.outputs[1].kind, InputKind::Integer);
    assert_eq!(greet.criteria, vec!["It is written"]);
    assert!(
        greet.body.starts_with("<process>\n  <step name=\"write\">") && greet.body.ends_with("</success_criteria>")
    );
}

/// Each case changes one place of the guide and names the findings that must follow, and no other.
#[test]
fn each_fault_is_found_where_it_stands() {
    let cases: &[(&str, &str, Places)] = &[
        ("name=\"greet\"", "name=\"other\"", &[("RYE-D013", 7, 12)]),
        ("name=\"greet\" ", "", &[("RYE-D009", 7, 1)]),
        ("version=\"1.2.3\"", "version=\"1.2\"", &[("RYE-D011", 7, 25)]),
        ("<category>demo", "<category>demos", &[("RYE-D015", 10, 15)]),
        ("<author>ada</author>", "<auhtor>ada</auhtor>", &[("RYE-D010", 8, 3), ("RYE-D005", 11, 5)]),
        ("turns=\"6\"", "turn=\"6\"", &[("RYE-D006", 13, 13)]),
        ("turns=\"6\"", "turns=\"0\"", &[("RYE-D012", 13, 13)]),
        ("turns=\"6\"", "turns=\"-6\"", &[("RYE-D012", 13, 13)]),
        ("turns=\"6\"", "turns=\"6\" max_turns=\"7\"", &[("RYE-D032", 13, 23)]),
        ("spend=\"0.10\"", "spend=\"1e3\"", &[("RYE-D012", 13, 41)]),
        ("currency=\"USD\"", "currency=\"EUR\"", &[("RYE-D032", 23, 5)]),
        ("<metadata>\n", "<metadata>loose\n", &[("RYE-D007", 8, 13)]),
        ("<search>*</search>", "<search>*</search><search>*</search>", &[("RYE-P012", 18, 33)]),
        ("<search>*</search>", "<sarch>*</sarch><search>*</search>", &[("RYE-D005", 18, 7)]),
        ("rye.file-system.*", "rye file", &[("RYE-P001", 16, 15)]),
        ("path=\"docs/**, *.md\"", "path=\"/etc/**\"", &[("RYE-P002", 19, 35)]),
        ("path=\"docs/**, *.md\" ", "path=\" , \" ", &[("RYE-D009", 19, 7)]),
        ("resource=\"filesystem\"", "resource=\"shell\"", &[("RYE-P011", 19, 7)]),
        ("risk=\"elevated\"", "risk=\"write\"", &[("RYE-P004", 20, 24), ("RYE-P017", 21, 7)]),
        ("risk=\"elevated\"", "", &[("RYE-P004", 20, 24), ("RYE-P006", 21, 7)]),
        ("It signs its own notes.", " ", &[("RYE-P004", 20, 24), ("RYE-P006", 21, 7)]),
        ("<tool>rye.file-system.*</tool>", "<tool>*</tool>", &[("RYE-P005", 16, 15)]),
        ("<tool>rye.file-system.*</tool>", "<tool>rye.shell.run</tool>", &[("RYE-P016", 43, 31)]),
        ("<search>*</search>", "<search>*</search><cap>rye.x</cap>", &[("RYE-P001", 18, 25)]),
        (
            "<search>*</search>",
            "<search>*</search><execute resource=\"shell\" action=\"ls\" />",
            &[("RYE-P007", 18, 25)],
        ),
        ("  </metadata>", "<hooks><hook/></hooks></metadata>", &[("RYE-D037", 27, 8), ("RYE-D037", 27, 8)]),
        ("  </metadata>", "<context/></metadata>", &[]),
        ("  </metadata>", "<context><befor>a/b</befor></context></metadata>", &[("RYE-D005", 27, 10)]),
        ("  </metadata>", "<context><before>a b</before></context></metadata>", &[("RYE-D012", 27, 18)]),
        ("  </metadata>", "<context><requires>docker>=20</requires></context></metadata>", &[("RYE-D012", 27, 20)]),
        ("  </metadata>", "<context><suppress/></context></metadata>", &[("RYE-D010", 27, 10)]),
        ("  </metadata>", "<continuation_directive>x</continuation_directive></metadata>", &[]),
        ("  </metadata>", "<continuation_directive>x y</continuation_directive></metadata>", &[("RYE-D012", 27, 25)]),
        ("version=\"1.2.3\"", "version=\"1.2.3\" extends=\"a/b\"", &[]),
        ("version=\"1.2.3\"", "version=\"1.2.3\" extends=\"../b\"", &[("RYE-D012", 7, 41)]),
        ("  <outputs>\n", "  <outputs><success>y</success>\n", &[("RYE-D035", 33, 12)]),
        ("  <outputs>\n", "  <outputs><failure>{input:y}</failure>\n", &[("RYE-D035", 33, 12), ("RYE-D018", 33, 21)]),
        ("The greeting", "The greeting of {input:who} and {input:y}", &[("RYE-D018", 34, 75)]),
        ("</outputs>\n", "</outputs>\n<process></process>", &[("RYE-D033", 37, 1)]),
        ("</outputs>\n", "</outputs>\n<process><stp/></process>", &[("RYE-D033", 37, 1), ("RYE-D005", 37, 10)]),
        (
            "type=\"integer\" default=\"2\"",
            "type=\"integer\" default=\"two\"",
            &[("RYE-D017", 30, 40), ("RYE-D020", 45, 49)],
        ),
        ("type=\"string\" required=\"true\"", "type=\"text\" required=\"true\"", &[("RYE-D012", 29, 23)]),
        (
            "required=\"true\"",
            "required=\"yes\"",
            &[("RYE-D012", 29, 37), ("RYE-D020", 44, 37), ("RYE-D020", 45, 35), ("RYE-D020", 47, 42)],
        ),
        ("input name=\"times\"", "input name=\"who\"", &[("RYE-D016", 30, 12), ("RYE-D018", 45, 49)]),
        ("from=\"write.path\"", "from=\"read.path\"", &[("RYE-D028", 34, 25)]),
        ("{input:times}", "{input:tmes}", &[("RYE-D027", 30, 5), ("RYE-D018", 45, 49)]),
        ("{input:times}", "{input:times", &[("RYE-D027", 30, 5), ("RYE-D019", 45, 49)]),
        ("{input:times}", "nothing", &[("RYE-D027", 30, 5)]),
        ("# Greet", "Greet", &[("RYE-D021", 6, 1)]),
        ("</metadata>", "</meta>", &[("RYE-D004", 27, 3)]),
        ("Greet &amp; go", "Greet & go", &[("RYE-D004", 9, 24)]),
        ("Greet &amp; go", "Greet &nbsp; go", &[("RYE-D004", 9, 24)]),
        ("Greet &amp; go", "Greet &#38; go", &[("RYE-D004", 9, 24)]),
        ("duration=\"60\"", "turns=\"7\"", &[("RYE-D004", 13, 54)]),
        ("duration=\"60\"", "duration=6", &[("RYE-D004", 13, 63)]),
        ("duration=\"60\"", "duration=\"<6\"", &[("RYE-D004", 13, 54)]),
        ("<directive name", "<!DOCTYPE x><directive name", &[("RYE-D004", 7, 1)]),
        ("</directive>\n```", "</directive><directive/>\n```", &[("RYE-D004", 37, 13)]),
        ("```xml\n", "```XML\n", &[("RYE-D001", 6, 1)]),
    ];
    for (from, to, wanted) in cases {
        assert!(GUIDE.contains(from), "{from}");
        let text = GUIDE.replacen(from, to, 1);
        let found = directive_findings(&text, "demo/greet", Profile::Thread);
        assert_eq!(places(&found), *wanted, "{from} -> {to}: {found:#?}");
    }
}

#[test]
fn malformed_xml_is_explained_at_its_place() {
    let text = GUIDE.replacen("<author>ada</author>", "<author>ada</autor>", 1);
    let found = directive_findings(&text, "demo/greet", Profile::Thread);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "expected `</author>`, found `</autor>`, because `<author>` was opened on line 11");
    assert_eq!(found[0].hint.as_deref(), Some("write one name in both tags, or put `</author>` before this one"));
    let span = found[0].span.expect("a place");
    assert_eq!(excerpt(&text, span), "11 |     <author>ada</autor>\n   |                ^^^^^^^^");
}

#[test]
fn fences_are_those_of_common_mark() {
    let example = GUIDE.replace("# Greet\n", "# Greet\n\n````markdown\n```xml\n<directive/>\n```\n````\n");
    assert_eq!(directive_findings(&example, "demo/greet", Profile::Thread), vec![]);
    let twice = format!("{GUIDE}\n```xml\n<directive name=\"x\" version=\"1.0.0\"></directive>\n```\n");
    assert_eq!(places(&directive_findings(&twice, "demo/greet", Profile::Thread)), vec![("RYE-D002", 56, 1)]);
    let open = GUIDE.replacen("</directive>\n```\n", "</directive>\n", 1);
    assert_eq!(places(&directive_findings(&open, "demo/greet", Profile::Thread)), vec![("RYE-D003", 6, 1)]);
    let none = directive_findings("# Only text\n", "demo/greet", Profile::Reference);
    assert_eq!(places(&none), vec![("RYE-D001", 1, 1)]);
    let crlf = GUIDE.replace('\n', "\r\n");
    assert_eq!(directive_findings(&crlf, "demo/greet", Profile::Thread), vec![]);
    assert_eq!(directive(&crlf).steps[0].actions, directive(GUIDE).steps[0].actions);
}

#[test]
fn a_thread_needs_permissions_and_a_budget_and_is_advised_to_name_a_model() {
    let bare = "# Bare\n\n```xml\n<directive name=\"bare\" version=\"1.0.0\"><metadata><description>Do it</description>\
                <category></category><author>ada</author></metadata></directive>\n```\n\nDo it.\n";
    assert_eq!(directive_findings(bare, "bare", Profile::Reference), vec![]);
    let wanted = vec![("RYE-D029", 4, 1), ("RYE-D030", 4, 1), ("RYE-D031", 4, 1)];
    assert_eq!(places(&directive_findings(bare, "bare", Profile::Thread)), wanted);
    let kebab = bare.replace("name=\"bare\"", "name=\"ba-re\"");
    assert_eq!(places(&directive_findings(&kebab, "ba-re", Profile::Reference)), vec![("RYE-D034", 4, 12)]);
    let camel = bare.replace("name=\"bare\"", "name=\"baRe\"");
    assert_eq!(places(&directive_findings(&camel, "baRe", Profile::Reference)), vec![("RYE-D014", 4, 12)]);
    let empty = bare.replace("\nDo it.\n", "");
    assert_eq!(places(&directive_findings(&empty, "bare", Profile::Reference)), vec![("RYE-D022", 3, 1)]);
}

#[test]
fn everything_is_unrestricted_unless_it_is_acknowledged() {
    let whole = |inside: &str| {
        let text = format!(
            "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><metadata><description>D</description><category/>\
             <author>x</author>\n{inside}</metadata></directive>\n```\nGo.\n"
        );
        places(&directive_findings(&text, "a", Profile::Reference))
            .into_iter()
            .map(|found| found.0.to_owned())
            .collect()
    };
    let all: Vec<String> = whole("<permissions>*</permissions>");
    assert_eq!(all, vec!["RYE-P005"]);
    let grant = "<execute>*</execute><acknowledge risk=\"unrestricted\">A test.</acknowledge>";
    let named: Vec<String> = whole(&format!("<permissions>{grant}</permissions>"));
    assert_eq!(named, Vec::<String>::new());
    let nothing: Vec<String> = whole("<permissions></permissions>");
    assert_eq!(nothing, vec!["RYE-P003"]);
    let alone: Vec<String> = whole("<permissions><acknowledge risk=\"elevated\">A test.</acknowledge></permissions>");
    assert_eq!(alone, vec!["RYE-P003"]);
    assert_eq!(whole("<permissions><execute><tool>demo/[ab]*</tool></execute></permissions>"), Vec::<String>::new());
    assert_eq!(whole("<permissions><execute><tool>demo/[ab</tool></execute></permissions>"), vec!["RYE-P001"]);
}

#[test]
fn rule_ids_are_unique() {
    let mut ids: Vec<&str> = rules::ALL.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules::ALL.len());
}
