//! Hooks, context and the rest of the metadata as typed values, and one broken place at a time.

use rye::format::template::{Room, render_variables};
use rye::format::{Profile, excerpt};
use rye::item::{HookEvent, Variables};
use serde_json::{Value, json};

use super::{Places, directive, directive_findings, places};

/// A directive with this metadata after the required part, from line 6 on.
fn with_metadata(metadata: &str) -> String {
    format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\">\n<metadata><description>D</description><category/><author>x</author>\n\
         {metadata}\n</metadata>\n<inputs><input name=\"env\" type=\"string\">E</input></inputs>\n</directive>\n```\n\n\
         Work in {{input:env?}}.\n"
    )
}

fn hooks(inside: &str) -> Value {
    let text = with_metadata(&format!("<hooks>{inside}</hooks>"));
    assert_eq!(directive_findings(&text, "a", Profile::Reference), vec![], "{inside}");
    serde_json::to_value(directive(&text).hooks).expect("plain data")
}

#[test]
fn both_forms_of_hooks_are_read() {
    let seed = "<hook><when>loop_count > 3</when><execute item_type=\"directive\">stop-loop</execute>\
                <inputs><count>${loop_count}</count><note> as is </note></inputs></hook>";
    assert_eq!(
        hooks(seed),
        json!([{
            "when": "loop_count > 3",
            "action": {"primary": "execute", "item_type": "directive", "item_id": "stop-loop"},
            "inputs": [["count", "${loop_count}"], ["note", "as is"]],
        }])
    );
    let event = "<hook event=\"error\"><condition path=\"error.type\" op=\"eq\" value=\"failed\"/>\
                 <condition path=\"loop_count\" op=\"gte\" value=\"2\"/>\
                 <action primary=\"load\" item_type=\"knowledge\" item_id=\"a/b\"/></hook>";
    assert_eq!(
        hooks(event),
        json!([{
            "event": "error",
            "when": "(error.type eq failed) && (loop_count gte 2)",
            "action": {"primary": "load", "item_type": "knowledge", "item_id": "a/b"},
            "inputs": [],
        }])
    );
}

#[test]
fn the_conditions_of_the_event_form_mean_what_they_say() {
    let values = json!({"loop_count": 3, "env": "staging", "cost": {"current": 0.5, "limit": 1.0}});
    let Value::Object(values) = values else { panic!() };
    let variables = Variables { event: HookEvent::AfterStep, values };
    for (condition, wanted) in [
        ("path=\"loop_count\" op=\"==\" value=\"3\"", true),
        ("path=\"loop_count\" op=\"ne\" value=\"3\"", false),
        ("path=\"loop_count\" op=\"lt\" value=\"3.5\"", true),
        ("path=\"loop_count\" op=\"&lt;=\" value=\"2\"", false),
        ("path=\"cost.current\" op=\">\" value=\"0.4\"", true),
        ("path=\"env\" op=\"in\" value=\"staging, production\"", true),
        ("path=\"env\" op=\"in\" value='[\"test\"]'", false),
        ("path=\"env\" op=\"contains\" value=\"tag\"", true),
        ("path=\"env\" op=\"starts_with\" value=\"prod\"", false),
        ("path=\"env\" op=\"exists\"", true),
        ("path=\"error.type\" op=\"exists\"", false),
    ] {
        let hook = format!("<hook><condition {condition}/><execute item_type=\"tool\">x</execute></hook>");
        let text = with_metadata(&format!("<hooks>{hook}</hooks>"));
        assert_eq!(directive_findings(&text, "a", Profile::Reference), vec![], "{condition}");
        let when = directive(&text).hooks[0].when.clone().expect("a condition");
        assert_eq!(when.holds(&variables), wanted, "{condition}");
    }
}

