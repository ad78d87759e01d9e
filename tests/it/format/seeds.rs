//! What the seed documents give as examples of directives, each in words of our own, with the meaning it must have.
//!
//! A row names the document and the block. Exempt: pictures, results, file lists; blocks about permissions (they have a
//! table of their own); and 000's first section on context, a misprint of the one on permissions.

use rye::format::{Profile, has_errors};
use serde_json::{Value, json};

use super::{directive, directive_findings};

/// A directive with one fragment: attributes of the root, metadata, further elements of the block, and the zone.
fn with(root: &str, metadata: &str, block: &str, zone: &str) -> String {
    format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"{root}>\n<metadata><description>Do it</description><category/>\
         <author>x</author>\n{metadata}</metadata>\n{block}\n</directive>\n```\n\n{zone}\n"
    )
}

/// The value of one member of a directive that has no error.
fn read(what: &str, text: &str, member: &str) -> Value {
    let findings = directive_findings(text, "a", Profile::Reference);
    assert!(!has_errors(&findings), "{what}: {findings:#?}");
    serde_json::to_value(directive(text)).expect("plain data")[member].clone()
}

#[test]
fn metadata_means_what_the_documents_say() {
    let usd = |amount: &str| json!({"amount": amount, "currency": "USD"});
    let model = |tier: &str, id: Value, fallback: Value, fallback_id: Value, text: &str| json!({"tier": tier, "id": id, "fallback": fallback, "fallback_id": fallback_id, "text": text});
    let rows: Vec<(&str, &str, &str, Value)> = vec![
        (
            "000 model",
            "<model tier=\"boss\" fallback=\"plain\" id=\"m-1\">\n  Think in\n  parallel\n</model>",
            "model",
            model("boss", json!("m-1"), json!("plain"), json!(null), "Think in parallel"),
        ),
        (
            "001 model, simple",
            "<model tier=\"low\" />",
            "model",
            model("low", json!(null), json!(null), json!(null), ""),
        ),
        (
            "001 model, fallback id",
            "<model tier=\"t\" fallback=\"g\" fallback_id=\"m-2\" />",
            "model",
            model("t", json!(null), json!("g"), json!("m-2"), ""),
        ),
        (
            "000, 001 cost, full",
            "<cost><context estimated_usage=\"high\" turns=\"20\" spawn_threshold=\"5\">\n 15000\n</context>\
             <duration>900</duration><spend currency=\"USD\">25.00</spend></cost>",
            "cost",
            json!({
                "context_tokens": 15000, "estimated_usage": "high", "turns": 20, "spawn_threshold": 5, "duration": 900,
                "spend": usd("25.00"),
            }),
        ),
        (
            "000 cost, minimal",
            "<cost><context estimated_usage=\"medium\" turns=\"10\" spawn_threshold=\"3\">8000</context></cost>",
            "cost",
            json!({
                "context_tokens": 8000, "estimated_usage": "medium", "turns": 10, "spawn_threshold": 3,
                "duration": null, "spend": null,
            }),
        ),
        ("001 limits", "<limits turns=\"6\" tokens=\"4096\" />", "limits", json!({"turns": 6, "tokens": 4096})),
        ("004 limits", "<limits max_turns=\"5\" max_tokens=\"2048\" />", "limits", json!({"turns": 5, "tokens": 2048})),
        (
            "002 limits",
            "<limits turns=\"8\" tokens=\"4096\" spend=\"0.10\" />",
            "limits",
            json!({"turns": 8, "tokens": 4096, "spend": usd("0.10")}),
        ),
        (
            "004 limits, spend",
            "<limits max_spend=\"2\" spend_currency=\"EUR\" />",
            "limits",
            json!({"spend": {"amount": "2.00", "currency": "EUR"}}),
        ),
        (
            "000, 001 context",
            "<context>\n<related_files>\n    - a/b.py\n    - c/\n</related_files>\n<dependencies>\n - p>=7.0\n - q\n</dependencies>\n\
             <requires>helper</requires><depends_on>other-one</depends_on><used_by>boss</used_by><suggests>s</suggests></context>",
            "context",
            json!({
                "related_files": ["a/b.py", "c/"], "dependencies": ["p>=7.0", "q"], "requires": ["helper"],
                "depends_on": ["other-one"], "used_by": ["boss"], "suggests": ["s"], "conflicts_with": [],
                "example_of": [], "system": [], "before": [], "after": [], "suppress": [],
            }),
        ),
        (
            "002 context rules",
            "<context><system>k/me</system><before>k/b</before><suppress>k/s</suppress></context>",
            "context",
            json!({
                "related_files": [], "dependencies": [], "requires": [], "depends_on": [], "used_by": [], "suggests": [],
                "conflicts_with": [], "example_of": [], "system": ["k/me"], "before": ["k/b"], "after": [],
                "suppress": ["k/s"],
            }),
        ),
    ];
    for (what, metadata, member, wanted) in rows {
        assert_eq!(read(what, &with("", metadata, "", "Go."), member), wanted, "{what}");
    }
    assert_eq!(
        read("002 extends", &with(" extends=\"p/agent/base\"", "", "", "Go."), "extends"),
        json!("p/agent/base")
    );
}

