//! Small texts that cost much: schemas that multiply, directives that grant and call without end.

use std::fmt::Write as _;
use std::time::Duration;

use rye::format::{Profile, capabilities, parse_bytes, schema, validate};
use rye::id::ItemType;
use serde_json::{Value, json};

/// How long a processor may work at anything, in a debug build. The time of a clock would tell how busy the machine is.
const PATIENCE: Duration = Duration::from_secs(5);

fn quickly<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = worked();
    let done = work();
    let took = worked() - start;
    assert!(took < PATIENCE, "{name} took {took:?}");
    done
}

/// How long a processor has worked for this thread.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}

/// An object of this depth, all of one key.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!({"a": inner}))
}

/// Number 18: checking took for ever, and nothing stopped it.
#[test]
fn schemas_that_multiply_are_refused_or_checked_quickly() {
    let doubling = |word: &str| {
        let level = |n: usize| {
            let next = json!({"$ref": format!("#/$defs/l{}", n + 1)});
            (format!("l{n}"), json!({word: [next, next]}))
        };
        let mut defs: serde_json::Map<String, Value> = (0..40).map(level).collect();
        defs.insert("l40".to_owned(), json!({"type": "object"}));
        json!({"$ref": "#/$defs/l0", "$defs": defs})
    };
    let chain = |length: usize| {
        let link = |n: usize| (format!("l{n}"), json!({"$ref": format!("#/$defs/l{}", n + 1)}));
        let defs: serde_json::Map<String, Value> = (0..length).map(link).collect();
        json!({"$ref": "#/$defs/l0", "$defs": defs})
    };
    let branching = json!({"anyOf": [
        {"properties": {"a": {"$ref": "#"}}, "required": ["b"]},
        {"properties": {"a": {"$ref": "#"}}, "required": ["c"]},
    ]});
    let patterns: serde_json::Map<String, Value> =
        (0..2000).map(|n| (format!("(a{{1,50}}b?{n}){{1,50}}"), json!({"type": "string"}))).collect();
    for (name, schema, value) in [
        ("itself", json!({"$ref": "#"}), json!({})),
        ("itself in allOf", json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}), json!({})),
        (
            "itself, percent",
            json!({"$defs": {"a": {"$ref": "#/%24defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
            json!({}),
        ),
        ("branching", branching, nested(60)),
        ("doubling allOf", doubling("allOf"), json!({})),
        ("doubling anyOf", doubling("anyOf"), json!({})),
        ("doubling oneOf", doubling("oneOf"), json!({})),
        ("chain", chain(5000), json!({})),
        ("dynamic", json!({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}), json!({})),
        ("anchor", json!({"$anchor": "a", "properties": {"a": {"$ref": "#a"}}}), nested(60)),
        ("bases", json!({"properties": {"a": {"$id": "x:y", "$ref": "#"}}}), nested(60)),
        ("patterns", json!({"patternProperties": patterns}), json!({"a": "b"})),
        ("one large pattern", json!({"pattern": "(((a{1,99}){1,99}){1,99}){1,99}"}), json!("a")),
        ("wide", json!({"items": {"allOf": vec![json!({"type": "string"}); 4000]}}), json!(vec![1; 100_000])),
        ("wide value", json!({"items": {"type": "string"}}), json!(vec![1; 3_000_000])),
    ] {
        let faults = quickly(name, || schema::check(&schema, &value)).expect_err(name);
        assert!(faults.len() <= 20 && faults.iter().all(|fault| fault.message.len() < 1200), "{name}");
    }
}

#[test]
fn what_is_allowed_of_a_schema_is_checked_quickly() {
    let words: Vec<String> = (0..2000).map(|n| format!("word{n}")).collect();
    for (name, schema, value) in [
        ("a long text", json!({"properties": {"text": {"type": "string"}}}), json!({"text": "y".repeat(1 << 20)})),
        ("a pattern", json!({"pattern": "^(a|aa|b?)*$"}), json!("a".repeat(1 << 20))),
        ("a large pattern", json!({"pattern": "^(a?){200}a{200}b$"}), json!("a".repeat(1 << 20))),
        ("an enum", json!({"items": {"enum": words}}), json!(vec!["word1999"; 1000])),
        ("unique items", json!({"uniqueItems": true}), json!((0..20_000).map(|n| json!({"a": n})).collect::<Vec<_>>())),
        (
            "parts",
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {"$ref": "#/$defs/b"}}}, "b": {}}}),
            nested(60),
        ),
        ("wide", json!({"items": {"allOf": vec![json!({"type": "integer"}); 400]}}), json!(vec![1; 2000])),
        ("itself", json!({"properties": {"a": {"$ref": "#"}}}), nested(60)),
        ("itself, a leaf", point(), json!({"at": {"x": 1, "next": {"x": 2, "next": null}}})),
        ("a tree", tree(), (0..8).fold(json!({"value": 1}), |below, _| json!({"and": [below, {"not": below}]}))),
    ] {
        let found = quickly(name, || schema::check(&schema, &value));
        // The engine may find a pattern too large.
        let is_told = found.as_ref().is_err_and(|faults| faults[0].message.contains("the schema is not valid"));
        assert!(
            is_told || found.is_ok() || found.is_err_and(|faults| faults[0].message.contains("does not match")),
            "{name}"
        );
    }
}