#[test]
fn each_fault_of_a_hook_is_found_where_it_stands() {
    let act = "<execute item_type=\"tool\">x</execute>";
    let cases: &[(&str, Places)] = &[
        ("<hook><when>limit</when></hook>", &[("RYE-D037", 6, 8)]),
        ("<hook>ACT</hook>", &[("RYE-D037", 6, 8)]),
        ("<hook event=\"befor_tool\">ACT</hook>", &[("RYE-D037", 6, 14)]),
        ("<hook event=\"limit\">ACTACT</hook>", &[("RYE-D037", 6, 65)]),
        ("<hook event=\"limit\"><execute>x</execute></hook>", &[("RYE-D009", 6, 28)]),
        ("<hook event=\"limit\"><execute item_type=\"tol\">x</execute></hook>", &[("RYE-D012", 6, 37)]),
        ("<hook event=\"limit\"><execute item_type=\"tool\">../x</execute></hook>", &[("RYE-D012", 6, 54)]),
        (
            "<hook event=\"limit\"><action primary=\"search\" item_type=\"tool\" item_id=\"x\"/></hook>",
            &[("RYE-D037", 6, 28)],
        ),
        ("<hook><when></when>ACT</hook>", &[("RYE-D037", 6, 14)]),
        ("<hook><when>loop_count > </when>ACT</hook>", &[("RYE-D038", 6, 32)]),
        ("<hook><when>true &amp;&amp; lop_count > 1</when>ACT</hook>", &[("RYE-D038", 6, 20)]),
        ("<hook><when>lop_count > 1</when>ACT</hook>", &[("RYE-D038", 6, 20)]),
        ("<hook><condition path=\"x\" op=\"eq\" value=\"1\"/>ACT</hook>", &[("RYE-D038", 6, 25)]),
        ("<hook><condition path=\"env\" op=\"like\" value=\"1\"/>ACT</hook>", &[("RYE-D038", 6, 36)]),
        ("<hook><condition path=\"env\" op=\"eq\"/>ACT</hook>", &[("RYE-D037", 6, 14)]),
        ("<hook event=\"limit\">ACT<inputs><a>${eror.type}</a></inputs></hook>", &[("RYE-D039", 6, 76)]),
        ("<hook event=\"limit\">ACT<inputs><a>${env</a></inputs></hook>", &[("RYE-D039", 6, 76)]),
        ("<hook event=\"limit\">ACT<inputs><a>1</a><a>2</a></inputs></hook>", &[("RYE-D016", 6, 81)]),
        ("<hook event=\"limit\" if=\"x\">ACT</hook>", &[("RYE-D006", 6, 28)]),
        ("<hok/>", &[("RYE-D005", 6, 8)]),
    ];
    for (inside, wanted) in cases {
        let text = with_metadata(&format!("<hooks>{}</hooks>", inside.replace("ACT", act)));
        let found = directive_findings(&text, "a", Profile::Reference);
        assert_eq!(places(&found), *wanted, "{inside}: {found:#?}");
    }
    let text = with_metadata(&format!("<hooks><hook><when>env == 'a' || los_count > 1</when>{act}</hook></hooks>"));
    let found = directive_findings(&text, "a", Profile::Reference);
    let shown = excerpt(&text, found[0].span.expect("a place"));
    assert!(shown.ends_with("|                                  ^^^^^^^^^"), "{shown}");
    assert_eq!(found[0].hint.as_deref(), Some("did you mean `loop_count`?"));
}

#[test]
fn what_can_never_be_true_and_events_that_are_misspelled_are_said() {
    let hook = |condition: &str| {
        let act = "<execute item_type=\"directive\">b</execute>";
        let text = with_metadata(&format!("<hooks><hook event=\"error\">{condition}{act}</hook></hooks>"));
        let found = directive_findings(&text, "a", Profile::Reference);
        found.into_iter().map(|finding| (finding.rule, finding.hint.unwrap_or_default())).collect::<Vec<_>>()
    };
    let said = |hint: &str| vec![("RYE-D038", hint.to_owned())];
    let other_type = said("give a value of the variable's type");
    assert_eq!(hook("<condition path=\"loop_count\" op=\"gt\" value=\"many\"/>"), other_type);
    assert_eq!(hook("<condition path=\"loop_count\" op=\"in\" value=\"1, 2\"/>"), vec![]);
    assert_eq!(hook("<condition path=\"cost.current\" op=\"gt\" value=\"1\"/>"), vec![]);
    assert_eq!(hook("<when>permision_denied</when>"), said("did you mean `permission_denied`?"));
}