#[test]
fn declarations_and_processes_mean_what_the_documents_say() {
    let inputs = "<inputs><input name=\"name\" type=\"string\" required=\"true\">\n  N\n</input>\
                  <input name=\"timeout\" type=\"integer\" required=\"false\" default=\"120\">T</input>\
                  <input name=\"tags\" type=\"string\" required=\"false\">G</input></inputs>";
    let zone = "Use {input:name}, {input:timeout:9}, {input:tags?}, {input:tags|none}.";
    assert_eq!(
        read("001 inputs", &with("", "", inputs, zone), "inputs"),
        json!([
            {"name": "name", "type": "string", "required": true, "description": "N"},
            {"name": "timeout", "type": "integer", "required": false, "default": 120, "description": "T"},
            {"name": "tags", "type": "string", "required": false, "description": "G"},
        ])
    );
    let outputs =
        "<outputs><output name=\"path\">Where</output><output name=\"signed\" required=\"false\">If</output></outputs>";
    assert_eq!(
        read("001, 002 outputs", &with("", "", outputs, "Go."), "outputs"),
        json!([
            {"name": "path", "type": "string", "required": true, "description": "Where"},
            {"name": "signed", "type": "string", "required": false, "description": "If"},
        ])
    );
    let legacy = "<outputs><success>Made: {input:name}</success><failure>Not made: {input:name}</failure></outputs>";
    assert_eq!(
        read("001 legacy outputs", &with("", "", &format!("{inputs}{legacy}"), zone), "messages"),
        json!({"success": "Made: {input:name}", "failure": "Not made: {input:name}"})
    );
    let action = |primary: &str, item_type: &str, item_id: Value, attributes: Value, params: Value| {
        json!({
            "primary": primary, "item_type": item_type, "item_id": item_id, "attributes": attributes, "params": params,
        })
    };
    let elements = "<process>\n<step name=\"look\"><description>Look.</description>\
                    <search item_type=\"directive\" query=\"{input:name}\" /></step>\n\
                    <step name=\"write\"><description>Write.</description>\
                    <execute item_type=\"tool\" item_id=\"rye/file-system/fs_write\">\
                    <param name=\"path\" value=\"x/{input:name}.md\" /></execute></step>\n\
                    <step name=\"sign\"><sign item_type=\"directive\" item_id=\"{input:name}\" /></step>\n</process>";
    let steps = read("001, 004 action elements", &with("", "", inputs, &format!("{elements}\n{zone}")), "steps");
    let actions: Vec<&Value> = (0..3).map(|at| &steps[at]["actions"][0]).collect();
    let wanted = [
        action("search", "directive", json!(null), json!({"query": "{input:name}"}), json!([])),
        action("execute", "tool", json!("rye/file-system/fs_write"), json!({}), json!([["path", "x/{input:name}.md"]])),
        action("sign", "directive", json!("{input:name}"), json!({}), json!([])),
    ];
    assert_eq!(actions, wanted.iter().collect::<Vec<_>>());
    let calls = "<process><step name=\"build\">\nBuild.\n`rye_execute(item_type=\"tool\", item_id=\"rye/shell/docker\", \
                 parameters={\"command\": \"build\"})`\n</step></process>";
    assert_eq!(
        read("001 complete example", &with("", "", "", calls), "steps")[0]["actions"],
        json!([action("execute", "tool", json!("rye/shell/docker"), json!({}), json!([["command", "build"]]))])
    );
    let criteria = "Go.\n<success_criteria>\n<criterion>No file is missing</criterion>\n<criterion>{input:name} is there</criterion>\n\
                    </success_criteria>";
    assert_eq!(
        read("001 criteria", &with("", "", inputs, &format!("{criteria}{zone}")), "criteria"),
        json!(["No file is missing", "{input:name} is there"])
    );
}

#[test]
fn hooks_mean_what_the_documents_say() {
    let hook = |when: &str, item_type: &str, item_id: &str, inputs: Value| {
        json!({
            "when": when, "action": {"primary": "execute", "item_type": item_type, "item_id": item_id}, "inputs": inputs,
        })
    };
    let hooks = "<hooks><!-- one of each kind -->\
        <hook><when>loop_count > 3</when><execute item_type=\"directive\">on-loop</execute>\
        <inputs><loop_count>${loop_count}</loop_count><original>${directive.name}</original></inputs></hook>\
        <hook><when>deviation.type == \"schema_mismatch\"</when><execute item_type=\"knowledge\">how-to-mend</execute></hook>\
        <hook><when>deviation.type == \"schema_mismatch\"</when><execute item_type=\"tool\">mend</execute>\
        <inputs><details>${deviation.message}</details><auto>true</auto></inputs></hook></hooks>";
    assert_eq!(
        read("000, 001 hooks", &with("", hooks, "", "Go."), "hooks"),
        json!([
            hook(
                "loop_count > 3",
                "directive",
                "on-loop",
                json!([["loop_count", "${loop_count}"], ["original", "${directive.name}"]])
            ),
            hook("deviation.type == \"schema_mismatch\"", "knowledge", "how-to-mend", json!([])),
            hook(
                "deviation.type == \"schema_mismatch\"",
                "tool",
                "mend",
                json!([["details", "${deviation.message}"], ["auto", "true"]])
            ),
        ])
    );
}
