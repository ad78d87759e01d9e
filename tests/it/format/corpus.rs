//! The published items and the documents the formats come from, which are next to the checkout: each item reads without
//! a false error, each old form migrates clean.

use std::fs;

use rye::format::{
    Finding, Profile, Renames, Scope, Severity, capabilities, migrate, migrate_document, parse_bytes, snake_id,
    validate,
};
use rye::id::{Extension, ItemId, ItemType};
use rye::item::Item;
use rye::trust::Subject;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::beside::{blocks, corpus, document, files};

/// Reads every file of a type, and returns the findings of each by its path, and the names that are not ids.
fn read_all(item_type: ItemType) -> (Vec<(String, Vec<Finding>)>, Vec<String>) {
    let top = corpus().join(item_type.folder());
    let (mut items, mut refused) = (Vec::new(), Vec::new());
    for path in files(&top) {
        let name = path.strip_prefix(&top).expect("below the folder").to_str().expect("a text").to_owned();
        let (stem, extension) = name.rsplit_once('.').expect("an extension");
        let (Ok(id), Ok(extension)) = (stem.parse::<ItemId>(), extension.parse::<Extension>()) else {
            refused.push(name);
            continue;
        };
        let parsed = parse_bytes(item_type, &extension, &fs::read(&path).expect("a file"));
        items.push((name, validate(&parsed, &id, Profile::Reference)));
    }
    (items, refused)
}

fn errors(items: &[(String, Vec<Finding>)]) -> Vec<String> {
    let shown = |(name, findings): &(String, Vec<Finding>)| {
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors
            .map(|finding| format!("{name}:{}: {} {}", finding.line, finding.rule, finding.message))
            .collect::<Vec<_>>()
    };
    items.iter().flat_map(shown).collect()
}

/// Two names hold a dot: they are not ids.
const DOTTED: [&str; 2] = ["rye/core/keys/trusted-key.config-schema.yaml", "rye/core/remote/remote.config-schema.yaml"];

#[test]
#[ignore = "needs the published items beside the checkout: ../shared/vectors/corpus"]
fn real_items_have_no_errors() {
    let (directives, refused) = read_all(ItemType::Directive);
    assert_eq!((errors(&directives), refused.len(), directives.len()), (vec![], 0, 26));
    let (knowledge, refused) = read_all(ItemType::Knowledge);
    assert_eq!((errors(&knowledge), refused.len(), knowledge.len()), (vec![], 0, 19));
    let (tools, refused) = read_all(ItemType::Tool);
    assert_eq!((errors(&tools), tools.len()), (vec![], 15));
    assert_eq!(refused, DOTTED);
}

/// The same by the program: the files of a folder, and the messages about the two names.
#[test]
#[ignore = "needs the published items beside the checkout: ../shared/vectors/corpus"]
fn real_items_lint_without_errors_and_dotted_names_are_told() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    for path in files(&corpus()) {
        let copy = sandbox.project().join(".ai").join(path.strip_prefix(corpus()).expect("below the folder"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        fs::write(copy, fs::read(path).expect("a file")).expect("written");
    }
    let printed = sandbox.rye(&["lint", "--json"]).stdout();
    let outcome: Value = serde_json::from_slice(&printed).expect("JSON");
    assert_eq!((&outcome["checked"], &outcome["status"]), (&json!(60), &json!("ok")));
    let findings = outcome["findings"].as_array().expect("a list");
    assert!(findings.iter().all(|finding| finding["severity"] != "error"), "{findings:#?}");
    let told: Vec<&Value> = findings.iter().filter(|finding| finding["rule"] == "RYE-S020").collect();
    let paths: Vec<&str> = told.iter().filter_map(|finding| finding["path"].as_str()).collect();
    assert_eq!(paths, DOTTED.map(|name| format!(".ai/tools/{name}")));
    for finding in told {
        assert!(finding["message"].as_str().is_some_and(|message| message.contains("it contains a dot")), "{finding}");
    }
}

/// Everything but advice that is found in a directive.
fn faults(text: &str, id: &str) -> Vec<String> {
    let parsed = parse_bytes(ItemType::Directive, &"md".parse().expect("known"), text.as_bytes());
    let found = validate(&parsed, &id.parse().expect("an id"), Profile::Reference);
    let worse = found.iter().filter(|finding| finding.severity != Severity::Advice);
    worse.map(|finding| format!("{}:{}: {} {}", id, finding.line, finding.rule, finding.message)).collect()
}

/// What the seeds show in old forms is clean once it is migrated, and permits the same.
#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn old_forms_of_the_seeds_migrate_clean() {
    let (oldest, proposal) = (document("000"), document("003"));
    let migrated = |id: &str, text: &str| {
        let subject = Subject {
            item_type: ItemType::Directive,
            item_id: id.parse().expect("an id"),
            extension: "md".parse().expect("known"),
        };
        let own = snake_id(&subject.item_id).map(|new| (subject.item_id.clone(), new));
        migrate(&subject, text, Scope::All, &Renames::new(&own.into_iter().collect(), &[])).text
    };
    let pure: Vec<String> = blocks(&oldest, "xml").into_iter().filter(|block| block.contains("<process>")).collect();
    assert_eq!(pure.len(), 1);
    let new = migrated("workflows/deploy-staging", &pure[0]);
    assert_eq!(faults(&new, "workflows/deploy_staging"), Vec::<String>::new(), "{new}");
    let mut seen = 0;
    for block in blocks(&oldest, "xml").into_iter().chain(blocks(&proposal, "xml")) {
        let bare = block.contains("<execute resource") && !block.contains("<permissions>");
        let permissions = if bare { format!("<permissions>{block}</permissions>") } else { block };
        let legacy = permissions.contains("<cap>") || permissions.contains("<execute resource");
        let Some(start) = permissions.find("<permissions>").filter(|_| legacy) else { continue };
        let end = permissions.find("</permissions>").expect("an end") + "</permissions>".len();
        let text = format!(
            "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><metadata><description>Do a</description><category></category>\
             <author>b</author>{}</metadata></directive>\n```\n\nDo it.\n",
            &permissions[start..end]
        );
        let new = migrated("a", &text);
        assert_eq!(faults(&new, "a"), Vec::<String>::new(), "{new}");
        let calls =
            |text: &str| match parse_bytes(ItemType::Directive, &"md".parse().expect("known"), text.as_bytes()).item {
                Some(Item::Directive(directive)) => {
                    let mut permissions = directive.permissions.expect("permissions");
                    permissions.calls.sort();
                    permissions
                }
                other => panic!("no directive: {other:?}"),
            };
        assert_eq!(calls(&new), calls(&text), "{new}");
        seen += 1;
    }
    assert!(seen >= 6, "{seen}");
    let flat = blocks(&proposal, "yaml").into_iter().find(|block| block.contains("- \"rye.")).expect("a flat list");
    let new = migrate_document(&flat, &Renames::default()).text;
    assert_eq!(capabilities(&new).findings, vec![]);
    assert_eq!(capabilities(&new).capabilities, capabilities(&flat).capabilities);
}