/// A hook whose condition speaks of another moment than the one it waits for would sit there for ever.
#[test]
fn a_hook_that_can_never_fire_is_told_with_the_events_that_would_do() {
    let found = |hook: &str| {
        let act = "<execute item_type=\"directive\">b</execute>";
        let text = with_metadata(&format!("<hooks>{}</hooks>", hook.replace("ACT", act)));
        let found = directive_findings(&text, "a", Profile::Reference);
        let told = |finding: &rye::format::Finding| {
            format!("{} {:?} {}; {}", finding.rule, finding.severity, finding.message, finding.hint.clone().unwrap())
        };
        found.iter().map(told).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        found("<hook event=\"after_tool\"><condition path=\"error.type\" op=\"eq\" value=\"failed\"/>ACT</hook>"),
        "RYE-D055 Warning the event `after_tool` never lets this condition hold; \
         `error.` is there at `error` and `permission_denied`"
    );
    assert_eq!(
        found("<hook event=\"error\"><when>deviation.message != 'x'</when>ACT</hook>"),
        "RYE-D055 Warning the event `error` never lets this condition hold; `deviation.` is there at `deviation`"
    );
    let named = "wait for the event that the condition names, or leave one of the two out";
    assert_eq!(
        found("<hook event=\"after_step\"><when>limit</when>ACT</hook>"),
        format!("RYE-D055 Warning the event `after_step` never lets this condition hold; {named}")
    );
    assert_eq!(
        found("<hook><when>limit &amp;&amp; after_tool</when>ACT</hook>"),
        format!("RYE-D055 Warning no event lets this condition hold; {named}")
    );
    for fires in [
        "<hook event=\"limit\"><when>!after_tool</when>ACT</hook>",
        "<hook event=\"after_tool\"><when>error.type == 'x' || loop_count > 2</when>ACT</hook>",
        "<hook event=\"permission_denied\"><when>error.type == 'x'</when>ACT</hook>",
        "<hook><when>error.type == 'x' || deviation.type == 'y'</when>ACT</hook>",
        "<hook event=\"after_tool\"><when>env == 'error'</when>ACT</hook>",
    ] {
        assert_eq!(found(fires), "", "{fires}");
    }
}

#[test]
fn variables_are_filled_in_once() {
    let values = json!({"env": "${loop_count} {input:x}", "loop_count": 4, "directive": {"name": "a"}});
    let Value::Object(values) = values else { panic!() };
    let variables = Variables { event: HookEvent::Error, values };
    let filled =
        render_variables("${env}-${ loop_count }-${error.type}-$x-{y}-${directive.name}", &variables, &Room::new());
    assert_eq!(filled.as_deref(), Ok("${loop_count} {input:x}-4--$x-{y}-a"));
}

#[test]
fn context_extends_and_continuation_are_typed() {
    let text = with_metadata(
        "<context><related_files>\n - a.rs\n - b/\n</related_files><dependencies>\n* x>=1\n</dependencies>\
         <requires>subagent</requires><depends_on>build-images</depends_on><used_by>p/q</used_by><used_by>r</used_by>\
         <suggests>s</suggests><conflicts_with>c</conflicts_with><example_of>e</example_of><system>k/one</system>\
         <before>k/two</before><after>k/three</after><suppress>k/four</suppress></context>\n\
         <continuation_directive>a_again</continuation_directive>",
    )
    .replace("version=\"1.0.0\"", "version=\"1.0.0\" extends=\"base/one\"");
    assert_eq!(places(&directive_findings(&text, "a", Profile::Reference)), []);
    let read = directive(&text);
    assert_eq!(read.extends.as_ref().map(rye::id::ItemId::as_str), Some("base/one"));
    assert_eq!(read.continuation.as_ref().map(rye::id::ItemId::as_str), Some("a_again"));
    assert_eq!(
        serde_json::to_value(read.context).expect("plain data"),
        json!({
            "related_files": ["a.rs", "b/"], "dependencies": ["x>=1"], "requires": ["subagent"],
            "depends_on": ["build-images"], "used_by": ["p/q", "r"], "suggests": ["s"], "conflicts_with": ["c"],
            "example_of": ["e"], "system": ["k/one"], "before": ["k/two"], "after": ["k/three"], "suppress": ["k/four"],
        })
    );
}