/// A point that leads to others, as servers declare it.
fn point() -> Value {
    let next = json!({"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]});
    let point = json!({"type": "object", "properties": {"x": {"type": "integer"}, "next": next}});
    json!({"type": "object", "properties": {"at": {"$ref": "#/$defs/Point"}}, "$defs": {"Point": point}})
}

/// A condition of conditions.
fn tree() -> Value {
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/c"}});
    let condition = json!({"type": "object", "additionalProperties": false, "properties": {
        "and": list, "or": list, "not": {"$ref": "#/$defs/c"}, "value": {"type": "integer"},
    }});
    json!({"$ref": "#/$defs/c", "$defs": {"c": condition}})
}

/// A schema that refers to itself was refused, and with it the tool.
#[test]
fn a_schema_that_refers_to_itself_is_checked() {
    let faults = schema::check(&point(), &json!({"at": {"next": {"next": {"x": "far"}}}})).unwrap_err();
    assert!(faults.iter().any(|fault| fault.path.starts_with("/at/next")), "{faults:?}");
    assert!(schema::check(&tree(), &json!({"and": [{"or": [{"value": 1}]}, {"not": {"value": 2}}]})).is_ok());
    let faults = schema::check(&tree(), &json!({"and": [{"or": [{"valeu": 1}]}]})).unwrap_err();
    assert_eq!(faults[0].path, "/and/0/or/0", "{faults:?}");
    // What repeats itself without going down does not end, whatever the value.
    let named = json!({"dependentSchemas": {"properties": {"$ref": "#"}}});
    assert!(schema::check(&named, &json!({"properties": 1})).is_err());
}

/// Judges a directive with this metadata and process.
fn judged(name: &str, metadata: &str, process: &str) -> Vec<&'static str> {
    let text = format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><metadata><description>Do it</description><category></category>\
         <author>ada</author>{metadata}</metadata></directive>\n```\n\n<process>{process}</process>\n"
    );
    let text = &text[..text.len().min(1 << 20)];
    quickly(name, || {
        let parsed = parse_bytes(ItemType::Directive, &"md".parse().expect("known"), text.as_bytes());
        let findings = validate(&parsed, &"a".parse().expect("an id"), Profile::Thread);
        findings.iter().map(|finding| finding.rule).collect()
    })
}

/// Writes as many pieces as fit into this many bytes, each with its number.
fn pieces(bytes: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > bytes {
            break;
        }
        let _ = write!(text, "{next}");
    }
    text
}

#[test]
fn directives_that_grant_and_call_without_end_are_judged_quickly() {
    let most = (1 << 20) - 1000;
    let stars = |n: usize| format!("{}x{n}", "*a".repeat(100));
    let grants = |bytes, pattern: &dyn Fn(usize) -> String| {
        format!(
            "<permissions><acknowledge risk=\"unrestricted\">so</acknowledge><execute>{}</execute></permissions>",
            pieces(bytes, |n| format!("<tool>{}</tool>", pattern(n)))
        )
    };
    let calls = |bytes, id: &dyn Fn(usize) -> String| {
        format!(
            "<step name=\"s\">{}</step>",
            pieces(bytes, |n| format!("<execute item_type=\"tool\" item_id=\"{}\" />", id(n)))
        )
    };
    let plain = |n: usize| format!("t.n{n}");
    let long = |n: usize| format!("{}n{n}", "a".repeat(200));
    let named = |n: usize| format!("t/m{n}");
    judged("grants", &grants(most, &plain), "");
    judged("hostile grants", &grants(most, &stars), "");
    judged("most grants", &grants(70_000, &plain), "");
    judged("most hostile grants", &grants(800_000, &stars), "");
    judged("most hostile grants and calls", &grants(800_000, &stars), &calls(200_000, &long));
    judged("calls", &grants(1000, &plain), &calls(most, &named));
    judged("few grants and calls", &grants(70_000, &plain), &calls(most - 100_000, &named));
    judged("grants and calls", &grants(most / 2, &plain), &calls(most / 2, &named));
    judged("hostile grants, long calls", &grants(most / 2, &stars), &calls(most / 2, &long));
    judged("hostile grants that fit, long calls", &grants(300_000, &stars), &calls(most / 2, &long));
    judged(
        "caps",
        &format!("<permissions>{}</permissions>", pieces(most, |n| format!("<cap>rye.execute.tool.n{n}</cap>"))),
        "",
    );
    judged(
        "paths",
        &format!(
            "<permissions>{}</permissions>",
            pieces(most, |n| format!("<write resource=\"filesystem\" path=\"d{n}/**\" />"))
        ),
        "",
    );
    judged(
        "many paths",
        &format!(
            "<permissions><write resource=\"filesystem\" path=\"{}\" /></permissions>",
            pieces(8000, |n| format!("d{n}/**,"))
        ),
        "",
    );
    judged(
        "reasons",
        &format!(
            "<permissions>{}</permissions>",
            pieces(most, |n| format!("<acknowledge risk=\"elevated\">{n}</acknowledge>"))
        ),
        "",
    );
    judged("knowledge", &format!("<context>{}</context>", pieces(most, |n| format!("<system>k/n{n}</system>"))), "");
    judged(
        "suppressed",
        &format!("<context>{}</context>", pieces(most, |n| format!("<suppress>k/n{n}</suppress>"))),
        "",
    );
    judged(
        "depends",
        &format!("<context>{}</context>", pieces(most, |n| format!("<depends_on>k/n{n}</depends_on>"))),
        "",
    );
    judged(
        "hooks",
        &format!(
            "<hooks>{}</hooks>",
            pieces(most, |n| format!("<hook><when>cost.turns &gt; {n}</when><directive>d/n{n}</directive></hook>"))
        ),
        "",
    );
    judged("tags", &format!("<tags>{}</tags>", pieces(most, |n| format!("<tag>n{n}</tag>"))), "");
    judged("steps", "", &pieces(most, |n| format!("<step name=\"n{n}\"></step>")));
    let using = |n: usize| format!("<step name=\"n{n}\">{{step:n{}}} {{step:a.b.c.d.e.f}}</step>", n.saturating_sub(1));
    judged("results", "", &pieces(most / 2, using));
    judged("result with dots", "", &format!("<step name=\"a\">{{step:{}}}</step>", ".a".repeat(most / 4)));
    judged(
        "one step's names",
        "",
        &"<step name=\"n\"><execute item_type=\"tool\" item_id=\"a\" /></step>".repeat(most / 80),
    );
    judged("backticks", "", &"`rye_execute(item_type=\"tool\", item_id=\"a\")` ".repeat(most / 60));
    judged(
        "criteria",
        "",
        &format!("</process><success_criteria>{}</success_criteria>", "<criterion>done</criterion>".repeat(most / 40)),
    );
    let inputs = pieces(most / 2, |n| format!("<input name=\"n{n}\" type=\"string\">x</input>"));
    let text = format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><inputs>{inputs}</inputs><outputs>{}</outputs></directive>\n```\n",
        inputs.replace("input", "output")
    );
    quickly("inputs", || {
        parse_bytes(ItemType::Directive, &"md".parse().expect("known"), &text.as_bytes()[..text.len().min(1 << 20)])
    });
    let document = format!(
        "capabilities:\n{}",
        pieces(most, |n| format!("- primary: execute\n  item_type: tool\n  specifics: {}\n", stars(n)))
    );
    quickly("document", || capabilities(&document));
    let flat = format!("capabilities:\n{}", pieces(most, |n| format!("- rye.execute.tool.n{n}\n")));
    quickly("flat document", || capabilities(&flat));
}
